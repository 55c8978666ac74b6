/**
 * One event stream for all tabs of a browser.
 *
 * In:  nothing. Out: the same news as stream.js gives, whichever tab holds the stream.
 * Refuses to know: records, panels.
 *
 * Theory of operation. Over HTTP/1.1 a browser opens at most six connections to one address, and a stream keeps
 * one for good: six tabs with a stream each, and the seventh page never loads. So the tabs elect one. Who gets
 * the lock `mcp-stream` opens the stream and broadcasts what comes; the others say hello and listen, and once they
 * hear something they fetch the history, which then joins what they hear without a gap. When the holder closes, the browser hands the lock to the next in line, which resumes after the
 * last token it heard: nothing is lost, and what comes twice, the store drops. A holder that hangs (a breakpoint,
 * a dialog) answers no ping; then a visible tab takes the lock from it. Where there are no locks (an insecure
 * address), each tab opens its own stream.
 *
 * @typedef {import("./stream.js").News} News
 */

import { history } from "./api.js";
import { openStream } from "./stream.js";

const NAME = "mcp-stream";
const PING = 5000;
const PATIENCE = 3000;

/** @param {(news: News) => void} tell */
export function listen(tell) {
  if (navigator.locks === undefined || typeof BroadcastChannel === "undefined") {
    openStream("", tell);
    return;
  }
  new Member(tell).join();
}

class Member {
  /** @param {(news: News) => void} tell */
  constructor(tell) {
    this.tell = tell;
    this.channel = new BroadcastChannel(NAME);
    /** @type {"joining" | "leading" | "following"} */
    this.role = "joining";
    this.token = "";
    this.state = /** @type {import("./stream.js").State} */ ("connecting");
    this.heard = performance.now();
    this.queued = false;
    this.caughtUp = false;
    /** Whether another tab was ever heard of; talking to nobody costs time too. */
    this.company = false;
    this.channel.onmessage = (event) => this.#hear(event.data);
    setInterval(() => this.#ping(), PING);
  }

  /** Leads if nobody does; else follows, and waits in line. */
  join() {
    navigator.locks
      .request(NAME, { ifAvailable: true }, (lock) => {
        if (lock !== null) return this.#lead();
        this.#follow();
        return undefined;
      })
      .catch(() => this.#follow());
  }

  /** Holds the stream until the lock is taken away. @returns {Promise<never>} */
  #lead() {
    this.role = "leading";
    this.caughtUp = true; // a stream without a token begins with the history
    this.close = openStream(this.token, (news) => {
      this.token = news.token;
      this.state = news.state;
      this.tell(news);
      if (this.company) this.channel.postMessage({ kind: "news", news });
    });
    return new Promise(() => {});
  }

  #follow() {
    this.role = "following";
    this.company = true;
    this.close?.();
    this.close = undefined;
    this.#heardNow();
    this.#queue();
    this.channel.postMessage({ kind: "hello" });
  }

  /** Waits in line for the lock, once. */
  #queue() {
    if (this.queued) return;
    this.queued = true;
    navigator.locks
      .request(NAME, () => {
        this.queued = false;
        return this.#lead();
      })
      .catch(() => this.#follow());
  }

  /** What was written before this tab began to listen. */
  async #catchUp() {
    try {
      const items = await history({});
      this.tell({ items, token: this.token, state: this.state });
    } catch {
      setTimeout(() => this.#catchUp(), PATIENCE); // the viewer is away; the stream's state tells that
    }
  }

  /** @param {{kind: string, news?: News}} message */
  #hear(message) {
    this.company = true;
    if (message.kind === "hello" && this.role === "leading") {
      this.channel.postMessage({ kind: "news", news: { items: [], token: this.token, state: this.state } });
    }
    if (message.kind !== "news" || message.news === undefined || this.role === "leading") return;
    this.#heardNow();
    this.token = message.news.token;
    this.state = message.news.state;
    this.tell(message.news);
    if (this.caughtUp) return;
    this.caughtUp = true;
    this.#catchUp();
  }

  #heardNow() {
    this.heard = performance.now();
  }

  #ping() {
    if (this.role !== "following" || document.hidden) return;
    const asked = performance.now();
    this.channel.postMessage({ kind: "hello" });
    setTimeout(() => {
      if (this.role !== "following" || this.heard >= asked || document.hidden) return;
      navigator.locks.request(NAME, { steal: true }, () => this.#lead()).catch(() => this.#follow());
    }, PATIENCE);
  }
}
