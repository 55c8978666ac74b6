// web/match.js against the table that also holds playground/viewer/filters.py to its answers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { compile } from "../../web/match.js";

const table = JSON.parse(readFileSync(new URL("../filter_cases.json", import.meta.url), "utf8"));

test("the table of cases is there and long", () => assert.ok(table.length > 30));

for (const { about, tree, match = [], miss = [] } of table.filter((row) => row.tree !== undefined)) {
  test(`the page agrees with the viewer: ${about}`, () => {
    const passes = compile(tree);
    for (const record of match) assert.equal(passes(record), true, JSON.stringify(record));
    for (const record of miss) assert.equal(passes(record), false, JSON.stringify(record));
  });
}

test("no filter lets everything through", () => assert.equal(compile(null)({}), true));

test("inherited names are not members", () => {
  for (const key of ["__proto__", "constructor", "toString", "data.__proto__.x"]) {
    assert.equal(compile(["~", key, "."])({ data: {} }), false, key);
    assert.equal(compile(["!=", key, "x"])({ data: {} }), true, key);
  }
});

test("a member called __proto__ is found and pollutes nothing", () => {
  const record = JSON.parse('{"__proto__":{"polluted":"yes"}}');
  assert.equal(compile(["=", "__proto__.polluted", "yes"])(record), true);
  assert.equal({}.polluted, undefined);
});

test("an unknown operator is refused", () => assert.throws(() => compile(["≈", "a", "b"]), SyntaxError));
