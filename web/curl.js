/**
 * A request as a command that sends it again.
 *
 * In:  the body exactly as it crossed the wire, method, headers, an address. Out: text for a POSIX shell; warnings.
 * Refuses to know: records, the page. Pure.
 *
 * The body stands in single quotes, in which a shell takes every character for itself; a single quote inside is closed,
 * escaped and opened again. So nothing that a log holds can become a command.
 */

/** Headers that curl sets by itself or that belong to one connection. */
const OWN = new Set(["host", "content-length", "connection", "user-agent", "accept-encoding", "traceparent"]);

/**
 * @param {{body: string, method?: string, url: string, headers: Record<string, unknown>}} request
 * @returns {{command: string, warnings: string[]}}
 */
export function curlOf({ body, method = "POST", url, headers }) {
  const lines = [`curl -sS -i -X ${quoted(method)} ${quoted(url)}`];
  const warnings = [];
  for (const [name, value] of Object.entries(headers)) {
    if (OWN.has(name.toLowerCase())) continue;
    lines.push(`-H ${quoted(`${name}: ${String(value)}`)}`);
    if (name.toLowerCase() === "mcp-session-id") {
      warnings.push("It carries the session of then. If the server has ended it, the answer is HTTP 404: run initialize.");
    }
    if (String(value).includes("***")) warnings.push(`The header ${name} was masked in the log; put the real value in.`);
  }
  if (body.includes("***")) warnings.push("A secret in the body was masked in the log; put the real value in.");
  if (body !== "") lines.push(`--data-binary ${quoted(body)}`);
  return { command: lines.join(" \\\n  "), warnings };
}

/** @param {string} text */
function quoted(text) {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
