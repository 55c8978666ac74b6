// web/compose.js: what a client of either era puts around a message.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  dangerousIn,
  encoded,
  fromPreset,
  headersFor,
  messageText,
  metaOf,
  toolsIn,
  traceparent,
} from "../../web/compose.js";

const OLD = { path: "/mcp", revision: "2025-11-25", session: "s1" };
const NEW = { path: "/mcp", revision: "2026-07-28", session: "" };
const call = (name, more = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, ...more } });

test("the handshake era repeats session and revision, but not before it has them", () => {
  const first = headersFor(messageText(1, "initialize", {}, OLD.revision, ""), OLD);
  assert.equal(first["Mcp-Session-Id"], undefined);
  const later = headersFor(call("x"), OLD);
  assert.equal(later["Mcp-Session-Id"], "s1");
  assert.equal(later["MCP-Protocol-Version"], "2025-11-25");
  assert.equal(headersFor(call("x"), { ...OLD, revision: "2025-03-26" })["MCP-Protocol-Version"], undefined);
  assert.equal(headersFor(call("x"), { ...OLD, session: "" })["Mcp-Session-Id"], undefined);
});

test("the stateless era mirrors method, name and marked arguments", () => {
  const schema = {
    properties: { region: { type: "string", "x-mcp-header": "Region" }, n: { "x-mcp-header": "N" }, o: {} },
  };
  const headers = headersFor(call("naïve", { arguments: { region: "eu", n: null, o: 1 } }), NEW, schema);
  assert.equal(headers["Mcp-Method"], "tools/call");
  assert.equal(headers["Mcp-Name"], "=?base64?bmHDr3Zl?=");
  assert.equal(headers["Mcp-Param-Region"], "eu");
  assert.equal("Mcp-Param-N" in headers, false);
  const read = headersFor(JSON.stringify({ method: "resources/read", params: { uri: "a:b" } }), NEW);
  assert.equal(read["Mcp-Name"], "a:b");
  assert.equal(headersFor("{", NEW)["MCP-Protocol-Version"], "2026-07-28");
  assert.equal(headersFor("[1]", NEW)["Mcp-Method"], undefined);
});

test("header values are plain where that is safe", () => {
  assert.equal(encoded("report.txt"), "report.txt");
  assert.equal(encoded(" x"), "=?base64?IHg=?=");
  assert.equal(encoded("=?base64?eA==?="), `=?base64?${btoa("=?base64?eA==?=")}?=`);
});

test("a request introduces itself where its era wants that", () => {
  assert.deepEqual(metaOf("2025-11-25", ""), {});
  assert.deepEqual(Object.keys(metaOf("2026-07-28", "t")), [
    "traceparent",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
  ]);
  assert.equal("id" in JSON.parse(messageText(undefined, "x", {}, "2025-11-25", "")), false);
  assert.match(traceparent(new Uint8Array(24).fill(255)), /^00-f{32}-f{16}-01$/);
});

test("a preset goes out as it stands, with the headers it asks for", () => {
  const raw = fromPreset({ needs: "", body: "{", headers: { Origin: "https://a.example", Accept: "" } }, OLD);
  assert.deepEqual(raw, {
    method: "POST",
    path: "/mcp",
    headers: { "Content-Type": "application/json", Origin: "https://a.example" },
    body: "{",
  });
  const stateless = fromPreset({ needs: "stateless", body: '{"method":"x","params":{"_meta":{meta}}}' }, OLD);
  assert.equal(stateless.headers["Mcp-Method"], "x");
  assert.match(stateless.body, /2026-07-28/);
  assert.equal(fromPreset({ needs: "session", body: "{}", method: "PUT" }, OLD).headers["Mcp-Session-Id"], "s1");
});

test("what may destroy something is known by annotations, and what nobody knows counts as that", () => {
  const tools = new Map([
    ["read", { annotations: { readOnlyHint: true } }],
    ["add", { annotations: { destructiveHint: false } }],
    ["write", { annotations: { readOnlyHint: false } }],
    ["silent", {}],
  ]);
  assert.deepEqual(dangerousIn(call("read"), tools), []);
  assert.deepEqual(dangerousIn(call("add"), tools), []);
  assert.deepEqual(dangerousIn(call("write"), tools), ["write"]);
  assert.deepEqual(dangerousIn(call("silent"), tools), ["silent"]);
  assert.deepEqual(dangerousIn(call("unknown"), tools), ["unknown"]);
  assert.deepEqual(toolsIn(`[${call("a")},5,${call("b")}]`), ["a", "b"]);
  assert.deepEqual(toolsIn('{"method":"tools/call"}'), [""]);
  assert.deepEqual(dangerousIn('{"method":"tools/list"}', tools), []);
  assert.deepEqual(dangerousIn("{", tools), []);
});
