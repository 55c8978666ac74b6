/**
 * The tab *Console*: edit what a client sent, and send it again.
 *
 * In:  a record. Out: nodes. Refuses to know: how anything is sent (desk.js does).
 *
 * What was edited stays until another record is chosen: the tab is drawn anew whenever pairing learns something, and so
 * each record keeps the desk it got.
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./record.js").Rec} Rec
 */

import { presets } from "./api.js";
import { headersFor } from "./compose.js";
import { Desk } from "./desk.js";
import { h } from "./dom.js";
import { isObject, string } from "./json.js";
import { valueOf } from "./record.js";
import { wireOf } from "./wire.js";

/** @type {WeakMap<Rec, Desk>} */
const desks = new WeakMap();

/** What the viewer's console knows; asked for when first needed.
 * @type {{path: string, status: import("./explain.js").Texts} | null} */
let known = null;

/** @type {View} */
export function sendView(rec, { texts, store }) {
  const asked = rec.kind === "result" || rec.kind === "error" ? rec.request : rec;
  const byClient = asked !== undefined && (asked.dir === "out" ? asked.peer === "server" : asked.peer === "client");
  const link = h("a", { href: "/console" }, "The console");
  if (asked === undefined || !byClient || asked.kind === "notice" || asked.kind === "line") {
    return [h("p", {}, "Only what a client sent can be sent again. ", link, " sends anything else.")];
  }
  let desk = desks.get(asked);
  if (desk === undefined) {
    if (known === null) learn();
    desk = new Desk(orderOf(asked), { texts, statuses: () => known?.status ?? {}, tools: () => toolsIn(store) });
    desks.set(asked, desk);
  }
  const place = "It goes to the server that the viewer was started with (--server), and is logged as mcp-viewer. ";
  const session = "A session id is that of the client which sent it.";
  return [h("p", { class: "faint" }, place, session, " ", link, " has presets and forms."), desk.element];
}

async function learn() {
  const found = await presets().catch(() => null);
  if (found !== null) known = /** @type {any} */ (found);
}

/** @param {Rec} rec @returns {import("./compose.js").Order} */
function orderOf(rec) {
  const value = valueOf(rec);
  const http = isObject(value.data) && isObject(value.data.http) ? value.data.http : {};
  const wire = wireOf(rec);
  const body = wire.message === null && wire.text === rec.text ? "" : wire.text;
  /** @type {Record<string, string>} */
  const headers = {};
  for (const [name, text] of Object.entries(isObject(http.headers) ? http.headers : {})) {
    if (typeof text === "string") headers[name] = text;
  }
  const path = string(http.path) ?? "/mcp";
  const standing = { path, revision: revisionOf(body), session: "" };
  return {
    method: string(http.method) ?? "POST",
    path: path.startsWith("/") ? path : "/mcp",
    headers: Object.keys(headers).length > 0 ? headers : headersFor(body, standing),
    body,
  };
}

/** @param {string} body */
function revisionOf(body) {
  return body.includes('"io.modelcontextprotocol/protocolVersion"') ? "2026-07-28" : "2025-11-25";
}

/** The tools of the newest list in the log, by name. @param {import("./store.js").Store} store */
function toolsIn(store) {
  /** @type {Map<string, Record<string, any>>} */
  const tools = new Map();
  for (let at = store.log.length - 1; at >= 0 && tools.size === 0; at -= 1) {
    const rec = store.log.at(at);
    if (rec?.kind !== "result" || rec.request?.method !== "tools/list") continue;
    const listed = valueOf(rec).data?.message?.result?.tools;
    for (const tool of Array.isArray(listed) ? listed : []) if (isObject(tool)) tools.set(String(tool.name), tool);
  }
  return tools;
}
