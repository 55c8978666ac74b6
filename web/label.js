/**
 * The words on an arrow, as many as fit.
 *
 * In:  what an arrow says, the room in pixels. Out: parts in order, each with a class. Refuses to know: the page. Pure.
 *
 * The type has one width, so fitting is counting: the title first, then what went wrong, the time, the gist,
 * marks. Where it is narrow, the title leaves room for the first thing that went wrong, or for the time.
 *
 * @typedef {import("./arrow.js").Told} Told
 * @typedef {{text: string, part: "title" | "detail" | "bad" | "time" | "tag"}} Part
 */

/** Width of a character of the labels, pixels. */
export const CHAR = 6.75;

const LEAST = 5; // of a gist, fewer characters say nothing
const TITLE = 7; // of a title at least
const WIDE = 34; // with more characters left, a long gist leaves room for the first mark

/** @param {Told} said @param {number} room pixels @param {boolean} [note] @returns {Part[]} */
export function fit(said, room, note = false) {
  let left = Math.floor(room / CHAR);
  /** @param {string} text @param {Part["part"]} part @param {number} least @returns {Part[]} */
  const take = (text, part, least) => {
    if (text === "" || left < Math.min(least, text.length)) return [];
    const cut = text.length > left ? `${text.slice(0, Math.max(1, left - 1))}…` : text;
    left -= cut.length + 1;
    return [{ text: cut, part }];
  };
  const kept = note ? 0 : Math.min(shortest(said), Math.max(0, left - TITLE));
  left -= kept;
  const title = take(prefixed(said), "title", 1);
  left += kept;
  const bad = said.bad.flatMap((word) => take(`✕ ${word}`, "bad", 1));
  const time = note ? [] : takeTime(said.time, take);
  const [main = "", ...others] = said.tags;
  const spare = left > WIDE ? main.length + 1 : 0;
  left -= spare;
  const detail = take(said.detail, "detail", LEAST);
  left += spare;
  const mark = take(main, "tag", main.length);
  const tags = [...mark, ...others.flatMap((tag) => take(tag, "tag", tag.length))];
  return [...title, ...detail, ...bad, ...time, ...tags];
}

/** What has to stand beside the title, characters. @param {Told} said */
function shortest({ bad, time }) {
  if (bad.length > 0) return bad[0].length + 3;
  return time === "" ? 0 : brief(time).length + 1;
}

/** @param {Told} said */
function prefixed({ shape, title, word }) {
  if (shape === "result" || shape === "error" || shape === "tool-error") return `↳ ${title}`;
  if (shape === "cancel") return `⊘ ${title}`;
  return shape === "wish" ? word : title;
}

/** The number of a time that is a sum, or that counts up. @param {string} time */
function brief(time) {
  return time.split(" = ")[0].replace(/^pending (.+)$/, "$1 …");
}

/** The whole sum if it fits, else its first number.
 * @param {string} time @param {(text: string, part: Part["part"], least: number) => Part[]} take */
function takeTime(time, take) {
  const whole = take(time, "time", time.length);
  return whole.length > 0 || time === "" ? whole : take(brief(time), "time", 1);
}
