/**
 * What records are called, in a word or two.
 *
 * In:  a record with its links. Out: short texts. Refuses to know: the page. Pure.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { isAnswer, isPending } from "./pairs.js";
import { duration } from "./time.js";
import { visible } from "./visible.js";

/** The component as a short name; the row's title has the whole. @param {string} component */
export function shortName(component) {
  return component.replace(/^mcp-/, "");
}

/** `→ server`, `← client`: who is at the other end. @param {Rec} rec */
export function direction(rec) {
  if (rec.dir === undefined) return "";
  return `${rec.dir === "out" ? "→" : "←"} ${visible(rec.peer ?? "?", 20)}`;
}

/** What the row calls the message: its method, or that of the request that it answers. @param {Rec} rec */
export function title(rec) {
  if (rec.method !== undefined) return visible(rec.method, 80);
  if (isAnswer(rec)) return visible(rec.request?.method ?? rec.twin?.request?.method ?? rec.event, 80);
  if (rec.kind === "line") return "";
  return visible(rec.event, 80);
}

/** How a request without an answer ended. @param {Rec} over what ended it */
export function endOf(over) {
  return over.event === "client_warning" ? "failed" : "cancelled";
}

/** @param {Rec} rec */
export function wait(rec) {
  if (rec.cancelled !== undefined) return endOf(rec.cancelled);
  return isPending(rec) ? "pending" : duration(rec.ms);
}
