// web/twins.js, web/contrast.js and the recording that is shipped: the same action in two eras.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { aligned, differences } from "../../web/contrast.js";
import { Store } from "../../web/store.js";
import { actionOf, counterpart, wireOf } from "../../web/twins.js";

const RECORDS = JSON.parse(readFileSync(new URL("../../web/twins.json", import.meta.url), "utf8"));
const store = new Store();
const all = RECORDS.map((record, at) =>
  store.admit(`{"file":"twins.json","at":${at},"record":${JSON.stringify(record)}}`),
);
const requests = (method, stateless) =>
  all.filter(
    (rec) =>
      rec.kind === "request" &&
      rec.dir === "out" &&
      rec.method === method &&
      actionOf(rec, store).stateless === stateless,
  );

test("every method that both eras have finds its twin, in both directions", () => {
  for (const method of [
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/get",
    "completion/complete",
  ]) {
    for (const stateless of [true, false]) {
      const [request] = requests(method, stateless);
      const found = counterpart(actionOf(request, store), store);
      assert.equal(found?.method, method);
      assert.equal(actionOf(found, store).stateless, !stateless);
    }
  }
});

test("a handshake is what server/discover is", () => {
  const [hello] = requests("initialize", false);
  const found = counterpart(actionOf(hello, store), store);
  assert.equal(found.method, "server/discover");
  const [left, right] = [wireOf(hello, store), wireOf(found, store)];
  assert.deepEqual(
    left.steps.map((step) => step.title),
    ["initialize", "result", "notifications/initialized"],
  );
  assert.deepEqual(
    right.steps.map((step) => step.title),
    ["server/discover", "result"],
  );
  const rows = aligned(left.steps, right.steps);
  assert.deepEqual(
    rows.map(([a, b]) => [a?.title ?? null, b?.title ?? null]),
    [
      ["initialize", "server/discover"],
      ["result", "result"],
      ["notifications/initialized", null],
    ],
  );
});

test("a question is a request in the one era and an answer in the other, and the action goes on until it is done", () => {
  const asking = (stateless) =>
    requests("tools/call", stateless).filter((rec) => actionOf(rec, store).subject === "delete_file");
  const old = wireOf(asking(false)[0], store);
  assert.ok(old.steps.some((step) => step.title === "elicitation/create" && step.sender === "server"));
  const fresh = wireOf(asking(true)[0], store);
  const calls = fresh.steps.filter((step) => step.title === "tools/call");
  assert.ok(calls.length >= 2);
  assert.equal(fresh.steps[1].message.result.resultType, "input_required");
  assert.ok(fresh.steps.at(-1).message.result.content);
});

test("what differs is named, and what differs between any two runs is not", () => {
  const [request] = requests("tools/list", false);
  const there = counterpart(actionOf(request, store), store);
  const [a, b] = [wireOf(request, store), wireOf(there, store)];
  const paths = differences(a.steps[0], b.steps[0]).map((each) => each.path);
  assert.ok(paths.includes("header.Mcp-Method"));
  assert.ok(paths.includes("header.Mcp-Session-Id"));
  assert.ok(paths.some((path) => path.endsWith("io.modelcontextprotocol/protocolVersion")));
  assert.ok(!paths.some((path) => /traceparent|message\.id$/.test(path)));
  const answers = differences(a.steps.at(-1), b.steps.at(-1)).map((each) => each.path);
  assert.ok(answers.includes("message.result.ttlMs"));
  assert.deepEqual(differences(a.steps[0], a.steps[0]), []);
});

test("what no client asked has no twin", () => {
  const odd = new Store();
  const rec = odd.admit('{"file":"a","at":1,"record":{"event":"server_start","data":{}}}');
  assert.equal(actionOf(rec, odd), null);
  const [level] = requests("logging/setLevel", false);
  assert.equal(counterpart(actionOf(level, store), store), undefined);
});
