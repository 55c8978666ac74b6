/**
 * The arithmetic of a virtual list: which rows are in sight, where to scroll, what a key selects.
 *
 * In:  numbers (pixels and counts). Out: numbers. Refuses to know: the page, the records. Pure.
 *
 * A list of 50,000 rows of one fixed height is a tall empty box in which only the rows in sight (and a
 * few more on both sides) exist; the rest is arithmetic.
 */

/** Height of one row in CSS pixels; `--row` in panel.css says the same. */
export const ROW = 26;

/** Rows drawn beyond each edge, so that a quick scroll meets no blank. */
export const MARGIN = 6;

/**
 * @param {number} top how far the box is scrolled, pixels
 * @param {number} height of the part in sight, pixels
 * @param {number} count all rows @param {number} [row] height of one, pixels @param {number} [margin] rows beyond the edges
 * @returns {{first: number, last: number}} rows to draw: `first` up to but without `last`
 */
export function sight(top, height, count, row = ROW, margin = MARGIN) {
  const first = Math.max(0, Math.min(count, Math.floor(top / row) - margin));
  const last = Math.max(first, Math.min(count, Math.ceil((top + height) / row) + margin));
  return { first, last };
}

/**
 * Where to scroll so that row `index` is in sight, moving as little as needed.
 * @param {number} index @param {number} top @param {number} height @param {number} [row] @returns {number}
 */
export function reveal(index, top, height, row = ROW) {
  const start = index * row;
  if (start < top) return start;
  if (start + row > top + height) return start + row - height;
  return top;
}

/**
 * The row that a key selects.
 * @param {string} key as in KeyboardEvent.key
 * @param {number} index of the selected row, -1 for none
 * @param {number} count all rows
 * @param {number} page rows in sight
 * @returns {number | null} null: this key selects nothing
 */
export function step(key, index, count, page) {
  if (count === 0) return null;
  const last = count - 1;
  const inside = (/** @type {number} */ n) => Math.max(0, Math.min(last, n));
  switch (key) {
    case "ArrowDown":
    case "j":
      return index < 0 ? last : inside(index + 1);
    case "ArrowUp":
    case "k":
      return index < 0 ? last : inside(index - 1);
    case "PageDown":
      return inside(index + page);
    case "PageUp":
      return inside(index - page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
