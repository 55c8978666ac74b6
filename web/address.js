/**
 * The view, kept in the page's own address, so that a link or a reload shows the same.
 *
 * In:  the query part of an address, or the state of the panels. Out: the other one.
 * Refuses to know: location and history (app.js has them), what a filter means. Pure.
 *
 *     /dashboard?view=table&all=level%3DERROR&server.chips=pending&clients.follow=0#mcp-server.jsonl@1200
 *     /?files=a.jsonl,b.jsonl&filter=ping
 *
 * @typedef {{filter: string, chips: string[], follow: boolean}} PanelState
 * @typedef {{view: string, solo: boolean}} ViewState `solo`: the first panel alone
 */

import { CHIPS } from "./chips.js";

/** The ways to look at the dashboard's records; the first is the usual one. */
export const VIEWS = ["sequence", "panels", "waterfall", "table"];

/** @param {string} query @returns {ViewState} */
export function viewFrom(query) {
  const given = new URLSearchParams(query);
  return { view: VIEWS.find((name) => name === given.get("view")) ?? VIEWS[0], solo: given.get("solo") === "1" };
}

/** The message that a link leads to: `#mcp-server.jsonl@1200`. @param {string} hash
 * @returns {{file: string, at: number} | null} */
export function messageFrom(hash) {
  const found = /^#(.+)@(\d{1,15})$/.exec(hash);
  if (found === null) return null;
  try {
    return { file: decodeURIComponent(found[1]), at: Number(found[2]) };
  } catch {
    return null; // a broken escape
  }
}

/** @param {{file: string, at: number} | null} message @returns {string} */
export function hashOf(message) {
  return message === null ? "" : `#${encodeURIComponent(message.file)}@${message.at}`;
}

/** @param {string} query @param {string} panel its name @returns {PanelState} */
export function panelFrom(query, panel) {
  const given = new URLSearchParams(query);
  const known = new Set(CHIPS.map((chip) => chip.name));
  return {
    filter: given.get(panel) ?? "",
    chips: (given.get(`${panel}.chips`) ?? "").split(",").filter((name) => known.has(name)),
    follow: given.get(`${panel}.follow`) !== "0",
  };
}

/** @param {string} query @returns {string[] | null} null: all files, also those made later */
export function filesFrom(query) {
  const files = new URLSearchParams(query).getAll("files").flatMap((names) => names.split(","));
  return files.length === 0 ? null : files.filter((name) => name !== "");
}

/**
 * @param {Map<string, PanelState>} panels by name @param {string[] | null} files @param {ViewState} [look]
 * @returns {string} with its question mark; empty when everything is as at the start
 */
export function queryOf(panels, files, look = { view: VIEWS[0], solo: false }) {
  const query = new URLSearchParams();
  if (look.view !== VIEWS[0]) query.set("view", look.view);
  if (look.solo) query.set("solo", "1");
  if (files !== null) query.set("files", files.join(","));
  for (const [name, panel] of panels) {
    if (panel.filter !== "") query.set(name, panel.filter);
    if (panel.chips.length > 0) query.set(`${name}.chips`, panel.chips.join(","));
    if (!panel.follow) query.set(`${name}.follow`, "0");
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
