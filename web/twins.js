/**
 * The same action in two eras: which records are its counterpart, and what differs between the two wires.
 *
 * In:  records, in a store; a record. Out: the steps of both, side by side; the differences.
 * Refuses to know: how it is drawn. Pure.
 *
 * Theory of operation. An action is what one request is for: its method, and the tool, prompt or resource it names. A few
 * actions have other words in the other era (`initialize` and `server/discover`), so they share a name here. The steps of
 * an action are all that one client saw between a request and its answer: questions of the server, progress, a bare 202.
 * In the stateless era a question is an answer, and the action goes on with the next call, so that call belongs to it.
 *
 * Ids, traces, sessions and cursors differ between any two runs and say nothing about the era: they are passed over.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./store.js").Store} Store
 * @typedef {{sender: string, title: string, http: Record<string, any>, message: Record<string, any> | null}} Step
 * @typedef {{era: string, steps: Step[]}} Wire
 * @typedef {{path: string, here: string, there: string}} Difference
 */

import { isObject, string } from "./json.js";
import { byTime, valueOf } from "./record.js";

const META = "io.modelcontextprotocol/";

/** Methods that do the same thing by another name. */
const ALIKE = new Map([
  ["initialize", "hello"],
  ["notifications/initialized", "hello"],
  ["server/discover", "hello"],
  ["resources/subscribe", "listen"],
  ["resources/unsubscribe", "listen"],
  ["subscriptions/listen", "listen"],
]);
const ROUNDS = 4;
const STEPS = 40;

/** The action that a record belongs to; null if it is none of a client. @param {Rec} rec @param {Store} store */
export function actionOf(rec, store) {
  const request = requestOf(rec, store);
  if (request === undefined) return null;
  const message = messageIn(request);
  const method = string(message.method) ?? "";
  const params = isObject(message.params) ? message.params : {};
  const name = ALIKE.get(method) ?? method;
  return { request, name, subject: string(params.name) ?? string(params.uri) ?? "", stateless: isStateless(request) };
}

/** The client's request behind a record. @param {Rec} rec @param {Store} store @returns {Rec | undefined} */
function requestOf(rec, store) {
  const all = rec.exchange === undefined ? [rec] : store.exchange(rec);
  const said = [rec, ...all].filter((each) => each.kind === "request" || each.kind === "notification");
  return said.find((each) => each.dir === "out" && each.peer === "server") ?? said.find((each) => each.dir === "in" && each.peer === "client");
}

/** @param {Rec} rec */
function isStateless(rec) {
  const meta = messageIn(rec).params?._meta;
  return isObject(meta) && `${META}protocolVersion` in meta;
}

/** The newest request in a store for the same action in the other era; best with the same subject and outcome.
 * @param {NonNullable<ReturnType<typeof actionOf>>} action @param {Store} store @returns {Rec | undefined} */
export function counterpart(action, store) {
  /** @type {Rec | undefined} */
  let best;
  let rank = 0;
  const outcome = outcomeOf(action.request);
  for (let at = store.log.length - 1; at >= 0; at -= 1) {
    const rec = store.log.at(at);
    if (rec?.kind !== "request" || rec.dir !== "out" || rec.peer !== "server") continue;
    const other = actionOf(rec, store);
    if (other === null || other.name !== action.name || other.stateless === action.stateless || rec.answer === undefined) continue;
    const value = 1 + 4 * Number(other.subject === action.subject) + 2 * Number(outcomeOf(rec) === outcome);
    if (value > rank) [best, rank] = [rec, value];
    if (rank === 7) break;
  }
  return best;
}

/** @param {Rec} request */
function outcomeOf(request) {
  if (request.answer === undefined) return "";
  const message = messageIn(request.answer);
  if (message.error !== undefined) return "error";
  return message.result?.isError === true ? "isError" : "result";
}

