/**
 * What differs between the two eras, member by member, and why.
 *
 * In:  the differences that contrast.js found, the explanations. Out: nodes. Refuses to know: where the wires are from.
 */

import { h, prose } from "./dom.js";
import { lookup } from "./explain.js";
import { visible } from "./visible.js";

/** @param {import("./contrast.js").Difference[]} all @param {import("./explain.js").Texts} texts */
export function differing(all, texts) {
  /** @type {Map<string, import("./contrast.js").Difference>} */
  const unique = new Map(all.map((each) => [each.path, each]));
  if (unique.size === 0) return h("p", {}, "Nothing else differs.");
  return h(
    "section",
    { class: "glossary" },
    h("h3", {}, "What differs, and why"),
    h(
      "dl",
      {},
      [...unique.values()].flatMap((each) => [
        h(
          "dt",
          {},
          visible(each.path.replace(/^(message|header)\./, ""), 120),
          side("handshake", each.here),
          side("stateless", each.there),
        ),
        h("dd", {}, about(each.path, texts)),
      ]),
    ),
  );
}

/** @param {string} era @param {string} value */
function side(era, value) {
  return h("span", { class: "side faint" }, value === "" ? ` ${era}: absent` : ` ${era}: ${visible(value, 80)}`);
}

/** @param {string} path @param {import("./explain.js").Texts} texts */
function about(path, texts) {
  if (path.startsWith("header.")) return told(lookup(texts, "header", path.slice(7)));
  if (path === "http.status") return "The same outcome has another status: from 2026-07-28 on HTTP tells more of it.";
  const name = /_meta\.(.+)$/.exec(path)?.[1] ?? path.split(".").pop() ?? "";
  return told(lookup(texts, "field", name));
}

/** @param {import("./explain.js").Paragraph | null} text */
function told(text) {
  return text === null ? "" : prose(text.text);
}
