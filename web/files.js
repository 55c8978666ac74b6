/**
 * The choice of log files.
 *
 * In:  the viewer's list, asked for again and again. Out: which files are wanted; null for all, also those made later.
 * Refuses to know: what is in them.
 */

import { files as ask, Refused } from "./api.js";
import { h, setText } from "./dom.js";
import { size } from "./time.js";
import { visible } from "./visible.js";

const PERIOD = 3000;

export class FileList {
  /** @param {HTMLElement} place @param {string[] | null} chosen @param {() => void} changed */
  constructor(place, chosen, changed) {
    this.place = place;
    this.chosen = chosen;
    this.changed = changed;
    /** @type {Map<string, {box: HTMLInputElement, size: HTMLElement, item: HTMLElement}>} */
    this.items = new Map();
    this.list = h("ul", {});
    this.empty = h("p", { class: "faint" }, "No log file yet.");
    place.append(h("h2", { id: "files-title" }, "Log files"), this.list, this.empty);
    this.refresh();
    setInterval(() => document.hidden || this.refresh(), PERIOD);
  }

  /** @param {string} name */
  holds(name) {
    return this.chosen === null || this.chosen.includes(name);
  }

  async refresh() {
    try {
      const found = await ask();
      for (const file of found) this.#show(file);
      const names = new Set(found.map((file) => file.name));
      for (const [name, { item }] of this.items)
        if (!names.has(name)) {
          item.remove();
          this.items.delete(name);
        }
      this.empty.hidden = found.length > 0;
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // the status line tells that the viewer is away
    }
  }

  /** @param {import("./api.js").LogFile} file */
  #show({ name, bytes }) {
    let known = this.items.get(name);
    if (known === undefined) {
      const box = /** @type {HTMLInputElement} */ (
        h("input", { type: "checkbox", on: { change: () => this.#choose() } })
      );
      const weight = h("span", { class: "weight" });
      const item = h(
        "li",
        {},
        h("label", {}, box, h("span", { class: "name", title: visible(name) }, visible(name)), weight),
      );
      known = { box, size: weight, item };
      this.items.set(name, known);
      this.list.append(item);
    }
    known.box.checked = this.holds(name);
    setText(known.size, size(bytes));
  }

  #choose() {
    const names = [...this.items].filter(([, { box }]) => box.checked).map(([name]) => name);
    this.chosen = names.length === this.items.size ? null : names;
    this.changed();
  }
}