/** All that a request's writer saw until it was answered. @param {Rec} request @param {Store} store @returns {Wire} */
export function wireOf(request, store) {
  const stateless = isStateless(request);
  const own = [];
  for (let at = 0; at < store.log.length; at += 1) {
    const rec = store.log.at(at);
    if (rec !== undefined && rec.writer === request.writer && rec.dir !== undefined && messageIn(rec) !== NONE) own.push(rec);
  }
  own.sort(byTime);
  const start = own.indexOf(request);
  /** @type {Step[]} */
  const steps = [];
  let waiting = request;
  let rounds = 0;
  for (const rec of own.slice(start, start + STEPS)) {
    steps.push(stepOf(rec));
    if (rec !== waiting.answer) continue;
    const more = messageIn(rec).result?.resultType === "input_required" && rounds < ROUNDS;
    const next = more ? own.slice(own.indexOf(rec)).find((each) => each.kind === "request" && each.method === request.method) : undefined;
    if (next === undefined) break;
    waiting = next;
    rounds += 1;
  }
  const first = messageIn(request).method === "initialize" ? own[start + steps.length] : undefined;
  if (first !== undefined && first.method === "notifications/initialized") steps.push(stepOf(first));
  return { era: stateless ? "stateless" : "handshake", steps };
}

/** @param {Rec} rec @returns {Step} */
function stepOf(rec) {
  const value = valueOf(rec);
  const http = isObject(value.data) && isObject(value.data.http) ? value.data.http : {};
  const asks = rec.kind === "request" || rec.kind === "notification";
  const sender = rec.dir === "out" ? "client" : "server";
  return { sender, title: asks ? (rec.method ?? "") : rec.kind, http, message: messageIn(rec) };
}

/** Steps of both sides that do the same, beside each other. @param {Step[]} left @param {Step[]} right
 * @returns {[Step | null, Step | null][]} */
export function aligned(left, right) {
  /** @type {[Step | null, Step | null][]} */
  const rows = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const [one, other] = [left[a] ?? null, right[b] ?? null];
    if (one !== null && other !== null && kin(one, other)) rows.push([one, other]);
    else if (one !== null && (other === null || !left.slice(a).some((step) => kin(step, other)))) rows.push([one, null]);
    else if (other !== null && (one === null || !right.slice(b).some((step) => kin(one, step)))) rows.push([null, other]);
    else rows.push([one, null]);
    const [took, gave] = rows[rows.length - 1];
    a += Number(took !== null);
    b += Number(gave !== null);
  }
  return rows;
}

/** @param {Step} one @param {Step} other */
function kin(one, other) {
  const name = (/** @type {Step} */ step) => ALIKE.get(step.title) ?? step.title;
  return one.sender === other.sender && name(one) === name(other);
}

/** What differs between two steps: in the message, and in the headers. @param {Step} here @param {Step} there
 * @returns {Difference[]} */
export function differences(here, there) {
  const [left, right] = [leaves(here), leaves(there)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((path) => ({ path, here: left.get(path) ?? "", there: right.get(path) ?? "" }))
    .filter((each) => each.here !== each.there && !PASSING.test(each.path));
}

/** What differs between any two runs. */
const PASSING = /(^message\.id$|traceparent$|requestState|[cC]ursor$|clientInfo|\.(done|text|data|description)$|structuredContent)/;

/** @param {Step} step @returns {Map<string, string>} */
function leaves(step) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const walk = (/** @type {any} */ value, /** @type {string} */ path, /** @type {number} */ depth) => {
    const deep = depth > 4 || /\.(tools|resources|prompts|resourceTemplates|content|contents|arguments|inputRequests|inputResponses)$/.test(path);
    if (isObject(value) && !deep && Object.keys(value).length > 0) {
      for (const [name, child] of Object.entries(value)) walk(child, `${path}.${name}`, depth + 1);
    } else found.set(path, deep && typeof value === "object" ? "…" : (JSON.stringify(value) ?? ""));
  };
  walk(step.message ?? {}, "message", 0);
  if (step.http.status !== undefined) found.set("http.status", String(step.http.status));
  for (const [name, value] of Object.entries(isObject(step.http.headers) ? step.http.headers : {})) {
    found.set(`header.${name}`, /session-id$/i.test(name) ? "…" : String(value));
  }
  return found;
}

const NONE = Object.freeze({});

/** @param {Rec} rec @returns {Record<string, any>} */
function messageIn(rec) {
  const data = valueOf(rec).data;
  return isObject(data) && isObject(data.message) ? data.message : NONE;
}
