/**
 * The one way in which this page makes SVG elements.
 *
 * In:  a tag, attributes, children. Out: an element. Refuses to know: what it is for.
 *
 * Only shapes and text are made here: nothing that runs, loads or links.
 */

const SPACE = "http://www.w3.org/2000/svg";
const TAGS = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "tspan"]);

/**
 * @param {string} tag @param {Record<string, string | number | null>} [attributes] null is left out
 * @param {...(Node | string)} children @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  if (!TAGS.has(tag)) throw new TypeError(`<${tag}> is not made here.`);
  const element = document.createElementNS(SPACE, tag);
  set(element, attributes);
  element.append(...children);
  return /** @type {SVGElement} */ (element);
}

/** Sets attributes, those only that differ. @param {Element} element
 * @param {Record<string, string | number | null>} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (/^on|href|style/i.test(name)) throw new TypeError(`An SVG element has no ${name} here.`);
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
}
