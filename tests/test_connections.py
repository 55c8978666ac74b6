"""Connections over real sockets: deadlines, half-closed clients, readers that leave, and errors as JSON."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from playground.connections import Channel
from playground.gate import API_HEADERS, Gate, Refusal
from playground.http_parser import Limits, Parser, Rulebook
from playground.serve import Server, listen

PATIENCE = 10.0
QUICK = Limits(threads=8, streams=2, header_time=0.3, body_time=0.6, idle_time=2.0, write_time=0.9)


@dataclass
class Application:
    """What the tests talk to: it counts bytes, streams until told to stop, fails, and sends much."""

    open: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)
    finish: threading.Event = field(default_factory=threading.Event)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if path in ("/stream", "/slow-stream"):
            start_response("200 OK", [("Content-Type", "text/event-stream")])
            return self.stream(environ["playground.on_gone"], wait_first=path == "/slow-stream")
        if path == "/crash":
            raise RuntimeError("boom")
        if path == "/much":
            start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(2**26))])
            return self.counted(b"x" * 2**16 for _ in range(2**10))
        body = json.dumps({"bytes": len(environ["wsgi.input"].read())}).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        self.count(1)
        try:
            yield from pieces
        finally:
            self.count(-1)

    def stream(self, on_gone: Callable[[Callable[[], None]], None], *, wait_first: bool) -> Iterator[bytes]:
        gone = threading.Event()
        on_gone(gone.set)

        def beats() -> Iterator[bytes]:
            if wait_first:
                self.finish.wait(PATIENCE)
            yield b": hello\n\n"
            while not gone.wait(0.1 if wait_first else 3 * PATIENCE) and not (self.finish.is_set() and not wait_first):
                yield b": beat\n\n"

        return self.counted(beats())

    def count(self, more: int) -> None:
        with self.changed:
            self.open += more
            self.changed.notify_all()

    def wait_for(self, number: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.open == number, PATIENCE)


@dataclass
class Running:
    application: Application
    server: Server
    port: int
    refusals: list[Refusal]

    def connect(self, data: bytes = b"") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        client.sendall(data)
        return client

    def request(self, line: str, *headers: str, body: bytes = b"") -> bytes:
        head = [f"{line} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Content-Type: application/json", *headers]
        return "\r\n".join([*head, "", ""]).encode() + body

    def is_alive(self) -> bool:
        request = self.request("POST /rpc", "Content-Length: 2", "Connection: close", body=b"{}")
        return received(self.connect(request))[2] == b'{"bytes": 2}'


@pytest.fixture
def running() -> Iterator[Running]:
    application, listener, refusals = Application(), listen("127.0.0.1", 0), list[Refusal]()
    routes = {"/rpc": ("POST",)} | dict.fromkeys(("/stream", "/slow-stream", "/crash", "/much"), ("GET",))
    gate = Gate(
        application,
        port=listener.port,
        routes=routes,
        max_body=1000,
        on_refusal=lambda refusal, _: refusals.append(refusal),
    )
    server = Server(gate, listener, QUICK)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield Running(application, server, listener.port, refusals)
    application.finish.set()
    server.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def received(client: socket.socket) -> tuple[str, dict[str, str], bytes]:
    """Read until the server closes: status line, headers, body."""
    data = b""
    while piece := client.recv(65536):
        data += piece
    client.close()
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    return lines[0], dict(line.split(": ", 1) for line in lines[1:]), body


def assert_is_our_error(answer: tuple[str, dict[str, str], bytes], status: int) -> None:
    line, headers, body = answer
    assert line.split()[1] == str(status)
    assert API_HEADERS.items() <= headers.items()
    assert headers["Content-Type"] == "application/json"
    assert "Server" not in headers
    value = json.loads(body)
    assert value["jsonrpc"] == "2.0"
    assert value["id"] is None
    assert value["error"]["message"]


def test_a_request_is_answered_and_the_connection_kept(running: Running) -> None:
    client = http.client.HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    for _ in range(3):
        client.request("POST", "/rpc", b"{}", {"Content-Type": "application/json"})
        assert client.getresponse().read() == b'{"bytes": 2}'
    client.close()


@pytest.mark.parametrize(
    ("data", "status"),
    [(b"garbage\r\n\r\n", 400), (b"GET /" + b"x" * 70_000, 431)],
)
def test_what_is_no_request_is_answered_in_json(running: Running, data: bytes, status: int) -> None:
    line, headers, body = received(running.connect(data))
    assert line.split()[1] == str(status)
    assert API_HEADERS.items() <= headers.items()
    assert json.loads(body)
    assert running.refusals[0].status == status
    assert running.is_alive()


@pytest.mark.parametrize(
    "headers", [["Content-Length: 104857600"], ["Content-Length: 104857600", "Expect: 100-continue"]]
)
def test_a_body_too_large_is_refused_at_once_and_the_answer_arrives(running: Running, headers: list[str]) -> None:
    client = running.connect(running.request("POST /rpc", *headers))
    if len(headers) == 1:
        client.sendall(b"x" * 5_000_000)  # the answer is there already, and must survive this
    assert_is_our_error(received(client), 413)
    assert running.is_alive()


def test_a_refused_client_that_never_stops_is_closed_on(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.connections._LINGER", 0.3)
    client = running.connect(running.request("POST /rpc", "Content-Length: 104857600"))
    deadline = time.monotonic() + PATIENCE
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        _keep_sending(client, deadline)
    client.close()


def _keep_sending(client: socket.socket, deadline: float) -> None:
    while time.monotonic() < deadline:
        client.sendall(b"x" * 1000)


def test_what_follows_a_refused_request_is_not_run(running: Running) -> None:
    smuggled = running.request("POST /rpc", "Content-Length: 2", body=b"{}")
    client = running.connect(running.request("POST /rpc", "Content-Length: 5000", body=smuggled))
    client.sendall(smuggled)
    _, _, body = received(client)
    assert b'{"bytes"' not in body


def test_a_foreign_host_is_refused_before_its_body_arrives(running: Running) -> None:
    head = b"POST /rpc HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    assert_is_our_error(received(running.connect(head)), 403)


def test_a_refused_head_request_gets_no_body(running: Running) -> None:
    line, headers, body = received(running.connect(running.request("HEAD /rpc")))
    assert (line.split()[1], body) == ("405", b"")
    assert headers["Allow"] == "POST"


def test_a_failing_application_is_a_500_in_json_without_details(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    answer = received(running.connect(running.request("GET /crash", "Connection: close")))
    assert_is_our_error(answer, 500)
    assert json.loads(answer[2])["error"]["code"] == -32603
    assert b"boom" not in answer[2]
    assert "boom" in caplog.text


def test_a_client_that_asks_before_it_sends_is_told_to_go_on(running: Running) -> None:
    client = running.connect(
        running.request("POST /rpc", "Content-Length: 2", "Expect: 100-continue", "Connection: close")
    )
    assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.sendall(b"{}")
    assert received(client)[2] == b'{"bytes": 2}'


def test_a_client_that_is_done_talking_still_gets_its_answer(running: Running) -> None:
    client = running.connect(running.request("POST /rpc", "Content-Length: 2", body=b"{}"))
    client.shutdown(socket.SHUT_WR)
    assert received(client)[2] == b'{"bytes": 2}'


# ---- Deadlines -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [b"", b"GET /str", b"\r\n\r\n"])
def test_headers_that_never_end_are_timed_out(running: Running, part: bytes) -> None:
    answer = received(running.connect(part))
    if part.strip():
        assert_is_our_error(answer, 408)
    else:
        assert answer == ("", {}, b"")  # a connection kept in reserve is closed without a word


def test_a_body_that_trickles_in_is_timed_out_though_it_is_never_idle(running: Running) -> None:
    client = running.connect(running.request("POST /rpc", "Content-Length: 900"))
    client.settimeout(0.05)
    answer = b""
    deadline = time.monotonic() + PATIENCE
    while not answer and time.monotonic() < deadline:
        client.sendall(b"x")
        try:
            answer = client.recv(1000)
        except TimeoutError:
            continue
    client.close()
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_second_request_behind_the_first_has_its_own_deadline(running: Running) -> None:
    first = running.request("POST /rpc", "Content-Length: 2", body=b"{}")
    client = running.connect(first + running.request("POST /rpc", "Content-Length: 2", body=b"{"))
    _, _, rest = received(client)
    assert rest.startswith(b'{"bytes": 2}HTTP/1.1 408 ')


def test_a_reader_that_takes_nothing_is_closed_on_and_its_generator_too(running: Running) -> None:
    client = running.connect(running.request("GET /much"))
    running.application.wait_for(1)
    running.application.wait_for(0)
    client.close()
    assert running.is_alive()


def test_who_comes_as_another_is_closed_on_does_not_pay_for_it() -> None:
    listener = listen("127.0.0.1", 0)
    gate = Gate(Application(), port=listener.port, routes={"/rpc": ("POST",)}, max_body=1000)
    server = Server(gate, listener, Limits(threads=1, idle_time=0))
    running = Running(Application(), server, listener.port, [])
    idle = running.connect()
    server._turn(PATIENCE)  # takes it in
    server._turn(0)  # waits for its request
    comes = running.connect(running.request("POST /rpc", "Content-Length: 2", body=b"{}"))
    server._inspect()
    assert not server.active_channels
    server._turn(PATIENCE)
    assert server.active_channels  # the newcomer, under the very number of the one that went
    thread = threading.Thread(target=server.run)
    thread.start()
    assert comes.recv(1000).startswith(b"HTTP/1.1 200 ")
    server.stop()
    thread.join(PATIENCE)
    for client in (idle, comes):
        client.close()


# ---- Streams -------------------------------------------------------------------------------------------------


def test_a_stream_arrives_at_once(running: Running) -> None:
    client = running.connect(running.request("GET /stream"))
    data = b""
    while b": hello" not in data:
        data += client.recv(1000)
    assert b"text/event-stream" in data
    assert b"Content-Length" not in data
    client.close()


def test_the_generator_of_a_reader_that_left_is_closed_at_once(running: Running) -> None:
    client = running.connect(running.request("GET /stream"))
    running.application.wait_for(1)
    while b": hello" not in client.recv(1000):
        pass
    client.close()
    running.application.wait_for(0)  # not with the next thing it would have said


def test_a_reader_that_left_before_the_stream_began_is_noticed_too(running: Running) -> None:
    client = running.connect(running.request("GET /slow-stream"))
    running.application.wait_for(1)
    client.close()
    running.application.finish.set()
    running.application.wait_for(0)


def test_streams_leave_threads_for_requests(running: Running) -> None:
    clients = []
    for _ in range(QUICK.streams):
        clients.append(running.connect(running.request("GET /stream")))
        while b": hello" not in clients[-1].recv(1000):
            pass
    line, headers, body = received(running.connect(running.request("GET /stream", "Connection: close")))
    assert line.split()[1] == "429"
    assert headers["Retry-After"] == "1"
    assert json.loads(body)["error"].startswith("Too many streams")
    assert running.refusals[-1].status == 429
    assert running.is_alive()
    for client in clients:
        client.close()
    running.application.wait_for(0)


def test_urgent_data_ends_a_connection_instead_of_the_loops_rest(running: Running) -> None:
    client = running.connect()
    client.send(b"!", socket.MSG_OOB)
    client.settimeout(PATIENCE)
    with contextlib.suppress(ConnectionResetError):
        assert client.recv(10) == b""
    client.close()
    assert running.is_alive()


def test_a_connection_reset_in_mid_request_is_no_trouble(running: Running) -> None:
    for data in (b"GET /", running.request("GET /much"), running.request("POST /rpc", "Content-Length: 9")):
        client = running.connect(data)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
    running.application.wait_for(0)
    assert running.is_alive()


# ---- Moments that no client can bring about at will -------------------------------------------------------------


class Socket:
    """A socket whose every operation fails in one way."""

    def __init__(self, error: OSError | None) -> None:
        self.error = error

    def recv(self, _: int) -> bytes:
        if self.error:
            raise self.error
        return b""

    def shutdown(self, _: int) -> None:
        if self.error:
            raise self.error


@pytest.fixture
def channel(monkeypatch: pytest.MonkeyPatch) -> Channel:
    """A connection without a server, which only notes that it was closed."""
    made = Channel.__new__(Channel)
    made.adj, made.requests, made.request, made._linger_until = Rulebook(), [], None, None
    made.adj.limits = Limits()
    made.total_outbufs_len, made._when_gone, made._idle_since = 0, [], time.monotonic()
    made._flush_exception, made._flush_some = (lambda _: None), None
    monkeypatch.setattr(Channel, "handle_close", lambda self: setattr(self, "is_closed", True))
    return made


def test_a_read_that_would_block_is_tried_again_later(channel: Channel) -> None:
    channel.socket = Socket(BlockingIOError())
    channel.handle_read()
    assert not channel.is_closed
    channel.socket = Socket(ConnectionResetError())
    channel.handle_read()
    assert channel.is_closed


@pytest.mark.parametrize(("sent", "closed"), [(b"POST", False), (b"", True)])
def test_a_request_that_came_while_everything_slept_is_not_closed_on(
    channel: Channel, sent: bytes, closed: bool
) -> None:
    channel.socket, client = socket.socketpair()
    with channel.socket, client:
        channel.socket.setblocking(False)
        client.sendall(sent)
        channel.inspect(time.monotonic() + 1000)
        assert channel.is_closed is closed
        if not closed:
            assert channel.socket.recv(10) == sent


@pytest.mark.parametrize(
    ("error", "closed"), [(None, False), (BlockingIOError(), False), (ConnectionResetError(), True)]
)
def test_a_half_closed_client_that_has_left_shows_it_by_a_reset(
    channel: Channel, error: OSError | None, closed: bool
) -> None:
    channel.socket, channel.is_half_closed = Socket(error), True
    channel.requests = [Parser(channel.adj)]
    channel.inspect(time.monotonic())
    assert channel.is_closed is closed


def test_a_client_that_left_before_its_refusal_is_closed_on(channel: Channel) -> None:
    channel.socket, channel.is_polite, channel.close_when_flushed = Socket(OSError()), True, True
    channel.handle_write()
    assert channel.is_closed


def test_a_refusal_that_is_not_out_yet_is_waited_for(channel: Channel) -> None:
    channel.is_polite, channel.close_when_flushed, channel.total_outbufs_len = True, True, 1
    channel.handle_write()
    assert channel.close_when_flushed
    assert not channel.is_closed


def test_news_of_a_client_that_left_long_ago_is_told_at_once(channel: Channel) -> None:
    told = []
    channel.is_closed = True
    channel.on_gone(lambda: told.append(1))
    assert told == [1]
