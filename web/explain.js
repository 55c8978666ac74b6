/**
 * Which paragraphs explain a record.
 *
 * In:  a record, its value, the texts of `GET /explanations`. Out: a sentence about who said it to whom, and
 *      paragraphs in the order in which a reader meets their subjects.
 * Refuses to know: how they are drawn. Pure.
 *
 * The rules are those of playground/explainer.py: what a *user* put into a message (arguments, a schema) is never
 * looked into, because a tool's argument called `id` is not the id.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{kind: string, name: string, title: string, text: string, todo?: string, spec?: string}} Paragraph
 * @typedef {Record<string, Record<string, Record<string, string>>>} Texts
 */

import { messageOf } from "./frame.js";
import { isObject } from "./json.js";

const OPAQUE = new Set([
  "arguments",
  "structuredContent",
  "inputSchema",
  "outputSchema",
  "requestedSchema",
  "data",
  "metadata",
  "context",
  "experimental",
  "extensions",
  "inputResponses",
]);
/** Whether what stands under a name belongs to a user, a tool or a schema. @param {string} name */
export const isOpaque = (name) => OPAQUE.has(name);

const DEPTH = 6;
const SAMPLE = 3;

/** @type {Record<string, string>} */
const WORDS = {
  request: "a request",
  result: "an answer",
  error: "an error",
  notification: "a notification",
  batch: "several messages in one array",
  unparsed: "a body that is not JSON-RPC",
};

/** Who said this to whom, in one sentence. @param {Rec} rec @returns {string} */
export function sentence(rec) {
  if (rec.kind === "notice") return "The viewer itself says this; it stands in no log.";
  if (rec.kind === "line") return `This line of ${rec.file} is not a record (${rec.flaw}); it is shown as it stands.`;
  const what = WORDS[rec.kind];
  const peer = rec.peer ?? "other end";
  if (what === undefined || rec.dir === undefined) return `${rec.component} wrote down what it did.`;
  const via = rec.via === "stdio" ? " over a pipe (stdio)" : rec.via === "http" ? " over HTTP" : "";
  return rec.dir === "out"
    ? `${rec.component} sent ${what} to the ${peer}${via}.`
    : `${rec.component} received ${what} from the ${peer}${via}.`;
}

/** @param {Rec} rec @param {Record<string, any>} value @param {Texts} texts @returns {Paragraph[]} */
export function paragraphs(rec, value, texts) {
  const message = messageOf(value);
  const messages = Array.isArray(message) ? message.slice(0, SAMPLE) : [message];
  /** @type {Map<string, Paragraph>} */
  const found = new Map();
  const want = (/** @type {string} */ kind, /** @type {string} */ name) => {
    const text = lookup(texts, kind, name);
    if (text !== null) found.set(`${text.kind} ${text.name}`, text);
  };
  for (const each of messages.filter(isObject)) {
    if (typeof each.method === "string") want("method", each.method);
    else if ("result" in each && rec.request?.method !== undefined) want("answer", rec.request.method);
    if (isObject(each.error)) want("code", String(each.error.code));
  }
  if (rec.event !== "") want("event", rec.event);
  for (const name of headersOf(value)) want("header", name);
  for (const each of messages.filter(isObject)) fields(each, DEPTH, (name) => want("field", name));
  return [...found.values()];
}

/** @param {Texts} texts @param {string} kind @param {string} name @returns {Paragraph | null} */
export function lookup(texts, kind, name) {
  const table = own(texts, kind === "answer" ? "method" : kind);
  const known = kind === "header" ? (Object.keys(table).find((each) => sameHeader(each, name)) ?? name) : name;
  const entry = own(table, known);
  const text = kind === "answer" ? entry.answer : entry.text;
  if (typeof text !== "string") return null;
  const title = kind === "answer" ? `Answer to ${name}` : String(entry.title ?? name);
  return { kind, name, title, text, todo: kind === "answer" ? undefined : entry.todo, spec: entry.spec };
}

/** @param {Record<string, any>} table @param {string} name @returns {Record<string, any>} */
function own(table, name) {
  return isObject(table) && Object.hasOwn(table, name) && isObject(table[name]) ? table[name] : {};
}

/** A known name that ends in `*` stands for all that begin like it. @param {string} known @param {string} name */
function sameHeader(known, name) {
  const [a, b] = [known.toLowerCase(), name.toLowerCase()];
  return a.endsWith("*") ? b.startsWith(a.slice(0, -1)) : a === b;
}

/** @param {Record<string, any>} value @returns {string[]} */
function headersOf(value) {
  const http = isObject(value.data) ? value.data.http : undefined;
  return isObject(http) && isObject(http.headers) ? Object.keys(http.headers) : [];
}

/** @param {unknown} value @param {number} depth @param {(name: string) => void} want */
function fields(value, depth, want) {
  if (Array.isArray(value)) {
    for (const each of value.slice(0, SAMPLE)) fields(each, depth, want);
  } else if (isObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      want(name);
      const form = name === "content" && isObject(child); // the answer of a user to a form, not content blocks
      if (depth > 0 && !OPAQUE.has(name) && !form) fields(child, depth - 1, want);
    }
  }
}
