/**
 * What came back from the server: status, headers, each frame as it comes, and which rule was broken.
 *
 * In:  what the viewer's /relay tells, one thing at a time. Out: an element that grows.
 * Refuses to know: what was sent, where to.
 *
 * @typedef {import("./explain.js").Texts} Texts
 */

import { h, outward, prose } from "./dom.js";
import { lookup } from "./explain.js";
import { isObject } from "./json.js";
import { visible, visibleLines } from "./visible.js";

/** Characters of one frame that are shown. */
const TEXT = 60_000;

export class Answer {
  /** @param {() => Texts} texts @param {() => Texts} statuses
   * @param {(message: Record<string, any>) => Node[]} [replies] to a message that asks */
  constructor(texts, statuses, replies = () => []) {
    this.replies = replies;
    this.texts = texts;
    this.statuses = statuses;
    this.element = h("section", { class: "answer", "aria-live": "polite", "aria-label": "Answer" });
    /** @type {Record<string, any>[]} */
    this.messages = [];
    this.status = 0;
    this.headers = /** @type {Record<string, string>} */ ({});
    this.streams = false;
    this.trouble = "";
  }

  begin() {
    this.messages = [];
    this.status = 0;
    this.headers = {};
    this.trouble = "";
    this.element.replaceChildren(h("p", { class: "faint" }, "Sent; waiting …"));
  }

  /** @param {Record<string, any>} told */
  tell(told) {
    if (this.status === 0 && this.element.firstElementChild?.className === "faint") this.element.replaceChildren();
    if (told.kind === "head") this.#head(told);
    else if (told.kind === "frame") this.#frame(told);
    else if (told.kind === "trouble") {
      this.trouble = String(told.text);
      this.element.append(h("p", { class: "note" }, this.trouble));
    } else this.#end(told);
  }

  /** @param {Record<string, any>} told */
  #head(told) {
    this.status = Number(told.status);
    this.headers = isObject(told.headers) ? told.headers : {};
    const kind = Object.entries(this.headers).find(([name]) => name.toLowerCase() === "content-type");
    this.streams = String(kind?.[1]).startsWith("text/event-stream");
    this.element.append(
      h(
        "h3",
        {},
        h("span", { class: `status-code ${this.status >= 400 ? "bad" : "good"}` }, `HTTP ${visible(told.title, 80)}`),
      ),
      h(
        "dl",
        { class: "answer-headers" },
        Object.entries(this.headers).map(([name, value]) =>
          h("div", {}, h("dt", {}, visible(name, 80)), h("dd", {}, visible(value, 400))),
        ),
      ),
    );
  }

  /** @param {Record<string, any>} told */
  #frame(told) {
    const text = String(told.text);
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    for (const each of Array.isArray(value) ? value : [value]) if (isObject(each)) this.messages.push(each);
    const shown = value === undefined ? text : JSON.stringify(value, null, 2);
    this.element.append(
      this.streams ? h("h4", {}, visible(told.title, 80)) : "",
      h("pre", { class: "raw", tabindex: "0" }, visibleLines(shown.slice(0, TEXT))),
      shown.length > TEXT
        ? h("p", { class: "faint" }, `${shown.length - TEXT} more characters; the log has them.`)
        : "",
      ...(isObject(value) ? this.#rules(value) : []),
    );
    const replies = isObject(value) ? this.replies(value) : [];
    this.element.append(...replies);
    if (replies.length > 0) this.element.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  /** The rule that was broken, if the message says that one was. @param {Record<string, any>} message */
  #rules(message) {
    if (isObject(message.result) && message.result.isError === true) {
      return [
        rule(
          "isError",
          "The tool failed",
          "This is a result: the protocol worked, and the text is for the model to read.",
          "",
          "",
        ),
      ];
    }
    if (!isObject(message.error)) return [];
    const known = lookup(this.texts(), "code", String(message.error.code));
    if (known === null) return [rule(String(message.error.code), "A code of this server's own", "", "", "")];
    return [rule(known.name, known.title, known.text, known.todo ?? "", known.spec ?? "")];
  }

  /** @param {Record<string, any>} told */
  #end(told) {
    const said = this.messages.some((message) => isObject(message.error));
    const entry = this.statuses()[String(this.status)];
    if (isObject(entry) && (this.status >= 400 || !said)) {
      this.element.append(
        rule(`HTTP ${this.status}`, String(entry.title), String(entry.text), "", String(entry.spec ?? "")),
      );
    }
    this.element.append(
      h("p", { class: "faint" }, `${told.text ?? "The server has finished."} ${Number(told.ms).toFixed(1)} ms`),
    );
  }
}

/** @param {string} name @param {string} title @param {string} text @param {string} todo @param {string} spec */
function rule(name, title, text, todo, spec) {
  return h(
    "section",
    { class: "told rule", data: { kind: "code" } },
    h("h3", {}, h("code", {}, visible(name, 40)), h("span", {}, title)),
    h("p", {}, prose(text)),
    todo === "" ? null : h("p", { class: "todo" }, h("strong", {}, "What to do: "), prose(todo)),
    spec === "" ? null : h("p", { class: "spec" }, outward(spec, "In the specification")),
  );
}
