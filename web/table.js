/**
 * The view *table*: the sequence as a real table, which a screen reader can walk cell by cell.
 *
 * In:  a sieve with its rows. Out: a row for each message. Refuses to know: what pressing means.
 *
 * It holds the rows in sight and many beyond, and says how many there are in all (`aria-rowcount`); moving on at its
 * end scrolls, and the next ones come.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { Departures } from "./departures.js";
import { h } from "./dom.js";
import { Lanes } from "./lanes.js";
import { List } from "./list.js";
import { COLUMNS, TableRow } from "./tablerow.js";

/** Height of a row and of the head, pixels; timeline.css says the same. */
const ROW = 30;

/** Rows beyond each edge. */
const MARGIN = 40;

export class Table extends List {
  /** @param {import("./sieve.js").Sieve} sieve @param {import("./scroller.js").Hooks} hooks */
  constructor(sieve, hooks) {
    const messages = new Departures(sieve);
    const lanes = new Lanes();
    const body = h("tbody");
    const head = h("tr", { "aria-rowindex": "1" }, COLUMNS.map(([name, title]) => h("th", { scope: "col", class: name }, title)));
    const table = h("table", {}, h("caption", { class: "hidden" }, "Messages"), h("thead", {}, head), body);
    const space = h("div", { class: "space" }, table);
    const element = h("div", { class: "rows table", role: "region", tabindex: "0", "aria-label": "Messages as a table" }, space);
    const parts = { element, space, holder: body, row: ROW, head: ROW, margin: MARGIN };
    super("table", () => messages.rows(), hooks, parts, () => new TableRow(lanes));
    this.sieve = sieve;
    this.messages = messages;
    this.lanes = lanes;
    this.table = table;
  }

  /** @param {string} key @param {Rec | null} selected */
  step(key, selected) {
    return super.step(key, selected === null ? null : this.messages.senderOf(selected));
  }

  /** @param {Rec} rec */
  show(rec) {
    return super.show(this.messages.senderOf(rec));
  }

  /** @param {Rec | null} selected */
  draw(selected) {
    this.lanes.update(this.sieve.rows, this.sieve.epoch);
    super.draw(selected === null ? null : this.messages.senderOf(selected));
    this.table.style.top = `${this.sight().first * ROW}px`;
    this.table.setAttribute("aria-rowcount", String(this.count + 1));
  }
}
