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

/** @type {View} */
export function pairView(rec, { store, jump }) {
  if (rec.exchange === undefined) return [h("p", {}, "This record belongs to no request.")];
  const all = store.exchange(rec);
  const first = all[0].ts;
  return [
    ...times(all),
    h(
      "ol",
      { class: "pair" },
      all.map((each) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              "aria-current": each === rec ? "true" : null,
              data: { side: each.side },
              on: { click: () => jump(each) },
            },
            h("span", { class: "after" }, `+${duration(between(first, each.ts) ?? 0) || "0 ms"}`),
            h("span", { class: "component" }, visible(shortName(each.component), 24)),
            h("span", { class: "peer" }, direction(each)),
            h(
              "span",
              { class: "method" },
              each.dir === undefined ? visible(each.event, 60) : `${each.kind} ${title(each)}`,
            ),
            h("span", { class: "badges" }, each.badges.map(badge)),
          ),
        ),
      ),
    ),
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
