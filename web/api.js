/**
 * The viewer's answers to single questions.
 *
 * In:  what to ask. Out: promises of parsed answers, or of one sentence that says what went wrong.
 * Refuses to know: the page, records.
 *
 * @typedef {{name: string, bytes: number, records?: number, modified?: string | number}} LogFile
 */

import { read } from "./json.js";

/** What the viewer refuses, as a sentence for the reader; `at` is where in the filter it goes wrong. */
export class Refused extends Error {
  /** @param {string} sentence @param {number} [at] */
  constructor(sentence, at) {
    super(sentence);
    this.at = at;
  }
}

/** @param {string} path @returns {Promise<string>} the body @throws {Refused} */
async function ask(path) {
  let response;
  try {
    response = await fetch(path, { headers: { Accept: "application/json" } });
  } catch {
    throw new Refused("The viewer does not answer. Is log_viewer.py still running?");
  }
  const body = await response.text();
  if (response.ok) return body;
  let told;
  try {
    told = JSON.parse(body);
  } catch {
    throw new Refused(`The viewer answered HTTP ${response.status}.`);
  }
  throw new Refused(String(told.error), typeof told.at === "number" ? told.at : undefined);
}

/** @returns {Promise<LogFile[]>} */
export async function files() {
  return JSON.parse(await ask("/files")).files;
}

/** @param {string} filter @returns {Promise<import("./match.js").Tree>} */
export async function filterTree(filter) {
  return JSON.parse(await ask(`/filter?q=${encodeURIComponent(filter)}`)).tree;
}

/** @returns {Promise<import("./explain.js").Texts>} */
export async function explanations() {
  return JSON.parse(await ask("/explanations"));
}

/**
 * The newest records of the files that pass the filter, oldest first, each as the text that the stream would send.
 * The answer is cut into its parts as text, so that no record is rewritten on the way.
 * @param {{files?: string[] | null, filter?: string, limit?: number}} wanted @returns {Promise<string[]>}
 */
export async function history({ files: names = null, filter = "", limit }) {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set("limit", String(limit));
  if (names !== null) query.set("files", names.join(","));
  if (filter !== "") query.set("filter", filter);
  const body = await ask(`/history?${query}`);
  const events = read(body).children.find((member) => member.key === "events");
  return (events?.children ?? []).map((event) => body.slice(event.start, event.end));
}
