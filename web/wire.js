/**
 * A message exactly as it crossed the wire.
 *
 * In:  a record. Out: the text on the wire, and the message's own text if it parsed. Refuses to know: the page. Pure.
 *
 * The logbook adds `data.raw` only where the wire's text differs from its own encoding of `data.message`. So without
 * `raw` the wire's text is the message's text in the record, cut out of the line and not written anew.
 *
 * @typedef {import("./record.js").Rec} Rec
 */

import { read, scalar, under } from "./json.js";

/** @param {Rec} rec @returns {{text: string, message: string | null, note: string}} `note` says what is special */
export function wireOf(rec) {
  const plain = { text: rec.text, message: null, note: "" };
  if (rec.flaw !== undefined || rec.kind === "notice") return plain;
  let root;
  try {
    root = read(rec.text);
  } catch {
    return plain;
  }
  const found = under(root, ["data", "message"]);
  const message = found === undefined ? null : rec.text.slice(found.start, found.end);
  const raw = under(root, ["data", "raw"]);
  if (raw?.kind === "string") {
    const note =
      message === null
        ? "This body did not parse; it stands here as it was sent."
        : "The wire's text differs from the parsed message in spelling; Raw text shows it as it was sent.";
    return { text: scalar(raw, rec.text), message, note };
  }
  const bytes = under(root, ["data", "raw_base64"]);
  if (bytes?.kind === "string") {
    return {
      text: decoded(scalar(bytes, rec.text)),
      message,
      note: "The bytes were not UTF-8; what could not be read is shown as �, and the record holds them in base64.",
    };
  }
  if (message === null)
    return { ...plain, note: "This record carries no message of the wire; the text is the line in the log." };
  return { text: message, message, note: "" };
}

/** @param {string} base64 */
function decoded(base64) {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return base64;
  }
}
