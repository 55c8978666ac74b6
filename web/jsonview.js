/**
 * The tab *JSON*: the message, the whole record, or the text as it was on the wire.
 *
 * In:  a record. Out: a tree that folds, or the text. Refuses to know: what the message means.
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./json.js").Node} Node
 */

import { curlOf } from "./curl.js";
import { copy, h } from "./dom.js";
import { flatten, isObject, read, scalar } from "./json.js";
import { valueOf } from "./record.js";
import { visible, visibleLines } from "./visible.js";
import { wireOf } from "./wire.js";

/** Rows of a tree that are drawn before "more" is asked for. */
const BATCH = 400;

/** Characters of a text that are shown; `Copy` takes all. */
const TEXT = 200_000;

/** How deep a tree is open at first, and containers longer than this are closed. */
const DEPTH = 4;
const LONG = 60;

const MODES = [
  ["message", "Message"],
  ["record", "Log record"],
  ["raw", "Raw text"],
];

/** What is shown, and of which record what is folded: the view is drawn anew with each change. */
const state = { mode: "message", at: "", flipped: new Set(), limit: BATCH };

/** @type {View} */
export function jsonView(rec, { redraw }) {
  const at = `${rec.file}\n${rec.n}`;
  if (state.at !== at) Object.assign(state, { at, flipped: new Set(), limit: BATCH });
  const wire = wireOf(rec);
  const modes = MODES.filter(([mode]) =>
    mode === "message" ? wire.message !== null : mode === "raw" || rec.flaw === undefined,
  );
  const mode = modes.some(([each]) => each === state.mode)
    ? state.mode
    : rec.flaw === undefined && rec.kind !== "unparsed"
      ? "record"
      : "raw";
  const text = mode === "record" ? rec.text : mode === "message" ? (wire.message ?? "") : wire.text;
  const button = h("button", { type: "button", class: "plain", on: { click: () => copy(text, button) } }, "Copy");
  const choose = (/** @type {string} */ next) => () => {
    Object.assign(state, { mode: next, flipped: new Set(), limit: BATCH });
    redraw();
  };
  return [
    h(
      "div",
      { class: "json-bar" },
      h(
        "div",
        { class: "segments", role: "group", "aria-label": "Show" },
        modes.map(([each, label]) =>
          h("button", { type: "button", "aria-pressed": String(each === mode), on: { click: choose(each) } }, label),
        ),
      ),
      h("span", { class: "copies" }, curlButton(rec, wire.text), button),
    ),
    ...curlWarnings(rec, wire.text),
    wire.note === "" || mode === "record" ? "" : h("p", { class: "note" }, wire.note),
    mode === "raw" ? rawText(text) : tree(text, redraw),
  ].filter((part) => part instanceof globalThis.Node);
}

/** The command that sends a request again; null for what is no request over HTTP. @param {import("./record.js").Rec} rec
 * @param {string} body */
function curl(rec, body) {
  if (rec.via !== "http" || rec.marks.verb === undefined || rec.dir === undefined) return null;
  const http = valueOf(rec).data.http;
  const headers = isObject(http.headers) ? http.headers : {};
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1];
  const path = String(http.path ?? "/mcp");
  return curlOf({ body, method: rec.marks.verb, url: http.url ?? `http://${host ?? "127.0.0.1:5000"}${path}`, headers });
}

/** @param {import("./record.js").Rec} rec @param {string} body */
function curlButton(rec, body) {
  const made = curl(rec, body);
  if (made === null) return null;
  const button = h("button", { type: "button", class: "plain", on: { click: () => copy(made.command, button) } }, "Copy as curl");
  return button;
}

/** @param {import("./record.js").Rec} rec @param {string} body */
function curlWarnings(rec, body) {
  const warnings = curl(rec, body)?.warnings ?? [];
  return warnings.map((warning) => h("p", { class: "faint" }, "curl: ", warning));
}

/** @param {string} text */
function rawText(text) {
  const cut = text.length > TEXT;
  return h(
    "div",
    {},
    h("pre", { class: "raw", tabindex: "0" }, visibleLines(cut ? text.slice(0, TEXT) : text)),
    cut
      ? h("p", { class: "note" }, `${(text.length - TEXT).toLocaleString("en-US")} more characters; Copy takes all.`)
      : null,
  );
}

/** @param {string} text @param {() => void} redraw */
function tree(text, redraw) {
  let root;
  try {
    root = read(text);
  } catch {
    return rawText(text);
  }
  const isOpen = (/** @type {string} */ path, /** @type {number} */ depth, /** @type {Node} */ node) =>
    (depth < DEPTH && node.children.length <= LONG) !== state.flipped.has(path);
  const rows = flatten(root, isOpen, state.limit + 1);
  const flip = (/** @type {string} */ path) => () => {
    if (!state.flipped.delete(path)) state.flipped.add(path);
    redraw();
  };
  const more = h(
    "button",
    {
      type: "button",
      class: "plain",
      on: {
        click: () => {
          state.limit *= 4;
          redraw();
        },
      },
    },
    "Show more",
  );
  return h(
    "div",
    { class: "tree" },
    rows.slice(0, state.limit).map((row) => line(row, text, flip)),
    rows.length > state.limit ? more : null,
  );
}

/** @param {import("./json.js").Row} row @param {string} text @param {(path: string) => () => void} flip */
function line({ node, depth, open, closing, path }, text, flip) {
  const [left, right] = node.kind === "array" ? ["[", "]"] : ["{", "}"];
  const element = h("div", { class: "line" });
  element.style.setProperty("--depth", String(depth));
  if (closing) {
    element.append(h("span", { class: "punct" }, right));
    return element;
  }
  const key =
    node.key === undefined
      ? []
      : [h("span", { class: "key" }, visible(node.key, 200)), h("span", { class: "punct" }, ": ")];
  if (node.kind !== "object" && node.kind !== "array") {
    const value = scalar(node, text);
    const shown = node.kind === "string" ? `"${visible(value, 2000)}"` : visible(value, 400);
    element.append(...key, h("span", { class: node.kind }, shown));
    return element;
  }
  const count = node.children.length;
  const size =
    open || count === 0 ? "" : ` ${count} ${node.kind === "array" ? "items" : count === 1 ? "member" : "members"} `;
  const label = [
    ...key,
    h("span", { class: "punct" }, left),
    open ? "" : h("span", { class: "faint" }, size),
    open ? "" : h("span", { class: "punct" }, right),
  ];
  element.append(
    count === 0
      ? h("span", {}, label)
      : h(
          "button",
          { type: "button", class: "fold", "aria-expanded": String(open), data: { path }, on: { click: flip(path) } },
          label,
        ),
  );
  return element;
}
