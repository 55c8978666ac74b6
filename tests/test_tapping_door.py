"""playground/tapping/door.py: strangers stay out, and everything else is the target's to judge."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.taps import PING, PONG, Actor, Wire, answer, tapped


def polite(wire: Wire) -> None:
    while wire.until(b"\r\n\r\n"):
        wire.send(answer(PONG, b"Access-Control-Allow-Origin: *\r\n"))


@pytest.mark.parametrize(
    "lines",
    [
        b"Host: evil.example:%d\r\n",
        b"Host: 127.0.0.1:1\r\n",
        b"",
        b"Host: localhost:%d\r\nHost: localhost:%d\r\n",
        b"Host: localhost:%d\r\nOrigin: http://evil.example\r\n",
        b"Host: localhost:%d\r\nOrigin: null\r\n",
        b"Host: localhost:%d\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n",
    ],
)
def test_strangers_never_reach_the_target(logs: Path, lines: bytes) -> None:
    with Actor(polite) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(b"GET /mcp HTTP/1.1\r\n" + lines.replace(b"%d", b"%d" % tap.port) + b"\r\n")
        head, _, body = client.rest().partition(b"\r\n\r\n")
        assert target.wires == []
    status = int(head.split(b" ")[1])
    assert status in (400, 403)
    assert json.loads(body)["error"]
    (record,) = tap.records
    assert (record["event"], record["data"]["http"]["status"], record["peer"]) == ("tap_refused", status, "client")


@pytest.mark.parametrize("start", [b"GET http://127.0.0.1/ HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"OPTIONS * HTTP/1.1"])
def test_the_tap_is_no_proxy_for_other_addresses(logs: Path, start: bytes) -> None:
    with Actor(polite) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(start + b"\r\n" + tap.host + b"\r\n")
        assert b"no proxy for other addresses" in client.rest()
        assert target.wires == []


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /other HTTP/1.1\r\nContent-Type: text/plain\r\nHost: localhost:%d\r\n\r\n",
        b"DELETE /mcp HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n",
        b"BREW /pot HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nOrigin: http://localhost:6274\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: my-laptop\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost:%d\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n",
    ],
)
def test_everything_else_is_for_the_target_to_judge(logs: Path, request_: bytes) -> None:
    with Actor(polite) as target, tapped(target.url, logs, hosts=("My-Laptop",)) as tap, tap.client() as client:
        client.send(request_.replace(b"%d", b"%d" % tap.port))
        assert client.until(PONG) == answer(PONG, b"Access-Control-Allow-Origin: *\r\n")
        assert bytes(target.wires[0].got).startswith(request_.split(b"\r\n")[0])


def test_many_clients_are_served_at_once(logs: Path) -> None:
    with Actor(polite) as target, tapped(target.url, logs) as tap:
        clients = [tap.client() for _ in range(20)]
        wires = [client.__enter__() for client in clients]
        for wire in wires:
            wire.send(tap.post(PING))
        for wire, client in zip(wires, clients, strict=True):
            wire.until(PONG)
            client.__exit__(None, None, None)
        assert len({record["exchange"] for record in tap.records}) == 20


def test_a_client_that_could_not_be_let_in_keeps_nobody_else_out(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accept, tries = socket.socket.accept, iter([OSError(24, "Too many open files"), None])

    def accepts(listening: socket.socket) -> tuple[socket.socket, object]:
        if error := next(tries, None):
            raise error
        return accept(listening)

    with Actor(polite) as target:
        monkeypatch.setattr("socket.socket.accept", accepts)
        with tapped(target.url, logs) as tap, tap.client() as client:
            client.send(tap.post(PING))
            assert client.until(PONG)


def test_a_client_that_has_left_already_is_no_trouble(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise OSError(107, "Transport endpoint is not connected")

    monkeypatch.setattr("playground.tapping.door.Relay", gone)
    with Actor(polite) as target, tapped(target.url, logs) as tap, tap.client() as client:
        assert client.rest() == b""
