/**
 * A reader of JSON text that loses nothing.
 *
 * In:  JSON text. Out: a tree of nodes, each knowing where in the text it stands; that tree as rows.
 * Refuses to know: what the text is about; the page. Pure.
 *
 * Theory of operation. `JSON.parse` is a lossy view: it rounds 12345678901234567890, keeps one of two equal
 * keys, turns 1.0 into 1. Who wants to see *what was sent* needs the text itself. So this reader makes no
 * values. It walks the text once with a stack of its own (depth costs no recursion), and notes for each value
 * its kind and its two ends; a number or a string is shown by cutting it out of the text. Since a key is never
 * used as a property name, a key called `__proto__` is a key like any other.
 *
 * @typedef {"object" | "array" | "string" | "number" | "literal"} Kind
 * @typedef {{kind: Kind, key: string | undefined, start: number, end: number, children: Node[]}} Node
 * @typedef {{node: Node, depth: number, open: boolean, closing: boolean, path: string}} Row
 */

const TOKEN = /[ \t\r\n]*(?:([{}[\],:])|(")|(-?\d[\d.eE+-]*)|(?:true|false|null))/y;

/** @param {unknown} value @returns {value is Record<string, any>} a JSON object, and neither array nor null */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
export function string(value) {
  return typeof value === "string" ? value : undefined;
}

/** @param {unknown} value */
export function finite(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/**
 * A value in a few characters. What a container holds is not looked into: a hostile one may be as deep as it likes,
 * and `JSON.stringify` would follow it until the stack ends.
 * @param {unknown} value @param {number} [limit]
 */
export function brief(value, limit = 160) {
  if (Array.isArray(value)) return value.length === 1 ? "[1 item]" : `[${value.length} items]`;
  if (isObject(value)) return `{${Object.keys(value).slice(0, 4).join(", ")}}`.slice(0, limit);
  const text = typeof value === "string" ? value : String(value);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/**
 * @param {string} text @returns {Node} the outermost value
 * @throws {SyntaxError} when the text is not JSON, naming the position
 */
export function read(text) {
  /** @type {Node} */
  const top = { kind: "array", key: undefined, start: 0, end: text.length, children: [] };
  const stack = [top];
  /** @type {string | undefined} */
  let key;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [whole, mark, quote] = found;
    const parent = stack[stack.length - 1];
    if (mark === "," || mark === ":") continue;
    if (mark === "}" || mark === "]") {
      if (stack.length === 1 || parent.kind !== (mark === "}" ? "object" : "array")) throw wrong(TOKEN.lastIndex - 1);
      parent.end = TOKEN.lastIndex;
      stack.pop();
    } else {
      const start = TOKEN.lastIndex - whole.trimStart().length;
      const end = quote === undefined ? TOKEN.lastIndex : stringEnd(text, start);
      TOKEN.lastIndex = end;
      if (quote !== undefined && key === undefined && parent.kind === "object") {
        key = unquote(text.slice(start, end));
        continue;
      }
      /** @type {Node} */
      const node = { kind: kindOf(text[start]), key, start, end, children: [] };
      key = undefined;
      parent.children.push(node);
      if (node.kind === "object" || node.kind === "array") stack.push(node);
    }
    if (stack.length === 1) break;
  }
  const value = top.children[0];
  if (stack.length !== 1 || value === undefined || text.slice(value.end).trim() !== "") throw wrong(value?.start ?? 0);
  return value;
}

/** @param {string} first character of the value @returns {Kind} */
function kindOf(first) {
  if (first === "{") return "object";
  if (first === "[") return "array";
  if (first === '"') return "string";
  return first === "-" || (first >= "0" && first <= "9") ? "number" : "literal";
}

/** Where a string ends that starts at `start`: behind the first quote that no backslash escapes.
 * @param {string} text @param {number} start */
function stringEnd(text, start) {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  throw wrong(start);
}

/** @param {number} at */
function wrong(at) {
  return new SyntaxError(`This is not JSON: it goes wrong at character ${at}.`);
}

/** @param {string} literal with its quotes @returns {string} what it stands for */
function unquote(literal) {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    return literal.slice(1, -1);
  }
}

/**
 * The value of a scalar, as text: a string without its quotes and escapes, a number exactly as it stands.
 * @param {Node} node @param {string} text that it was read from
 */
export function scalar(node, text) {
  const literal = text.slice(node.start, node.end);
  return node.kind === "string" ? unquote(literal) : literal;
}

/**
 * The node under a path of keys; of equal keys the last, as `JSON.parse` would have it.
 * @param {Node} node @param {string[]} path @returns {Node | undefined}
 */
export function under(node, path) {
  /** @type {Node | undefined} */
  let here = node;
  for (const key of path) {
    here = here.kind === "object" ? here.children.findLast((child) => child.key === key) : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

/**
 * The rows of a tree as it is drawn: containers that are open are followed by what they hold and by their
 * closing mark; those that are closed stand alone.
 * @param {Node} root
 * @param {(path: string, depth: number, node: Node) => boolean} isOpen
 * @param {number} limit most rows; the caller compares
 * @returns {Row[]}
 */
export function flatten(root, isOpen, limit) {
  /** @type {Row[]} */
  const rows = [];
  /** @type {Row[]} */
  const stack = [{ node: root, depth: 0, open: false, closing: false, path: "" }];
  while (stack.length > 0 && rows.length < limit) {
    const row = /** @type {Row} */ (stack.pop());
    rows.push(row);
    const { node, depth, path } = row;
    if (row.closing || node.children.length === 0 || !isOpen(path, depth, node)) continue;
    row.open = true;
    stack.push({ node, depth, open: true, closing: true, path });
    for (let i = node.children.length - 1; i >= 0; i -= 1) {
      stack.push({ node: node.children[i], depth: depth + 1, open: false, closing: false, path: `${path}/${i}` });
    }
  }
  return rows;
}
