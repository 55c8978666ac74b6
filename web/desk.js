/**
 * A request, the button that sends it, and what came back. The console's page and the inspector's tab both have one.
 *
 * In:  an order; the tools that are known. Out: an element; each answer, for whoever wants to learn from it.
 * Refuses to know: sessions, forms, presets.
 *
 * Theory of operation. Before a request that may destroy something leaves, the desk asks: it names the tools and waits
 * for a second press. Which tools those are, their annotations say, and a tool that nobody knows counts as one.
 */

import { Answer } from "./answerview.js";
import { relay } from "./api.js";
import { dangerousIn } from "./compose.js";
import { h } from "./dom.js";
import { Editor } from "./editor.js";
import { replyView } from "./replyview.js";
import { visible } from "./visible.js";

/** A server that asks waits for a human: so many seconds. */
const PATIENCE = 120;

/** @typedef {import("./compose.js").Order} Order */

export class Desk {
  /**
   * @param {Order} order
   * @param {{texts: () => import("./explain.js").Texts, statuses: () => import("./explain.js").Texts,
   *   tools: () => Map<string, Record<string, any>>, sent?: (order: Order, answer: Answer) => void}} hooks
   */
  constructor(order, hooks) {
    this.hooks = hooks;
    this.editor = new Editor(order, () => this.#calm());
    this.sent = order;
    this.answer = new Answer(hooks.texts, hooks.statuses, (message) =>
      replyView(message, this.sent, (again) => {
        this.show(again);
        this.button.focus();
      }),
    );
    /** @type {AbortController | null} */
    this.under = null;
    this.button = button("Send", "primary", () => this.press());
    this.stop = button("Stop", "plain", () => this.under?.abort());
    this.stop.hidden = true;
    this.warning = h("p", { class: "note danger", role: "alert" });
    this.warning.hidden = true;
    this.element = h(
      "div",
      { class: "desk" },
      this.editor.element,
      this.warning,
      h("div", { class: "desk-buttons" }, this.button, this.stop),
      this.answer.element,
    );
  }

  /** @param {Order} order */
  show(order) {
    this.editor.set(order);
    this.#calm();
  }

  /** The button: sends, or asks first. */
  async press() {
    const order = this.editor.order;
    const dangerous = dangerousIn(order.body, this.hooks.tools());
    if (dangerous.length > 0 && this.warning.hidden) {
      const names = dangerous.map((name) => visible(name, 60)).join(", ");
      this.warning.textContent = `${names} may change or delete things. Press once more to send it.`;
      this.warning.hidden = false;
      this.button.textContent = "Send it all the same";
      return;
    }
    this.#calm();
    await this.send(order);
  }

  /** @param {Order} order @returns {Promise<Answer>} when all has come */
  async send(order) {
    this.under?.abort();
    const under = new AbortController();
    this.under = under;
    this.sent = order;
    this.stop.hidden = false;
    this.answer.begin();
    try {
      await relay({ limit: PATIENCE, ...order }, (told) => this.answer.tell(told), under.signal);
    } catch (error) {
      const text = under.signal.aborted ? "Stopped." : String(/** @type {Error} */ (error).message);
      this.answer.tell({ kind: "trouble", text });
    }
    if (this.under === under) this.stop.hidden = true;
    this.hooks.sent?.(order, this.answer);
    return this.answer;
  }

  #calm() {
    this.warning.hidden = true;
    this.button.textContent = "Send";
  }
}

/** @param {string} text @param {string} kind @param {() => void} click */
function button(text, kind, click) {
  return /** @type {HTMLButtonElement} */ (h("button", { type: "button", class: kind, on: { click } }, text));
}
