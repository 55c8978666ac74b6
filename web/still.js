/**
 * What stands behind the arrows: lifelines, bars of activity, ties, the times in the margin.
 *
 * In:  a drawing of layout.js and what is in sight of it. Out: SVG elements. Refuses to know: how it was laid out.
 *
 * None of it can be selected, so a screen reader is spared it: the arrows' names say the same.
 *
 * @typedef {import("./layout.js").Drawing} Drawing
 */

import { s, set } from "./svg.js";

export class Still {
  constructor() {
    this.lines = s("g", { class: "lifelines" });
    this.bars = s("g", { class: "bars" });
    this.ties = s("g", { class: "ties" });
    this.ticks = s("g", { class: "ticks" });
    this.element = s("g", { "aria-hidden": "true" }, this.lines, this.bars, this.ties, this.ticks);
  }

  /** @param {Drawing} drawing @param {number} top @param {number} height pixels in sight */
  draw({ xs, bars, ties, ticks, width }, top, height) {
    fill(this.lines, "line", xs, (x) => ({ x1: x, x2: x, y1: top, y2: top + height }));
    fill(this.bars, "rect", bars, (bar) => ({
      class: `${bar.kind}${bar.open ? " open" : ""}${bar.stream ? " stream" : ""}`,
      x: bar.kind === "handler" ? bar.x - 4 : bar.x - 2,
      y: bar.y,
      width: bar.kind === "handler" ? 8 : 4,
      height: bar.height,
      rx: 2,
    }));
    fill(this.ties, "path", ties, ({ x, y, height: long, kind }) => ({
      class: kind,
      d: `M${x - 3} ${y} h-8 q-4 0 -4 4 V${y + long - 4} q0 4 4 4 h6 m-4 -3 l4 3 l-4 3`,
    }));
    const big = ticks.filter((tick) => tick.big && tick.y > 20);
    fill(this.ticks, "text", ticks, (tick) => ({ x: 10, y: tick.y - 3, class: tick.big ? "big" : "" }), (tick) => tick.text);
    while (this.ticks.children.length > ticks.length) this.ticks.lastElementChild?.remove();
    for (const tick of big) this.ticks.append(s("path", { class: "pause", d: `M0 ${tick.y - 14.5} H${width}` }));
  }
}

/**
 * As many elements as there are things.
 * @template T @param {SVGElement} group @param {string} tag @param {T[]} things
 * @param {(thing: T) => Record<string, string | number>} attributes @param {(thing: T) => string} [text]
 */
function fill(group, tag, things, attributes, text) {
  things.forEach((thing, index) => {
    let element = group.children[index];
    if (element?.tagName !== tag) {
      const made = s(tag);
      if (element === undefined) group.append(made);
      else element.before(made);
      element = made;
    }
    set(element, attributes(thing));
    const words = text?.(thing) ?? "";
    if (element.textContent !== words) element.textContent = words;
  });
  while (group.children.length > things.length) group.lastElementChild?.remove();
}
