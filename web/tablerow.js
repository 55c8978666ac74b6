/**
 * One row of the table.
 *
 * In:  a record and the lanes. Out: a table row that says all that its arrow says. Refuses to know: other rows.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { told } from "./arrow.js";
import { h, setText } from "./dom.js";
import { laneOf } from "./legs.js";
import { clock } from "./time.js";
import { visible } from "./visible.js";

/** Class and title of each column. @type {[string, string][]} */
export const COLUMNS = [
  ["at", "Time"],
  ["from", "From"],
  ["to", "To"],
  ["kind", "Kind"],
  ["what", "Message"],
  ["outcome", "Outcome"],
  ["took", "Took"],
  ["marks", "HTTP, session, era"],
];

export class TableRow {
  /** @param {import("./lanes.js").Lanes} lanes */
  constructor(lanes) {
    this.lanes = lanes;
    this.title = h("b", {});
    this.detail = h("span", { class: "detail" });
    this.button = h("button", { type: "button", class: "open-message" }, this.title, " ", this.detail);
    /** @type {Record<string, HTMLElement>} */
    this.cells = Object.fromEntries(COLUMNS.map(([name]) => [name, h("td", { class: name })]));
    this.cells.what.append(this.button);
    this.element = h("tr", { class: "row-of-table row" }, Object.values(this.cells));
    /** @type {Rec | null} */
    this.rec = null;
    this.place = -1;
  }

  hide() {
    this.element.hidden = true;
    this.place = -1;
  }

  /** @param {Rec} rec @param {number} index @param {number} _count @param {Rec | null} selected */
  show(rec, index, _count, selected) {
    this.rec = rec;
    this.element.hidden = false;
    this.element.setAttribute("aria-rowindex", String(index + 2));
    if (rec === selected) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
    this.element.dataset.side = rec.side;
    this.element.dataset.bad = String(rec.bad);
    const leg = this.lanes.legOf(rec);
    const said = told(rec, leg, new Date().toISOString());
    const seen = rec.dir === undefined || rec.twin !== undefined || leg?.what === "model" ? "" : `seen by one side only`;
    setText(this.cells.at, clock(rec.ts));
    setText(this.cells.from, nameOf(leg?.from ?? this.lanes.homeOf(rec)));
    setText(this.cells.to, leg === null ? "" : nameOf(leg.to));
    setText(this.cells.kind, said.word);
    setText(this.title, said.title);
    setText(this.detail, said.detail);
    const asks = said.tags.filter((tag) => tag === "asks back");
    setText(this.cells.outcome, [...said.bad, ...asks, seen].filter((part) => part !== "").join(", "));
    setText(this.cells.took, said.time.split(" = ")[0]);
    this.cells.took.title = said.time;
    setText(this.cells.marks, said.tags.join(", "));
  }
}

/** @param {string} key of a lane */
function nameOf(key) {
  const { title, name } = laneOf(key);
  return name === "" ? title : visible(name, 40);
}
