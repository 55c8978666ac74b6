/**
 * Keys that work everywhere on the page.
 *
 * In:  key presses outside of text fields. Out: calls to the actions given. Refuses to know: what the actions do.
 */

import { h } from "./dom.js";

/** What `?` shows; the keys of a list are handled in rows.js and panels.js. */
const HELP = [
  ["↑ ↓  or  k j", "Select the row above or below"],
  ["Page Up, Page Down, Home, End", "Select further away"],
  ["Enter", "Open the inspector and go there"],
  ["Esc", "Close the inspector; in a filter box, clear it"],
  ["/", "Type a filter"],
  ["f", "Follow on or off"],
  ["1 2 3", "Go to a panel"],
  ["Ctrl K or ⌘ K", "Find a command"],
  ["v", "Next view: sequence, panels, waterfall, table"],
  ["z", "The first panel alone, or all of them"],
  ["s", "Save what is shown"],
  ["o", "Open a log file; or drop one on the page"],
  ["t", "Next theme: system, light, dark"],
  ["?", "This list"],
];

/** @param {HTMLDialogElement} dialog */
export function helpDialog(dialog) {
  dialog.append(
    h("h2", { id: "help-title" }, "Keys"),
    h(
      "dl",
      {},
      HELP.map(([keys, does]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, does))),
    ),
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
    h("form", { method: "dialog" }, h("button", { class: "plain" }, "Close")),
  );
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
