/**
 * One arrow, or one note, of the sequence view.
 *
 * In:  an item of layout.js. Out: a group of SVG elements that shows it. Refuses to know: how items are laid out.
 *
 * Outcomes differ in shape: a request ends in a full head, an answer is dashed and ends in an open one, a
 * notification in half a head, a cancellation against a bar, a protocol error in a cross, a tool's own error in a
 * diamond. An end that nobody wrote
 * down is a ring.
 *
 * @typedef {import("./layout.js").Item} Item
 * @typedef {import("./record.js").Rec} Rec
 */

import { CHAR } from "./label.js";
import { SLOT } from "./layout.js";
import { s, set } from "./svg.js";

/** Heads for an arrow that goes to the right and ends at 0, 0. @type {Record<string, string>} */
const HEADS = {
  request: "M0 0 L-9 -4.5 L-9 4.5 Z",
  result: "M-9 -4.5 L0 0 L-9 4.5",
  notification: "M-9 -4.5 L0 0",
  error: "M-9 -4.5 L0 4.5 M-9 4.5 L0 -4.5",
  "tool-error": "M0 0 L-6 -4.5 L-12 0 L-6 4.5 Z",
  cancel: "M-9 -4.5 L0 0 L-9 4.5 M1 -6 V6",
  http: "M-7 -3.5 L0 0 L-7 3.5",
  model: "M-9 -4.5 L0 0 L-9 4.5",
  wish: "M-9 -4.5 L0 0 L-9 4.5",
  batch: "M0 0 L-9 -4.5 L-9 4.5 Z",
  unparsed: "M-9 -4.5 L0 4.5 M-9 4.5 L0 -4.5",
};
const RING = "M-8 0 A4 4 0 1 1 0 0 A4 4 0 1 1 -8 0";

export class ArrowView {
  /** @param {string} id unique in the page */
  constructor(id) {
    this.hit = s("path", { class: "hit" });
    this.line = s("path", { class: "shaft" });
    this.tail = s("path", { class: "tail" });
    this.head = s("path", { class: "head" });
    this.text = s("text", {});
    this.element = s("g", { class: "arrow", role: "option", id }, this.hit, this.line, this.tail, this.head, this.text);
    /** @type {Rec | null} */
    this.rec = null;
    this.key = "";
  }

  /** @param {Item} item @param {boolean} selected @param {boolean} kin */
  show(item, selected, kin) {
    const { rec, said } = item;
    this.rec = rec;
    set(this.element, {
      transform: `translate(${item.x} ${item.y})`,
      "aria-selected": String(selected),
      "data-kin": kin ? "true" : null,
    });
    const key = `${item.name}\n${item.dx} ${item.dy} ${item.seen}\n${said.time}\n${item.label.length}`;
    if (key === this.key) return;
    this.key = key;
    set(this.element, {
      "aria-label": item.name,
      "data-shape": said.shape,
      "data-side": rec.side,
      "data-bad": rec.bad ? "true" : null,
      "data-open": said.open || said.time === "cancelled" ? "true" : null,
      "data-seen": item.seen,
    });
    if (item.dx === 0) this.#note(item);
    else this.#arrow(item);
    this.text.replaceChildren(...words(item));
  }

  /** @param {Item} item */
  #note({ label }) {
    const half = (label.reduce((sum, part) => sum + part.text.length + 1, -1) * CHAR) / 2 + 7;
    set(this.hit, { d: `M${-half} -11 H${half} V4 H${-half} Z` });
    for (const part of [this.line, this.tail, this.head]) set(part, { d: "" });
    set(this.text, { x: 0, y: 0, "text-anchor": "middle" });
  }

  /** @param {Item} item */
  #arrow({ dx, dy, seen, said }) {
    const way = Math.sign(dx);
    const gap = 2 * way; // the lifeline stays visible
    const [x0, x1] = [gap, dx - gap];
    const from = seen === "receiver" ? dx * 0.3 : x0;
    const to = seen === "sender" ? dx * 0.7 : x1;
    const at = (/** @type {number} */ x) => (dy * x) / dx;
    set(this.hit, { d: `M0 ${4 - SLOT} H${dx} V${dy + 4} L0 4 Z` });
    set(this.line, { d: `M${from} ${at(from)} L${to} ${at(to)}` });
    set(this.tail, { d: tailOf(seen, dx, at) });
    const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
    set(this.head, {
      d: seen === "sender" ? RING : (HEADS[said.shape] ?? HEADS.request),
      transform: `translate(${x1} ${dy}) rotate(${angle})`,
    });
    set(this.text, { x: 12 * way, y: -4, "text-anchor": way > 0 ? "start" : "end" });
  }
}

/** The part that nobody wrote down. @param {Item["seen"]} seen @param {number} dx @param {(x: number) => number} at */
function tailOf(seen, dx, at) {
  if (seen === "both") return "";
  const [a, b] = seen === "sender" ? [dx * 0.7, dx - 10 * Math.sign(dx)] : [0, dx * 0.3];
  return `M${a} ${at(a)} L${b} ${at(b)}`;
}

/** @param {Item} item */
function words({ label }) {
  return label.map((part, index) => s("tspan", { class: part.part }, index === 0 ? part.text : ` ${part.text}`));
}
