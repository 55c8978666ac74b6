/**
 * Which records belong together.
 *
 * In:  records, as they arrive and as they are let go.
 * Out: links on them: `request` and `answer` (one program's view of one call), `twin` (the other program's
 *      record of the same frame), `ms`; and all records of one exchange.
 * Refuses to know: where records come from, how they look. Pure.
 *
 * Theory of operation. One request leaves up to four records, two at each end:
 *
 *     client  out request ----twin----> server  in request
 *        |  answer                          |  answer
 *     client  in  result  <---twin----- server  out result
 *
 * `exchange` says which records are about one request; it never is the JSON-RPC id alone, because two clients
 * both count from 1. Inside an exchange, an answer belongs to the oldest open request of the *same* writer, and
 * twins are the oldest two unmatched records of the same kind that two writers saw from opposite sides. So a
 * program that uses one id again and again is still paired call by call. Records may arrive in any order. What no
 * exchange joins, strays.js may; what leads from one exchange to another is in ties.js.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { Strays } from "./strays.js";
import { Ties } from "./ties.js";
import { between } from "./time.js";

/** An exchange of more records than this is no honest exchange; only its newest are looked at. */
const REACH = 64;

export class Pairs {
  constructor() {
    /** @type {Map<string, Rec[]>} */
    this.exchanges = new Map();
    this.strays = new Strays();
    this.ties = new Ties();
  }

  /** Links `rec` with what is there. @param {Rec} rec @returns {Rec[]} records that learned something */
  add(rec) {
    const group = this.#group(rec);
    const near = group.length > REACH ? group.slice(-REACH) : group;
    const learned = [...link(rec, near), ...mirror(rec, near)];
    if (rec.twin === undefined) learned.push(...join(rec, this.strays.match(rec)));
    learned.push(...this.ties.add(rec, near));
    if (rec.exchange !== undefined) group.push(rec);
    for (const each of learned) each.rev += 1;
    return learned;
  }

  /** @param {Rec} rec @returns {Rec[]} */
  #group(rec) {
    if (rec.exchange === undefined) return [];
    let group = this.exchanges.get(rec.exchange);
    if (group === undefined) this.exchanges.set(rec.exchange, (group = []));
    return group;
  }

  /** Forgets `rec`; what was linked to it keeps its `ms`. @param {Rec} rec */
  remove(rec) {
    if (rec.request !== undefined) rec.request.answer = undefined;
    if (rec.answer !== undefined) rec.answer.request = undefined;
    if (rec.twin !== undefined) rec.twin.twin = undefined;
    rec.request = rec.answer = rec.twin = undefined;
    this.strays.remove(rec);
    this.ties.remove(rec);
    const group = rec.exchange === undefined ? undefined : this.exchanges.get(rec.exchange);
    if (group === undefined || rec.exchange === undefined) return;
    const index = group.indexOf(rec);
    if (index >= 0) group.splice(index, 1);
    if (group.length === 0) this.exchanges.delete(rec.exchange);
  }

  /** All kept records of the exchange of `rec`. @param {Rec} rec @returns {Rec[]} */
  of(rec) {
    return (rec.exchange === undefined ? undefined : this.exchanges.get(rec.exchange)) ?? [rec];
  }
}

/** @param {Rec} rec */
export function isAnswer(rec) {
  return rec.kind === "result" || rec.kind === "error";
}

/** A request that its writer has no answer to yet. @param {Rec} rec */
export function isPending(rec) {
  return rec.kind === "request" && rec.answer === undefined && rec.ms === undefined && rec.cancelled === undefined;
}

/** Ties a request to its answer. @param {Rec} rec @param {Rec[]} group @returns {Rec[]} */
function link(rec, group) {
  const answering = isAnswer(rec);
  if (!answering && rec.kind !== "request") return [];
  const other = group.find(
    (each) =>
      each.writer === rec.writer &&
      each.dir !== rec.dir &&
      (answering ? each.kind === "request" && each.answer === undefined : isAnswer(each) && each.request === undefined),
  );
  if (other === undefined) return [];
  const [request, answer] = answering ? [other, rec] : [rec, other];
  if (request.cancelled?.event === "client_warning") request.cancelled = undefined; // it was not the end
  request.answer = answer;
  answer.request = request;
  request.ms = answer.ms = answer.ms ?? elapsed(request, answer);
  return [rec, other];
}

/** Ties the sender's record of a frame to the receiver's. @param {Rec} rec @param {Rec[]} group @returns {Rec[]} */
function mirror(rec, group) {
  if (rec.dir === undefined) return [];
  const other = group.find(
    (each) =>
      each.twin === undefined &&
      each.kind === rec.kind &&
      each.method === rec.method &&
      each.dir !== undefined &&
      each.dir !== rec.dir &&
      each.writer !== rec.writer,
  );
  return join(rec, other);
}

/** @param {Rec} rec @param {Rec | undefined} twin @returns {Rec[]} */
function join(rec, twin) {
  if (twin === undefined) return [];
  rec.twin = twin;
  twin.twin = rec;
  return [rec, twin];
}

/** @param {Rec} from @param {Rec} to @returns {number | undefined} milliseconds */
function elapsed(from, to) {
  if (from.mono !== undefined && to.mono !== undefined) return (to.mono - from.mono) / 1e6;
  return between(from.ts, to.ts);
}
