"""tools/call read_file over HTTP: throughput of 8 clients, latency of one, memory; start to first call.

All servers validate arguments and result, keep to their folder and serve the same file; ours alone writes its log, as
shipped. Each official SDK is measured in its fastest modes: JSON instead of event streams, with and without sessions.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen

from bench import load, peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import folder, memory, our_server, percentile, processor_time, running, some_files

PYTHON_SDK, FASTMCP, TYPESCRIPT = ("python-sdk",), ("fastmcp",), ("typescript-1", "typescript-2")
READY_MADE = "ready-made answers"
NEW, OLD = "2026-07-28", "2025-11-25"
MODES = {  # name -> the peer, how it is started, the revision its clients speak
    "python-sdk json 2026-07-28": ("python-sdk", "python_sdk.py", "json", NEW),
    "python-sdk json stateful": ("python-sdk", "python_sdk.py", "json", OLD),
    "python-sdk json stateless": ("python-sdk", "python_sdk.py", "stateless", OLD),
    "python-sdk sse stateful": ("python-sdk", "python_sdk.py", "http", OLD),
    "uvloop, python-sdk json 2026-07-28": ("python-uvloop", "python_sdk.py", "json", NEW),
    "fastmcp json 2026-07-28": ("fastmcp", "fastmcp_server.py", "json", NEW),
    "fastmcp json stateful": ("fastmcp", "fastmcp_server.py", "json", OLD),
    "fastmcp json stateless": ("fastmcp", "fastmcp_server.py", "stateless", OLD),
    "typescript-1 json stateful": ("typescript-1", "typescript_1.mjs", "json", OLD),
    "typescript-1 json stateless": ("typescript-1", "typescript_1.mjs", "stateless", OLD),
    "typescript-1 sse stateful": ("typescript-1", "typescript_1.mjs", "http", OLD),
    "typescript-2 json 2026-07-28": ("typescript-2", "typescript_2.mjs", "http", NEW),
    "typescript-2 json stateful": ("typescript-2", "typescript_2.mjs", "json", OLD),
}
NOTES = [
    f"“{READY_MADE}” is a server that does nothing: what the load generator makes beside it is its ceiling. "
    "“Generator, % of a core” says how busy the generator was beside each server: below 100 it waited for the server, "
    "not the server for it. Generator and server share the machine's cores, all servers alike. “uvloop” is the Python "
    "SDK with an event loop and an HTTP parser in C, which it doesn't bring along; it is no target's peer.",
]


def command(name: str, files: Path) -> list[str]:
    if name == READY_MADE:
        return [sys.executable, str(peers.HERE / "programs" / "ready_made.py")]
    peer, program, way, _ = MODES[name]
    make = peers.node if program.endswith(".mjs") else peers.python
    return make(peer, program, str(files), way)


@contextmanager
def _serving(name: str) -> Iterator[tuple[Popen[bytes], str, str]]:
    """A server's process, its address, and the revision to speak."""
    with folder() as place:
        files = some_files(place / "files")
        if name.startswith("ours"):
            with our_server(files, place / "logs") as (process, url):
                yield process, url, name.split()[1]
        else:
            with running(command(name, files), "http://") as (process, line):
                yield process, line.strip(), MODES[name][3] if name in MODES else NEW


def _calls(name: str, calls: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with _serving(name) as (process, url, revision):
            yield lambda: _figures(process, url, revision, calls)

    return contestant


def _figures(process: Popen[bytes], url: str, revision: str, calls: int) -> Figures:
    return _one(url, revision, calls) | _eight(url, revision, calls, process) | {"PSS MB": memory(process)}


@contextmanager
def _clients(url: str, revision: str, count: int) -> Iterator[list[load.Client]]:
    """New connections, each tried once. They aren't kept: what is idle for 5 s is closed by some servers."""
    with ExitStack() as stack:
        clients = [load.Client(url, revision) for _ in range(count)]
        for client in clients:
            stack.callback(client.socket.close)
            client.check()
        yield clients


def _one(url: str, revision: str, calls: int) -> Figures:
    with _clients(url, revision, 1) as clients:
        load.drive(clients, calls // 10)
        took = load.drive(clients, calls)
    return {"1 client, p50 µs": percentile(took, 0.5) * 1e6, "1 client, p99 µs": percentile(took, 0.99) * 1e6}


def _eight(url: str, revision: str, calls: int, process: Popen[bytes]) -> Figures:
    with _clients(url, revision, 8) as clients:
        load.drive(clients, calls // 10)
        began, own, theirs = time.perf_counter(), time.process_time(), processor_time(process)
        took = load.drive(clients, calls)
        seconds, own, theirs = time.perf_counter() - began, time.process_time() - own, processor_time(process) - theirs
    return {
        "8 clients, calls/s": calls / seconds,
        "8 clients, p99 µs": percentile(took, 0.99) * 1e6,
        "server, CPU µs per call": theirs / calls * 1e6,
        "generator, CPU µs per call": own / calls * 1e6,
        "generator, % of a core": own / seconds * 100,
    }


def _starts(name: str) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        def measure() -> Figures:
            began = time.perf_counter()
            with _serving(name) as (_, url, revision), _clients(url, revision, 1):
                took = time.perf_counter() - began
            return {"start to first call, ms": took * 1000}

        yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    names = [f"ours {NEW}", f"ours {OLD}", *MODES]
    rate, p50, p99 = "8 clients, calls/s", "1 client, p50 µs", "1 client, p99 µs"
    calls = Group(
        "HTTP tools/call read_file",
        {name: _calls(name, 200 if quick else 1200) for name in (*names, READY_MADE)},
        [
            Target("HTTP, 8 clients: throughput", rate, 1.0, TYPESCRIPT, True),
            Target("HTTP, 8 clients: throughput", rate, 1.5, PYTHON_SDK, True),
            Target("HTTP, 8 clients: throughput", rate, 3.0, FASTMCP, True),
            Target("HTTP, 1 client: p50", p50, 0.6, TYPESCRIPT),
            Target("HTTP, 1 client: p50", p50, 0.65, PYTHON_SDK),
            Target("HTTP, 1 client: p99", p99, 1.0, TYPESCRIPT),
            Target("HTTP, 1 client: p99", p99, 1.0, PYTHON_SDK),
            Target("HTTP: memory (PSS)", "PSS MB", 0.7, PYTHON_SDK),
        ],
        rate,
        "calls/s",
        notes=NOTES,
    )
    first = "start to first call, ms"
    stateful = [name for name in names if name.startswith("typescript") or name.endswith((NEW, "json stateful"))]
    starts = Group(
        "HTTP, start to first call",
        {name: _starts(name) for name in stateful},
        [
            Target("HTTP: start to first call", first, 0.35, PYTHON_SDK),
            Target("HTTP: start to first call", first, 0.5, TYPESCRIPT),
        ],
        first,
        "ms",
    )
    return [calls, starts]
