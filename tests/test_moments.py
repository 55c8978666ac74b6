"""playground/viewer/moments.py: the conversation around a record, found in a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from playground.viewer import moments
from playground.viewer.folder import Folder
from playground.viewer.moments import NotFound, gathered, scene
from tests.talks import OLD, Log


def write(folder: Path, *records: Any, name: str = "a.jsonl") -> list[int]:
    """Writes a log; gives where each line begins."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return [sum(len(line.encode()) + 1 for line in lines[:number]) for number in range(len(lines))]


def numbers(records: list[Any]) -> list[int]:
    return [record["n"] for record in records]


def test_what_shares_a_session_a_trace_an_exchange_or_a_connection_belongs_together(logs: Path) -> None:
    at = write(
        logs,
        {"n": 0, "exchange": "span:1", "trace": "t"},
        {"n": 1, "exchange": "span:9", "trace": "other"},
        {"n": 2, "exchange": "span:1", "session": "s"},
        {"n": 3, "session": "s", "exchange": "c1/client/4"},
        {"n": 4, "exchange": "c1/client/raw-5"},
        {"n": 5, "session": "other"},
        {"n": 6, "session": "s"},
        {"n": 7, "session": "s"},
    )
    found = scene(Folder(logs), "a.jsonl", at[6])
    assert numbers(found.records) == [0, 2, 3, 4, 6]
    assert found.is_whole


def test_a_session_in_a_header_joins_what_names_none(logs: Path) -> None:
    http = {"http": {"headers": {"mcp-session-id": "s", "X": 1}}}
    at = write(logs, {"n": 0, "session": "s"}, {"n": 1, "data": http}, {"n": 2, "data": {"http": {"headers": 5}}})
    assert numbers(scene(Folder(logs), "a.jsonl", at[1]).records) == [0, 1]
    assert numbers(scene(Folder(logs), "a.jsonl", at[2]).records) == [2]


def test_a_server_on_a_pipe_has_one_conversation(logs: Path) -> None:
    own = {"component": "mcp-server", "via": "stdio", "host": "h"}
    at = write(logs, {"n": 0, "pid": 1, **own}, {"n": 1, "pid": 2, **own}, {"n": 2, "pid": 1, **own})
    assert numbers(scene(Folder(logs), "a.jsonl", at[2]).records) == [0, 2]


def test_lines_that_are_no_records_are_passed_over(logs: Path) -> None:
    at = write(logs, {"n": 0, "session": "s"}, "no JSON", "[1]", {"n": 1, "session": "s"})
    assert numbers(scene(Folder(logs), "a.jsonl", at[3]).records) == [0, 1]


@pytest.mark.parametrize(("name", "at"), [("a.jsonl", 99999), ("a.jsonl", 1), ("a.jsonl", -1), ("b.jsonl", 0)])
def test_what_is_not_there_is_said_in_a_sentence(logs: Path, name: str, at: int) -> None:
    write(logs, {"n": 0, "session": "s"})
    with pytest.raises(NotFound, match=r"\.$"):
        scene(Folder(logs), name, at)


def test_the_window_is_bounded_and_says_so(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = write(logs, *({"n": number, "session": "s"} for number in range(50)))
    monkeypatch.setattr(moments, "WINDOW", 10)
    found = scene(Folder(logs), "a.jsonl", at[-1])
    assert (len(found.records), found.is_whole) == (11, False)
    monkeypatch.setattr(moments, "WINDOW", 100)
    monkeypatch.setattr(moments, "MOST", 5)
    found = scene(Folder(logs), "a.jsonl", at[-1])
    assert (len(found.records), found.is_whole) == (6, False)


def test_a_taps_two_records_of_one_frame_count_once() -> None:
    def tapped(direction: str, message: Any) -> dict[str, Any]:
        return {"event": "tap_request", "dir": direction, "exchange": "c1/client/1", "data": {"message": message}}

    first, second = {"id": 1, "method": "a"}, {"id": 2, "method": "b"}
    records = [tapped("in", first), tapped("out", first), tapped("in", second), tapped("out", second)]
    told = gathered(records[::-1], is_whole=True).records
    assert [(one["dir"], one["data"]["message"]["id"]) for one in told] == [("in", 1), ("out", 2)]
    told = gathered(records[2::-1], is_whole=True).records
    assert [(one["dir"], one["data"]["message"]["id"]) for one in told] == [("in", 1), ("in", 2)]


def test_the_real_log_of_a_client_is_one_conversation(logs: Path) -> None:
    records = Log(OLD).hello().ask("tools/list")
    at = write(logs, *records)
    assert len(scene(Folder(logs), "a.jsonl", at[-1]).records) == len(records)


def test_a_stranger_who_names_itself_and_sends_no_trace_has_one_conversation_on_several_connections(logs: Path) -> None:
    def request(n: int, name: str, connection: str, **more: Any) -> dict[str, Any]:
        meta = {"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
        data = {"message": {"id": n, "method": "tools/list", "params": {"_meta": meta}}}
        return {"n": n, "component": "mcp-tap", "pid": 1, "exchange": f"{connection}/client/{n}", "data": data, **more}

    at = write(
        logs,
        request(0, "a", "http-1"),
        request(1, "b", "http-2"),
        request(2, "a", "http-3", trace="t"),
        {"n": 3, "exchange": "http-1/client/0"},
        request(4, "a", "http-4"),
    )
    assert numbers(scene(Folder(logs), "a.jsonl", at[4]).records) == [0, 3, 4]
