/**
 * Whether a record passes a filter.
 *
 * In:  a filter as a tree, from `GET /filter?q=`, and a parsed record. Out: yes or no.
 * Refuses to know: the filter's grammar (playground/viewer/filters.py parses it), the page. Pure.
 *
 * The same table, tests/filter_cases.json, holds this file and the Python one to the same answers.
 *
 * @typedef {[string, ...any[]]} Tree
 * @typedef {(value: unknown) => boolean} Test
 */

import { isObject } from "./json.js";

const ABSENT = Symbol("absent");

/** A pattern sees this many characters of a value, here and in the viewer. */
const TEXT_LIMIT = 2000;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

/**
 * Makes a test of a tree once, so that judging a record builds nothing.
 * @param {Tree | null} tree null lets everything through
 * @returns {Test}
 */
export function compile(tree) {
  if (tree === null) return () => true;
  const [operator, first, second] = tree;
  switch (operator) {
    case "and": {
      const [a, b] = [compile(first), compile(second)];
      return (value) => a(value) && b(value);
    }
    case "or": {
      const [a, b] = [compile(first), compile(second)];
      return (value) => a(value) || b(value);
    }
    case "not": {
      const a = compile(first);
      return (value) => !a(value);
    }
    case "text":
      return containing(String(first));
    default:
      return comparison(operator, String(first), second);
  }
}

/** Looks in every key and every value, whatever the case. @param {string} word @returns {Test} */
function containing(word) {
  const wanted = word.toLowerCase();
  return wanted === "" ? () => true : (value) => holds(value, wanted);
}

/** @param {unknown} value @param {string} wanted @returns {boolean} */
function holds(value, wanted) {
  if (Array.isArray(value)) return value.some((inner) => holds(inner, wanted));
  if (isObject(value)) {
    return Object.keys(value).some((key) => key.toLowerCase().includes(wanted) || holds(value[key], wanted));
  }
  return String(value).toLowerCase().includes(wanted);
}

/** @param {string} operator @param {string} key @param {any} operand @returns {Test} */
function comparison(operator, key, operand) {
  const find = finder(key);
  switch (operator) {
    case "=":
    case "!=": {
      const equals = equality(String(operand));
      const wanted = operator === "=";
      return (value) => equals(find(value)) === wanted;
    }
    case "~": {
      const pattern = new RegExp(String(operand), "u");
      return (value) => {
        const found = find(value);
        return isScalar(found) && pattern.test(beginning(String(found)));
      };
    }
    case ">":
      return (value) => greater(find(value), operand);
    case "<":
      return (value) => greater(operand, find(value));
    default:
      throw new SyntaxError(`This is not a filter's tree: ${String(operator)}`);
  }
}

/** @param {unknown} a @param {unknown} b */
function greater(a, b) {
  return typeof a === "number" && typeof b === "number" && a > b;
}

/** @param {unknown} value */
function isScalar(value) {
  return value !== ABSENT && (typeof value !== "object" || value === null);
}

/** Text equals text; a number equals what spells the same number. @param {string} text */
function equality(text) {
  const number = NUMBER.test(text) ? Number(text) : NaN;
  return (/** @type {unknown} */ found) => {
    if (typeof found === "number") return found === number;
    return isScalar(found) && String(found) === text;
  };
}

/** As many characters as a pattern may see, so that none takes for ever. @param {string} text */
function beginning(text) {
  return text.length <= TEXT_LIMIT
    ? text
    : Array.from(text.slice(0, 2 * TEXT_LIMIT))
        .slice(0, TEXT_LIMIT)
        .join("");
}

/**
 * Finds the value under a dotted key; where a name itself holds dots, the longest name that fits is tried first.
 * Only a value's own members count: `__proto__` and `constructor` are names like others.
 * @param {string} key @returns {(value: unknown) => unknown} a function that gives ABSENT for what is not there
 */
function finder(key) {
  const parts = key.split(".");
  /** @param {unknown} value @param {number} start @returns {unknown} */
  function find(value, start) {
    if (start === parts.length) return value;
    if (Array.isArray(value)) {
      const index = INDEX.test(parts[start]) ? Number(parts[start]) : Infinity;
      return index < value.length ? find(value[index], start + 1) : ABSENT;
    }
    if (!isObject(value)) return ABSENT;
    for (let end = parts.length; end > start; end -= 1) {
      const name = parts.length === 1 ? key : parts.slice(start, end).join(".");
      if (!Object.hasOwn(value, name)) continue;
      const found = find(value[name], end);
      if (found !== ABSENT) return found;
    }
    return ABSENT;
  }
  return (value) => find(value, 0);
}
