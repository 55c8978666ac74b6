// web/events.js: a stream's text, cut anywhere, gives the same events.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EventReader } from "../../web/events.js";

const STREAM = [
  "retry: 1000\n: nobody reads this\n\n",
  'id: a:1\ndata: {"n":1}\n\n',
  "id: a:2\ndata:one\ndata: two\ndata\n\n",
  'event: notice\nid: a:3\ndata: {"kind":"live"}\n\n',
  ": heartbeat\nid: a:4\n\n",
  "event: empty\n\n",
  "id: no\0thing\r\ndata: crlf\r\n\r\n",
].join("");
const EVENTS = [
  { name: "message", data: '{"n":1}' },
  { name: "message", data: "one\ntwo\n" },
  { name: "notice", data: '{"kind":"live"}' },
  { name: "message", data: "crlf" },
];

test("however a stream is cut, its events are the same", () => {
  for (let first = 0; first <= STREAM.length; first += 1) {
    for (const second of [first, first + 1, first + 7, STREAM.length]) {
      const reader = new EventReader();
      const pieces = [STREAM.slice(0, first), STREAM.slice(first, second), STREAM.slice(Math.max(first, second))];
      assert.deepEqual(
        pieces.flatMap((piece) => reader.take(piece)),
        EVENTS,
      );
      assert.equal(reader.token, "a:4");
    }
  }
});

test("a token counts once its event is complete", () => {
  const reader = new EventReader("a:1");
  assert.deepEqual(reader.take("id: a:2\ndata: cut o"), []);
  assert.equal(reader.token, "a:1");
  reader.forget(); // the connection broke
  assert.deepEqual(reader.take("data: without an id\n\n"), [{ name: "message", data: "without an id" }]);
  assert.equal(reader.token, "a:1");
});

test("a line that comes in many pieces is put together once", () => {
  const reader = new EventReader();
  for (let n = 0; n < 1000; n += 1) assert.deepEqual(reader.take(n === 0 ? "data: x" : "x"), []);
  const [event] = reader.take("\n\n");
  assert.equal(event.data, "x".repeat(1000));
});
