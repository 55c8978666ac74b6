/**
 * A value as the filter's grammar wants it.
 *
 * In:  any text. Out: the text, in quotes where it needs them. Refuses to know: what is filtered. Pure.
 */

/** @param {string} value */
export function quoted(value) {
  return /^[\w.:/-]+$/.test(value) ? value : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
