/**
 * The console's own conversation with the server: the handshake, the session, the tools.
 *
 * In:  a revision. Out: where the conversation stands; the tools that the server offers.
 * Refuses to know: the page.
 */

import { relay } from "./api.js";
import { ME, headersFor, isStateless, messageText, traceparent } from "./compose.js";
import { isObject } from "./json.js";

/** @typedef {import("./compose.js").Standing} Standing */

const PAGES = 50;

export class Visit {
  /** @param {string} path */
  constructor(path) {
    /** @type {Standing} */
    this.standing = { path, revision: "2025-11-25", session: "" };
    /** @type {Map<string, Record<string, any>>} */
    this.tools = new Map();
    this.server = "";
    this.begun = false;
    /** What we say that we can do. @type {Record<string, any>} */
    this.able = {};
    this.last = 0;
    this.bytes = crypto.getRandomValues(new Uint8Array(16));
  }

  /** A new span in this visit's trace. */
  trace() {
    return traceparent(new Uint8Array([...this.bytes, ...crypto.getRandomValues(new Uint8Array(8))]));
  }

  /** @param {string} method @param {Record<string, any>} params @param {boolean} [isNotification] */
  text(method, params, isNotification = false) {
    this.last += 1;
    const id = isNotification ? undefined : this.last;
    return messageText(id, method, params, this.standing.revision, this.trace(), this.able);
  }

  /** Says hello in the way of the revision, and asks for the tools. @param {string} revision @throws {Error} */
  async begin(revision) {
    await this.end();
    this.standing = { ...this.standing, revision, session: "" };
    this.begun = false;
    this.last = 0;
    if (isStateless(revision)) {
      const result = await this.#ask("server/discover", {});
      this.server = nameOf(result._meta?.["io.modelcontextprotocol/serverInfo"]);
    } else {
      const about = { protocolVersion: revision, capabilities: this.able, clientInfo: ME };
      const result = await this.#ask("initialize", about);
      this.server = nameOf(result.serverInfo);
      this.standing.revision = String(result.protocolVersion);
      await this.#post(this.text("notifications/initialized", {}, true));
    }
    this.begun = true;
    await this.list();
  }

  /** Ends the session, if there is one. */
  async end() {
    if (this.standing.session === "") return;
    const { path } = this.standing;
    const headers = { "Mcp-Session-Id": this.standing.session, "MCP-Protocol-Version": this.standing.revision };
    this.standing.session = "";
    await relay({ method: "DELETE", path, headers, body: "", limit: 3 }, () => {}).catch(() => {});
  }

  /** Fetches the tools, page by page. */
  async list() {
    this.tools = new Map();
    let cursor;
    for (let page = 0; page < PAGES; page += 1) {
      const result = await this.#ask("tools/list", cursor === undefined ? {} : { cursor });
      for (const tool of Array.isArray(result.tools) ? result.tools : []) {
        if (isObject(tool) && typeof tool.name === "string") this.tools.set(tool.name, tool);
      }
      cursor = result.nextCursor;
      if (typeof cursor !== "string") return;
    }
  }

  /** @param {string} method @param {Record<string, any>} params @returns {Promise<Record<string, any>>} the result */
  async #ask(method, params) {
    const { message, headers } = await this.#post(this.text(method, params));
    if (isObject(message?.error))
      throw new Error(`The server refused ${method}: ${message.error.message} (${message.error.code})`);
    if (!isObject(message?.result)) throw new Error(`The server gave no answer to ${method}.`);
    const session = Object.entries(headers).find(([name]) => name.toLowerCase() === "mcp-session-id");
    if (method === "initialize" && session !== undefined) this.standing.session = String(session[1]);
    return message.result;
  }

  /** @param {string} body
   * @returns {Promise<{message: Record<string, any> | undefined, headers: Record<string, string>}>} */
  async #post(body) {
    /** @type {Record<string, any> | undefined} */
    let message;
    /** @type {Record<string, string>} */
    let headers = {};
    let trouble = "";
    await relay(
      { method: "POST", path: this.standing.path, headers: headersFor(body, this.standing), body, limit: 15 },
      (told) => {
        if (told.kind === "head") headers = told.headers ?? {};
        if (told.kind === "trouble") trouble = String(told.text);
        if (told.kind !== "frame") return;
        const value = parsedText(String(told.text));
        if (isObject(value) && ("result" in value || "error" in value)) message = value;
      },
    );
    if (trouble !== "") throw new Error(trouble);
    return { message, headers };
  }
}

/** @param {string} text @returns {unknown} */
function parsedText(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} info */
function nameOf(info) {
  return isObject(info) ? `${info.title ?? info.name} ${info.version ?? ""}`.trim() : "a server without a name";
}
