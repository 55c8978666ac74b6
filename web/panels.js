/**
 * A panel: a filter box, chips, Follow, and a list of records.
 *
 * In:  a sieve with its rows, what the user does. Out: what the panel shows; calls to `hooks` when a record is chosen
 *      or a setting changes. Refuses to know: where records come from, the other panels.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {"mark" | "open" | "enter"} How select it only, open the inspector too, go into the inspector
 * @typedef {{select: (panel: Panel, rec: Rec, how: How) => void, changed: () => void, wake: () => void}} Hooks
 */

import { h, setText } from "./dom.js";
import { emptyState } from "./empty.js";
import { FilterBox } from "./filterbox.js";
import { List } from "./list.js";
import { reveal, ROW, step } from "./rows.js";
import { KEEP } from "./store.js";

export class Panel {
  /**
   * @param {{name: string, title: string, sieve: import("./sieve.js").Sieve, hooks: Hooks,
   *   state: import("./address.js").PanelState, files: () => string[] | null}} given
   */
  constructor({ name, title, sieve, hooks, state, files }) {
    this.name = name;
    this.sieve = sieve;
    this.hooks = hooks;
    /** @type {Rec | null} */
    this.selected = null;
    this.unseen = 0; // rows that came while the newest were out of sight
    this.drawn = 0; // rows at the last drawing, and whether these were all
    this.steady = false;
    this.follow = state.follow;
    this.set = 0; // where the list was last scrolled to by us
    this.list = new List(name, title, sieve.rows, {
      scrolled: () => this.#scrolled(),
      resized: () => hooks.wake(),
      pressed: (rec) => this.#choose(rec, "open"),
    });
    this.list.element.addEventListener("keydown", (event) => this.#key(event));
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
    this.element = h(
      "section",
      { class: "panel", id: name, "aria-labelledby": label },
      h("div", { class: "panel-head" }, h("h2", { id: label }, title), this.count, form, chips, this.followButton),
      problem,
      h("div", { class: "panel-body" }, this.list.element, this.empty),
    );
    this.box.restore(state);
  }

  /** @returns {import("./address.js").PanelState} */
  get state() {
    return { filter: this.box.shown, chips: [...this.sieve.chips], follow: this.follow };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { rows } = this.sieve;
    if (event.key === "Enter" && this.selected !== null) {
      event.preventDefault();
      this.hooks.select(this, this.selected, "enter");
      return;
    }
    const at = this.selected === null ? -1 : rows.indexOf(this.selected);
    const next = step(event.key, at, rows.length, this.list.page);
    const rec = next === null ? undefined : rows.at(next);
    if (rec === undefined) return;
    event.preventDefault();
    this.#choose(rec, "mark");
  }

  /** @param {Rec} rec @param {How} how */
  #choose(rec, how) {
    this.show(rec);
    this.hooks.select(this, rec, how);
  }

  /** Brings a record into sight. @param {Rec} rec @returns {boolean} whether this panel has it */
  show(rec) {
    const index = this.sieve.rows.indexOf(rec);
    if (index < 0) return false;
    this.setFollow(false);
    this.#scrollTo(reveal(index, this.list.top, this.list.height));
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
    if (this.follow && this.list.top < this.set - ROW) this.setFollow(false);
    this.hooks.wake();
  }

  /** @param {number} top */
  #scrollTo(top) {
    this.list.scrollTo(top);
    this.set = this.list.top;
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
    if (this.follow) this.#scrollTo(this.list.bottom);
    else if (trimmed > 0) this.#scrollTo(this.list.top - trimmed * ROW);
    this.list.draw(selected);
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
