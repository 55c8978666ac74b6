"""`make demo`: it plays every scene, proves the logs, and leaves nothing running; and its proof can fail."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import equipment
import logcheck
import pytest
from logcheck import Missing, Run

RUN = Run("http", "2025-11-25", 7)


def record(event: str, component: str, message: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A record as the log has it; one with a message is a frame that crossed the wire."""
    made: dict[str, Any] = {"ts": "2026-01-01T00:00:00.000000+00:00", "level": "INFO", "component": component}
    made |= {"event": event, "data": {"message": message} if message else {}, "pid": 7, "host": "h", "seq": 1}
    if message:
        made |= {"dir": "out", "via": "http", "exchange": "e/" + str(message["id"])}
    return made | fields


def story() -> list[dict[str, Any]]:
    """The records of a handshake, a list and two calls, as both ends log them."""
    messages = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "list_files"}},
        {"id": 4, "method": "tools/call", "params": {"name": "read_file"}},
    ]
    frames = [
        record(event, component, message)
        for message in messages
        for event, component in (
            ("client_request", "mcp-client-simple"),
            ("rpc_request", "mcp-server"),
            ("rpc_response", "mcp-server"),
            ("client_response", "mcp-client-simple"),
        )
    ]
    return [
        *frames,
        record("tool_call_success", "mcp-server", exchange="e/3"),
        record("tool_call_error", "mcp-server", exchange="e/4"),
    ]


def without(event: str) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [entry for entry in story() if entry["event"] != event]


def write(folder: Path, *lines: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "mcp-server.jsonl").write_bytes(b"".join(lines))


def test_a_whole_story_is_accepted(tmp_path: Path) -> None:
    write(tmp_path, *(json.dumps(entry).encode() + b"\n" for entry in story()))
    assert logcheck.read(tmp_path) == story()
    assert logcheck.verify(RUN, story()).startswith("4 requests")


@pytest.mark.parametrize(
    ("records", "complaint"),
    [
        (without("rpc_request"), "0 records rpc_request"),
        (without("client_response"), "0 records client_response"),
        (lambda: [*story(), story()[2]], "2 records rpc_response"),
        (lambda: [entry | {"via": "stdio"} for entry in story()], "without via=http"),
        (lambda: [entry | {"exchange": None} for entry in story()], "no exchange"),
        (lambda: story()[4:], "do not name that revision"),
        (without("tool_call_success"), "0 records of how a tool call ended"),
        (lambda: [entry for entry in story() if entry["exchange"] != "e/4"], "no tool_call_error"),
        (lambda: story()[:8], "no client_request of tools/call"),
        (lambda: [], "no client_request of tools/list"),
    ],
)
def test_a_story_with_a_hole_is_refused(records: Callable[[], list[dict[str, Any]]], complaint: str) -> None:
    with pytest.raises(Missing, match=complaint):
        logcheck.verify(RUN, records())


def turn() -> list[dict[str, Any]]:
    """The records of one turn of the chat, as both ends log them."""
    own: dict[str, Any] = {"trace": "t"}
    events = [event for event in logcheck.STORY if not event.startswith("client_")]
    told = [record(event, "mcp-client-chat", **own) for event in events]
    for id in (1, 2):
        message = {"id": id, "method": "tools/call", "params": {"name": "write_file"}}
        for event, component in (
            ("client_request", "mcp-client-chat"),
            ("rpc_request", "mcp-server"),
            ("rpc_response", "mcp-server"),
            ("client_response", "mcp-client-chat"),
        ):
            told.append(record(event, component, message, **own))
        told.append(record("tool_call_success", "mcp-server", exchange=f"e/{id}", **own))
    return [record("chat_start", "mcp-client-chat", data={"provider": "scripted"}), *told]


def test_a_whole_turn_of_the_chat_is_accepted() -> None:
    assert logcheck.verify_chat(7, turn()).startswith("one turn of the chat: 20 records under one trace")


@pytest.mark.parametrize(
    ("missing", "complaint"),
    [
        ("chat_start", "no chat_start"),
        ("chat_question", "0 records chat_question"),
        ("chat_followup_response", "no chat_followup_response"),
        ("tool_call_success", "0 records of how a tool call ended"),
        ("rpc_request", "0 records rpc_request"),
    ],
)
def test_a_turn_of_the_chat_with_a_hole_is_refused(missing: str, complaint: str) -> None:
    with pytest.raises(Missing, match=complaint):
        logcheck.verify_chat(7, [entry for entry in turn() if entry["event"] != missing])


def test_a_turn_that_failed_is_refused() -> None:
    failed = [entry | {"event": entry["event"].replace("success", "error")} for entry in turn()]
    with pytest.raises(Missing, match="instead of twice in success"):
        logcheck.verify_chat(7, failed)


def test_a_handshake_where_none_belongs_is_refused() -> None:
    with pytest.raises(Missing, match="do not name that revision"):
        logcheck.verify(Run("http", "2026-07-28", 7), story())


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"n": NaN}\n', "NaN is no JSON"),
        (b'{"n": 1, "n": 2}\n', "stands twice"),
        (b'{"n": "\xff"}\n', "utf-8"),
        (b"{}\n", "no proper ts"),
        (b"[]\n", "not an object"),
        (b"\n", "line 1"),
        (b'{"n": 1}', "does not end with a line feed"),
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path: Path, line: bytes, complaint: str) -> None:
    write(tmp_path, line)
    with pytest.raises(Missing, match=complaint):
        logcheck.read(tmp_path)


def test_each_server_must_tell_its_own_story() -> None:
    events = ("server_start", "tool_call_request")
    records = [record(event, "mcp-server", pid=pid) for pid in (1, 2, 3) for event in events]
    assert logcheck.verify_server(records)
    with pytest.raises(Missing, match="no tool_call_request"):
        logcheck.verify_server(records[:-1])
    with pytest.raises(Missing, match="0 records server_start"):
        logcheck.verify_server(records[1:])
    with pytest.raises(Missing, match="2 servers instead of 3"):
        logcheck.verify_server(records[2:])


def test_the_demo_proves_itself_once(start: Any) -> None:
    demo = start("scripts/demo", "--once")
    assert demo.wait(100) == 0, demo.text
    demo.reader.join(5)
    assert re.match(r"Dashboard: http://127\.0\.0\.1:\d+/dashboard", demo.lines[0])
    assert len([line for line in demo.lines if line.startswith("ok  ")]) == 8


@pytest.mark.parametrize("end", ["interrupt", "terminate"])
def test_the_demo_ends_all_that_it_started(start: Any, end: str) -> None:
    demo = start("scripts/demo", "--once")
    server = demo.wait_for("^Server: ")
    demo.interrupt() if end == "interrupt" else demo.process.terminate()
    assert demo.wait(20) == 130, demo.text  # a proof that was broken off proves nothing
    port = int(re.findall(r":(\d+)", server)[0])
    assert not answers(port)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_browser_and_a_node_are_found(chromium: str, node: str) -> None:
    assert os.path.exists(chromium)
    assert int((equipment.answer(node, "--version") or "v0").strip("v\n").split(".")[0]) >= 22
