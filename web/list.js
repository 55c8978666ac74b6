/**
 * A virtual list: a tall box in which only the rows in sight exist.
 *
 * In:  rows in order, where the user scrolls. Out: elements in place; calls to `hooks` when the user scrolls or
 *      presses a row.
 * Refuses to know: filters, what a row says (row.js does), what pressing means.
 *
 * Nothing is measured while drawing: asking the page for a size or a position between two changes makes it lay
 * everything out anew. The height comes from a ResizeObserver, the position from scroll events and from what was
 * set here.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{scrolled: () => void, resized: () => void, pressed: (rec: Rec) => void}} Hooks
 */

import { h } from "./dom.js";
import { RowView } from "./row.js";
import { ROW, sight } from "./rows.js";

export class List {
  /** @param {string} name @param {string} title @param {import("./tape.js").Tape<Rec>} rows @param {Hooks} hooks */
  constructor(name, title, rows, hooks) {
    this.name = name;
    this.rows = rows;
    /** @type {RowView[]} */
    this.pool = [];
    this.height = 0;
    this.top = 0;
    this.stretched = -1;
    this.space = h("div", { class: "space", role: "presentation" });
    this.element = h(
      "div",
      { class: "rows", role: "listbox", tabindex: "0", "aria-label": `Records: ${title}` },
      this.space,
    );
    this.element.addEventListener(
      "scroll",
      () => {
        this.top = this.element.scrollTop;
        hooks.scrolled();
      },
      { passive: true },
    );
    this.#listen(hooks);
    new ResizeObserver(([entry]) => {
      this.height = entry.contentRect.height;
      hooks.resized();
    }).observe(this.element);
  }

  /**
   * A row may show another record, or stand elsewhere, by the time the mouse's button is released; then there may be
   * no click at all. So what is pressed counts. A finger may be about to scroll; there, and for programs, the click
   * does.
   * @param {Hooks} hooks
   */
  #listen(hooks) {
    let pressed = false;
    this.element.addEventListener("pointerdown", (event) => {
      const rec = event.pointerType === "mouse" && event.button === 0 ? this.#recordAt(event.target) : undefined;
      pressed = rec !== undefined;
      if (rec !== undefined) hooks.pressed(rec);
    });
    this.element.addEventListener("click", (event) => {
      const rec = pressed ? undefined : this.#recordAt(event.target);
      pressed = false;
      if (rec !== undefined) hooks.pressed(rec);
    });
  }

  /** Rows that fit. */
  get page() {
    return Math.max(1, Math.floor(this.height / ROW) - 1);
  }

  /** The lowest position to scroll to. */
  get bottom() {
    return Math.max(0, this.rows.length * ROW - this.height);
  }

  /** @param {EventTarget | null} target @returns {Rec | undefined} */
  #recordAt(target) {
    const row = target instanceof Element ? target.closest(".row") : null;
    return this.pool.find((view) => view.element === row)?.rec ?? undefined;
  }

  /** Makes room for all rows; afterwards `scrollTo` can reach each. */
  stretch() {
    if (this.stretched === this.rows.length) return;
    this.stretched = this.rows.length;
    this.space.style.height = `${this.rows.length * ROW}px`;
  }

  /** @param {number} top */
  scrollTo(top) {
    this.stretch();
    const wanted = Math.max(0, Math.min(top, this.bottom));
    if (wanted === this.top) return;
    this.top = wanted;
    this.element.scrollTop = wanted;
  }

  /** @param {Rec | null} selected */
  draw(selected) {
    this.stretch();
    this.top = Math.min(this.top, this.bottom); // a list that got shorter was scrolled by the browser
    const { first, last } = sight(this.top, this.height, this.rows.length);
    while (this.pool.length < last - first) {
      const view = new RowView(`${this.name}-row-${this.pool.length}`);
      this.pool.push(view);
      this.space.append(view.element);
    }
    const unused = new Set(this.pool);
    let active = "";
    /** @type {Element | null} */
    let above = null;
    for (let index = first; index < last; index += 1) {
      const view = this.#row(index, above, selected);
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
   * @param {number} index @param {Element | null} above @param {Rec | null} selected
   */
  #row(index, above, selected) {
    const place = index + this.rows.cut;
    const view = this.pool[place % this.pool.length];
    if (view.place !== place) {
      if (above === null) this.space.prepend(view.element);
      else above.after(view.element);
      view.place = place;
    }
    view.show(/** @type {Rec} */ (this.rows.at(index)), index, this.rows.length, selected);
    return view;
  }
}
