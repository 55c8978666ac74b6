/**
 * The state of the connection, in a word, a shape and, when it is bad, a sentence.
 *
 * In:  what the stream says. Out: the element #status; notices for screen readers in #notices.
 * Refuses to know: records.
 *
 * @typedef {import("./stream.js").State} State
 */

import { byId, h, setText } from "./dom.js";
import { visible } from "./visible.js";

/** From here on a reconnecting stream counts as lost, milliseconds. */
const LOST = 8000;

/** A connection that neither opens nor fails waits behind others: a browser opens six to one address. */
const STARVED = 6000;

const WORDS = {
  connecting: "Connecting",
  history: "Reading history",
  live: "Live",
  reconnecting: "Reconnecting",
  lost: "Lost",
  starved: "Waiting",
};
const HINTS = {
  lost: "Start it again: uv run python log_viewer.py",
  starved: "No connection is free. A browser opens six to one address: close another tab of this viewer.",
};

export class Status {
  /** @param {() => void} changed */
  constructor(changed) {
    this.place = byId("status");
    this.dot = h("span", { class: "shape", "aria-hidden": "true" });
    this.word = h("span", { class: "word" });
    this.hint = h("span", { class: "hint" });
    this.place.replaceChildren(this.dot, this.word, this.hint);
    this.changed = changed;
    /** @type {State} */
    this.state = "connecting";
    this.since = performance.now();
    /** @type {keyof typeof WORDS | undefined} */
    this.shown = undefined;
    setInterval(() => this.#draw(), 1000);
    this.#draw();
  }

  get lost() {
    return this.shown === "lost";
  }

  /** @param {State} state */
  set(state) {
    if (state !== this.state) this.since = performance.now();
    this.state = state;
    this.#draw();
  }

  /** Tells a screen reader. @param {import("./record.js").Rec} notice */
  say(notice) {
    setText(byId("notices"), visible(notice.text));
  }

  #draw() {
    const waited = performance.now() - this.since;
    const shown =
      this.state === "reconnecting" && waited > LOST
        ? "lost"
        : this.state === "connecting" && waited > STARVED
          ? "starved"
          : this.state;
    if (shown === this.shown) return;
    this.shown = shown;
    this.place.dataset.state = shown;
    setText(this.word, WORDS[shown]);
    const hint = shown === "lost" || shown === "starved" ? HINTS[shown] : "";
    setText(this.hint, hint);
    this.place.title = hint;
    this.changed();
  }
}
