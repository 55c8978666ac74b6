/**
 * What a list says when it has nothing to show.
 *
 * In:  the situation. Out: a few words, and the command to type next. Refuses to know: records.
 *
 * @typedef {{state: import("./stream.js").State, lost: boolean, records: number}} Situation
 * @typedef {Situation & {panel: string, narrowed: boolean, clear: () => void}} Case
 */

import { h } from "./dom.js";

const QUIET = new Map([
  ["server", "Nothing from a server yet."],
  ["clients", "Nothing from a client yet."],
]);

/** @param {HTMLElement} place @param {Case | null} situation null: there are rows */
export function emptyState(place, situation) {
  const key = situation === null ? "" : which(situation);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.hidden = situation === null;
  place.replaceChildren(...(situation === null ? [] : words(key, situation)));
}

/** @param {Case} situation */
function which({ state, lost, records, panel, narrowed }) {
  const beside = panel === "server" || panel === "clients"; // the panel before them says more
  if (records === 0 && !beside && lost) return "lost";
  if (records === 0 && !beside && state !== "live") return "loading";
  if (narrowed) return "narrowed";
  return records > 0 || beside ? "quiet" : "none";
}

/** @param {string} key @param {Case} situation @returns {HTMLElement[]} */
function words(key, situation) {
  if (key === "loading") return [h("p", { class: "lead" }, "Reading the logs…")];
  if (key === "lost") {
    return [
      h("p", { class: "lead" }, "The viewer does not answer."),
      h("p", {}, "Start it again; this page goes on by itself."),
      command("uv run python log_viewer.py"),
    ];
  }
  if (key === "narrowed") {
    return [
      h("p", { class: "lead" }, "No record matches."),
      h("button", { type: "button", class: "plain", on: { click: situation.clear } }, "Clear the filter"),
    ];
  }
  if (key === "quiet") return [h("p", {}, QUIET.get(situation.panel) ?? "Nothing in the chosen files yet.")];
  return [
    h("p", { class: "lead" }, "No traffic yet."),
    h("p", {}, "Let a client talk to a server:"),
    command("make demo"),
    h("p", {}, "or, step by step, in two more terminals:"),
    command("uv run python server.py"),
    command("uv run python client.py"),
    h("p", { class: "faint" }, "This page fills by itself."),
  ];
}

/** @param {string} text */
function command(text) {
  return h("p", { class: "command" }, h("code", {}, text));
}
