/**
 * The panels of a page, which of them are seen, and in which view.
 *
 * In:  a store, the page's address, what to call when something is chosen or changed. Out: panels in the page.
 * Refuses to know: the stream, the inspector.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./panels.js").Hooks} Hooks
 */

import { filesFrom, panelFrom, queryOf, viewFrom } from "./address.js";
import { byId } from "./dom.js";
import { FileList } from "./files.js";
import { Panel } from "./panels.js";
import { Sieve } from "./sieve.js";
import { Switch, waysOf } from "./views.js";

/** What the tap wrote down of one end stands for what that end would have written. @param {Rec} rec @param {string} end */
const isTappedFrom = (rec, end) => rec.component === "mcp-tap" && rec.peer === end;

/** @type {{name: string, title: string, belongs: (rec: Rec) => boolean}[]} */
const DASHBOARD = [
  { name: "all", title: "All", belongs: () => true },
  { name: "server", title: "Server", belongs: (rec) => rec.side === "server" || isTappedFrom(rec, "server") },
  {
    name: "clients",
    title: "Clients",
    belongs: (rec) => rec.side === "client" || rec.side === "chat" || isTappedFrom(rec, "client"),
  },
];

export class Stage {
  /** @param {import("./store.js").Store} store @param {Hooks} hooks */
  constructor(store, hooks) {
    this.store = store;
    this.hooks = { ...hooks, changed: () => this.#keepAddress() };
    this.look = viewFrom(location.search);
    this.basic = document.body.dataset.view === "basic";
    this.files = this.basic
      ? new FileList(byId("files"), filesFrom(location.search), () => this.#filesChanged())
      : null;
    /** @type {Panel[]} */
    this.panels = [];
    const plans = this.basic
      ? [{ name: "filter", title: "Records", belongs: (/** @type {Rec} */ rec) => this.files?.holds(rec.file) ?? true }]
      : DASHBOARD;
    for (const [index, plan] of plans.entries()) this.panels.push(this.#panel(plan, 1 << index));
    byId("panels").append(...this.panels.map((panel) => panel.element));
    this.active = this.first;
    this.whole = true; // all panels are made
    this.switch = this.basic ? null : new Switch(byId("views"), this.look, () => this.#lookChanged());
    if (!this.basic) this.#lookChanged();
    if (this.files?.chosen) this.active.box.recall().catch(() => {});
  }

  /** @param {typeof DASHBOARD[number]} plan @param {number} bit */
  #panel({ name, title, belongs }, bit) {
    const sieve = new Sieve(this.store, bit, belongs);
    const ways = waysOf(sieve, name, title);
    if (name === "all") this.ways = ways;
    const view = /** @type {import("./panels.js").MakeView} */ (ways.get(name === "all" ? this.look.view : "panels"));
    const state = panelFrom(location.search, name);
    const panel = new Panel({ name, title, sieve, view, state, files: () => this.files?.chosen ?? null, hooks: this.hooks });
    panel.element.addEventListener("focusin", () => {
      this.active = panel;
    });
    return panel;
  }

  /** The panel that is in use; on a narrow page the only one beside an open inspector. @param {Panel} panel */
  set active(panel) {
    this.current = panel;
    for (const each of this.panels) each.element.toggleAttribute("data-active", each === panel);
  }

  get active() {
    return this.current ?? this.first;
  }

  /** The first panel: what it lets through is what all big views show, and what is saved. */
  get first() {
    return this.panels[0];
  }

  /** Shows the records of another store. @param {import("./store.js").Store} store */
  setStore(store) {
    this.store = store;
    for (const panel of this.panels) panel.sieve.setStore(store);
    this.hooks.wake();
  }

  /** Brings a record into sight wherever it is shown. @param {Rec} rec @returns {Panel} */
  show(rec) {
    const order = [this.active, ...this.panels.filter((panel) => panel !== this.active)];
    return order.find((panel) => panel.show(rec)) ?? this.active;
  }

  #filesChanged() {
    for (const panel of this.panels) {
      panel.sieve.restart();
      panel.box.recall().catch(() => {});
    }
    this.#keepAddress();
    this.hooks.wake();
  }

  /** The first panel is drawn in another way, or alone. */
  #lookChanged() {
    const { view, solo } = this.look;
    const place = byId("panels");
    place.dataset.view = view;
    place.toggleAttribute("data-alone", solo || view === "waterfall" || view === "table");
    const way = this.ways?.get(view);
    if (way !== undefined) this.first.use(way);
    this.active = this.first;
    this.#keepAddress();
    this.hooks.wake();
  }

  #keepAddress() {
    if (!this.whole) return;
    const states = new Map(this.panels.map((panel) => [panel.name, panel.state]));
    const query = queryOf(states, this.files?.chosen ?? null, this.look);
    if (query !== location.search) history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  }
}
