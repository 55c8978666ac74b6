/**
 * Keys that work everywhere on the page.
 *
 * In:  key presses outside of text fields. Out: calls to the actions given. Refuses to know: what the actions do.
 */

import { h } from "./dom.js";

/** What `?` shows, and which action it needs; the keys of a list are handled in rows.js and panels.js. */
const HELP = [
  ["↑ ↓  or  k j", "Select the row above or below", "f"],
  ["Page Up, Page Down, Home, End", "Select further away", "f"],
  ["Enter", "Open the inspector and go there", "f"],
  ["Esc", "Close the inspector; in a filter box, clear it", "Escape"],
  ["/", "Type a filter; in the console, the body", "/"],
  ["f", "Follow on or off", "f"],
  ["1 2 3", "Go to a panel", "digit"],
  ["Ctrl K or ⌘ K", "Find a command", "f"],
  ["v", "Next view: sequence, panels, waterfall, table", "v"],
  ["z", "The first panel alone, or all of them", "z"],
  ["s", "Save what is shown", "s"],
  ["o", "Open a log file; or drop one on the page", "o"],
  ["t", "Next theme: system, light, dark", "t"],
  ["?", "This list", "?"],
];

/** @param {HTMLDialogElement} dialog @param {Record<string, unknown>} actions that this page has */
export function helpDialog(dialog, actions) {
  const filters = Object.hasOwn(actions, "f") ? aboutFilters() : [];
  dialog.append(
    h("h2", { id: "help-title" }, "Keys"),
    h(
      "dl",
      {},
      HELP.filter(([, , needed]) => Object.hasOwn(actions, needed)).map(([keys, does]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, does))),
    ),
    ...filters,
    h("form", { method: "dialog" }, h("button", { class: "plain" }, "Close")),
  );
}

/** @returns {HTMLElement[]} */
function aboutFilters() {
  return [
    h("h2", {}, "Filters"),
    h(
      "p",
      {},
      h("code", {}, "level=ERROR, component=mcp-server"),
      " and ",
      h("code", {}, "data.message.method~^tools/"),
      " and ",
      h("code", {}, "ms>500"),
      "; ",
      h("code", {}, "and or not ( )"),
      "; other words are looked for in the whole record.",
    ),
  ];
}

/** @param {Record<string, (key: string) => void>} actions by key; "digit" takes 1 to 9 */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target;
    // A field keeps the focus for a moment after the dialog around it has closed; nobody types into what can't be seen.
    const seen = target instanceof HTMLElement && target.checkVisibility();
    const typing = seen && target.matches("input:not([type=checkbox]), select, textarea");
    if (typing || document.querySelector("dialog[open]") !== null) return;
    const name = /^[1-9]$/.test(event.key) ? "digit" : event.key;
    if (!Object.hasOwn(actions, name)) return;
    event.preventDefault();
    actions[name](event.key);
  });
}
