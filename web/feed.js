/**
 * The queue between the stream and the store.
 *
 * In:  news of the stream. Out: records in the store, as many per frame as its budget allows; notices.
 * Refuses to know: panels, what a frame is. Pure.
 *
 * A flood costs latency and never the page: what arrives faster than it can be taken in waits here, and what the store
 * would let go again at once is dropped unread.
 */

import { KEEP } from "./store.js";

/** @typedef {import("./record.js").Rec} Rec */
/** @typedef {import("./stream.js").Notice} Notice */

export class Feed {
  /** @param {import("./store.js").Store} store @param {(notice: Rec) => void} say */
  constructor(store, say) {
    this.store = store;
    this.say = say;
    /** @type {(string | Notice)[]} */
    this.queue = [];
    this.taken = 0;
  }

  get isEmpty() {
    return this.taken === this.queue.length;
  }

  /** Takes one in, of which none may be dropped. @param {string} event */
  add(event) {
    this.queue.push(event);
  }

  /** @param {(string | Notice)[]} items */
  push(items) {
    for (const item of items) this.queue.push(item);
    if (this.queue.length <= 2 * KEEP) return;
    this.queue = this.queue.slice(-KEEP);
    this.taken = 0;
  }

  /** @param {() => boolean} enough */
  admit(enough) {
    while (!this.isEmpty) {
      const item = this.queue[this.taken];
      this.taken += 1;
      if (typeof item === "string") this.store.admit(item);
      else this.say(this.store.note(item));
      if (this.taken % 32 === 0 && enough()) return;
    }
    this.queue = [];
    this.taken = 0;
  }
}
