/**
 * A tall box of equal rows in which only those in sight exist: what every virtual view has in common.
 *
 * In:  how many rows, how tall. Out: which are in sight, how far it is scrolled; calls to `hooks`.
 * Refuses to know: what a row is.
 *
 * Nothing is measured while drawing: asking the page for a size or a position between two changes makes it lay
 * everything out anew. The size comes from a ResizeObserver, the position from scroll events and from what was set
 * here. To scroll makes it lay everything out, too; so that waits until all views are drawn, and is then done once.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{scrolled: () => void, resized: () => void, pressed: (rec: Rec) => void}} Hooks
 */

import { reveal, sight } from "./rows.js";

export class Scroller {
  /**
   * @param {HTMLElement} element that scrolls @param {HTMLElement} space in it, as tall as all rows
   * @param {{row: number, head?: number, margin?: number, hooks: Hooks}} given pixels of a row, and of what stays on
   *     top; rows beyond each edge
   */
  constructor(element, space, { row, head = 0, margin, hooks }) {
    this.element = element;
    this.space = space;
    this.row = row;
    this.margin = margin;
    this.height = 0;
    this.width = 0;
    this.top = 0;
    this.moved = false; // it is to be scrolled to `top`
    this.count = 0;
    this.stretched = -1;
    element.addEventListener(
      "scroll",
      () => {
        if (this.moved) return; // it will be elsewhere in a moment
        if (Math.abs(element.scrollTop - this.top) < 1) return; // that was us
        this.top = element.scrollTop;
        hooks.scrolled();
      },
      { passive: true },
    );
    new ResizeObserver(([entry]) => {
      this.height = Math.max(0, entry.contentRect.height - head);
      this.width = entry.contentRect.width;
      hooks.resized();
    }).observe(element);
  }

  /** An element that was out of the page has forgotten how far it was scrolled. */
  resume() {
    this.moved = true;
  }

  /** All is drawn: scrolls to where it should be. */
  settle() {
    if (this.moved) this.element.scrollTop = this.top;
    this.moved = false;
  }

  /** Rows that fit. */
  get page() {
    return Math.max(1, Math.floor(this.height / this.row) - 1);
  }

  /** The lowest position to scroll to. */
  get bottom() {
    return Math.max(0, this.count * this.row - this.height);
  }

  /** Makes room for all rows; afterwards `scrollTo` can reach each. @param {number} count */
  stretch(count) {
    this.count = count;
    if (this.stretched === count) return;
    this.stretched = count;
    this.space.style.height = `${count * this.row}px`;
  }

  /** Where to scroll to when all is drawn. @param {number} top */
  scrollTo(top) {
    const wanted = Math.max(0, Math.min(top, this.bottom));
    if (wanted === this.top) return;
    this.top = wanted;
    this.moved = true;
  }

  /** Brings a row into sight. @param {number} index */
  reveal(index) {
    this.scrollTo(reveal(index, this.top, this.height, this.row));
  }

  /** Rows to draw. */
  sight() {
    this.top = Math.min(this.top, this.bottom); // a list that got shorter was scrolled by the browser
    return sight(this.top, this.height, this.count, this.row, this.margin);
  }
}

/**
 * Tells which record is pressed. A row may show another record, or stand elsewhere, by the time the mouse's button is
 * released; then there may be no click at all. So what is pressed counts. A finger may be about to scroll; there, and
 * for programs, the click does.
 * @param {HTMLElement} element @param {(target: EventTarget | null) => Rec | undefined} recordAt
 * @param {(rec: Rec) => void} tell
 */
export function onPress(element, recordAt, tell) {
  let pressed = false;
  element.addEventListener("pointerdown", (event) => {
    const rec = event.pointerType === "mouse" && event.button === 0 ? recordAt(event.target) : undefined;
    pressed = rec !== undefined;
    if (rec !== undefined) tell(rec);
  });
  element.addEventListener("click", (event) => {
    const rec = pressed ? undefined : recordAt(event.target);
    pressed = false;
    if (rec !== undefined) tell(rec);
  });
}
