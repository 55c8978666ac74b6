/**
 * Two wires beside each other, and what differs between them.
 *
 * In:  the steps of an action in one era and in the other. Out: pairs of steps; the differences of a pair.
 * Refuses to know: where the steps come from, how they are drawn. Pure.
 *
 * Ids, traces, sessions and cursors differ between any two runs and say nothing about the era: they are passed over.
 *
 * @typedef {import("./twins.js").Step} Step
 * @typedef {{path: string, here: string, there: string}} Difference
 */

import { isObject } from "./json.js";
import { ALIKE } from "./twins.js";

/** Steps of both sides that do the same, beside each other. @param {Step[]} left @param {Step[]} right
 * @returns {[Step | null, Step | null][]} */
export function aligned(left, right) {
  /** @type {[Step | null, Step | null][]} */
  const rows = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const [one, other] = [left[a] ?? null, right[b] ?? null];
    if (one !== null && other !== null && kin(one, other)) rows.push([one, other]);
    else if (one !== null && (other === null || !left.slice(a).some((step) => kin(step, other))))
      rows.push([one, null]);
    else if (other !== null && (one === null || !right.slice(b).some((step) => kin(one, step))))
      rows.push([null, other]);
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
const PASSING =
  /(^message\.id$|traceparent$|requestState|[cC]ursor$|clientInfo|\.(done|text|data|description)$|structuredContent)/;

/** @param {Step} step @returns {Map<string, string>} */
function leaves(step) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const walk = (/** @type {any} */ value, /** @type {string} */ path, /** @type {number} */ depth) => {
    const deep =
      depth > 4 ||
      /\.(tools|resources|prompts|resourceTemplates|content|contents|arguments|inputRequests|inputResponses)$/.test(
        path,
      );
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
