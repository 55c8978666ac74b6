"""Files are whole and logs are true, whoever reads at the same time and whenever the server is killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cases.oracles import Peer, eventually, strict
from tests.hard.conftest import serving
from tests.hard.figures import SCALE, note, percentile

Start = Callable[..., Any]
SIZE = 400_000


class Caller:
    """A client on one kept connection; it numbers its calls."""

    def __init__(self, peer: Peer, name: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=20)
        self._name, self.count = name, 0

    def close(self) -> None:
        self._connection.close()

    def tool(self, name: str, **arguments: Any) -> tuple[str, Any]:
        """The id of the call and its result; OSError or HTTPException where there is no answer."""
        self.count += 1
        id = f"{self._name}-{self.count}"
        message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        self._connection.request("POST", "/rpc", json.dumps(message), {"Content-Type": "application/json"})
        said = strict(self._connection.getresponse().read())
        assert said["id"] == id
        return id, said["result"]


def test_no_read_is_torn(peer: Peer) -> None:
    texts = [letter * SIZE for letter in "ab"]
    peer.value("write_file", filename="a.txt", text=texts[0])
    is_over, counts, torn, times = threading.Event(), Counter[str](), list[str](), list[float]()

    def write(number: int) -> None:
        with contextlib.closing(Caller(peer, f"w{number}")) as caller:
            while not is_over.is_set():
                _, result = caller.tool("write_file", filename="a.txt", text=texts[caller.count % 2])
                counts["writes" if not result["isError"] else "failed writes"] += 1

    def read(number: int) -> None:
        with contextlib.closing(Caller(peer, f"r{number}")) as caller:
            while not is_over.is_set():
                began = time.monotonic()
                _, result = caller.tool("read_file", filename="a.txt")
                times.append(time.monotonic() - began)
                counts["reads"] += 1
                if result["isError"] or result["structuredContent"]["content"] not in texts:
                    torn.append(str(result)[:200])

    workers = [threading.Thread(target=work, args=(n,)) for n in (1, 2) for work in (write, read)]
    for worker in workers:
        worker.start()
    threading.Event().wait(SCALE.torn)  # the length of the load
    is_over.set()
    for worker in workers:
        worker.join()
    print(torn[:3])
    assert sum(1 for _ in peer.fresh_records()) >= 2 * counts.total()
    for path in peer.log_files():
        path.unlink()  # of a soak, ten gigabytes
    peer.canary.check()
    figure = f"{counts['reads']} reads beside {counts['writes']} writes in {SCALE.torn:g} s: {len(torn)} torn, "
    figure += f"{counts['failed writes']} failed; p99 {percentile(times, 0.99) * 1e3:.0f} ms"
    note("torn reads", figure, "0 torn, 0 failed", not torn and not counts["failed writes"])


# ---- kill -9 ---------------------------------------------------------------------------------------------------------


class Round:
    """One life of a server: calls until it is killed, and what was acknowledged of them."""

    def __init__(self, peer: Peer, number: int) -> None:
        self.peer, self.number = peer, number
        self.acknowledged: list[str] = []
        self.written: dict[str, list[str]] = {}  # by file: the texts that were sent, in order
        self.sure: dict[str, int] = {}  # by file: how many of these were acknowledged
        self.lines: list[str] = []  # acknowledged for lines.txt

    def call(self, worker: int) -> None:
        caller, file = Caller(self.peer, f"{self.number}-{worker}"), f"{worker}.txt"
        sent = self.written.setdefault(file, [])
        self.sure[file] = 0
        try:
            while True:
                text = f"{self.number} {len(sent)} ".ljust(20) + "x" * random.choice((10, 4_000, SIZE))
                sent.append(text)
                id, result = caller.tool("write_file", filename=file, text=text)
                assert not result["isError"], result
                self.sure[file] = len(sent)
                self.acknowledged.append(id)
                line = f"{self.number}-{worker}-{len(sent)}"
                id, result = caller.tool("append_line", filename="lines.txt", line=line)
                assert not result["isError"], result
                self.acknowledged.append(id)
                self.lines.append(line)
        except (OSError, http.client.HTTPException):
            return
        finally:
            caller.close()

    def live_and_die(self) -> None:
        workers = [threading.Thread(target=self.call, args=(n,)) for n in range(3)]
        for worker in workers:
            worker.start()
        enough = random.randrange(12)
        eventually(lambda: len(self.acknowledged) >= enough, "a few calls are answered")
        threading.Event().wait(random.uniform(0, 0.1))  # any moment will do
        self.peer.running.process.kill()
        for worker in workers:
            worker.join()
        self.peer.running.process.wait(10)

    def torn(self) -> list[str]:
        """Files that hold something else than a text that was sent, or one that an acknowledged call replaced."""
        found = []
        for file, sent in self.written.items():
            path = self.peer.files / file
            held = path.read_text(encoding="utf-8") if path.exists() else None
            possible = [*sent[max(0, self.sure[file] - 1) :], *([] if self.sure[file] else [None])]
            old = held is not None and not self.sure[file] and int(held.split()[0]) < self.number
            if held not in possible and not old:
                found.append(f"{file}: {str(held)[:30]!r} of {len(held or '')} characters")
        return found


def test_kill_9_leaves_files_whole_and_no_acknowledged_call_missing(launch: Start, tmp_path: Path) -> None:
    folder, faults, totals = tmp_path / "peer", Counter[str](), Counter[str]()
    lines: list[str] = []
    (folder / "logs").mkdir(parents=True)
    for number in range(SCALE.kills):
        one = Round(serving(launch, folder), number)
        shown = one.peer.value("list_files")["files"]
        faults["litter shown"] += sum(not re.fullmatch(r"[0-2]\.txt|lines\.txt", name) for name in shown)
        faults["litter left"] += sum(name.startswith(".") for name in os.listdir(one.peer.files))
        one.live_and_die()
        faults["torn files"] += len(one.torn())
        lines += one.lines
        totals["acknowledged"] += len(one.acknowledged)
        faults["missing in the log"] += missing(one)
        totals["litter at death"] += sum(name.startswith(".") for name in os.listdir(one.peer.files))
    held = (folder / "mcp_files" / "lines.txt").read_text(encoding="utf-8").splitlines()
    faults["lines lost"] += len(set(lines) - set(held))
    faults["lines doubled"] += len(held) - len(set(held))
    last = serving(launch, folder)
    last.check_alive()
    last.canary.check()
    bad, torn_tails = flawed(last)
    faults["bad log lines"] += bad
    print(faults, totals, torn_tails)
    figure = f"{SCALE.kills} kills, {totals['acknowledged']} acknowledged calls: "
    figure += (
        f"{faults.total()} faults ({torn_tails} torn log tails, {totals['litter at death']} temporary files swept)"
    )
    limit = "0 torn, 0 litter shown, 0 calls missing"
    note("kill -9 in mid-write", figure, limit, not faults.total() and torn_tails <= SCALE.kills)


def missing(one: Round) -> int:
    """How many acknowledged calls are not in the log with both their records."""
    seen = Counter[tuple[str, str]]()
    for line in lines_of(one.peer):
        if not line.startswith(b'{"ts"') or not line.endswith(b"}"):
            continue
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            message = record["data"].get("message")
            if isinstance(message, dict) and "dir" in record:
                seen[str(message.get("id")), record["dir"]] += 1
    return sum(not (seen[id, "in"] == seen[id, "out"] == 1) for id in one.acknowledged)


def lines_of(peer: Peer) -> list[bytes]:
    return b"".join(path.read_bytes() for path in peer.log_files()).split(b"\n")


def flawed(peer: Peer) -> tuple[int, int]:
    """Lines that are no records: those in the middle of a life, and torn tails, which the next start has closed."""
    lines = lines_of(peer)
    assert lines.pop() == b""
    bad = tails = 0
    for number, line in enumerate(lines):
        try:
            strict(line)
        except (AssertionError, ValueError):
            following = lines[number + 1] if number + 1 < len(lines) else b""
            is_tail = b'"event":"server_start"' in following
            tails += is_tail
            bad += not is_tail
    return bad, tails
