/**
 * Where everything of the sequence view stands: lanes, arrows, notes, bars of activity, ties.
 *
 * In:  rows in order of time, their lanes, the window of rows in sight, a width. Out: pixels and texts.
 * Refuses to know: the page, elements. Pure.
 *
 * Theory of operation. Each row is a slot of one height, so a hundred thousand of them are arithmetic. An arrow leaves
 * in the slot of the sender's record and lands in that of the receiver's; what both ends wrote is one arrow, and who
 * wrote second has no arrow of its own. Only what touches the window is laid out: its rows, the other ends of their
 * arrows wherever these are, and the bars of calls that began up to LOOKBACK rows before and are not over.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./arrow.js").Told} Told
 * @typedef {{rows: import("./tape.js").Tape<Rec>, lanes: import("./lanes.js").Lanes, shows: (rec: Rec) => boolean,
 *   first: number, last: number, width: number, now: string}} Window
 * @typedef {{rec: Rec, said: Told, name: string, y: number, label: import("./label.js").Part[], x: number, dx: number,
 *   dy: number, seen: "both" | "sender" | "receiver"}} Item `dx` 0: a note; x, y: where it leaves; y is in the content
 * @typedef {{x: number, y: number, height: number, open: boolean, stream: boolean, kind: "handler" | "waiting"}} Bar
 * @typedef {{x: number, y: number, height: number, kind: "again" | "wish" | "cancel"}} Tie
 * @typedef {{y: number, text: string, big: boolean}} Tick
 * @typedef {{xs: number[], width: number, items: Item[], bars: Bar[], ties: Tie[], ticks: Tick[], pending: boolean}} Drawing
 */

import { sentenceOf, told } from "./arrow.js";
import { barsOf } from "./bars.js";
import { fit } from "./label.js";
import { isArrival } from "./legs.js";
import { byTime } from "./record.js";
import { between, clock, duration } from "./time.js";

/** Height of a slot, pixels. */
export const SLOT = 18;

const GUTTER = 92; // of the times, and on both sides of the outermost lanes
const EDGE = 72;
const NARROWEST = 138; // between two lanes
const NARROW = 900; // a view that is narrower puts the lanes nearer together, so that a chat's six lanes fit
const SQUEEZED = { gutter: 80, edge: 54, least: 108 };
const PAUSE = 1000; // ms of silence that are marked

/** Where a slot's line is, counted from the top of the content. @param {number} index */
export function yOf(index) {
  return index * SLOT + SLOT - 4;
}

/** @param {number} count of lanes @param {number} width in sight @returns {{xs: number[], width: number}} */
export function lanesAt(count, width) {
  const usual = { gutter: GUTTER, edge: EDGE, least: NARROWEST };
  const { gutter, edge, least } = width < NARROW ? SQUEEZED : usual;
  const room = Math.max(width, gutter + 2 * edge + least * (count - 1)) - gutter - 2 * edge;
  const step = count > 1 ? Math.floor(Math.min(room / (count - 1), 760)) : 0;
  const spare = count > 1 ? Math.floor((room - step * (count - 1)) / 2) : Math.floor(room / 2);
  const xs = Array.from({ length: count }, (_, i) => gutter + edge + spare + i * step);
  return { xs, width: gutter + 2 * edge + room };
}

/** @param {Window} view @returns {Drawing} */
export function layout(view) {
  const { rows, lanes, first, last } = view;
  const { xs, width } = lanesAt(lanes.list.length, view.width);
  /** @type {Map<Rec, Item>} */
  const items = new Map();
  const ties = [];
  for (let i = first; i < last; i += 1) {
    const rec = /** @type {Rec} */ (rows.at(i));
    const twin = isArrival(rec) && rec.twin !== undefined && view.shows(rec.twin) ? rec.twin : undefined;
    const sender = twin ?? rec;
    const at = twin === undefined ? i : rows.find(sender, byTime);
    if (!items.has(sender)) items.set(sender, item(sender, at < 0 ? i : at, xs, { ...view, width }));
    const tie = tieOf(rec, i, xs, view);
    if (tie !== null) ties.push(tie);
  }
  const all = [...items.values()].sort((a, b) => a.y - b.y);
  const pending = all.some((each) => each.said.time.startsWith("pending"));
  return { xs, width, items: all, bars: barsOf(view, xs), ties, ticks: ticksOf(view), pending };
}

