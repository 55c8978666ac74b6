/**
 * The bar between the records and the inspector: it is drawn, or moved with the arrow keys, and stays where it was put.
 *
 * In:  the user's hand. Out: the inspector's share of the page, for the style sheet. Refuses to know: what stands on
 *      either side.
 *
 * On a wide page it stands between two columns, on a narrow one it lies between two rows; each has a size of its own.
 */

import { h } from "./dom.js";

const NARROW = matchMedia("(max-width: 1080px)"); // inspector.css says the same
const USUAL = { wide: 33, narrow: 50 }; // percent
const LEAST = 20;
const MOST = 80;
const STEP = 4;

/** @param {HTMLElement} inspector */
export function addSplitter(inspector) {
  const work = /** @type {HTMLElement} */ (inspector.parentElement);
  const bar = h("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    title: "Drag, or use the arrow keys; double-click for the usual size",
    "aria-label": "Size of the inspector",
    "aria-controls": inspector.id,
    "aria-valuemin": LEAST,
    "aria-valuemax": MOST,
  });
  const set = (/** @type {number} */ share) => {
    const percent = Math.round(Math.min(MOST, Math.max(LEAST, share)));
    work.style.setProperty(`--inspector-${way()}`, `${percent}%`);
    bar.setAttribute("aria-valuenow", String(percent));
    keep(percent);
  };
  const turn = () => {
    bar.setAttribute("aria-orientation", NARROW.matches ? "horizontal" : "vertical");
    set(kept());
  };
  NARROW.addEventListener("change", turn);
  bar.addEventListener("dblclick", () => set(USUAL[way()]));
  bar.addEventListener("keydown", (event) => {
    const share = keyed(event.key);
    if (share === null) return;
    event.preventDefault();
    set(share);
  });
  bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) set(drawn(event, work.getBoundingClientRect()));
  });
  inspector.prepend(bar);
  turn();
}

/** @returns {"wide" | "narrow"} */
function way() {
  return NARROW.matches ? "narrow" : "wide";
}

/** @param {string} key @returns {number | null} the share it asks for */
function keyed(key) {
  const more = key === "ArrowLeft" || key === "ArrowUp";
  const less = key === "ArrowRight" || key === "ArrowDown";
  if (more || less) return kept() + (more ? STEP : -STEP);
  if (key === "Home") return LEAST;
  if (key === "End") return MOST;
  return key === "Enter" ? USUAL[way()] : null;
}

/** @param {PointerEvent} event @param {DOMRect} box of both sides */
function drawn(event, box) {
  const part = NARROW.matches ? (box.bottom - event.clientY) / box.height : (box.right - event.clientX) / box.width;
  return part * 100;
}

/** @returns {number} percent */
function kept() {
  try {
    const share = Number(localStorage.getItem(`inspector-${way()}`));
    return share >= LEAST && share <= MOST ? share : USUAL[way()];
  } catch {
    return USUAL[way()]; // a browser that keeps nothing
  }
}

/** @param {number} share percent */
function keep(share) {
  try {
    localStorage.setItem(`inspector-${way()}`, String(share));
  } catch {
    // it is forgotten with the page
  }
}
