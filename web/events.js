/**
 * Server-sent events, read from the text of a stream as it comes.
 *
 * In:  pieces of text, cut anywhere. Out: the events that are complete, and the token of the last.
 * Refuses to know: connections, what an event says. Pure.
 *
 * The format is HTML's, section "Interpreting an event stream", save that a line ends with LF or CRLF, as our viewer
 * and nearly everybody ends it, and not with CR alone.
 *
 * @typedef {{name: string, data: string}} Event
 */

export class EventReader {
  /** @param {string} [token] of the last event that is known already */
  constructor(token = "") {
    this.token = token;
    /** What the token will be when its event is complete. */
    this.id = token;
    /** Pieces of a line that has no end yet. @type {string[]} */
    this.line = [];
    this.name = "";
    /** @type {string[]} */
    this.data = [];
  }

  /** @param {string} piece @returns {Event[]} */
  take(piece) {
    const lines = piece.split("\n");
    const rest = /** @type {string} */ (lines.pop());
    if (lines.length === 0) {
      this.line.push(rest); // joined when it ends: a long line would else be copied with each of its pieces
      return [];
    }
    lines[0] = this.line.join("") + lines[0];
    this.line = rest === "" ? [] : [rest];
    /** @type {Event[]} */
    const found = [];
    for (const line of lines) this.#read(line.endsWith("\r") ? line.slice(0, -1) : line, found);
    return found;
  }

  /** Drops what was not complete when a connection ended. */
  forget() {
    this.id = this.token;
    this.line = [];
    this.name = "";
    this.data = [];
  }

  /** @param {string} line @param {Event[]} found */
  #read(line, found) {
    if (line === "") {
      if (this.data.length > 0) found.push({ name: this.name || "message", data: this.data.join("\n") });
      this.token = this.id;
      this.name = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") this.data.push(value);
    else if (field === "event") this.name = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }
}
