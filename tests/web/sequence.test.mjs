// The sequence view's arithmetic: lanes, arrows, bars, ties, words; the waterfall's axis.

import assert from "node:assert/strict";
import { test } from "node:test";

import { split, told } from "../../web/arrow.js";
import { Departures } from "../../web/departures.js";
import { fit } from "../../web/label.js";
import { Lanes } from "../../web/lanes.js";
import { lanesAt, layout, SLOT, stepTo, yOf } from "../../web/layout.js";
import { shapesOf } from "../../web/shapes.js";
import { Sieve } from "../../web/sieve.js";
import { axisOf, percent, spanOf } from "../../web/spans.js";
import { Store } from "../../web/store.js";
import { call, event, frame, ts } from "./sample.mjs";

const NOW = ts(60_000);

/** Everything that a page would have made of these events. */
function scene(events) {
  const store = new Store();
  const recs = events.map((text) => store.admit(text));
  const sieve = new Sieve(store, 1, () => true);
  sieve.pump(() => false);
  const lanes = new Lanes();
  lanes.update(sieve.rows, sieve.epoch);
  const shows = (rec) => sieve.shows(rec);
  const draw = (more = {}) =>
    layout({ rows: sieve.rows, lanes, shows, first: 0, last: sieve.rows.length, width: 900, now: NOW, ...more });
  return { store, recs, sieve, lanes, shows, draw, keys: () => lanes.list.map((lane) => lane.key) };
}

const record = (by, name, at, more = {}) =>
  event({ ts: ts(at), level: "INFO", component: by, event: name, data: {}, pid: 7, host: "h", ...more }, `${by}.jsonl`);

test("both ends' records of one frame are one arrow, which leaves and lands where they were written down", () => {
  const { draw, keys } = scene(call({ id: 1, exchange: "span:a", method: "tools/call" }));
  assert.deepEqual(keys(), ["client:client-simple", "server:"]);
  const { items } = draw();
  assert.equal(items.length, 2);
  const [request, answer] = items;
  assert.deepEqual([request.y, request.dy, request.dx > 0, request.seen], [yOf(0), SLOT, true, "both"]);
  assert.deepEqual([answer.y, answer.dy, answer.dx < 0], [yOf(2), SLOT, true]);
  assert.match(request.name, /^request tools\/call, from MCP client client-simple to Server/);
  assert.match(answer.name, /^answer tools\/call, from Server to MCP client client-simple, 4\.0 ms = 2\.0 ms handler \+ 2\.0 ms network/);
});

test("a frame that one side alone wrote down says so, and its unseen end is a ring", () => {
  const [sent, , answered] = call({ id: 1, exchange: "span:a" });
  const { items } = scene([sent, answered]).draw();
  assert.deepEqual(
    items.map((item) => item.seen),
    ["sender", "sender"],
  );
  assert.match(items[0].name, /only its sender wrote it down/);
  assert.match(shapesOf(items[0]).head, /A4 4/);
  assert.notEqual(shapesOf(items[0]).tail, "");
  const received = scene([call({ id: 1, exchange: "span:a" })[1]]).draw().items[0];
  assert.deepEqual([received.seen, received.dx > 0], ["receiver", true]);
});

test("no arrow runs backwards, even if the receiver's clock was read first", () => {
  const message = { jsonrpc: "2.0", method: "notifications/initialized" };
  const { items } = scene([
    frame({ by: "mcp-server", dir: "in", message, exchange: "span:n", at: 1 }),
    frame({ by: "mcp-client-simple", dir: "out", message, exchange: "span:n", at: 2, pid: 2 }),
  ]).draw();
  assert.equal(items.length, 1);
  assert.equal(items[0].dy, 0);
});

test("errors of the protocol, of a tool, and cancellations have words and shapes of their own", () => {
  const answer = (id, body) => frame({ by: "mcp-server", dir: "out", message: { jsonrpc: "2.0", id, ...body }, exchange: `e${id}`, at: id });
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } };
  const { items } = scene([
    answer(1, { error: { code: -32602, message: "no" } }),
    answer(2, { result: { isError: true, content: [] } }),
    answer(3, { result: {} }),
    frame({ by: "mcp-server", dir: "in", message: cancel, at: 4 }),
  ]).draw();
  assert.deepEqual(
    items.map((item) => item.said.word),
    ["protocol error", "answer, the tool failed", "answer", "cancellation"],
  );
  const seen = items.map((item) => shapesOf({ ...item, seen: "both" }).head);
  assert.equal(new Set(seen).size, 4);
  assert.match(items[0].name, /-32602/);
  assert.match(items[1].name, /isError/);
});

