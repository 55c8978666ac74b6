"""Large logs: filtering a million records; the last 500 of a gigabyte."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench import load, peers
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import Unavailable, folder, our_viewer
from playground.logbook import Logbook

TOP, NESTED = "level=ERROR", "data.message.method=tools/call"
# What else can be asked, each with how many records in forty it lets pass.
OTHERS = {
    "level!=ERROR": 36,
    "level=INFO": 36,
    "level=ERROR or level=WARN": 4,
    "seq>20": 20,
    "event~^rpc_": 40,
    "data.message.id=7": 1,
    '"notes \\"7"': 1,
    "einkäufe": 2,
}
FORMAT = {
    "mcp_bench": {
        "title": "MCP log",
        "url": "https://modelcontextprotocol.io",
        "description": "one JSON object a line",
        "json": True,
        "file-type": "json",
        "timestamp-field": "ts",
        "level-field": "level",
        "body-field": "event",
        "line-format": [{"field": "ts"}, " ", {"field": "event"}],
        "value": {"event": {"kind": "string"}, "data": {"kind": "json"}},
    }
}


def write_log(path: Path, records: int) -> None:
    """A log of a server's traffic: one record in ten is an error, one in four a tools/call; all hold escapes.

    In one of twenty a letter is escaped by its number, so that it can't be passed over by looking for bytes.
    """
    methods = ("tools/call", "tools/list", "ping", "resources/read")
    book = Logbook(path.parent, "sample")
    for number in range(40):
        params = {
            "name": "read_file",
            "arguments": {"filename": f'{"notes" if number % 20 else "Einkäufe"} "{number}".txt'},
        }
        message = {"jsonrpc": "2.0", "id": number, "method": methods[number % 4], "params": params}
        level = "ERROR" if number % 10 == 3 else "INFO"
        about = {"message": message, "http": {"method": "POST", "path": "/mcp"}}
        book.write(
            "rpc_request", about, level=level, dir="in", peer="client", via="http", exchange=f"c/client/{number}"
        )
    book.close()
    sample = (path.parent / "sample.jsonl").read_bytes()
    os.unlink(path.parent / "sample.jsonl")
    with path.open("wb") as log:
        for _ in range(records // 40):
            log.write(sample)


def _scan(command: Sequence[str], expected: int) -> Figures:
    """Runs a program that prints how many records pass; its time and the most memory it held."""
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    words = re.findall(r"[0-9.]+", done.stdout)
    if not words or int(words[0]) != expected:
        raise Unavailable(f"{command[0]} found {done.stdout[:40]!r}, not {expected}: {done.stderr[-200:]}")
    return {"s": took, **({"PSS MB": float(words[1])} if len(words) > 1 else {})}


def _filter(make: Callable[[Path], Sequence[str]], records: int, expected: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        command = make(sample(records))
        yield lambda: _scan(command, expected)

    return contestant


def _ours(text: str) -> Callable[[Path], list[str]]:
    return lambda log: [sys.executable, "-m", "bench.scan", str(log), text]


def _lnav(condition: str) -> Callable[[Path], list[str]]:
    def command(log: Path) -> list[str]:
        home = peers.HOME / "lnav-home"
        (home / "formats" / "installed").mkdir(parents=True, exist_ok=True)
        (home / "formats" / "installed" / "mcp_bench.json").write_text(json.dumps(FORMAT))
        query = f";SELECT count(*) AS n FROM mcp_bench WHERE {condition}"
        return [peers.program("lnav"), "-I", str(home), "-n", "-c", query, "-c", ":write-csv-to -", str(log)]

    return command


def _jq(condition: str) -> Callable[[Path], list[str]]:
    return lambda log: [peers.program("jq"), "-n", f"reduce (inputs | select({condition})) as $r (0; . + 1)", str(log)]


def sample(records: int) -> Path:
    """The log that everybody filters; made once, beside the peers."""
    path = peers.HOME / f"log-of-{records}.jsonl"
    if not path.exists():
        peers.HOME.mkdir(parents=True, exist_ok=True)
        with folder() as place:
            write_log(place / "a.jsonl", records)
            shutil.copyfile(place / "a.jsonl", path)
    return path


def _enlarged(path: Path, size: int) -> None:
    write_log(path, 40_000)
    part = path.read_bytes()
    with path.open("ab") as log:
        while log.tell() < size:
            log.write(part)


def _start_of_lnav(size: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            _enlarged(place / "a.jsonl", size)
            command = [*_lnav("0")(place / "a.jsonl")]

            def measure() -> Figures:
                began = time.perf_counter()
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
                return {"ms": (time.perf_counter() - began) * 1000}

            yield measure

    return contestant


def _last(size: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            _enlarged(place / "a.jsonl", size)
            with our_viewer(place) as (_, url):
                client = load.Client(url, "2026-07-28")
                host = url.removeprefix("http://")

                def measure() -> Figures:
                    began = time.perf_counter()
                    head, body = client.ask(f"GET /history?limit=500 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                    took = time.perf_counter() - began
                    if len(json.loads(body)["events"]) != 500:
                        raise Unavailable(f"the viewer did not give 500 records: {head[:80]}")
                    return {"ms": took * 1000}

                yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    records, large = (20_000, 20_000_000) if quick else (1_000_000, 1_000_000_000)
    top = {
        "ours": _filter(_ours(TOP), records, records // 10),
        "lnav": _filter(_lnav("log_level = 'error'"), records, records // 10),
        "jq": _filter(_jq('.level == "ERROR"'), records, records // 10),
    }
    nested = {
        "ours": _filter(_ours(NESTED), records, records // 4),
        "lnav": _filter(_lnav("json_extract(data, '$.message.method') = 'tools/call'"), records, records // 4),
        "jq": _filter(_jq('.data.message.method == "tools/call"'), records, records // 4),
    }
    others = {f"ours: {text}": _filter(_ours(text), records, share * records // 40) for text, share in OTHERS.items()}
    return [
        Group(
            f"filter {records:,} records by a top-level key",
            top,
            [
                Target("equality on a top-level key, against lnav", "s", 1 / 3, ("lnav",)),
                Target("equality on a top-level key, against jq", "s", 1 / 6, ("jq",)),
                Target("memory while filtering, MB", "PSS MB", 80),
            ],
            "s",
            "s",
        ),
        Group(
            f"filter {records:,} records by a nested key",
            nested,
            [Target("equality on a nested key, against lnav", "s", 1 / 1.5, ("lnav",))],
            "s",
            "s",
        ),
        Group(f"filter {records:,} records in other ways", others, [], "s", "s", rounds=2),
        Group(
            f"last 500 records of {large // 1_000_000:,} MB, over HTTP",
            {"ours, large": _last(large), "ours, 10 MB": _last(10_000_000), "lnav, start": _start_of_lnav(large)},
            [
                Target("last 500 of the large log, ms", "ms", 20, ours="ours, large"),
                Target("large log against 10 MB", "ms", 1.5, ("ours, 10",), ours="ours, large"),
                Target("against lnav's start", "ms", 1 / 50, ("lnav",), ours="ours, large"),
            ],
            "ms",
            "ms",
        ),
    ]
