"""What a client's log says of its traffic: pairs, sessions, warnings, and the words of a server at a pipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_core.messages import Failure, Notification, Request, Result, encode
from playground.logbook import Logbook
from playground.wire import recorder as module
from playground.wire.recorder import Recorder

TRACED = {"_meta": {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"}}


class Book:
    def __init__(self, folder: Path) -> None:
        self.log = Logbook(folder, "mcp-client-chat")
        self.recorder = Recorder(self.log, via="http", server="files")

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.path.read_text("utf-8").splitlines()]


@pytest.fixture
def book(logs: Path) -> Book:
    return Book(logs)


def sent(book: Book, message: Any) -> None:
    book.recorder.sent(message, encode(message), {"method": "POST"})


def came(book: Book, message: Any, about: Any = None) -> None:
    book.recorder.came(message, encode(message), about, {"status": 200})


def test_a_request_and_its_answer_share_an_exchange_and_a_trace(book: Book) -> None:
    sent(book, Request(1, "tools/list", TRACED))
    came(book, Notification("notifications/progress", {"progress": 1}), about=1)
    came(book, Result(1, {}))
    request, progress, answer = book.records
    assert [record["event"] for record in book.records] == ["client_request", "server_notification", "client_response"]
    assert request["exchange"] == progress["exchange"] == answer["exchange"] == f"span:{'b' * 16}"
    assert request["trace"] == answer["trace"] == "a" * 32
    assert (request["dir"], answer["dir"], answer["peer"], answer["via"]) == ("out", "in", "server", "http")
    assert answer["ms"] >= 0
    assert answer["data"]["server"] == "files"


def test_a_record_names_the_code_that_wanted_the_message_sent(book: Book) -> None:
    space: dict[str, Any] = {"__name__": "playground.wire.connection"}
    exec("def call_tool(send):\n    request(send)\ndef request(send):\n    send()", space)
    space["call_tool"](lambda: sent(book, Request(1, "ping")))
    came(book, Result(1, {}))
    sent(book, Notification("notifications/initialized"))
    request, answer, note = book.records
    assert request["src"].endswith(":2 call_tool")
    assert answer["src"] == request["src"]
    assert "src" not in note


def test_a_question_and_our_answer_share_an_exchange(book: Book) -> None:
    book.recorder.session = "s-1"
    came(book, Request("q", "roots/list"))
    sent(book, Result("q", {"roots": []}))
    question, answer = book.records
    assert question["exchange"] == answer["exchange"] == 's-1/server/"q"'
    assert (question["event"], answer["event"], answer["session"]) == ("server_request", "client_answer", "s-1")


def test_a_refusal_is_a_warning_and_one_without_an_id_belongs_to_who_asked(book: Book) -> None:
    sent(book, Request(1, "tools/list"))
    came(book, Failure(None, -32700, "unreadable"), about=1)
    request, answer = book.records
    assert answer["level"] == "WARNING"
    assert answer["exchange"] == request["exchange"]


def test_an_answer_to_nothing_is_written_down_too(book: Book) -> None:
    came(book, Result(7, {}))
    (record,) = book.records
    assert "exchange" not in record
    assert record["data"]["message"]["id"] == 7


def test_what_is_no_message_is_kept_as_it_was(book: Book) -> None:
    book.recorder.unreadable("<html>", "This is not JSON.", {"status": 200})
    (record,) = book.records
    assert (record["event"], record["data"]["raw"], record["data"]["reason"]) == (
        "client_warning", "<html>", "This is not JSON.",
    )  # fmt: skip


def test_what_else_happens_is_written_down(book: Book) -> None:
    sent(book, Request(1, "tools/list"))
    book.recorder.accepted({"status": 202})
    book.recorder.accepted({"status": 202}, about=1)
    book.recorder.accepted({"status": 202}, about=9)
    book.recorder.warn("Odd.", method="tools/list")
    book.recorder.said_on_stderr("hello")
    events = [record["event"] for record in book.records]
    assert events == ["client_request", *["client_accepted"] * 3, "client_warning", "server_stderr"]
    assert book.records[2]["exchange"] == book.records[0]["exchange"]
    assert book.records[4]["data"] == {"reason": "Odd.", "server": "files", "method": "tools/list"}
    assert book.records[5]["data"] == {"line": "hello", "server": "files"}


def test_requests_that_are_never_answered_do_not_pile_up(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OPEN", 3)
    for id in range(5):
        sent(book, Request(id, "ping"))
    assert list(book.recorder._open) == [2, 3, 4]
