/**
 * What a model was given in one turn: the conversation, the tools, and how much of each.
 *
 * In:  the body of a request to a provider, as it was sent; a tool as its MCP server described it.
 * Out: the turn in one shape for all providers; the tool in the words of each provider; sizes.
 * Refuses to know: how it is drawn, where records come from. Pure.
 *
 * Theory of operation. Three dialects are read: OpenAI's (most local servers speak it too), Anthropic's, and Ollama's
 * own. They are told apart by what stands in the body. Tokens are estimated by the length of the text, four characters
 * to one, because only the provider has the model's tokenizer; so a number here is a hint, and is called one.
 *
 * @typedef {"openai" | "anthropic" | "ollama"} Dialect
 * @typedef {{role: string, text: string, calls: {id: string, name: string, text: string}[], answers: string}} Said
 * @typedef {{name: string, description: string, schema: unknown, raw: unknown}} Offered
 * @typedef {{dialect: Dialect, model: string, said: Said[], tools: Offered[], rest: [string, unknown][]}} Turn
 * @typedef {{name: string, characters: number, tokens: number}} Size
 */

import { isObject, string } from "./json.js";

export const CHARACTERS_PER_TOKEN = 4;
export const DIALECTS = { openai: "OpenAI", anthropic: "Anthropic", ollama: "Ollama" };

/** What of an MCP tool never reaches a model. */
export const KEPT_BACK = ["title", "outputSchema", "annotations", "icons", "execution", "_meta"];

/** @param {Record<string, any>} body @param {string} path of the request @returns {Dialect} */
export function dialectOf(body, path) {
  const tools = list(body.tools);
  if (tools.some((tool) => isObject(tool) && "input_schema" in tool) || /\/messages$/.test(path)) return "anthropic";
  return /\/api\/chat$/.test(path) ? "ollama" : "openai";
}

/** @param {Record<string, any>} body @param {string} path @returns {Turn} */
export function turnOf(body, path) {
  const dialect = dialectOf(body, path);
  const system = body.system === undefined ? [] : [{ role: "system", content: body.system }];
  return {
    dialect,
    model: string(body.model) ?? "",
    said: [...system, ...list(body.messages)].filter(isObject).map(saidOf),
    tools: list(body.tools).filter(isObject).map(offered),
    rest: Object.entries(body).filter(([name]) => !["model", "system", "messages", "tools"].includes(name)),
  };
}

/** @param {Record<string, any>} message @returns {Said} */
function saidOf(message) {
  const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const text = typeof message.content === "string" ? message.content : blocks.map(textOf).filter(Boolean).join("\n");
  const own = list(message.tool_calls)
    .filter(isObject)
    .map((call) => callOf(call.function ?? {}, call.id));
  const used = blocks.filter((block) => block.type === "tool_use").map((block) => callOf(block, block.id));
  const answers =
    string(message.tool_call_id) ?? string(blocks.find((block) => block.type === "tool_result")?.tool_use_id) ?? "";
  return { role: string(message.role) ?? "?", text, calls: [...own, ...used], answers };
}

/** @param {Record<string, any>} block */
function textOf(block) {
  if (typeof block.text === "string") return block.text;
  if (block.type === "tool_result")
    return typeof block.content === "string" ? block.content : list(block.content).map(textOf).join("\n");
  return block.type === "tool_use" ? "" : `[${block.type}]`;
}

/** @param {any} call @param {unknown} id */
function callOf(call, id) {
  const given = call.arguments ?? call.input ?? {};
  return {
    id: string(id) ?? "",
    name: string(call.name) ?? "?",
    text: typeof given === "string" ? given : JSON.stringify(given),
  };
}

/** @param {Record<string, any>} tool @returns {Offered} */
function offered(tool) {
  const inner = isObject(tool.function) ? tool.function : tool;
  return {
    name: string(inner.name) ?? "?",
    description: string(inner.description) ?? "",
    schema: inner.parameters ?? inner.input_schema ?? {},
    raw: tool,
  };
}

/** An MCP tool in the words of each provider. @param {Record<string, any>} tool @param {string} name as it is sent */
export function formsOf(tool, name) {
  const { description = "", inputSchema = {} } = tool;
  const wrapped = { type: "function", function: { name, description, parameters: inputSchema } };
  return { openai: wrapped, anthropic: { name, description, input_schema: inputSchema }, ollama: wrapped };
}

/** Where `name`, `description` and `inputSchema` of MCP stand with each provider. */
export const MOVED = {
  openai: { name: "function.name", description: "function.description", inputSchema: "function.parameters" },
  anthropic: { name: "name", description: "description", inputSchema: "input_schema" },
  ollama: { name: "function.name", description: "function.description", inputSchema: "function.parameters" },
};

/** The tool that a sent one was made of: `server__tool`, or the same name.
 * @param {string} sent @param {Record<string, any>[]} known */
export function originOf(sent, known) {
  return known.find((tool) => tool.name === sent) ?? known.find((tool) => sent.endsWith(`__${tool.name}`));
}

/** How much of the context each part takes. @param {Turn} turn @returns {Size[]} */
export function sizesOf(turn) {
  const count = (/** @type {(said: Said) => boolean} */ test) =>
    turn.said
      .filter(test)
      .reduce(
        (sum, said) =>
          sum + said.text.length + said.calls.reduce((more, call) => more + call.name.length + call.text.length, 0),
        0,
      );
  const isResult = (/** @type {Said} */ said) => said.role === "tool" || said.answers !== "";
  /** @type {[string, number][]} */
  const parts = [
    ["System prompt", count((said) => said.role === "system")],
    ["Tools", turn.tools.reduce((sum, tool) => sum + JSON.stringify(tool.raw).length, 0)],
    ["User", count((said) => said.role === "user" && !isResult(said))],
    ["Model", count((said) => said.role === "assistant")],
    ["Results of tools", count(isResult)],
  ];
  return parts.map(([name, characters]) => ({
    name,
    characters,
    tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  }));
}

/** @param {unknown} value @returns {any[]} */
function list(value) {
  return Array.isArray(value) ? value : [];
}
