/**
 * What the chat's own records are about, in a few words: questions, the model's wishes, answers.
 *
 * In:  an event's name and its data. Out: a short text; null for what is not the chat's. Refuses to know: rows. Pure.
 *
 * The bodies on the model's leg are the provider's protocol, so only what all providers share is looked for.
 */

import { brief, isObject } from "./json.js";

/** @param {string} event @param {Record<string, any>} data @returns {string | null} */
export function chatGist(event, data) {
  if (!/^(chat|llm)_/.test(event)) return null;
  if (event === "llm_tool_call" && data.name !== undefined) return brief(data.name);
  if (isObject(data.message)) return asked(data.message);
  if (Array.isArray(data.calls) && data.calls.length > 0) {
    return `wants ${data.calls.map((call) => (isObject(call) ? brief(call.name) : "?")).join(", ")}`.slice(0, 160);
  }
  const text = textOf(data.content) ?? data.text ?? data.error ?? data.reason;
  if (typeof text === "string") return brief(text);
  return Object.hasOwn(data, "raw") ? "" : null;
}

/** What a provider is asked. @param {Record<string, any>} body */
function asked({ messages, tools }) {
  const parts = [];
  if (Array.isArray(messages)) parts.push(messages.length === 1 ? "1 message" : `${messages.length} messages`);
  if (Array.isArray(tools)) parts.push(`${tools.length} tools`);
  return parts.join(", ");
}

/** @param {unknown} content */
function textOf(content) {
  if (!Array.isArray(content)) return undefined;
  return content.find((part) => isObject(part) && typeof part.text === "string")?.text;
}
