/**
 * One line of a log, summed up for a row.
 *
 * In:  the text of one event of the stream: `{"file", "at", "record"}`, or `{"file", "at", "raw", "flaw"}` for
 *      a line that is not a record.
 * Out: a {@link Rec}: the line's own text, untouched, and the few facts that a row shows and pairing needs.
 * Refuses to know: other records, the page. Pure.
 *
 * A log may have been written by anybody, so each field is taken only if it has the type it should have; what
 * doesn't is left out of the summary and still stands in the text.
 *
 * @typedef {"request" | "result" | "error" | "notification" | "batch" | "unparsed" | "event" | "line" | "notice"} Kind
 * @typedef {"server" | "client" | "chat" | "other"} Side
 * @typedef {{word: string, shape: "error" | "warn" | "info", title: string}} Badge
 *
 * @typedef {object} Rec
 * @property {number} n counts up as records arrive; breaks ties
 * @property {string} file name of the log
 * @property {number} at offset of the line in the file, bytes
 * @property {string} text the record as it stands in the file; of a flawed line, the line
 * @property {Record<string, any> | null} value the parsed record, let go once every panel has judged it
 * @property {string | undefined} flaw why the line is no record
 * @property {string} ts timestamp; a line without one gets that of the line before
 * @property {string} component @property {Side} side @property {string} level @property {string} event
 * @property {"in" | "out" | undefined} dir as the writer saw it
 * @property {string | undefined} peer @property {string | undefined} via
 * @property {string | undefined} exchange what pairs requests with answers
 * @property {import("./marks.js").Marks} marks session, trace, HTTP, era
 * @property {string} writer the process that wrote it
 * @property {number | undefined} mono @property {number | undefined} seq
 * @property {Kind} kind @property {string | undefined} method @property {string | undefined} id as JSON
 * @property {string} detail what the message is about, in a few words
 * @property {number | undefined} ms how long the answer took
 * @property {Badge[]} badges @property {boolean} bad something went wrong
 * @property {Rec | undefined} request @property {Rec | undefined} answer @property {Rec | undefined} twin
 * @property {Rec | undefined} cause what made its writer send it @property {Rec | undefined} cancelled what ended it
 * @property {number} rev goes up when pairing learns something new
 * @property {number} mask one bit per panel: its filter lets this record through
 * @property {boolean} logged it is in the store's log @property {number} holders who recalled it from before that
 * @property {boolean} gone no longer kept
 */

import { frameOf, messageOf } from "./frame.js";
import { brief, finite, isObject, string } from "./json.js";
import { marksOf } from "./marks.js";

const NONE = marksOf(null, undefined);

/**
 * @param {string} text of the event @param {number} n
 * @returns {Rec}
 * @throws {SyntaxError} when the text is not an event of our stream
 */
export function recordOf(text, n) {
  const envelope = JSON.parse(text);
  const value = isObject(envelope.record) ? envelope.record : null;
  const message = value === null ? undefined : messageOf(value);
  const rec = alone(facts(value ?? {}, String(envelope.file)), frameOf(value, envelope.flaw));
  rec.n = n;
  rec.at = Number(envelope.at);
  rec.text = value === null ? String(envelope.raw ?? "") : recordText(text);
  rec.value = value;
  rec.flaw = value === null ? (string(envelope.flaw) ?? "not a record") : undefined;
  rec.marks = marksOf(value, message);
  return rec;
}

/** A notice of the stream, as a row of its own. @param {{kind: string, file?: string, text: string}} notice
 * @param {string} ts @param {number} n @returns {Rec} */
export function noticeOf(notice, ts, n) {
  const word = String(notice.kind);
  const text = String(notice.text);
  /** @type {Badge[]} */
  const badges = [{ word, shape: "warn", title: text }];
  /** @type {ReturnType<typeof frameOf>} */
  const frame = { ...frameOf({}, undefined), kind: "notice", detail: text, badges };
  const rec = alone(facts({}, String(notice.file ?? "")), frame);
  return Object.assign(rec, { n, ts, text, event: word });
}

/**
 * What a record is before it has met others. All fields are named in one literal: an object that is spread together
 * from several becomes a dictionary, and a flood of those costs twice the time.
 * @param {ReturnType<typeof facts>} from @param {ReturnType<typeof frameOf>} frame @returns {Rec}
 */
function alone(from, frame) {
  return {
    n: 0,
    file: from.file,
    at: -1,
    text: "",
    value: null,
    flaw: undefined,
    ts: from.ts,
    component: from.component,
    side: from.side,
    level: from.level,
    event: from.event,
    dir: from.dir,
    peer: from.peer,
    via: from.via,
    writer: from.writer,
    mono: from.mono,
    seq: from.seq,
    ms: from.ms,
    kind: frame.kind,
    method: frame.method,
    id: frame.id,
    detail: frame.detail,
    badges: frame.badges,
    bad: frame.bad,
    exchange: frame.exchange,
    marks: NONE,
    request: undefined,
    answer: undefined,
    twin: undefined,
    cause: undefined,
    cancelled: undefined,
    rev: 0,
    mask: 0,
    logged: false,
    holders: 0,
    gone: false,
  };
}

/** The parsed record; parsed again from the text when it was let go. @param {Rec} rec
 * @returns {Record<string, any>} */
export function valueOf(rec) {
  if (rec.value !== null) return rec.value;
  if (rec.flaw !== undefined || rec.kind === "notice") return { raw: rec.text, flaw: rec.flaw };
  return JSON.parse(rec.text);
}

/** By time; within one process by its own clock and count; else as they arrived.
 * @param {Rec} a @param {Rec} b */
export function byTime(a, b) {
  if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
  if (a.writer === b.writer && a.seq !== undefined && b.seq !== undefined) return a.seq - b.seq;
  return a.n - b.n;
}

/** The record cut out of the event's text; the stream's names come first, so its name is the first of its kind.
 * @param {string} text */
function recordText(text) {
  const found = /"record"\s*:\s*/.exec(text);
  const end = text.lastIndexOf("}");
  return found === null ? text : text.slice(found.index + found[0].length, end).trimEnd();
}

/** @param {Record<string, any>} value @param {string} file */
function facts(value, file) {
  const component = string(value.component) ?? file.replace(/\.jsonl.*$/, "");
  return {
    file,
    ts: string(value.ts) ?? "",
    component,
    side: sideOf(component),
    level: string(value.level) ?? "",
    event: string(value.event) ?? "",
    dir: value.dir === "in" || value.dir === "out" ? /** @type {"in" | "out"} */ (value.dir) : undefined,
    peer: string(value.peer),
    via: string(value.via),
    writer: `${component}\n${brief(value.host)}\n${brief(value.pid)}`,
    mono: finite(value.mono),
    seq: finite(value.seq),
    ms: finite(value.ms),
  };
}

/** @param {string} component @returns {Side} */
function sideOf(component) {
  if (component.startsWith("mcp-server")) return "server";
  if (component.startsWith("mcp-client-chat")) return "chat";
  return component.startsWith("mcp-client") || component === "mcp-viewer" ? "client" : "other";
}
