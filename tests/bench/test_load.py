"""bench/load.py: what is sent, when an answer is whole, and that a wrong one isn't counted."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from bench import load, peers
from bench.load import Client, drive
from bench.processes import running

RESULT = b'{"jsonrpc":"2.0","id":1,"result":{"content":"a line of notes"}}'
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(RESULT) + RESULT
EVENT = b"event: message\r\ndata: " + RESULT + b"\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = HEAD + b"%x\r\n" % len(EVENT) + EVENT + b"\r\n0\r\n\r\n"
REFUSED = b'HTTP/1.1 200 OK\r\nContent-Length: 32\r\n\r\n{"result":{"isError":true      }}'


@contextmanager
def server(answer: Callable[[int], list[bytes]]) -> Iterator[tuple[str, list[bytes]]]:
    """Answers the n-th request in these pieces; the address, and all that it was sent."""
    listening, seen = socket.create_server(("127.0.0.1", 0)), []

    def talk(connection: socket.socket) -> None:
        with connection:
            while request := connection.recv(65536):
                seen.append(request)
                for piece in answer(len(seen)):
                    connection.sendall(piece)

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=talk, args=[connection], daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", seen
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


@contextmanager
def client(url: str, revision: str = "2026-07-28") -> Iterator[Client]:
    one = Client(url, revision)
    try:
        yield one
    finally:
        one.socket.close()


def test_a_call_of_the_stateless_revision_needs_no_handshake() -> None:
    with server(lambda n: [PLAIN]) as (url, seen), client(url) as one:
        one.check()
        assert len(drive([one], 3)) == 3
    heads, bodies = zip(*(request.decode().split("\r\n\r\n") for request in seen), strict=True)
    assert len(seen) == 4
    assert {body["params"]["name"] for body in map(json.loads, bodies)} == {"read_file"}
    assert len({json.loads(body)["id"] for body in bodies}) == 4
    assert "\r\nMcp-Method: tools/call\r\nMcp-Name: read_file" in heads[0]
    assert f"Content-Length: {len(bodies[0])}\r\n" in heads[0]


def test_a_session_is_begun_and_named_in_each_call() -> None:
    hello = b"HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Length: 2\r\n\r\n{}"
    accepted = b"HTTP/1.1 202 Accepted\r\n\r\n"
    with server(lambda n: [{1: hello, 2: accepted}.get(n, PLAIN)]) as (url, seen), client(url, "2025-11-25") as one:
        one.check()
    methods = [json.loads(request.split(b"\r\n\r\n")[1])["method"] for request in seen]
    assert methods == ["initialize", "notifications/initialized", "tools/call"]
    assert b"Mcp-Session-Id" not in seen[0]
    assert all(b"\r\nMcp-Session-Id: abc\r\n" in request for request in seen[1:])


@pytest.mark.parametrize("whole", [PLAIN, CHUNKED, PLAIN.replace(b"Content-Length", b"content-length")])
@pytest.mark.parametrize("size", [1, 7, 60, 65536])
def test_an_answer_is_taken_whole_however_it_arrives(whole: bytes, size: int) -> None:
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    with server(lambda n: pieces) as (url, seen), client(url) as one:
        one.check()
        drive([one], 2)
        assert one.ask(b"another") == (whole.split(b"\r\n\r\n")[0].decode(), whole.split(b"\r\n\r\n", 1)[1])
    assert len(seen) == 4


def test_several_clients_share_the_calls() -> None:
    with server(lambda n: [PLAIN]) as (url, seen), client(url) as one, client(url) as other:
        took = drive([one, other], 7)
    assert len(seen) == len(took) == 7
    assert min(took) > 0


@pytest.mark.parametrize("wrong", [REFUSED, PLAIN.replace(b"200", b"404"), PLAIN.replace(b"notes", b"blank")])
def test_a_wrong_answer_is_found_before_measuring(wrong: bytes) -> None:
    with (
        server(lambda n: [wrong]) as (url, _),
        client(url) as one,
        pytest.raises(ConnectionError, match="not the answ"),
    ):
        one.check()


@pytest.mark.parametrize("wrong", [REFUSED, PLAIN.replace(b"200", b"503")])
def test_a_wrong_answer_is_found_while_measuring(wrong: bytes) -> None:
    with server(lambda n: [PLAIN if n < 3 else wrong]) as (url, _), client(url) as one:
        one.check()
        with pytest.raises(ConnectionError, match="not the answer"):
            drive([one], 5)


def test_a_server_that_closes_or_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE", 0)
    with server(lambda n: []) as (url, _), client(url) as one, pytest.raises(TimeoutError, match="no answer within"):
        drive([one], 1)
    closing = running([sys.executable, "-c", CLOSING], "http://")
    with closing as (_, line), client(line.strip()) as one, pytest.raises(ConnectionError, match="closed"):
        one.check()


CLOSING = """
import socket
listening = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
connection, _ = listening.accept()
connection.recv(65536)
connection.sendall(b"HTTP/1.1 200 OK")
connection.shutdown(socket.SHUT_RDWR)
connection.recv(65536)
"""


def test_the_ready_made_server_answers_as_a_real_one() -> None:
    program = peers.HERE / "programs" / "ready_made.py"
    with running([sys.executable, str(program)], "http://") as (_, line), client(line.strip()) as one:
        one.check()
        assert len(drive([one], 10)) == 10
        body = json.loads(one.ask(b"anything")[1])
    assert json.loads(body["result"]["content"][0]["text"]) == body["result"]["structuredContent"]
