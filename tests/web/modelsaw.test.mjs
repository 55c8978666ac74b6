// web/modelsaw.js: one turn of a model, in whichever provider's words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dialectOf, formsOf, originOf, sizesOf, turnOf } from "../../web/modelsaw.js";

const SCHEMA = { type: "object", properties: { filename: { type: "string" } } };
const OPENAI = {
  model: "m",
  temperature: 0,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Count." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", function: { name: "files__read", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "text" },
  ],
  tools: [{ type: "function", function: { name: "files__read", description: "Reads.", parameters: SCHEMA } }],
};
const ANTHROPIC = {
  model: "m",
  system: "Be brief.",
  messages: [
    { role: "user", content: [{ type: "text", text: "Count." }] },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "files__read", input: { a: 1 } }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "text" }, { type: "image" }] },
      ],
    },
  ],
  tools: [{ name: "files__read", description: "Reads.", input_schema: SCHEMA }],
};

test("the dialects are told apart by what stands in the body", () => {
  assert.equal(dialectOf(OPENAI, "http://127.0.0.1/v1/chat/completions"), "openai");
  assert.equal(dialectOf(ANTHROPIC, ""), "anthropic");
  assert.equal(dialectOf({ messages: [] }, "https://x/v1/messages"), "anthropic");
  assert.equal(dialectOf(OPENAI, "http://127.0.0.1:11434/api/chat"), "ollama");
});

test("both dialects come to the same turn", () => {
  const [one, other] = [turnOf(OPENAI, ""), turnOf(ANTHROPIC, "")];
  assert.deepEqual(
    one.said.map((said) => said.role),
    ["system", "user", "assistant", "tool"],
  );
  assert.deepEqual(one.said[2].calls, [{ id: "c1", name: "files__read", text: '{"a":1}' }]);
  assert.deepEqual(other.said[2].calls, one.said[2].calls);
  assert.equal(other.said[3].answers, "c1");
  assert.equal(other.said[3].text, "text\n[image]");
  assert.deepEqual(one.tools[0].schema, other.tools[0].schema);
  assert.deepEqual(one.rest, [["temperature", 0]]);
});

test("each part of the context has its size, and tokens are a quarter of the characters", () => {
  for (const body of [OPENAI, ANTHROPIC]) {
    const sizes = Object.fromEntries(sizesOf(turnOf(body, "")).map((size) => [size.name, size]));
    assert.equal(sizes["System prompt"].characters, 9);
    assert.equal(sizes.User.characters, 6);
    assert.equal(sizes.Model.characters, "files__read".length + 7);
    assert.ok(sizes["Results of tools"].characters >= 4);
    assert.equal(sizes.Tools.tokens, Math.ceil(JSON.stringify(body.tools[0]).length / 4));
  }
});

test("an MCP tool has a form for each provider, and is found again under the name it was sent by", () => {
  const tool = { name: "read", title: "Read", description: "Reads.", inputSchema: SCHEMA, annotations: {} };
  const forms = formsOf(tool, "files__read");
  assert.deepEqual(forms.openai, OPENAI.tools[0]);
  assert.deepEqual(forms.ollama, OPENAI.tools[0]);
  assert.deepEqual(forms.anthropic, ANTHROPIC.tools[0]);
  assert.equal(originOf("files__read", [tool]), tool);
  assert.equal(originOf("read", [tool]), tool);
  assert.equal(originOf("files__write", [tool]), undefined);
});

test("odd bodies do no harm", () => {
  for (const body of [
    {},
    { messages: 5, tools: {} },
    { messages: [5, {}, { content: [5, { type: "tool_use" }] }], tools: [5, {}] },
  ]) {
    assert.doesNotThrow(() => sizesOf(turnOf(body, "")));
  }
});
