/**
 * The tab *Explain*: what this message is, in plain words.
 *
 * In:  a record and the texts of the viewer. Out: nodes. Refuses to know: which texts apply (explain.js does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./explain.js").Paragraph} Paragraph
 */

import { h, outward, prose } from "./dom.js";
import { paragraphs, sentence } from "./explain.js";
import { valueOf } from "./record.js";
import { visible } from "./visible.js";

/** Kinds whose texts are the story; headers and fields are a glossary below it. */
const STORY = new Set(["method", "answer", "code", "event"]);

/** @type {View} */
export function explainView(rec, { texts }) {
  const all = paragraphs(rec, valueOf(rec), texts());
  const story = all.filter((each) => STORY.has(each.kind));
  return [
    h("p", { class: "who" }, visible(sentence(rec))),
    ...notes(rec),
    ...story.map(told),
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

/** What pairing knows, as sentences. @param {import("./record.js").Rec} rec */
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
