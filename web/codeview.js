/**
 * The tab *Code*: the source lines that built a message and those that handled it, with the function around them.
 *
 * In:  a record and what it is paired with. Out: nodes. Refuses to know: which files may be read (the viewer does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{path: string, name: string, first: number, line: number, lines: [string, string][][]}} Code
 */

import { code } from "./api.js";
import { h } from "./dom.js";
import { string } from "./json.js";
import { valueOf } from "./record.js";
import { Asked } from "./telling.js";
import { visible } from "./visible.js";

/** Answers by what was asked; the object is the key that Asked wants. @type {Map<string, {src: string}>} */
const keys = new Map();
/** @type {Asked<{src: string}>} */
const asked = new Asked();

/** @type {View} */
export function codeView(rec, { learned }) {
  const sides = [rec, ...(rec.twin === undefined ? [] : [rec.twin])];
  /** @type {Map<string, Rec>} */
  const places = new Map();
  for (const each of sides) {
    const src = string(valueOf(each).src);
    if (src !== undefined && !places.has(src)) places.set(src, each);
  }
  if (places.size === 0) {
    return [
      h("p", {}, "This record does not say which code made it: only the playground's own programs write that down."),
    ];
  }
  return [...places].map(([src, each]) => block(src, title(each), learned));
}

/** @param {Rec} rec */
function title(rec) {
  const what = rec.dir === "in" ? "Handled by" : rec.dir === "out" ? "Built by" : "Written by";
  return `${what} ${rec.component}`;
}

/** @param {string} src @param {string} heading @param {() => void} learned */
function block(src, heading, learned) {
  let key = keys.get(src);
  if (key === undefined) keys.set(src, (key = { src }));
  const known = asked.about(key, () => code(src), learned);
  const inside =
    known.problem !== undefined
      ? h("p", { class: "note" }, known.problem)
      : known.value === undefined
        ? h("p", { class: "faint", role: "status" }, "Reading …")
        : listing(known.value);
  return h(
    "section",
    { class: "code" },
    h("h3", {}, visible(heading, 80)),
    h("p", { class: "faint" }, h("code", {}, visible(src, 200))),
    inside,
  );
}

/** @param {Code} it */
function listing(it) {
  return h(
    "div",
    { class: "listing", tabindex: "0", role: "group", "aria-label": `${it.path}, from line ${it.first}` },
    it.lines.map((pieces, index) => {
      const number = it.first + index;
      const here = number === it.line;
      return h(
        "div",
        { class: here ? "code-line here" : "code-line", "aria-current": here ? "true" : null },
        h("span", { class: "line-number" }, number),
        h(
          "code",
          {},
          pieces.map(([kind, text]) => (kind === "" ? text : h("span", { class: `t-${kind}` }, text))),
        ),
      );
    }),
  );
}
