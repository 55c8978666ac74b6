/**
 * A form made from a tool's JSON Schema, and the arguments made from what was filled in.
 *
 * In:  an input schema; what the user typed into which field. Out: fields to draw; arguments, or what is wrong where.
 * Refuses to know: how a field looks. Pure.
 *
 * Theory of operation. A field that was never touched is left out of the arguments, whatever its kind: not sent as
 * null, not as "", [] or {}. One that is required and untouched is a complaint, unless its schema has a default, which
 * is then shown and sent. What has no form of its own (an array, a union, a free object) is typed as JSON, and JSON
 * that does not parse is a complaint: nothing that was valid before is sent in its place.
 *
 * @typedef {"text" | "number" | "integer" | "boolean" | "choice" | "json" | "group"} Kind
 * @typedef {{text: string, value: unknown}} Option
 * @typedef {{path: string, name: string, title: string, about: string, kind: Kind, required: boolean, start: string,
 *   options: Option[], fields: Field[], hint: string}} Field `start` is what the field shows before it is touched
 * @typedef {{value: Record<string, any>, wrong: Map<string, string>}} Filled
 */

import { isObject, string } from "./json.js";

const DEPTH = 5;

/** @param {unknown} schema @param {string} [base] @param {number} [depth] @returns {Field[]} */
export function fieldsOf(schema, base = "", depth = 0) {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, part]) =>
    field(isObject(part) ? part : {}, name, `${base}/${name}`, required.has(name), depth),
  );
}

/** @param {Record<string, any>} schema @param {string} name @param {string} path @param {boolean} required
 * @param {number} depth @returns {Field} */
function field(schema, name, path, required, depth) {
  const options = optionsOf(schema);
  const kind = kindOf(schema, options, depth);
  return {
    path,
    name,
    title: string(schema.title) ?? name,
    about: string(schema.description) ?? "",
    kind,
    required,
    start: startOf(schema, kind, options),
    options,
    fields: kind === "group" ? fieldsOf(schema, path, depth + 1) : [],
    hint: kind === "json" ? `JSON: ${typesOf(schema).join(" or ") || "any value"}` : "",
  };
}

/** @param {Record<string, any>} schema @returns {string[]} */
function typesOf(schema) {
  const type = schema.type;
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
}

/** The values to choose from; a nullable choice offers null as one more. @param {Record<string, any>} schema
 * @returns {Option[]} */
function optionsOf(schema) {
  const choices = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(choices) && choices.every((each) => isObject(each) && Object.hasOwn(each, "const"))) {
    return choices.map((each) => ({ text: string(each.title) ?? JSON.stringify(each.const), value: each.const }));
  }
  // A nullable enum as most libraries write it: anyOf of an enum and null.
  const inner = Array.isArray(choices) ? choices.filter((each) => isObject(each) && each.type !== "null") : [];
  const nullable = Array.isArray(choices) && inner.length === 1 && choices.length === 2;
  const values = Array.isArray(schema.enum)
    ? schema.enum
    : nullable && Array.isArray(inner[0].enum)
      ? inner[0].enum
      : [];
  const all = nullable && values.length > 0 && !values.includes(null) ? [...values, null] : values;
  return all.map((value) => ({ text: typeof value === "string" ? value : JSON.stringify(value), value }));
}

/** @param {Record<string, any>} schema @param {Option[]} options @param {number} depth @returns {Kind} */
function kindOf(schema, options, depth) {
  if (options.length > 0) return "choice";
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length !== 1 || typesOf(schema).includes("null")) return "json";
  const [type] = types;
  if (type === "string") return "text";
  if (type === "number" || type === "integer" || type === "boolean") return type;
  const nests = type === "object" && isObject(schema.properties) && Object.keys(schema.properties).length > 0;
  return nests && depth < DEPTH ? "group" : "json";
}

/** @param {Record<string, any>} schema @param {Kind} kind @param {Option[]} options */
function startOf(schema, kind, options) {
  if (!Object.hasOwn(schema, "default")) return "";
  const value = schema.default;
  if (kind === "choice") {
    const index = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
    return index < 0 ? "" : String(index);
  }
  return kind === "text" && typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * @param {Field[]} fields
 * @param {Map<string, string>} typed what stands in the fields that were touched, by path; a choice is its index
 * @returns {Filled} `wrong` has a sentence for each field that can't be sent
 */
export function fill(fields, typed) {
  /** @type {Filled} */
  const filled = { value: {}, wrong: new Map() };
  for (const each of fields) {
    if (each.kind === "group") {
      const inner = fill(each.fields, typed);
      const touched = Object.keys(inner.value).length > 0 || anyTouched(each.fields, typed);
      if (!each.required && !touched) continue; // what is missing inside a group nobody wants is not missing
      for (const [path, sentence] of inner.wrong) filled.wrong.set(path, sentence);
      put(filled.value, each.name, inner.value);
      continue;
    }
    const text = typed.get(each.path);
    if (text === undefined && each.start === "") {
      if (each.required) filled.wrong.set(each.path, `${each.name} is required.`);
      continue;
    }
    if (text === undefined && !each.required) continue; // the server knows its own default
    const read = valueOf(each, text ?? each.start);
    if (read.wrong !== undefined) filled.wrong.set(each.path, read.wrong);
    else if (read.value !== undefined) put(filled.value, each.name, read.value);
    else if (each.required) filled.wrong.set(each.path, `${each.name} is required.`);
  }
  return filled;
}

/** A name may be anything, also `__proto__`.
 * @param {Record<string, any>} object @param {string} name @param {unknown} value */
function put(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** @param {Field[]} fields @param {Map<string, string>} typed @returns {boolean} */
function anyTouched(fields, typed) {
  return fields.some((each) => typed.has(each.path) || anyTouched(each.fields, typed));
}

/** What a text means in a field; neither value nor wrong: it was emptied, and is left out.
 * @param {Field} each @param {string} text @returns {{value?: unknown, wrong?: string}} */
function valueOf(each, text) {
  if (each.kind === "text") return { value: text }; // an empty text is a text, once it was typed
  if (text.trim() === "") return {};
  if (each.kind === "choice") return { value: each.options[Number(text)]?.value };
  if (each.kind === "boolean") return text === "true" || text === "false" ? { value: text === "true" } : {};
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      wrong: each.kind === "json" ? `${each.name} is not JSON; texts need quotes.` : `${each.name} is not a number.`,
    };
  }
  if (each.kind === "json") return { value };
  if (typeof value !== "number") return { wrong: `${each.name} is not a number.` };
  if (each.kind === "integer" && !Number.isInteger(value)) return { wrong: `${each.name} is not a whole number.` };
  return Number.isSafeInteger(value) || each.kind === "number"
    ? { value }
    : { wrong: `${each.name} has more digits than this page can keep apart; send it from the raw editor.` };
}
