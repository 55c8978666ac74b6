/**
 * The tab *Timing*: where the time of an exchange went.
 *
 * In:  a record and the store. Out: nodes. Refuses to know: how records are paired (pairs.js does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./record.js").Rec} Rec
 */

import { split } from "./arrow.js";
import { h } from "./dom.js";
import { isAnswer, isPending } from "./pairs.js";
import { steps } from "./pairview.js";
import { between, clock, duration } from "./time.js";
import { endOf, title } from "./titles.js";

/** @type {View} */
export function timingView(rec, { store, jump }) {
  const all = store.exchange(rec);
  const request = isAnswer(rec) ? (rec.request ?? rec.twin?.request ?? rec) : rec;
  return [...parts(request), steps(all, rec, jump), ...causes(rec, jump)];
}

/** The sum, and what it is made of. @param {Rec} request */
function parts(request) {
  const { total, handler, network } = split(request);
  if (isPending(request)) return [h("p", { class: "note" }, `Asked at ${clock(request.ts)}; no answer has come yet.`)];
  if (request.cancelled !== undefined) {
    const after = between(request.ts, request.cancelled.ts);
    const words = endOf(request.cancelled) === "failed" ? "It failed" : "Given up";
    return [h("p", { class: "note" }, `${words} after ${duration(after)}.`)];
  }
  if (total === undefined && handler === undefined) return [];
  const bar = h("div", { class: "timing-bar", "aria-hidden": "true" }, h("i", { class: "handler" }), h("i", { class: "network" }));
  if (total !== undefined && handler !== undefined) {
    /** @type {HTMLElement} */ (bar.children[0]).style.width = `${Math.min(100, (handler / Math.max(total, 0.001)) * 100)}%`;
  }
  /** @type {[string, number | undefined][]} */
  const entries = [["Whole, as the asker saw it", total], ["In the handler", handler], ["On the way, both ways", network]];
  return [
    h("dl", { class: "times" }, entries.map(([name, ms]) => h("div", {}, h("dt", {}, name), h("dd", {}, duration(ms) || "not known")))),
    total === undefined || handler === undefined
      ? h("p", { class: "faint" }, "Only one end wrote this down, so handler and network can't be told apart.")
      : bar,
  ];
}

/** What led to it, and what ended it. @param {Rec} rec @param {(rec: Rec) => void} jump */
function causes(rec, jump) {
  /** @type {[string, Rec | undefined][]} */
  const ties = [["Caused by", rec.cause], ["Ended by", rec.cancelled]];
  return ties.flatMap(([words, other]) =>
    other === undefined || other.gone
      ? []
      : [h("p", {}, `${words} `, h("button", { type: "button", class: "plain", on: { click: () => jump(other) } }, `${title(other)} at ${clock(other.ts)}`))],
  );
}
