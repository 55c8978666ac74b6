"""The server as a whole: where it listens, how many it serves, and how it ends."""

import http.client
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playground import serve
from playground.gate import Gate
from playground.serve import CannotListen, Limits, Listener, PortTaken, Server, listen

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 10.0
ROUTES = {"/rpc": ("POST",), "/stream": ("GET",), "/slow": ("GET",)}
begun, release = threading.Event(), threading.Event()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    if environ["PATH_INFO"] == "/rpc":
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "2")])
        return [b"{}"]
    if environ["PATH_INFO"] == "/slow":
        begun.set()
        release.wait(PATIENCE)
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "2")])
        return [b"{}"]
    gone = threading.Event()
    environ["playground.on_gone"](gone.set)
    start_response("200 OK", [("Content-Type", "text/event-stream")])

    def beats() -> Iterator[bytes]:
        yield b": hello\n\n"
        gone.wait(PATIENCE)

    return beats()


def serving(listener: Listener, limits: Limits | None = None) -> tuple[Server, threading.Thread]:
    server = Server(Gate(application, port=listener.port, routes=ROUTES), listener, limits)
    thread = threading.Thread(target=server.run)
    thread.start()
    return server, thread


def answers(port: int, host: str = "127.0.0.1") -> bool:
    client = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    client.request("POST", "/rpc", b"{}", {"Content-Type": "application/json"})
    done = client.getresponse().read() == b"{}"
    client.close()
    return done


