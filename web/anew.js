/**
 * Drawing a part of the page anew without undoing what its reader did there.
 *
 * In:  a place in the page, and its new nodes. Out: the nodes in that place; what was unfolded or scrolled still is, and
 *      the keyboard is where it was. Refuses to know: what the nodes show.
 *
 * What is shown of a record is drawn anew whenever more is learned of it, and that may be in the middle of reading.
 */

/** What can be unfolded, scrolled, or have the keyboard. */
const TOUCHED = "a, button, details, input, pre, select, summary, textarea, [tabindex]";

/** @param {Element} place @param {(Node | string)[]} nodes */
export function drawAnew(place, nodes) {
  const before = [place, ...place.querySelectorAll(TOUCHED)];
  const names = namesOf(before);
  const active = document.activeElement;
  const stood = before.map((each, at) => ({
    name: names[at],
    open: each instanceof HTMLDetailsElement && each.open,
    top: each.scrollTop,
    left: each.scrollLeft,
    hasKeyboard: each === active,
  }));

  place.replaceChildren(...nodes);
  const after = [place, ...place.querySelectorAll(TOUCHED)];
  const found = new Map(namesOf(after).map((name, at) => [name, after[at]]));
  for (const { name, open } of stood) {
    const now = found.get(name);
    if (open && now instanceof HTMLDetailsElement) now.open = true;
  }
  for (const { name, top, left, hasKeyboard } of stood) {
    const now = found.get(name) ?? (hasKeyboard ? place : undefined);
    if (top + left > 0) now?.scrollTo({ top, left });
    if (hasKeyboard && now instanceof HTMLElement) now.focus({ preventScroll: true });
  }
}

/** Draws something else there, from its top; who was inside with the keyboard still is. @param {HTMLElement} place
 * @param {(Node | string)[]} nodes */
export function drawOther(place, nodes) {
  const hasKeyboard = place.contains(document.activeElement);
  place.replaceChildren(...nodes);
  place.scrollTop = 0;
  if (hasKeyboard) place.focus({ preventScroll: true });
}

/** By which an element is known again: what it is, what it says of itself, and which of several such it is.
 * @param {Element[]} elements */
function namesOf(elements) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return elements.map((element) => {
    const says = element instanceof HTMLDetailsElement ? element.querySelector("summary") : element;
    const own = element.id || /** @type {HTMLElement} */ (element).dataset.path;
    const name = `${element.tagName} ${own || (element.matches("pre") ? "" : says?.textContent)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return `${name} ${counts.get(name)}`;
  });
}
