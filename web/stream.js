/**
 * One event stream, kept alive.
 *
 * In:  where to begin. Out: batches of events and notices, the token to resume after them, and the state of
 *      the connection. Refuses to know: records, panels, other tabs.
 *
 * EventSource reconnects by itself and sends `Last-Event-ID`, so a restart of the viewer loses and doubles nothing.
 * It gives up only when the answer is not a stream (a 503, say); then a new one is made here, with `?after=` the last
 * token. Events are handed on in batches: each wakes a task of its own, and 20,000 a second would wake the page as
 * often.
 *
 * @typedef {"connecting" | "history" | "live" | "reconnecting"} State
 * @typedef {{kind: string, file?: string, text: string}} Notice
 * @typedef {{items: (string | Notice)[], token: string, state: State}} News `items` holds events as text, and notices
 */

/** Before a stream that the browser gave up is made anew, milliseconds. */
const PAUSE = 1500;

/** @param {string} token */
function address(token) {
  return token === "" ? "/stream" : `/stream?after=${encodeURIComponent(token)}`;
}

/**
 * @param {string} token of the last event already seen; empty to begin with the history
 * @param {(news: News) => void} tell
 * @returns {() => void} closes the stream
 */
export function openStream(token, tell) {
  /** @type {News} */
  let news = { items: [], token, state: "connecting" };
  /** @type {EventSource} */
  let source;
  let retry = 0;
  // A message to oneself comes after the events that already wait; unlike a timer it isn't slowed in a hidden tab.
  const bell = new MessageChannel();
  let rung = false;
  bell.port1.onmessage = () => {
    rung = false;
    const told = news;
    news = { items: [], token: told.token, state: told.state };
    tell(told);
  };
  const ring = () => {
    if (!rung) bell.port2.postMessage(null);
    rung = true;
  };
  const enter = (/** @type {State} */ state) => {
    news.state = state;
    ring();
  };

  function connect() {
    source = new EventSource(address(news.token));
    source.onopen = () => enter(news.token === "" ? "history" : "live");
    source.onmessage = (event) => {
      news.items.push(event.data);
      if (event.lastEventId !== "") news.token = event.lastEventId;
      ring();
    };
    source.addEventListener("notice", (event) => {
      const notice = JSON.parse(event.data);
      if (event.lastEventId !== "") news.token = event.lastEventId;
      if (notice.kind === "live") news.state = "live";
      else news.items.push(notice);
      ring();
    });
    source.onerror = () => {
      enter("reconnecting");
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, PAUSE);
    };
  }

  connect();
  return () => {
    clearTimeout(retry);
    source.close();
    bell.port1.close();
  };
}
