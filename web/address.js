/**
 * The view, kept in the page's own address, so that a link or a reload shows the same.
 *
 * In:  the query part of an address, or the state of the panels. Out: the other one.
 * Refuses to know: location and history (app.js has them), what a filter means. Pure.
 *
 *     /dashboard?all=level%3DERROR&server.chips=pending&clients.follow=0     /?files=a.jsonl,b.jsonl&filter=ping
 *
 * @typedef {{filter: string, chips: string[], follow: boolean}} PanelState
 */

import { CHIPS } from "./chips.js";

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
 * @param {Map<string, PanelState>} panels by name @param {string[] | null} files
 * @returns {string} with its question mark; empty when everything is as at the start
 */
export function queryOf(panels, files) {
  const query = new URLSearchParams();
  if (files !== null) query.set("files", files.join(","));
  for (const [name, panel] of panels) {
    if (panel.filter !== "") query.set(name, panel.filter);
    if (panel.chips.length > 0) query.set(`${name}.chips`, panel.chips.join(","));
    if (!panel.follow) query.set(`${name}.follow`, "0");
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
