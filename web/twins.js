/**
 * The same action in two eras: which records are its counterpart, and what was said in each.
 *
 * In:  records, in a store; a record. Out: its counterpart; the steps of either.
 * Refuses to know: how it is drawn. Pure.
 *
 * Theory of operation. An action is what one request is for: its method, and the tool, prompt or resource it names. A
 * few actions have other words in the other era (`initialize` and `server/discover`), so they share a name here. The
 * steps of an action are all that one client saw between a request and its answer: questions of the server, progress,
 * a bare 202. In the stateless era a question is an answer, and the action goes on with the next call, so that call
 * belongs to it.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./store.js").Store} Store
 * @typedef {{sender: string, title: string, http: Record<string, any>, message: Record<string, any> | null}} Step
 * @typedef {{era: string, steps: Step[]}} Wire
 */

import { isObject, string } from "./json.js";
import { byTime, valueOf } from "./record.js";

const META = "io.modelcontextprotocol/";

/** Methods that do the same thing by another name. */
export const ALIKE = new Map([
  ["initialize", "hello"],
  ["notifications/initialized", "hello"],
  ["server/discover", "hello"],
  ["resources/subscribe", "listen"],
  ["resources/unsubscribe", "listen"],
  ["subscriptions/listen", "listen"],
]);
const ROUNDS = 4;
const STEPS = 40;

/** How far behind a request its steps are looked for, in records. */
const REACH = 2000;

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
  return (
    said.find((each) => each.dir === "out" && each.peer === "server") ??
    said.find((each) => each.dir === "in" && each.peer === "client")
  );
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
    if ((ALIKE.get(rec.method ?? "") ?? rec.method) !== action.name) continue; // before anything is parsed
    const other = actionOf(rec, store);
    if (
      other === null ||
      other.name !== action.name ||
      other.stateless === action.stateless ||
      rec.answer === undefined
    )
      continue;
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

/** What a request's writer said and heard from then on, for a while, in order of time. @param {Rec} request
 * @param {Store} store */
function near(request, store) {
  const from = store.log.indexOf(request);
  if (from < 0) return store.exchange(request); // older than the log: it stands here alone
  const own = [];
  for (let at = from; at < Math.min(store.log.length, from + REACH); at += 1) {
    const rec = store.log.at(at);
    if (rec?.writer === request.writer && rec.dir !== undefined && messageIn(rec) !== NONE) own.push(rec);
  }
  return own.sort(byTime);
}

/** All that a request's writer saw until it was answered. @param {Rec} request @param {Store} store @returns {Wire} */
export function wireOf(request, store) {
  const stateless = isStateless(request);
  const own = near(request, store);
  const start = own.indexOf(request);
  /** @type {Step[]} */
  const steps = [];
  let waiting = request;
  let rounds = 0;
  for (const rec of own.slice(start, start + STEPS)) {
    steps.push(stepOf(rec));
    if (rec !== waiting.answer) continue;
    const more = messageIn(rec).result?.resultType === "input_required" && rounds < ROUNDS;
    const next = more
      ? own.slice(own.indexOf(rec)).find((each) => each.kind === "request" && each.method === request.method)
      : undefined;
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

const NONE = Object.freeze({});

/** @param {Rec} rec @returns {Record<string, any>} */
function messageIn(rec) {
  const data = valueOf(rec).data;
  return isObject(data) && isObject(data.message) ? data.message : NONE;
}
