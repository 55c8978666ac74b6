/**
 * Between whom a record's message travels: the two lanes of its arrow, or the one lane that a note stands on.
 *
 * In:  a record, its twin, what was learned about names. Out: lane keys such as `server:files`.
 * Refuses to know: where lanes stand, what is drawn. Pure.
 *
 * Theory of operation. A lane is a role and a name. Whoever wrote a record stands on the lane of its component; the
 * chat is two of them, the host (what it says to the user and the model) and the MCP client inside it. The other end is
 * whoever wrote the twin. Without a twin it is the `peer`, under the name that is known for it: a client names its
 * servers (`data.server`), a session has one client, a program spoke to somebody before.
 *
 * @typedef {import("./record.js").Rec} Rec
 * @typedef {{from: string, to: string, what: "message" | "http" | "model" | "wish"}} Leg
 */

/** Roles from left to right, with their titles. */
export const ROLES = new Map([
  ["user", "User"],
  ["host", "Chat host"],
  ["model", "Model"],
  ["client", "MCP client"],
  ["tap", "Tap"],
  ["server", "Server"],
  ["other", "Other"],
]);

/** Records of the chat's legs that say by their event alone which way they went. */
const KNOWN = new Map([
  ["chat_request", ["out", "llm"]],
  ["chat_followup_request", ["out", "llm"]],
  ["chat_response", ["in", "llm"]],
  ["chat_followup_response", ["in", "llm"]],
]);

const PEERS = new Map([
  ["llm", "model:"],
  ["user", "user:"],
]);

/** So many exchanges without a session are remembered. */
const EXCHANGES = 1000;

export class Names {
  constructor() {
    /** What clients call the server whose records a process writes. @type {Map<string, string>} */
    this.servers = new Map();
    /** @type {Map<string, string>} */
    this.clientOfSession = new Map();
    /** Who asked, where there is no session: the newest exchanges. @type {Map<string, string>} */
    this.clientOfExchange = new Map();
    /** With whom a process spoke last. @type {Map<string, string>} */
    this.partner = new Map();
  }

  /** @param {Rec} rec @returns {boolean} whether lanes of earlier records may change */
  learn(rec) {
    const { twin } = rec;
    let news = false;
    if (twin !== undefined && twin.side === "server" && rec.marks.server !== undefined) {
      if (!this.servers.has(twin.writer)) {
        this.servers.set(twin.writer, rec.marks.server);
        news = true;
      }
    }
    const here = homeOf(rec, this);
    if (rec.marks.session !== undefined && here.startsWith("client:")) {
      news = news || !this.clientOfSession.has(rec.marks.session);
      this.clientOfSession.set(rec.marks.session, here);
    }
    if (rec.kind === "request" && rec.exchange !== undefined && here.startsWith("client:")) {
      this.clientOfExchange.set(rec.exchange, here);
      if (this.clientOfExchange.size > EXCHANGES) this.clientOfExchange.delete(this.clientOfExchange.keys().next().value ?? "");
    }
    if (rec.peer === "server" && twin !== undefined) this.partner.set(rec.writer, homeOf(twin, this));
    return news;
  }
}

/** The lane of whoever wrote the record. @param {Rec} rec @param {Names} names */
export function homeOf(rec, names) {
  const name = rec.component.replace(/^mcp-/, "");
  if (rec.event === "server_stderr") return serverOf(rec, names); // written by the client, said by the server
  if (rec.side === "server") return `server:${names.servers.get(rec.writer) ?? name.replace(/^server-?/, "")}`;
  if (name === "tap") return "tap:";
  if (rec.side === "chat") return isOfHost(rec) ? `host:${name}` : `client:${name}`;
  if (rec.side === "client" || rec.peer === "server") return `client:${name}`;
  return rec.peer === "client" ? `server:${name}` : `other:${name}`;
}

/** @param {Rec} rec */
function isOfHost(rec) {
  if (rec.peer !== undefined) return rec.peer !== "server";
  return rec.marks.verb === undefined && rec.marks.status === undefined && !/^(client|server)_/.test(rec.event);
}

/** @param {Rec} rec @param {Names} names */
function serverOf(rec, names) {
  if (rec.marks.server !== undefined) return `server:${rec.marks.server}`;
  return names.partner.get(rec.writer) ?? "server:";
}

/** @param {Rec} rec @param {Names} names */
function partnerOf(rec, names) {
  const twin = rec.twin ?? rec.cause?.twin;
  if (twin !== undefined) return homeOf(twin, names);
  const peer = PEERS.get(rec.peer ?? "");
  if (peer !== undefined) return peer;
  if (rec.peer === "client") return clientOf(rec, names);
  if (rec.peer === "server" || rec.peer === undefined) return serverOf(rec, names);
  return `other:${rec.peer.slice(0, 40)}`;
}

/** @param {Rec} rec of a server @param {Names} names */
function clientOf(rec, names) {
  const known = names.clientOfSession.get(rec.marks.session ?? "") ?? names.clientOfExchange.get(rec.exchange ?? "");
  return known ?? "client:";
}

/** @param {Rec} rec @param {Names} names @returns {Leg | null} null: nothing travels, the record is a note */
export function legOf(rec, names) {
  const known = KNOWN.get(rec.event);
  const dir = rec.dir ?? known?.[0];
  const here = homeOf(rec, names);
  if (dir !== undefined) {
    const there = rec.dir === undefined ? (PEERS.get(known?.[1] ?? "") ?? "other:") : partnerOf(rec, names);
    if (here === there) return null;
    const what = /^(user|model):/.test(there) ? "model" : rec.kind === "event" ? "http" : "message";
    return dir === "out" ? { from: here, to: there, what } : { from: there, to: here, what };
  }
  if (rec.event === "llm_tool_call" && here.startsWith("host:")) {
    return { from: here, to: here.replace("host:", "client:"), what: "wish" };
  }
  if (rec.side !== "client" && rec.side !== "chat") return null;
  const { verb, status } = rec.marks;
  if (verb !== undefined) return { from: here, to: partnerOf(rec, names), what: "http" };
  return status === undefined ? null : { from: partnerOf(rec, names), to: here, what: "http" };
}

/** @param {string} key of a lane @returns {{role: string, title: string, name: string}} */
export function laneOf(key) {
  const colon = key.indexOf(":");
  const role = key.slice(0, colon);
  return { role, title: ROLES.get(role) ?? "Other", name: key.slice(colon + 1) };
}

/** The record of whoever received it, drawn as the end of its sender's arrow. @param {Rec} rec */
export function isArrival(rec) {
  return rec.dir === "in" && rec.twin !== undefined;
}
