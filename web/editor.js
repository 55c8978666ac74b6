/**
 * Where a request is written: method, path, headers, and a body of any bytes.
 *
 * In:  an order to begin with. Out: the order as it was edited. Refuses to know: what it is for, how it is sent.
 *
 * The body is sent exactly as it stands, also when it is no JSON; that it is none is said beside it while one types, so
 * that nobody sends it unknowingly.
 *
 * @typedef {import("./compose.js").Order} Order
 */

import { h } from "./dom.js";

const METHODS = ["POST", "GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"];
let count = 0;

export class Editor {
  /** @param {Order} order @param {() => void} changed */
  constructor(order, changed) {
    count += 1;
    const id = (/** @type {string} */ name) => `${name}-${count}`;
    const listen = {
      input: () => {
        this.#judge();
        changed();
      },
    };
    this.method = /** @type {HTMLSelectElement} */ (
      h(
        "select",
        { id: id("method"), on: listen },
        METHODS.map((each) => h("option", {}, each)),
      )
    );
    this.path = /** @type {HTMLInputElement} */ (h("input", { id: id("path"), spellcheck: "false", on: listen }));
    this.headers = area(id("headers"), 5, "off", listen);
    this.body = area(id("body"), 10, "soft", listen);
    this.note = h("p", { class: "editor-note", role: "status" });
    this.element = h(
      "div",
      { class: "editor" },
      h(
        "div",
        { class: "editor-line" },
        h("label", { for: id("method") }, "Method"),
        this.method,
        h("label", { for: id("path") }, "Path"),
        this.path,
      ),
      h("label", { for: id("headers") }, "Headers, one a line"),
      this.headers,
      h("label", { for: id("body") }, "Body, sent exactly as it stands"),
      this.body,
      this.note,
    );
    this.set(order);
  }

  /** @param {Order} order */
  set({ method, path, headers, body }) {
    this.method.value = METHODS.includes(method) ? method : "POST";
    this.path.value = path;
    this.headers.value = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
    this.body.value = body;
    this.#judge();
  }

  /** @returns {Order} */
  get order() {
    /** @type {Record<string, string>} */
    const headers = {};
    for (const line of this.headers.value.split("\n")) {
      const at = line.indexOf(":");
      if (line.trim() !== "")
        headers[line.slice(0, at < 0 ? undefined : at).trim()] = at < 0 ? "" : line.slice(at + 1).trim();
    }
    return { method: this.method.value, path: this.path.value.trim(), headers, body: this.body.value };
  }

  #judge() {
    const flaw = flawOf(this.body.value);
    this.note.textContent = flaw;
    this.note.dataset.flawed = String(flaw !== "");
  }
}

/** What is to be said about a body before it is sent. @param {string} body */
function flawOf(body) {
  if (body.trim() === "") return "";
  try {
    JSON.parse(body);
    return "";
  } catch (error) {
    return `This is not JSON (${/** @type {Error} */ (error).message}). It will be sent as it stands.`;
  }
}

/** @param {string} id @param {number} rows @param {"off" | "soft"} wrap soft: only to the eye
 * @param {Record<string, () => void>} on */
function area(id, rows, wrap, on) {
  return /** @type {HTMLTextAreaElement} */ (h("textarea", { id, rows, spellcheck: "false", wrap, on }));
}
