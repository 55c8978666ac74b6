// web/store.js and web/pairs.js: what is kept, once, and what belongs together.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isPending } from "../../web/pairs.js";
import { Store } from "../../web/store.js";
import { call, event, frame, ts } from "./sample.mjs";

/** @param {Store} store @param {string[]} events */
const admitAll = (store, events) => events.map((text) => store.admit(text));

test("the four records of a call are paired, whatever the order they arrive in", () => {
  const events = call({ id: 1, exchange: "span:a" });
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
  ]) {
    const store = new Store();
    const recs = [];
    for (const index of order) recs[index] = store.admit(events[index]);
    const [sent, received, answered, arrived] = recs;
    assert.equal(sent.answer, arrived);
    assert.equal(arrived.request, sent);
    assert.equal(received.answer, answered);
    assert.equal(sent.twin, received);
    assert.equal(answered.twin, arrived);
    assert.deepEqual([sent.ms, received.ms], [4, 2]);
    assert.deepEqual(store.exchange(sent), recs);
  }
});

test("two clients that use the same ids at the same time are paired rightly", () => {
  const store = new Store();
  const one = call({ id: 1, exchange: "span:one", client: "mcp-client-simple", pid: 2 });
  const two = call({ id: 1, exchange: "span:two", client: "mcp-client-chat", pid: 3, at: 0.5 });
  const mixed = one.flatMap((text, index) => [text, two[index]]);
  const recs = admitAll(store, mixed);
  assert.equal(recs[0].answer, recs[6]);
  assert.equal(recs[1].answer, recs[7]);
  assert.equal(recs[2].twin, recs[0]);
  assert.equal(recs[3].twin, recs[1]);
});

test("two runs of one client without exchange are told apart by their process", () => {
  const store = new Store();
  const ask = { jsonrpc: "2.0", id: 1, method: "ping" };
  const one = store.admit(frame({ by: "x", dir: "out", message: ask, pid: 8 }));
  const two = store.admit(frame({ by: "x", dir: "out", message: ask, pid: 9, at: 1 }));
  const answer = store.admit(
    frame({ by: "x", dir: "in", message: { jsonrpc: "2.0", id: 1, result: {} }, pid: 9, at: 5 }),
  );
  assert.equal(answer.request, two);
  assert.equal(two.ms, 4);
  assert.equal(isPending(one), true);
});

test("one id used again and again is paired call by call", () => {
  const store = new Store();
  const recs = admitAll(
    store,
    [0, 10].flatMap((at) => call({ id: 1, exchange: "c1/client/1", at })),
  );
  assert.equal(recs[0].answer, recs[3]);
  assert.equal(recs[4].answer, recs[7]);
  assert.equal(recs[4].twin, recs[5]);
});

test("a request of the server and one of the client with the same id don't mix", () => {
  const store = new Store();
  const fromClient = store.admit(
    frame({ by: "mcp-server", dir: "in", message: { jsonrpc: "2.0", id: 1, method: "tools/call" } }),
  );
  const fromServer = store.admit(
    frame({ by: "mcp-server", dir: "out", message: { jsonrpc: "2.0", id: 1, method: "elicitation/create" } }),
  );
  const answer = store.admit(frame({ by: "mcp-server", dir: "in", message: { jsonrpc: "2.0", id: 1, result: {} } }));
  assert.equal(answer.request, fromServer);
  assert.equal(isPending(fromClient), true);
});

test("a call without an answer is pending, and the answer says what changed", () => {
  const store = new Store();
  const [sent, , , arrived] = call({ id: "a", exchange: "span:p" });
  const rec = store.admit(sent);
  assert.equal(isPending(rec), true);
  store.takeChanged();
  store.admit(arrived);
  assert.equal(isPending(rec), false);
  assert.ok(store.takeChanged().has(rec));
  assert.equal(store.takeChanged().size, 0);
});

test("the time of an answer without ms comes from the clock of the process", () => {
  const store = new Store();
  const ask = store.admit(
    frame({ by: "x", dir: "out", exchange: "e", message: { jsonrpc: "2.0", id: 1, method: "m" }, mono: 5_000_000 }),
  );
  store.admit(
    frame({
      by: "x",
      dir: "in",
      exchange: "e",
      message: { jsonrpc: "2.0", id: 1, error: { code: -32601 } },
      mono: 7_500_000,
      at: 900,
    }),
  );
  assert.equal(ask.ms, 2.5);
});

