"""playground/narrator.py: what is told on the terminal and what is written down."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from mcp_core.messages import read
from playground.carriers import Frame
from playground.logbook import Logbook
from playground.narrator import Narrator, Sent
from playground.terminal import Terminal

TRACE = {"_meta": {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}}
HTTP = {"method": "POST", "path": "/mcp", "headers": {"Accept": "*/*", "Mcp-Session-Id": "s-1"}}


class Told:
    """A narrator, and what it told."""

    def __init__(self, logs: Path, via: str = "http", **options: Any) -> None:
        self.out = io.StringIO()
        self.book = Logbook(logs, "mcp-client-simple")
        self.narrator = Narrator(Terminal(self.out, {}, 80), self.book, via, **options)

    def sends(self, event: str, sent: Sent, body: bytes, is_raw: bool = False) -> bytes:
        """Both steps of sending."""
        body = self.narrator.shows(sent, body, is_raw)
        self.narrator.sends(event, sent, body)
        return body

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.book.path.read_text().splitlines()]


def heard(told: Told, sent: Sent, message: dict[str, Any], title: str = "200 OK") -> None:
    frame = Frame(
        title, json.dumps(message, separators=(",", ":")).encode(), {"status": 200, "headers": {"Allow": "GET"}}
    )
    told.narrator.hears(sent, frame, message, read(message))


def test_a_request_and_what_follows_share_their_exchange_and_trace(logs: Path) -> None:
    told = Told(logs)
    sent = Sent({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": TRACE}, HTTP, "client.py:1 scene")
    told.sends("client_request", sent, json.dumps(sent.message, separators=(",", ":")).encode())
    heard(told, sent, {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    heard(told, sent, {"jsonrpc": "2.0", "id": "s", "method": "ping"})
    heard(told, sent, {"jsonrpc": "2.0", "id": 1, "result": {}})
    heard(told, sent, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "m"}})
    kinds = [(r["event"], r["dir"], r["level"], "ms" in r) for r in told.records]
    assert kinds == [
        ("client_request", "out", "INFO", False),
        ("server_notification", "in", "INFO", False),
        ("server_request", "in", "INFO", False),
        ("client_response", "in", "INFO", True),
        ("client_response", "in", "WARNING", True),
    ]
    for record in told.records:
        is_theirs = record["event"] == "server_request"  # which begins an exchange of its own
        assert record["exchange"] == ('s-1/server/"s"' if is_theirs else "span:" + "b" * 16)
        assert record["trace"] == "a" * 32
        assert (record["peer"], record["via"], record["session"]) == ("server", "http", "s-1")
        assert record["src"] == "client.py:1 scene"
    assert told.records[0]["data"]["http"] == HTTP
    assert "raw" not in told.records[0]["data"]


def test_the_terminal_shows_headers_message_and_time(logs: Path) -> None:
    told = Told(logs)
    sent = Sent({"id": 1, "method": "ping"}, HTTP, "client.py:1 scene")
    told.sends("client_request", sent, b"{}")
    heard(told, sent, {"jsonrpc": "2.0", "id": 1, "result": {}})
    heard(told, sent, {"jsonrpc": "2.0", "id": 1, "result": {}}, "event 1")
    lines = told.out.getvalue().splitlines()
    assert lines[1] == "→ POST /mcp  ping   (client.py:1 scene)"
    assert lines[2:5] == ["  Accept: */*", "  Mcp-Session-Id: s-1", '  {"id": 1, "method": "ping"}']
    assert lines[5].startswith("← 200 OK   ")
    assert lines[5].endswith(" ms")
    assert told.out.getvalue().count("Allow: GET") == 1  # not again for each event of a stream


def test_what_is_no_message_is_shown_and_kept_as_it_came(logs: Path) -> None:
    told = Told(logs, "stdio")
    sent = Sent({}, None, "client.py:1 scene")
    told.sends("client_request", sent, b"\xff{", is_raw=True)
    told.narrator.hears(sent, Frame("stdout", b"hello\x1b"), None, None)
    assert "→ stdin   (client.py:1 scene)\n  \\xff{\n" in told.out.getvalue()
    assert "  hello\\u001b\n" in told.out.getvalue()
    first, second = told.records
    assert "raw_base64" in first["data"]
    assert second["data"]["raw"] == "hello\x1b"
    assert first["exchange"] == second["exchange"]
    assert second["level"] == "WARNING"


def test_an_answer_of_ours_and_a_bare_status_are_told_too(logs: Path) -> None:
    told = Told(logs)
    sent = Sent({"jsonrpc": "2.0", "id": "s", "result": {}}, HTTP, "")
    told.sends("client_answer", sent, b"{}")
    told.narrator.hears(sent, Frame("202 Accepted", b"", {"status": 202, "headers": {}}), None, None)
    assert "POST /mcp  the answer" in told.out.getvalue()
    assert [(r["event"], r["exchange"]) for r in told.records] == [("client_answer", 's-1/server/"s"')]


def test_warnings_stderr_and_the_end_of_a_session_are_told(logs: Path) -> None:
    told = Told(logs)
    sent = Sent({}, {"method": "DELETE", "path": "/mcp", "headers": {}}, "")
    told.narrator.warns("Odd.", sent)
    told.narrator.stderr("hello\x07")
    told.narrator.notice("Look.")
    for quiet in (False, True):
        told.narrator.parts(sent, Frame("204 No Content", b"", {"status": 204, "headers": {}}), quiet)
    out = told.out.getvalue()
    assert "  Warning: Odd.\n" in out
    assert "  │ stderr: hello\\u0007\n" in out
    assert "  Notice: Look.\n" in out
    assert out.count("DELETE /mcp") == 1
    assert [r["event"] for r in told.records] == ["client_warning", "server_stderr", *["client_session_end"] * 2]
    assert told.records[-1]["data"]["http"]["status"] == 204
    assert all("dir" not in record for record in told.records)


def test_each_subject_is_explained_when_it_first_appears(logs: Path) -> None:
    told = Told(logs, explains=True)
    for _ in range(2):
        sent = Sent({"jsonrpc": "2.0", "id": 1, "method": "ping"}, HTTP, "")
        told.sends("client_request", sent, b"{}")
        heard(told, sent, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "m"}})
    out = told.out.getvalue()
    assert out.count("│ ping: Are you there?") == 1
    assert out.count("│ Mcp-Session-Id: ") == 1
    assert out.count("│ What to do: ") == 1


def test_step_asks_before_each_message_and_ends_with_the_input(logs: Path) -> None:
    told = Told(logs, step=io.StringIO("\n"))
    sent = Sent({"id": 1, "method": "ping"}, None, "")
    told.sends("client_request", sent, b"{}")
    with pytest.raises(EOFError):
        told.sends("client_request", sent, b"{}")
    assert told.out.getvalue().count("Enter sends it") == 2
    assert len(told.records) == 1  # what was not sent is not logged


def test_the_pace_is_kept_between_messages(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("playground.narrator.time.sleep", slept.append)
    told = Told(logs, pace=2.5)
    for _ in range(3):
        told.sends("client_request", Sent({}, None, ""), b"{}")
    assert slept == [2.5, 2.5]


def test_headers_of_a_message_are_empty_where_there_is_no_http() -> None:
    assert Sent({}, None, "").headers == {}
    assert Sent({}, HTTP, "").headers == HTTP["headers"]


def test_a_message_can_be_edited_before_it_is_sent(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.narrator.edited", lambda body, environ, one_line_only: body + b" edited")
    told = Told(logs, "stdio", step=io.StringIO("e\nE\n\n"))
    assert told.sends("client_request", Sent({"id": 1, "method": "ping"}, None, ""), b"{}") == b"{} edited edited"
    assert told.records[0]["data"]["raw"] == "{} edited edited"
    assert told.out.getvalue().count("e edits it") == 3


def test_an_editor_that_fails_leaves_the_message_and_says_why(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor")
    told = Told(logs, step=io.StringIO("e\n\n"))
    assert told.sends("client_request", Sent({}, HTTP, ""), b"{}") == b"{}"
    assert "'no-such-editor' can't be started" in told.out.getvalue()


def test_a_get_has_nothing_to_edit_and_is_logged_without_a_message(logs: Path) -> None:
    told = Told(logs, step=io.StringIO("e\n"))
    told.sends("client_listen", Sent({}, {"method": "GET", "path": "/mcp", "headers": {}}, ""), b"", is_raw=True)
    assert "e edits it" not in told.out.getvalue()
    assert [(r["event"], r["data"]["http"]["method"]) for r in told.records] == [("client_listen", "GET")]


@pytest.mark.parametrize(
    ("said", "agreed"), [("y\n", True), (" YES \n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_user_is_asked_and_silence_is_no(logs: Path, said: str, agreed: bool) -> None:
    told = Told(logs, user=io.StringIO(said))
    assert told.narrator.agrees("Delete it\x1b?") is agreed
    assert "The server asks: Delete it\\u001b?" in told.out.getvalue()


def test_without_a_user_every_answer_is_yes_and_is_said_to_be(logs: Path) -> None:
    told = Told(logs)
    assert told.narrator.agrees("Delete it?")
    assert "so we say yes" in " ".join(told.out.getvalue().split())
