/**
 * What the command palette offers.
 *
 * In:  the page's parts. Out: commands with a name, a key and what they do. Refuses to know: how they are chosen.
 *
 * @typedef {{name: string, key: string, run: () => void}} Command
 * @typedef {{stage: import("./stage.js").Stage, opened: import("./opened.js").OpenedFile, inspector: Inspector,
 *   save: import("./save.js").SaveDialog, nextTheme?: () => void}} Parts
 * @typedef {import("./inspector.js").Inspector} Inspector
 */

import { CHIPS } from "./chips.js";
import { byId } from "./dom.js";
import { TITLES } from "./views.js";

/** @param {Parts} parts @returns {Command[]} */
export function commandsOf({ stage, opened, inspector, save, nextTheme }) {
  const { first, active, switch: views } = stage;
  const go = (/** @type {string} */ path) => () => location.assign(path);
  /** @type {Command[]} */
  const looks = [...TITLES].map(([view, title]) => ({ name: `View: ${title}`, key: "v", run: () => views?.choose(view) }));
  const chips = CHIPS.map((chip) => ({ name: `Show only: ${chip.name}`, key: "", run: () => first.box.toggle(chip.name) }));
  return [
    ...(views === null ? [] : [...looks, { name: "The first panel alone, or all", key: "z", run: () => views.toggleSolo() }]),
    { name: "Type a filter", key: "/", run: () => active.box.input.focus() },
    { name: "Clear the filter", key: "", run: () => first.box.clear() },
    ...chips,
    { name: "Follow on or off", key: "f", run: () => active.setFollow(!active.follow) },
    { name: "Save what is shown", key: "s", run: () => save.open() },
    { name: "Open a log file", key: "o", run: () => opened.choose() },
    ...(opened.isOpen ? [{ name: "Back to live", key: "", run: () => opened.close() }] : []),
    ...(inspector.isOpen ? [{ name: "Close the inspector", key: "Esc", run: () => inspector.close() }] : []),
    { name: "Next theme: system, light, dark", key: "t", run: () => nextTheme?.() },
    { name: "Keys and filters", key: "?", run: () => byId("help-button").click() },
    { name: "Page: Dashboard", key: "", run: go("/dashboard") },
    { name: "Page: Basic view", key: "", run: go("/") },
    { name: "Page: Console", key: "", run: go("/console") },
    { name: "Page: README", key: "", run: go("/readme") },
  ];
}
