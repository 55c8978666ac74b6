"""Whether the logs of a demo tell the whole story: read strictly, then searched for what must be there.

In: a folder of logs and which client ran over what. Out: a sentence on what was checked, or Missing with a
sentence on what is not there. It uses nothing of the project's own code, so that it can judge it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]
FIELDS = {
    "ts": str,
    "level": str,
    "component": str,
    "event": str,
    "data": dict,
    "pid": int,
    "host": str,
    "seq": int,
}
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class Missing(Exception):
    """A record that must be in the logs is not, or is not what it must be."""


@dataclass(frozen=True)
class Run:
    """One run of the client: how it traveled, which revision it spoke, which process it was."""

    via: str
    revision: str
    pid: int


def strict(line: bytes) -> Any:
    """One line as JSON, without what Python's parser lets pass beyond the standard (RFC 8259).

    >>> strict(b'{"n": NaN}')
    Traceback (most recent call last):
    ValueError: NaN is no JSON
    """

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is no JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
        return dict(pairs)

    return json.loads(line.decode("utf-8", errors="strict"), parse_constant=refuse, object_pairs_hook=unique)


def read(folder: Path) -> list[Record]:
    """All records of all logs of a folder; Missing at the first line that is not one."""
    records = []
    for file in sorted(folder.glob("*.jsonl")):
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            raise Missing(f"{file.name} does not end with a line feed.")
        for number, line in enumerate(content[:-1].split(b"\n"), 1):
            try:
                record = strict(line)
            except ValueError as problem:
                raise Missing(f"{file.name}, line {number}: {problem}.") from problem
            if not isinstance(record, dict):
                raise Missing(f"{file.name}, line {number}: not an object.")
            wrong = [name for name, kind in FIELDS.items() if not isinstance(record.get(name), kind)]
            if wrong:
                raise Missing(f"{file.name}, line {number}: no proper {', '.join(wrong)}.")
            records.append(record)
    return records


def verify(run: Run, records: list[Record]) -> str:
    """Checks one run of the client from both ends: what it sent was received and answered."""
    label = f"Over {run.via} in revision {run.revision}"
    own = [record for record in records if record["pid"] == run.pid and record["component"] == "mcp-client-simple"]
    if any(record.get("via") != run.via for record in own if "dir" in record):
        raise Missing(f"{label} the client logged a message without via={run.via}.")
    sent = [record for record in own if record["event"] == "client_request"]
    methods = [record["data"]["message"]["method"] for record in sent]
    for method in ("tools/list", "tools/call"):
        if method not in methods:
            raise Missing(f"{label} the client logged no client_request of {method}.")
    if {revision_of(record["data"]["message"]) for record in sent} - {None} != {run.revision}:
        raise Missing(f"{label} the client's messages do not name that revision, and that alone.")
    if ("initialize" in methods) != (run.revision < "2026"):
        raise Missing(f"{label} the handshake is {'there' if 'initialize' in methods else 'missing'}.")
    outcomes = [whole(record, records, label) for record in sent]
    for event in ("tool_call_success", "tool_call_error"):
        if event not in outcomes:
            raise Missing(f"{label} the server logged no {event}.")
    return f"{len(sent)} requests, each recorded four times: twice at each end"


def whole(request: Record, records: list[Record], label: str) -> str | None:
    """Checks that the four records of a request share its `exchange`; returns how a tool call ended."""
    method, exchange = request["data"]["message"]["method"], request.get("exchange")
    if not exchange:
        raise Missing(f"{label} a client_request of {method} has no exchange.")
    story = [record["event"] for record in records if record.get("exchange") == exchange]
    if "rpc_cancelled" in story:  # the client gave it up, so there is no answer to look for
        return "rpc_cancelled"
    for event in ("client_request", "rpc_request", "rpc_response", "client_response"):
        if story.count(event) != 1:
            raise Missing(f"{label} {method} has {story.count(event)} records {event} instead of one ({exchange}).")
    ends = [event for event in story if event in ("tool_call_success", "tool_call_error", "tool_not_found")]
    if len(ends) != (method == "tools/call"):
        raise Missing(f"{label} {method} has {len(ends)} records of how a tool call ended ({exchange}).")
    return ends[0] if ends else None


STORY = (
    *("chat_question", "tools_mapped_for_llm", "chat_request", "chat_response", "llm_tool_call", "chat_approval"),
    *("client_request", "client_response", "llm_tool_result", "chat_followup_request", "chat_followup_response"),
    "chat_answer",
)


def verify_chat(pid: int, records: list[Record]) -> str:
    """Checks one turn of the chat: one trace joins the question, the model's rounds, the calls and the server."""
    own = [record for record in records if record["pid"] == pid and record["component"] == "mcp-client-chat"]
    if not any(record["event"] == "chat_start" and record["data"].get("provider") for record in own):
        raise Missing("The chat logged no chat_start that names its provider.")
    traces = [record.get("trace") for record in own if record["event"] == "chat_question"]
    if len(traces) != 1 or not traces[0]:
        raise Missing(f"The chat logged {len(traces)} records chat_question with a trace instead of one.")
    told = [record["event"] for record in own if record.get("trace") == traces[0]]
    if absent := [event for event in STORY if event not in told]:
        raise Missing(f"The chat's turn has no {absent[0]}.")
    sent = [record for record in own if record["event"] == "client_request" and record.get("trace") == traces[0]]
    outcomes = [whole(record, records, "In the chat") for record in sent]
    served = [record for record in records if record.get("trace") == traces[0] and record["component"] == "mcp-server"]
    if outcomes.count("tool_call_success") != 2 or not served:
        raise Missing(f"The chat's calls ended as {outcomes} instead of twice in success, under one trace.")
    return f"one turn of the chat: {len(told) + len(served)} records under one trace, in both logs"


def verify_server(records: list[Record]) -> str:
    """Checks the server's own story: each of its processes said that it started, and announced its calls."""
    events = [(record["pid"], record["event"]) for record in records if record["component"] == "mcp-server"]
    pids = {pid for pid, _ in events}
    if len(pids) != 3:
        raise Missing(f"The logs are of {len(pids)} servers instead of 3 (one over HTTP, two over stdio).")
    for pid in pids:
        if events.count((pid, "server_start")) != 1:
            raise Missing(f"A server logged {events.count((pid, 'server_start'))} records server_start.")
        if (pid, "tool_call_request") not in events:
            raise Missing("A server logged no tool_call_request.")
    return "three servers, each with its start and its tool calls"


def revision_of(message: Record) -> str | None:
    """The revision that a message names itself: in its handshake, or in its `_meta`."""
    params = message.get("params") or {}
    named = params.get("protocolVersion") if message["method"] == "initialize" else None
    found = named or params.get("_meta", {}).get(VERSION_KEY)
    return found if isinstance(found, str) else None
