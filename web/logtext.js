/**
 * A log file's text as events of the stream.
 *
 * In:  the text of a file, its name. Out: one event a line, as the viewer would send it. Refuses to know: files. Pure.
 *
 * A line that is no record is shown as it stands, as in the viewer. Only LF ends a line.
 */

/** @param {string} text @param {string} name @returns {Generator<string>} */
export function* eventsOf(text, name) {
  const file = JSON.stringify(name);
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end).replace(/\r$/, "");
    if (line.trim() !== "") yield eventOf(line, file, start);
    start = end + 1;
  }
}

/** @param {string} line @param {string} file as JSON @param {number} at */
function eventOf(line, file, at) {
  const begin = line.startsWith("\ufeff") ? line.slice(1) : line;
  if (isRecord(begin)) return `{"file":${file},"at":${at},"record":${begin.trim()}}`;
  return JSON.stringify({ file: JSON.parse(file), at, raw: line, flaw: "not JSON" });
}

/** @param {string} line */
function isRecord(line) {
  if (!/^\s*\{/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
