// web/sieve.js and web/tape.js: the rows of a panel.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Sieve } from "../../web/sieve.js";
import { Store } from "../../web/store.js";
import { Tape } from "../../web/tape.js";
import { call, event, ts } from "./sample.mjs";

const never = () => false;
const names = (sieve) => Array.from({ length: sieve.rows.length }, (_, i) => sieve.rows.at(i).event);
const plain = (name, at, level = "INFO") => event({ ts: ts(at), level, component: "mcp-server", event: name });

test("rows are in order of time although they arrive out of it", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  for (const [name, at] of [
    ["a", 1],
    ["c", 3],
    ["b", 2],
    ["d", 4],
  ])
    store.admit(plain(name, at));
  sieve.pump(never);
  assert.deepEqual(names(sieve), ["a", "b", "c", "d"]);
});

test("a filter judges what is there and what comes", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  store.admit(plain("good", 1));
  store.admit(plain("bad", 2, "ERROR"));
  sieve.setTree(["=", "level", "ERROR"]);
  sieve.pump(never);
  assert.deepEqual(names(sieve), ["bad"]);
  store.settle();
  store.admit(plain("worse", 3, "ERROR"));
  sieve.pump(never);
  assert.deepEqual(names(sieve), ["bad", "worse"]);
  sieve.setTree(null);
  sieve.pump(never);
  assert.deepEqual(names(sieve), ["good", "bad", "worse"]);
});

test("work stops when it is enough, and goes on", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  for (let i = 0; i < 1000; i += 1) store.admit(plain(`e${i}`, i));
  let asked = 0;
  assert.equal(
    sieve.pump(() => (asked += 1) > 3),
    true,
  );
  assert.ok(sieve.rows.length < 1000);
  assert.equal(sieve.pump(never), false);
  assert.equal(sieve.rows.length, 1000);
});

test("a notice passes every filter", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, never);
  store.note({ kind: "truncated", file: "a.jsonl", text: "cut" });
  sieve.setTree(["=", "level", "ERROR"]);
  sieve.pump(never);
  assert.equal(sieve.rows.length, 1);
});

test("the pending chip lets go of what is answered", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  const [sent, received, answered, arrived] = call({ id: 1, exchange: "e" });
  sieve.setChips(new Set(["pending"]));
  store.admit(sent);
  store.admit(received);
  sieve.pump(never);
  assert.equal(sieve.rows.length, 2);
  store.takeChanged();
  store.admit(answered);
  store.admit(arrived);
  sieve.pump(never);
  sieve.reconsider(store.takeChanged());
  assert.equal(sieve.rows.length, 0);
});

test("what the store lets go leaves the rows, and is counted for the scroll position", () => {
  const store = new Store({ keep: 10 });
  const sieve = new Sieve(store, 1, () => true);
  for (let i = 0; i < 10; i += 1) store.admit(plain(`e${i}`, i));
  sieve.pump(never);
  for (let i = 10; i < 14; i += 1) store.admit(plain(`e${i}`, i));
  sieve.pump(never);
  assert.equal(sieve.takeTrimmed(), 4);
  assert.equal(sieve.rows.length, 10);
  assert.equal(names(sieve)[0], "e4");
});

test("older records stand before the others and go with their filter", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  store.admit(plain("new", 100, "ERROR"));
  const old = plain("old", 1, "ERROR");
  sieve.setTree(["=", "level", "ERROR"]);
  sieve.pump(never);
  const rec = store.recall(old);
  sieve.adopt([rec]);
  assert.deepEqual(names(sieve), ["old", "new"]);
  sieve.setTree(null);
  sieve.pump(never);
  assert.deepEqual(names(sieve), ["new"]);
  assert.equal(rec.gone, true);
});

test("a recalled record that comes by the stream too stands there once", () => {
  const store = new Store();
  const [mine, other] = [new Sieve(store, 1, () => true), new Sieve(store, 2, () => true)];
  const text = plain("x", 1);
  mine.adopt([store.recall(text)]);
  store.admit(text);
  mine.pump(never);
  other.pump(never);
  assert.deepEqual([names(mine), names(other)], [["x"], ["x"]]);
});

test("a record nested deeper than the stack is filtered out, and the page lives", () => {
  const store = new Store();
  const sieve = new Sieve(store, 1, () => true);
  const depth = 60_000;
  const bottomless = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const places = [
    '{"data":@}',
    '{"host":@,"pid":@,"session":@}',
    '{"dir":"in","data":{"message":{"id":@,"method":"m"}}}',
    '{"dir":"in","data":{"message":{"id":1,"error":{"code":@}}}}',
    '{"dir":"in","data":{"message":{"id":1,"method":"tools/call","params":{"name":@}}}}',
  ];
  places.forEach((place, at) => store.admit(`{"file":"a","at":${at},"record":${place.replaceAll("@", bottomless)}}`));
  sieve.pump(never);
  assert.equal(sieve.rows.length, places.length);
  sieve.setTree(["text", "needle"]);
  assert.equal(sieve.pump(never), false);
  assert.equal(sieve.rows.length, 0);
});

test("a tape is cut at its front at a steady cost", () => {
  const tape = new Tape();
  for (let i = 0; i < 200_000; i += 1) {
    tape.push(i);
    if (tape.length > 50_000) tape.shift();
  }
  assert.deepEqual(
    [tape.length, tape.cut, tape.at(0), tape.at(-1), tape.indexOf(199_999)],
    [50_000, 150_000, 150_000, undefined, 49_999],
  );
  assert.ok(tape.items.length < 110_000);
  assert.equal(tape.indexOf(5), -1);
});
