/**
 * The view *sequence*: who said what to whom, arrow by arrow.
 *
 * In:  a sieve with its rows, where the user scrolls. Out: lanes and arrows in place; calls to `hooks`.
 * Refuses to know: how records become arrows (layout.js does), what pressing means.
 *
 * It has what every view of a panel has, see list.js. An arrow in sight keeps its elements; what is scrolled out gives
 * them away.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./layout.js").Drawing} Drawing
 */

import { ArrowView } from "./arrowview.js";
import { Departures } from "./departures.js";
import { h, setText } from "./dom.js";
import { Lanes } from "./lanes.js";
import { layout, SLOT, stepTo } from "./layout.js";
import { byTime } from "./record.js";
import { onPress, Scroller } from "./scroller.js";
import { Still } from "./still.js";
import { s, set } from "./svg.js";
import { visible } from "./visible.js";

/** Height of the lanes' titles, pixels; sequence.css says the same. */
const HEAD = 44;

/** What stands beside an arrow that is brought into sight, pixels. */
const BESIDE = 70;

export class Sequence extends Scroller {
  /** @param {import("./sieve.js").Sieve} sieve @param {import("./scroller.js").Hooks} hooks */
  constructor(sieve, hooks) {
    const root = s("g");
    const svg = s("svg", { role: "presentation" }, root);
    const head = h("div", { class: "lanes", role: "presentation" });
    const space = h("div", { class: "space", role: "presentation" }, /** @type {any} */ (svg));
    const label = "Sequence of messages";
    super(
      h("div", { class: "rows sequence", role: "listbox", tabindex: "0", "aria-label": label }, head, space),
      space,
      { row: SLOT, head: HEAD, hooks },
    );
    this.sieve = sieve;
    this.hooks = hooks;
    this.svg = svg;
    this.head = head;
    this.still = new Still();
    this.arrows = s("g");
    root.append(this.still.element, this.arrows);
    this.root = root;
    this.lanes = new Lanes();
    this.messages = new Departures(sieve);
    /** @type {Map<Rec, ArrowView>} */
    this.views = new Map();
    /** @type {ArrowView[]} */
    this.spare = [];
    this.made = 0;
    this.set = 0;
    this.timer = 0;
    /** An arrow to bring into sight. @type {Rec | null} */
    this.wanted = null;
    onPress(this.element, (target) => this.#recordAt(target), hooks.pressed);
  }

  /** @param {EventTarget | null} target @returns {Rec | undefined} */
  #recordAt(target) {
    const group = target instanceof Element ? target.closest(".arrow") : null;
    return group === null ? undefined : [...this.views.values()].find((view) => view.element === group)?.rec ?? undefined;
  }

  follow() {
    this.stretch(this.sieve.rows.length);
    this.scrollTo(this.bottom);
    this.set = this.top;
  }

  /** @param {number} trimmed */
  slide(trimmed) {
    this.stretch(this.sieve.rows.length);
    this.scrollTo(this.top - trimmed * SLOT);
    this.set = this.top;
  }

  get isAbove() {
    return this.top < this.set - SLOT;
  }

  /** @param {string} key @param {Rec | null} selected */
  step(key, selected) {
    const { rows } = this.sieve;
    return stepTo(key, selected, { rows, shows: (rec) => this.sieve.shows(rec) }, this.page);
  }

  /** @param {Rec} rec @returns {boolean} */
  show(rec) {
    const index = this.sieve.rows.find(this.messages.senderOf(rec), byTime);
    if (index < 0) return false;
    this.stretch(this.sieve.rows.length);
    this.reveal(Math.min(index + 1, this.sieve.rows.length - 1)); // so that its landing is in sight, too
    this.reveal(index);
    this.set = this.top;
    this.wanted = this.messages.senderOf(rec);
    return true;
  }

  /** Brings an arrow that was asked for into sight from the side. @param {Drawing} drawing */
  #sideways({ items, width }) {
    const item = items.find((each) => each.rec === this.wanted);
    if (item === undefined) return;
    this.wanted = null;
    const [left, right] = [Math.min(item.x, item.x + item.dx) - BESIDE, Math.max(item.x, item.x + item.dx) + BESIDE];
    const at = this.element.scrollLeft;
    if (width <= this.width || (left >= at && right <= at + this.width)) return;
    this.element.scrollLeft = right - left > this.width || left < at ? left : right - this.width;
  }

  /** @param {Rec | null} selected */
  draw(selected) {
    const { rows, epoch } = this.sieve;
    this.stretch(rows.length);
    this.lanes.update(rows, epoch);
    const { first, last } = this.sight();
    const now = new Date().toISOString();
    const shows = (/** @type {Rec} */ rec) => this.sieve.shows(rec);
    const drawing = layout({ rows, lanes: this.lanes, shows, first, last, width: this.width, now });
    const top = first * SLOT;
    const height = (last - first) * SLOT;
    this.svg.style.transform = `translateY(${top}px)`;
    set(this.svg, { width: drawing.width, height });
    this.space.style.width = `${drawing.width}px`;
    set(this.root, { transform: `translate(0 ${-top})` });
    this.#titles(drawing);
    this.still.draw(drawing, top, height);
    this.#items(drawing, selected);
    if (this.wanted !== null) this.#sideways(drawing);
    clearTimeout(this.timer);
    if (drawing.pending) this.timer = setTimeout(() => this.hooks.resized(), 1000); // what is pending counts up
  }

  /** @param {Drawing} drawing @param {Rec | null} selected */
  #items({ items }, selected) {
    const inSight = new Set(items.map((item) => item.rec));
    const free = [...this.views].filter(([rec]) => !inSight.has(rec)).map(([, view]) => view);
    for (const { rec } of free) if (rec !== null) this.views.delete(rec);
    const chosen = selected === null ? null : this.messages.senderOf(selected);
    let active = "";
    /** @type {Element | null} */
    let above = null;
    let taken = 0; // of the free ones, in the order in which they stand: most need no other place
    for (const item of items) {
      let view = this.views.get(item.rec);
      if (view === undefined) view = free[taken++] ?? this.spare.pop() ?? new ArrowView(`arrow-${this.made++}`);
      this.views.set(item.rec, view);
      const mine = item.rec === chosen;
      view.show(item, mine, !mine && chosen?.exchange !== undefined && item.rec.exchange === chosen.exchange);
      if (mine) active = view.element.id;
      const place = above === null ? this.arrows.firstElementChild : above.nextElementSibling;
      if (place !== view.element) this.arrows.insertBefore(view.element, place);
      above = view.element;
    }
    for (const view of free.slice(taken)) {
      view.element.remove();
      this.spare.push(view);
    }
    if (active === "") this.element.removeAttribute("aria-activedescendant");
    else this.element.setAttribute("aria-activedescendant", active);
  }

  /** @param {Drawing} drawing */
  #titles({ xs, width }) {
    const { list } = this.lanes;
    this.head.style.width = `${width}px`;
    while (this.head.children.length < list.length) this.head.append(h("div", { class: "lane" }, h("b"), h("span")));
    while (this.head.children.length > list.length) this.head.lastElementChild?.remove();
    list.forEach((lane, index) => {
      const element = /** @type {HTMLElement} */ (this.head.children[index]);
      element.dataset.role = lane.role;
      element.style.left = `${xs[index]}px`;
      setText(element.children[0], lane.title);
      setText(element.children[1], visible(lane.name, 24));
    });
  }
}
