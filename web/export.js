/**
 * Records as files to keep and to hand on.
 *
 * In:  records, their lanes, what explains them. Out: the text of a file: JSON Lines, a page, a Mermaid diagram.
 * Refuses to know: where the file goes; what is secret (masking.js was there before). Pure.
 *
 * The page holds no script and loads nothing: a drawing, and behind each message its explanation and its JSON, folded.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{rows: import("./tape.js").Tape<Rec>, lanes: import("./lanes.js").Lanes, shows: (rec: Rec) => boolean,
 *   texts: import("./explain.js").Texts, now: string}} Story
 */

import { laneName } from "./arrow.js";
import { paragraphs, sentence } from "./explain.js";
import { layout } from "./layout.js";
import { valueOf } from "./record.js";
import { drawingOf, escaped, STYLE } from "./staticsvg.js";
import { visible, visibleLines } from "./visible.js";

/** Rows that a drawing holds; a page of more opens slowly. */
export const MOST_DRAWN = 2000;

const WIDTH = 1100;
const JSON_SHOWN = 20_000; // characters

/** One record a line, each as it stands. @param {Iterable<Rec>} recs @returns {string} */
export function jsonLines(recs) {
  let text = "";
  for (const rec of recs) if (rec.kind !== "notice") text += `${rec.text}\n`;
  return text;
}

/** @param {Story} story @returns {import("./layout.js").Drawing} */
function draw({ rows, lanes, shows, now }) {
  return layout({ rows, lanes, shows, first: Math.max(0, rows.length - MOST_DRAWN), last: rows.length, width: WIDTH, now });
}

/** @param {Story} story @param {string} title @returns {string} */
export function page(story, title) {
  const drawing = draw(story);
  const left = story.rows.length - MOST_DRAWN;
  const cut = left > 0 ? `<p>The ${left} oldest records are left out.</p>` : "";
  const messages = drawing.items.map((item) => folded(item, story.texts)).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${drawing.items.length} messages and notes. Each is explained below the drawing. This page runs nothing and loads nothing.</p>
${cut}
<div class="drawing">${drawingOf(drawing, story.lanes.list)}</div>
<h2>The messages</h2>
${messages}
</body>
</html>
`;
}

/** @param {import("./layout.js").Item} item @param {import("./explain.js").Texts} texts */
function folded({ rec, name }, texts) {
  const value = valueOf(rec);
  const told = paragraphs(rec, value, texts).map(
    (each) => `<dt>${escaped(each.name)}</dt><dd>${prose(each.text)}${each.todo ? ` ${prose(each.todo)}` : ""}</dd>`,
  );
  const json = visibleLines(JSON.stringify(value, null, 2) ?? rec.text).slice(0, JSON_SHOWN);
  return `<details${rec.bad ? ' class="bad"' : ""}><summary>${escaped(name)}</summary>
<p>${escaped(visible(sentence(rec)))}</p>
<dl>${told.join("")}</dl>
<pre>${escaped(json)}</pre></details>`;
}

/** What stands between `backticks` is code. @param {string} text */
function prose(text) {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** @type {Record<string, string>} */
const ARROWS = { request: "->>", result: "-->>", "tool-error": "-->>", error: "--x", notification: "-)", cancel: "-x" };

/** @param {Story} story @returns {string} a sequence diagram for Mermaid */
export function mermaid(story) {
  const { lanes } = story;
  const lines = ["sequenceDiagram"];
  lanes.list.forEach(({ key }, index) => lines.push(`    participant L${index} as ${plain(laneName(key))}`));
  for (const { rec, said } of draw(story).items) {
    const leg = lanes.legOf(rec);
    const time = said.time.split(" = ")[0];
    const words = plain([said.word, said.title, said.detail, ...said.bad, time].filter((part) => part !== "").join(" "));
    if (leg === null) {
      const home = lanes.placeOf(lanes.homeOf(rec));
      if (home >= 0) lines.push(`    Note over L${home}: ${words}`);
    } else {
      lines.push(`    L${lanes.placeOf(leg.from)}${ARROWS[said.shape] ?? "-->>"}L${lanes.placeOf(leg.to)}: ${words}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Text in which nothing means anything to Mermaid. @param {string} text */
function plain(text) {
  return text.slice(0, 140).replace(/[^\w \-./(),?!'ÀÖØöøÿ…]/gu, (char) => `#${char.codePointAt(0)};`);
}
