/**
 * The tab *Era twin*: the same action in the other era, both wires side by side, and what differs.
 *
 * In:  a record. Out: nodes. Refuses to know: what belongs to an action (twins.js does), what a field means
 *      (explain.js).
 *
 * The counterpart is taken from the logs if it is there, as after `client.py --revision both`; else from a recording
 * that is shipped with the viewer, and then it says so.
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./twins.js").Step} Step
 * @typedef {import("./twins.js").Wire} Wire
 */

import { shippedRecords } from "./api.js";
import { aligned, differences } from "./contrast.js";
import { h } from "./dom.js";
import { Store } from "./store.js";
import { Asked } from "./telling.js";
import { differing } from "./twinlist.js";
import { actionOf, counterpart, wireOf } from "./twins.js";
import { visible, visibleLines } from "./visible.js";

const ERAS = { handshake: "Handshake era", stateless: "Stateless era" };
const SHOWN = 6000;

/** @type {Asked<object>} */
const asked = new Asked();
const key = {};

/** @type {WeakMap<import("./record.js").Rec, {found: import("./record.js").Rec | undefined, length: number}>} */
const searched = new WeakMap();

/** @type {View} */
export function twinView(rec, { store, texts, learned }) {
  const action = actionOf(rec, store);
  if (action === null)
    return [h("p", {}, "Only what a client asked, and what belongs to that, has a twin in the other era.")];
  let found = inLog(action, store);
  let home = store;
  if (found === undefined) {
    const known = asked.about(key, load, learned);
    if (known.problem !== undefined) return [h("p", { class: "note" }, known.problem)];
    if (known.value === undefined)
      return [h("p", { class: "faint", role: "status" }, "Looking for it in the recording …")];
    home = /** @type {Store} */ (known.value);
    found = counterpart(action, home);
  }
  const here = wireOf(action.request, store);
  if (found === undefined) {
    const other = here.era === "stateless" ? "handshake" : "stateless";
    return [
      h(
        "p",
        { class: "note" },
        `The ${other} era has nothing that corresponds to ${visible(action.name, 60)}; `,
        "the tab Explain says what it does instead.",
      ),
      h(
        "div",
        { class: "twins single" },
        h("h3", {}, ERAS[/** @type {"handshake"} */ (here.era)]),
        here.steps.map((step) => stepOf(step, new Set())),
      ),
    ];
  }
  const there = wireOf(found, home);
  return drawn(here, there, home === store, texts());
}

/** Its counterpart in the logs: one that was found stays, for nothing before it changes; else the log has to grow.
 * @param {NonNullable<ReturnType<typeof actionOf>>} action @param {Store} store */
function inLog(action, store) {
  const before = searched.get(action.request);
  if (before !== undefined && (before.found !== undefined ? !before.found.gone : before.length === store.log.length)) {
    return before.found;
  }
  const found = counterpart(action, store);
  searched.set(action.request, { found, length: store.log.length });
  return found;
}

/** The shipped recording, as a store of its own. */
async function load() {
  const own = new Store();
  for (const [at, record] of (await shippedRecords()).entries()) {
    own.admit(`{"file":"twins.json","at":${at},"record":${JSON.stringify(record)}}`);
  }
  return own;
}

/** @param {Wire} here @param {Wire} there @param {boolean} isLogged @param {import("./explain.js").Texts} texts */
function drawn(here, there, isLogged, texts) {
  const [left, right] = here.era === "handshake" ? [here, there] : [there, here];
  const rows = aligned(left.steps, right.steps);
  const pairs = rows.map(([a, b]) => (a !== null && b !== null ? differences(a, b) : []));
  return [
    h(
      "p",
      { class: "faint" },
      isLogged
        ? "Both are in the logs."
        : "The other side is from a recording that is shipped with the viewer: the logs have none.",
      " Ids, traces and contents that differ between any two runs are passed over.",
    ),
    h(
      "div",
      { class: "twins" },
      h("h3", {}, ERAS.handshake),
      h("h3", {}, ERAS.stateless),
      rows.flatMap(([a, b], index) => {
        const marked = new Set(pairs[index].map((each) => each.path.split(".").pop() ?? ""));
        return [
          a === null ? absent("handshake") : stepOf(a, marked, ERAS.handshake),
          b === null ? absent("stateless") : stepOf(b, marked, ERAS.stateless),
        ];
      }),
    ),
    differing(pairs.flat(), texts),
  ];
}

/** @param {"handshake" | "stateless"} era */
function absent(era) {
  return h("p", { class: "step absent faint" }, `The ${era} era has no such step.`);
}

/** @param {Step} step @param {Set<string>} marked names of members that differ @param {string} [era] said where the
 * two columns have become one */
function stepOf(step, marked, era = "") {
  const line = [step.http.method, step.http.path].filter((part) => part !== undefined).join(" ");
  const head = [line, step.http.status === undefined ? "" : `HTTP ${step.http.status}`]
    .filter((part) => part !== "")
    .join(" ");
  const headers = Object.entries(step.http.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = JSON.stringify(step.message, null, 2).slice(0, SHOWN).split("\n");
  const mark = (/** @type {string} */ text, /** @type {string} */ name) => {
    const shown = visibleLines(`${text}\n`);
    return marked.has(name) || [...marked].some((each) => name.endsWith(each) && each.includes("/"))
      ? h("mark", {}, shown)
      : shown;
  };
  return h(
    "div",
    { class: "step", data: { sender: step.sender } },
    h(
      "h4",
      {},
      `${step.sender === "client" ? "→" : "←"} ${visible(step.title, 60)}`,
      era === "" ? null : h("span", { class: "step-era faint" }, era),
    ),
    h(
      "pre",
      { class: "raw", tabindex: "0" },
      head === "" ? "" : `${visible(head, 200)}\n`,
      headers.map((text) => mark(text, text.slice(0, text.indexOf(":")))),
      body.map((text) => mark(text, /^\s*"([^"]+)":/.exec(text)?.[1] ?? "")),
    ),
  );
}