/** @param {Rec} rec @param {number} index of its row @param {number[]} xs @param {Window} view @returns {Item} */
function item(rec, index, xs, { rows, lanes, shows, now, width }) {
  const leg = lanes.legOf(rec);
  const home = lanes.homeOf(rec);
  const said = told(rec, leg, now);
  const from = xs[lanes.placeOf(leg?.from ?? home)] ?? xs[0] ?? GUTTER;
  const to = xs[lanes.placeOf(leg?.to ?? home)] ?? from;
  const landing = rec.twin !== undefined && shows(rec.twin) ? rows.find(rec.twin, byTime) : index;
  const name = sentenceOf(rec, leg, said, home);
  const base = { rec, said, name, y: yOf(index), x: from, dx: to - from };
  const room = leg === null ? noteRoom(from, xs, width) : Math.abs(to - from) - 26;
  return { ...base, dy: Math.max(0, landing - index) * SLOT, seen: seenOf(rec), label: fit(said, room, leg === null) };
}

/** A note stands on its lane and stays clear of its neighbors. @param {number} x @param {number[]} xs
 * @param {number} width */
function noteRoom(x, xs, width) {
  const step = xs.length > 1 ? xs[1] - xs[0] : width;
  return Math.min(step - 20, 2 * (width - x) - 16, 2 * (x - GUTTER) + 60, 330) - 14;
}

/** @param {Rec} rec @returns {Item["seen"]} */
function seenOf(rec) {
  if (rec.twin !== undefined || rec.peer === "llm" || rec.peer === "user" || rec.dir === undefined) return "both";
  return rec.dir === "out" ? "sender" : "receiver";
}

/** From what caused a record to the record, on the lane of its writer. @param {Rec} rec @param {number} index
 * @param {number[]} xs @param {Window} view @returns {Tie | null} */
function tieOf(rec, index, xs, { rows, lanes, shows }) {
  const { cause } = rec;
  if (cause === undefined || rec.dir === undefined || cause.gone || !shows(cause)) return null;
  const from = rows.find(cause, byTime);
  const x = xs[lanes.placeOf(lanes.homeOf(rec))];
  if (from < 0 || from >= index || x === undefined) return null;
  const kind = cause.kind === "result" ? "again" : cause.kind === "request" ? "cancel" : "wish";
  return { x, y: yOf(from), height: (index - from) * SLOT, kind };
}

/** The margin: how much later than the row before; after a silence the time of day. @param {Window} view */
function ticksOf({ rows, first, last }) {
  /** @type {Tick[]} */
  const ticks = [];
  for (let i = first; i < last; i += 1) {
    const ts = rows.at(i)?.ts;
    const later = between(rows.at(i - 1)?.ts, ts);
    const big = later === undefined || later >= PAUSE;
    const text = big ? clock(ts) : later < 0.05 ? "" : `+${duration(later)}`;
    if (text !== "") ticks.push({ y: yOf(i), text, big });
  }
  return ticks;
}

/**
 * The arrow that a key selects. @param {string} key @param {Rec | null} selected @param {Pick<Window, "rows" | "shows">} view
 * @param {number} page slots in sight @returns {Rec | null}
 */
export function stepTo(key, selected, { rows, shows }, page) {
  const down = key === "ArrowDown" || key === "j" || key === "PageDown" || key === "Home";
  const up = key === "ArrowUp" || key === "k" || key === "PageUp" || key === "End";
  if ((!down && !up) || rows.length === 0) return null;
  const fresh = selected === null || key === "Home" || key === "End";
  const from = fresh ? (key === "Home" ? -1 : rows.length) : rows.find(selected, byTime);
  const stride = key.startsWith("Page") ? Math.max(1, page) : 1;
  const way = down && !(fresh && key !== "Home") ? 1 : -1;
  let found = null;
  for (let i = from + way, left = stride; i >= 0 && i < rows.length && left > 0; i += way) {
    const rec = /** @type {Rec} */ (rows.at(i));
    if (isArrival(rec) && rec.twin !== undefined && shows(rec.twin)) continue;
    found = rec;
    left -= 1;
  }
  return found;
}
