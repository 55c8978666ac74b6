// Events of the stream as the viewer would send them, for the tests beside this file.

let seq = 0;

/** @param {object} record @param {string} file @param {number} at @returns {string} */
export function event(record, file = "mcp-server.jsonl", at = (seq += 100)) {
  return `{"file":${JSON.stringify(file)},"at":${at},"record":${JSON.stringify(record)}}`;
}

/** A timestamp `ms` milliseconds after noon. @param {number} ms */
export function ts(ms) {
  const micros = String(Math.round((ms % 1) * 1000)).padStart(3, "0");
  return `${new Date(Date.UTC(2026, 10, 29, 12, 0, 0, Math.floor(ms))).toISOString().slice(0, -1)}${micros}+00:00`;
}

/** One frame as one end saw it. */
export function frame({ by, dir, message, exchange, at = 0, pid = 1, ms = undefined, ...more }) {
  const record = {
    ts: ts(at),
    level: "INFO",
    component: by,
    event: `${dir}_frame`,
    data: { message },
    pid,
    host: "h",
    dir,
    peer: by === "mcp-server" ? "client" : "server",
    via: "http",
    ...more,
  };
  if (exchange !== undefined) record.exchange = exchange;
  if (ms !== undefined) record.ms = ms;
  return event(record, `${by}.jsonl`);
}

/** The four records of one call: sent, received, answered, answer received. */
export function call({
  id,
  exchange,
  client = "mcp-client-simple",
  at = 0,
  pid = 2,
  method = "tools/list",
  result = {},
}) {
  const request = { jsonrpc: "2.0", id, method };
  const answer = { jsonrpc: "2.0", id, result };
  return [
    frame({ by: client, dir: "out", message: request, exchange, at, pid }),
    frame({ by: "mcp-server", dir: "in", message: request, exchange, at: at + 1 }),
    frame({ by: "mcp-server", dir: "out", message: answer, exchange, at: at + 3, ms: 2 }),
    frame({ by: client, dir: "in", message: answer, exchange, at: at + 4, pid, ms: 4 }),
  ];
}
