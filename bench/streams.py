"""Event streams: what 200 open ones cost the server; how soon a new line of a log reaches a browser."""

import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench import load, peers
from bench.frontail import frontail, listeners
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import Unavailable, folder, memory, our_server, our_viewer, percentile, running, some_files

LINE = b'{"ts":"2026-11-29T21:20:21.123456+00:00","level":"INFO","event":"rpc_request","data":{"n":%d}}\n'


def open_stream(url: str, path: str, until: bytes = b"data:") -> socket.socket:
    """A GET whose answer goes on; it has come as far as `until`."""
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=30)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: text/event-stream\r\n\r\n".encode())
    seen = b""
    while until not in seen:
        more = connection.recv(65536)
        if not more:
            raise Unavailable(f"{path} ended with {seen[-100:]!r}")
        seen += more
    return connection


def _with_streams(count: int, calls: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place, our_server(some_files(place / "files"), place / "logs") as (process, url):
            load.drive([load.Client(url, "2026-07-28")], calls)
            before = memory(process)
            streams = [open_stream(url, "/events") for _ in range(count)]

            def measure() -> Figures:
                clients = [load.Client(url, "2026-07-28") for _ in range(8)]
                began = time.perf_counter()
                load.drive(clients, calls)
                rate = calls / (time.perf_counter() - began)
                for client in clients:
                    client.socket.close()
                return {"calls/s": rate, "memory of the streams, MB": memory(process) - before}

            yield measure
            for stream in streams:
                stream.close()

    return contestant


class Appender:
    """Appends one line at a time and waits until its number has come out of `readers`."""

    def __init__(self, path: Path, readers: list[int]) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._readers, self._number = readers, 10_000_000 + os.fstat(self._descriptor).st_size

    def one(self) -> list[float]:
        """Seconds until each reader had the line."""
        self._number += 1
        mark, waiting, took = str(self._number).encode(), set(self._readers), []
        poll = select.poll()
        for number in waiting:
            poll.register(number, select.POLLIN)
        data = dict.fromkeys(waiting, b"")
        began = time.perf_counter()
        os.write(self._descriptor, LINE % self._number)
        while waiting:
            ready = poll.poll(10_000)
            if not ready:
                raise Unavailable("a line did not arrive within 10 s")
            for number, _ in ready:
                data[number] += os.read(number, 65536)
                if mark in data[number]:
                    took.append(time.perf_counter() - began)
                    waiting.discard(number)
                    poll.unregister(number)
        return took

    def many(self, count: int) -> list[float]:
        took = []
        for _ in range(count):
            took += self.one()
            time.sleep(0.005)  # a line by itself is what is measured, not a flood
        return took

    def close(self) -> None:
        os.close(self._descriptor)


def _figures(appender: Appender, count: int) -> Figures:
    took = appender.many(count)
    return {"p50 ms": percentile(took, 0.5) * 1000, "p99 ms": percentile(took, 0.99) * 1000}


def _viewer(readers: int, count: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place, our_viewer(place) as (_, url):
            path = place / "a.jsonl"
            path.touch()
            streams = [open_stream(url, "/stream?history=0", b"live") for _ in range(readers)]
            appender = Appender(path, [stream.fileno() for stream in streams])
            yield lambda: _figures(appender, count)
            appender.close()
            for stream in streams:
                stream.close()

    return contestant


def _tail(count: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            path = place / "a.jsonl"
            path.touch()
            with running([peers.program("tail"), "-n0", "-f", str(path)]) as (process, _):
                assert process.stdout is not None
                time.sleep(0.5)  # tail doesn't say when it has begun
                appender = Appender(path, [process.stdout.fileno()])
                yield lambda: _figures(appender, count)
                appender.close()

    return contestant


def _frontail(readers: int, count: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            path = place / "a.jsonl"
            path.touch()
            with frontail(path) as port:

                def measure() -> Figures:
                    with listeners(port, path, readers) as sockets:
                        appender = Appender(path, [each.fileno() for each in sockets])
                        figures = _figures(appender, count)
                        appender.close()
                    return figures

                yield measure

    return contestant


def _polling(count: int) -> Contestant:
    """What the idea this project grew from did: look at the file four times a second."""

    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            path = place / "a.jsonl"
            path.touch()
            out, into = os.pipe()
            is_over = threading.Event()

            def look() -> None:
                with path.open("rb") as log:
                    while not is_over.wait(0.25):
                        os.write(into, log.read() or b" ")

            threading.Thread(target=look, daemon=True).start()
            appender = Appender(path, [out])
            yield lambda: _figures(appender, max(3, count // 10))
            is_over.set()
            appender.close()

    return contestant


def groups(quick: bool) -> list[Group]:
    calls, count = (200, 10) if quick else (2000, 200)
    open_ones = {"ours with 200 streams": _with_streams(200, calls), "without streams": _with_streams(0, calls)}
    latency = {
        "ours, 1 client": _viewer(1, count),
        "ours, 50 clients": _viewer(50, max(5, count // 5)),
        "tail -f": _tail(count),
        "frontail, 1 client": _frontail(1, count),
        "frontail, 50 clients": _frontail(50, max(5, count // 5)),
        "polling every 250 ms": _polling(count),
    }
    one = "ours, 1 client"
    return [
        Group(
            "HTTP calls while 200 event streams are open",
            open_ones,
            [
                Target("calls with 200 streams open, against none", "calls/s", 0.7, ("without",), True),
                Target("memory of 200 streams, MB", "memory of the streams, MB", 20),
            ],
            "calls/s",
            "calls/s",
        ),
        Group(
            "append to event stream",
            latency,
            [
                Target("append to client, against tail -f", "p50 ms", 5, ("tail",), ours=one),
                Target("append to client, against polling", "p50 ms", 0.01, ("polling",), ours=one),
                Target("append to 50 clients, p99 in ms", "p99 ms", 25, ours="ours, 50"),
            ],
            "p50 ms",
            "ms",
        ),
    ]
