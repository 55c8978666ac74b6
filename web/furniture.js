/**
 * What stands in the header of every page: the choice of a theme, the help, the keys.
 *
 * In:  what the page's own keys do. Out: working furniture. Refuses to know: records, panels.
 */

import { byId } from "./dom.js";
import { helpDialog, listenToKeys } from "./keys.js";
import { nextTheme, setTheme, theme } from "./theme.js";

/** @param {Record<string, (key: string) => void>} actions of the page, by key
 * @returns {() => void} goes on to the next theme */
export function furnish(actions) {
  const choice = /** @type {HTMLSelectElement} */ (byId("theme"));
  const help = /** @type {HTMLDialogElement} */ (byId("help"));
  const choose = (/** @type {string} */ name) => {
    choice.value = name;
    setTheme(name);
  };
  choice.value = theme();
  choice.addEventListener("change", () => choose(choice.value));
  byId("help-button").addEventListener("click", () => help.showModal());
  const next = () => choose(nextTheme(theme()));
  const all = { ...actions, "?": () => help.showModal(), t: next };
  helpDialog(help, all);
  listenToKeys(all);
  return next;
}
