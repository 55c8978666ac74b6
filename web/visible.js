/**
 * Text from a log, made safe to look at.
 *
 * In:  any string. Out: a string in which nothing is invisible and nothing turns the line around.
 * Refuses to know: where it is shown. Pure.
 *
 * `textContent` keeps text from running. It does not keep it from lying: a right-to-left override shows
 * `exe.txt` where `txt.exe` stands, a zero-width space hides inside a name, and letters from the block of
 * tags (U+E0000) carry whole sentences that only a model reads. Each of these is shown by its number.
 */

const UNSEEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]" +
    "|\\udb40[\\udc00-\\udfff]" + // tags and further variation selectors, U+E0000 to U+E01EF
    "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", // half of a pair
  "g",
);

const SHORT = new Map([
  ["\n", "↵"],
  ["\r", "␍"],
  ["\t", "⇥"],
  ["\u0000", "␀"],
]);

/** @param {string} found */
function number(found) {
  const code = found.codePointAt(0) ?? 0;
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/**
 * For one line: also line ends and tabs become marks.
 * @param {unknown} text @param {number} [limit] longest result, in characters of the source
 */
export function visible(text, limit = 400) {
  const whole = String(text);
  const cut = whole.length > limit ? `${whole.slice(0, limit)}…` : whole;
  return cut.replace(UNSEEN, (found) => SHORT.get(found) ?? number(found));
}

/** For a block that keeps its lines: line feeds and tabs stay what they are. @param {string} text */
export function visibleLines(text) {
  return text.replace(UNSEEN, (found) => (found === "\n" || found === "\t" ? found : number(found)));
}

/** Only http and https may be followed. @param {unknown} url @returns {string | null} */
export function safeLink(url) {
  return typeof url === "string" && /^https?:\/\/[^\s"'<>\\]+$/i.test(url) ? url : null;
}
