/**
 * Wires the page together: stream -> store -> sieves -> panels -> inspector, one turn per animation frame.
 *
 * In:  the page's address and `data-view` of its body. Out: a working page.
 * Refuses to know: how any of the parts does its work.
 *
 * Theory of operation. Events wait in a queue (feed.js). Once per frame the queue is emptied into the store, each
 * panel's sieve judges what is new, and the rows in sight are drawn; all of it within a budget. In a hidden tab there
 * are no frames; a slow timer keeps the queue short.
 */

import { filesFrom, panelFrom, queryOf, viewFrom } from "./address.js";
import { explanations } from "./api.js";
import { byId } from "./dom.js";
import { Feed } from "./feed.js";
import { FileList } from "./files.js";
import { furnish } from "./furniture.js";
import { Inspector } from "./inspector.js";
import { Panel } from "./panels.js";
import { listen } from "./share.js";
import { Sieve } from "./sieve.js";
import { Status } from "./status.js";
import { Store } from "./store.js";
import { Switch, waysOf } from "./views.js";

/** @typedef {import("./record.js").Rec} Rec */

/** Work of one frame before it is drawn, milliseconds. */
const BUDGET = 9;
const HIDDEN_PAUSE = 500;

/** @type {{name: string, title: string, belongs: (rec: Rec) => boolean}[]} */
const DASHBOARD = [
  { name: "all", title: "All", belongs: () => true },
  { name: "server", title: "Server", belongs: (rec) => rec.side === "server" },
  { name: "clients", title: "Clients", belongs: (rec) => rec.side === "client" || rec.side === "chat" },
];

class App {
  constructor() {
    this.store = new Store();
    this.feed = new Feed(this.store, (notice) => this.status.say(notice));
    this.awake = false;
    /** @type {Rec | null} */
    this.selected = null;
    /** @type {import("./explain.js").Texts} */
    this.texts = {};
    this.look = viewFrom(location.search);
    this.basic = document.body.dataset.view === "basic";
    this.status = new Status(() => this.wake());
    this.files = this.basic
      ? new FileList(byId("files"), filesFrom(location.search), () => this.#filesChanged())
      : null;
    this.inspector = new Inspector(
      byId("inspector"),
      { store: this.store, texts: () => this.texts, jump: (rec) => this.jump(rec) },
      () => this.active.view.element.focus(),
    );
    /** @type {Panel[]} */
    this.panels = [];
    const plans = this.basic
      ? [{ name: "filter", title: "Records", belongs: (/** @type {Rec} */ rec) => this.files?.holds(rec.file) ?? true }]
      : DASHBOARD;
    for (const [index, plan] of plans.entries()) this.panels.push(this.#panel(plan, 1 << index));
    byId("panels").append(...this.panels.map((panel) => panel.element));
    this.active = this.panels[0];
    this.switch = this.basic ? null : new Switch(byId("views"), this.look, () => this.#lookChanged());
    if (!this.basic) this.#lookChanged();
    if (this.files?.chosen) this.active.box.recall().catch(() => {});
    this.#furnish();
    listen((news) => this.receive(news));
    this.#learn();
  }

  /** @param {typeof DASHBOARD[number]} plan @param {number} bit */
  #panel({ name, title, belongs }, bit) {
    const sieve = new Sieve(this.store, bit, belongs);
    const ways = waysOf(sieve, name, title);
    if (name === "all") this.ways = ways;
    const panel = new Panel({
      name,
      title,
      sieve,
      view: /** @type {import("./panels.js").MakeView} */ (ways.get(name === "all" ? this.look.view : "panels")),
      state: panelFrom(location.search, name),
      files: () => this.files?.chosen ?? null,
      hooks: {
        select: (from, rec, how) => this.select(from, rec, how),
        changed: () => this.#keepAddress(),
        wake: () => this.wake(),
      },
    });
    panel.element.addEventListener("focusin", () => {
      this.active = panel;
    });
    return panel;
  }

  /** @param {import("./stream.js").News} news */
  receive({ items, state }) {
    this.status.set(state);
    this.feed.push(items);
    this.wake();
  }

  /** One turn soon; many calls make one turn. */
  wake() {
    if (this.awake) return;
    this.awake = true;
    if (document.hidden) setTimeout(() => this.turn(), HIDDEN_PAUSE);
    else requestAnimationFrame(() => this.turn());
  }

  turn() {
    this.awake = false;
    const end = performance.now() + (document.hidden ? 200 : BUDGET);
    const enough = () => performance.now() > end;
    this.feed.admit(enough);
    const changed = this.store.takeChanged();
    let left = !this.feed.isEmpty;
    for (const panel of this.panels) {
      panel.sieve.reconsider(changed);
      left = panel.sieve.pump(enough) || left;
    }
    if (!left) this.store.settle();
    const situation = { state: this.status.state, lost: this.status.lost, records: this.store.log.length };
    for (const panel of this.panels) panel.draw(this.selected, situation);
    this.inspector.refresh();
    if (left) this.wake();
  }

  /** @param {Panel} panel @param {Rec} rec @param {import("./panels.js").How} how */
  select(panel, rec, how) {
    this.active = panel;
    this.selected = rec;
    if (how !== "mark" || this.inspector.isOpen) this.inspector.show(rec);
    if (how === "enter") this.inspector.focus();
    this.wake();
  }

  /** Selects a record wherever it is shown. @param {Rec} rec */
  jump(rec) {
    const order = [this.active, ...this.panels.filter((panel) => panel !== this.active)];
    const found = order.find((panel) => panel.show(rec));
    this.select(found ?? this.active, rec, "open");
  }

  #filesChanged() {
    for (const panel of this.panels) {
      panel.sieve.restart();
      panel.box.recall().catch(() => {});
    }
    this.#keepAddress();
    this.wake();
  }

  #keepAddress() {
    if (this.panels.length < (this.basic ? 1 : DASHBOARD.length)) return; // still being made
    const states = new Map(this.panels.map((panel) => [panel.name, panel.state]));
    const query = queryOf(states, this.files?.chosen ?? null, this.look);
    if (query !== location.search) history.replaceState(null, "", `${location.pathname}${query}`);
  }

  /** The first panel is drawn in another way, or alone. */
  #lookChanged() {
    const { view, solo } = this.look;
    const place = byId("panels");
    place.dataset.view = view;
    place.toggleAttribute("data-alone", solo || view === "waterfall" || view === "table");
    const way = this.ways?.get(view);
    if (way !== undefined) this.panels[0].use(way);
    this.active = this.panels[0];
    this.#keepAddress();
    this.wake();
  }

  async #learn() {
    try {
      this.texts = await explanations();
      this.inspector.redraw();
    } catch {
      setTimeout(() => this.#learn(), 5000); // the viewer is away; the status line says so
    }
  }

  #furnish() {
    document.addEventListener("visibilitychange", () => {
      this.awake = false; // a frame that was asked for may never come
      this.wake();
    });
    furnish({
      "/": () => this.active.box.input.focus(),
      f: () => this.active.setFollow(!this.active.follow),
      z: () => this.switch?.toggleSolo(),
      digit: (key) => this.panels[Number(key) - 1]?.view.element.focus(),
      Escape: () => this.inspector.close(),
    });
  }
}

new App();
