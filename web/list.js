/**
 * The view *list*: one row a record.
 *
 * In:  rows in order, where the user scrolls. Out: elements in place; calls to `hooks` when the user scrolls or
 *      presses a row.
 * Refuses to know: filters, what a row says (row.js and its like do), what pressing means.
 *
 * The waterfall and the table are lists with other rows.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{element: HTMLElement, place: number, rec: Rec | null, hide: () => void,
 *   show: (rec: Rec, index: number, count: number, selected: Rec | null) => void}} RowLike
 * @typedef {{element: HTMLElement, space: HTMLElement, holder: HTMLElement, row: number, head?: number,
 *   margin?: number}} Parts `holder`: where the rows are put
 */

import { h } from "./dom.js";
import { byTime } from "./record.js";
import { RowView } from "./row.js";
import { ROW, step } from "./rows.js";
import { onPress, Scroller } from "./scroller.js";

/** A listbox. @param {string} label @returns {Parts} */
export function listbox(label) {
  const space = h("div", { class: "space", role: "presentation" });
  const element = h("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": label }, space);
  return { element, space, holder: space, row: ROW };
}

export class List extends Scroller {
  /**
   * @param {string} name @param {() => import("./tape.js").Tape<Rec>} rows
   * @param {import("./scroller.js").Hooks} hooks @param {Parts} parts
   * @param {(id: string) => RowLike} [make] makes a row
   */
  constructor(name, rows, hooks, parts, make = (id) => new RowView(id)) {
    super(parts.element, parts.space, { ...parts, hooks });
    this.name = name;
    this.rows = rows;
    this.make = make;
    this.holder = parts.holder;
    /** @type {RowLike[]} */
    this.pool = [];
    this.cut = 0;
    this.begin = 0; // the rows in sight, counted from the first that ever was
    this.end = 0;
    this.turn = 0; // which element a row has: `turn` and its place, modulo their number
    this.set = 0; // where it was last scrolled to by us
    onPress(this.element, (target) => this.#recordAt(target), hooks.pressed);
  }

  /** @param {EventTarget | null} target @returns {Rec | undefined} */
  #recordAt(target) {
    const row = target instanceof Element ? target.closest(".row") : null;
    return this.pool.find((view) => view.element === row)?.rec ?? undefined;
  }

  /** Keeps the newest in sight. */
  follow() {
    this.stretch(this.rows().length);
    this.scrollTo(this.bottom);
    this.set = this.top;
  }

  /** Stays where it is although rows were cut above. */
  slide() {
    const rows = this.rows();
    this.stretch(rows.length);
    this.scrollTo(this.top - (rows.cut - this.cut) * this.row);
    this.set = this.top;
  }

  /** Whether the user has scrolled up from where it was. */
  get isAbove() {
    return this.top < this.set - this.row;
  }

  /** The record that a key selects. @param {string} key @param {Rec | null} selected @returns {Rec | null} */
  step(key, selected) {
    const rows = this.rows();
    const at = selected === null ? -1 : rows.find(selected, byTime);
    const next = step(key, at, rows.length, this.page);
    return next === null ? null : (rows.at(next) ?? null);
  }

  /** Brings a record into sight. @param {Rec} rec @returns {boolean} whether it is here */
  show(rec) {
    const index = this.rows().find(rec, byTime);
    if (index < 0) return false;
    this.stretch(this.rows().length);
    this.reveal(index);
    this.set = this.top;
    return true;
  }

  /** @param {Rec | null} selected */
  draw(selected) {
    const rows = this.rows();
    this.stretch(rows.length);
    this.cut = rows.cut;
    const { first, last } = this.sight();
    while (this.pool.length < last - first) {
      const view = this.make(`${this.name}-row-${this.pool.length}`);
      this.pool.push(view);
      this.holder.append(view.element);
    }
    const unused = new Set(this.pool);
    const [begin, end] = [first + rows.cut, last + rows.cut];
    const isElsewhere = begin >= this.end || end <= this.begin;
    if (isElsewhere) this.turn += this.begin - begin; // no row stays; each element stands well where it stands
    this.begin = begin;
    this.end = end;
    let active = "";
    /** @type {Element | null} */
    let above = null;
    for (let index = first; index < last; index += 1) {
      const view = this.#viewAt(index + rows.cut, above, isElsewhere);
      view.show(/** @type {Rec} */ (rows.at(index)), index, rows.length, selected);
      above = view.element;
      unused.delete(view);
      if (view.rec === selected) active = view.element.id;
    }
    for (const view of unused) view.hide();
    if (active === "") this.element.removeAttribute("aria-activedescendant");
    else this.element.setAttribute("aria-activedescendant", active);
  }

  /**
   * A row in sight keeps its element; one that was scrolled out gives its own away. Elements stand in the order of
   * their rows, because a screen reader goes by that.
   * @param {number} place @param {Element | null} above @param {boolean} isElsewhere
   */
  #viewAt(place, above, isElsewhere) {
    const count = this.pool.length;
    const view = this.pool[(((place + this.turn) % count) + count) % count];
    if (above !== null && above.nextElementSibling !== view.element) above.after(view.element);
    else if (above === null && view.place !== place && !isElsewhere) this.holder.prepend(view.element);
    view.place = place;
    return view;
  }
}