test("a request without an answer counts up, is cancelled, or was never answered", () => {
  const ask = (id, at) => frame({ by: "x", dir: "out", message: { jsonrpc: "2.0", id, method: "m" }, exchange: `e${id}`, at });
  const gone = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  const { recs, draw } = scene([ask(1, 57_000), ask(2, 58_000), frame({ by: "x", dir: "out", message: gone, at: 59_000 })]);
  const { items, pending } = draw();
  assert.equal(items[0].said.time, "pending 3 s");
  assert.match(items[0].name, /no answer yet/);
  assert.equal(items[1].said.time, "cancelled");
  assert.equal(recs[2].cause, recs[1]);
  assert.equal(pending, true);
  assert.equal(told(recs[0], null, ts(999_000)).time, "no answer");
});

test("a server's question and what it still asks when its work is cancelled", () => {
  const question = { jsonrpc: "2.0", id: "ask-1", method: "sampling/createMessage" };
  const { items } = scene([
    frame({ by: "mcp-server", dir: "in", message: { jsonrpc: "2.0", id: 1, method: "tools/call" }, exchange: "span:c", trace: "t" }),
    frame({ by: "mcp-server", dir: "out", message: question, exchange: "s/server/ask-1", trace: "t", at: 1 }),
    record("mcp-server", "rpc_cancelled", 2, { exchange: "span:c", trace: "t", pid: 1 }),
  ]).draw();
  assert.match(items[1].name, /^server's request sampling\/createMessage, from Server to MCP client/);
  assert.deepEqual(
    items.slice(0, 2).map((item) => item.said.time),
    ["cancelled", "cancelled"],
  );
});

test("a repeated call is tied to the result that asked, by its state or else by its trace", () => {
  for (const state of ["opaque", undefined]) {
    const asks = { jsonrpc: "2.0", id: 1, result: { resultType: "input_required", requestState: state } };
    const again = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "x", requestState: state, inputResponses: {} } };
    const { recs, draw } = scene([
      frame({ by: "mcp-client-simple", dir: "in", message: asks, exchange: "span:1", trace: "t", at: 1 }),
      frame({ by: "mcp-client-simple", dir: "out", message: again, exchange: "span:2", trace: "t", at: 2 }),
    ]);
    assert.equal(recs[1].cause, recs[0]);
    const { ties, items } = draw();
    assert.deepEqual(
      ties.map((tie) => [tie.kind, tie.height]),
      [["again", SLOT]],
    );
    assert.match(items[0].name, /asks back/);
    assert.match(items[1].name, /asked again/);
  }
});

test("a chat turn has its lanes, and the model's wish is tied to the request that it caused", () => {
  const chat = "mcp-client-chat";
  const tools = (id, name, exchange, at) =>
    frame({ by: chat, dir: "out", message: { jsonrpc: "2.0", id, method: "tools/call", params: { name } }, exchange, trace: "t", at, data: { message: { jsonrpc: "2.0", id, method: "tools/call", params: { name } }, server: "files" } });
  const { recs, draw, keys } = scene([
    record(chat, "chat_question", 1, { dir: "in", peer: "user", data: { content: [{ type: "text", text: "Hello" }] } }),
    record(chat, "chat_request", 2, { dir: "out", peer: "llm", data: { message: { messages: [{}, {}], tools: [{}] } } }),
    record(chat, "chat_response", 3, { dir: "in", peer: "llm", data: { raw: "data: {}" } }),
    record(chat, "llm_tool_call", 4, { trace: "t", data: { name: "files__read_file", tool: "read_file" } }),
    record(chat, "llm_tool_call", 4.5, { trace: "t", data: { name: "files__list_files", tool: "list_files" } }),
    tools(1, "list_files", "span:l", 5),
    tools(2, "read_file", "span:r", 6),
  ]);
  assert.deepEqual(keys(), ["user:", "host:client-chat", "model:", "client:client-chat", "server:files"]);
  assert.equal(recs[5].cause, recs[4]);
  assert.equal(recs[6].cause, recs[3]);
  const { items, ties } = draw();
  assert.match(items[0].name, /chat_question Hello, from User to Chat host/);
  assert.match(items[1].name, /2 messages, 1 tools, from Chat host client-chat to Model/);
  assert.match(items[3].name, /^the model wants a tool llm_tool_call files__read_file, from Chat host client-chat to MCP client/);
  assert.deepEqual(
    ties.map((tie) => tie.kind),
    ["wish", "wish"],
  );
  assert.ok(items.every((item) => !item.rec.bad), "the provider's bodies are no broken JSON-RPC");
});

