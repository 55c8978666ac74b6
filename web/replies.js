/**
 * What a client can be asked by a server, and what it could answer.
 *
 * In:  a message of a server; the request that led to it. Out: an answer to begin with, or the request once more with
 *      the answers in it. Refuses to know: how anything is sent, the page. Pure.
 *
 * Theory of operation. A server asks only what the client said that it can do. In the handshake era it sends a request
 * of its own on the open stream, and the answer goes back as another POST. In the stateless era it returns
 * `input_required`, and the client repeats its request with `inputResponses` and the `requestState` as it came.
 */

import { isObject } from "./json.js";

/** The capabilities of a client that let a server ask, and what for. */
export const ABILITIES = [
  ["elicitation", "ask the user"],
  ["sampling", "borrow the model"],
  ["roots", "ask for folders"],
];

/** @param {Iterable<string>} names @returns {Record<string, any>} */
export function capabilitiesOf(names) {
  return Object.fromEntries([...names].map((name) => [name, {}]));
}

/** Whether a message wants an answer from us. @param {unknown} message */
export function isQuestion(message) {
  return isObject(message) && typeof message.method === "string" && message.id !== undefined;
}

/** Whether a message says that the request has to be made again. @param {unknown} message */
export function asksBack(message) {
  return isObject(message) && isObject(message.result) && message.result.resultType === "input_required";
}

/** The answer to begin with, as text. @param {Record<string, any>} question */
export function answerTo(question) {
  return JSON.stringify({ jsonrpc: "2.0", id: question.id, result: resultFor(question) }, null, 2);
}

/** @param {Record<string, any>} question @returns {Record<string, any>} */
function resultFor({ method, params }) {
  const asked = isObject(params) ? params : {};
  if (method === "elicitation/create") return elicited(asked);
  if (method === "roots/list") return { roots: [] };
  if (method !== "sampling/createMessage") return {};
  const content = { type: "text", text: "Written by a human who plays the model." };
  return { role: "assistant", content, model: "you", stopReason: "endTurn" };
}

/** @param {Record<string, any>} asked */
function elicited(asked) {
  const schema = isObject(asked.requestedSchema) ? asked.requestedSchema : {};
  if (asked.mode === "url") return { action: "accept" };
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {});
  return { action: "accept", content: Object.fromEntries(fields.map(([name, field]) => [name, valueFor(field)])) };
}

/** @param {unknown} field a schema of one value */
function valueFor(field) {
  if (!isObject(field)) return "";
  if (field.default !== undefined) return field.default;
  if (Array.isArray(field.enum)) return field.enum[0];
  if (Array.isArray(field.oneOf)) return field.oneOf[0]?.const;
  const empty = { boolean: false, integer: 0, number: 0, array: [] };
  return empty[/** @type {keyof typeof empty} */ (field.type)] ?? "";
}

/**
 * The request once more, with answers to all that was asked.
 * @param {string} body that was sent @param {Record<string, any>} message that asks back @param {string} span new
 * @returns {string | null} null: the body is no request
 */
export function repeated(body, message, span) {
  const request = parsed(body);
  if (!isObject(request) || !isObject(request.params)) return null;
  const asked = Object.entries(isObject(message.result.inputRequests) ? message.result.inputRequests : {});
  const answers = Object.fromEntries(asked.map(([name, each]) => [name, resultFor(isObject(each) ? each : {})]));
  const state = message.result.requestState;
  /** @type {Record<string, any>} */
  const params = { ...request.params, inputResponses: answers, ...(state === undefined ? {} : { requestState: state }) };
  const trace = String(params._meta?.traceparent ?? "");
  if (/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(trace)) {
    params._meta = { ...params._meta, traceparent: `${trace.slice(0, 36)}${span}-01` };
  }
  const id = typeof request.id === "number" ? request.id + 1 : `${request.id}, again`;
  return JSON.stringify({ ...request, id, params }, null, 2);
}

/** @param {string} body @returns {unknown} */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
