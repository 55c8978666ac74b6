/**
 * Wires the page together: stream -> store -> sieves -> panels -> inspector, one turn per animation frame.
 *
 * In:  the page's address and `data-view` of its body. Out: a working page.
 * Refuses to know: how any of the parts does its work.
 *
 * Theory of operation. Events wait in a queue (feed.js). Once per frame the queue is emptied into the store, each
 * panel's sieve judges what is new, and the rows in sight are drawn; all of it within a budget. In a hidden tab there
 * are no frames; a slow timer keeps the queue short. A file that is opened has a store and a queue of its own; the live
 * ones go on behind it.
 */

import { explanations } from "./api.js";
import { byId } from "./dom.js";
import { commandsOf } from "./commands.js";
import { DeepLink } from "./deeplink.js";
import { Feed } from "./feed.js";
import { furnish } from "./furniture.js";
import { Inspector } from "./inspector.js";
import { OpenedFile } from "./opened.js";
import { Palette } from "./palette.js";
import { SaveDialog } from "./save.js";
import { listen } from "./share.js";
import { addSplitter } from "./splitter.js";
import { Stage } from "./stage.js";
import { Status } from "./status.js";
import { Store } from "./store.js";

/** @typedef {import("./record.js").Rec} Rec */

/** Work of one frame before it is drawn, milliseconds. */
const BUDGET = 9;
const HIDDEN_PAUSE = 500;

/** Records of one frame of which nobody reads each; and how often such a flood is drawn, milliseconds. */
const FLOOD = 100;
const BLINK = 100;

class App {
  constructor() {
    this.live = new Feed(new Store(), (notice) => this.status.say(notice));
    this.shown = this.live;
    this.awake = false;
    this.isWanted = true; // somebody waits to see what changed
    this.drawn = 0; // when the panels were drawn last
    /** @type {Rec | null} */
    this.selected = null;
    /** @type {import("./explain.js").Texts} */
    this.texts = {};
    this.status = new Status(() => this.wake());
    const inspected = {
      store: () => this.shown.store,
      texts: () => this.texts,
      jump: (/** @type {Rec} */ rec) => this.jump(rec),
      narrow: (/** @type {string} */ filter) => this.stage.first.box.fill(filter),
    };
    this.inspector = new Inspector(byId("inspector"), inspected, () => this.stage.active.view.element.focus());
    this.stage = new Stage(this.shown.store, {
      select: (panel, rec, how) => {
        this.stage.active = panel;
        this.select(rec, how);
      },
      changed: () => {},
      wake: () => this.wake(),
    });
    this.link = new DeepLink((rec) => this.jump(rec));
    this.opened = new OpenedFile((feed) => this.show(feed ?? this.live));
    this.save = new SaveDialog(() => ({ sieve: this.stage.first.sieve, texts: this.texts }));
    this.palette = new Palette(() => commandsOf(this));
    this.#furnish();
    listen((news) => this.receive(news));
    this.#learn();
  }

  /** @param {import("./stream.js").News} news */
  receive({ items, state }) {
    this.status.set(state);
    this.live.push(items);
    this.#rouse();
  }

  /** Something is to be drawn anew, soon; many calls make one turn. */
  wake() {
    this.isWanted = true;
    this.#rouse();
  }

  #rouse() {
    if (this.awake) return;
    this.awake = true;
    if (document.hidden) setTimeout(() => this.turn(), HIDDEN_PAUSE);
    else requestAnimationFrame(() => this.turn());
  }

  turn() {
    this.awake = false;
    const end = performance.now() + (document.hidden ? 200 : BUDGET);
    const enough = () => performance.now() > end;
    const { store } = this.shown;
    const before = store.count;
    this.live.admit(enough);
    if (this.shown !== this.live) this.shown.admit(enough);
    const changed = store.takeChanged();
    let left = !this.live.isEmpty || !this.shown.isEmpty;
    for (const panel of this.stage.panels) {
      panel.sieve.reconsider(changed);
      left = panel.sieve.pump(enough) || left;
    }
    if (!left) store.settle();
    if (this.shown !== this.live) this.live.store.forgetNews();
    const isFlood = store.count - before > FLOOD && performance.now() - this.drawn < BLINK;
    if (!isFlood || this.isWanted) this.#draw();
    if (!left) this.link.look(store, this.status.state === "live" || this.shown !== this.live);
    if (left || isFlood) this.#rouse();
  }

  #draw() {
    this.isWanted = false;
    this.drawn = performance.now();
    const { store } = this.shown;
    const state = this.shown === this.live ? this.status.state : "live"; // a file is all there
    const situation = { state, lost: this.shown === this.live && this.status.lost, records: store.log.length };
    for (const panel of this.stage.panels) panel.draw(this.selected, situation);
    for (const panel of this.stage.panels) panel.view.settle();
    this.inspector.refresh();
  }

  /** @param {Rec} rec @param {import("./panels.js").How} how */
  select(rec, how) {
    this.selected = rec;
    this.link.note(rec);
    const opens = how !== "mark" && !this.inspector.isOpen;
    if (opens || this.inspector.isOpen) this.inspector.show(rec);
    if (opens) this.#keepInSight(rec);
    if (how === "enter") this.inspector.focus();
    this.wake();
  }

  /** The list got another size, as when the inspector opens; it is known a frame later. @param {Rec} rec */
  #keepInSight(rec) {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (this.selected === rec) this.stage.active.show(rec);
        this.wake();
      }),
    );
  }

  /** Selects a record wherever it is shown. @param {Rec} rec */
  jump(rec) {
    this.stage.active = this.stage.show(rec);
    this.select(rec, "open");
  }

  /** Shows the live records, or those of a file. @param {Feed} feed */
  show(feed) {
    if (this.shown === feed) return;
    this.shown = feed;
    this.selected = null;
    this.inspector.close();
    this.stage.setStore(feed.store);
    this.wake();
  }

  async #learn() {
    try {
      this.texts = await explanations();
      this.inspector.learned();
    } catch {
      setTimeout(() => this.#learn(), 5000); // the viewer is away; the status line says so
    }
  }

  #furnish() {
    addSplitter(byId("inspector"));
    document.addEventListener("visibilitychange", () => {
      this.awake = false; // a frame that was asked for may never come
      this.wake();
    });
    addEventListener("resize", () => {
      if (this.selected !== null && this.inspector.isOpen) this.#keepInSight(this.selected);
    });
    byId("palette-button").addEventListener("click", () => this.palette.open());
    byId("save-button").addEventListener("click", () => this.save.open());
    this.nextTheme = furnish({
      "/": () => this.stage.active.box.input.focus(),
      f: () => this.stage.active.setFollow(!this.stage.active.follow),
      z: () => this.stage.switch?.toggleSolo(),
      s: () => this.save.open(),
      o: () => this.opened.choose(),
      v: () => this.stage.switch?.next(),
      digit: (key) => this.stage.panels[Number(key) - 1]?.view.element.focus(),
      Escape: () => this.inspector.close(),
    });
  }
}

new App();
