/**
 * Bars on the lanes: while a server works on a request, while a client waits for its answer.
 *
 * In:  the window of a sequence. Out: bars in pixels. Refuses to know: the page. Pure.
 *
 * A bar may begin far above what is in sight; looking back ends after LOOKBACK rows.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./layout.js").Bar} Bar
 */

import { SLOT, yOf } from "./layout.js";
import { byTime } from "./record.js";

const LOOKBACK = 3000;
const SIDE_BY_SIDE = 5; // pixels
const MOST = 4; // side by side

/** @param {import("./layout.js").Window} view @param {number[]} xs @returns {Bar[]} */
export function barsOf(view, xs) {
  const { rows, lanes, first, last } = view;
  const top = rows.at(first)?.ts ?? "";
  /** @type {Bar[]} */
  const bars = [];
  /** Where the bars of a lane that are side by side end. @type {Map<number, number[]>} */
  const taken = new Map();
  for (let i = Math.max(0, first - LOOKBACK); i < last; i += 1) {
    const rec = rows.at(i);
    if (rec?.kind !== "request" || rec.dir === undefined) continue;
    const over = rec.answer ?? rec.cancelled ?? rec.twin?.cancelled;
    if (over !== undefined && i < first && over.ts < top) continue;
    const x = xs[lanes.placeOf(lanes.homeOf(rec))];
    const end = endOf(rec, over, view);
    if (x === undefined || end === null || end < first) continue;
    const column = columnOf(taken, x, i, end);
    bars.push({
      x: x + column * SIDE_BY_SIDE,
      y: yOf(i),
      height: Math.max(4, (Math.min(end, last + 20) - i) * SLOT),
      open: over === undefined,
      stream: rec.answer?.marks.streams === true || (rec.method ?? "").startsWith("subscriptions/"),
      kind: rec.dir === "in" ? "handler" : "waiting",
    });
  }
  return bars;
}

/** Index of the row where it ends; null for a request that nobody ever answered. @param {Rec} rec
 * @param {Rec | undefined} over @param {import("./layout.js").Window} view */
function endOf(rec, over, { rows, shows }) {
  if (over === undefined) return rec.ms === undefined ? rows.length : null;
  if (over.gone || !shows(over)) return null;
  const end = rows.find(over, byTime);
  return end < 0 ? null : end;
}

/** @param {Map<number, number[]>} taken @param {number} x @param {number} start @param {number} end */
function columnOf(taken, x, start, end) {
  const columns = taken.get(x) ?? [];
  taken.set(x, columns);
  let column = columns.findIndex((until) => until <= start);
  if (column < 0) column = Math.min(columns.length, MOST - 1);
  columns[column] = end;
  return column;
}
