/**
 * Times and durations as people read them.
 *
 * In:  timestamps as a record carries them, milliseconds. Out: short strings of steady width.
 * Refuses to know: what time it is now. Pure.
 */

/**
 * Local wall-clock time with milliseconds; what is no timestamp gives a dash.
 * @param {string | undefined} ts such as `2026-11-29T21:20:21.123456+00:00`
 */
export function clock(ts) {
  const date = ts === undefined ? NaN : Date.parse(ts);
  if (Number.isNaN(date)) return "–";
  const at = new Date(date);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const day = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** @param {number | undefined} ms @returns {string} three digits that matter, with the unit */
export function duration(ms) {
  if (ms === undefined || !Number.isFinite(ms)) return "";
  if (ms < 0) return "0 ms";
  if (ms < 0.995) return `${ms.toFixed(2)} ms`;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Microseconds between two timestamps, as milliseconds. Date.parse alone would round them away.
 * @param {string | undefined} from @param {string | undefined} to @returns {number | undefined} */
export function between(from, to) {
  const a = micros(from);
  const b = micros(to);
  return a === undefined || b === undefined ? undefined : (b - a) / 1000;
}

/** @param {string | undefined} ts @returns {number | undefined} microseconds since 1970 */
function micros(ts) {
  if (ts === undefined) return undefined;
  const whole = Date.parse(ts);
  if (Number.isNaN(whole)) return undefined;
  const fraction = /\.\d{3}(\d{3})/.exec(ts);
  return whole * 1000 + (fraction === null ? 0 : Number(fraction[1]));
}

/** @param {string | undefined} ts @returns {number | undefined} milliseconds since 1970, with their fraction */
export function millis(ts) {
  const found = micros(ts);
  return found === undefined ? undefined : found / 1000;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
