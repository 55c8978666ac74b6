/**
 * The inspector: everything about one record, in tabs.
 *
 * In:  a record. Out: the tab's view of it. Refuses to know: how the record was chosen, what a view draws.
 *
 * A view is a function `(rec, context) -> nodes`; a new tab is a line in TABS.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{store: import("./store.js").Store, texts: () => import("./explain.js").Texts, jump: (rec: Rec) => void,
 *   narrow: (filter: string) => void, redraw: () => void, learned: () => void}} Context to call `learned` says that there
 *   is more to show, `redraw` that it must be shown at once
 * @typedef {(rec: Rec, context: Context) => Node[]} View
 */

import { codeView } from "./codeview.js";
import { explainView } from "./explainview.js";
import { httpView } from "./httpview.js";
import { jsonView } from "./jsonview.js";
import { modelView } from "./modelview.js";
import { pairView } from "./pairview.js";
import { sendView } from "./sendview.js";
import { twinView } from "./twinview.js";
import { timingView } from "./timingview.js";
import { drawAnew, drawOther } from "./anew.js";
import { h } from "./dom.js";
import { badge } from "./row.js";
import { clock } from "./time.js";
import { direction, shortName, title, wait } from "./titles.js";
import { quoted } from "./quoted.js";
import { visible } from "./visible.js";

/** @type {{name: string, label: string, view: View}[]} */
const TABS = [
  { name: "explain", label: "Explain", view: explainView },
  { name: "json", label: "JSON", view: jsonView },
  { name: "http", label: "HTTP", view: httpView },
  { name: "timing", label: "Timing", view: timingView },
  { name: "pair", label: "Pair", view: pairView },
  { name: "code", label: "Code", view: codeView },
  { name: "twin", label: "Era twin", view: twinView },
  { name: "model", label: "Model", view: modelView },
  { name: "send", label: "Console", view: sendView },
];

export class Inspector {
  /**
   * @param {HTMLElement} place
   * @param {Omit<Context, "redraw" | "learned" | "store"> & {store: () => import("./store.js").Store}} given
   * @param {() => void} closed
   */
  constructor(place, given, closed) {
    this.place = place;
    const { store, ...context } = given;
    this.context = {
      ...context,
      learned: () => this.learned(),
      redraw: () => this.redraw(),
      get store() {
        return store(); // it changes when a file is opened
      },
    };
    this.closed = closed;
    this.tab = TABS[0];
    /** @type {Rec | null} */
    this.rec = null;
    this.rev = -1;
    this.drawn = { rec: this.rec, tab: this.tab };
    this.head = h("div", { class: "inspector-head" });
    this.buttons = TABS.map((tab) => tabButton(tab, () => this.choose(tab)));
    this.body = h("div", { class: "inspector-body", id: "inspector-body", role: "tabpanel", tabindex: "0" });
    document.addEventListener("selectionchange", () => this.refresh());
    const keys = { keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) };
    place.append(
      h("div", { class: "inspector-top" }, this.head, closeButton(() => this.close())),
      h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the record", on: keys }, this.buttons),
      this.body,
    );
  }

  get isOpen() {
    return !this.place.hidden;
  }

  /** @param {Rec} rec */
  show(rec) {
    this.rec = rec;
    this.place.hidden = false;
    this.redraw();
  }

  focus() {
    this.buttons[TABS.indexOf(this.tab)].focus();
  }

  close() {
    if (!this.isOpen) return;
    this.place.hidden = true;
    this.closed();
  }

  /** @param {typeof TABS[number]} tab */
  choose(tab) {
    this.tab = tab;
    this.redraw();
  }

  /** Shows what was learned since, once per frame. Not while text is selected, which would be so no more. */
  refresh() {
    const selection = getSelection();
    const selects = selection?.isCollapsed === false && this.place.contains(selection.anchorNode);
    if (this.isOpen && !selects && this.rec !== null && this.rec.rev !== this.rev) this.redraw();
  }

  /** More is known than is shown, of other things than the record. */
  learned() {
    this.rev = -1;
    this.refresh();
  }

  redraw() {
    const { rec, tab, body } = this;
    if (rec === null) return;
    const draw = this.drawn.rec === rec && this.drawn.tab === tab ? drawAnew : drawOther;
    this.drawn = { rec, tab };
    this.rev = rec.rev;
    draw(this.head, heading(rec, this.context.narrow));
    TABS.forEach((each, index) => {
      this.buttons[index].setAttribute("aria-selected", String(each === tab));
      this.buttons[index].tabIndex = each === tab ? 0 : -1;
    });
    body.setAttribute("aria-labelledby", `tab-${tab.name}`);
    draw(body, tab.view(rec, this.context));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    this.choose(TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length]);
    this.focus();
  }
}

/** @param {typeof TABS[number]} tab @param {() => void} click */
function tabButton({ name, label }, click) {
  return h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "inspector-body", on: { click } }, label);
}

/** @param {() => void} click */
function closeButton(click) {
  const named = { "aria-label": "Close the inspector", title: "Close (Esc)" };
  return h("button", { type: "button", class: "close", ...named, on: { click } }, "×");
}

/** @param {Rec} rec @param {(filter: string) => void} narrow */
function heading(rec, narrow) {
  const name = title(rec) || visible(rec.kind);
  const number = rec.id === undefined ? null : h("span", { class: "number" }, `#${visible(rec.id, 40)}`);
  const facts = [rec.kind, visible(shortName(rec.component), 60), direction(rec), clock(rec.ts), wait(rec)].filter(
    (fact) => fact !== "",
  );
  return [
    h("h2", {}, h("span", { class: "method" }, name), number),
    h(
      "p",
      { class: "facts", data: { side: rec.side } },
      facts.flatMap((fact, i) => [
        i > 0 ? h("span", { class: "dot", "aria-hidden": "true" }, "·") : null,
        h("span", {}, fact),
      ]),
    ),
    rec.badges.length > 0 ? h("p", { class: "badges" }, rec.badges.map(badge)) : "",
    narrowing(rec, narrow),
  ];
}

/** What shows only this exchange, session or trace. @param {Rec} rec @param {(filter: string) => void} narrow */
function narrowing(rec, narrow) {
  /** @type {[string, string | undefined][]} */
  const keys = [
    ["exchange", rec.exchange],
    ["session", rec.marks.session],
    ["trace", rec.marks.trace],
  ];
  const known = keys.filter(([key, value]) => value !== undefined && rec.text.includes(`"${key}"`));
  if (known.length === 0) return "";
  const button = (/** @type {string} */ key, /** @type {string} */ value) =>
    h("button", { type: "button", class: "chip", on: { click: () => narrow(`${key}=${quoted(value)}`) } }, key);
  return h("p", { class: "only" }, "Show only this ", ...known.map(([key, value]) => button(key, value ?? "")));
}
