/**
 * A list that grows at its end, is kept in order, and is cut at its front.
 *
 * In:  items, one at a time, nearly in order.
 * Out: the item at a position, the length, how many were cut.
 * Refuses to know: what the items are. Pure.
 *
 * `shift()` of an Array moves every item; here a head index moves instead, and the dead front is
 * sliced off once it outweighs the rest, so that each call costs the same however long the list is.
 *
 * @template T
 */
export class Tape {
  constructor() {
    /** @type {(T | undefined)[]} */
    this.items = [];
    this.head = 0;
    /** How many items were cut from the front since the list was made. */
    this.cut = 0;
  }

  get length() {
    return this.items.length - this.head;
  }

  /** @param {number} index counted from the oldest kept item @returns {T | undefined} */
  at(index) {
    return index < 0 ? undefined : this.items[this.head + index];
  }

  /** @param {T} item */
  push(item) {
    this.items.push(item);
  }

  /**
   * Puts `item` where it belongs, looking back from the end over at most `reach` items.
   * @param {T} item
   * @param {(a: T, b: T) => number} compare negative when `a` comes first
   * @param {number} [reach]
   * @returns {number} its position
   */
  place(item, compare, reach = Infinity) {
    const floor = Math.max(this.head, this.items.length - reach);
    let low = floor;
    let high = this.items.length;
    if (high === floor || compare(/** @type {T} */ (this.items[high - 1]), item) <= 0) low = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(/** @type {T} */ (this.items[middle]), item) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low === this.items.length) this.items.push(item);
    else this.items.splice(low, 0, item);
    return low - this.head;
  }

  /** Cuts the oldest item off. @returns {T | undefined} */
  shift() {
    if (this.length === 0) return undefined;
    const item = this.items[this.head];
    this.items[this.head] = undefined;
    this.head += 1;
    this.cut += 1;
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** @param {T} item @returns {number} its position, -1 when it is not here */
  indexOf(item) {
    const index = this.items.lastIndexOf(item);
    return index < this.head ? -1 : index - this.head;
  }

  /**
   * The position of an item in a tape that is kept in order, found by halving; a few items that came late may stand a
   * little off.
   * @param {T} item @param {(a: T, b: T) => number} compare @param {number} [reach]
   * @returns {number} -1 when it is not here
   */
  find(item, compare, reach = 500) {
    let low = this.head;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(/** @type {T} */ (this.items[middle]), item) < 0) low = middle + 1;
      else high = middle;
    }
    for (let off = 0; off <= reach; off += 1) {
      if (this.items[low + off] === item) return low + off - this.head;
      if (low - off >= this.head && this.items[low - off] === item) return low - off - this.head;
    }
    return -1;
  }

  clear() {
    this.items = [];
    this.head = 0;
    this.cut = 0;
  }
}
