/**
 * The records that one panel shows.
 *
 * In:  the store, a filter's tree, chips, a rule of the panel's own (server only, say).
 * Out: the rows, in order of time. Refuses to know: the page. Pure.
 *
 * Theory of operation. A sieve reads the store's log with a cursor of its own. New records and a new filter are
 * then one mechanism: a filter that changes puts the cursor back to the start, and the same loop that judges what
 * arrives judges what is there, a slice per frame, so that the page never stops. The filter's verdict is kept as
 * one bit on the record; chips, whose answer may change with every pairing, are asked on top of it.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { chipsHold } from "./chips.js";
import { compile } from "./match.js";
import { byTime, valueOf } from "./record.js";
import { Tape } from "./tape.js";

/** A record that arrives late finds its place among this many of the newest rows. */
const REACH = 500;

/** The clock is asked once per so many records. */
const STRIDE = 64;

export class Sieve {
  /**
   * @param {import("./store.js").Store} store @param {number} bit of this panel in `rec.mask`
   * @param {(rec: Rec) => boolean} belongs the panel's own rule
   */
  constructor(store, bit, belongs) {
    this.store = store;
    this.bit = bit;
    this.belongs = belongs;
    this.test = compile(null);
    this.filtered = false;
    /** @type {Set<string>} */
    this.chips = new Set();
    /** @type {Tape<Rec>} */
    this.rows = new Tape();
    /** Records of before the store's time. @type {Set<Rec>} */
    this.older = new Set();
    /** Whether all that is there has been judged. */
    this.settled = false;
    /** Counts all arrivals, also those that are gone. */
    this.cursor = store.log.cut;
    /** Rows cut from the front since `takeTrimmed`. */
    this.trimmed = 0;
    /** Goes up when rows came, went or learned something; and when all were judged anew. */
    this.version = 0;
    this.epoch = 0;
  }

  /** @param {import("./store.js").Store} store */
  setStore(store) {
    for (const rec of this.older) this.store.release(rec);
    this.older.clear();
    this.store = store;
    this.restart();
  }

  /** @param {import("./match.js").Tree | null} tree */
  setTree(tree) {
    this.test = compile(tree);
    this.filtered = tree !== null;
    this.restart();
  }

  /** Judges everything anew; what was recalled is let go. */
  restart() {
    for (const rec of this.older) this.store.release(rec);
    this.older.clear();
    this.rows.clear();
    this.cursor = this.store.log.cut;
    this.trimmed = 0;
    this.settled = false;
    this.#anew();
  }

  #anew() {
    this.version += 1;
    this.epoch += 1;
  }

  /** @param {Set<string>} chips */
  setChips(chips) {
    this.chips = chips;
    this.rebuild();
  }

  /** Judges records until `enough()`. @param {() => boolean} enough @returns {boolean} whether some are left */
  pump(enough) {
    const log = this.store.log;
    this.cursor = Math.max(this.cursor, log.cut);
    for (let end = log.cut + log.length; this.cursor < end; this.cursor += 1) {
      if (this.cursor % STRIDE === 0 && enough()) return true;
      const rec = log.at(this.cursor - log.cut);
      if (rec === undefined || this.older.delete(rec)) continue; // what was recalled is among the rows already
      this.version += 1;
      if (this.#judge(rec)) this.rows.place(rec, byTime, REACH);
    }
    this.#trim();
    this.settled = true;
    return false;
  }

  /** Takes records of before the store's time in. @param {Rec[]} recs */
  adopt(recs) {
    this.settled = false;
    this.#anew();
    for (const rec of recs) {
      this.older.add(rec);
      if (this.#judge(rec)) this.rows.place(rec, byTime);
    }
  }

  /** After pairing: a chip may now hold, or hold no more. @param {Set<Rec>} changed */
  reconsider(changed) {
    if (changed.size > 0) this.version += 1;
    if (changed.size > 0 && this.chips.size > 0) this.rebuild();
  }

  /** The rows anew from the verdicts that are known. */
  rebuild() {
    this.#anew();
    this.rows.clear();
    const log = this.store.log;
    for (const rec of this.older) if (this.shows(rec)) this.rows.place(rec, byTime);
    for (let i = 0; i < this.cursor - log.cut; i += 1) {
      const rec = log.at(i);
      if (rec !== undefined && this.shows(rec)) this.rows.place(rec, byTime, REACH);
    }
    this.trimmed = 0;
  }

  /** @returns {number} rows cut from the front since the last call */
  takeTrimmed() {
    const trimmed = this.trimmed;
    this.trimmed = 0;
    return trimmed;
  }

  /** @param {Rec} rec @returns {boolean} */
  #judge(rec) {
    let passes = rec.kind === "notice" || this.belongs(rec);
    if (passes && this.filtered && rec.kind !== "notice") {
      try {
        passes = this.test(valueOf(rec));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error; // nested deeper than the stack: no filter reaches the bottom
        passes = false;
      }
    }
    rec.mask = passes ? rec.mask | this.bit : rec.mask & ~this.bit;
    return this.shows(rec);
  }

  /** Whether a record passes; it may still wait to be judged. @param {Rec} rec */
  shows(rec) {
    return (rec.mask & this.bit) !== 0 && (rec.kind === "notice" || chipsHold(rec, this.chips));
  }

  #trim() {
    while (this.rows.at(0)?.gone) {
      this.rows.shift();
      this.trimmed += 1;
    }
  }
}
