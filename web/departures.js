/**
 * The rows of a view that shows each message once, whoever wrote it down.
 *
 * In:  a sieve, and which records count. Out: these, in order, without the receiver's record where the sender's is
 *      shown. Refuses to know: the page. Pure.
 *
 * They are picked anew from the sieve's rows when these have changed: a pass over all of them is a millisecond, and
 * keeping two lists in step through late records, new pairs and new filters would cost more care than time.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { isArrival } from "./legs.js";
import { Tape } from "./tape.js";

export class Departures {
  /** @param {import("./sieve.js").Sieve} sieve @param {(rec: Rec) => boolean} [counts] */
  constructor(sieve, counts = () => true) {
    this.sieve = sieve;
    this.counts = counts;
    /** @type {Tape<Rec>} */
    this.tape = new Tape();
    this.version = -1;
  }

  /** @returns {Tape<Rec>} */
  rows() {
    if (this.version === this.sieve.version) return this.tape;
    this.version = this.sieve.version;
    const { rows } = this.sieve;
    /** @type {Rec[]} */
    const picked = [];
    for (let i = 0; i < rows.length; i += 1) {
      const rec = /** @type {Rec} */ (rows.at(i));
      if (this.counts(rec) && this.senderOf(rec) === rec) picked.push(rec);
    }
    const cut = this.tape.cut + this.#gone(picked[0]);
    this.tape = new Tape();
    this.tape.items = picked;
    this.tape.cut = cut;
    return this.tape;
  }

  /** The record that stands for this one. @param {Rec} rec @returns {Rec} */
  senderOf(rec) {
    return isArrival(rec) && rec.twin !== undefined && this.sieve.shows(rec.twin) ? rec.twin : rec;
  }

  /** How many were cut from the front. @param {Rec | undefined} first that is left */
  #gone(first) {
    let gone = 0;
    while (gone < this.tape.length && this.tape.at(gone)?.gone && this.tape.at(gone) !== first) gone += 1;
    return gone;
  }
}