def open_stream(port: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), PATIENCE)
    client.sendall(f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    data = b""
    while b": hello" not in data:
        data += client.recv(1000)
    return client


# ---- Where it listens ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_is_listened_on_and_port_0_becomes_a_real_one(host: str) -> None:
    listener = listen(host, 0)
    assert listener.port > 0
    assert listener.is_loopback
    assert listener.warning is None
    assert listener.url == (f"http://[::1]:{listener.port}" if host == "::1" else f"http://127.0.0.1:{listener.port}")
    server, thread = serving(listener)
    assert answers(listener.port, "::1" if host == "::1" else "127.0.0.1")
    server.stop()
    thread.join(PATIENCE)


def test_listening_wider_is_a_warning() -> None:
    listener = listen("0.0.0.0", 0)
    assert "other machines" in (listener.warning or "")
    assert listener.url == f"http://127.0.0.1:{listener.port}"
    listener.socket.close()


def test_a_taken_port_is_one_line_with_port_and_option() -> None:
    first = listen("127.0.0.1", 0)
    with pytest.raises(PortTaken) as said:
        listen("127.0.0.1", first.port, option="--viewer-port")
    first.socket.close()
    assert f"Port {first.port} on 127.0.0.1 is taken" in str(said.value)
    assert "--viewer-port" in str(said.value)
    assert "\n" not in str(said.value)


def test_a_port_that_only_an_administrator_may_take_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", forbidden)
    with pytest.raises(CannotListen, match="Port 80 is for administrators only"):
        listen("127.0.0.1", 80)


@pytest.mark.parametrize("host", ["", "192.0.2.1", "no such host", "\udcff", "x" * 300, "a\0b", "é" * 70])
def test_an_address_that_is_not_ours_is_one_line(host: str) -> None:
    with pytest.raises(CannotListen, match="is not an address of this machine") as said:
        listen(host, 0)
    assert "\n" not in str(said.value)


# ---- How many it serves ----------------------------------------------------------------------------------------


def test_200_streams_and_100_stalled_bodies_leave_room_for_requests() -> None:
    listener = listen("127.0.0.1", 0)
    server, thread = serving(listener)
    clients = [open_stream(listener.port) for _ in range(200)]
    for _ in range(100):
        client = socket.create_connection(("127.0.0.1", listener.port), PATIENCE)
        head = f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{listener.port}\r\nContent-Type: application/json\r\n"
        client.sendall(f"{head}Content-Length: 9\r\n\r\n{{".encode())
        clients.append(client)
    assert all(answers(listener.port) for _ in range(20))
    server.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    for client in clients:
        client.close()


def test_connections_in_reserve_make_room_when_all_are_taken(caplog: pytest.LogCaptureFixture) -> None:
    listener = listen("127.0.0.1", 0)
    server, thread = serving(listener, Limits(threads=4, connections=20))
    idle = [socket.create_connection(("127.0.0.1", listener.port), PATIENCE) for _ in range(60)]
    assert answers(listener.port)
    server.stop()
    thread.join(PATIENCE)
    for client in idle:
        client.close()
    assert "connection limit" in caplog.text


def test_late_clients_are_closed_between_polls_and_never_within_one() -> None:
    # A client accepted in the same turn of the loop would get the closed one's descriptor, and its fate.
    listener = listen("127.0.0.1", 0)
    server = Server(Gate(application, port=listener.port, routes=ROUTES), listener, Limits(threads=1))
    inspected = []

    class Late:
        is_streaming, requests = False, ()

        def inspect(self, _: float) -> None:
            inspected.append(1)

        def handle_close(self) -> None:
            server.active_channels.clear()

    server.active_channels[-1] = Late()
    assert server.readable()
    assert inspected == []
    server._inspect()
    server._inspect()  # not again so soon
    assert inspected == [1]
    server.stop()
    assert server.run() == 0


def test_threads_end_with_the_server() -> None:
    before = threading.active_count()
    listener = listen("127.0.0.1", 0)
    server, thread = serving(listener)
    stream = open_stream(listener.port)
    server.stop()
    thread.join(PATIENCE)
    assert threading.active_count() == before
    stream.close()
    server.stop()


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((256, 256), 64),
        ((1024, 4096), 3584),
        ((1024, 10**6), 3584),
        ((1024, resource.RLIM_INFINITY), 3584),
        ((8192, 8192), 7680),
    ],
)
def test_connections_never_take_the_last_descriptors(
    limits: tuple[int, int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    assert serve._descriptors_left() == expected


def test_unlimited_descriptors_are_plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert serve._descriptors_left() == 10**6


# ---- How it ends -----------------------------------------------------------------------------------------------

SCRIPT = """if True:
    import sys
    sys.path.insert(0, "tests")
    import test_serve as t
    listener = t.listen("127.0.0.1", 0)
    server = t.Server(t.Gate(t.application, port=listener.port, routes=t.ROUTES), listener)
    print(listener.port, flush=True)
    code = server.run()
    print("ended", flush=True)
    sys.exit(code)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_and_cleanly_with_streams_open(number: signal.Signals) -> None:
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        streams = [open_stream(port) for _ in range(20)]
        assert answers(port)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, output, errors) == (0, "ended\n", "")
        for stream in streams:
            assert stream.recv(1000) == b""
            stream.close()


@pytest.mark.parametrize("hurries", [True, False])
def test_an_answer_under_way_is_finished_if_it_hurries(hurries: bool) -> None:
    begun.clear()
    release.clear()
    listener = listen("127.0.0.1", 0)
    server, thread = serving(listener)
    client = socket.create_connection(("127.0.0.1", listener.port), PATIENCE)
    client.sendall(f"GET /slow HTTP/1.1\r\nHost: 127.0.0.1:{listener.port}\r\n\r\n".encode())
    assert begun.wait(PATIENCE)
    server.stop()
    if hurries:
        release.set()
    answer = client.recv(10_000)
    thread.join(PATIENCE)
    release.set()
    client.close()
    assert answer.startswith(b"HTTP/1.1 200 OK") if hurries else answer == b""


def test_signals_are_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    listener = listen("127.0.0.1", 0)
    server = Server(Gate(application, port=listener.port, routes=ROUTES), listener, Limits(threads=1))
    monkeypatch.setattr(server, "_turn", lambda _: signal.raise_signal(signal.SIGINT))
    assert server.run() == 0
    assert signal.getsignal(signal.SIGINT) is before


def test_a_server_stopped_before_it_runs_ends_at_once() -> None:
    listener = listen("127.0.0.1", 0)
    server = Server(Gate(application, port=listener.port, routes=ROUTES), listener, Limits(threads=1))
    server.stop()
    assert server.run() == 0
