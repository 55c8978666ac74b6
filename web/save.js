/**
 * The dialog that saves what is shown.
 *
 * In:  the first panel's records. Out: a file, without the secrets that the user leaves marked.
 * Refuses to know: what a file holds (export.js does), what a secret is (masking.js does).
 *
 * What is saved is made from masked records, all of it: nothing is masked afterwards in a finished text. The preview is
 * made the same way, of the first records.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{sieve: import("./sieve.js").Sieve, texts: import("./explain.js").Texts}} Shown
 */

import { h, setText } from "./dom.js";
import { jsonLines, mermaid, MOST_DRAWN, page } from "./export.js";
import { hint, mask, secretsIn } from "./masking.js";
import { retold } from "./retold.js";
import { visible, visibleLines } from "./visible.js";

/** @type {{name: string, label: string, ending: string, type: string}[]} */
const KINDS = [
  { name: "jsonl", label: "JSON Lines: the records as they stand, to open here again", ending: "jsonl", type: "application/x-ndjson" },
  { name: "html", label: "A page: the drawing and the explanations, opens offline, runs nothing", ending: "html", type: "text/html" },
  { name: "mermaid", label: "A Mermaid sequence diagram, for a README", ending: "mmd", type: "text/plain" },
];

const LISTED = 100;

/** So many records, and so many characters of what they become, are seen before anything is saved. */
const SEEN = 20;
const SEEN_CHARS = 6000;

export class SaveDialog {
  /** @param {() => Shown} shown */
  constructor(shown) {
    this.shown = shown;
    /** @type {Rec[]} */
    this.recs = [];
    this.about = h("p", {});
    this.note = h("p", { class: "secrets-note" });
    this.preview = h("pre", { class: "raw", tabindex: "0", role: "region", "aria-label": "Preview" });
    this.kinds = h("fieldset", {}, h("legend", {}, "As"), KINDS.map((kind, i) => choice("radio", kind.name, kind.label, i === 0)));
    this.secrets = h("fieldset", { class: "secrets" });
    const save = h("button", { class: "main", value: "save" }, "Save");
    const ends = h("p", { class: "ends" }, h("button", { value: "" }, "Cancel"), save);
    const seen = h("section", { class: "preview" }, h("h3", {}, "Preview"), this.preview);
    const form = h("form", { method: "dialog", on: { change: () => this.#show() } }, this.kinds, this.note, this.secrets, seen, ends);
    this.dialog = /** @type {HTMLDialogElement} */ (
      h("dialog", { id: "save", "aria-labelledby": "save-title" }, h("h2", { id: "save-title" }, "Save what is shown"), this.about, form)
    );
    document.body.append(this.dialog);
    this.dialog.addEventListener("close", () => this.dialog.returnValue === "save" && this.#save());
  }

  open() {
    if (document.querySelector("dialog[open]") !== null) return;
    const { rows } = this.shown().sieve;
    this.recs = Array.from({ length: rows.length }, (_, i) => /** @type {Rec} */ (rows.at(i))).filter((rec) => rec.kind !== "notice");
    const drawn = this.recs.length > MOST_DRAWN ? ` Drawings hold the newest ${MOST_DRAWN.toLocaleString("en-US")}.` : "";
    setText(this.about, `${this.recs.length.toLocaleString("en-US")} records pass the filter of All.${drawn}`);
    this.found = secretsIn(this.recs.map((rec) => rec.text));
    this.#list();
    this.#show();
    this.dialog.returnValue = "";
    this.dialog.showModal();
  }

  #list() {
    const found = this.found ?? [];
    this.secrets.hidden = found.length === 0;
    setText(this.note, found.length === 0 ? "Nothing that looks like a secret was found. Look yourself before you share." : "");
    const rest = found.length > LISTED ? [h("p", { class: "faint" }, `${found.length - LISTED} more; they are masked.`)] : [];
    this.secrets.replaceChildren(
      h("legend", {}, "Masked as *** before saving"),
      ...found.slice(0, LISTED).map(({ text, why, count }, index) => {
        const times = count === 1 ? "once" : `${count} times`;
        return choice("checkbox", String(index), `${visible(hint(text), 60)}: ${visible(why, 60)}, ${times}`, true);
      }),
      ...rest,
    );
  }

  /** What is chosen to be saved as. */
  get kind() {
    return KINDS.find(({ name }) => name === chosen(this.kinds)[0]) ?? KINDS[0];
  }

  /** What these records are saved as. @param {Rec[]} recs @param {string} now a timestamp */
  #text(recs, now) {
    const { name } = this.kind;
    const kept = new Set(chosen(this.secrets).map(Number));
    const secrets = (this.found ?? []).filter((_, index) => index >= LISTED || kept.has(index)).map((each) => each.text);
    const masked = recs.map((rec) => ({ file: rec.file, at: rec.at, flaw: rec.flaw, text: mask(rec.text, secrets) }));
    const story = retold(masked, this.shown().texts, now);
    if (name === "html") return page(story, `MCP Playground, ${now.slice(0, 16).replace("T", " ")} UTC`);
    return name === "jsonl" ? jsonLines(story.recs) : mermaid(story);
  }

  /** The beginning of what would be saved. */
  #show() {
    const text = this.#text(this.recs.slice(0, SEEN), new Date().toISOString());
    const more = this.recs.length > SEEN || text.length > SEEN_CHARS ? "…" : "";
    setText(this.preview, visibleLines(text.slice(0, SEEN_CHARS)) + more);
  }

  #save() {
    const now = new Date().toISOString();
    download(this.#text(this.recs, now), `mcp-${now.slice(0, 19).replace(/[:T]/g, "-")}.${this.kind.ending}`, this.kind.type);
    this.recs = [];
  }
}

/** @param {"radio" | "checkbox"} type @param {string} value @param {string} label @param {boolean} checked */
function choice(type, value, label, checked) {
  return h("label", {}, h("input", { type, name: type, value, checked }), h("span", {}, label));
}

/** @param {HTMLElement} group @returns {string[]} */
function chosen(group) {
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (group.querySelectorAll("input:checked"));
  return [...boxes].map((box) => box.value);
}

/** @param {string} text @param {string} name @param {string} type */
function download(text, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
