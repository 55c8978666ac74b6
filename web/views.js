/**
 * The ways to look at the records, and the switch between them.
 *
 * In:  the view wanted, at first from the page's address. Out: the switch; a way to draw the first panel.
 * Refuses to know: records, panels' filters.
 *
 * @typedef {import("./panels.js").MakeView} MakeView
 */

import { h } from "./dom.js";
import { List, listbox } from "./list.js";
import { Sequence } from "./sequence.js";
import { Table } from "./table.js";
import { Waterfall } from "./waterfall.js";

export const TITLES = new Map([
  ["sequence", "Sequence"],
  ["panels", "Panels"],
  ["waterfall", "Waterfall"],
  ["table", "Table"],
]);

/** What draws the first panel in each view. @param {import("./sieve.js").Sieve} sieve @param {string} name
 * @param {string} title @returns {Map<string, MakeView>} */
export function waysOf(sieve, name, title) {
  /** @type {[string, MakeView][]} */
  const ways = [
    ["sequence", (hooks) => new Sequence(sieve, hooks)],
    ["panels", (hooks) => new List(name, () => sieve.rows, hooks, listbox(`Records: ${title}`))],
    ["waterfall", (hooks) => new Waterfall(sieve, hooks)],
    ["table", (hooks) => new Table(sieve, hooks)],
  ];
  return new Map(ways);
}

export class Switch {
  /** @param {HTMLElement} place @param {import("./address.js").ViewState} look @param {() => void} changed */
  constructor(place, look, changed) {
    this.look = look;
    this.changed = changed;
    this.buttons = [...TITLES].map(([name, title]) =>
      h("button", { type: "button", data: { view: name }, on: { click: () => this.choose(name) } }, title),
    );
    place.replaceChildren(...this.buttons);
    this.#mark();
  }

  /** @param {string} view */
  choose(view) {
    this.look.view = view;
    this.#mark();
    this.changed();
  }

  /** The view behind this one. */
  next() {
    const names = [...TITLES.keys()];
    this.choose(names[(names.indexOf(this.look.view) + 1) % names.length]);
  }

  /** The first panel alone, or all of them. */
  toggleSolo() {
    this.look.solo = !this.look.solo;
    this.changed();
  }

  #mark() {
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.look.view));
    }
  }
}
