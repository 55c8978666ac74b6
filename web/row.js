/**
 * One row of a list.
 *
 * In:  a record. Out: an element that shows it, used again for other records as the list scrolls.
 * Refuses to know: which records there are, what a click does.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { h, setText } from "./dom.js";
import { isPending } from "./pairs.js";
import { ROW } from "./rows.js";
import { clock } from "./time.js";
import { direction, shortName, title, wait } from "./titles.js";
import { visible } from "./visible.js";

const SHAPES = { error: "✕", warn: "▲", info: "◇" };
const KINDS = {
  request: "request",
  result: "result",
  error: "error",
  notification: "notify",
  batch: "batch",
  unparsed: "unparsed",
  event: "event",
  line: "line",
  notice: "viewer",
};

/** @param {import("./record.js").Badge} badge */
export function badge({ word, shape, title: why }) {
  return h(
    "span",
    { class: `badge ${shape}`, title: why },
    h("span", { "aria-hidden": "true" }, SHAPES[shape]),
    visible(word, 40),
  );
}

export class RowView {
  /** @param {string} id of the element, unique in the page */
  constructor(id) {
    const cell = (/** @type {string} */ name) => h("span", { class: name });
    this.time = cell("time");
    this.component = cell("component");
    this.peer = cell("peer");
    this.kind = cell("kind");
    this.method = cell("method");
    this.detail = cell("detail");
    this.number = cell("number");
    this.ms = cell("ms");
    this.badges = cell("badges");
    this.element = h(
      "div",
      { class: "row", role: "option", id },
      this.time,
      this.component,
      this.peer,
      this.kind,
      h("span", { class: "what" }, this.method, " ", this.detail),
      this.badges,
      this.number,
      this.ms,
    );
    /** @type {Rec | null} */
    this.rec = null;
    this.rev = -1;
    this.index = -1;
    this.place = -1; // the row it stands for, counted from the first that ever was
  }

  hide() {
    this.element.hidden = true;
    this.place = -1;
  }

  /** @param {Rec} rec @param {number} index @param {number} count @param {Rec | null} selected */
  show(rec, index, count, selected) {
    if (this.rec !== rec || this.rev !== rec.rev) this.#fill(rec);
    if (this.index !== index) {
      this.index = index;
      this.element.style.transform = `translateY(${index * ROW}px)`;
      this.element.setAttribute("aria-posinset", String(index + 1));
    }
    this.element.hidden = false;
    this.element.setAttribute("aria-setsize", String(count));
    this.element.setAttribute("aria-selected", String(rec === selected));
    this.element.classList.toggle(
      "kin",
      selected !== null && rec !== selected && rec.exchange !== undefined && rec.exchange === selected.exchange,
    );
  }

  /** @param {Rec} rec */
  #fill(rec) {
    this.rec = rec;
    this.rev = rec.rev;
    const data = this.element.dataset;
    data.side = rec.side;
    data.kind = rec.kind;
    data.bad = String(rec.bad);
    data.pending = String(isPending(rec));
    this.element.title =
      rec.kind === "notice" ? "" : `${visible(rec.component, 60)} · ${visible(rec.file, 60)} · ${visible(rec.ts, 40)}`;
    setText(this.time, clock(rec.ts));
    setText(this.component, rec.kind === "notice" ? "viewer" : visible(shortName(rec.component), 24));
    setText(this.peer, direction(rec));
    setText(this.kind, KINDS[rec.kind]);
    setText(this.method, title(rec));
    setText(this.detail, visible(rec.kind === "line" ? rec.text : rec.detail, 200));
    setText(this.number, rec.id === undefined ? "" : `#${visible(rec.id, 20)}`);
    setText(this.ms, wait(rec));
    this.badges.replaceChildren(...rec.badges.map(badge));
  }
}
