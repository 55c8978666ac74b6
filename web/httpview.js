/**
 * The tab *HTTP*: method, path, status and headers of the message and of what it is paired with.
 *
 * In:  a record. Out: nodes. Refuses to know: what JSON-RPC says.
 *
 * @typedef {import("./inspector.js").View} View
 */

import { h, prose } from "./dom.js";
import { lookup } from "./explain.js";
import { brief, isObject } from "./json.js";
import { valueOf } from "./record.js";
import { visible } from "./visible.js";

/** @type {View} */
export function httpView(rec, { texts }) {
  const pair = [rec.request, rec, rec.answer].filter((each) => each !== undefined);
  const blocks = pair.flatMap((each) => {
    const value = valueOf(each);
    const http = isObject(value.data) && isObject(value.data.http) ? value.data.http : null;
    return http === null
      ? []
      : [
          block(
            each === rec ? "This message" : each === rec.answer ? "Its answer" : "The request it answers",
            http,
            texts(),
          ),
        ];
  });
  if (blocks.length > 0) return blocks;
  if (rec.via === "stdio")
    return [h("p", {}, "This message went over a pipe: one line of JSON, no HTTP, no headers, no status.")];
  return [h("p", {}, "This record holds nothing about HTTP.")];
}

/** @param {string} title @param {Record<string, any>} http @param {import("./explain.js").Texts} texts */
function block(title, http, texts) {
  const headers = isObject(http.headers) ? Object.entries(http.headers) : [];
  const line = [http.method, http.path ?? http.url]
    .filter((part) => part !== undefined)
    .map((part) => visible(brief(part)))
    .join(" ");
  const status =
    http.status === undefined
      ? null
      : h(
          "span",
          { class: `status-code ${Number(http.status) >= 400 ? "bad" : "good"}` },
          `HTTP ${visible(brief(http.status))}`,
        );
  const list = h(
    "dl",
    {},
    headers.flatMap(([name, value]) => [
      h("dt", {}, visible(name), ": ", h("code", {}, visible(brief(value, 2000), 2001))),
      h("dd", {}, about(name, texts)),
    ]),
  );
  return h(
    "section",
    { class: "http" },
    h("h3", {}, title),
    h("p", { class: "http-line" }, line === "" ? null : h("code", {}, line), status),
    headers.length === 0 ? h("p", { class: "faint" }, "No headers were written down.") : list,
  );
}

/** @param {string} name @param {import("./explain.js").Texts} texts */
function about(name, texts) {
  const text = lookup(texts, "header", name);
  return text === null ? null : prose(text.text);
}
