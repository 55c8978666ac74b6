/**
 * The lanes that have traffic, from left to right.
 *
 * In:  the rows of a view, as they grow and change. Out: lanes in order; the leg of a record.
 * Refuses to know: pixels, the page. Pure.
 *
 * Rows are read once; when a name is learned that moves earlier records to another lane, or rows are judged anew, they
 * are read again from the start. So they are when a record was counted on a lane that was a guess, because nobody had
 * written down the other end yet, and it turned out to be another one.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{key: string, role: string, title: string, name: string}} Lane
 */

import { homeOf, laneOf, legOf, Names, ROLES } from "./legs.js";

const ORDER = [...ROLES.keys()];

/** A late record is inserted among so many of the newest rows; these are read again. */
const REACH = 64;

/** So many guesses are kept in mind, the newest ones. */
const GUESSES = 512;

export class Lanes {
  constructor() {
    this.names = new Names();
    /** @type {Lane[]} */
    this.list = [];
    /** @type {Map<string, number>} */
    this.places = new Map();
    this.read = 0; // rows read, counted from the first that ever was
    this.epoch = -1;
    /** Records whose other end nobody had written down when they were counted, and its lane. @type {Map<Rec, string>} */
    this.guesses = new Map();
  }

  /** @param {import("./tape.js").Tape<Rec>} rows @param {number} epoch goes up when the rows were judged anew */
  update(rows, epoch) {
    if (epoch !== this.epoch || this.#wasWrong()) this.#forget();
    this.epoch = epoch;
    const end = rows.cut + rows.length;
    if (end === this.read) return;
    const start = Math.max(0, this.read - rows.cut - REACH);
    const news = this.#learn(rows, start);
    if (news) {
      this.#forget();
      this.#learn(rows, 0); // what was learned before the name was known
    }
    for (let i = news ? 0 : start; i < rows.length; i += 1) this.#count(/** @type {Rec} */ (rows.at(i)));
    this.read = end;
  }

  /** @param {import("./tape.js").Tape<Rec>} rows @param {number} start @returns {boolean} */
  #learn(rows, start) {
    let news = false;
    for (let i = start; i < rows.length; i += 1) {
      news = this.names.learn(/** @type {Rec} */ (rows.at(i))) || news;
    }
    return news;
  }

  #forget() {
    this.list = [];
    this.places.clear();
    this.guesses.clear();
    this.read = 0;
  }

  /** Whether a guess turned out to be wrong; those that came true are no guesses any more. */
  #wasWrong() {
    for (const [rec, lane] of this.guesses) {
      if (rec.twin === undefined && !rec.gone) continue;
      this.guesses.delete(rec);
      const leg = rec.gone ? null : this.legOf(rec);
      if (leg !== null && leg.from !== lane && leg.to !== lane) return true;
    }
    return false;
  }

  /** @param {Rec} rec @param {string} lane of its other end */
  #guess(rec, lane) {
    this.guesses.set(rec, lane);
    if (this.guesses.size > GUESSES) this.guesses.delete(/** @type {Rec} */ (this.guesses.keys().next().value));
  }

  /** @param {Rec} rec */
  #count(rec) {
    if (rec.kind === "notice" || rec.kind === "line") return;
    const leg = this.legOf(rec);
    this.#need(leg?.from ?? this.homeOf(rec));
    if (leg === null) return;
    this.#need(leg.to);
    if (rec.twin === undefined && rec.dir !== undefined) this.#guess(rec, rec.dir === "out" ? leg.to : leg.from);
  }

  /** @param {string} key */
  #need(key) {
    if (this.places.has(key)) return;
    this.list.push({ key, ...laneOf(key) });
    this.list.sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role)); // stable: else in order of appearance
    this.list.forEach((lane, index) => this.places.set(lane.key, index));
  }

  /** @param {Rec} rec */
  legOf(rec) {
    return legOf(rec, this.names);
  }

  /** @param {Rec} rec */
  homeOf(rec) {
    return homeOf(rec, this.names);
  }

  /** @param {string} key @returns {number} its place, -1 without traffic */
  placeOf(key) {
    return this.places.get(key) ?? -1;
  }
}
