"""playground/viewer/relay.py: anything to one server on this machine, everything back, and nothing anywhere else."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from playground.logbook import Logbook
from playground.viewer import relay
from playground.viewer.relay import BadOrder, Relay, is_loopback, order
from tests.impostors import Impostor, Seen

Json = dict[str, Any]
JSON = {"Content-Type": "application/json"}


def response(body: bytes, kind: str = "application/json", status: str = "200 OK", *extra: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *extra]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def stream(*events: str) -> bytes:
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body


@pytest.fixture
def way(logs: Path) -> Iterator[Callable[[Any], tuple[Relay, Impostor]]]:
    opened: list[Impostor] = []

    def to(answer: Any) -> tuple[Relay, Impostor]:
        server = Impostor(answer if callable(answer) else lambda seen: answer)
        opened.append(server)
        return Relay(server.url, lambda: Logbook(logs, "mcp-viewer")), server

    yield to
    for server in opened:
        server.__exit__()


def logged(logs: Path) -> list[Json]:
    path = logs / "mcp-viewer.jsonl"
    return [json.loads(line) for line in path.read_text("ascii").splitlines()] if path.exists() else []


def test_bytes_go_out_as_they_stand_and_come_back_as_they_came(way: Any, logs: Path) -> None:
    there, server = way(response(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}', status="400 Bad"))
    body = '{"jsonrpc": "2.0" ,"id":1,"method":"x"'
    told = list(there.send(order({"path": "/mcp?a=1", "headers": {**JSON, "X-Own": "1"}, "body": body})))
    assert server.seen[0].body == body.encode()
    assert (server.seen[0].path, server.seen[0].headers["x-own"]) == ("/mcp?a=1", "1")
    assert [one["kind"] for one in told] == ["head", "frame", "end"]
    assert (told[0]["status"], told[0]["title"]) == (400, "400 Bad")
    assert json.loads(told[1]["text"])["error"]["code"] == -32600
    sent, got = logged(logs)
    assert (sent["component"], sent["event"], sent["dir"], sent["data"]["raw"]) == (
        "mcp-viewer",
        "client_request",
        "out",
        body,
    )
    assert (got["event"], got["dir"], got["data"]["http"]["status"]) == ("client_response", "in", 400)
    assert sent["exchange"] == got["exchange"]


def test_each_event_of_a_stream_is_told_when_it_comes(way: Any, logs: Path) -> None:
    gate = threading.Event()

    def slowly(seen: Seen) -> Iterable[bytes]:
        yield stream('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}')
        gate.wait(10)
        yield b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'

    there, _ = way(slowly)
    told = there.send(
        order({"path": "/mcp", "headers": JSON, "body": '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'})
    )
    assert next(told)["kind"] == "head"
    assert "progress" in next(told)["text"]
    gate.set()
    assert "result" in next(told)["text"]
    assert next(told)["kind"] == "end"
    assert [record["event"] for record in logged(logs)] == ["client_request", "server_notification", "client_response"]


def test_a_notification_and_an_answer_are_logged_as_what_they_are(way: Any, logs: Path) -> None:
    there, _ = way(response(b"", status="202 Accepted"))
    for body in ('{"jsonrpc":"2.0","method":"x"}', '{"jsonrpc":"2.0","id":1,"result":{}}'):
        assert [one["kind"] for one in there.send(order({"path": "/mcp", "headers": JSON, "body": body}))] == [
            "head",
            "end",
        ]
    list(there.send(order({"method": "DELETE", "path": "/mcp"})))
    list(there.send(order({"method": "GET", "path": "/mcp"})))
    events = [record["event"] for record in logged(logs)]
    assert events[:4] == ["client_notification", "client_accepted", "client_answer", "client_accepted"]
    assert "client_session_end" in events
    assert "client_listen" in events


def test_a_stream_without_end_is_left_at_the_limit(way: Any) -> None:
    there: Relay
    server: Impostor
    there, server = way(lambda seen: chain([stream('{"jsonrpc":"2.0","method":"x"}')], _wait(server)))
    told = list(there.send(order({"method": "GET", "path": "/mcp", "limit": 1.5})))
    assert [one["kind"] for one in told] == ["head", "frame", "end"]
    assert "1.5 s" in told[-1]["text"]
    assert server.left.wait(10)


def _wait(server: Impostor) -> Iterator[bytes]:
    while not server.is_over.wait(0.02):
        yield b": still here\n\n"


def test_who_stops_reading_leaves_the_server(way: Any) -> None:
    there: Relay
    server: Impostor
    there, server = way(lambda seen: chain([stream('{"a":1}')], _wait(server)))
    told = there.send(order({"method": "GET", "path": "/mcp"}))
    assert next(told)["kind"] == "head"
    told.close()
    assert server.left.wait(10)
    assert next(there.send(order({"method": "GET", "path": "/mcp", "limit": 0.1})))["kind"] == "head"


def test_a_flood_is_cut(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "MOST_FRAMES", 5)
    there, _ = way(stream(*['{"jsonrpc":"2.0","method":"x"}'] * 50))
    told = list(there.send(order({"path": "/mcp", "headers": JSON, "body": "{}"})))
    assert told[-1]["kind"] == "trouble"
    assert len(told) < 10


def test_what_is_no_text_is_told_in_base64_too(way: Any) -> None:
    there, _ = way(response(b"\xff\xfe", "application/octet-stream"))
    told = list(there.send(order({"path": "/mcp", "body_base64": base64.b64encode(b"\xff\x00").decode()})))
    assert base64.b64decode(told[1]["base64"]) == b"\xff\xfe"


def test_no_redirection_is_followed(way: Any) -> None:
    with Impostor(lambda seen: response(b"{}")) as other:
        there, _ = way(response(b"", "text/plain", "307 Elsewhere", f"Location: {other.url}"))
        told = list(there.send(order({"path": "/mcp", "headers": JSON, "body": "{}"})))
        assert (told[0]["status"], other.seen) == (307, [])


def test_nobody_there_is_one_sentence(logs: Path, free_port: int) -> None:
    there = Relay(f"http://127.0.0.1:{free_port}/mcp", lambda: Logbook(logs, "mcp-viewer"))
    (told,) = there.send(order({"path": "/mcp", "headers": JSON, "body": "{}"}))
    assert told["kind"] == "trouble"
    assert "start the server" in told["text"]
    assert "--server" in told["text"]
    assert logged(logs)[-1]["level"] == "WARNING"


def test_only_so_many_are_under_way_at_once(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "AT_ONCE", 1)
    there: Relay
    server: Impostor
    there, server = way(lambda seen: chain([stream('{"a":1}')], _wait(server)))
    first = there.send(order({"method": "GET", "path": "/mcp"}))
    next(first)
    (refused,) = there.send(order({"method": "GET", "path": "/mcp"}))
    assert refused["kind"] == "trouble"
    first.close()


def test_nothing_is_written_before_anything_is_sent(way: Any, logs: Path) -> None:
    there, _ = way(response(b"{}"))
    assert there.path == "/mcp"
    assert not (logs / "mcp-viewer.jsonl").exists()


@pytest.mark.parametrize(
    "value",
    [
        5,
        {},
        {"path": 5},
        {"path": ""},
        {"path": "mcp"},
        {"path": "http://evil.example/"},
        {"path": "/a b"},
        {"path": "/\r\n"},
        {"path": "/ä"},
        {"path": "/mcp", "method": "TRACE"},
        {"path": "/mcp", "method": ["GET"]},
        {"path": "/mcp", "headers": []},
        {"path": "/mcp", "headers": {"A": 5}},
        {"path": "/mcp", "headers": {"A\r\nB": "x"}},
        {"path": "/mcp", "headers": {"A": "x\r\nB: y"}},
        {"path": "/mcp", "headers": {"A": "€"}},
        {"path": "/mcp", "headers": {"content-LENGTH": "1"}},
        {"path": "/mcp", "headers": {"Transfer-Encoding": "chunked"}},
        {"path": "/mcp", "headers": {"": "x"}},
        {"path": "/mcp", "body": 5},
        {"path": "/mcp", "body": "\ud800"},
        {"path": "/mcp", "body_base64": "?"},
        {"path": "/mcp", "body_base64": 5},
        {"path": "/mcp", "limit": 0},
        {"path": "/mcp", "limit": 1e9},
        {"path": "/mcp", "limit": True},
        {"path": "/mcp", "limit": float("nan")},
    ],
)
def test_what_cannot_be_ordered_is_refused_in_a_sentence(value: Any) -> None:
    with pytest.raises(BadOrder, match=r"[.]$"):
        order(value)


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/@evil.example", "/\\evil.example", "/..//evil", "/?http://evil.example"]
)
def test_whatever_the_path_it_goes_to_the_one_server(way: Any, path: str) -> None:
    there, server = way(response(b"{}"))
    told = list(there.send(order({"path": path, "headers": JSON, "body": "{}"})))
    assert told[0].get("status") == 200, told
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:5000/mcp", "http://localhost:1/", "http://[::1]:5000/mcp", "http://127.9.9.9"]
)
def test_an_address_of_this_machine_is_taken(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "http://0.0.0.0:5000/",
        "http://127.0.0.1.evil.example/",
        "file:///etc/x",
        "http://192.168.1.1/",
        "http://127.0.0.1:x/",
        "http://127.0.0.1:0/",
        "",
        "http://[",
        "http://a:b@127.0.0.1/",
        "http://2130706433/",
    ],
)
def test_any_other_address_is_refused(url: str, logs: Path) -> None:
    assert not is_loopback(url)
    with pytest.raises(BadOrder, match="no address on this machine"):
        Relay(url, lambda: Logbook(logs, "mcp-viewer"))
