/**
 * Records taken in anew from their texts, apart from the page's own: what is saved is made of these.
 *
 * In:  records' files, places and (masked) texts. Out: records with their links, rows and lanes.
 * Refuses to know: what was masked, what is made of it. Pure.
 *
 * @typedef {{file: string, at: number, flaw: string | undefined, text: string}} Line
 */

import { Lanes } from "./lanes.js";
import { Sieve } from "./sieve.js";
import { Store } from "./store.js";

/** @param {Line[]} lines in order of time @param {import("./explain.js").Texts} texts @param {string} now
 * @returns {import("./export.js").Story & {recs: import("./record.js").Rec[]}} */
export function retold(lines, texts, now) {
  const store = new Store({ keep: Infinity, chars: Infinity });
  const recs = [];
  for (const { file, at, flaw, text } of lines) {
    const head = `{"file":${JSON.stringify(file)},"at":${at}`;
    const event = flaw === undefined ? `${head},"record":${text}}` : `${head},"raw":${JSON.stringify(text)},"flaw":${JSON.stringify(flaw)}}`;
    const rec = store.admit(event);
    if (rec !== null) recs.push(rec);
  }
  const sieve = new Sieve(store, 1, () => true);
  sieve.pump(() => false);
  const lanes = new Lanes();
  lanes.update(sieve.rows, sieve.epoch);
  return { recs, rows: sieve.rows, lanes, shows: (rec) => sieve.shows(rec), texts, now };
}
