/**
 * What a client of either era puts around a message: the envelope in `_meta`, the headers, the session.
 *
 * In:  a method and its params, and where the conversation stands. Out: an order for the viewer's /relay.
 * Refuses to know: how it is sent, what comes back, the page. Pure.
 *
 * @typedef {{method: string, path: string, headers: Record<string, string>, body: string, limit?: number}} Order
 * @typedef {object} Standing where the conversation with the server stands
 * @property {string} path of the server's endpoint
 * @property {string} revision that is spoken
 * @property {string} session the Mcp-Session-Id, "" if there is none
 */

import { isObject } from "./json.js";

export const HANDSHAKE = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const STATELESS = ["2026-07-28"];
export const REVISIONS = [...STATELESS, ...HANDSHAKE];
export const ME = { name: "mcp-viewer", version: "0.1.0" };

const META = "io.modelcontextprotocol/";
const NAMED_BY = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);
const PLAIN = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** @param {string} revision */
export const isStateless = (revision) => STATELESS.includes(revision);

/** `00-<trace>-<span>-01`, from 24 random bytes. @param {Uint8Array} bytes */
export function traceparent(bytes) {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `00-${hex.slice(0, 32)}-${hex.slice(32, 48)}-01`;
}

/** What a request carries in `_meta`. @param {string} revision @param {string} trace
 * @param {Record<string, any>} [able] capabilities @returns {Record<string, any>} */
export function metaOf(revision, trace, able = {}) {
  const own = trace === "" ? {} : { traceparent: trace };
  if (!isStateless(revision)) return own;
  return { ...own, [`${META}protocolVersion`]: revision, [`${META}clientCapabilities`]: able, [`${META}clientInfo`]: ME };
}

/** A request, or with `id` undefined a notification, as text.
 * @param {number | string | undefined} id @param {string} method @param {Record<string, any>} params
 * @param {string} revision @param {string} trace @param {Record<string, any>} [able] capabilities */
export function messageText(id, method, params, revision, trace, able = {}) {
  const message = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params: { ...params } };
  message.params._meta = metaOf(revision, trace, able);
  return JSON.stringify(message);
}

/**
 * The headers that go with a body: what they mirror is read from the body, which may be anything.
 * @param {string} body @param {Standing} standing @param {Record<string, any>} [schema] of the tool that is called
 * @returns {Record<string, string>}
 */
export function headersFor(body, standing, schema) {
  const message = parsed(body);
  if (!isStateless(standing.revision)) {
    const first = message?.method === "initialize" || standing.session === "";
    const version = first || standing.revision < "2025-06-18" ? {} : { "MCP-Protocol-Version": standing.revision };
    return { ...PLAIN, ...version, ...(first ? {} : { "Mcp-Session-Id": standing.session }) };
  }
  if (typeof message?.method !== "string") return { ...PLAIN, "MCP-Protocol-Version": standing.revision };
  const params = isObject(message.params) ? message.params : {};
  const name = params[NAMED_BY.get(message.method) ?? ""];
  return {
    ...PLAIN,
    "MCP-Protocol-Version": standing.revision,
    "Mcp-Method": message.method,
    ...(typeof name === "string" ? { "Mcp-Name": encoded(name) } : {}),
    ...(message.method === "tools/call" ? mirrored(schema, params.arguments) : {}),
  };
}

/** The arguments that a tool's schema wants in a header too (`x-mcp-header`).
 * @param {unknown} schema @param {unknown} values @returns {Record<string, string>} */
function mirrored(schema, values) {
  if (!isObject(schema) || !isObject(schema.properties) || !isObject(values)) return {};
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, part] of Object.entries(schema.properties)) {
    if (!isObject(part) || !Object.hasOwn(values, name)) continue;
    const value = values[name];
    Object.assign(found, mirrored(part, value));
    if (typeof part["x-mcp-header"] !== "string" || value === null || typeof value === "object") continue;
    found[`Mcp-Param-${part["x-mcp-header"]}`] = encoded(String(value));
  }
  return found;
}

/** Text as a header value: itself where that is safe, else base64 between two marks. @param {string} text */
export function encoded(text) {
  const looksEncoded = text.startsWith("=?base64?") && text.endsWith("?=");
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !looksEncoded) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(""))}?=`;
}

/** What is sent for a preset. @param {Record<string, any>} preset @param {Standing} standing @returns {Order} */
export function fromPreset(preset, standing) {
  const revision = preset.needs === "stateless" ? STATELESS[0] : standing.revision;
  const body = String(preset.body).replaceAll("{meta}", JSON.stringify(metaOf(STATELESS[0], "")));
  const own = preset.needs === "" ? PLAIN : headersFor(body, { ...standing, revision });
  const headers = Object.entries({ ...own, ...preset.headers }).filter(([, value]) => value !== "");
  return { method: preset.method ?? "POST", path: standing.path, headers: Object.fromEntries(headers), body };
}

/** The calls of tools in a body, which may be one message, several in an array, or anything.
 * @param {string} body @returns {string[]} names of tools */
export function toolsIn(body) {
  const value = parsedAny(body);
  return (Array.isArray(value) ? value : [value])
    .filter((each) => isObject(each) && each.method === "tools/call")
    .map((each) => String(isObject(each.params) ? each.params.name : ""));
}

/**
 * Which of the tools that a body calls may destroy something: by its annotations, whose defaults are the careful ones
 * (a tool that says nothing may write and may destroy), and any tool that is not in the list.
 * @param {string} body @param {Map<string, Record<string, any>>} tools
 */
export function dangerousIn(body, tools) {
  return toolsIn(body).filter((name) => {
    const hints = tools.get(name)?.annotations;
    return !(isObject(hints) && (hints.readOnlyHint === true || hints.destructiveHint === false));
  });
}

/** @param {string} body @returns {Record<string, any> | null} */
export function parsed(body) {
  const value = parsedAny(body);
  return isObject(value) ? value : null;
}

/** @param {string} body @returns {unknown} undefined if it is no JSON */
function parsedAny(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
