/**
 * One tool in four forms: as its MCP server described it, and as each provider takes it.
 *
 * In:  a tool as it was sent to a model, the turn, the tools that servers have listed. Out: nodes.
 * Refuses to know: what else the model saw.
 *
 * @typedef {import("./modelsaw.js").Turn} Turn
 */

import { h } from "./dom.js";
import { DIALECTS, formsOf, KEPT_BACK, MOVED, originOf } from "./modelsaw.js";
import { visible, visibleLines } from "./visible.js";

/** @param {import("./modelsaw.js").Offered} tool @param {Turn} turn @param {Record<string, any>[]} tools */
export function toolForms(tool, turn, tools) {
  const origin = originOf(tool.name, tools);
  const mcp = origin ?? { name: tool.name, description: tool.description, inputSchema: tool.schema };
  const forms = formsOf(mcp, tool.name);
  const sent = { ...forms, [turn.dialect]: tool.raw };
  const names = /** @type {(keyof typeof DIALECTS)[]} */ (Object.keys(DIALECTS));
  return h(
    "details",
    { class: "forms" },
    h(
      "summary",
      {},
      h("code", {}, visible(tool.name, 80)),
      " ",
      h("span", { class: "faint" }, visible(tool.description, 100)),
    ),
    origin === undefined
      ? h(
          "p",
          { class: "note" },
          "No server's list with this tool is kept here; the MCP form is put together from what was sent.",
        )
      : null,
    legend(),
    h(
      "div",
      { class: "form-grid" },
      form("MCP", mcp, ["inputSchema"], KEPT_BACK),
      names.map((name) =>
        form(`${DIALECTS[name]}${name === turn.dialect ? ", as it was sent" : ""}`, sent[name], marksOf(name), []),
      ),
    ),
  );
}

function legend() {
  const marked = h("mark", {}, "Marked");
  const struck = h("s", {}, "struck out");
  return h(
    "p",
    { class: "faint" },
    marked,
    " is what moved or was added on the way; ",
    struck,
    " is what no model gets to see.",
  );
}

/** The members that MCP has elsewhere, or not. @param {keyof typeof DIALECTS} name */
function marksOf(name) {
  const moved = Object.values(MOVED[name]).map((path) => path.split(".").pop() ?? "");
  return name === "anthropic"
    ? ["input_schema"]
    : ["type", "function", ...moved.filter((each) => each === "parameters")];
}

/** @param {string} title @param {any} value @param {string[]} marked
 * @param {string[]} struck members of the outermost objects */
function form(title, value, marked, struck) {
  const lines = JSON.stringify(value, null, 2).split("\n");
  let gone = false;
  return h(
    "div",
    {},
    h("h4", {}, title),
    h(
      "pre",
      { class: "raw", tabindex: "0" },
      lines.map((line) => {
        const name = /^ {2,4}"([^"]+)":/.exec(line)?.[1] ?? "";
        const top = /^ {2}"/.test(line) || /^}/.test(line);
        if (top) gone = struck.includes(name);
        const shown = visibleLines(`${line}\n`);
        if (gone) return h("s", {}, shown);
        return marked.includes(name) && (top || name === "parameters") ? h("mark", {}, shown) : shown;
      }),
    ),
  );
}
