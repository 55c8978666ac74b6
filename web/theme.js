/**
 * Light, dark, or what the system says.
 *
 * In:  the user's choice, kept in this browser. Out: `data-theme` on the root element; theme.css does the rest.
 * Refuses to know: any color. Runs before the first paint, so that a dark page does not flash.
 */

const KEY = "theme";
const CHOICES = ["system", "light", "dark"];

/** @returns {string} */
export function theme() {
  let kept = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // Storage may be forbidden; then the choice lasts as long as the page.
  }
  return CHOICES.find((choice) => choice === kept) ?? "system";
}

/** @param {string} choice */
export function setTheme(choice) {
  document.documentElement.dataset.theme = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // as above
  }
}

/** @param {string} now @returns {string} */
export function nextTheme(now) {
  return CHOICES[(CHOICES.indexOf(now) + 1) % CHOICES.length];
}

document.documentElement.dataset.theme = theme();
