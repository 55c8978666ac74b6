/**
 * The lines of an arrow, as SVG paths.
 *
 * In:  an item of layout.js. Out: path texts and places, relative to where the arrow leaves.
 * Refuses to know: elements; the page and the saved file draw the same. Pure.
 *
 * Outcomes differ in shape: a request ends in a full head, an answer is dashed and ends in an open one, a
 * notification in half a head, a cancellation against a bar, a protocol error in a cross, a tool's own error in a
 * diamond. An end that nobody wrote down is a ring, and the way there is dotted.
 *
 * @typedef {import("./layout.js").Item} Item
 * @typedef {{hit: string, shaft: string, tail: string, head: string, turn: string, x: number, y: number,
 *   anchor: "start" | "middle" | "end"}} Shapes
 */

import { CHAR } from "./label.js";
import { SLOT } from "./layout.js";

/** Heads for an arrow that goes to the right and ends at 0, 0. @type {Record<string, string>} */
const HEADS = {
  request: "M0 0 L-9 -4.5 L-9 4.5 Z",
  result: "M-9 -4.5 L0 0 L-9 4.5",
  notification: "M-9 -4.5 L0 0",
  error: "M-9 -4.5 L0 4.5 M-9 4.5 L0 -4.5",
  "tool-error": "M0 0 L-6 -4.5 L-12 0 L-6 4.5 Z",
  cancel: "M-9 -4.5 L0 0 L-9 4.5 M1 -6 V6",
  http: "M-7 -3.5 L0 0 L-7 3.5",
  model: "M-9 -4.5 L0 0 L-9 4.5",
  wish: "M-9 -4.5 L0 0 L-9 4.5",
  batch: "M0 0 L-9 -4.5 L-9 4.5 Z",
  unparsed: "M-9 -4.5 L0 4.5 M-9 4.5 L0 -4.5",
};
const RING = "M-8 0 A4 4 0 1 1 0 0 A4 4 0 1 1 -8 0";

/** @param {Item} item @returns {Shapes} */
export function shapesOf({ dx, dy, seen, said, label }) {
  if (dx === 0) {
    const half = (label.reduce((sum, part) => sum + part.text.length + 1, -1) * CHAR) / 2 + 7;
    const hit = `M${-half} -11 H${half} V4 H${-half} Z`;
    return { hit, shaft: "", tail: "", head: "", turn: "", x: 0, y: 0, anchor: "middle" };
  }
  const way = Math.sign(dx);
  const gap = 2 * way; // the lifeline stays visible
  const from = seen === "receiver" ? dx * 0.3 : gap;
  const to = seen === "sender" ? dx * 0.7 : dx - gap;
  const at = (/** @type {number} */ x) => round((dy * x) / dx);
  const line = (/** @type {number} */ a, /** @type {number} */ b) => `M${round(a)} ${at(a)} L${round(b)} ${at(b)}`;
  const rest = seen === "sender" ? line(dx * 0.7, dx - 10 * way) : seen === "receiver" ? line(0, dx * 0.3) : "";
  return {
    hit: `M0 ${4 - SLOT} H${dx} V${dy + 4} L0 4 Z`,
    shaft: line(from, to),
    tail: rest,
    head: seen === "sender" ? RING : (HEADS[said.shape] ?? HEADS.request),
    turn: `translate(${dx - gap} ${dy}) rotate(${round((Math.atan2(dy, dx) * 180) / Math.PI)})`,
    x: 12 * way,
    y: -4,
    anchor: way > 0 ? "start" : "end",
  };
}

/** @param {number} n */
function round(n) {
  return Math.round(n * 10) / 10;
}
