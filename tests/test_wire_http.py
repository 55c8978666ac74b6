"""Streamable HTTP from the client's side: what is sent, and every way in which what comes back can be wrong."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core.messages import Message, Notification, Request, Result
from mcp_core.revisions import VERSION_KEY
from playground.logbook import Logbook
from playground.wire import http as module
from playground.wire.http import Http
from playground.wire.recorder import Recorder
from playground.wire.transports import (
    Busy,
    Deadline,
    NotMCP,
    NotReachable,
    SessionEnded,
    TimedOut,
    TravelError,
    Unauthorized,
)
from tests.impostors import STREAM, Answer, Impostor, Seen, error, event, http, polite, result

STATELESS = {"_meta": {VERSION_KEY: "2026-07-28"}}
LIST = Request(1, "tools/list")


def soon(seconds: float = 10) -> Deadline:
    return Deadline(seconds, seconds)


def way_to(url: str, logs: Path, **headers: str) -> Http:
    return Http(url, Recorder(Logbook(logs, "mcp-client-chat"), via="http", server="x"), headers=headers)


def ask(answer: Any, logs: Path, request: Message = LIST, patience: float = 10) -> list[Message]:
    """What comes back for a message from a server that answers so."""
    with Impostor(answer if callable(answer) else lambda seen: answer) as server:
        way = way_to(server.url, logs)
        way.open(lambda message: None)
        try:
            return list(way.send(request, soon(patience)))
        finally:
            way.close()


def logged(logs: Path) -> str:
    return (logs / "mcp-client-chat.jsonl").read_text("utf-8")


def answered(id: int = 1) -> bytes:
    return event({"jsonrpc": "2.0", "id": id, "result": {}})


# ---- What is sent ----------------------------------------------------------------------------------------------------


def test_headers_say_what_the_message_says_and_keys_stay_out_of_the_log(logs: Path) -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    call = Request(1, "tools/call", {"name": "naïve", "arguments": {"region": "eu"}, **STATELESS})
    with Impostor(lambda seen: result(seen, {})) as server:
        way = way_to(server.url, logs, Authorization="Bearer hush")
        way.open(print)
        assert list(way.send(call, soon(), schema)) == [Result(1, {})]
        way.close()
    sent = server.seen[0].headers
    assert sent["accept"] == "application/json, text/event-stream"
    assert sent["mcp-protocol-version"] == "2026-07-28"
    assert (sent["mcp-method"], sent["mcp-name"]) == ("tools/call", "=?base64?bmHDr3Zl?=")
    assert (sent["mcp-param-region"], sent["authorization"]) == ("eu", "Bearer hush")
    assert "hush" not in logged(logs)


def test_a_session_is_named_from_initialize_on_and_ended_with_delete(logs: Path) -> None:
    with Impostor(polite) as server:
        way = way_to(server.url, logs)
        way.open(print)
        assert way.is_open
        list(way.send(Request(1, "initialize", {"protocolVersion": "2025-11-25"}), soon()))
        way.greeted("2025-11-25")
        list(way.send(Notification("notifications/initialized"), soon()))
        way.close()
    assert server.methods == ["initialize", "GET", "notifications/initialized", "DELETE"]
    assert "mcp-session-id" not in server.seen[0].headers
    assert all(seen.headers["mcp-session-id"] == "s-1" for seen in server.seen[1:])
    assert all(seen.headers["mcp-protocol-version"] == "2025-11-25" for seen in server.seen[1:])
    assert "content-type" not in server.seen[1].headers


@pytest.mark.parametrize("id", ["", "with space", "naïve", "a\tb"])
def test_a_session_id_that_cannot_stand_in_a_header_is_ignored(logs: Path, id: str) -> None:
    def answer(seen: Seen) -> bytes:
        return result(seen, {}, **({"Mcp_Session_Id": id} if seen.message.get("method") == "initialize" else {}))

    with Impostor(answer) as server:
        way = way_to(server.url, logs)
        way.open(print)
        list(way.send(Request(1, "initialize", {"protocolVersion": "2025-11-25"}), soon()))
        list(way.send(Request(2, "ping"), soon()))
        way.close()
    assert "mcp-session-id" not in server.seen[1].headers


def test_the_oldest_revisions_have_no_version_header(logs: Path) -> None:
    with Impostor(polite) as server:
        way = way_to(server.url, logs)
        way.open(print)
        list(way.send(Request(1, "initialize", {"protocolVersion": "2025-03-26"}), soon()))
        way.greeted("2025-03-26")
        list(way.send(LIST, soon()))
        way.close()
    assert all("mcp-protocol-version" not in seen.headers for seen in server.seen)


def test_an_end_that_nobody_hears_is_only_a_warning(logs: Path) -> None:
    server = Impostor(lambda seen: b"" if seen.method == "DELETE" else polite(seen))
    with server:
        way = way_to(server.url, logs)
        way.open(print)
        list(way.send(Request(1, "initialize", {"protocolVersion": "2025-11-25"}), soon()))
        way.close()
    assert "hung up before it answered the end of the session" in logged(logs)


# ---- What comes back as JSON -----------------------------------------------------------------------------------------


def test_an_error_in_a_4xx_is_an_answer(logs: Path) -> None:
    (failure,) = ask(lambda seen: error(seen, -32601, status="404 Not Found"), logs)
    assert getattr(failure, "code", None) == -32601


def test_a_batch_is_as_many_messages(logs: Path) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}
    body = json.dumps([note, {"jsonrpc": "2.0", "id": 1, "result": {}}]).encode()
    assert ask(http(body=body), logs) == [Notification("notifications/message", {"data": "x"}), Result(1, {})]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (http(body=b"<html>hello", kind="text/html"), r"HTTP 200 with something that is no MCP message: '<html>hello'"),
        (http(body=b"\xff\xfe"), "no MCP message"),
        (http(body=b'{"hello": 1}'), "no MCP message"),
        (http("202 Accepted", kind=""), "HTTP 202 with nothing"),
        (http("204 No Content", kind=""), "HTTP 204 with nothing"),
        (http("404 Not Found", b"<h1>no", "text/html"), "HTTP 404"),
        (http("500 Oops", b"", "text/html"), "HTTP 500 with nothing"),
        (http("307 Moved", Location="http://127.0.0.1:9/elsewhere"), "redirects to 'http://127.0.0.1:9/elsewhere'"),
        (http("302 Found"), "redirects to 'nowhere'"),
        (http("403 Forbidden", b"no", "text/plain"), "HTTP 403"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(logs: Path, answer: bytes, sentence: str) -> None:
    with pytest.raises(NotMCP, match=sentence) as not_mcp:
        ask(answer, logs)
    assert str(not_mcp.value.status) in answer.decode("latin-1")


def test_a_redirect_is_not_followed(logs: Path) -> None:
    with Impostor(lambda seen: result(seen, {})) as elsewhere, pytest.raises(NotMCP):
        ask(http("308 Permanent Redirect", Location=elsewhere.url), logs)
    assert elsewhere.seen == []


@pytest.mark.parametrize(("status", "challenge"), [("401 Unauthorized", ""), ("403 Forbidden", "Bearer scope=x")])
def test_who_wants_authorization_is_told_apart(logs: Path, status: str, challenge: str) -> None:
    more = {"WWW_Authenticate": challenge} if challenge else {}
    with pytest.raises(Unauthorized, match="wants authorization") as unauthorized:
        ask(http(status, b'{"error": "invalid_token"}', **more), logs)
    assert unauthorized.value.challenge == challenge


@pytest.mark.parametrize(
    ("header", "pause"), [({"Retry_After": "7"}, 7.0), ({"Retry_After": "soon"}, None), ({}, None)]
)
def test_who_is_busy_may_say_for_how_long(logs: Path, header: dict[str, str], pause: float | None) -> None:
    with pytest.raises(Busy, match="HTTP 503") as busy:
        ask(http("503 Unavailable", b"<html>", "text/html", **header), logs)
    assert busy.value.pause == pause


def test_a_server_that_is_late_is_not_waited_for(logs: Path) -> None:
    over = threading.Event()

    def late(seen: Seen) -> Iterable[bytes]:
        over.wait(20)
        yield b""

    with pytest.raises(TimedOut):
        ask(late, logs, patience=0.1)
    over.set()


@pytest.mark.parametrize("status", ["202 Accepted", "204 No Content", "200 OK", "400 Bad Request"])
def test_a_notification_is_accepted_in_whatever_way(logs: Path, status: str) -> None:
    assert ask(http(status, kind=""), logs, Notification("notifications/initialized")) == []
    assert ("refused notifications/initialized with HTTP 400" in logged(logs)) == status.startswith("400")


def test_a_notification_that_is_answered_with_an_endless_stream_holds_nobody_up(logs: Path) -> None:
    over = threading.Event()

    def endless(seen: Seen) -> Iterable[bytes]:
        yield STREAM
        over.wait(20)

    assert ask(endless, logs, Notification("notifications/initialized")) == []
    over.set()


def test_a_session_that_ended_is_told_apart_from_what_is_not_found(logs: Path) -> None:
    answers: list[Any] = [polite, lambda seen: error(seen, -32600, status="404 Not Found")]
    with Impostor(
        lambda seen: answers[0](seen) if seen.message.get("method") == "initialize" else answers[1](seen)
    ) as s:
        way = way_to(s.url, logs)
        way.open(print)
        list(way.send(Request(1, "initialize", {"protocolVersion": "2025-11-25"}), soon()))
        with pytest.raises(SessionEnded):
            list(way.send(LIST, soon()))
        ended = way.is_open
        assert not ended
        way.open(print)
        assert [getattr(message, "code", 0) for message in way.send(LIST, soon())] == [-32600], "without a session"
        way.close()


# ---- Streams ---------------------------------------------------------------------------------------------------------


def test_a_stream_gives_what_belongs_to_a_request_up_to_its_answer(logs: Path) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    lines = json.dumps(note, indent=1).splitlines()
    multi = "".join(f"data:{line}\r\n" for line in lines)
    stream = STREAM + f": comment\r\nid: 1\r\ndata:\r\n\r\n{multi}\r\n".encode() + b"event: other\ndata: {}\n\n"
    stream += b"data: no json\n\n" + answered(9) + answered(1) + answered(1)
    with_id = [Notification("notifications/progress", {"progress": 1}), Result(9, {}), Result(1, {})]
    assert ask([stream], logs) == with_id
    assert "client_warning" in logged(logs)


def test_a_stream_that_ends_without_an_answer_is_no_answer(logs: Path) -> None:
    with pytest.raises(TravelError, match="ended before the answer to tools/list"):
        ask([STREAM], logs)


def test_an_event_without_end_is_too_much(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_core.sse.MAX_EVENT", 100)
    with pytest.raises(TravelError, match="longer than 100"):
        ask([STREAM + b"data: " + b"x" * 1000], logs)


class Resuming:
    """A server whose stream ends early and is continued by GET."""

    def __init__(self, first: bytes, *then: Answer) -> None:
        self.first, self.then = first, list(then)

    def __call__(self, seen: Seen) -> Answer:
        if seen.method == "DELETE":
            return http()
        return [STREAM + self.first] if seen.method == "POST" else self.then.pop(0)


def resume(server: Resuming, logs: Path, request: Request = LIST, patience: float = 10) -> tuple[Impostor, Any]:
    with Impostor(server) as impostor:
        way = way_to(impostor.url, logs)
        way.open(print)
        try:
            return impostor, list(way.send(request, soon(patience)))
        except TravelError as travel:
            return impostor, travel
        finally:
            way.close()


def test_a_stream_is_taken_up_again_where_it_broke_off(logs: Path) -> None:
    cut = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\nid: 8\nretry: 1\ndata:\n\n"
    server = Resuming(b"id: 7\nretry: 1\ndata:\n\n", [cut], [STREAM + answered()])
    impostor, got = resume(server, logs)
    assert got == [Result(1, {})]
    gets = [seen for seen in impostor.seen if seen.method == "GET"]
    assert [seen.headers["last-event-id"] for seen in gets] == ["7", "8"]
    assert gets[0].headers["accept"] == "text/event-stream"


@pytest.mark.parametrize(
    ("then", "failure"),
    [
        (http("405 Method Not Allowed"), "can't be taken up again.*HTTP 405"),
        (b"", "can't be taken up again.*hung up"),
        (http(body=b"{}"), "offers no event stream"),
    ],
)
def test_a_stream_that_cannot_be_taken_up_is_a_fate_unknown(logs: Path, then: bytes, failure: str) -> None:
    _, got = resume(Resuming(b"id: 7\nretry: 1\ndata:\n\n", then), logs)
    assert type(got) is TravelError, "not NotMCP or NotReachable, after which a call would be sent again"
    assert re.search(failure, str(got))


def test_a_server_that_went_away_in_mid_stream_is_not_taken_for_one_that_never_heard_us(logs: Path) -> None:
    with Impostor(lambda seen: [STREAM + b"id: 7\nretry: 200\ndata:\n\n"]) as impostor:
        way = way_to(impostor.url, logs)
        way.open(print)
        sending = threading.Timer(0.05, impostor._socket.close)
        sending.start()
        with pytest.raises(TravelError) as gone:
            list(way.send(LIST, soon()))
        assert not isinstance(gone.value, NotReachable)
        way.close()


def test_a_stream_is_not_taken_up_without_end(logs: Path) -> None:
    again: list[Answer] = [[STREAM + b"id: 7\nretry: 1\ndata:\n\n"]] * 9
    impostor, got = resume(Resuming(b"id: 7\nretry: 1\ndata:\n\n", *again), logs)
    assert isinstance(got, TravelError)
    assert [seen.method for seen in impostor.seen].count("GET") == module.RESUMES


def test_a_resumed_stream_keeps_the_deadline(logs: Path) -> None:
    over = threading.Event()

    def hanging() -> Iterator[bytes]:
        over.wait(20)
        yield b""

    _, got = resume(Resuming(b"id: 7\nretry: 1\ndata:\n\n", hanging()), logs, patience=0.3)
    over.set()
    assert isinstance(got, TimedOut)


@pytest.mark.parametrize(
    ("first", "request_"),
    [
        (b"id: 7\nretry: 1\ndata:\n\n", Request(1, "tools/list", STATELESS)),
        (b"id: 7\ndata:\n\nid:\ndata:\n\n", LIST),
        (b"data:\n\n", LIST),
    ],
)
def test_a_stream_without_a_place_or_of_the_stateless_era_is_not_resumable(
    logs: Path, first: bytes, request_: Request
) -> None:
    impostor, got = resume(Resuming(first), logs, request_)
    assert isinstance(got, TravelError)
    assert "GET" not in [seen.method for seen in impostor.seen]


def test_leaving_a_stream_early_hangs_up(logs: Path) -> None:
    over = threading.Event()

    def answer(seen: Seen) -> Iterable[bytes]:
        yield STREAM + event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        while not over.wait(0.02):
            yield b": still here\n\n"

    with Impostor(answer) as server:
        way = way_to(server.url, logs)
        way.open(print)
        arriving = way.send(LIST, soon())
        next(arriving)
        arriving.close()
        assert server.left.wait(5)
        over.set()
        way.close()


# ---- The server's own stream -----------------------------------------------------------------------------------------


class Listened:
    """A decent server with a stream of its own; `streams` are what GETs are answered with, one after the other."""

    def __init__(self, *streams: Answer) -> None:
        self.streams = list(streams)
        self.gets: list[Seen] = []
        self.news = threading.Condition()

    def __call__(self, seen: Seen) -> Answer:
        if seen.method != "GET":
            return polite(seen)
        with self.news:
            self.gets.append(seen)
            self.news.notify_all()
        return self.streams.pop(0) if self.streams else http("405 Method Not Allowed")

    def is_asked(self, times: int) -> bool:
        with self.news:
            return self.news.wait_for(lambda: len(self.gets) >= times, 10)


def listen(server: Listened, logs: Path, heard: Any) -> tuple[Impostor, Http]:
    impostor = Impostor(server)
    way = way_to(impostor.url, logs)
    way.open(heard)
    list(way.send(Request(1, "initialize", {"protocolVersion": "2025-11-25"}), soon()))
    way.greeted("2025-11-25")
    return impostor, way


def test_the_servers_own_stream_is_read_and_taken_up_again(logs: Path) -> None:
    change = event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    server = Listened([STREAM + b"id: 5\nretry: 1\ndata:\n\n" + change], b"", [STREAM + b"retry: 1\n\n" + change])
    heard: list[Message] = []
    impostor, way = listen(server, logs, heard.append)
    with impostor:
        assert server.is_asked(4)
        way.close()
    assert heard == [Notification("notifications/tools/list_changed")] * 2
    assert [seen.headers.get("last-event-id") for seen in server.gets[:3]] == [None, "5", "5"]


def test_closing_ends_the_reading_of_the_servers_stream(logs: Path) -> None:
    over = threading.Event()

    def open_end() -> Iterator[bytes]:
        yield STREAM
        while not over.wait(0.02):
            yield b": still here\n\n"

    impostor, way = listen(Listened(open_end()), logs, print)
    with impostor:
        way.close()
        assert impostor.left.wait(5)
        over.set()


def test_a_new_session_leaves_the_stream_of_the_old_one(logs: Path) -> None:
    over = threading.Event()

    def open_end() -> Iterator[bytes]:
        yield STREAM
        while not over.wait(0.02):
            yield b": still here\n\n"

    impostor, way = listen(Listened(open_end()), logs, print)
    with impostor:
        way.open(print)
        assert impostor.left.wait(5)
        over.set()
        way.close()


def test_a_server_that_is_gone_is_not_asked_for_its_stream_for_ever(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PAUSE", 0.01)
    server = Listened(*[b""] * 20)
    impostor, way = listen(server, logs, print)
    with impostor:
        assert server.is_asked(module.RESUMES + 1)
        way.close()
    assert len(server.gets) == module.RESUMES + 1
