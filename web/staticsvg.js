/**
 * A drawing of the sequence as text, for a file that opens without us.
 *
 * In:  a drawing of layout.js. Out: SVG as text, and the style of the saved page. Refuses to know: elements. Pure.
 *
 * Everything that came from a log passes `escaped`; the paths are ours.
 *
 * @typedef {import("./layout.js").Drawing} Drawing
 */

import { SLOT, yOf } from "./layout.js";
import { shapesOf } from "./shapes.js";
import { visible } from "./visible.js";

const HEAD = 48;

/** @param {unknown} text @returns {string} for an element or a quoted attribute */
export function escaped(text) {
  const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text).replace(/[&<>"']/g, (char) => marks[/** @type {keyof typeof marks} */ (char)]);
}

/** @param {Drawing} drawing @param {import("./lanes.js").Lane[]} lanes @returns {string} */
export function drawingOf({ xs, width, items, bars, ties, ticks }, lanes) {
  const top = items.length === 0 ? 0 : items[0].y - yOf(0);
  const bottom = items.reduce((most, item) => Math.max(most, item.y + item.dy), top) + SLOT;
  const parts = [];
  lanes.forEach((lane, index) => {
    parts.push(`<text class="role" x="${xs[index]}" y="${top + 18}">${escaped(lane.title)}</text>`);
    parts.push(`<text class="name" x="${xs[index]}" y="${top + 34}">${escaped(visible(lane.name, 24))}</text>`);
    parts.push(`<path class="life" d="M${xs[index]} ${top + HEAD} V${bottom + HEAD}"/>`);
  });
  parts.push(`<g transform="translate(0 ${HEAD})">`);
  for (const bar of bars) {
    const wide = bar.kind === "handler" ? 8 : 4;
    const [y, end] = [Math.max(bar.y, top), Math.min(bar.y + bar.height, bottom)];
    parts.push(`<rect class="${bar.kind}" x="${bar.x - wide / 2}" y="${y}" width="${wide}" height="${Math.max(1, end - y)}"/>`);
  }
  for (const tie of ties) parts.push(`<path class="tie" d="M${tie.x - 3} ${tie.y} h-12 v${tie.height} h10"/>`);
  for (const tick of ticks) parts.push(`<text class="tick" x="8" y="${tick.y - 3}">${escaped(tick.text)}</text>`);
  for (const item of items) parts.push(arrow(item));
  parts.push("</g>");
  const view = `0 ${top} ${width} ${bottom - top + HEAD}`;
  return `<svg viewBox="${view}" width="${width}" height="${bottom - top + HEAD}" role="img" aria-label="Sequence of messages; each is listed below.">${parts.join("\n")}</svg>`;
}

/** @param {import("./layout.js").Item} item */
function arrow(item) {
  const shapes = shapesOf(item);
  const words = item.label.map(({ text, part }, i) => `<tspan class="${part}">${escaped(i === 0 ? text : ` ${text}`)}</tspan>`);
  const kind = `${item.said.shape}${item.rec.bad ? " wrong" : ""}`;
  const box = item.dx === 0 ? `<path class="box" d="${shapes.hit}"/>` : "";
  const tail = shapes.tail === "" ? "" : `<path class="tail" d="${shapes.tail}"/>`;
  const shaft = shapes.shaft === "" ? "" : `<path class="shaft" d="${shapes.shaft}"/>`;
  const head = shapes.head === "" ? "" : `<path class="head" d="${shapes.head}" transform="${shapes.turn}"/>`;
  return `<g class="arrow ${kind}" transform="translate(${item.x} ${item.y})"><title>${escaped(item.name)}</title>${box}${shaft}${tail}${head}<text x="${shapes.x}" y="${shapes.y}" text-anchor="${shapes.anchor}">${words.join("")}</text></g>`;
}

export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1c1f, #e8e8e4); --muted: light-dark(#5c6068, #a0a4ac);
  --ground: light-dark(#fff, #191a1d); --line: light-dark(#e2e2de, #2c2e33); --bad: light-dark(#b0231b, #ff8f85); }
body { margin: 24px; background: var(--ground); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
h1 { font-size: 20px; } h2 { font-size: 16px; } .drawing { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
svg text { font: 11.2px ui-monospace, "Liberation Mono", Menlo, Consolas, monospace; fill: var(--ink); white-space: pre; }
svg .role { font: 600 13px system-ui, sans-serif; text-anchor: middle; } svg .name { text-anchor: middle; fill: var(--muted); }
svg path { fill: none; stroke: var(--ink); stroke-width: 1.3; } svg .life { stroke: var(--line); } svg .tie { stroke: var(--muted); stroke-dasharray: 2 3; }
svg rect { fill: var(--ground); stroke: var(--muted); } svg .box { fill: var(--ground); stroke: var(--line); }
svg .tick, svg .detail, svg .tag, svg .note text { fill: var(--muted); } svg .title { font-weight: 600; } svg .bad { fill: var(--bad); font-weight: 600; }
.request .head, .batch .head { fill: var(--ink); } .result .shaft, .error .shaft, .tool-error .shaft { stroke-dasharray: 6 4; } .tail { stroke-dasharray: 1 4; }
.wrong path { stroke: var(--bad); }
.arrow text { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; }
details { border-top: 1px solid var(--line); padding: 6px 0; } details.bad > summary { color: var(--bad); } summary { cursor: pointer; }
dt { font: 600 12px ui-monospace, monospace; margin-top: 6px; } dd { margin: 0; color: var(--muted); max-width: 80ch; }
pre { overflow-x: auto; padding: 10px; border: 1px solid var(--line); border-radius: 6px; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
