/**
 * What a record says about the message that it carries: its kind, its method, its id, its outcome.
 *
 * In:  a parsed record, or null and why the line is none. Out: the part of a {@link Rec} that is about the message.
 * Refuses to know: when and by whom the record was written, other records. Pure.
 *
 * @typedef {import("./record.js").Kind} Kind
 * @typedef {import("./record.js").Badge} Badge
 */

import { badgesOf, detailOf } from "./gist.js";
import { brief, isObject, string } from "./json.js";

/** A JSON-RPC message of the wire, if the record carries one. @param {Record<string, any>} value */
export function messageOf(value) {
  return isObject(value.data) && Object.hasOwn(value.data, "message") ? value.data.message : undefined;
}

/** What the record says about a message: its kind, name, id, outcome.
 * @param {Record<string, any> | null} value @param {unknown} flaw */
export function frameOf(value, flaw) {
  if (value === null) {
    const word = string(flaw) ?? "not a record";
    /** @type {Badge[]} */
    const badges = [{ word, shape: "error", title: "This line of the log is shown as it stands." }];
    return {
      kind: /** @type {Kind} */ ("line"),
      method: undefined,
      id: undefined,
      detail: "",
      badges,
      bad: true,
      exchange: undefined,
    };
  }
  const message = messageOf(value);
  const kind = kindOf(value, message);
  const plain = isObject(message) ? message : {};
  const id = Object.hasOwn(plain, "id") ? idOf(plain.id) : undefined;
  const badges = badgesOf(value, kind, plain);
  return {
    kind,
    method: string(plain.method),
    id,
    detail: detailOf(value, kind, plain),
    badges,
    bad: badges.some((badge) => badge.shape === "error"),
    exchange: exchangeOf(value, kind, id),
  };
}

/** An id as JSON, so that 1 and "1" stay two. @param {unknown} id */
function idOf(id) {
  return typeof id === "string" ? JSON.stringify(id) : brief(id);
}

/** @param {Record<string, any>} value @param {unknown} message @returns {Kind} */
function kindOf(value, message) {
  if (value.peer === "llm" || value.peer === "user") return "event"; // the provider's protocol, or talk: no JSON-RPC
  if (Array.isArray(message)) return "batch";
  if (!isObject(message)) {
    const data = isObject(value.data) ? value.data : {};
    const body = ["message", "raw", "raw_base64"].some((name) => Object.hasOwn(data, name));
    return body && value.dir !== undefined ? "unparsed" : "event";
  }
  if (Object.hasOwn(message, "method")) return Object.hasOwn(message, "id") ? "request" : "notification";
  if (Object.hasOwn(message, "error")) return "error";
  return Object.hasOwn(message, "result") ? "result" : "unparsed";
}

/**
 * The record's own `exchange`; for logs of other programs, who asked and the id, within one process and session.
 * @param {Record<string, any>} value @param {Kind} kind @param {string | undefined} id
 */
function exchangeOf(value, kind, id) {
  if (typeof value.exchange === "string") return value.exchange;
  if (id === undefined || id === "null" || value.dir === undefined) return undefined;
  const asker = (kind === "request") === (value.dir === "out") ? "self" : "peer";
  const words = [value.component, value.host, value.pid, value.session, value.peer].map((word) => brief(word));
  return JSON.stringify([...words, asker, id]);
}
