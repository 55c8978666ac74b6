/**
 * Wires the page together: stream -> store -> sieves -> panels -> inspector, one turn per animation frame.
 *
 * In:  the page's address and `data-view` of its body. Out: a working page.
 * Refuses to know: how any of the parts does its work.
 *
 * Theory of operation. Events wait in a queue. Once per frame the queue is emptied into the store, each panel's sieve
 * judges what is new, and the rows in sight are drawn; all of it within a budget, so that a flood costs latency and
 * never the page. In a hidden tab there are no frames; a slow timer keeps the queue short. What the store would let
 * go again at once is dropped from the queue unread.
 */

import { filesFrom, panelFrom, queryOf } from "./address.js";
import { explanations } from "./api.js";
import { byId } from "./dom.js";
import { FileList } from "./files.js";
import { furnish } from "./furniture.js";
import { Inspector } from "./inspector.js";
import { Panel } from "./panels.js";
import { listen } from "./share.js";
import { Sieve } from "./sieve.js";
import { Status } from "./status.js";
import { KEEP, Store } from "./store.js";

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
    /** @type {(string | import("./stream.js").Notice)[]} */
    this.queue = [];
    this.taken = 0;
    this.awake = false;
    /** @type {Rec | null} */
    this.selected = null;
    /** @type {import("./explain.js").Texts} */
    this.texts = {};
    this.basic = document.body.dataset.view === "basic";
    this.status = new Status(() => this.wake());
    this.files = this.basic
      ? new FileList(byId("files"), filesFrom(location.search), () => this.#filesChanged())
      : null;
    this.inspector = new Inspector(
      byId("inspector"),
      { store: this.store, texts: () => this.texts, jump: (rec) => this.jump(rec) },
      () => this.active.list.element.focus(),
    );
    /** @type {Panel[]} */
    this.panels = [];
    const plans = this.basic
      ? [{ name: "filter", title: "Records", belongs: (/** @type {Rec} */ rec) => this.files?.holds(rec.file) ?? true }]
      : DASHBOARD;
    for (const [index, plan] of plans.entries()) this.panels.push(this.#panel(plan, 1 << index));
    byId("panels").append(...this.panels.map((panel) => panel.element));
    this.active = this.panels[0];
    if (this.files?.chosen) this.active.box.recall().catch(() => {});
    this.#furnish();
    listen((news) => this.receive(news));
    this.#learn();
  }

  /** @param {typeof DASHBOARD[number]} plan @param {number} bit */
  #panel({ name, title, belongs }, bit) {
    const panel = new Panel({
      name,
      title,
      sieve: new Sieve(this.store, bit, belongs),
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
    for (const item of items) this.queue.push(item);
    if (this.queue.length > 2 * KEEP) {
      this.queue = this.queue.slice(-KEEP);
      this.taken = 0;
    }
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
    this.#admit(enough);
    const changed = this.store.takeChanged();
    let left = this.taken < this.queue.length;
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

  /** @param {() => boolean} enough */
  #admit(enough) {
    while (this.taken < this.queue.length) {
      const item = this.queue[this.taken];
      this.taken += 1;
      if (typeof item === "string") this.store.admit(item);
      else this.status.say(this.store.note(item));
      if (this.taken % 32 === 0 && enough()) break;
    }
    if (this.taken === this.queue.length) {
      this.queue = [];
      this.taken = 0;
    }
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
    const query = queryOf(new Map(this.panels.map((panel) => [panel.name, panel.state])), this.files?.chosen ?? null);
    if (query !== location.search) history.replaceState(null, "", `${location.pathname}${query}`);
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
      digit: (key) => this.panels[Number(key) - 1]?.list.element.focus(),
      Escape: () => this.inspector.close(),
    });
  }
}

new App();
