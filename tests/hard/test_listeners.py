"""Many clients at once, those who leave without a word, and those who stay and do nothing."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cases.oracles import Peer, eventually
from tests.hard.figures import SCALE, note, percentile
from tests.hard.listening import Event, Listener, pump_all

Start = Callable[..., Any]
MIB = 1024 * 1024
HEARTBEAT = 0.5  # seconds, of the viewer in these tests


class Pace(threading.Thread):
    """Writes numbered records with the moment of each, so many a second, until it is stopped."""

    def __init__(self, log: Path, rate: float, size: int = 0) -> None:
        super().__init__(daemon=True)
        self._log, self._rate, self._text = log, rate, "x" * size
        self.moments: list[float] = []
        self.is_over = threading.Event()

    def run(self) -> None:
        with self._log.open("a", encoding="ascii", buffering=1) as log:
            begun = time.monotonic()
            while not self.is_over.is_set():
                while len(self.moments) < (time.monotonic() - begun) * self._rate:
                    number = len(self.moments)
                    self.moments.append(time.monotonic())
                    log.write(f'{{"number":{number},"text":"{self._text}"}}\n')
                self.is_over.wait(0.5 / self._rate)


def memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def resources(pid: int) -> tuple[int, int]:
    """Threads and descriptors."""
    return len(os.listdir(f"/proc/{pid}/task")), len(os.listdir(f"/proc/{pid}/fd"))


def paced(listener: Listener) -> list[Event]:
    return [event for event in listener.messages if event.data["file"] == "paced.jsonl"]


def numbers(listener: Listener) -> list[int]:
    return [event.data["record"]["number"] for event in paced(listener)]


def delays(listener: Listener, moments: list[float]) -> list[float]:
    return [event.at - moments[event.data["record"]["number"]] for event in paced(listener)]


def test_every_client_gets_every_record_in_order(viewer: Any, logs: Path) -> None:
    listeners = [Listener(viewer.url) for _ in range(SCALE.listeners)]
    pump_all(listeners, lambda: all(one.events for one in listeners), 20)
    before = memory(viewer.pid)
    pace = Pace(logs / "paced.jsonl", SCALE.pace)
    pace.start()
    half: list[int] = []

    def is_half_time() -> bool:
        if not half and time.monotonic() - begun > SCALE.listening / 2:
            half.append(memory(viewer.pid))
        return False

    begun = time.monotonic()
    pump_all(listeners, is_half_time, SCALE.listening)
    pace.is_over.set()
    pace.join()
    total = len(pace.moments)
    pump_all(listeners, lambda: all(len(one.messages) >= total for one in listeners), 20)
    grown = memory(viewer.pid) - before
    good = sum(numbers(one) == list(range(total)) for one in listeners)
    late = percentile([delay for one in listeners for delay in delays(one, pace.moments)], 0.99)
    for one in listeners:
        one.close()
    figure = f"{good} of {len(listeners)} × {SCALE.listening:g} s got all {total} in order; p99 {late * 1e3:.0f} ms, "
    figure += f"memory {grown / MIB:+.1f} MB"
    is_flat = memory(viewer.pid) - half[0] < 20 * MIB
    limit = "all in order, p99 ≤ 1 s, ≤ +40 MB and flat"
    note("SSE clients", figure, limit, good == len(listeners) and late <= 1 and grown <= 40 * MIB and is_flat)


def test_threads_and_descriptors_come_back_when_clients_leave(viewer: Any, logs: Path) -> None:
    with Listener(viewer.url) as first:
        first.until_live()
    eventually(lambda: resources(viewer.pid)[1] < 40, "a quiet viewer")
    before = settled(viewer.pid)
    listeners = [Listener(viewer.url) for _ in range(SCALE.listeners)]
    pump_all(listeners, lambda: all(one.events for one in listeners), 20)
    during = resources(viewer.pid)
    for one, leave in zip(listeners, itertools.cycle([Listener.close, Listener.reset])):
        leave(one)
    took = until_back(viewer.pid, before)
    for number in range(SCALE.rounds):
        one = Listener(viewer.url)
        if number % 3:
            one.pump()
        (one.reset if number % 2 else one.close)()
    again = until_back(viewer.pid, before)
    after = resources(viewer.pid)
    figure = f"{before[0]}+{before[1]} → {during[0]}+{during[1]} → {after[0]}+{after[1]} threads+descriptors, "
    figure += f"after {took:.1f} s; {again:.1f} s after {SCALE.rounds} connects and resets"
    limit = f"start + 5 within {2 * HEARTBEAT + 5:g} s"
    note("after clients leave, the viewer", figure, limit, max(took, again) <= 2 * HEARTBEAT + 5)


def settled(pid: int) -> tuple[int, int]:
    seen: list[tuple[int, int]] = []

    def is_settled() -> bool:
        seen.append(resources(pid))
        return len(seen) > 15 and len(set(seen[-15:])) == 1

    eventually(is_settled, "as many threads as before")
    return seen[-1]


def until_back(pid: int, before: tuple[int, int]) -> float:
    begun = time.monotonic()
    eventually(lambda: all(now <= then + 5 for now, then in zip(resources(pid), before, strict=True)), "all is back")
    return time.monotonic() - begun


def test_a_reader_that_stalls_holds_up_nobody(viewer: Any, logs: Path) -> None:
    with (logs / "history.jsonl").open("w", encoding="ascii") as log:  # more than all buffers on the way hold
        log.writelines(f'{{"old":{number},"text":"{"x" * 30_000}"}}\n' for number in range(500))
    listeners = [Listener(viewer.url, "?history=0") for _ in range(20)]
    stalled = Listener(viewer.url, "?history=500", buffer=4096)
    for one in listeners:
        one.until_live()
    begun, pace = time.monotonic(), Pace(logs / "paced.jsonl", SCALE.pace, size=500)
    pace.start()
    closed: list[float] = []

    def is_closed() -> bool:
        if not closed and is_gone(viewer.pid, stalled):
            closed.append(time.monotonic() - begun)
        return bool(closed)

    pump_all(listeners, is_closed, 60)
    pace.is_over.set()
    pace.join()
    total = len(pace.moments)
    pump_all(listeners, lambda: all(len(numbers(one)) >= total for one in listeners), 20)
    late = percentile([delay for one in listeners for delay in delays(one, pace.moments)], 0.99)
    good = sum(numbers(one) == list(range(total)) for one in listeners)
    for one in (*listeners, stalled):
        one.close()
    when = f"closed after {closed[0]:.0f} s" if closed else "never closed"
    figure = f"{good} of 20 others got all {total} records, p99 {late * 1e3:.0f} ms; the stalled one {when}"
    limit = "0 errors, p99 ≤ 1 s, closed in 60 s"
    note("stalled reader among 20", figure, limit, good == 20 and late <= 1 and bool(closed))


def is_gone(pid: int, listener: Listener) -> bool:
    """Whether the other end of a connection is no more, seen without reading from ours."""
    mine = listener.sock.getsockname()[1]
    rows = Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    theirs = [row.split() for row in rows if row.split()[2].endswith(f":{mine:04X}")]
    return not any(row[3] == "01" for row in theirs)  # 01: established


# ---- Stalled bodies --------------------------------------------------------------------------------------------------


def stall(peer: Peer) -> socket.socket:
    """A request whose body does not come to its end."""
    sock = socket.create_connection(("127.0.0.1", peer.port), timeout=90)
    head = f"POST /rpc HTTP/1.1\r\nHost: {peer.host}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
    sock.sendall(head.encode() + b'{"jsonrpc":"2.0",')
    return sock


def live(peer: Peer, is_over: threading.Event, times: list[float], faults: list[str]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", peer.port, timeout=20)) as connection:
        while not is_over.is_set():
            began = time.monotonic()
            try:
                connection.request("POST", "/rpc", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                said = json.loads(answer.read())
                if answer.status != 200 or "result" not in said:
                    faults.append(str(said))
            except (OSError, http.client.HTTPException) as error:
                faults.append(repr(error))
                return
            times.append(time.monotonic() - began)
            is_over.wait(0.1)  # the pace of the load


def test_bodies_that_stall_hold_up_nobody(peer: Peer) -> None:
    stalled = [stall(peer) for _ in range(SCALE.stalled)]
    is_over, times, faults = threading.Event(), list[float](), list[str]()
    clients = [threading.Thread(target=live, args=(peer, is_over, times, faults)) for _ in range(20)]
    for client in clients:
        client.start()
    begun, answers = time.monotonic(), []
    for sock in stalled:
        said = b""
        with contextlib.suppress(ConnectionError):
            while data := sock.recv(4096):
                said += data
        answers.append(said[:12])
        sock.close()
    took = time.monotonic() - begun
    is_over.set()
    for client in clients:
        client.join()
    late, timed_out = percentile(times, 0.99), answers.count(b"HTTP/1.1 408")
    print(faults[:3])
    peer.check_alive()
    peer.check_resources()
    figure = f"{len(times)} calls of 20 others, {len(faults)} errors, p99 {late * 1e3:.0f} ms; "
    figure += f"{timed_out} of {len(stalled)} stalled answered 408 after {took:.0f} s"
    limit = "0 errors, p99 ≤ 1 s, closed in 60 s"
    note(
        "stalled bodies among 20", figure, limit, not faults and late <= 1 and took <= 60 and timed_out == len(stalled)
    )
