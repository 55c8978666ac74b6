/**
 * A log file that the user opens, by choosing it or by dropping it on the page.
 *
 * In:  a file. Out: a feed with a store of its own, and a bar that says so until it is closed.
 * Refuses to know: how records are shown. Nothing of the file leaves the browser by this.
 */

import { h, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { eventsOf } from "./logtext.js";
import { Store } from "./store.js";
import { size } from "./time.js";
import { visible } from "./visible.js";

/** More than this a browser can't hold at ease, bytes. */
const LARGEST = 256_000_000;
const LIMITS = { keep: 200_000, chars: 512_000_000 };

export class OpenedFile {
  /** @param {(feed: Feed | null) => void} show null: the live records */
  constructor(show) {
    this.show = show;
    this.words = h("span", {});
    const back = h("button", { type: "button", class: "plain", on: { click: () => this.close() } }, "Back to live");
    this.bar = h("div", { class: "opened", role: "status", hidden: true }, this.words, back);
    document.querySelector("header.bar")?.after(this.bar);
    this.input = /** @type {HTMLInputElement} */ (
      h("input", { type: "file", hidden: true, "aria-label": "Open a log file", accept: ".jsonl,.json,.log,.txt" })
    );
    this.input.addEventListener("change", () => this.#take(this.input.files));
    document.body.append(this.input);
    this.#listen();
  }

  get isOpen() {
    return !this.bar.hidden;
  }

  choose() {
    this.input.value = "";
    this.input.click();
  }

  close() {
    this.bar.hidden = true;
    delete document.body.dataset.opened;
    this.show(null);
  }

  #listen() {
    const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      document.body.dataset.dropping = "true";
    });
    document.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) delete document.body.dataset.dropping;
    });
    document.addEventListener("drop", (event) => {
      delete document.body.dataset.dropping;
      if (!holdsFiles(event)) return;
      event.preventDefault();
      this.#take(event.dataTransfer?.files ?? null);
    });
  }

  /** @param {FileList | null} files */
  async #take(files) {
    const file = files?.[0];
    if (file === undefined) return;
    this.bar.hidden = false;
    document.body.dataset.opened = "true";
    const name = visible(file.name, 80);
    if (file.size > LARGEST) {
      setText(this.words, `${name} has ${size(file.size)}; at most ${size(LARGEST)} can be opened here. Put it into the folder of the logs instead.`);
      return;
    }
    const feed = new Feed(new Store({ ...LIMITS, file: true }), () => {});
    for (const event of eventsOf(await file.text(), `opened: ${file.name}`)) feed.add(event);
    const count = feed.queue.length.toLocaleString("en-US");
    setText(this.words, `Opened file: ${name}, ${count} records, ${size(file.size)}. What happens now is not shown.`);
    this.show(feed);
  }
}
