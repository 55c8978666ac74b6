/**
 * What a message is about, in a few words, and the marks that its outcome deserves.
 *
 * In:  a parsed record and its message. Out: short texts. Refuses to know: rows, colors, other records. Pure.
 *
 * @typedef {import("./record.js").Badge} Badge
 * @typedef {import("./record.js").Kind} Kind
 */

import { chatGist } from "./chatgist.js";
import { brief, isObject } from "./json.js";

/** The parameter that names what a request is about, by method. */
const SUBJECT = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["resources/subscribe", "uri"],
  ["resources/unsubscribe", "uri"],
  ["notifications/resources/updated", "uri"],
  ["initialize", "protocolVersion"],
  ["logging/setLevel", "level"],
  ["notifications/cancelled", "requestId"],
  ["notifications/message", "data"],
  ["elicitation/create", "message"],
]);

/**
 * @param {Record<string, any>} value @param {Kind} kind @param {Record<string, any>} message
 * @returns {string}
 */
export function detailOf(value, kind, message) {
  if (kind === "error") return isObject(message.error) ? brief(message.error.message) : brief(message.error);
  if (kind === "result") return outcome(message.result);
  if (kind === "request" || kind === "notification") return subject(message);
  if (kind === "batch") return `${value.data.message.length} messages in one array`;
  if (kind === "unparsed") return brief(value.data.raw ?? value.data.raw_base64 ?? value.data.message);
  return (isObject(value.data) ? chatGist(String(value.event), value.data) : null) ?? scalars(value.data);
}

/** @param {Record<string, any>} message */
function subject(message) {
  const params = isObject(message.params) ? message.params : {};
  if (message.method === "notifications/progress") {
    const total = params.total === undefined ? "" : ` of ${brief(params.total)}`;
    return `${brief(params.progress)}${total}${params.message ? ` ${brief(params.message)}` : ""}`;
  }
  const key = SUBJECT.get(String(message.method));
  return key !== undefined && Object.hasOwn(params, key) ? brief(params[key]) : "";
}

/** @param {unknown} result */
function outcome(result) {
  if (!isObject(result)) return brief(result);
  if (Array.isArray(result.content)) {
    const text = result.content.find((part) => isObject(part) && typeof part.text === "string");
    return text === undefined ? `${result.content.length} parts` : brief(text.text);
  }
  for (const key of ["tools", "resources", "resourceTemplates", "prompts"]) {
    if (Array.isArray(result[key])) return `${result[key].length} ${key}`;
  }
  return result.protocolVersion === undefined ? "" : brief(result.protocolVersion);
}

/** The first plain values of an object, for records that carry no message. @param {unknown} data */
function scalars(data) {
  if (!isObject(data)) return data === undefined ? "" : brief(data);
  const plain = Object.entries(data).filter(([, value]) => typeof value !== "object");
  return plain
    .slice(0, 4)
    .map(([key, value]) => `${key}=${brief(value)}`)
    .join("  ");
}

/**
 * The marks of a record. A word each; the shape says how bad it is.
 * @param {Record<string, any>} value @param {Kind} kind @param {Record<string, any>} message
 * @returns {Badge[]}
 */
export function badgesOf(value, kind, message) {
  /** @type {Badge[]} */
  const badges = [];
  const add = (/** @type {string} */ word, /** @type {Badge["shape"]} */ shape, /** @type {string} */ title) =>
    badges.push({ word, shape, title });
  if (kind === "error") {
    const code = isObject(message.error) ? message.error.code : undefined;
    add(brief(code ?? "no code"), "error", "The code of a protocol error: the request was not carried out.");
  }
  if (kind === "unparsed") add("not JSON-RPC", "error", "The body did not parse; it is shown as it was sent.");
  if (isObject(message.result)) {
    if (message.result.isError === true) add("isError", "error", "The tool failed and says so to the model.");
    if (message.result.resultType === "input_required") add("asks back", "info", "The server needs input first.");
  }
  const status = isObject(value.data) && isObject(value.data.http) ? value.data.http.status : undefined;
  if (typeof status === "number" && (status >= 400 || status === 202)) {
    add(`HTTP ${status}`, status >= 400 ? "error" : "info", `The HTTP status was ${status}.`);
  }
  if (value.level === "WARNING" && badges.length === 0)
    add("warning", "warn", "The writer marked this record as a warning.");
  if ((value.level === "ERROR" || value.level === "CRITICAL") && badges.length === 0) {
    add(value.level.toLowerCase(), "error", "The writer marked this record as an error.");
  }
  if (value.redacted === true) add("redacted", "info", "A secret was left out of this record before it was written.");
  return badges;
}
