/**
 * The link to one message, in the page's address: `#mcp-server.jsonl@1200`.
 *
 * In:  the address, the records. Out: a jump to the message; the address of the one that is selected.
 * Refuses to know: where the record is shown.
 *
 * A message that is older than what the page holds is looked for once in the viewer's history of its file.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { hashOf, messageFrom } from "./address.js";
import { history as ask } from "./api.js";
import { byId, setText } from "./dom.js";

/** The most that the viewer gives at once. */
const FAR = 10_000;

export class DeepLink {
  /** @param {(rec: Rec) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.wanted = messageFrom(location.hash);
    this.asked = false;
    addEventListener("hashchange", () => {
      this.wanted = messageFrom(location.hash);
      this.asked = false;
    });
  }

  /** Keeps the address of the selected record. @param {Rec} rec */
  note(rec) {
    this.wanted = null;
    const hash = rec.at < 0 ? "" : hashOf(rec);
    if (hash !== location.hash) history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
  }

  /** Jumps to the wanted record as soon as it is there. @param {import("./store.js").Store} store @param {boolean} whole */
  look(store, whole) {
    if (this.wanted === null) return;
    const rec = store.places.get(this.wanted.file)?.get(this.wanted.at);
    if (rec !== undefined) this.jump(rec);
    else if (whole && !this.asked) this.#search(store, this.wanted);
  }

  /** @param {import("./store.js").Store} store @param {{file: string, at: number}} wanted */
  async #search(store, { file, at }) {
    this.asked = true;
    const recs = await ask({ files: [file], limit: FAR }).catch(() => []);
    const kept = recs.map((text) => store.recall(text)).filter((rec) => rec !== null);
    const found = store.places.get(file)?.get(at);
    if (found !== undefined) this.jump(found);
    else setText(byId("notices"), "The message of this link is not in the newest records of its log.");
    for (const rec of kept) if (rec !== found) store.release(rec);
  }
}
