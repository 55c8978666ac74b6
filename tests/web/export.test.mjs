// What is saved and what is opened: files, masking, the curl command, links.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hashOf, messageFrom, queryOf, viewFrom } from "../../web/address.js";
import { chatGist } from "../../web/chatgist.js";
import { curlOf } from "../../web/curl.js";
import { jsonLines, mermaid, page } from "../../web/export.js";
import { Feed } from "../../web/feed.js";
import { eventsOf } from "../../web/logtext.js";
import { hint, mask, secretsIn } from "../../web/masking.js";
import { quoted } from "../../web/quoted.js";
import { retold } from "../../web/retold.js";
import { escaped } from "../../web/staticsvg.js";
import { KEEP, Store } from "../../web/store.js";
import { call, event, frame, ts } from "./sample.mjs";

const EVIL = `<img src=x onerror="alert(1)">'\u202e</script><script>alert(2)</script>`;

const linesOf = (events) => events.map((text) => JSON.parse(text)).map(({ file, at, record }) => ({ file, at, flaw: undefined, text: JSON.stringify(record) }));

test("what is saved as JSON Lines is what stood in the log, and opens again", () => {
  const lines = linesOf(call({ id: 1, exchange: "span:a" }));
  const text = jsonLines(retold(lines, {}, ts(0)).recs);
  assert.equal(text, `${lines.map((line) => line.text).join("\n")}\n`);
  const store = new Store({ file: true });
  for (const each of eventsOf(text, "saved.jsonl")) store.admit(each);
  assert.equal(store.log.length, 4);
  assert.equal(store.log.at(0).twin, store.log.at(1));
  assert.equal(store.log.at(0).file, "saved.jsonl");
});

test("a log file may hold anything; what is no record is shown as it stands", () => {
  const text = `\ufeff{"event":"one"}\r\n\nnot json\n[1]\n{"event":"\u2028"}\n{"torn":`;
  const store = new Store();
  for (const each of eventsOf(text, 'a"b')) store.admit(each);
  const kinds = Array.from({ length: store.log.length }, (_, i) => store.log.at(i)).map((rec) => [rec.kind, rec.event, rec.text]);
  assert.deepEqual(kinds, [
    ["event", "one", '{"event":"one"}'],
    ["line", "", "not json"],
    ["line", "", "[1]"],
    ["event", "\u2028", '{"event":"\u2028"}'],
    ["line", "", '{"torn":'],
  ]);
});

