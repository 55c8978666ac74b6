"""Answers as bytes: heads, errors, streams and their limit, without a socket."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from waitress.utilities import BadRequest

from playground.gate import API_HEADERS, PASSED, Gate, Refusal
from playground.http_answer import ErrorTask, Task
from playground.http_parser import Limits, Parser, Rulebook

JSON = ("Content-Type", "application/json")


@dataclass
class Connection:
    """What a task sees of a channel: what is written is kept, a head together with what follows it."""

    application: Any
    full: bool = False
    sent: list[bytes] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    head: bytes = b""
    is_streaming: bool = False
    is_polite: bool = False
    ways_given: int = 0
    addr: tuple[str, int] = ("127.0.0.1", 1)

    def __post_init__(self) -> None:
        routes = {"/rpc": ("POST", "GET", "HEAD")}
        self.adj = Rulebook()
        self.adj.limits = Limits()
        self.adj.gate = Gate(
            self.application, port=80, routes=routes, on_refusal=lambda refusal, _: self.refusals.append(refusal)
        )
        self.server = SimpleNamespace(
            adj=self.adj, application=self.adj.gate, effective_port=80, server_name="localhost"
        )

    def on_gone(self, call: Any) -> None: ...

    def check_client_disconnected(self) -> bool:
        return False

    def are_streams_full(self) -> bool:
        return self.full

    def give_way(self) -> None:
        self.ways_given += 1

    def write_soon(self, data: bytes) -> int:
        self.sent.append(self.head + data)
        self.head = b""
        return len(data)

    def ask(self, method: str = "GET", version: str = "1.1", more: str = "", *, path: str = "/rpc") -> Task:
        kind = "Content-Type: application/json\r\n"
        parser = Parser(self.adj)
        parser.received(f"{method} {path} HTTP/{version}\r\nHost: localhost\r\n{kind}{more}\r\n".encode())
        made = (ErrorTask if parser.error else Task)(self, parser)  # type: ignore[arg-type]
        made.service()
        return made  # type: ignore[return-value]

    def answer(self) -> tuple[str, dict[str, str], bytes]:
        head, _, body = b"".join(self.sent).partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return first, dict(line.split(": ", 1) for line in lines), body


def saying(*parts: bytes, status: str = "200 OK", headers: Any = None, seen: Any = None) -> Any:
    def application(environ: dict[str, Any], start_response: Any) -> Any:
        if seen is not None:
            seen.append(environ)
        length = ("Content-Length", str(sum(map(len, parts))))
        start_response(status, [JSON, length] if headers is None else headers)
        return iter(parts) if headers == [] else list(parts)

    return application


def test_head_and_body_travel_together() -> None:
    connection = Connection(saying(b"{}"))
    connection.ask()
    assert len(connection.sent) == 1
    first, headers, body = connection.answer()
    assert (first, body) == ("HTTP/1.1 200 OK", b"{}")
    assert API_HEADERS.items() | {JSON, ("Content-Length", "2")} <= headers.items()
    assert parsedate_to_datetime(headers["Date"]).tzinfo is not None


@pytest.mark.parametrize(
    ("version", "more", "expected"),
    [
        ("1.0", "", "close"),
        ("1.1", "Connection: close\r\n", "close"),
        ("1.0", "Connection: Keep-Alive\r\n", "Keep-Alive"),
    ],
)
def test_a_client_that_speaks_of_the_connection_is_answered(version: str, more: str, expected: str) -> None:
    connection = Connection(saying(b"{}"))
    connection.ask(version=version, more=more)
    assert connection.answer()[1]["Connection"] == expected


@pytest.mark.parametrize("own", [("Date", "Tue, 15 Nov 1994 08:12:31 GMT"), ("Server", "another")])
def test_what_the_application_says_of_date_and_server_stands(own: tuple[str, str]) -> None:
    connection = Connection(saying(b"{}", headers=[JSON, ("Content-Length", "2"), own]))
    connection.ask()
    assert own in connection.answer()[1].items()


def test_a_length_that_the_application_does_not_tell_is_counted() -> None:
    connection = Connection(saying(b"{}", headers=[JSON]))
    connection.ask()
    assert connection.answer()[1]["Content-Length"] == "2"
    assert not connection.is_streaming


def test_an_answer_without_a_body_has_no_length() -> None:
    connection = Connection(saying(status="204 No Content", headers=[]))
    connection.ask(method="POST")
    assert "Content-Length" not in connection.answer()[1]
    assert connection.answer()[2] == b""


def test_an_empty_body_is_an_answer() -> None:
    connection = Connection(saying(b""))
    connection.ask()
    assert connection.answer()[1]["Content-Length"] == "0"


def test_where_a_stream_begins_the_thread_gives_way() -> None:
    connection = Connection(saying(b"one", b"two", headers=[]))
    connection.ask()
    assert (connection.is_streaming, connection.ways_given) == (True, 1)
    _, headers, body = connection.answer()
    assert headers["Transfer-Encoding"] == "chunked"
    assert body == b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"


@pytest.mark.parametrize(("method", "status"), [("GET", 429), ("POST", 200)])
def test_only_those_who_merely_listen_meet_the_limit_to_streams(method: str, status: int) -> None:
    closed = []

    def application(_: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        try:
            yield b"one"
        finally:
            closed.append(True)

    connection = Connection(application, full=True)
    connection.ask(method)
    first, headers, body = connection.answer()
    assert int(first.split()[1]) == status
    assert closed
    if status == 429:
        assert headers["Retry-After"] == "1"
        assert "Too many streams" in json.loads(body)["error"]["message"]
        assert [refusal.status for refusal in connection.refusals] == [429]
        assert not connection.is_streaming


def test_the_application_can_ask_when_its_client_leaves_and_sees_that_the_gate_has_looked() -> None:
    seen: list[dict[str, Any]] = []
    connection = Connection(saying(b"{}", seen=seen))
    task = connection.ask()
    assert seen[0]["playground.on_gone"] == connection.on_gone
    assert seen[0][PASSED] is connection.adj.gate.rules
    assert task.get_environment() is seen[0]


@pytest.mark.parametrize(("method", "has_body"), [("GET", True), ("HEAD", False)])
def test_a_refusal_is_the_gates_and_closes_politely(method: str, has_body: bool) -> None:
    connection = Connection(saying(b"{}"))
    task = connection.ask(method, path="/nowhere")
    first, headers, body = connection.answer()
    assert (first, headers["Connection"]) == ("HTTP/1.1 404 Not Found", "close")
    assert API_HEADERS.items() <= headers.items()
    assert bool(body) == has_body
    assert connection.is_polite
    assert task.close_on_finish
    assert [refusal.status for refusal in connection.refusals] == [404]


def test_a_request_without_a_path_is_refused_as_the_server_speaks() -> None:
    connection = Connection(saying(b"{}"))
    request = Parser(connection.adj)
    request.error = BadRequest("no path")
    request.completed = True
    ErrorTask(connection, request).service()  # type: ignore[arg-type]
    first, _, body = connection.answer()
    assert first == "HTTP/1.0 400 Bad Request"
    assert json.loads(body)["jsonrpc"] == "2.0"
