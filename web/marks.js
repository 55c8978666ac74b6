/**
 * What else a record says about its message: whose session, which trace, what HTTP added, which era.
 *
 * In:  a parsed record, or null, and the message it carries. Out: those facts, each undefined when it isn't there.
 * Refuses to know: other records, how they are shown. Pure.
 *
 * @typedef {object} Marks
 * @property {string | undefined} session the handshake era's Mcp-Session-Id
 * @property {string | undefined} trace what joins a question, a model's call and a request
 * @property {string | undefined} server the name that the writer gave to the server at the other end
 * @property {string | undefined} verb HTTP method @property {number | undefined} status HTTP status
 * @property {boolean} streams the body is an event stream
 * @property {string | undefined} revision that the message itself names, as each of the stateless era does
 * @property {string | undefined} state `requestState`: ties a result that asks to the call that is repeated
 * @property {boolean} again a call that brings answers to a result that asked
 * @property {string | undefined} subject the tool that a record is about
 */

import { finite, isObject, string } from "./json.js";

const META = "io.modelcontextprotocol/";

/** A state is compared, not shown; its beginning tells it from others. */
const STATE = 200;

/** @param {Record<string, any> | null} value @param {unknown} message @returns {Marks} */
export function marksOf(value, message) {
  const record = value ?? {};
  const data = isObject(record.data) ? record.data : {};
  const http = isObject(data.http) ? data.http : {};
  const plain = isObject(message) ? message : {};
  const params = isObject(plain.params) ? plain.params : {};
  const result = isObject(plain.result) ? plain.result : {};
  const meta = isObject(params._meta) ? params._meta : {};
  return {
    session: string(record.session),
    trace: string(record.trace),
    server: string(data.server),
    verb: string(http.method),
    status: finite(http.status),
    streams: isEventStream(http.headers),
    revision: string(meta[`${META}protocolVersion`]),
    state: string(params.requestState ?? result.requestState)?.slice(0, STATE),
    again: isObject(params.inputResponses),
    subject: string(params.name ?? data.tool ?? data.name),
  };
}

/** @param {unknown} headers */
function isEventStream(headers) {
  if (!isObject(headers)) return false;
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "content-type");
  return name !== undefined && /^text\/event-stream/i.test(String(headers[name]));
}
