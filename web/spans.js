/**
 * When calls began and ended, on one axis of time.
 *
 * In:  requests with their answers. Out: spans in milliseconds, an axis with round marks, places on it in percent.
 * Refuses to know: the page. Pure.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{start: number, end: number, open: boolean, unanswered?: boolean, handler: [number, number] | null,
 *   marks: number[]}} Span milliseconds since 1970; `open`: it has no answer yet; `unanswered`: nor was it given one;
 *     `marks`: what arrived in between
 * @typedef {{start: number, end: number, at: number}} Run `at`: its place on the axis
 * @typedef {{runs: Run[], size: number, sum: number, marks: {at: number, text: string, gap: boolean}[]}} Axis
 *     `sum`: milliseconds from the first to the last; `gap`: a mark behind time that is not drawn
 */

import { millis } from "./time.js";

/** A call without an answer is drawn to the end of the axis; it doesn't stretch the axis beyond this. */
const OPEN = 1000;

/** So many round marks at most. */
const MARKS = 8;

/** Percent between two marks, unless told. */
const APART = 7;

/** A silence longer than this part of all busy time is not drawn; what stands for it is this wide. */
const PAUSE = 0.3;
const GAP = 0.03;

/** @param {Rec} rec the request as its sender wrote it down, or as its receiver did @param {Rec[]} exchange
 * @returns {Span} */
export function spanOf(rec, exchange) {
  const start = millis(rec.ts) ?? 0;
  const over = rec.cancelled ?? rec.twin?.cancelled;
  const took = rec.ms ?? (over === undefined ? undefined : (millis(over.ts) ?? start) - start);
  const inside = rec.dir === "in" ? rec : rec.twin;
  const begun = inside === undefined ? undefined : millis(inside.ts);
  const marks = exchange.filter((each) => each.kind === "notification").map((each) => millis(each.ts) ?? start);
  return {
    start,
    end: start + Math.max(0, took ?? OPEN),
    open: took === undefined,
    unanswered: rec.ms === undefined,
    handler: begun === undefined || inside?.ms === undefined ? null : [begun, begun + inside.ms],
    marks,
  };
}

/**
 * The axis that holds all spans. While nothing runs no time is drawn: between two runs of calls stands a narrow gap.
 * @param {Span[]} spans @param {number} [apart] percent between the beginnings of two runs that are named
 * @returns {Axis}
 */
export function axisOf(spans, apart = APART) {
  const runs = runsOf(spans);
  if (runs.length === 0) return { runs: [], size: 1, marks: [], sum: 0 };
  const busy = runs.reduce((sum, run) => sum + run.end - run.start, 0);
  const gap = busy * GAP;
  let at = 0;
  for (const run of runs) {
    run.at = at;
    at += run.end - run.start + gap;
  }
  const axis = { runs, size: at - gap, marks: [], sum: runs[runs.length - 1].end - runs[0].start };
  return { ...axis, marks: runs.length === 1 ? steps(runs[0]) : starts(axis, apart) };
}

/** Times in which something runs, those that are near each other as one. What was never answered, such as a
 * subscription, may have been waiting all the while: only its beginning, its news and its end count.
 * @param {Span[]} spans @returns {Run[]} */
function runsOf(spans) {
  const point = (/** @type {number} */ at) => ({ start: at, end: at });
  const busy = spans.flatMap((span) => (span.unanswered ? [span.start, ...span.marks, span.end].map(point) : [span]));
  const sorted = busy.sort((a, b) => a.start - b.start);
  const longest = sorted.reduce((sum, span) => sum + span.end - span.start, 0) * PAUSE;
  /** @type {Run[]} */
  const runs = [];
  for (const { start, end } of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && start - last.end <= longest) last.end = Math.max(last.end, end);
    else runs.push({ start, end: Math.max(end, start + 0.001), at: 0 });
  }
  return runs;
}

/** @param {Run} run @returns {Axis["marks"]} */
function steps({ start, end }) {
  const step = roundStep((end - start) / MARKS);
  const count = Math.floor((end - start) / step) + 1;
  return Array.from({ length: count }, (_, i) => ({ at: start + i * step, text: named(i * step), gap: false }));
}

/** Where each run begins; those that would stand on one another are left out. @param {Axis} axis @param {number} apart */
function starts(axis, apart) {
  let before = -Infinity;
  return axis.runs.flatMap(({ start }, index) => {
    const here = percent(start, axis);
    if (here - before < apart) return [];
    before = here;
    return [{ at: start, text: `+${named(start - axis.runs[0].start)}`, gap: index > 0 }];
  });
}

/** @param {number} at @param {Axis} axis @returns {number} percent */
export function percent(at, { runs, size }) {
  const run = runs.findLast((each) => each.start <= at) ?? runs[0];
  if (run === undefined) return 0;
  const inside = Math.max(0, Math.min(at, run.end) - run.start);
  return Math.min(100, ((run.at + inside) / size) * 100);
}

/** 1, 2 or 5 times a power of ten. @param {number} least */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-6)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) ?? 10 * power;
}

/** @param {number} ms */
function named(ms) {
  if (ms === 0) return "0";
  const round = (/** @type {number} */ n) => String(Number(n.toPrecision(4)));
  if (ms < 1000) return `${round(ms)} ms`;
  return ms < 120_000 ? `${round(ms / 1000)} s` : `${round(ms / 60_000)} min`;
}
