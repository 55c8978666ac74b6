/**
 * The tab *Explain*: who says this, why now, what must come next, what would be illegal here, and what each part means.
 *
 * In:  a record and the texts of the viewer. Out: nodes.
 * Refuses to know: which texts apply (explain.js does), why a message was sent (the viewer's /explain does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./explain.js").Paragraph} Paragraph
 * @typedef {import("./record.js").Rec} Rec
 */

import { telling } from "./api.js";
import { h, outward, prose } from "./dom.js";
import { paragraphs, sentence } from "./explain.js";
import { fieldView } from "./fieldview.js";
import { valueOf } from "./record.js";
import { Asked } from "./telling.js";
import { visible } from "./visible.js";

/** Kinds whose texts are the story; headers and fields are a glossary below it. */
const STORY = new Set(["method", "answer", "code", "event"]);

/** What is sent along for a record that stands in no log of the viewer: records, and their characters. */
const BEFORE = 300;
const BEFORE_CHARS = 1_500_000;

/** @type {Asked<Rec>} */
const asked = new Asked();

/** @type {View} */
export function explainView(rec, { store, texts, learned }) {
  const value = valueOf(rec);
  const all = paragraphs(rec, value, texts());
  const story = all.filter((each) => STORY.has(each.kind));
  return [
    h("p", { class: "who" }, visible(sentence(rec))),
    ...notes(rec),
    ...why(rec, store, learned),
    ...story.map(told),
    ...fieldView(value, texts()),
    ...glossary(
      "Headers",
      all.filter((each) => each.kind === "header"),
    ),
    ...glossary(
      "Fields",
      all.filter((each) => each.kind === "field"),
    ),
  ];
}

/** What the viewer says, once it has. @param {Rec} rec @param {import("./store.js").Store} store
 * @param {() => void} learned */
function why(rec, store, learned) {
  if (rec.kind === "notice" || rec.kind === "line" || rec.file === "") return [];
  const known = asked.about(rec, () => telling(rec.file, rec.at, () => before(rec, store)), learned);
  if (known.problem !== undefined) return [h("p", { class: "note" }, `Why now? ${known.problem}`)];
  if (known.value === undefined) return [h("p", { class: "faint", role: "status" }, "Looking at what came before …")];
  /** @type {import("./telling.js").Telling} */
  const it = known.value;
  if (it.situation === "event") return [];
  const other = it.era === "stateless" ? "In the handshake era" : "In the stateless era";
  return [
    h(
      "dl",
      { class: "why", data: { situation: it.situation } },
      entry("Why now", [it.why, ...it.carried]),
      entry("What must come next", [it.next]),
      entry("What would be illegal here", [it.never]),
      entry(other, [it.twin]),
    ),
    h(
      "p",
      { class: "rests faint" },
      it.spec === "" ? null : outward(it.spec, `Revision ${it.revision}, this section`),
      it.is_whole ? null : h("span", {}, "The conversation began before the records that were looked at."),
    ),
  ];
}

/** @param {string} title @param {string[]} texts */
function entry(title, texts) {
  const said = texts.filter((text) => text !== "");
  if (said.length === 0) return null;
  return h("div", {}, h("dt", {}, title), ...said.map((text) => h("dd", {}, prose(visible(text, 4000)))));
}

/** The record and those of its file before it, oldest first. @param {Rec} rec
 * @param {import("./store.js").Store} store */
function before(rec, store) {
  const near = [];
  let size = rec.text.length;
  for (let at = store.log.length - 1; at >= 0 && near.length < BEFORE; at -= 1) {
    const each = store.log.at(at);
    if (each === undefined || each.file !== rec.file || each.at >= rec.at || each.flaw !== undefined) continue;
    size += each.text.length;
    if (size > BEFORE_CHARS) break;
    near.push(each);
  }
  return [...near.reverse(), rec].filter((each) => each.kind !== "notice").map(valueOf);
}

/** What pairing knows, as sentences. @param {Rec} rec */
function notes(rec) {
  const notes = [];
  if (rec.kind === "request" && rec.answer === undefined) notes.push("No answer has been written down yet.");
  if (rec.badges.some((badge) => badge.word === "isError")) {
    notes.push("The tool ran and failed. That is a result, not a protocol error: the model is meant to read it.");
  }
  return notes.map((note) => h("p", { class: "note" }, note));
}

/** @param {Paragraph} text */
function told(text) {
  return h(
    "section",
    { class: "told", data: { kind: text.kind } },
    h(
      "h3",
      {},
      h("code", {}, text.kind === "answer" ? "result" : text.name),
      text.title === text.name ? null : h("span", {}, text.title),
    ),
    h("p", {}, prose(text.text)),
    text.todo ? h("p", { class: "todo" }, h("strong", {}, "What to do: "), prose(text.todo)) : null,
    text.spec ? h("p", { class: "spec" }, outward(text.spec, "In the specification")) : null,
  );
}

/** @param {string} title @param {Paragraph[]} entries */
function glossary(title, entries) {
  if (entries.length === 0) return [];
  return [
    h(
      "section",
      { class: "glossary" },
      h("h3", {}, title),
      h(
        "dl",
        {},
        entries.flatMap((entry) => [
          h("dt", {}, entry.spec ? outward(entry.spec, entry.name) : entry.name),
          h("dd", {}, prose(entry.text)),
        ]),
      ),
    ),
  ];
}
