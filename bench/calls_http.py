"""tools/call read_file over HTTP: throughput of 8 clients, latency of one, memory; start to first call.

All servers validate arguments, keep to their folder and serve the same file; ours alone writes its log, as shipped.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import load, peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import folder, memory, our_server, percentile, running, some_files

PYTHON_SDK, FASTMCP, TYPESCRIPT = ("python-sdk",), ("fastmcp",), ("typescript-1", "typescript-2")
MODES = {  # name -> how it is started, the revision its clients speak
    "python-sdk json 2026-07-28": ("python-sdk", "python_sdk.py", "json", "2026-07-28"),
    "python-sdk json stateful": ("python-sdk", "python_sdk.py", "json", "2025-11-25"),
    "python-sdk sse stateful": ("python-sdk", "python_sdk.py", "http", "2025-11-25"),
    "fastmcp json stateful": ("fastmcp", "fastmcp_server.py", "json", "2025-11-25"),
    "fastmcp json stateless": ("fastmcp", "fastmcp_server.py", "stateless", "2025-11-25"),
    "typescript-1 json": ("typescript-1", "typescript_1.mjs", "json", "2025-11-25"),
    "typescript-1 sse": ("typescript-1", "typescript_1.mjs", "http", "2025-11-25"),
    "typescript-2 2026-07-28": ("typescript-2", "typescript_2.mjs", "http", "2026-07-28"),
}


def command(name: str, files: Path) -> list[str]:
    peer, program, way, _ = MODES[name]
    make = peers.node if program.endswith(".mjs") else peers.python
    return make(peer, program, str(files), way)


@contextmanager
def _serving(name: str) -> Iterator[tuple[object, str, str]]:
    """A server's process, its address, and the revision to speak."""
    with folder() as place:
        files = some_files(place / "files")
        if name.startswith("ours"):
            with our_server(files, place / "logs") as (process, url):
                yield process, url, name.split()[1]
        else:
            with running(command(name, files), "http://") as (process, line):
                yield process, line.strip(), MODES[name][3]


def _calls(name: str, calls: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with _serving(name) as (process, url, revision):

            def measure() -> Figures:
                clients = [load.Client(url, revision) for _ in range(8)]  # anew: between rounds servers lose patience
                for client in clients:
                    client.check()
                load.drive(clients[:1], calls // 10)
                one = load.drive(clients[:1], calls)
                load.drive(clients, calls // 10)
                began, busy = time.perf_counter(), time.process_time()
                eight = load.drive(clients, calls)
                took, own = time.perf_counter() - began, time.process_time() - busy
                for client in clients:
                    client.socket.close()
                return {
                    "8 clients, calls/s": calls / took,
                    "8 clients, p99 µs": percentile(eight, 0.99) * 1e6,
                    "1 client, p50 µs": percentile(one, 0.5) * 1e6,
                    "1 client, p99 µs": percentile(one, 0.99) * 1e6,
                    "PSS MB": memory(process),  # type: ignore[arg-type]
                    "generator, CPU µs per call": own / calls * 1e6,
                }

            yield measure

    return contestant


def _starts(name: str) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        def measure() -> Figures:
            began = time.perf_counter()
            with _serving(name) as (_, url, revision):
                client = load.Client(url, revision)
                client.check()
                took = time.perf_counter() - began
                client.socket.close()
            return {"start to first call, ms": took * 1000}

        yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    names = ["ours 2026-07-28", "ours 2025-11-25", *MODES]
    rate, p50, p99 = "8 clients, calls/s", "1 client, p50 µs", "1 client, p99 µs"
    note = (
        f"The generator alone makes {load.ceiling(500 if quick else 20_000):,.0f} calls/s against ready-made answers."
    )
    calls = Group(
        "HTTP tools/call read_file",
        {name: _calls(name, 200 if quick else 3000) for name in names},
        [
            Target("throughput, 8 clients, against the TypeScript SDK", rate, 1.0, TYPESCRIPT, True),
            Target("throughput, 8 clients, against the Python SDK", rate, 1.5, PYTHON_SDK, True),
            Target("throughput, 8 clients, against fastmcp", rate, 3.0, FASTMCP, True),
            Target("p50, 1 client, against the TypeScript SDK", p50, 0.6, TYPESCRIPT),
            Target("p50, 1 client, against the Python SDK", p50, 0.65, PYTHON_SDK),
            Target("p99, 1 client, against the TypeScript SDK", p99, 1.0, TYPESCRIPT),
            Target("p99, 1 client, against the Python SDK", p99, 1.0, PYTHON_SDK),
            Target("memory of the HTTP server", "PSS MB", 0.7, PYTHON_SDK),
        ],
        rate,
        "calls/s",
        notes=[note],
    )
    first = "start to first call, ms"
    begin = [
        "ours 2026-07-28",
        "python-sdk json 2026-07-28",
        "fastmcp json stateful",
        *(n for n in names if "typ" in n),
    ]
    starts = Group(
        "HTTP, start to first call",
        {name: _starts(name) for name in begin},
        [
            Target("start to first call, against the Python SDK", first, 0.35, PYTHON_SDK),
            Target("start to first call, against the TypeScript SDK", first, 0.5, TYPESCRIPT),
        ],
        first,
        "ms",
    )
    return [calls, starts]
