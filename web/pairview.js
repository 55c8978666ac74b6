/**
 * The tab *Pair*: the other records of the same exchange, and where its time went.
 *
 * In:  a record and the store. Out: nodes. Refuses to know: how records are paired (pairs.js does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./record.js").Rec} Rec
 */

import { h } from "./dom.js";
import { isPending } from "./pairs.js";
import { badge } from "./row.js";
import { between, duration } from "./time.js";
import { direction, shortName, title } from "./titles.js";
import { visible } from "./visible.js";

/**
 * The records of an exchange, each with the time since the first; pressing leads to it.
 * @param {Rec[]} all @param {Rec} rec that is shown @param {(rec: Rec) => void} jump
 */
export function steps(all, rec, jump) {
  return h(
    "ol",
    { class: "pair", "aria-label": "Records of this exchange" },
    all.map((each) => h("li", {}, step(each, all[0].ts, each === rec, jump))),
  );
}

/** @param {Rec} rec @param {string} first a timestamp @param {boolean} isShown @param {(rec: Rec) => void} jump */
function step(rec, first, isShown, jump) {
  return h(
    "button",
    { type: "button", "aria-current": isShown ? "true" : null, data: { side: rec.side }, on: { click: () => jump(rec) } },
    h("span", { class: "after" }, `+${duration(between(first, rec.ts) ?? 0) || "0 ms"}`),
    h("span", { class: "component" }, visible(shortName(rec.component), 24)),
    h("span", { class: "peer" }, direction(rec)),
    h("span", { class: "method" }, rec.dir === undefined ? visible(rec.event, 60) : `${rec.kind} ${title(rec)}`),
    h("span", { class: "badges" }, rec.badges.map(badge)),
  );
}

/** @type {View} */
export function pairView(rec, { store, jump }) {
  if (rec.exchange === undefined) return [h("p", {}, "This record belongs to no request.")];
  const all = store.exchange(rec);
  return [
    ...times(all),
    steps(all, rec, jump),
    h(
      "p",
      { class: "faint" },
      all.length === 1
        ? "No other record of this exchange is kept here."
        : "Each line is one record; choose one to see it.",
    ),
  ];
}

/** Round trip, handler and what lies between. @param {Rec[]} all */
function times(all) {
  const requests = all.filter((each) => each.kind === "request");
  const sent = requests.find((each) => each.dir === "out");
  const handled = requests.find((each) => each.dir === "in");
  const took = (/** @type {Rec} */ rec) => (isPending(rec) ? "pending" : duration(rec.ms));
  /** @type {[string, string][]} */
  const entries = [];
  if (sent !== undefined) entries.push(["Round trip", took(sent)]);
  if (handled !== undefined) entries.push(["In the handler", took(handled)]);
  if (sent?.ms !== undefined && handled?.ms !== undefined) entries.push(["On the way", duration(sent.ms - handled.ms)]);
  return entries.length === 0
    ? []
    : [
        h(
          "dl",
          { class: "times" },
          entries.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))),
        ),
      ];
}
