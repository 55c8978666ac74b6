/**
 * One event stream, kept alive.
 *
 * In:  where to begin. Out: batches of events and notices, the token to resume after them, and the state of
 *      the connection. Refuses to know: records, panels, other tabs.
 *
 * A browser's own EventSource would do, but it wakes the page for each event, 20,000 times a second in a flood. Here a
 * piece of the stream is one batch, however many events it holds. What EventSource does besides is little: when the
 * stream ends or can't be had, it is asked for again, after the last token; so a restart of the viewer loses and
 * doubles nothing.
 *
 * @typedef {"connecting" | "history" | "live" | "reconnecting"} State
 * @typedef {{kind: string, file?: string, text: string}} Notice
 * @typedef {{items: (string | Notice)[], token: string, state: State}} News `items` holds events as text, and notices
 */

import { EventReader } from "./events.js";

/** Before a stream that ended is asked for again, milliseconds. */
const PAUSE = 1000;

/**
 * @param {string} token of the last event already seen; empty to begin with the history
 * @param {(news: News) => void} tell
 * @returns {() => void} closes the stream
 */
export function openStream(token, tell) {
  const closing = new AbortController();
  keepOpen(token, tell, closing.signal);
  return () => closing.abort();
}

/** @param {string} token @param {(news: News) => void} tell @param {AbortSignal} signal */
async function keepOpen(token, tell, signal) {
  const reader = new EventReader(token);
  for (;;) {
    /** @type {State} */
    let state = reader.token === "" ? "history" : "live";
    for await (const piece of connection(reader.token, signal)) {
      /** @type {(string | Notice)[]} */
      const items = [];
      for (const { name, data } of reader.take(piece)) {
        const item = name === "notice" ? JSON.parse(data) : data;
        if (name === "notice" && item.kind === "live") state = "live";
        else items.push(item);
      }
      tell({ items, token: reader.token, state });
    }
    if (signal.aborted) return;
    reader.forget();
    tell({ items: [], token: reader.token, state: "reconnecting" });
    await new Promise((done) => setTimeout(done, PAUSE));
    if (signal.aborted) return;
  }
}

/**
 * What one connection brings until it ends, however it ends; an empty piece says that it is there.
 * @param {string} token @param {AbortSignal} signal @returns {AsyncGenerator<string>}
 */
async function* connection(token, signal) {
  const headers = { Accept: "text/event-stream", ...(token !== "" && { "Last-Event-ID": token }) };
  try {
    const response = await fetch("/stream", { headers, signal });
    if (!response.ok || response.body === null) return;
    yield "";
    const body = response.body.getReader();
    const decoder = new TextDecoder();
    for (let { done, value } = await body.read(); !done; { done, value } = await body.read()) {
      yield decoder.decode(value, { stream: true });
    }
  } catch {
    // Nobody answers, it broke off, or it was closed here: it has ended.
  }
}
