/**
 * One row of the waterfall: a call, and its time as a bar.
 *
 * In:  a request, the axis in force. Out: an element, used again for other calls as the list scrolls.
 * Refuses to know: which calls there are.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{axis: import("./spans.js").Axis, spanOf: (rec: Rec) => import("./spans.js").Span}} Shared
 */

import { split } from "./arrow.js";
import { h, setText } from "./dom.js";
import { isPending } from "./pairs.js";
import { badge } from "./row.js";
import { ROW } from "./rows.js";
import { percent } from "./spans.js";
import { duration } from "./time.js";
import { shortName, title, wait } from "./titles.js";
import { visible } from "./visible.js";

export class SpanRow {
  /** @param {string} id @param {Shared} shared */
  constructor(id, shared) {
    const cell = (/** @type {string} */ name) => h("span", { class: name });
    this.shared = shared;
    this.method = cell("method");
    this.detail = cell("detail");
    this.who = cell("component");
    this.badges = cell("badges");
    this.ms = cell("ms");
    this.total = h("i", { class: "total" });
    this.handler = h("i", { class: "handler" });
    this.track = h("span", { class: "track", "aria-hidden": "true" }, this.total, this.handler);
    const what = h("span", { class: "what" }, this.method, " ", this.detail);
    this.element = h("div", { class: "row span-row", role: "option", id }, this.who, what, this.badges, this.track, this.ms);
    /** @type {Rec | null} */
    this.rec = null;
    this.place = -1;
  }

  hide() {
    this.element.hidden = true;
    this.place = -1;
  }

  /** @param {Rec} rec @param {number} index @param {number} count @param {Rec | null} selected */
  show(rec, index, count, selected) {
    const { element } = this;
    this.rec = rec;
    element.hidden = false;
    element.style.transform = `translateY(${index * ROW}px)`;
    element.dataset.side = rec.side;
    element.setAttribute("aria-posinset", String(index + 1));
    element.setAttribute("aria-setsize", String(count));
    element.setAttribute("aria-selected", String(rec === selected));
    setText(this.who, visible(shortName(rec.component), 24));
    setText(this.method, title(rec));
    setText(this.detail, visible(rec.detail, 120));
    setText(this.ms, wait(rec));
    const answer = rec.answer ?? rec.twin?.answer;
    this.badges.replaceChildren(...(answer?.badges ?? []).filter((each) => each.shape === "error").map(badge));
    const { total, handler, network } = split(rec);
    const parts = network === undefined ? "" : `: ${duration(handler)} handler, ${duration(network)} network`;
    element.title = total === undefined ? "" : `${duration(total)}${parts}`;
    this.#bars(rec);
  }

  /** @param {Rec} rec */
  #bars(rec) {
    const { axis, spanOf } = this.shared;
    const span = spanOf(rec);
    place(this.total, span.start, span.end, axis);
    this.total.classList.toggle("open", isPending(rec));
    this.total.classList.toggle("cancelled", rec.cancelled !== undefined);
    this.handler.hidden = span.handler === null;
    if (span.handler !== null) place(this.handler, span.handler[0], span.handler[1], axis);
    while (this.track.children.length > 2 + span.marks.length) this.track.lastElementChild?.remove();
    while (this.track.children.length < 2 + span.marks.length) this.track.append(h("i", { class: "mark" }));
    span.marks.forEach((at, index) => {
      const mark = /** @type {HTMLElement} */ (this.track.children[2 + index]);
      mark.style.left = `${percent(at, axis)}%`;
    });
  }
}

/** @param {HTMLElement} bar @param {number} start @param {number} end @param {import("./spans.js").Axis} axis */
function place(bar, start, end, axis) {
  const left = percent(start, axis);
  bar.style.left = `${left}%`;
  bar.style.width = `max(3px, ${percent(end, axis) - left}%)`;
}
