/**
 * A mistake in a filter: what is wrong, and where.
 *
 * In:  the viewer's refusal and the text that it refused. Out: nodes. Refuses to know: the grammar, where they stand.
 */

import { h } from "./dom.js";
import { visible } from "./visible.js";

/** Characters shown before and behind the one where it goes wrong. */
const BEFORE = 24;
const BEHIND = 16;

/** @param {import("./api.js").Refused} error @param {string} text @returns {HTMLElement[]} */
export function problemParts(error, text) {
  const parts = [h("span", {}, visible(error.message))];
  if (error.at !== undefined) {
    const at = Math.max(0, Math.min(error.at, text.length));
    parts.push(
      h(
        "code",
        { class: "where" },
        visible(text.slice(Math.max(0, at - BEFORE), at)),
        h("mark", {}, visible(text.slice(at, at + 1)) || "␣"),
        visible(text.slice(at + 1, at + BEHIND)),
      ),
    );
    parts.push(h("span", { class: "at" }, `at character ${at + 1}`));
  }
  return parts;
}
