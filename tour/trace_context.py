"""Trace context: one number that leads from a question through every log that it left a line in.

Notice: `_meta.traceparent` (W3C Trace Context) holds the id of the whole trace and of this one span. MCP only carries
it. Both ends of the playground write it down, and that is how the dashboard makes one arrow of four lines.
"""

import json

from stage import Talk, tour


def play(talk: Talk) -> None:
    talk.call("list_files")
    folder = talk.dialog.teller.book.path.parent
    events: dict[str, list[str]] = {}
    for log in ("mcp-client-simple.jsonl", "mcp-server.jsonl"):
        with open(folder / log, encoding="ascii") as lines:
            ours = [json.loads(line) for line in lines if talk.trace in line]
        for record in ours:
            if record.get("dir"):
                events.setdefault(record["exchange"], []).append(record["event"])
    *_, last = events.values()
    talk.notice(f"The trace {talk.trace} has left {sum(map(len, events.values()))} lines in two logs, of "
                f"{len(events)} exchanges. The last of them: {', '.join(last)}.")  # fmt: skip
    assert sorted(last) == ["client_request", "client_response", "rpc_request", "rpc_response"]


tour(play)