test("a record is kept once, however often it comes", () => {
  const store = new Store();
  const text = event({ ts: ts(0), event: "x" }, "a.jsonl", 40);
  assert.notEqual(store.admit(text), null);
  assert.equal(store.admit(text), null);
  assert.notEqual(store.admit(event({ ts: ts(0), event: "x" }, "b.jsonl", 40)), null);
  assert.notEqual(store.admit(event({ ts: ts(1), event: "y" }, "a.jsonl", 40)), null, "another line at the same place");
  assert.equal(store.log.length, 3);
});

test("after a truncation the same line at the same place is a new one", () => {
  const store = new Store();
  const text = event({ ts: ts(0), event: "x" }, "a.jsonl", 0);
  store.admit(text);
  const notice = store.note({ kind: "truncated", file: "a.jsonl", text: "a.jsonl was cut" });
  assert.equal(notice.kind, "notice");
  assert.notEqual(store.admit(text), null);
});

test("memory is bounded by count and by text, and what is let go is unlinked", () => {
  const store = new Store({ keep: 4, chars: 10_000 });
  const [request, , , arrived] = admitAll(store, call({ id: 1, exchange: "span:a" }));
  store.admit(event({ ts: ts(9), event: "x" }));
  assert.equal(store.log.length, 4);
  assert.equal(request.gone, true);
  assert.equal(arrived.request, undefined);
  assert.equal(arrived.ms, 4);
  store.admit(event({ ts: ts(10), event: "big", data: { text: "x".repeat(9_900) } }));
  assert.ok(store.held <= 10_000);
  store.admit(event({ ts: ts(11), event: "bigger", data: { text: "x".repeat(30_000) } }));
  assert.equal(store.log.length, 1);
  assert.equal(store.pairs.exchanges.size, 0);
});

test("a recalled record lives as long as somebody holds it", () => {
  const store = new Store();
  const text = event({ ts: ts(0), event: "old" }, "a.jsonl", 0);
  const one = store.recall(text);
  assert.equal(store.recall(text), one);
  store.release(one);
  assert.equal(one.gone, false);
  assert.equal(store.admit(text), one, "it comes by the stream after all");
  store.release(one);
  assert.equal(one.gone, false);
  assert.equal(store.recall(text), null, "it is in the log");
});

test("hostile keys pollute nothing", () => {
  const store = new Store();
  const text =
    '{"file":"a.jsonl","at":0,"record":{"__proto__":{"dir":"out"},"constructor":1,"data":{"message":' +
    '{"__proto__":{"id":1},"method":"__proto__","id":"constructor"}},"dir":"in","exchange":"__proto__"}}';
  const rec = store.admit(text);
  assert.equal(rec.dir, "in");
  assert.equal(rec.method, "__proto__");
  assert.equal(store.exchange(rec).length, 1);
  assert.equal({}.dir, undefined);
});

test("fields of the wrong type are left out of the summary", () => {
  const store = new Store();
  const rec = store.admit(
    event({ ts: 5, level: [], component: {}, event: null, data: "text", dir: "up", ms: "fast", exchange: 7 }),
  );
  assert.equal(rec.kind, "event");
  assert.equal(rec.component, "mcp-server");
  assert.deepEqual([rec.dir, rec.ms, rec.exchange, rec.event], [undefined, undefined, undefined, ""]);
});

test("100,000 records pass in a few seconds and leave what is allowed", () => {
  const store = new Store();
  const started = process.cpuUsage();
  for (let i = 0; i < 25_000; i += 1) {
    for (const text of call({ id: i, exchange: `span:${i}`, at: i * 5 })) store.admit(text);
    if (i % 100 === 0) store.settle();
  }
  assert.equal(store.log.length, store.keep);
  assert.equal(store.log.cut, 100_000 - store.keep);
  assert.equal(store.pairs.exchanges.size, store.keep / 4);
  assert.ok(process.cpuUsage(started).user < 8e6); // microseconds of work, however busy the machine is
});

test("ten thousand records of one exchange don't slow the store down", () => {
  const store = new Store();
  const started = performance.now();
  for (let i = 0; i < 10_000; i += 1) {
    store.admit(
      frame({ by: "x", dir: "out", exchange: "same", message: { jsonrpc: "2.0", id: 1, method: "m" }, at: i }),
    );
  }
  assert.ok(performance.now() - started < 3_000);
});
