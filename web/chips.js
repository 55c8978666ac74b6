/**
 * The quick choices above a list: errors, pending, slow.
 *
 * In:  a record with its links. Out: yes or no. Refuses to know: filters, the page. Pure.
 *
 * They are not filters of the grammar, because they ask what only pairing knows, and the answer may change when
 * the next record arrives.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { isPending } from "./pairs.js";

/** An answer that took longer than this is slow, milliseconds. */
export const SLOW = 500;

/** @type {{name: string, title: string, holds: (rec: Rec) => boolean}[]} */
export const CHIPS = [
  { name: "errors", title: "Protocol errors, isError, HTTP 4xx and 5xx, broken lines", holds: (rec) => rec.bad },
  { name: "pending", title: "Requests that have no answer yet", holds: isPending },
  { name: "slow", title: `Answered after more than ${SLOW} ms`, holds: (rec) => (rec.ms ?? 0) > SLOW },
];

/**
 * Several chips widen the choice: errors and slow shows both kinds. None lets all through.
 * @param {Rec} rec @param {Set<string>} chosen
 */
export function chipsHold(rec, chosen) {
  return chosen.size === 0 || CHIPS.some((chip) => chosen.has(chip.name) && chip.holds(rec));
}
