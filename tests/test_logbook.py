"""The logbook: what a record says, what travels unchanged, what never breaks a call."""

from __future__ import annotations

import base64
import errno
import functools
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_core import messages
from playground.logbook import Logbook, exchange_of, source_of, trace_of

SPAN, TRACE = "b7ad6b7169203331", "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-{SPAN}-01"


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def records(book: Logbook) -> list[dict[str, Any]]:
    """All records, strictly parsed."""
    data = book.path.read_bytes()
    assert data.isascii()
    assert data.endswith(b"\n") or not data
    return [json.loads(line, parse_constant=refuse) for line in data.split(b"\n")[:-1]]


def test_a_record_has_its_fields_in_their_order(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "mcp-server")
    book.write(
        "rpc_request",
        {"a": 1},
        level="DEBUG",
        dir="in",
        peer="client",
        via="http",
        session="s",
        trace="t",
        exchange="e",
        ms=1.23456,
        src="server.py:1 f",
    )
    (record,) = records(book)
    assert list(record) == (
        [
            "ts",
            "level",
            "component",
            "event",
            "data",
            "pid",
            "host",
            "seq",
            "dir",
            "peer",
            "via",
            "session",
            "trace",
            "exchange",
            "mono",
            "ms",
            "src",
        ]
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", record["ts"])
    assert record["component"] == "mcp-server"
    assert (record["level"], record["event"], record["data"]) == ("DEBUG", "rpc_request", {"a": 1})
    assert (record["pid"], record["seq"], record["ms"]) == (os.getpid(), 1, 1.235)


def test_absent_fields_are_left_out(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.write("e", {})
    assert list(records(book)[0]) == ["ts", "level", "component", "event", "data", "pid", "host", "seq", "mono"]


def test_records_are_numbered_and_ordered(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")

    def write() -> None:
        for _ in range(50):
            book.write("e", {})

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = records(book)
    assert [record["seq"] for record in found] == list(range(1, 401))
    assert [record["mono"] for record in found] == sorted(record["mono"] for record in found)


def test_records_that_are_kept_are_written_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Logbook(tmp_path, "c")
    write, written, kept = os.write, list[int](), book.kept()

    def counted(descriptor: int, data: bytes) -> int:
        written.append(write(descriptor, data))
        return written[-1]

    monkeypatch.setattr(os, "write", counted)
    kept.write("one", {})
    kept.frame("two", "{}", {})
    assert (written, kept.is_empty) == ([], False)
    kept.put()
    kept.put()
    assert (len(written), kept.is_empty) == (1, True)
    monkeypatch.undo()
    assert [record["event"] for record in records(book)] == ["one", "two"]
    assert [record["seq"] for record in records(book)] == [1, 2]


def test_who_puts_what_is_kept_waits_until_another_thread_has_written_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Logbook(tmp_path, "c")
    kept, write, is_writing, may_write = book.kept(), os.write, threading.Event(), threading.Event()

    def slow(descriptor: int, data: bytes) -> int:
        is_writing.set()
        assert may_write.wait(10)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", slow)
    kept.write("one", {})
    threads = [threading.Thread(target=kept.put) for _ in range(2)]
    threads[0].start()
    assert is_writing.wait(10)
    threads[1].start()
    assert threads[1].is_alive(), "there is nothing left to be put, but it is not in the log yet"
    may_write.set()
    for thread in threads:
        thread.join()
    assert len(records(book)) == 1


# ---- Frames ------------------------------------------------------------------------------------------------


def test_our_own_text_is_embedded_as_it_stands(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    text = messages.encode(messages.Result(1, {"text": "naïve \ud800"}))
    book.frame("rpc_response", text, None, own=True, dir="out")
    assert f'"data":{{"message":{text}}}'.encode() in book.path.read_bytes()


def test_text_that_is_just_our_encoding_needs_no_raw(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("rpc_request", b'{"jsonrpc":"2.0","id":1}', {"jsonrpc": "2.0", "id": 1}, http={"status": 200})
    assert records(book)[0]["data"] == {"message": {"jsonrpc": "2.0", "id": 1}, "http": {"status": 200}}


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{"a":1.0}', '{"a":1,"a":1}', '{"\\u0061":1}', '{"a":1}\n', '\ufeff{"a":1}']
)
def test_text_that_differs_is_kept_raw(tmp_path: Path, text: str) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("rpc_request", text.encode(), {"a": 1})
    book.frame("rpc_request", text, {"a": 1})
    assert [record["data"] for record in records(book)] == [{"message": {"a": 1}, "raw": text}] * 2


def test_what_did_not_parse_is_raw_alone(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("rpc_parse_error", b"{'a': 1}", None, reason="single quotes", http={"status": 400})
    assert records(book)[0]["data"] == {
        "http": {"status": 400},
        "raw": "{'a': 1}",
        "reason": "single quotes",
    }


def test_bytes_that_are_no_text_are_base64(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("rpc_parse_error", b"\xff\xfe{", None)
    assert base64.b64decode(records(book)[0]["data"]["raw_base64"]) == b"\xff\xfe{"


def test_own_text_that_is_not_ascii_is_not_trusted(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("e", '{"a":"é"}', {"a": "é"}, own=True)
    assert records(book)[0]["data"] == {"message": {"a": "é"}, "raw": '{"a":"é"}'}


@pytest.mark.parametrize("value", ["\ud800", 10**5000, float("nan"), float("-inf"), "a\nb\r\u2028", None], ids=range(6))
def test_any_value_can_be_logged(tmp_path: Path, value: Any) -> None:
    book = Logbook(tmp_path, "c")
    book.write("e", {"value": value})
    book.frame("e", "text", {"value": value}, more=value)
    assert len(records(book)) == 2


def test_a_value_nested_without_end_can_be_logged(tmp_path: Path) -> None:
    value: Any = []
    for _ in range(20_000):
        value = [value]
    book = Logbook(tmp_path, "c")
    book.write("e", {"value": value})
    assert len(records(book)) == 1


# ---- Secrets -----------------------------------------------------------------------------------------------

SECRET = 'sk-canary"0123456789'


def test_a_secret_is_masked_wherever_it_stands(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c", secrets=[SECRET])
    text = messages.encode(messages.Request(1, "m", {"key": SECRET, SECRET: 1}))
    book.write("e", {"a": f"<{SECRET}>"})
    book.frame("e", text, json.loads(text), own=True)
    book.frame("e", text.replace("s", "\\u0073").encode(), json.loads(text))
    book.frame("e", b"\xff" + SECRET.encode(), None)
    book.write("e", {}, session=SECRET, exchange="x")
    assert SECRET not in book.path.read_text()
    assert json.dumps(SECRET)[1:-1] not in book.path.read_text()
    found = records(book)
    assert found[0]["data"] == {"a": "<***>"}
    assert found[1]["data"]["message"]["params"] == {"key": "***", "***": 1}
    assert found[2]["data"]["raw"] == "***"
    assert base64.b64decode(found[3]["data"]["raw_base64"]) == b"\xff***"
    assert (found[4]["session"], found[4]["exchange"]) == ("***", "x")
    assert [record.get("redacted") for record in found] == [True] * 5


def test_key_headers_are_left_out(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.frame("e", "{}", {}, http={"headers": {"Authorization": "Bearer x", "Accept": "a"}})
    (record,) = records(book)
    assert record["data"]["http"] == {"headers": {"Accept": "a"}}
    assert list(record)[-1] == "redacted"


# ---- Troubles ----------------------------------------------------------------------------------------------


def test_a_log_that_can_not_be_written_breaks_no_call_and_tells_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Logbook(tmp_path, "c")
    book.write("before", {})
    write: Callable[[int, bytes], int] = os.write

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    for _ in range(3):
        book.write("lost", {})
    monkeypatch.setattr(os, "write", write)
    book.write("after", {})
    before, gap, after = records(book)
    assert (gap["event"], gap["level"]) == ("log_gap", "WARNING")
    assert gap["data"] == {"lost": 3, "reason": "No space left on device"}
    assert before["seq"] == 1
    assert after["seq"] == gap["seq"] + 1 > 4


def test_a_gap_that_is_lost_itself_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Logbook(tmp_path, "c")
    write: Callable[[int, bytes], int] = os.write
    left = [0, 1, 0]  # writes that work before the next fails

    def full(descriptor: int, data: bytes) -> int:
        if left[0] == 0:
            left.pop(0)
            raise OSError(errno.EIO, "Input/output error")
        left[0] -= 1
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    for event in ("lost 1", "lost 2", "lost 3"):
        book.write(event, {})
    monkeypatch.setattr(os, "write", write)
    book.write("after", {})
    assert [record["data"].get("lost") for record in records(book)] == [1, 2, None]


def test_of_records_written_together_those_that_got_through_are_not_counted_as_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Logbook(tmp_path, "c")
    write, calls = os.write, list[bytes]()

    def full(descriptor: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: data.index(b"\n") + 20])

    kept = book.kept()
    for event in ("through", "torn", "lost"):
        kept.write(event, {})
    monkeypatch.setattr(os, "write", full)
    kept.put()
    monkeypatch.undo()
    for event in ("after", "and more"):
        kept.write(event, {})
    kept.put()
    through, torn, gap, *after = book.path.read_bytes().splitlines()
    assert json.loads(through)["event"] == "through"
    with pytest.raises(ValueError):  # noqa: PT011 - half a record
        json.loads(torn)
    assert json.loads(gap)["data"]["lost"] == 2
    assert [json.loads(record)["seq"] for record in after] == [5, 6]


def test_a_folder_that_can_not_be_used_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    book = Logbook(tmp_path / "file", "c")
    book.write("lost", {})
    (tmp_path / "file").unlink()
    book.write("after", {})
    assert [record["event"] for record in records(book)] == ["log_gap", "after"]


def test_a_closed_logbook_opens_again(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c")
    book.write("one", {})
    book.close()
    book.write("two", {})
    assert [record["seq"] for record in records(book)] == [1, 2]


def test_a_logbook_rotates(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c", rotate_at=100)
    book.write("one", {})
    book.write("two", {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "c.jsonl.1"]


def test_a_forked_child_counts_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Logbook(tmp_path, "c")
    book.write("parent", {})
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: 4_000_000)
        book.write("child", {})
        book.write("child", {})
    assert [(record["pid"], record["seq"]) for record in records(book)] == [
        (os.getpid(), 1),
        (4_000_000, 1),
        (4_000_000, 2),
    ]


# ---- What belongs together ---------------------------------------------------------------------------------


def test_an_exchange_is_its_span() -> None:
    message = {"id": 1, "params": {"_meta": {"traceparent": PARENT}}}
    assert exchange_of(message, asker="client", session=None, connection="c") == f"span:{SPAN}"
    assert trace_of(message) == TRACE


@pytest.mark.parametrize(
    ("message", "session", "expected"),
    [
        ({"id": 1, "method": "m"}, None, "c/server/1"),
        ({"id": "1", "result": {}}, "s", 's/server/"1"'),
        ({"id": 0}, "s", "s/server/0"),
        ({"method": "notifications/x"}, "s", None),
        ({"id": None, "error": {}}, "s", None),
    ],
)
def test_an_exchange_without_span_is_asker_session_and_id(
    message: dict[str, Any], session: str | None, expected: str | None
) -> None:
    assert exchange_of(message, asker="server", session=session, connection="c") == expected


@pytest.mark.parametrize(
    "message",
    [
        [],
        None,
        {"params": []},
        {"params": {"_meta": 1}},
        {"params": {"_meta": {"traceparent": 5}}},
        {"params": {"_meta": {"traceparent": f"00-{'0' * 32}-{SPAN}-01"}}},
        {"params": {"_meta": {"traceparent": f"00-{TRACE}-{'0' * 16}-01"}}},
        {"params": {"_meta": {"traceparent": PARENT.upper()}}},
    ],
)
def test_what_is_no_traceparent_has_no_trace(message: Any) -> None:
    assert trace_of(message) is None


def test_a_source_is_a_line_of_the_project() -> None:
    line = test_a_source_is_a_line_of_the_project.__code__.co_firstlineno
    expected = f"tests/test_logbook.py:{line} test_a_source_is_a_line_of_the_project"
    function = test_a_source_is_a_line_of_the_project
    assert source_of(function) == expected
    assert source_of(function.__code__) == expected
    assert source_of(functools.partial(functools.partial(function))) == expected
    assert source_of(functools.wraps(function)(lambda: None)) == expected
    assert re.fullmatch(r"tests/test_logbook\.py:\d+ test_a_source.*", source_of(sys._getframe()))


def test_a_source_elsewhere_is_a_file_name_only() -> None:
    assert re.fullmatch(r"json/__init__\.py|__init__\.py:\d+ dumps", source_of(json.dumps))


def test_a_secret_in_no_known_place_costs_little(tmp_path: Path) -> None:
    book = Logbook(tmp_path, "c", secrets=["short", SECRET])
    book.write("e", {"text": "short"})
    assert records(book)[0]["data"] == {"text": "short"}
