/**
 * What made a program send a message: the wish of a model, a result that asked, a request that was given up.
 *
 * In:  records, as they arrive and as they are let go. Out: `cause` and `cancelled` on them.
 * Refuses to know: pairs of one exchange (pairs.js), how a tie is drawn. Pure.
 *
 * Theory of operation. These ties say what no pair does; most go beyond one exchange:
 *
 *     a call that is repeated    <- the result that asked: the same `requestState`; without one, the same trace
 *     a request of a chat        <- `llm_tool_call`: the same exchange, or the same trace and tool, oldest first
 *     notifications/cancelled    -> the request of that id by the same program
 *     HTTP 202 and its like      <- the message that was accepted
 *     rpc_cancelled              -> the requests of its exchange, and what the server still asks in that trace
 *     client_warning             -> the open request of its exchange by the same program: nothing will come any more
 *
 * @typedef {import("./record.js").Rec} Rec
 */

/** Of one key so many records wait. */
const MOST = 64;

export class Ties {
  constructor() {
    /** Results that ask, model's wishes, questions of servers; each by what will ask for it.
     * @type {Map<string, Rec[]>} */
    this.waiting = new Map();
    /** The newest request of each program under each id. @type {Map<string, Rec>} */
    this.sent = new Map();
  }

  /** @param {Rec} rec @param {Rec[]} exchange all records of its exchange @returns {Rec[]} those that learned something */
  add(rec, exchange) {
    if (rec.kind === "request") this.sent.set(sentAs(rec, rec.id), rec);
    for (const key of offers(rec)) {
      const group = this.waiting.get(key) ?? [];
      group.push(rec);
      if (group.length > MOST) group.shift();
      this.waiting.set(key, group);
    }
    if (rec.dir === undefined && rec.marks.status !== undefined) {
      rec.cause = exchange.find((each) => each.writer === rec.writer && each.dir === "out"); // HTTP's answer to it
      return [];
    }
    if (rec.event === "rpc_cancelled") return this.#end(rec, exchange);
    if (rec.event === "client_warning") return fail(rec, exchange);
    if (rec.method === "notifications/cancelled") return this.#giveUp(rec);
    const cause = rec.kind === "request" && rec.dir === "out" ? this.#causeOf(rec) : undefined;
    if (cause === undefined) return [];
    rec.cause = cause;
    return [rec, cause];
  }

  /** @param {Rec} rec */
  remove(rec) {
    rec.cause = rec.cancelled = undefined;
    if (rec.kind === "request" && this.sent.get(sentAs(rec, rec.id)) === rec) this.sent.delete(sentAs(rec, rec.id));
    for (const key of offers(rec)) {
      const left = (this.waiting.get(key) ?? []).filter((each) => each !== rec);
      if (left.length === 0) this.waiting.delete(key);
      else this.waiting.set(key, left);
    }
  }

  /** @param {Rec} rec @returns {Rec | undefined} */
  #causeOf(rec) {
    if (rec.marks.again || rec.marks.state !== undefined) {
      const byState = this.#of(`state ${rec.writer} ${rec.marks.state}`).at(-1);
      const asked = byState ?? this.#of(`asked ${rec.writer} ${rec.marks.trace}`).at(-1);
      if (asked !== undefined) return asked;
    }
    const exact = this.#of(`wish ${rec.exchange}`).at(-1);
    if (exact !== undefined) return exact;
    const wishes = this.#of(`wish ${rec.marks.trace}`);
    const index = wishes.findIndex((each) => isFor(each, rec));
    return index < 0 ? undefined : wishes.splice(index, 1)[0];
  }

  /** A program gives a request of its own up. @param {Rec} rec @returns {Rec[]} */
  #giveUp(rec) {
    const request = this.sent.get(sentAs(rec, idOf(rec)));
    if (request === undefined || request.answer !== undefined) return [];
    rec.cause = request;
    request.cancelled = rec;
    return [rec, request];
  }

  /** A server stopped its work. @param {Rec} rec @param {Rec[]} exchange @returns {Rec[]} */
  #end(rec, exchange) {
    const open = [...exchange, ...this.#of(`asking ${rec.marks.trace}`)].filter(isOpen);
    for (const each of open) each.cancelled = rec;
    return open;
  }

  /** @param {string} key @returns {Rec[]} */
  #of(key) {
    return this.waiting.get(key) ?? [];
  }
}

/** A client says that its request came to nothing. @param {Rec} rec @param {Rec[]} exchange @returns {Rec[]} */
function fail(rec, exchange) {
  const open = exchange.filter((each) => each.writer === rec.writer && isOpen(each));
  for (const each of open) each.cancelled = rec;
  return open;
}

/** @param {Rec} rec */
function isOpen(rec) {
  return rec.kind === "request" && rec.answer === undefined && rec.cancelled === undefined;
}

/** Under which keys a record waits. @param {Rec} rec @returns {string[]} */
function offers(rec) {
  const keys = [];
  if (rec.kind === "result" && rec.badges.some((badge) => badge.word === "asks back")) {
    keys.push(`asked ${rec.writer} ${rec.marks.trace}`);
    if (rec.marks.state !== undefined) keys.push(`state ${rec.writer} ${rec.marks.state}`);
  }
  if (rec.event === "llm_tool_call") {
    if (rec.marks.trace !== undefined) keys.push(`wish ${rec.marks.trace}`);
    if (rec.exchange !== undefined) keys.push(`wish ${rec.exchange}`);
  }
  const byServer = rec.kind === "request" && (rec.side === "server") === (rec.dir === "out");
  if (byServer && rec.marks.trace !== undefined) keys.push(`asking ${rec.marks.trace}`);
  return keys;
}

/** @param {Rec} rec @param {string | undefined} id as JSON */
function sentAs(rec, id) {
  return `${rec.writer}\n${rec.dir}\n${id}`;
}

/** The id that a cancellation names, as JSON; its gist is that id. @param {Rec} rec */
function idOf(rec) {
  return /^-?\d+$/.test(rec.detail) ? rec.detail : JSON.stringify(rec.detail);
}

/** A model's name for a tool ends in the server's name for it. @param {Rec} wish @param {Rec} rec */
function isFor(wish, rec) {
  return rec.method === "tools/call" && (wish.marks.subject === undefined || wish.marks.subject.endsWith(rec.marks.subject ?? "\n"));
}
