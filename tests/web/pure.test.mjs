// The small pure modules: rows, visible, time, json, wire, explain, address, record.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { filesFrom, panelFrom, queryOf } from "../../web/address.js";
import { paragraphs, sentence } from "../../web/explain.js";
import { flatten, read, scalar, under } from "../../web/json.js";
import { recordOf, valueOf } from "../../web/record.js";
import { MARGIN, reveal, ROW, sight, step } from "../../web/rows.js";
import { between, clock, duration, size } from "../../web/time.js";
import { safeLink, visible, visibleLines } from "../../web/visible.js";
import { wireOf } from "../../web/wire.js";
import { event, frame, ts } from "./sample.mjs";

test("of 100,000 rows only those in sight are drawn", () => {
  const { first, last } = sight(50_000 * ROW, 800, 100_000);
  assert.equal(first, 50_000 - MARGIN);
  assert.ok(last - first <= 800 / ROW + 2 * MARGIN + 1);
  assert.deepEqual(sight(0, 800, 3), { first: 0, last: 3 });
  assert.deepEqual(sight(9_999_999, 800, 10), { first: 10 - 0, last: 10 });
});

test("a row is brought into sight by the shortest way", () => {
  assert.equal(reveal(0, 500, 100), 0);
  assert.equal(reveal(100, 0, 260), 101 * ROW - 260);
  assert.equal(reveal(5, 100, 260), 100);
});

test("keys step through the rows and stop at the ends", () => {
  assert.deepEqual(
    ["j", "ArrowDown", "k", "ArrowUp"].map((key) => step(key, 5, 10, 4)),
    [6, 6, 4, 4],
  );
  assert.deepEqual(
    ["PageDown", "PageUp", "Home", "End", "x"].map((key) => step(key, 8, 10, 4)),
    [9, 4, 0, 9, null],
  );
  assert.deepEqual(
    [step("j", -1, 10, 4), step("j", 9, 10, 4), step("k", 0, 10, 4), step("j", 0, 0, 4)],
    [9, 9, 0, null],
  );
});

test("what is invisible or turns the line around is shown by its number", () => {
  assert.equal(visible("a\u202egnp.exe"), "a‹U+202E›gnp.exe");
  assert.equal(visible("\u200b\ufeff\u2066"), "‹U+200B›‹U+FEFF›‹U+2066›");
  assert.equal(visible("\u{e0041}x"), "‹U+E0041›x");
  assert.equal(visible("\ud800x\udc00"), "‹U+D800›x‹U+DC00›");
  assert.equal(visible("a\nb\tc\u0000\u001b[31m"), "a↵b⇥c␀‹U+001B›[31m");
  assert.equal(visible("a\u2028b\u0085c"), "a‹U+2028›b‹U+0085›c");
  assert.equal(visible("日本 café 🙂 <b>"), "日本 café 🙂 <b>");
  assert.equal(visible("x".repeat(500)).length, 401);
  assert.equal(visibleLines("a\n\tb\r\u202e"), "a\n\tb‹U+000D›‹U+202E›");
});

test("only http and https are links", () => {
  assert.equal(
    safeLink("https://modelcontextprotocol.io/specification/2025-11-25/basic"),
    "https://modelcontextprotocol.io/specification/2025-11-25/basic",
  );
  for (const bad of ["javascript:alert(1)", " https://a", "data:text/html,x", "//evil", 'https://a"b', 5, undefined])
    assert.equal(safeLink(bad), null);
});

test("times and durations keep a steady shape", () => {
  assert.match(clock(ts(1.5)), /^\d\d:\d\d:\d\d\.001$/);
  assert.deepEqual([clock(undefined), clock("yesterday")], ["–", "–"]);
  assert.deepEqual([0.1234, 3.14, 42.4, 812.2, 1234, 12_345, 61_000, undefined, NaN, -3].map(duration), [
    "0.12 ms",
    "3.1 ms",
    "42 ms",
    "812 ms",
    "1.23 s",
    "12.3 s",
    "1 min 1 s",
    "",
    "",
    "0 ms",
  ]);
  assert.equal(between(ts(1), ts(2.25)), 1.25);
  assert.equal(between("x", ts(1)), undefined);
  assert.deepEqual([12, 3400, 5_600_000, 7e9].map(size), ["12 B", "3.4 kB", "5.6 MB", "7.0 GB"]);
});

test("the reader of JSON loses no digit, no key and no spelling", () => {
  const text = ' {"n":12345678901234567890,"f":1.0,"a":1,"a":2,"__proto__":{"x":[true,null]},"s":"\\u00e9\\"\\\\"} ';
  const root = read(text);
  assert.deepEqual(
    root.children.map((node) => node.key),
    ["n", "f", "a", "a", "__proto__", "s"],
  );
  assert.deepEqual(
    root.children.slice(0, 2).map((node) => scalar(node, text)),
    ["12345678901234567890", "1.0"],
  );
  assert.equal(scalar(under(root, ["a"]), text), "2");
  assert.equal(scalar(root.children[5], text), 'é"\\');
  assert.equal(under(root, ["__proto__", "x", "y"]), undefined);
  assert.equal(text.slice(root.start, root.end), text.trim());
});

test("what is not JSON is refused", () => {
  for (const text of ["", "{", '{"a":1', "[1]]", '"x', "{]", "nul", "1 2", "[1}"])
    assert.throws(() => read(text), SyntaxError, text);
});

