// web/schemaform.js: a form of a schema, and the arguments of what was typed into it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsOf, fill } from "../../web/schemaform.js";

const typed = (entries) => new Map(Object.entries(entries));
const object = (properties, required = []) => ({ type: "object", properties, required });
const filled = (schema, entries = {}) => {
  const { value, wrong } = fill(fieldsOf(schema), typed(entries));
  return { value, wrong: Object.fromEntries(wrong) };
};

test("a field that was never touched is left out, whatever it is", () => {
  const schema = object({
    text: { type: "string" },
    number: { type: "number" },
    whole: { type: "integer" },
    flag: { type: "boolean" },
    list: { type: "array", items: { type: "string" } },
    free: { type: "object" },
    choice: { enum: ["a", "b"] },
    nullable: { type: ["string", "null"] },
    group: object({ inner: { type: "string" } }, ["inner"]),
  });
  assert.deepEqual(filled(schema), { value: {}, wrong: {} });
});

test("a required field that was not touched is a complaint and never null or empty", () => {
  const schema = object({ name: { type: "string" }, list: { type: "array" } }, ["name", "list"]);
  assert.deepEqual(filled(schema), {
    value: {},
    wrong: { "/name": "name is required.", "/list": "list is required." },
  });
  assert.deepEqual(filled(schema, { "/name": "", "/list": "[]" }), { value: { name: "", list: [] }, wrong: {} });
});

test("JSON that does not parse is a complaint, and nothing that was valid before is sent", () => {
  const schema = object({ list: { type: "array" } });
  const fields = fieldsOf(schema);
  assert.deepEqual(fill(fields, typed({ "/list": "[1]" })).value, { list: [1] });
  const broken = fill(fields, typed({ "/list": "[1" }));
  assert.deepEqual(broken.value, {});
  assert.match(broken.wrong.get("/list"), /not JSON/);
});

test("each kind of field gives its kind of value", () => {
  const schema = object({
    text: { type: "string" },
    number: { type: "number" },
    whole: { type: "integer" },
    flag: { type: "boolean" },
    list: { type: "array" },
    union: { type: ["string", "null"] },
    group: object({ deep: object({ x: { type: "integer" } }) }),
  });
  const entries = {
    "/text": "5",
    "/number": "1.5",
    "/whole": "7",
    "/flag": "false",
    "/list": '["a"]',
    "/union": "null",
    "/group/deep/x": "1",
  };
  const value = { text: "5", number: 1.5, whole: 7, flag: false, list: ["a"], union: null, group: { deep: { x: 1 } } };
  assert.deepEqual(filled(schema, entries), { value, wrong: {} });
});

test("what can't be that number is a complaint", () => {
  const schema = object({ number: { type: "number" }, whole: { type: "integer" }, huge: { type: "integer" } });
  const { wrong } = filled(schema, { "/number": '"x"', "/whole": "1.5", "/huge": "12345678901234567890" });
  assert.match(wrong["/number"], /not a number/);
  assert.match(wrong["/whole"], /whole/);
  assert.match(wrong["/huge"], /more digits/);
  assert.match(filled(schema, { "/number": "x" }).wrong["/number"], /not a number/);
});

test("nullable enums in every spelling offer null, and null can be chosen", () => {
  for (const schema of [
    { enum: ["a", null] },
    { anyOf: [{ enum: ["a"] }, { type: "null" }] },
    { oneOf: [{ const: "a", title: "A" }, { const: null }] },
  ]) {
    const [field] = fieldsOf(object({ x: schema }));
    assert.equal(field.kind, "choice");
    assert.deepEqual(
      field.options.map((option) => option.value),
      ["a", null],
    );
    assert.deepEqual(fill([field], typed({ "/x": "1" })).value, { x: null });
    assert.deepEqual(fill([field], typed({ "/x": "" })).value, {});
  }
});

test("a default is shown; it is sent only where the field is required, or touched", () => {
  const part = { type: "integer", default: 5 };
  assert.equal(fieldsOf(object({ n: part }))[0].start, "5");
  assert.deepEqual(filled(object({ n: part })).value, {});
  assert.deepEqual(filled(object({ n: part }, ["n"])).value, { n: 5 });
  assert.equal(fieldsOf(object({ c: { enum: ["a", "b"], default: "b" } }))[0].start, "1");
  assert.equal(fieldsOf(object({ c: { enum: ["a"], default: "z" } }))[0].start, "");
  assert.equal(fieldsOf(object({ s: { type: "string", default: "x" } }))[0].start, "x");
  assert.deepEqual(filled(object({ n: part }, ["n"]), { "/n": "" }).wrong, { "/n": "n is required." });
});

test("a group that is required is sent, and what is missing in it is a complaint", () => {
  const schema = object({ g: object({ a: { type: "string" } }, ["a"]) }, ["g"]);
  assert.deepEqual(filled(schema).wrong, { "/g/a": "a is required." });
  assert.deepEqual(filled(schema, { "/g/a": "x" }).value, { g: { a: "x" } });
});

test("odd schemas and names do no harm", () => {
  assert.deepEqual(fieldsOf(null), []);
  assert.deepEqual(fieldsOf({ properties: 5 }), []);
  const hostile = JSON.parse('{"properties":{"__proto__":{"type":"string"},"a":5,"b":{"anyOf":5},"c":{"type":{}}}}');
  const fields = fieldsOf(hostile);
  assert.deepEqual(
    fields.map((field) => field.kind),
    ["text", "json", "json", "json"],
  );
  const { value } = fill(fields, typed({ "/__proto__": "x" }));
  assert.equal(JSON.stringify(value), '{"__proto__":"x"}');
  assert.equal({}.x, undefined);
  let deep = { type: "string" };
  for (let i = 0; i < 50; i += 1) deep = object({ d: deep });
  assert.equal(fieldsOf(deep).length, 1);
});
