/**
 * The dialog that saves what is shown.
 *
 * In:  the first panel's records. Out: a file, without the secrets that the user leaves marked.
 * Refuses to know: what a file holds (export.js does), what a secret is (masking.js does).
 *
 * What is saved is made from masked records, all of it: nothing is masked afterwards in a finished text.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{sieve: import("./sieve.js").Sieve, texts: import("./explain.js").Texts}} Shown
 */

import { h, setText } from "./dom.js";
import { jsonLines, mermaid, MOST_DRAWN, page } from "./export.js";
import { hint, mask, secretsIn } from "./masking.js";
import { retold } from "./retold.js";
import { visible } from "./visible.js";

/** @type {{name: string, label: string, ending: string, type: string}[]} */
const KINDS = [
  { name: "jsonl", label: "JSON Lines: the records as they stand, to open here again", ending: "jsonl", type: "application/x-ndjson" },
  { name: "html", label: "A page: the drawing and the explanations, opens offline, runs nothing", ending: "html", type: "text/html" },
  { name: "mermaid", label: "A Mermaid sequence diagram, for a README", ending: "mmd", type: "text/plain" },
];

const LISTED = 100;

export class SaveDialog {
  /** @param {() => Shown} shown */
  constructor(shown) {
    this.shown = shown;
    /** @type {Rec[]} */
    this.recs = [];
    this.about = h("p", {});
    this.kinds = h("fieldset", {}, h("legend", {}, "As"), KINDS.map((kind, i) => choice("radio", kind.name, kind.label, i === 0)));
    this.secrets = h("fieldset", { class: "secrets" });
    const save = h("button", { class: "main", value: "save" }, "Save");
    const form = h("form", { method: "dialog" }, this.kinds, this.secrets, h("p", { class: "ends" }, h("button", { value: "" }, "Cancel"), save));
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
    this.dialog.returnValue = "";
    this.dialog.showModal();
  }

  #list() {
    const found = this.found ?? [];
    const words = found.length === 0 ? "Nothing that looks like a secret was found. Look yourself before you share." : "Masked as *** before saving";
    const rest = found.length > LISTED ? [h("p", { class: "faint" }, `${found.length - LISTED} more; they are masked.`)] : [];
    this.secrets.replaceChildren(
      h("legend", {}, words),
      ...found.slice(0, LISTED).map(({ text, why, count }, index) => {
        const times = count === 1 ? "once" : `${count} times`;
        return choice("checkbox", String(index), `${visible(hint(text), 60)}: ${visible(why, 60)}, ${times}`, true);
      }),
      ...rest,
    );
  }

  #save() {
    const kind = KINDS.find(({ name }) => name === chosen(this.kinds)[0]) ?? KINDS[0];
    const kept = new Set(chosen(this.secrets).map(Number));
    const secrets = (this.found ?? []).filter((_, index) => index >= LISTED || kept.has(index)).map((each) => each.text);
    const masked = this.recs.map((rec) => ({ file: rec.file, at: rec.at, flaw: rec.flaw, text: mask(rec.text, secrets) }));
    const story = retold(masked, this.shown().texts, new Date().toISOString());
    const title = `MCP Playground, ${story.now.slice(0, 16).replace("T", " ")} UTC`;
    const text = kind.name === "jsonl" ? jsonLines(story.recs) : kind.name === "html" ? page(story, title) : mermaid(story);
    download(text, `mcp-${story.now.slice(0, 19).replace(/[:T]/g, "-")}.${kind.ending}`, kind.type);
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