test("a server's own records stand on the lane that a client has named, also those from before", () => {
  const [sent, received, answered, arrived] = call({ id: 1, exchange: "span:a", at: 10 });
  const named = JSON.parse(sent);
  named.record.data.server = "notes";
  const { keys } = scene([record("mcp-server", "server_start", 1, { pid: 1 }), JSON.stringify(named), received, answered, arrived]);
  assert.deepEqual(keys(), ["client:client-simple", "server:notes"]);
});

test("a tap stands between", () => {
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };
  const { keys, draw } = scene([
    frame({ by: "mcp-tap", dir: "in", message, exchange: "span:a", peer: "client" }),
    frame({ by: "mcp-tap", dir: "out", message, exchange: "span:a", peer: "server", at: 1 }),
  ]);
  assert.deepEqual(keys(), ["client:", "tap:", "server:"]);
  assert.equal(draw().items.length, 2);
});

test("notifications that belong to no request find their other end by their looks and their time", () => {
  const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const from = (at, session) => frame({ by: "mcp-server", dir: "out", message, at, session });
  const to = (at, session) => frame({ by: "mcp-client-simple", dir: "in", message, at, session, pid: 2 });
  const { recs } = scene([from(0, "s"), from(5000, "s"), to(5002, "s"), to(5003, "other")]);
  assert.equal(recs[2].twin, recs[1]);
  assert.equal(recs[0].twin, undefined);
  assert.equal(recs[3].twin, undefined);
});

test("HTTP's own answer leads back to whom the message went", () => {
  const message = { jsonrpc: "2.0", method: "notifications/initialized" };
  const { draw } = scene([
    frame({ by: "mcp-client-simple", dir: "out", message, exchange: "span:n", pid: 2 }),
    frame({ by: "mcp-server", dir: "in", message, exchange: "span:n", at: 1 }),
    record("mcp-client-simple", "client_accepted", 2, { exchange: "span:n", pid: 2, data: { http: { status: 202 } } }),
  ]);
  const { items, ties } = draw();
  assert.match(items[1].name, /HTTP 202 client_accepted, from Server to MCP client/);
  assert.equal(ties.length, 0);
});

test("session, era, status and stream are words beside an arrow", () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const http = { status: 200, headers: { "content-type": "text/event-stream" } };
  const { items } = scene([
    frame({ by: "mcp-server", dir: "in", message: { id: 1, method: "ping", params: { _meta: meta } }, exchange: "a" }),
    frame({ by: "mcp-server", dir: "in", message: { id: 2, method: "ping" }, exchange: "b", session: "abcdefgh", at: 1 }),
    frame({ by: "mcp-server", dir: "out", message: { id: 2, result: {} }, exchange: "b", at: 2, data: { message: { id: 2, result: {} }, http } }),
  ]).draw();
  assert.deepEqual(
    items.map((item) => item.said.tags),
    [["_meta 2026-07-28"], ["session abcdef"], ["HTTP 200", "SSE"]],
  );
});

test("of 100,000 records only those in sight are laid out", () => {
  const events = [];
  for (let i = 0; i < 25_000; i += 1) events.push(...call({ id: i, exchange: `span:${i}`, at: i * 5 }));
  const store = new Store({ keep: 200_000 });
  const sieve = new Sieve(store, 1, () => true);
  for (const text of events) store.admit(text);
  store.settle();
  sieve.pump(() => false);
  const lanes = new Lanes();
  lanes.update(sieve.rows, sieve.epoch);
  const shows = (rec) => sieve.shows(rec);
  const started = performance.now();
  for (let i = 0; i < 20; i += 1) {
    const first = i * 4900;
    const { items } = layout({ rows: sieve.rows, lanes, shows, first, last: first + 60, width: 900, now: NOW });
    assert.ok(items.length <= 61);
  }
  assert.ok((performance.now() - started) / 20 < 60);
});

