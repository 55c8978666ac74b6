"""One HTTP exchange against servers that are slow, silent, endless, gone; and how one lets go of it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from playground.wire import exchange
from playground.wire.dialing import dial
from playground.wire.exchange import Exchange, Line
from playground.wire.transports import Deadline, NotReachable, TimedOut, TravelError
from tests.impostors import STREAM, Impostor, Seen, http


def soon(seconds: float = 10) -> Deadline:
    return Deadline(seconds, seconds)


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line("http://127.0.0.1:9/")
    yield line
    line.close()


def drip(text: bytes, over: threading.Event) -> Iterable[bytes]:
    """One byte after the other, for ever slow."""
    for byte in text:
        yield bytes([byte])
        if over.wait(0.05):
            return


def test_a_response_has_a_head_and_pieces() -> None:
    with Impostor(lambda seen: http(body=b"hello", kind="text/plain; charset=utf-8", Allow="POST")) as server:
        line = Line(server.url, {"X-Api-Key": "k"})
        call = line.call("POST", {"Accept": "a/b"}, b"body", "a message")
        head = call.head(soon())
        assert head.kind == "text/plain"
        assert head.shown == {
            "status": 200,
            "headers": {"Content-Type": "text/plain; charset=utf-8", "Allow": "POST"},
        }
        assert call.body(soon()) == b"hello"
        call.close()
        line.close()
    (seen,) = server.seen
    assert (seen.body, seen.headers["accept"], seen.headers["x-api-key"]) == (b"body", "a/b", "k")


def test_nobody_there_is_not_reachable(free_port: int) -> None:
    line = Line(f"http://127.0.0.1:{free_port}/mcp")
    call = line.call("POST", {}, b"", "a message")
    with pytest.raises(NotReachable, match="is the server running"):
        call.head(soon())
    call.close()


@pytest.mark.parametrize("url", ["http://", "nonsense", "http://127.0.0.1:99999/", "http://[::1/", "file:///etc/x"])
def test_an_address_that_is_none_is_said_to_be_so(url: str) -> None:
    call = Line(url).call("POST", {}, b"", "a message")
    with pytest.raises(TravelError):
        call.head(soon())
    call.close()


def test_a_header_that_cannot_be_sent_is_said_to_be_so(line: Line) -> None:
    call = line.call("POST", {"X": "a\nb"}, b"", "a message")
    with pytest.raises(TravelError, match="can't be asked"):
        call.head(soon())
    call.close()


def test_a_server_that_hangs_up_said_nothing() -> None:
    with Impostor(lambda seen: b"") as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        with pytest.raises(TravelError, match="hung up before it answered tools/list"):
            call.head(soon())
        call.close()


def test_a_silent_server_costs_the_limit_and_is_left() -> None:
    over = threading.Event()

    def silent(seen: Seen) -> Iterable[bytes]:
        over.wait(20)
        yield from [b"too late"] * 10_000

    with Impostor(silent) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        with pytest.raises(TimedOut, match=r"took tools/list and did not answer in 0\.1 s"):
            call.head(soon(0.1))
        call.close()
        over.set()
        assert server.left.wait(5), "the socket was shut, which the server can see"


@pytest.mark.parametrize("answer", [STREAM, http(body=b"x" * 1000)])
def test_a_byte_at_a_time_of_the_head_or_the_body_costs_the_limit(answer: bytes) -> None:
    over = threading.Event()
    with Impostor(lambda seen: drip(answer, over)) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        began = time.monotonic()
        with pytest.raises(TimedOut):
            call.head(soon(0.4))
        assert time.monotonic() - began < 3
        call.close()
        assert server.left.wait(5)


def test_a_slow_body_costs_the_limit() -> None:
    over = threading.Event()

    def answer(seen: Seen) -> Iterable[bytes]:
        yield STREAM
        yield from drip(b": still here\n" * 1000, over)

    with Impostor(answer) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        call.head(soon())
        with pytest.raises(TimedOut, match="did not finish its answer"):
            list(call.pieces(soon(0.3)))
        call.close()
        assert server.left.wait(5)


def test_a_body_that_is_cut_off_is_said_to_be() -> None:
    with Impostor(lambda seen: [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"]) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        call.head(soon())
        with pytest.raises(TravelError, match="broke off in the middle"):
            call.body(soon())
        call.close()


def test_a_giant_body_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_BODY", 100_000)

    def endless(seen: Seen) -> Iterable[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        while True:
            yield b" " * 65536

    with Impostor(endless) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/list")
        call.head(soon())
        with pytest.raises(TravelError, match="too much"):
            call.body(soon())
        call.close()
        assert server.left.wait(5)


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with Impostor(lambda seen: http(body=b"direct")) as server:
        call = Line(server.url).call("POST", {}, b"", "a message")
        call.head(soon())
        assert call.body(soon()) == b"direct"
        call.close()


def test_a_connection_is_used_again() -> None:
    keep = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with Impostor(lambda seen: keep) as server:
        line = Line(server.url)
        for _ in range(3):
            call = line.call("POST", {}, b"", "a message")
            call.head(soon())
            assert call.body(soon()) == b"ok"
            call.close()
        line.close()
    assert len(server.seen) == 3


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    """It is looked at before each use; what was said unasked on it makes it useless too."""
    for farewell in (b"", b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"):
        answer = [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", farewell]  # an iterable: then it hangs up
        with Impostor(lambda seen, answer=answer: answer) as server:  # type: ignore[misc]
            line = Line(server.url)
            for _ in range(2):
                call = line.call("POST", {}, b"", "a message")
                call.head(soon())
                assert call.body(soon()) == b"ok"
                call.close()
                deadline = time.monotonic() + 5
                while line._idle and line._idle[0].is_idle() and time.monotonic() < deadline:
                    pass
            line.close()
        assert len(server.seen) == 2


def test_a_connection_is_given_back_also_when_the_line_was_closed_meanwhile() -> None:
    keep = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with Impostor(lambda seen: keep) as server:
        line = Line(server.url)
        call = line.call("POST", {}, b"", "a message")
        call.head(soon())
        line._is_closed = True
        assert call.body(soon()) == b"ok"
        call.close()
        assert line._idle == []


def test_what_the_user_says_in_a_header_counts_however_its_name_is_written() -> None:
    with Impostor(lambda seen: http()) as server:
        call = Line(server.url.replace("//", "//me:secret@"), {"user-agent": "mine"}).call("POST", {}, b"", "a message")
        call.head(soon())
        call.close()
        call = Line(server.url).call("DELETE", {}, None, "the end")
        call.head(soon())
        call.close()
    first, last = server.seen
    assert first.headers["user-agent"] == "mine"
    assert first.headers["authorization"] == "Basic bWU6c2VjcmV0"
    assert "content-length" not in last.headers


def test_what_is_said_before_hanging_up_is_heard() -> None:
    """A server need not read all of a request that it refuses."""
    refusal = http("413 Content Too Large", b"no")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            connection.recv(100)
            connection.sendall(refusal)
            connection.shutdown(socket.SHUT_WR)
            has_answer.wait(10)
            connection.close()

        has_answer = threading.Event()
        threading.Thread(target=refuse, daemon=True).start()
        call = Line(f"http://127.0.0.1:{server.getsockname()[1]}/").call("POST", {}, b"x" * 1000, "a message")
        assert call.head(soon()).status == 413
        has_answer.set()
        call.close()


def test_who_speaks_no_tls_is_not_trusted() -> None:
    with Impostor(lambda seen: b"") as server:
        call = Line(server.url.replace("http:", "https:")).call("POST", {}, b"", "a message")
        with pytest.raises(TravelError, match="write http:// instead of https://"):
            call.head(soon())
        call.close()


def test_who_speaks_tls_and_was_asked_without_is_told_apart() -> None:
    with Impostor(lambda seen: b"\x15\x03\x01\x00\x02\x02F") as server:
        call = Line(server.url).call("POST", {}, b"", "a message")
        with pytest.raises(TravelError, match="write https:// instead of http://"):
            call.head(soon())
        call.close()


def test_closing_the_line_wakes_who_waits() -> None:
    over = threading.Event()

    def answer(seen: Seen) -> Iterable[bytes]:
        yield STREAM
        over.wait(20)

    with Impostor(answer) as server:
        line = Line(server.url)
        call = line.call("GET", {}, None, "a stream")
        call.head(soon())
        threading.Timer(0.1, line.close).start()
        began = time.monotonic()
        with contextlib.suppress(TravelError):  # the end, or a break: as the platform has it
            list(call.pieces(soon(15)))
        assert time.monotonic() - began < 10
        call.close()
        over.set()


def test_an_exchange_that_is_given_up_before_it_is_connected_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Impostor(lambda seen: http()) as server:
        call = Line(server.url).call("POST", {}, b"", "tools/call")

        def dial_and_give_up(*args: Any) -> Any:
            wire = dial(*args)
            call.hang_up()  # as another thread may
            return wire

        monkeypatch.setattr("playground.wire.exchange.dial", dial_and_give_up)
        with pytest.raises(TravelError, match="did not answer tools/call"):
            call.head(soon())
        call.close()
        assert server.seen == []


def test_who_asks_a_closed_exchange_is_told() -> None:
    with Impostor(lambda seen: http()) as server:
        call = Line(server.url).call("POST", {}, b"", "a message")
        call.close()
        with pytest.raises(TravelError, match="did not answer"):
            call.head(soon())


def test_exchanges_that_are_over_are_forgotten() -> None:
    with Impostor(lambda seen: http()) as server:
        line = Line(server.url)
        call: Exchange = line.call("POST", {}, b"", "a message")
        call.head(soon())
        call.close()
        assert line._open == set()
