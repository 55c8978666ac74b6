"""tools/call of a file's text over a pipe: latency, 32 in flight, start to first call.

All servers validate arguments and read the same file, except server-everything, which has no such tool: it repeats a
text of that length, which is less work. Ours alone writes its log, as shipped.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

from bench import peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import folder, memory, percentile, processor_time, running, some_files

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FILESYSTEM = "@modelcontextprotocol/server-filesystem/dist/index.js"
EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js"
NAMES = ("ours", "server-filesystem", "server-everything", "typescript-1", "typescript-2", "python-sdk", "fastmcp")
ANSWER = b'"result":'  # in each answer once, and in nothing else that a server writes
FIRST_ID = 1_000_000  # ids of seven digits: no call repeats one, and all calls are equally long


def _command(name: str, place: Path) -> tuple[list[str], dict[str, Any]]:
    """How a server is started, and the call that reads the file."""
    files = some_files(place / "files")
    call: dict[str, Any] = {"name": "read_file", "arguments": {"filename": "notes.txt"}}
    match name:
        case "ours":
            logs = str(place / "logs")
            return [sys.executable, "server.py", "--stdio", "--files", str(files), "--logs", logs], call
        case "server-filesystem":
            call = {"name": "read_text_file", "arguments": {"path": str(files.resolve() / "notes.txt")}}
            return peers.package("reference", FILESYSTEM, str(files)), call
        case "server-everything":
            call = {"name": "echo", "arguments": {"message": (files / "notes.txt").read_text()}}
            return peers.package("reference", EVERYTHING), call
        case "fastmcp" | "python-sdk":
            program = {"fastmcp": "fastmcp_server.py", "python-sdk": "python_sdk.py"}[name]
            return peers.python(name, program, str(files), "stdio"), call
    return peers.node(name, f"{name.replace('-', '_')}.mjs", str(files), "stdio"), call


class Pipe:
    """The client's end: lines that were made before; only the id of a call changes."""

    def __init__(self, process: Popen[bytes], call: dict[str, Any]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._out, self._in, self._data = process.stdin.fileno(), process.stdout.fileno(), b""
        self._before, self._after = _line("tools/call", call, id=FIRST_ID).split(b"%d" % FIRST_ID)
        self._id = FIRST_ID
        os.write(self._out, _line("initialize", HELLO, id=0))
        self._take()
        os.write(self._out, _line("notifications/initialized", {}))
        self._send(1)
        answer = self._take()
        if b"line of notes" not in answer or b'"isError":true' in answer:
            raise OSError(f"not the text of the file: {answer[:200]!r}")

    def _send(self, count: int) -> None:
        """The next calls, in one piece that the pipe has room for."""
        first, self._id = self._id + 1, self._id + count
        os.write(self._out, b"".join(b"%b%d%b" % (self._before, n, self._after) for n in range(first, first + count)))

    def _take(self) -> bytes:
        """The next line that is an answer; what a server says of its own accord is passed over."""
        while True:
            line, end, rest = self._data.partition(b"\n")
            if not end:
                self._data += self._more()
                continue
            self._data = rest
            if ANSWER in line:
                return line

    def _more(self) -> bytes:
        more = os.read(self._in, 65536)
        if not more:
            raise OSError("the server closed the pipe")
        return more

    def one_by_one(self, calls: int) -> list[float]:
        took = []
        for _ in range(calls):
            began = time.perf_counter()
            self._send(1)
            self._take()
            took.append(time.perf_counter() - began)
        return took

    def in_flight(self, calls: int, window: int = 32) -> float:
        """Seconds for so many calls, with so many unanswered at a time."""
        began, answered, sent = time.perf_counter(), 0, min(window, calls)
        self._send(sent)
        while answered < calls:
            whole, _, self._data = (self._data + self._more()).rpartition(b"\n")
            count = whole.count(ANSWER)
            answered += count
            more = min(count, calls - sent)
            if more:
                self._send(more)
                sent += more
        return time.perf_counter() - began


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
                yield lambda: _figures(pipe, process, calls)

    return contestant


def _figures(pipe: Pipe, process: Popen[bytes], calls: int) -> Figures:
    pipe.one_by_one(calls // 10)
    took = pipe.one_by_one(calls)
    own, theirs = time.process_time(), processor_time(process)
    seconds = pipe.in_flight(calls)
    own, theirs = time.process_time() - own, processor_time(process) - theirs
    return {
        "p50 µs": percentile(took, 0.5) * 1e6,
        "p99 µs": percentile(took, 0.99) * 1e6,
        "32 in flight, calls/s": calls / seconds,
        "server, CPU µs per call": theirs / calls * 1e6,
        "generator, % of a core": own / seconds * 100,
        "PSS MB": memory(process),
    }


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
    rate, first = "32 in flight, calls/s", "start to first call, ms"
    return [
        Group(
            "stdio read_file",
            {name: _calls(name, 200 if quick else 3000) for name in NAMES},
            [
                Target("stdio: p50", "p50 µs", 0.9, ("server-filesystem",)),
                Target("stdio: p50", "p50 µs", 0.3, ("python-sdk",)),
                Target("stdio, 32 in flight: throughput", rate, 1.5, ("server-filesystem",), True),
            ],
            "p50 µs",
            "µs",
        ),
        Group(
            "stdio, start to first call",
            {name: _starts(name) for name in NAMES},
            [Target("stdio: start to first call", first, 0.5, ("server-filesystem",))],
            first,
            "ms",
        ),
    ]