test("a tree is flattened to rows, as far as it is open, without recursion", () => {
  const root = read('{"a":[1,2],"b":{"c":{}}}');
  const all = flatten(root, () => true, 100).map((row) => [row.path, row.depth, row.closing]);
  assert.deepEqual(all, [
    ["", 0, false],
    ["/0", 1, false],
    ["/0/0", 2, false],
    ["/0/1", 2, false],
    ["/0", 1, true],
    ["/1", 1, false],
    ["/1/0", 2, false],
    ["/1", 1, true],
    ["", 0, true],
  ]);
  assert.equal(flatten(root, () => false, 100).length, 1);
  const deep = read(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  assert.equal(flatten(deep, () => true, 500).length, 500);
});

test("the wire's text is cut out of the record, unless the record has it in raw", () => {
  const plain = recordOf(
    '{"file":"a","at":0,"record":{"dir":"in","data":{"message":{"id":1.0,"method":"ping"},"http":{}}}}',
    0,
  );
  assert.deepEqual(wireOf(plain), {
    text: '{"id":1.0,"method":"ping"}',
    message: '{"id":1.0,"method":"ping"}',
    note: "",
  });
  const spaced = recordOf(event({ dir: "in", data: { message: { id: 1 }, raw: '{ "id": 1 }' } }), 0);
  assert.equal(wireOf(spaced).text, '{ "id": 1 }');
  const broken = recordOf(event({ dir: "in", event: "rpc_parse_error", data: { raw: '{"jsonrpc":' } }), 0);
  assert.deepEqual([broken.kind, wireOf(broken).text, wireOf(broken).message], ["unparsed", '{"jsonrpc":', null]);
  const bytes = recordOf(event({ dir: "in", data: { raw_base64: "/w==" } }), 0);
  assert.equal(wireOf(bytes).text, "\ufffd");
  const line = recordOf('{"file":"a","at":0,"raw":"<img src=x>","flaw":"not JSON"}', 0);
  assert.deepEqual([line.kind, line.bad, wireOf(line).text], ["line", true, "<img src=x>"]);
  assert.deepEqual(valueOf(line), { raw: "<img src=x>", flaw: "not JSON" });
});

test("a record is found in its event whatever the file is called", () => {
  const name = 'x","record":{"event":"forged"},"y":"';
  const rec = recordOf(event({ event: "true" }, name), 0);
  assert.deepEqual([rec.file, rec.event, rec.text], [name, "true", '{"event":"true"}']);
});

test("outcomes are told by words", () => {
  const words = (message, more = {}) =>
    recordOf(frame({ by: "mcp-server", dir: "out", message, ...more }), 0).badges.map((badge) => badge.word);
  assert.deepEqual(words({ id: 1, error: { code: -32601, message: "no" } }), ["-32601"]);
  assert.deepEqual(words({ id: 1, result: { isError: true } }), ["isError"]);
  assert.deepEqual(words({ id: 1, result: { resultType: "input_required" } }), ["asks back"]);
  assert.deepEqual(words({ id: 1, result: {} }, { data: { message: { id: 1, result: {} }, http: { status: 404 } } }), [
    "HTTP 404",
  ]);
  assert.deepEqual(words({ id: 1, result: {} }, { level: "WARNING", redacted: true }), ["warning", "redacted"]);
  assert.deepEqual(words({ id: 1, error: { code: -1 } }, { level: "WARNING" }), ["-1"], "one mark is enough");
  assert.deepEqual(words({ id: 1, result: {} }), []);
});

test("an explanation names subjects in the order of reading, and never looks into arguments", () => {
  const texts = {
    method: { "tools/call": { title: "Use a tool", text: "T", answer: "A", spec: "https://x.example/" } },
    field: { id: { title: "id", text: "I" }, filename: { title: "no", text: "no" } },
    code: { "-32602": { title: "Invalid params", text: "C", todo: "D" } },
    header: { "Mcp-Param-*": { title: "P", text: "H" } },
    event: { out_frame: { title: "E", text: "E" } },
  };
  const message = { id: 1, method: "tools/call", params: { name: "x", arguments: { filename: 1 } } };
  const rec = recordOf(
    frame({
      by: "mcp-client-simple",
      dir: "out",
      message,
      data: { message, http: { headers: { "mcp-param-a": "1" } } },
    }),
    0,
  );
  assert.deepEqual(
    paragraphs(rec, valueOf(rec), texts).map((each) => `${each.kind} ${each.name}`),
    ["method tools/call", "event out_frame", "header mcp-param-a", "field id"],
  );
  assert.equal(sentence(rec), "mcp-client-simple sent a request to the server over HTTP.");
  const error = { id: 1, error: { code: -32602, message: "constructor" } };
  const bad = recordOf(frame({ by: "mcp-server", dir: "out", message: error }), 0);
  assert.equal(paragraphs(bad, valueOf(bad), texts)[0].todo, "D");
  assert.deepEqual(paragraphs(bad, valueOf(bad), {}), []);
});

test("the view goes into the address and comes back", () => {
  const state = { filter: "a=b&c", chips: ["errors", "slow"], follow: false };
  const query = queryOf(new Map([["all", state]]), ["x.jsonl"]);
  assert.deepEqual(panelFrom(query, "all"), state);
  assert.deepEqual(filesFrom(query), ["x.jsonl"]);
  assert.deepEqual(panelFrom("", "all"), { filter: "", chips: [], follow: true });
  assert.equal(filesFrom("?a=1"), null);
  assert.equal(queryOf(new Map([["all", { filter: "", chips: [], follow: true }]]), null), "");
  assert.deepEqual(panelFrom("?all.chips=<script>,errors", "all").chips, ["errors"]);
});

test("nothing in the page's code parses HTML or makes code of text", () => {
  const folder = new URL("../../web/", import.meta.url);
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".js"))) {
    const source = readFileSync(new URL(name, folder), "utf8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
  }
});
