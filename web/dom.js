/**
 * The one way in which this page makes elements.
 *
 * In:  a tag, attributes, children. Out: an element. Refuses to know: what it is for.
 *
 * Text becomes text: children are strings (text nodes) or nodes, and nothing here parses HTML. Attributes that could
 * run something are refused, so that no log record can, whatever a later author passes on.
 */

import { safeLink } from "./visible.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; `on` holds listeners, `data` data attributes; null and false are
 *     left out, true is an attribute without value
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(harmless(tag, name, value), value === true ? "" : String(value));
  }
  element.append(
    ...children
      .flat()
      .filter(isThere)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return element;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isThere(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {string} tag @param {string} name @param {unknown} value @returns {string} the name */
function harmless(tag, name, value) {
  const runs = /^on/i.test(name) || name === "style" || name === "srcdoc" || tag === "script" || tag === "iframe";
  const leads = (name === "href" || name === "src") && !/^[/#](?!\/)/.test(String(value)) && safeLink(value) === null;
  if (runs || leads) throw new TypeError(`<${tag} ${name}> is not made here.`);
  return name;
}

/** The element with an id that the page is known to have. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
}

/** Sets text only if it differs: an unchanged node costs no layout. @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A link that leaves the page, or only its text when the address is not http(s).
 * @param {unknown} url @param {string} text */
export function outward(url, text) {
  const href = safeLink(url);
  return href === null ? h("span", {}, text) : h("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** Prose in which `backticks` mark what is code. @param {string} text @returns {Child[]} */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

/** @param {string} text @param {HTMLElement} button that tells how it went */
export async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => setText(button, before ?? ""), 1200);
}
