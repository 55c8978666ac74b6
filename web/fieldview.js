/**
 * The message itself, with each field that has an explanation telling it on hover or focus.
 *
 * In:  a record's value and the texts of the viewer. Out: nodes. Refuses to know: why the message was sent.
 *
 * What a *user* put into a message (arguments, a schema) is shown and not explained: a tool's argument called `id` is
 * not the id.
 */

import { h, prose } from "./dom.js";
import { isOpaque, lookup } from "./explain.js";
import { messageOf } from "./frame.js";
import { brief, isObject } from "./json.js";
import { visible } from "./visible.js";

/** Lines that are drawn; the tab JSON has the whole. */
const LINES = 120;
const DEPTH = 7;
const HINT = "Point at a field, or go there with Tab, to read what it means.";

/** @param {Record<string, any>} value @param {import("./explain.js").Texts} texts */
export function fieldView(value, texts) {
  const message = messageOf(value);
  if (!isObject(message)) return [];
  const about = h("p", { class: "field-about", id: "field-about", "aria-live": "polite" }, HINT);
  /** @type {HTMLElement[]} */
  const lines = [];
  walk(message, 0, texts, about, lines);
  const cut = lines.length > LINES;
  return [
    h(
      "section",
      { class: "fields" },
      h("h3", {}, "Field by field"),
      about,
      h("div", { class: "field-lines" }, lines.slice(0, LINES)),
      cut ? h("p", { class: "faint" }, "The tab JSON has the rest.") : null,
    ),
  ];
}

/**
 * @param {unknown} value @param {number} depth @param {import("./explain.js").Texts | null} texts null: nothing below
 *     here is the protocol's
 * @param {HTMLElement} about @param {HTMLElement[]} lines
 */
function walk(value, depth, texts, about, lines) {
  if (lines.length > LINES || depth > DEPTH) return;
  const entries = Array.isArray(value) ? value.slice(0, 3).map((each) => ["", each]) : Object.entries(Object(value));
  for (const [name, child] of entries) {
    const nested = typeof child === "object" && child !== null;
    const shown = nested ? brief(child, 60) : JSON.stringify(child);
    const line = h(
      "div",
      { class: "field-line" },
      name === "" ? null : key(name, texts, about),
      h("span", { class: "faint" }, visible(shown ?? "", 120)),
    );
    line.style.setProperty("--depth", String(depth));
    lines.push(line);
    const form = name === "content" && isObject(child); // the answer of a user to a form, not content blocks
    if (nested) walk(child, depth + 1, isOpaque(name) || form ? null : texts, about, lines);
  }
}

/** @param {string} name @param {import("./explain.js").Texts | null} texts @param {HTMLElement} about */
function key(name, texts, about) {
  const text = texts === null ? null : lookup(texts, "field", name);
  if (text === null) return h("code", {}, visible(name, 80));
  const tell = () => about.replaceChildren(h("strong", {}, h("code", {}, name), " "), ...nodes(text.text));
  return h(
    "button",
    {
      type: "button",
      class: "field",
      "aria-describedby": "field-about",
      on: { mouseenter: tell, focus: tell, click: tell },
    },
    name,
  );
}

/** @param {string} text @returns {Node[]} */
function nodes(text) {
  return [h("span", {}, prose(text))];
}
