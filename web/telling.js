/**
 * What the viewer says about one record, asked for once and kept.
 *
 * In:  a key and a promise of an answer. Out: what there is by now: nothing yet, the answer, or why there is none.
 * Refuses to know: what is asked, how it is shown.
 *
 * A view is drawn at once and drawn again when the answer comes; so it asks here each time it is drawn, and only the
 * first time costs a question.
 *
 * @typedef {{kind: string, name: string, title: string, text: string, spec?: string, todo?: string}} Paragraph
 * @typedef {{situation: string, revision: string, era: string, why: string, carried: string[], next: string,
 *   never: string, twin: string, spec: string, paragraphs: Paragraph[], before: number, is_whole: boolean}} Telling
 * @typedef {{value?: any, problem?: string}} Known
 */

/** @template {object} K */
export class Asked {
  constructor() {
    /** @type {WeakMap<K, Known>} */
    this.known = new WeakMap();
  }

  /** @param {K} key @param {() => Promise<any>} question @param {() => void} learned @returns {Known} */
  about(key, question, learned) {
    const here = this.known.get(key);
    if (here !== undefined) return here;
    /** @type {Known} */
    const waiting = {};
    this.known.set(key, waiting);
    question()
      .then((value) => {
        waiting.value = value;
      })
      .catch((error) => {
        waiting.problem = String(error.message ?? error);
        setTimeout(() => this.known.delete(key), 3000); // the viewer may be back by then
      })
      .finally(learned);
    return waiting;
  }
}