test("a saved page holds no script, no link, no source, and every text of a log only as text", () => {
  const message = { jsonrpc: "2.0", id: EVIL, method: EVIL, params: { name: EVIL, [EVIL]: EVIL } };
  const lines = linesOf([frame({ by: EVIL, dir: "out", message, exchange: EVIL, peer: EVIL }), event({ event: EVIL, component: EVIL, ts: ts(1), data: { server: EVIL } })]);
  const texts = { method: { [EVIL]: { title: EVIL, text: EVIL } }, field: { jsonrpc: { title: "j", text: EVIL } } };
  const html = page(retold(lines, texts, ts(0)), EVIL);
  const tags = html.match(/<[^>]*>/g);
  const known = /^<\/?(!doctype|html|head|meta|title|style|body|h1|h2|p|div|svg|g|path|rect|text|tspan|details|summary|dl|dt|dd|pre)\b/;
  for (const tag of tags) {
    assert.match(tag, known);
    assert.doesNotMatch(tag.replace(/"[^"]*"/g, '""'), /\son|href|src|xlink/i);
  }
  assert.doesNotMatch(html.match(/<style>[^<]*/)[0], /url\(|@import/);
  assert.match(html, /default-src 'none'/);
  assert.match(html, /<svg[\s\S]*<details/);
  assert.match(html, /&lt;img src=x/);
});

test("a saved page explains each message and draws the outcome", () => {
  const texts = { method: { "tools/list": { title: "T", text: "It lists tools.", answer: "The list." } } };
  const html = page(retold(linesOf(call({ id: 1, exchange: "span:a" })), texts, ts(0)), "Title");
  assert.match(html, /<summary>request tools\/list, from MCP client client-simple to Server/);
  assert.match(html, /It lists tools\./);
  assert.match(html, /The list\./);
  assert.equal(html.match(/class="arrow /g).length, 2);
});

test("a Mermaid diagram has the lanes, the arrows and nothing that means something to Mermaid", () => {
  const bad = frame({ by: "mcp-server", dir: "out", message: { jsonrpc: "2.0", id: 9, error: { code: -1, message: "a;b\nc: <d> #1; %% end" } }, at: 20 });
  const note = event({ ts: ts(30), event: "server_start", component: "mcp-server", data: {} });
  const text = mermaid(retold(linesOf([...call({ id: 1, exchange: "span:a" }), bad, note]), {}, ts(0)));
  const lines = text.trimEnd().split("\n");
  assert.deepEqual(lines.slice(0, 3), ["sequenceDiagram", "    participant L0 as MCP client client-simple", "    participant L1 as MCP client"]);
  assert.match(text, /L0->>L2: request tools\/list/);
  assert.match(text, /L2-->>L0: answer tools\/list 4\.0 ms/);
  assert.match(text, /L2--xL1: protocol error/);
  assert.match(text, /Note over L2: note server_start/);
  for (const line of lines.slice(1)) assert.match(line.replace(/#\d+;/g, ""), /^ {4}(participant L\d+ as [^;:#<>%]+|(L\d+\S+L\d+|Note over L\d+): [^;:#<>%\n]*)$/);
});

test("secrets are found by their names and by their looks, also inside of text", () => {
  const key = "sk-Zx81kQpW03mNvBt7yLr2Hd95";
  const record = { data: { message: { params: { arguments: { api_key: "hunter22", note: `use ${key} now` } }, result: { content: [{ text: '{"accessToken":"abcd-1234"}' }] } }, http: { headers: { "X-Auth-Token": "t0p-secret" } } } };
  const found = secretsIn([JSON.stringify(record), "Authorization: Bearer abcdefgh12345678"]).map((each) => each.text);
  for (const secret of ["hunter22", key, "abcd-1234", "t0p-secret", "abcdefgh12345678"]) assert.ok(found.includes(secret), secret);
});

test("ids, paths, tokens of progress and prose are no secrets", () => {
  const record = {
    trace: "4ec091d4190a72bce2a10927d51e96d3",
    exchange: "span:60bdadeac2fb0001",
    data: { message: { params: { _meta: { progressToken: "search-1", traceparent: "00-4ec091d4190a72bce2a10927d51e96d3-60bdadeac2fb0001-01" }, maxTokens: 300 } }, http: { path: "/v1/chat/completions" }, text: "internationalization notwithstanding" },
  };
  assert.deepEqual(secretsIn([JSON.stringify(record)]), []);
});

test("what is masked is masked everywhere, in any spelling, and JSON stays JSON", () => {
  const secret = 'pä"ss\\word1';
  const record = { token: secret, other: `again ${secret}!`, inner: JSON.stringify({ token: secret }), n: 1 };
  const plain = JSON.stringify(record);
  const ascii = plain.replaceAll("ä", "\\u00e4");
  for (const text of [plain, ascii]) {
    const masked = JSON.parse(mask(text, [secret]));
    assert.deepEqual([masked.token, masked.other, masked.n], ["***", "again ***!", 1]);
  }
  assert.equal(mask('{"a":true,"token":"true"}', ["true"]), '{"a":true,"token":"***"}');
  assert.equal(mask("plain pass1234 line", ["pass1234"]), "plain *** line");
  assert.equal(mask("x", []), "x");
  assert.equal(hint("abcdefghijklmnop"), "abcd… (16 characters)");
  assert.equal(hint("abcdef"), "a… (6 characters)");
});

test("a curl command sends the exact body, and no text of a log becomes a command", () => {
  const body = `{"a":"it's $(touch pwn) \`x\` \\\\"}`;
  const { command, warnings } = curlOf({ body, url: "http://127.0.0.1:5000/mcp", headers: { "Content-Type": "application/json", Host: "evil", "Mcp-Session-Id": "abc", "X-'; rm": "'$(x)'" } });
  assert.equal(
    command,
    ["curl -sS -i -X POST http://127.0.0.1:5000/mcp", "-H 'Content-Type: application/json'", "-H 'Mcp-Session-Id: abc'", `-H 'X-'\\''; rm: '\\''$(x)'\\'''`, `--data-binary '{"a":"it'\\''s $(touch pwn) \`x\` \\\\"}'`].join(" \\\n  "),
  );
  assert.equal(warnings.length, 1);
  assert.equal(curlOf({ body: "***", url: "http://x/", headers: { A: "***" } }).warnings.length, 2);
});

test("view and message are kept in the address", () => {
  assert.deepEqual(viewFrom("?view=table&solo=1"), { view: "table", solo: true });
  assert.deepEqual(viewFrom("?view=<b>"), { view: "sequence", solo: false });
  assert.equal(queryOf(new Map(), null, { view: "table", solo: true }), "?view=table&solo=1");
  const message = { file: "a b@c.jsonl", at: 120 };
  assert.deepEqual(messageFrom(hashOf(message)), message);
  for (const bad of ["", "#x", "#x@", "#%@1", "#x@-1"]) assert.equal(messageFrom(bad), null);
  assert.equal(hashOf(null), "");
});

test("a value is quoted as the filter's grammar wants it", () => {
  assert.equal(quoted("span:60bdadeac2fb0001"), "span:60bdadeac2fb0001");
  assert.equal(quoted('a/client/"x\\y"'), '"a/client/\\"x\\\\y\\""');
});

test("the queue keeps order, stops when it is enough, and drops what nobody could see", () => {
  const store = new Store();
  const told = [];
  const feed = new Feed(store, (notice) => told.push(notice.event));
  feed.push([...call({ id: 1, exchange: "span:a" }), { kind: "gap", text: "x" }]);
  feed.admit(() => false);
  assert.deepEqual([store.log.length, told, feed.isEmpty], [5, ["gap"], true]);
  feed.push(Array.from({ length: 100 }, (_, i) => event({ event: `e${i}` })));
  feed.admit(() => true);
  assert.equal(feed.isEmpty, false);
  feed.push(Array.from({ length: 2 * KEEP }, () => "unread"));
  assert.equal(feed.queue.length, KEEP);
});

test("the chat's records say what they are about", () => {
  assert.equal(chatGist("llm_answer", { calls: [{ name: "a__b" }, { name: "c__d" }] }), "wants a__b, c__d");
  assert.equal(chatGist("chat_answer", { text: "Done" }), "Done");
  assert.equal(chatGist("chat_response", { raw: "data: {}" }), "");
  assert.equal(chatGist("chat_start", { provider: "ollama" }), null);
  assert.equal(chatGist("tool_call_success", { text: "x" }), null);
});

test("only the five characters of HTML are escaped", () => assert.equal(escaped(`<a b="c">'&`), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;"));
