/**
 * A panel: a filter box, chips, Follow, and one of several views of the records that pass.
 *
 * In:  a sieve with its rows, what the user does. Out: what the panel shows; calls to `hooks` when a record is chosen
 *      or a setting changes. Refuses to know: where records come from, how a view draws, the other panels.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {object} View
 * @property {HTMLElement} element that has the focus and takes the keys
 * @property {HTMLElement} [frame] what stands in the panel, if it is more than that
 * @property {boolean} isAbove the user has scrolled up from where it was
 * @property {() => void} follow keeps the newest in sight
 * @property {(trimmed: number) => void} slide stays where it is although so many rows were cut above
 * @property {(key: string, selected: Rec | null) => Rec | null} step the record that a key selects
 * @property {() => void} resume is in the page again
 * @property {(rec: Rec) => boolean} show brings a record into sight; whether it is here
 * @property {(selected: Rec | null) => void} draw
 * @property {() => void} settle all views are drawn
 * @typedef {(hooks: import("./scroller.js").Hooks) => View} MakeView
 * @typedef {"mark" | "open" | "enter"} How select it only, open the inspector too, go into the inspector
 * @typedef {{select: (panel: Panel, rec: Rec, how: How) => void, changed: () => void, wake: () => void}} Hooks
 */

import { h, setText } from "./dom.js";
import { emptyState } from "./empty.js";
import { FilterBox } from "./filterbox.js";
import { KEEP } from "./store.js";

export class Panel {
  /**
   * @param {{name: string, title: string, sieve: import("./sieve.js").Sieve, hooks: Hooks, view: MakeView,
   *   state: import("./address.js").PanelState, files: () => string[] | null}} given
   */
  constructor({ name, title, sieve, hooks, view, state, files }) {
    this.name = name;
    this.sieve = sieve;
    this.hooks = hooks;
    /** @type {Rec | null} */
    this.selected = null;
    this.unseen = 0; // rows that came while the newest were out of sight
    this.drawn = 0; // rows at the last drawing, and whether these were all
    this.steady = false;
    this.follow = state.follow;
    this.body = h("div", { class: "panel-body" });
    /** @type {Map<MakeView, View>} */
    this.views = new Map();
    this.view = this.#make(view);
    this.box = new FilterBox({ name, title, sieve, files, changed: () => this.#refiltered() });
    const kept = `Records shown; the page keeps the newest ${KEEP.toLocaleString("en-US")}`;
    this.count = h("span", { class: "count", title: kept }, "0");
    this.followButton = h("button", {
      type: "button",
      class: "follow",
      title: "Keep the newest record in sight (f)",
      on: { click: () => this.setFollow(!this.follow) },
    });
    this.empty = h("div", { class: "empty", hidden: true });
    const label = `panel-${name}`;
    const { form, chips, problem } = this.box;
    this.body.append(this.view.frame ?? this.view.element, this.empty);
    this.element = h(
      "section",
      { class: "panel", id: name, "aria-labelledby": label },
      h("div", { class: "panel-head" }, h("h2", { id: label }, title), this.count, form, chips, this.followButton),
      problem,
      this.body,
    );
    this.box.restore(state);
  }

  /** @returns {import("./address.js").PanelState} */
  get state() {
    return { filter: this.box.shown, chips: [...this.sieve.chips], follow: this.follow };
  }

  /** Shows the records in another way. @param {MakeView} make */
  use(make) {
    const before = this.view;
    this.view = this.#make(make);
    if (before === this.view) return;
    (before.frame ?? before.element).replaceWith(this.view.frame ?? this.view.element);
    this.view.resume();
    if (this.selected !== null && !this.follow) this.view.show(this.selected);
    this.hooks.wake();
  }

  /** @param {MakeView} make @returns {View} */
  #make(make) {
    const known = this.views.get(make);
    if (known !== undefined) return known;
    const view = make({
      scrolled: () => this.#scrolled(),
      resized: () => this.hooks.wake(),
      pressed: (rec) => this.#choose(rec, "open"),
    });
    view.element.addEventListener("keydown", (event) => this.#key(event));
    this.views.set(make, view);
    return view;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && this.selected !== null) {
      event.preventDefault();
      this.hooks.select(this, this.selected, "enter");
      return;
    }
    const rec = this.view.step(event.key, this.selected);
    if (rec === null) return;
    event.preventDefault();
    this.#choose(rec, "mark");
  }

  /** @param {Rec} rec @param {How} how */
  #choose(rec, how) {
    this.show(rec);
    this.selected = rec; // the next key may come before the next drawing
    this.hooks.select(this, rec, how);
  }

  /** Brings a record into sight. @param {Rec} rec @returns {boolean} whether this panel has it */
  show(rec) {
    if (!this.sieve.shows(rec) || !this.view.show(rec)) return false;
    this.setFollow(false);
    return true;
  }

  /** @param {boolean} follow */
  setFollow(follow) {
    if (this.follow !== follow) {
      this.follow = follow;
      this.unseen = 0;
      this.hooks.changed();
    }
    this.hooks.wake();
  }

  #refiltered() {
    this.unseen = 0;
    this.steady = false;
    this.hooks.changed();
    this.hooks.wake();
  }

  #scrolled() {
    if (this.follow && this.view.isAbove) this.setFollow(false);
    this.hooks.wake();
  }

  /** Draws what is in sight. @param {Rec | null} selected @param {import("./empty.js").Situation} situation */
  draw(selected, situation) {
    this.selected = selected;
    const { rows } = this.sieve;
    const trimmed = this.sieve.takeTrimmed();
    const grown = rows.length + trimmed - this.drawn;
    if (!this.follow && this.steady && grown > 0) this.unseen += grown;
    this.drawn = rows.length;
    this.steady = this.sieve.settled;
    if (this.follow) this.view.follow();
    else if (trimmed > 0) this.view.slide(trimmed);
    this.view.draw(selected);
    setText(this.count, rows.length.toLocaleString("en-US"));
    this.followButton.setAttribute("aria-pressed", String(this.follow));
    const waiting = this.follow || this.unseen === 0 ? "" : ` · ${this.unseen.toLocaleString("en-US")} new`;
    setText(this.followButton, `Follow${waiting}`);
    emptyState(
      this.empty,
      rows.length > 0
        ? null
        : { ...situation, panel: this.name, narrowed: this.box.narrowed, clear: () => this.box.clear() },
    );
  }
}
