/**
 * The filter box of a panel, with its chips and the place where a mistake is named.
 *
 * In:  what the user types. Out: a sieve with the new filter, or the old one and a sentence.
 * Refuses to know: the grammar (the viewer parses it), rows.
 *
 * A filter that is wrong changes nothing but the sentence under the box. Of answers that arrive out of order only the
 * one to the newest question counts.
 */

import { filterTree, history, Refused } from "./api.js";
import { CHIPS } from "./chips.js";
import { h } from "./dom.js";
import { problemParts } from "./problem.js";

/** A pause in typing that means "now", milliseconds. */
const PAUSE = 250;

/** Older records that a filter asks the viewer for. */
const OLDER = 500;

export class FilterBox {
  /**
   * @param {{name: string, title: string, sieve: import("./sieve.js").Sieve, files: () => string[] | null,
   *   changed: () => void}} given
   */
  constructor({ name, title, sieve, files, changed }) {
    this.sieve = sieve;
    this.files = files;
    this.changed = changed;
    this.asked = 0;
    /** The filter that is in force. */
    this.shown = "";
    this.problem = h("p", { class: "problem", id: `problem-${name}`, role: "alert", hidden: true });
    this.input = inputOf(title, this.problem.id, {
      input: () => this.#later(),
      keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
    });
    this.wipe = wipeOf(() => {
      this.clear();
      this.input.focus();
    });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.apply();
    };
    this.form = h("form", { class: "filter", role: "search", "aria-label": `Filter: ${title}`, on: { submit } }, this.input, this.wipe);
    this.chips = h("div", { class: "chips", role: "group", "aria-label": "Show only" }, CHIPS.map((chip) => chipOf(chip, () => this.toggle(chip.name))));
  }

  /** Whether anything is left out by the user's choice. */
  get narrowed() {
    return this.shown !== "" || this.sieve.chips.size > 0;
  }

  /** @param {import("./address.js").PanelState} state */
  restore(state) {
    this.input.value = state.filter;
    this.#setChips(new Set(state.chips));
    if (state.filter !== "") this.apply();
  }

  /** Shows what a filter lets through, as if it had been typed. @param {string} filter */
  fill(filter) {
    this.input.value = filter;
    this.apply();
  }

  clear() {
    this.input.value = "";
    this.#setChips(new Set());
    this.apply();
  }

  /** Asks the viewer what the text means, and shows that. */
  async apply() {
    clearTimeout(this.timer);
    const text = this.input.value.trim();
    const question = ++this.asked;
    this.wipe.hidden = this.input.value === "";
    try {
      const tree = text === "" ? null : await filterTree(text);
      if (question !== this.asked) return;
      this.#tell(null, text);
      if (text === this.shown && this.settled) return;
      this.settled = true;
      this.shown = text;
      this.sieve.setTree(tree);
      this.changed();
      await this.recall(question);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (question === this.asked) this.#tell(error, text);
    }
  }

  /** Fetches matches from before the page's time. */
  async recall(question = this.asked) {
    const files = this.files();
    if ((this.shown === "" && files === null) || this.sieve.store.isFile) return;
    const texts = await history({ files, filter: this.shown, limit: OLDER });
    if (question !== this.asked) return;
    const { store } = this.sieve;
    this.sieve.adopt(texts.map((text) => store.recall(text)).filter((rec) => rec !== null));
    this.changed();
  }

  /** @param {Refused | null} error @param {string} text that was asked about */
  #tell(error, text) {
    this.problem.hidden = error === null;
    if (error === null) {
      this.input.removeAttribute("aria-invalid");
      this.problem.replaceChildren();
      return;
    }
    this.input.setAttribute("aria-invalid", "true");
    this.problem.replaceChildren(...problemParts(error, text));
  }

  /** @param {string} name */
  toggle(name) {
    const chips = new Set(this.sieve.chips);
    if (!chips.delete(name)) chips.add(name);
    this.#setChips(chips);
    this.changed();
  }

  /** @param {Set<string>} chosen */
  #setChips(chosen) {
    this.sieve.setChips(chosen);
    for (const chip of this.chips.children) {
      chip.setAttribute("aria-pressed", String(chosen.has(/** @type {HTMLElement} */ (chip).dataset.chip ?? "")));
    }
  }

  #later() {
    clearTimeout(this.timer);
    this.wipe.hidden = this.input.value === "";
    this.timer = setTimeout(() => this.apply(), PAUSE);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (this.input.value !== "") this.clear();
    else this.input.blur();
  }
}

/** @param {string} title of the panel @param {string} problem id of what tells a mistake @param {Record<string, any>} on */
function inputOf(title, problem, on) {
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: "2000" };
  const named = { "aria-label": `Filter: ${title}`, "aria-describedby": problem };
  const example = "level=ERROR, data.message.method=tools/call";
  const input = h("input", { type: "text", name: "filter", placeholder: example, ...plain, ...named, on });
  return /** @type {HTMLInputElement} */ (input);
}

/** @param {() => void} click */
function wipeOf(click) {
  return h("button", { type: "button", class: "wipe", "aria-label": "Clear the filter", hidden: true, on: { click } }, "×");
}

/** @param {typeof CHIPS[number]} chip @param {() => void} click */
function chipOf({ name, title }, click) {
  const state = { "aria-pressed": "false", data: { chip: name } };
  return h("button", { type: "button", class: "chip", title, ...state, on: { click } }, name);
}
