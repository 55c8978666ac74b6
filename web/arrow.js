/**
 * What an arrow says: its word, its subject, how long it took, how it ended; and the same as one sentence.
 *
 * In:  a record with its links, its leg, what time it is. Out: short texts.
 * Refuses to know: where it is drawn. Pure.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {"request" | "result" | "tool-error" | "error" | "notification" | "cancel" | "unparsed" | "batch" | "http"
 *   | "model" | "wish" | "note"} Shape
 * @typedef {{shape: Shape, word: string, title: string, detail: string, time: string, tags: string[], bad: string[],
 *   open: boolean}} Told `tags` and `bad` are words beside it; `open`: no answer yet
 */

import { isAnswer, isPending } from "./pairs.js";
import { endOf, title } from "./titles.js";
import { between, duration } from "./time.js";
import { laneOf } from "./legs.js";
import { visible } from "./visible.js";

/** A request that is older is not waited for any more, milliseconds. */
const STALE = 600_000;

/** @type {Record<Shape, string>} */
const WORDS = {
  request: "request",
  result: "answer",
  "tool-error": "answer, the tool failed",
  error: "protocol error",
  notification: "notification",
  unparsed: "not JSON-RPC",
  batch: "batch",
  cancel: "cancellation",
  http: "",
  model: "message",
  wish: "the model wants a tool",
  note: "note",
};

/** @param {Rec} rec @param {import("./legs.js").Leg | null} leg @returns {Shape} */
export function shapeOf(rec, leg) {
  if (leg === null) return "note";
  if (leg.what !== "message") return leg.what;
  if (rec.kind === "result") return rec.badges.some((badge) => badge.word === "isError") ? "tool-error" : "result";
  if (rec.method === "notifications/cancelled") return "cancel";
  const plain = rec.kind === "event" || rec.kind === "line" || rec.kind === "notice";
  return plain ? "note" : rec.kind;
}

/** @param {Rec} rec @param {import("./legs.js").Leg | null} leg @param {string} now a timestamp @returns {Told} */
export function told(rec, leg, now) {
  const shape = shapeOf(rec, leg);
  const open = isPending(rec) && (rec.twin === undefined || isPending(rec.twin));
  return {
    shape,
    word: shape === "request" && leg?.from.startsWith("server:") ? "server's request" : WORDS[shape],
    title: titleOf(rec, shape),
    detail: detailOf(rec, shape),
    time: timeOf(rec, open, now),
    tags: tagsOf(rec, shape),
    bad: rec.badges.filter((badge) => badge.shape === "error" && !/^HTTP/.test(badge.word)).map((badge) => badge.word),
    open,
  };
}

/** @param {Rec} rec @param {Shape} shape */
function titleOf(rec, shape) {
  if (rec.kind === "notice") return "viewer";
  if (shape !== "http") return title(rec) || visible(rec.flaw ?? "line", 40);
  return visible(["HTTP", rec.marks.verb, rec.marks.status].filter((part) => part !== undefined).join(" "), 40);
}

/** @param {Rec} rec @param {Shape} shape */
function detailOf(rec, shape) {
  if (shape === "http") return visible(rec.event, 80);
  if (shape === "note" && rec.marks.subject !== undefined) return visible(rec.marks.subject, 80);
  return visible(rec.kind === "line" ? rec.text : rec.detail, 160);
}

/** @param {Rec} rec @param {boolean} open @param {string} now */
function timeOf(rec, open, now) {
  const over = rec.cancelled ?? rec.twin?.cancelled;
  if (over !== undefined) return endOf(over);
  if (open) {
    const waited = between(rec.ts, now) ?? Infinity;
    return waited > STALE || waited < 0 ? "no answer" : `pending ${Math.floor(waited / 1000)} s`;
  }
  if (!isAnswer(rec)) return rec.dir === undefined ? duration(rec.ms) : "";
  const { total, handler, network } = split(rec);
  if (handler === undefined || total === undefined) return duration(total ?? handler);
  return `${duration(total)} = ${duration(handler)} handler + ${duration(network)} network`;
}

/**
 * Where the time of an answered request went, milliseconds.
 * @param {Rec} rec request or answer, of either end
 * @returns {{total?: number, handler?: number, network?: number}} `total` as the asker saw it
 */
export function split(rec) {
  const ends = [rec, rec.twin].filter((each) => each !== undefined);
  const asking = (/** @type {Rec} */ each) => (each.kind === "request") === (each.dir === "out");
  const total = ends.find(asking)?.ms;
  const handler = ends.find((each) => !asking(each))?.ms;
  const network = total === undefined || handler === undefined ? undefined : Math.max(0, total - handler);
  return { total, handler, network };
}

/** @param {Rec} rec @param {Shape} shape */
function tagsOf(rec, shape) {
  const { marks } = rec;
  const status = marks.status ?? rec.twin?.marks.status;
  const tags = [];
  if (status !== undefined && shape !== "http") tags.push(`HTTP ${status}`);
  if (marks.streams || rec.twin?.marks.streams) tags.push("SSE");
  if (rec.badges.some((badge) => badge.word === "asks back")) tags.push("asks back");
  if (rec.kind === "request" && rec.cause !== undefined && rec.cause.kind === "result") tags.push("asked again");
  if (rec.kind === "request" || rec.kind === "notification") {
    const session = marks.session ?? rec.twin?.marks.session;
    if (marks.revision !== undefined) tags.push(`_meta ${visible(marks.revision, 12)}`);
    else if (session !== undefined) tags.push(`session ${visible(session.slice(0, 6))}`);
  }
  if (rec.via === "stdio" && rec.kind === "request") tags.push("stdio");
  return tags;
}

/** @param {string} key of a lane */
export function laneName(key) {
  const { title: role, name } = laneOf(key);
  return name === "" ? role : `${role} ${visible(name, 40)}`;
}

/** The arrow as a sentence, for who can't see it. It holds no counting number: it would be read again and again.
 * @param {Rec} rec @param {import("./legs.js").Leg | null} leg @param {Told} said @param {string} home lane of a note */
export function sentenceOf(rec, leg, said, home) {
  const head = [said.word, said.title, said.detail].filter((part) => part !== "").join(" ");
  const way = leg === null ? `on ${laneName(home)}` : `from ${laneName(leg.from)} to ${laneName(leg.to)}`;
  const alone = rec.dir !== undefined && rec.twin === undefined && leg?.what !== "model";
  const ends = alone ? seenBy(rec) : "";
  const time = said.open ? "no answer yet" : said.time;
  return [`${head}, ${way}`, ends, ...said.bad, ...said.tags, time].filter((part) => part !== "").join(", ");
}

/** @param {Rec} rec */
function seenBy(rec) {
  return rec.dir === "out" ? "only its sender wrote it down" : "only its receiver wrote it down";
}
