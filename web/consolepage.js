/**
 * The page *Console*: the usual mistakes to try, a form for each tool, and whatever one writes.
 *
 * In:  the page. Out: a working page. Refuses to know: how a request is edited, sent and shown (desk.js), what a
 *      conversation needs (visit.js).
 */

import { explanations, presets } from "./api.js";
import { fromPreset, headersFor, isStateless, REVISIONS } from "./compose.js";
import { Desk } from "./desk.js";
import { byId, h, prose } from "./dom.js";
import { Form } from "./formview.js";
import { furnish } from "./furniture.js";
import { ABILITIES, capabilitiesOf } from "./replies.js";
import { fieldsOf } from "./schemaform.js";
import { visible } from "./visible.js";
import { Visit } from "./visit.js";

class ConsolePage {
  constructor() {
    this.texts = {};
    /** @type {Record<string, any>} */
    this.known = { server: "", path: "/mcp", preset: [], status: {} };
    this.visit = new Visit("/mcp");
    /** @type {Map<string, HTMLElement>} by what the server says of the tool */
    this.forms = new Map();
    this.desk = new Desk(
      { method: "POST", path: "/mcp", headers: {}, body: "" },
      {
        texts: () => this.texts,
        statuses: () => this.known.status,
        tools: () => this.visit.tools,
        sent: (_, answer) => this.#learn(answer),
      },
    );
    byId("desk").append(h("h2", {}, "Request"), this.desk.element);
    this.state = byId("standing");
    this.#choices();
    furnish({ "/": () => this.desk.editor.body.focus() });
    this.#begin();
  }

  async #begin() {
    try {
      [this.known, this.texts] = await Promise.all([presets(), explanations()]);
    } catch (error) {
      this.#say(String(/** @type {Error} */ (error).message));
      return;
    }
    this.visit.standing.path = this.known.path;
    byId("server").textContent = this.known.server;
    this.#presets();
    this.#raw();
    this.#stand();
  }

  #choices() {
    const revision = /** @type {HTMLSelectElement} */ (byId("revision"));
    revision.append(...REVISIONS.map((each) => h("option", {}, each)));
    revision.value = "2025-11-25";
    byId("able").append(
      ...ABILITIES.map(([name, what]) =>
        h("label", {}, h("input", { type: "checkbox", value: name, checked: name === "elicitation" }), `${what} `, h("code", {}, name)),
      ),
    );
    byId("hello").addEventListener("click", () => this.#hello(revision.value));
    byId("goodbye").addEventListener("click", async () => {
      await this.visit.end();
      this.#stand();
    });
  }

  /** @param {string} revision */
  async #hello(revision) {
    const chosen = /** @type {NodeListOf<HTMLInputElement>} */ (byId("able").querySelectorAll("input:checked"));
    this.visit.able = capabilitiesOf([...chosen].map((box) => box.value));
    this.#say(isStateless(revision) ? "Asking what the server can do …" : "Shaking hands …");
    try {
      await this.visit.begin(revision);
    } catch (error) {
      this.#say(String(/** @type {Error} */ (error).message));
      return;
    }
    this.#stand();
    this.#tools();
    this.#raw();
  }

  /** Says where the conversation stands. */
  #stand() {
    const { standing, server, begun } = this.visit;
    byId("goodbye").hidden = standing.session === "";
    if (!begun) return this.#say("No conversation yet.");
    const session = standing.session === "" ? "no session" : "session ";
    this.state.replaceChildren(
      `${visible(server, 80)}, revision ${standing.revision}, ${session}`,
      standing.session === "" ? "" : h("code", {}, visible(standing.session, 80)),
    );
    return undefined;
  }

  /** @param {string} text */
  #say(text) {
    this.state.textContent = text;
  }

  #presets() {
    byId("presets").replaceChildren(
      ...this.known.preset.map((/** @type {Record<string, any>} */ preset) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", on: { click: () => this.#take(preset) } },
            h("strong", {}, preset.title),
            h("span", {}, prose(preset.teaches)),
          ),
        ),
      ),
    );
  }

  /** @param {Record<string, any>} preset */
  async #take(preset) {
    if (
      preset.needs === "session" &&
      (this.visit.standing.session === "" || isStateless(this.visit.standing.revision))
    ) {
      await this.#hello("2025-11-25");
    }
    this.desk.show(fromPreset(preset, this.visit.standing));
    this.desk.button.focus();
  }

  #raw() {
    const body = this.visit.text("ping", {});
    const path = this.visit.standing.path;
    this.desk.show({ method: "POST", path, headers: headersFor(body, this.visit.standing), body });
  }

  /** A form for each tool; the one that there is already, with all that was typed into it, if the tool is the same. */
  #tools() {
    const before = this.forms;
    const texts = [...this.visit.tools.values()].map((tool) => JSON.stringify(tool));
    this.forms = new Map(texts.map((text) => [text, before.get(text) ?? this.#form(JSON.parse(text))]));
    byId("tools").replaceChildren(...this.forms.values());
  }

  /** @param {Record<string, any>} tool */
  #form(tool) {
    const form = new Form(fieldsOf(tool.inputSchema), () => form.read(false));
    const fill = h(
      "button",
      { type: "button", class: "plain", on: { click: () => this.#call(tool, form) } },
      "Make the request",
    );
    return h(
      "details",
      { name: "tool" },
      h(
        "summary",
        {},
        h("code", {}, visible(tool.name, 80)),
        " ",
        h("span", { class: "faint" }, visible(tool.title ?? "", 80)),
      ),
      h("p", {}, prose(visible(tool.description ?? "", 600))),
      form.element,
      fill,
    );
  }

  /** @param {Record<string, any>} tool @param {Form} form */
  #call(tool, form) {
    const { value, wrong } = form.read(true);
    if (wrong.size > 0) return;
    const body = this.visit.text("tools/call", { name: tool.name, arguments: value });
    const headers = headersFor(body, this.visit.standing, tool.inputSchema);
    this.desk.show({ method: "POST", path: this.visit.standing.path, headers, body });
    this.desk.button.focus();
  }

  /** An `initialize` that was written by hand may have opened a session too.
   * @param {import("./answerview.js").Answer} answer */
  #learn(answer) {
    const named = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === "mcp-session-id");
    if (named !== undefined) this.visit.standing.session = String(named[1]);
    if (this.visit.begun) this.#stand();
  }
}

new ConsolePage();
