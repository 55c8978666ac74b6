// web/replies.js: what a client could answer to a server that asks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerTo, asksBack, capabilitiesOf, isQuestion, repeated } from "../../web/replies.js";

const FORM = {
  type: "object",
  properties: {
    name: { type: "string", default: "Ana" },
    size: { type: "string", enum: ["small", "large"] },
    vase: { type: "string", oneOf: [{ const: "c", title: "Clay" }] },
    guests: { type: "integer" },
    days: { type: "array" },
    note: { type: "string" },
    odd: 1,
  },
};
const CONTENT = { name: "Ana", size: "small", vase: "c", guests: 0, days: [], note: "", odd: "" };
const ask = (method, params) => ({ jsonrpc: "2.0", id: "ask-1", method, params });
const result = (question) => JSON.parse(answerTo(question)).result;

test("a capability is declared by its name", () => {
  assert.deepEqual(capabilitiesOf(["elicitation", "roots"]), { elicitation: {}, roots: {} });
});

test("a question is a request, and a result that asks is none", () => {
  assert.equal(isQuestion(ask("roots/list")), true);
  assert.equal(isQuestion({ method: "notifications/progress" }), false);
  assert.equal(isQuestion(null), false);
  assert.equal(asksBack({ result: { resultType: "input_required" } }), true);
  assert.equal(asksBack({ result: { resultType: "complete" } }), false);
});

test("each kind of question has an answer to begin with, under its id", () => {
  assert.equal(JSON.parse(answerTo(ask("roots/list"))).id, "ask-1");
  const elicited = result(ask("elicitation/create", { mode: "form", requestedSchema: FORM }));
  assert.deepEqual(elicited, { action: "accept", content: CONTENT });
  assert.deepEqual(result(ask("elicitation/create", { mode: "url", url: "https://example.org" })), { action: "accept" });
  assert.deepEqual(result(ask("elicitation/create", "odd")), { action: "accept", content: {} });
  assert.deepEqual(result(ask("roots/list")), { roots: [] });
  assert.equal(result(ask("sampling/createMessage", {})).role, "assistant");
  assert.deepEqual(result(ask("something/else")), {});
});

test("the call is repeated with all answers and the state as it came, under a new id", () => {
  const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const body = JSON.stringify({ id: 7, method: "tools/call", params: { name: "x", _meta: { traceparent: trace, own: 1 } } });
  const asked = {
    result: { inputRequests: { sure: ask("elicitation/create", { requestedSchema: FORM }), odd: 1 }, requestState: "v1.x" },
  };
  const again = JSON.parse(repeated(body, asked, "c".repeat(16)) ?? "");
  assert.equal(again.id, 8);
  assert.deepEqual(again.params.inputResponses, { sure: { action: "accept", content: CONTENT }, odd: {} });
  assert.equal(again.params.requestState, "v1.x");
  assert.deepEqual(again.params._meta, { traceparent: `00-${"a".repeat(32)}-${"c".repeat(16)}-01`, own: 1 });
  const plain = JSON.parse(repeated('{"id":"a","params":{}}', { result: {} }, "") ?? "");
  assert.deepEqual(plain, { id: "a, again", params: { inputResponses: {} } });
  assert.equal(repeated("{", asked, ""), null);
  assert.equal(repeated("[]", asked, ""), null);
});
