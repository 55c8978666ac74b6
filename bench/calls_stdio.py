"""tools/call of a file's text over a pipe: latency, 32 in flight, start to first call."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

from bench import peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import folder, percentile, running, some_files

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FILESYSTEM = "@modelcontextprotocol/server-filesystem/dist/index.js"


def _command(name: str, place: Path) -> tuple[list[str], dict[str, Any]]:
    """How a server is started, and the call that reads the file."""
    files = some_files(place / "files")
    call = {"name": "read_file", "arguments": {"filename": "notes.txt"}}
    match name:
        case "ours":
            logs = str(place / "logs")
            return [sys.executable, "server.py", "--stdio", "--files", str(files), "--logs", logs], call
        case "server-filesystem":
            arguments = {"path": str(files.resolve() / "notes.txt")}
            return peers.package("reference", FILESYSTEM, str(files)), {
                "name": "read_text_file",
                "arguments": arguments,
            }
        case "fastmcp":
            return peers.python("fastmcp", "fastmcp_server.py", str(files), "stdio"), call
        case "python-sdk":
            return peers.python("python-sdk", "python_sdk.py", str(files), "stdio"), call
    return peers.node("typescript-1", "typescript_1.mjs", str(files), "stdio"), call


class Pipe:
    """The client's end: lines that were made before."""

    def __init__(self, process: Popen[bytes], call: dict[str, Any]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._out, self._in, self._data = process.stdin, process.stdout, b""
        self.call = _line("tools/call", call, id=1)
        self.send(_line("initialize", HELLO, id=0))
        self.take()
        self.send(_line("notifications/initialized", {}))
        self.send(self.call)
        answer = self.take()
        if b"line of notes" not in answer:
            raise OSError(f"not the text of the file: {answer[:200]!r}")

    def send(self, data: bytes) -> None:
        self._out.write(data)

    def take(self, count: int = 1) -> bytes:
        """The next lines; of several, the last."""
        while self._data.count(b"\n") < count:
            more = self._in.read(65536)
            if not more:
                raise OSError("the server closed the pipe")
            self._data += more
        *lines, self._data = self._data.split(b"\n")
        self._data = b"\n".join([*lines[count:], self._data])
        return lines[count - 1]

    def one_by_one(self, calls: int) -> list[float]:
        took = []
        for _ in range(calls):
            began = time.perf_counter()
            self.send(self.call)
            self.take()
            took.append(time.perf_counter() - began)
        return took

    def in_flight(self, calls: int, window: int = 32) -> float:
        """Calls a second with so many unanswered at a time."""
        began, answered, sent = time.perf_counter(), 0, min(window, calls)
        self.send(self.call * sent)
        while answered < calls:
            self._data += self._in.read(65536)
            count = self._data.count(b"\n")
            self._data = self._data[self._data.rfind(b"\n") + 1 :] if count else self._data
            answered += count
            more = min(count, calls - sent)
            if more:
                self.send(self.call * more)
                sent += more
        return calls / (time.perf_counter() - began)


def _line(method: str, params: dict[str, Any], *, id: int | None = None) -> bytes:
    head = {"jsonrpc": "2.0"} if id is None else {"jsonrpc": "2.0", "id": id}
    return json.dumps({**head, "method": method, "params": params}).encode() + b"\n"


def _calls(name: str, calls: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            command, call = _command(name, place)
            with running(command) as (process, _):
                pipe = Pipe(process, call)

                def measure() -> Figures:
                    pipe.one_by_one(calls // 10)
                    took = pipe.one_by_one(calls)
                    rate = pipe.in_flight(calls)
                    p50, p99 = (percentile(took, share) * 1e6 for share in (0.5, 0.99))
                    return {"p50 µs": p50, "p99 µs": p99, "32 in flight, calls/s": rate}

                yield measure

    return contestant


def _starts(name: str) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        def measure() -> Figures:
            with folder() as place:
                command, call = _command(name, place)
                began = time.perf_counter()
                with running(command) as (process, _):
                    Pipe(process, call)
                    return {"start to first call, ms": (time.perf_counter() - began) * 1000}

        yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    names = ["ours", "server-filesystem", "typescript-1", "python-sdk", "fastmcp"]
    rate, first = "32 in flight, calls/s", "start to first call, ms"
    return [
        Group(
            "stdio read_file",
            {name: _calls(name, 200 if quick else 3000) for name in names},
            [
                Target("p50 over a pipe, against server-filesystem", "p50 µs", 0.9, ("server-filesystem",)),
                Target("p50 over a pipe, against the Python SDK", "p50 µs", 0.3, ("python-sdk",)),
                Target("32 in flight, against server-filesystem", rate, 1.5, ("server-filesystem",), True),
            ],
            "p50 µs",
            "µs",
        ),
        Group(
            "stdio, start to first call",
            {name: _starts(name) for name in names},
            [Target("start to first call over a pipe", first, 0.5, ("server-filesystem",))],
            first,
            "ms",
        ),
    ]
