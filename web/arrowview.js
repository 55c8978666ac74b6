/**
 * One arrow, or one note, of the sequence view.
 *
 * In:  an item of layout.js. Out: a group of SVG elements that shows it. Refuses to know: how items are laid out, what
 *      their lines are (shapes.js does).
 *
 * The words that are seen are cut to the room there is; a screen reader is told the whole sentence instead.
 *
 * @typedef {import("./layout.js").Item} Item
 * @typedef {import("./record.js").Rec} Rec
 */

import { shapesOf } from "./shapes.js";
import { s, set } from "./svg.js";

export class ArrowView {
  /** @param {string} id unique in the page */
  constructor(id) {
    this.hit = s("path", { class: "hit" });
    this.line = s("path", { class: "shaft" });
    this.tail = s("path", { class: "tail" });
    this.head = s("path", { class: "head" });
    this.text = s("text", { "aria-hidden": "true" });
    this.spoken = s("text", { class: "spoken" });
    const parts = [this.hit, this.line, this.tail, this.head, this.text, this.spoken];
    this.element = s("g", { class: "arrow", role: "option", id }, ...parts);
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
    const key = `${item.name}\n${item.dx} ${item.dy} ${item.seen}\n${item.label.map((part) => part.text).join(" ")}`;
    if (key === this.key) return;
    this.key = key;
    set(this.element, {
      "data-shape": said.shape,
      "data-side": rec.side,
      "data-bad": rec.bad ? "true" : null,
      "data-open": said.open || said.time === "cancelled" ? "true" : null,
      "data-seen": item.seen,
    });
    this.spoken.textContent = item.name;
    this.#draw(item);
  }

  /** @param {Item} item */
  #draw(item) {
    const shapes = shapesOf(item);
    set(this.hit, { d: shapes.hit });
    set(this.line, { d: shapes.shaft });
    set(this.tail, { d: shapes.tail });
    set(this.head, { d: shapes.head, transform: shapes.turn });
    set(this.text, { x: shapes.x, y: shapes.y, "text-anchor": shapes.anchor });
    const words = item.label.map(({ text, part }, index) => s("tspan", { class: part }, index === 0 ? text : ` ${text}`));
    this.text.replaceChildren(...words);
  }
}
