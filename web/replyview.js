/**
 * What to do when the server asks instead of answering.
 *
 * In:  its message, the order that led to it. Out: nodes; an answer that is sent beside the open stream, or the request
 *      to make again. Refuses to know: what could be answered (replies.js does).
 *
 * @typedef {import("./compose.js").Order} Order
 */

import { relay } from "./api.js";
import { h } from "./dom.js";
import { answerTo, asksBack, isQuestion, repeated } from "./replies.js";

let count = 0;

/** @param {Record<string, any>} message @param {Order} order @param {(order: Order) => void} edit @returns {Node[]} */
export function replyView(message, order, edit) {
  if (isQuestion(message)) return [question(message, order)];
  return asksBack(message) ? [again(message, order, edit)] : [];
}

/** @param {Record<string, any>} message @param {Order} order */
function question(message, order) {
  count += 1;
  const id = `reply-${count}`;
  const text = /** @type {HTMLTextAreaElement} */ (h("textarea", { id, rows: 10, spellcheck: "false" }));
  text.value = answerTo(message);
  const state = h("span", { role: "status", class: "faint" });
  const send = h("button", { type: "button", class: "primary" }, "Send this answer");
  send.addEventListener("click", () => sendReply({ ...order, method: "POST", body: text.value, limit: 15 }, state));
  return h(
    "section",
    { class: "reply editor", "aria-label": "The server asks" },
    h("p", {}, "The server asks, and waits; its stream stays open. The answer goes back in a request of its own."),
    h("label", { for: id }, "Your answer, sent exactly as it stands"),
    text,
    h("p", { class: "desk-buttons" }, send, state),
  );
}

/** @param {Order} order @param {HTMLElement} state tells how it went */
async function sendReply(order, state) {
  const say = (/** @type {string} */ words) => {
    state.textContent = words;
  };
  say("Sent; waiting …");
  try {
    await relay(order, (told) => {
      if (told.kind === "head") say(`HTTP ${told.title}`);
      if (told.kind === "trouble") say(String(told.text));
    });
  } catch (error) {
    say(String(/** @type {Error} */ (error).message));
  }
}

/** @param {Record<string, any>} message @param {Order} order @param {(order: Order) => void} edit */
function again(message, order, edit) {
  const span = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const body = repeated(order.body, message, span);
  const words = "The server asks by its result: repeat the request with inputResponses, and its requestState unchanged.";
  if (body === null) return h("p", { class: "note" }, words);
  const button = h("button", { type: "button", class: "primary" }, "Put the answers into the request");
  button.addEventListener("click", () => edit({ ...order, body }));
  return h("section", { class: "reply", "aria-label": "The server asks" }, h("p", {}, words), button);
}
