/**
 * Secrets in records, found and masked before anything is saved.
 *
 * In:  records as JSON text. Out: what looks like a secret and where; the same text with `***` in its place.
 * Refuses to know: files, the page. Pure.
 *
 * Theory of operation. Two signs: a name (`token`, `authorization`, `api_key` ...) in front of a string, or a string so
 * long and so mixed that nobody would have thought of it. Both are looked for in values and in text inside of values (a
 * tool's result often is JSON once more). What was found is masked wherever it stands, also where no sign gave it away.
 * It is a help, not a promise: that is why it is shown before saving.
 *
 * @typedef {{text: string, why: string, count: number}} Secret
 */

import { read, scalar } from "./json.js";

const NAME = /(?:^|[-_.])(?:token|secret|passw(?:or)?d|credential|cookie|authorization|api[-_]?key|private[-_]?key)s?$/i;
const CAMEL = /(?:Token|Secret|Password|Credentials?|ApiKey|PrivateKey)$/;
const NO_SECRETS = new Set(["progressToken"]);
const NAMED = /"([\w-]{2,40})"\s*:\s*"((?:[^"\\]|\\.){4,400})"/g;
const BEARER = /\b(?:Bearer|Basic)\s+([\w.~+/=-]{8,})/g;
const LONG = /[A-Za-z0-9_+/=-]{24,}/g;

/** Bits per character above which a long string is no word, no path and no hexadecimal id. */
const MIXED = 4.1;
const SHORTEST = 4;
const DEEPEST = 4000; // characters of one value that are looked at for long strings

/** @param {string} name */
function isSecretName(name) {
  return !NO_SECRETS.has(name) && (NAME.test(name) || CAMEL.test(name));
}

/** @param {string[]} texts records as JSON @returns {Secret[]} the most frequent first */
export function secretsIn(texts) {
  /** @type {Map<string, Secret>} */
  const found = new Map();
  const note = (/** @type {string} */ text, /** @type {string} */ why) => {
    if (text.length < SHORTEST || /^\*+$/.test(text)) return;
    const known = found.get(text);
    if (known === undefined) found.set(text, { text, why, count: 1 });
    else known.count += 1;
  };
  for (const text of texts) {
    let root;
    try {
      root = read(text);
    } catch {
      look(text, note);
      continue;
    }
    const left = [root];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      for (const child of node.children) left.push(child);
      if (node.kind !== "string") continue;
      const value = scalar(node, text);
      if (node.key !== undefined && isSecretName(node.key)) note(value, `the value of ${node.key}`);
      else look(value, note);
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/** @param {string} value @param {(text: string, why: string) => void} note */
function look(value, note) {
  const part = value.slice(0, DEEPEST);
  for (const [, name, text] of part.matchAll(NAMED)) if (isSecretName(name)) note(text, `the value of ${name}`);
  for (const [, text] of part.matchAll(BEARER)) note(text, "sent as proof of who asks");
  for (const [text] of part.matchAll(LONG)) {
    if (/[0-9]/.test(text) && /[a-z]/i.test(text) && bits(text) > MIXED) note(text, "long and mixed");
  }
}

/** Shannon's measure. @param {string} text @returns {number} bits per character */
function bits(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((sum, n) => sum - (n / text.length) * Math.log2(n / text.length), 0);
}

/** Masks inside of strings only, so that JSON stays JSON. @param {string} text @param {string[]} secrets @returns {string} */
export function mask(text, secrets) {
  if (secrets.length === 0) return text;
  const spelled = [...new Set(secrets.flatMap((each) => [each, JSON.stringify(each).slice(1, -1), ascii(each)]))];
  spelled.sort((a, b) => b.length - a.length); // a secret inside of a longer one goes with it
  const hide = (/** @type {string} */ part) => spelled.reduce((left, each) => left.replaceAll(each, "***"), part);
  return text.trimStart().startsWith("{") ? text.replace(/"(?:[^"\\]|\\.)*"/g, hide) : hide(text);
}

/** As the logbook spells it. @param {string} text */
function ascii(text) {
  const escape = (/** @type {string} */ char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).slice(1, -1).replace(/[\u007f-\uffff]/g, escape);
}

/** Enough to recognize it, not enough to use it. @param {string} text */
export function hint(text) {
  return `${text.slice(0, text.length > 12 ? 4 : 1)}… (${text.length} characters)`;
}
