/**
 * The tab *Model*: what the model saw in this turn, and what became of the tools on the way to it.
 *
 * In:  the record of a request to a model, or of its answer. Out: nodes. Refuses to know: providers (modelsaw.js does).
 *
 * @typedef {import("./inspector.js").View} View
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {import("./modelsaw.js").Turn} Turn
 */

import { h } from "./dom.js";
import { isObject, string } from "./json.js";
import { CHARACTERS_PER_TOKEN, DIALECTS, sizesOf, turnOf } from "./modelsaw.js";
import { valueOf } from "./record.js";
import { toolForms } from "./toolforms.js";
import { visible, visibleLines } from "./visible.js";

/** Characters of one message that are shown. */
const TEXT = 20_000;

/** @type {View} */
export function modelView(rec, { store }) {
  const asked = requestOf(rec, store);
  if (asked === undefined) {
    return [
      h(
        "p",
        {},
        "This is about one turn of a model. Choose a ",
        h("code", {}, "chat_request"),
        ", or what came back to it.",
      ),
    ];
  }
  const data = valueOf(asked).data;
  const turn = turnOf(data.message, string(data.http?.path) ?? "");
  return [
    h("p", { class: "who" }, `${DIALECTS[turn.dialect]}'s format, model ${visible(turn.model || "not named", 80)}.`),
    sizes(turn),
    section(
      "The prompt, exactly",
      turn.said.length === 0 ? [h("p", { class: "faint" }, "No messages.")] : turn.said.map(message),
    ),
    section(
      `Tools it may wish for: ${turn.tools.length}`,
      turn.tools.map((tool) => toolForms(tool, turn, known(store))),
    ),
    section("Besides", [
      h(
        "dl",
        { class: "besides" },
        turn.rest.map(([name, value]) =>
          h("div", {}, h("dt", {}, visible(name, 60)), h("dd", {}, visible(JSON.stringify(value), 400))),
        ),
      ),
    ]),
  ];
}

/** The request to the model that a record is, or answers. @param {Rec} rec @param {import("./store.js").Store} store */
function requestOf(rec, store) {
  const all = rec.exchange === undefined ? [rec] : store.exchange(rec);
  return all.find((each) => each.peer === "llm" && each.dir === "out" && isObject(valueOf(each).data?.message));
}

/** All tools that any server has listed, the newest first. @param {import("./store.js").Store} store */
function known(store) {
  /** @type {Record<string, any>[]} */
  const tools = [];
  for (let at = store.log.length - 1; at >= 0; at -= 1) {
    const rec = store.log.at(at);
    if (rec?.kind !== "result" || rec.request?.method !== "tools/list") continue;
    const listed = valueOf(rec).data?.message?.result?.tools;
    if (Array.isArray(listed)) tools.push(...listed.filter(isObject));
    if (tools.length > 500) break;
  }
  return tools;
}

/** @param {Turn} turn */
function sizes(turn) {
  const parts = sizesOf(turn);
  const all = parts.reduce((sum, part) => sum + part.tokens, 0);
  return h(
    "section",
    { class: "sizes" },
    h("h3", {}, `Size of the context: about ${all.toLocaleString("en-US")} tokens`),
    h(
      "p",
      { class: "faint" },
      `Estimated: one token for ${CHARACTERS_PER_TOKEN} characters. Only the model's own tokenizer knows.`,
    ),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, SIZES.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, parts.map((part) => sizeOf(part, all))),
    ),
  );
}

const SIZES = ["Part", "Characters", "Tokens, estimated", "Share"];

/** @param {ReturnType<typeof sizesOf>[number]} part @param {number} all tokens */
function sizeOf({ name, characters, tokens }, all) {
  const share = { min: 0, max: Math.max(1, all), value: tokens, "aria-label": `${name}: ${tokens} of ${all}` };
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", {}, characters.toLocaleString("en-US")),
    h("td", {}, tokens.toLocaleString("en-US")),
    h("td", {}, h("meter", share)),
  );
}

/** @param {import("./modelsaw.js").Said} said */
function message(said) {
  const about = said.answers === "" ? "" : ` answers ${visible(said.answers, 60)}`;
  return h(
    "div",
    { class: "turn", data: { role: said.role } },
    h("h4", {}, h("code", {}, visible(said.role, 40)), about),
    said.text === "" ? null : h("pre", { class: "raw", tabindex: "0" }, visibleLines(said.text.slice(0, TEXT))),
    said.text.length > TEXT
      ? h("p", { class: "faint" }, `${said.text.length - TEXT} more characters; the tab JSON has them.`)
      : null,
    ...said.calls.map((call) =>
      h(
        "p",
        {},
        "wishes for ",
        h("code", {}, visible(`${call.name}(${call.text})`, 2000)),
        h("span", { class: "faint" }, ` ${visible(call.id, 60)}`),
      ),
    ),
  );
}

/** @param {string} title @param {Node[]} inside */
function section(title, inside) {
  return h("section", { class: "model-part" }, h("h3", {}, title), inside);
}
