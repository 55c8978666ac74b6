"""HTTP+SSE, the transport of 2024: the stream, the address it names, and servers that do it wrong."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core.messages import Message, Notification, Request, Result
from playground.logbook import Logbook
from playground.wire import old_sse
from playground.wire.old_sse import OldSse
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotMCP, NotReachable, TimedOut, TravelError
from tests.impostors import STREAM, Impostor, Seen, event, http


class OldServer:
    """One that answers on its stream; `first` is what that begins with."""

    def __init__(self, first: bytes = b"event: endpoint\ndata: /messages?sid=1\n\n") -> None:
        self.first = first
        self.outgoing: queue.Queue[bytes | None] = queue.Queue()
        self.status = "202 Accepted"
        self.impostor = Impostor(self.answer)

    def answer(self, seen: Seen) -> bytes | Iterable[bytes]:
        if seen.method == "GET":
            return self.stream()
        if "id" in seen.message and self.status.startswith("202"):
            self.outgoing.put(event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {"to": seen.path}}))
        return http(self.status, kind="")

    def stream(self) -> Iterator[bytes]:
        yield STREAM + self.first
        while (piece := self.outgoing.get()) is not None:
            yield piece


@pytest.fixture
def old() -> Iterator[OldServer]:
    server = OldServer()
    with server.impostor:
        yield server
        server.outgoing.put(None)


def transport(url: str, logs: Path, **headers: str) -> OldSse:
    return OldSse(url, Recorder(Logbook(logs, "mcp-client-chat"), via="http", server="old"), headers=headers)


def soon(seconds: float = 10) -> Deadline:
    return Deadline(seconds, seconds)


def test_answers_come_on_the_stream_and_messages_go_where_it_says(old: OldServer, logs: Path) -> None:
    news: queue.Queue[Message] = queue.Queue()
    way = transport(old.impostor.url, logs, Authorization="Bearer secret")
    way.open(news.put)
    way.open(news.put)  # it is open already
    way.greeted("2024-11-05")
    assert list(way.send(Request(1, "tools/list"), soon())) == [Result(1, {"to": "/messages?sid=1"})]
    assert list(way.send(Notification("notifications/initialized"), soon())) == []
    old.outgoing.put(b"data: {}\n\ndata:\n\n: a comment\n\nevent: other\ndata: x\n\n")
    old.outgoing.put(b"event: endpoint\ndata: http://attacker.example/\n\n")  # too late to count
    old.outgoing.put(event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
    assert news.get(timeout=10) == Notification("notifications/tools/list_changed")
    assert list(way.send(Request(2, "tools/list"), soon())) == [Result(2, {"to": "/messages?sid=1"})]
    way.close()
    assert not way.is_open
    assert [seen.method for seen in old.impostor.seen] == ["GET", "POST", "POST", "POST"]
    assert all(seen.headers["authorization"] == "Bearer secret" for seen in old.impostor.seen)
    log = (logs / "mcp-client-chat.jsonl").read_text("utf-8")
    assert "secret" not in log
    assert "client_warning" in log, "an event that is no message"


@pytest.mark.parametrize("target", ["http://attacker.example/messages", "//127.0.0.1:1/m", "http://127.0.0.1:xx/"])
def test_an_address_on_another_server_is_refused(logs: Path, target: str) -> None:
    server = OldServer(f"event: endpoint\ndata: {target}\n\n".encode())
    with server.impostor:
        way = transport(server.impostor.url, logs)
        with pytest.raises(NotMCP, match="did not name an address of its own"):
            way.open(print)
        server.outgoing.put(None)
    assert [seen.method for seen in server.impostor.seen] == ["GET"]


def test_a_stream_that_says_no_address_is_not_waited_for(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_sse, "CONNECT", 0.2)
    server = OldServer(b": nothing\n\n")
    with server.impostor:
        with pytest.raises(TimedOut, match="did not say where"):
            transport(server.impostor.url, logs).open(print)
        server.outgoing.put(None)


def test_what_is_no_event_stream_is_no_such_server(logs: Path) -> None:
    with (
        Impostor(lambda seen: http("404 Not Found", b"<html>", "text/html")) as server,
        pytest.raises(NotMCP, match="HTTP 404"),
    ):
        transport(server.url, logs).open(print)


def test_nobody_there_is_not_reachable(logs: Path, free_port: int) -> None:
    with pytest.raises(NotReachable):
        transport(f"http://127.0.0.1:{free_port}/sse", logs).open(print)


def test_a_refused_message_is_said_to_be(old: OldServer, logs: Path) -> None:
    way = transport(old.impostor.url, logs)
    with pytest.raises(TravelError, match="is not open"):
        list(way.send(Request(1, "tools/list"), soon()))
    way.open(print)
    old.status = "500 Oops"
    with pytest.raises(NotMCP, match="refused tools/list with HTTP 500"):
        list(way.send(Request(1, "tools/list"), soon()))
    way.close()
    way.close()


def test_a_stream_that_ends_is_told_to_who_waits_and_can_be_opened_again(old: OldServer, logs: Path) -> None:
    way = transport(old.impostor.url, logs)
    way.open(print)
    old.outgoing.put(None)
    old.status = "200 OK"  # so that no answer comes
    with pytest.raises(TravelError, match="ended before it answered"):
        list(way.send(Request(1, "tools/call"), soon()))
    assert not way.is_open
    old.status = "202 Accepted"
    way.open(print)
    assert len(list(way.send(Request(2, "tools/list"), soon()))) == 1
    way.close()


def test_a_stream_that_breaks_off_is_a_warning(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"]
    broken.append(b"event: endpoint\ndata: /m\n\n")
    with Impostor(lambda seen: broken) as server:
        way = transport(server.url, logs)
        way.open(print)
        with pytest.raises(TravelError):
            list(way.send(Request(1, "tools/call"), soon()))
        way.close()
    lines = (logs / "mcp-client-chat.jsonl").read_text("utf-8").splitlines()
    reasons: list[Any] = [json.loads(line)["data"].get("reason", "") for line in lines]
    assert any("broke off" in reason for reason in reasons)