test("bars of calls that began above are still drawn, those that are over are not", () => {
  const ask = frame({ by: "mcp-server", dir: "in", message: { id: 1, method: "subscriptions/listen" }, exchange: "l" });
  const { draw } = scene([ask, ...Array.from({ length: 50 }, (_, i) => call({ id: i + 2, exchange: `span:${i}`, at: 10 + i * 5 })).flat()]);
  const bars = draw({ first: 100, last: 120 }).bars;
  assert.equal(bars.filter((bar) => bar.open).length, 1);
  assert.ok(bars.find((bar) => bar.open).stream);
  assert.ok(bars.length <= 12);
});

test("lanes keep apart and in the middle", () => {
  assert.equal(lanesAt(1, 900).xs.length, 1);
  for (const [room, apart] of [[600, 108], [1000, 138]]) {
    const { xs, width } = lanesAt(8, room);
    assert.ok(width > room && xs.every((x, i) => i === 0 || x - xs[i - 1] >= apart));
  }
  assert.ok(lanesAt(6, 778).width <= 778);
  assert.deepEqual(lanesAt(0, 600).xs, []);
});

test("keys go from arrow to arrow and skip where one lands", () => {
  const { sieve, shows, recs } = scene(call({ id: 1, exchange: "span:a" }));
  const view = { rows: sieve.rows, shows };
  assert.equal(stepTo("ArrowDown", recs[0], view, 9), recs[2]);
  assert.equal(stepTo("k", recs[2], view, 9), recs[0]);
  assert.equal(stepTo("ArrowUp", null, view, 9), recs[2]);
  assert.equal(stepTo("Home", recs[2], view, 9), recs[0]);
  assert.equal(stepTo("End", recs[0], view, 9), recs[2]);
  assert.equal(stepTo("PageDown", recs[0], view, 9), recs[2]);
  assert.equal(stepTo("ArrowDown", recs[2], view, 9), null);
  assert.equal(stepTo("x", recs[0], view, 9), null);
});

test("words are cut to the room, what went wrong before the gist", () => {
  const said = { shape: "error", word: "", title: "tools/call", detail: "x".repeat(80), time: "5 ms = 2 ms handler + 3 ms network", tags: ["HTTP 404"], bad: ["-32602"], open: false };
  const text = (room) => fit(said, room).map((part) => part.text).join(" ");
  assert.match(text(1000), /^↳ tools\/call x+ ✕ -32602 5 ms = 2 ms handler \+ 3 ms network HTTP 404$/);
  assert.match(text(200), /✕ -32602 5 ms$/);
  assert.ok(text(60).length <= 9);
});

test("each message stands once among the departures, and its arrival alone when the sender's is filtered out", () => {
  const { sieve } = scene(call({ id: 1, exchange: "span:a" }));
  const all = new Departures(sieve);
  assert.equal(all.rows().length, 2);
  sieve.setTree(["=", "component", "mcp-client-simple"]);
  sieve.pump(() => false);
  assert.equal(all.rows().length, 2);
  assert.equal(all.rows(), all.rows());
});

test("the time of a call is split where both ends are known", () => {
  const { recs } = scene(call({ id: 1, exchange: "span:a" }));
  for (const rec of recs) assert.deepEqual(split(rec), { total: 4, handler: 2, network: 2 });
});

test("the waterfall's axis leaves silence out, and its marks are round", () => {
  const span = (start, end) => ({ start, end, open: false, handler: null, marks: [] });
  const one = axisOf([span(0, 100)]);
  assert.deepEqual(
    one.marks.map((mark) => mark.text),
    ["0", "20 ms", "40 ms", "60 ms", "80 ms", "100 ms"],
  );
  assert.deepEqual([percent(0, one), percent(50, one), percent(100, one)], [0, 50, 100]);
  const two = axisOf([span(0, 100), span(60_000, 60_100)]);
  assert.equal(two.runs.length, 2);
  assert.ok(percent(60_000, two) < 60);
  assert.equal(two.marks[1].text, "+60 s");
  assert.equal(percent(5, axisOf([])), 0);
});

test("a span has the handler inside, and marks of what came in between", () => {
  const { recs, store } = scene(call({ id: 1, exchange: "span:a", at: 100 }));
  const span = spanOf(recs[0], store.exchange(recs[0]));
  assert.equal(span.end - span.start, 4);
  assert.deepEqual([span.handler[0] - span.start, span.handler[1] - span.start].map(Math.round), [1, 3]);
  assert.equal(span.open, false);
});
