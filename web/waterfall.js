/**
 * The view *waterfall*: a row for each call, its time as a bar.
 *
 * In:  a sieve with its rows. Out: rows in place under an axis that holds what is in sight.
 * Refuses to know: how time becomes places (spans.js does), what pressing means.
 *
 * The axis is that of the rows in sight, so that a millisecond is wide whatever else the log holds.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { Departures } from "./departures.js";
import { h, setText } from "./dom.js";
import { List, listbox } from "./list.js";
import { isAnswer } from "./pairs.js";
import { SpanRow } from "./spanrow.js";
import { axisOf, percent, spanOf } from "./spans.js";
import { duration } from "./time.js";

/** What stands left and right of the bars (timeline.css says the same), and the width of a mark's text; pixels. */
const BESIDE = 232;
const NAMES = 0.34;
const TEXT = 76;

export class Waterfall extends List {
  /** @param {import("./sieve.js").Sieve} sieve @param {import("./scroller.js").Hooks} hooks */
  constructor(sieve, hooks) {
    const calls = new Departures(sieve, (rec) => rec.kind === "request");
    const shared = { axis: axisOf([]), spanOf: (/** @type {Rec} */ rec) => spanOf(rec, sieve.store.pairs.of(rec)) };
    super("waterfall", () => calls.rows(), hooks, listbox("Calls and their time"), (id) => new SpanRow(id, shared));
    this.calls = calls;
    this.shared = shared;
    this.marks = h("div", { class: "axis-marks" });
    this.sum = h("span", { class: "axis-sum" });
    this.frame = h(
      "div",
      { class: "waterfall" },
      h("div", { class: "axis", "aria-hidden": "true" }, this.sum, this.marks, h("span", {}, "took")),
      this.element,
    );
  }

  /** The row of a record: that of its request. @param {Rec} rec */
  #rowOf(rec) {
    return this.calls.senderOf(isAnswer(rec) ? (rec.request ?? rec.twin?.request ?? rec) : rec);
  }

  /** @param {string} key @param {Rec | null} selected */
  step(key, selected) {
    return super.step(key, selected === null ? null : this.#rowOf(selected));
  }

  /** @param {Rec} rec */
  show(rec) {
    return super.show(this.#rowOf(rec));
  }

  /** @param {Rec | null} selected */
  draw(selected) {
    const rows = this.rows();
    this.stretch(rows.length);
    const { first, last } = this.sight();
    const spans = [];
    for (let i = first; i < last; i += 1) spans.push(this.shared.spanOf(/** @type {Rec} */ (rows.at(i))));
    const track = Math.max(100, this.width - BESIDE - Math.max(180, this.width * NAMES));
    this.shared.axis = axisOf(spans, (TEXT / track) * 100);
    this.#axis();
    super.draw(selected === null ? null : this.#rowOf(selected));
  }

  #axis() {
    const { axis } = this.shared;
    setText(this.sum, axis.runs.length === 0 ? "" : `${duration(axis.sum)} in sight`);
    while (this.marks.children.length < axis.marks.length) this.marks.append(h("span"));
    while (this.marks.children.length > axis.marks.length) this.marks.lastElementChild?.remove();
    axis.marks.forEach((mark, index) => {
      const element = /** @type {HTMLElement} */ (this.marks.children[index]);
      element.style.left = `${percent(mark.at, axis)}%`;
      element.classList.toggle("gap", mark.gap);
      setText(element, mark.text);
    });
  }
}
