/**
 * Twins that no exchange joins: notifications that belong to no request, bodies that are no JSON-RPC, messages without
 * a trace on a pipe that both ends name differently.
 *
 * In:  records of frames that found no twin in their exchange. Out: for some of them, the other end's record.
 * Refuses to know: exchanges. Pure.
 *
 * Theory of operation. Both ends wrote down the same bytes, so both records look alike: same kind, method, id and gist.
 * Of those that look alike, the oldest one seen from the other side, within a short time, is the same frame; not if both
 * ends name sessions and these differ. What carries a span needs no such guess: its exchange has all ends.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { between } from "./time.js";

/** Longer than this no frame travels on one machine, milliseconds. */
const TRAVEL = 2000;

/** Of so many alike the other ends never wrote anything. */
const MOST = 32;

export class Strays {
  constructor() {
    /** @type {Map<string, Rec[]>} */
    this.waiting = new Map();
    /** @type {Map<Rec, string>} */
    this.keys = new Map();
  }

  /** @param {Rec} rec @returns {Rec | undefined} its twin; without one, it waits for it */
  match(rec) {
    const key = looks(rec);
    if (key === null) return undefined;
    const alike = this.waiting.get(key) ?? [];
    const index = alike.findIndex((each) => isSame(each, rec));
    if (index >= 0) {
      const twin = alike[index];
      this.remove(twin);
      return twin;
    }
    alike.push(rec);
    this.waiting.set(key, alike);
    this.keys.set(rec, key);
    if (alike.length > MOST) this.remove(alike[0]);
    return undefined;
  }

  /** @param {Rec} rec */
  remove(rec) {
    const key = this.keys.get(rec);
    const alike = key === undefined ? undefined : this.waiting.get(key);
    if (key === undefined || alike === undefined) return;
    this.keys.delete(rec);
    alike.splice(alike.indexOf(rec), 1);
    if (alike.length === 0) this.waiting.delete(key);
  }
}

/** @param {Rec} rec */
function looks(rec) {
  if (rec.dir === undefined || rec.kind === "event" || rec.exchange?.startsWith("span:")) return null;
  return `${rec.kind}\n${rec.method}\n${rec.id}\n${rec.detail}\n${rec.via}`;
}

/** @param {Rec} a @param {Rec} b */
function isSame(a, b) {
  if (a.twin !== undefined || a.dir === b.dir || a.writer === b.writer || a.peer === b.peer) return false;
  if (a.marks.session !== undefined && b.marks.session !== undefined && a.marks.session !== b.marks.session) return false;
  const [sent, received] = a.dir === "out" ? [a, b] : [b, a];
  const took = between(sent.ts, received.ts);
  return took === undefined || (took > -50 && took < TRAVEL);
}
