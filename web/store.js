/**
 * The records that the page keeps.
 *
 * In:  the texts of the stream's events. Out: records in the order of arrival, each once, paired.
 * Refuses to know: filters, panels, the network. Pure.
 *
 * Memory is bounded twice: by count and by characters. What is older is in the files, and `/history` finds it.
 * `recall` takes such an older record in beside the log of arrivals; whoever recalled it releases it.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { Pairs } from "./pairs.js";
import { byTime, noticeOf, recordOf } from "./record.js";
import { Tape } from "./tape.js";

/** The newest records that are kept. */
export const KEEP = 50_000;

/** The most text that is kept, characters; 50,000 ordinary records are half of it. */
export const KEEP_CHARS = 64_000_000;

export class Store {
  /** @param {{keep?: number, chars?: number, file?: boolean}} [limits] `file`: it has no history in the viewer */
  constructor({ keep = KEEP, chars = KEEP_CHARS, file = false } = {}) {
    this.isFile = file;
    this.keep = keep;
    this.chars = chars;
    /** In the order of arrival. @type {Tape<Rec>} */
    this.log = new Tape();
    this.pairs = new Pairs();
    this.held = 0;
    this.count = 0;
    /** What each file has where; a line is known by its file, its offset and its text.
     * @type {Map<string, Map<number, Rec>>} */
    this.places = new Map();
    /** Records that learned something since `takeChanged`. @type {Set<Rec>} */
    this.changed = new Set();
    /** Parsed values that are still held. @type {Rec[]} */
    this.fresh = [];
    this.lastTs = "";
  }

  /** Takes one event of the stream in. @param {string} text @returns {Rec | null} null: it is here already */
  admit(text) {
    const rec = this.#enter(text);
    if (rec.logged) return null;
    rec.logged = true;
    rec.holders = 0; // who recalled it meets it in the log now
    this.log.push(rec);
    this.held += rec.text.length;
    while (this.log.length > this.keep || (this.held > this.chars && this.log.length > 1)) this.#evict();
    return rec;
  }

  /**
   * Takes an older record in, beside the log, until as many have released it as have recalled it.
   * @param {string} text @returns {Rec | null} null: it is in the log
   */
  recall(text) {
    const rec = this.#enter(text);
    if (rec.logged) return null;
    rec.holders += 1;
    return rec;
  }

  /** Lets a recalled record go. @param {Rec} rec */
  release(rec) {
    if (rec.logged || rec.gone) return;
    rec.holders -= 1;
    if (rec.holders === 0) this.#forget(rec);
  }

  /** Puts a notice of the stream among the records. @param {{kind: string, file?: string, text: string}} notice */
  note(notice) {
    // After a truncation or a rotation the same offset is another line, even if it reads the same.
    if (notice.file !== undefined) this.places.delete(notice.file);
    const rec = noticeOf(notice, this.lastTs, this.count++);
    this.log.push(rec);
    this.held += rec.text.length;
    rec.logged = true;
    if (this.log.length > this.keep) this.#evict();
    return rec;
  }

  /** All kept records of one exchange, in order of time. @param {Rec} rec @returns {Rec[]} */
  exchange(rec) {
    return [...this.pairs.of(rec)].sort(byTime);
  }

  /** @returns {Set<Rec>} records whose pairing changed since the last call */
  takeChanged() {
    const changed = this.changed;
    this.changed = new Set();
    return changed;
  }

  /** Nobody looks at it now. */
  forgetNews() {
    this.changed.clear();
    this.settle();
  }

  /** Lets go of the parsed values; the texts stay. */
  settle() {
    for (const rec of this.fresh) rec.value = null;
    this.fresh = [];
  }

  /** The record of an event: the one that is here, or a new one. @param {string} text @returns {Rec} */
  #enter(text) {
    const rec = recordOf(text, this.count++);
    let places = this.places.get(rec.file);
    if (places === undefined) this.places.set(rec.file, (places = new Map()));
    const here = places.get(rec.at);
    if (here?.text === rec.text) return here;
    places.set(rec.at, rec);
    if (rec.ts === "") rec.ts = this.lastTs;
    else if (rec.ts > this.lastTs) this.lastTs = rec.ts;
    for (const each of this.pairs.add(rec)) this.changed.add(each);
    this.fresh.push(rec);
    return rec;
  }

  #evict() {
    const rec = this.log.shift();
    if (rec === undefined) return;
    this.held -= rec.text.length;
    this.#forget(rec);
  }

  /** @param {Rec} rec */
  #forget(rec) {
    rec.gone = true;
    rec.logged = false;
    this.pairs.remove(rec);
    const places = this.places.get(rec.file);
    if (places?.get(rec.at) === rec) places.delete(rec.at);
    if (places?.size === 0) this.places.delete(rec.file);
  }
}
