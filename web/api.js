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

/**
 * Why a record was written just then: what playground/telling/tell.py says. The records are for a record that stands in
 * no log of the viewer (its file was dropped on the page): those before it, oldest first, and itself.
 * @param {string} file @param {number} at @param {() => Record<string, any>[]} records
 * @returns {Promise<import("./telling.js").Telling>}
 */
export async function telling(file, at, records) {
  try {
    return JSON.parse(await ask(`/explain?${new URLSearchParams({ file, at: String(at) })}`));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return JSON.parse(await post("/explain", { records: records() }));
  }
}

/** The code that a record's `src` names. @param {string} src @returns {Promise<import("./codeview.js").Code>} */
export async function code(src) {
  return JSON.parse(await ask(`/source?${new URLSearchParams({ src })}`));
}

/** What the console has to offer. @returns {Promise<{server: string, path: string, preset: Record<string, any>[]}>} */
export async function presets() {
  return JSON.parse(await ask("/presets"));
}

/**
 * Has the viewer send something to its server; calls `tell` for each thing that happens, as it happens.
 * @param {import("./compose.js").Order} order @param {(told: Record<string, any>) => void} tell
 * @param {AbortSignal} [signal] leaves the request, and the server notices
 */
export async function relay(order, tell, signal) {
  const response = await send("/relay", order, signal);
  if (response.body === null) throw new Refused("The viewer's answer has no body.");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) tell(JSON.parse(line));
  }
}

/** @param {string} path @param {unknown} value @returns {Promise<string>} */
async function post(path, value) {
  return (await send(path, value)).text();
}

/** @param {string} path @param {unknown} value @param {AbortSignal} [signal] @returns {Promise<Response>} */
async function send(path, value, signal) {
  let response;
  try {
    const headers = { "Content-Type": "application/json" };
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(value), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("The viewer does not answer. Is log_viewer.py still running?");
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({ error: `The viewer answered HTTP ${response.status}.` }));
  throw new Refused(String(told.error));
}

/** Records that are shipped with the viewer: one client doing the same things in both eras.
 * @returns {Promise<Record<string, any>[]>} */
export async function shippedRecords() {
  return JSON.parse(await ask("/web/twins.json"));
}
