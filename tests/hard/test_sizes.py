"""What is far too large is answered at once, and costs no memory."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cases.oracles import Peer, eventually
from tests.hard.figures import SCALE, note
from tests.hard.listening import Listener

Start = Callable[..., Any]
MIB, GIB = 1024 * 1024, 1024 * 1024 * 1024
ROOM = 64 * MIB  # of memory
BODY = 100 * MIB
LOGS = 1500


class Memory:
    """The peak of a process's memory since this was made."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")
        self._before = self._peak()

    def _peak(self) -> int:
        lines = Path(f"/proc/{self._pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024

    @property
    def grown(self) -> int:
        return self._peak() - self._before


def pour(sock: socket.socket, piece: bytes) -> None:
    """A hundred megabytes, for as long as anybody takes them."""
    with contextlib.suppress(OSError):
        for _ in range(BODY // MIB):
            sock.sendall(piece)


def answered(peer: Peer, head: str, piece: bytes) -> tuple[int, float]:
    """The status that answers a body, and when its first byte was there; the client goes on sending all the while."""
    with socket.create_connection(("127.0.0.1", peer.port), timeout=20) as sock:
        began = time.monotonic()
        sock.sendall(head.encode())
        sender = threading.Thread(target=pour, args=(sock, piece))
        sender.start()
        answer = http.client.HTTPResponse(sock, method="POST")
        answer.begin()
        seconds = time.monotonic() - began
        assert b"too large" in answer.read()
        sender.join()
    return answer.status, seconds


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    found: list[Any] = []
    workers = [threading.Thread(target=lambda: found.append(work())) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == count, "some of them failed"
    return found


def test_a_body_of_a_hundred_megabytes(peer: Peer) -> None:
    memory = Memory(peer.running.pid)
    head = f"POST /rpc HTTP/1.1\r\nHost: {peer.host}\r\nContent-Type: application/json\r\n"

    long, chunk = f"{head}Content-Length: {BODY}\r\n\r\n", b"x" * MIB
    chunked, wrapped = f"{head}Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n%b\r\n" % (MIB, chunk)
    answers = at_once(SCALE.at_once, lambda: answered(peer, long, chunk))
    answers += at_once(SCALE.at_once, lambda: answered(peer, chunked, wrapped))
    peer.check_alive()
    peer.canary.check()
    slowest = max(seconds for _, seconds in answers)
    good = {status for status, _ in answers} == {413}
    figure = (
        f"{len(answers)} × 413 in at most {slowest:.2f} s, {SCALE.at_once} at once; memory {memory.grown / MIB:+.1f} MB"
    )
    limit = "413 ≤ 1 s, memory ≤ +64 MB"
    note("size limits: 100 MB body", figure, limit, good and slowest <= 1 and memory.grown <= ROOM)


def test_a_file_of_twenty_gigabytes(peer: Peer) -> None:
    with (peer.files / "sparse.txt").open("wb") as file:
        file.truncate(20 * GIB)
    memory, name = Memory(peer.running.pid), "sparse.txt"

    def every_tool() -> float:
        slowest = 0.0
        for tool, more in (
            ("read_file", {}),
            ("search_file", {"keyword": "x"}),
            ("append_line", {"line": "x"}),
        ):
            began = time.monotonic()
            assert "too large" in peer.complaint(tool, filename=name, **more)
            slowest = max(slowest, time.monotonic() - began)
        for tool, more in (("list_files", {}), ("search_all", {"keyword": "x"})):
            began = time.monotonic()
            peer.value(tool, **more)
            slowest = max(slowest, time.monotonic() - began)
        assert "error" in peer.rpc("resources/read", {"uri": f"playground://files/{name}"})
        return slowest

    slowest = max(at_once(SCALE.at_once, every_tool))
    peer.check()
    figure = f"read, search, append, list: at most {slowest:.2f} s; memory {memory.grown / MIB:+.1f} MB"
    note("size limits: 20 GB file", figure, "answered ≤ 2 s, memory ≤ +64 MB", slowest <= 2 and memory.grown <= ROOM)


def test_a_line_of_fifty_megabytes(viewer: Any, logs: Path) -> None:
    names = [f"long{number}.jsonl" for number in range(SCALE.at_once)]
    for name in names:
        (logs / name).touch()
    with Listener(viewer.url) as listener:
        listener.until_live()
        memory, ended = Memory(viewer.pid), dict.fromkeys(names, 0.0)

        def write(name: str) -> None:
            with (logs / name).open("ab") as file:
                for _ in range(50):
                    file.write(b"x" * MIB)
                ended[name] = time.monotonic()
                file.write(b'\n{"good":1}\n')

        writers = [threading.Thread(target=write, args=(name,)) for name in names]
        for writer in writers:
            writer.start()
        said = listener.records(2 * len(names), 60)
        for writer in writers:
            writer.join()
        good = [event for event in listener.messages if "record" in event.data]
        slowest = max(event.at - max(ended.values()) for event in good)
    assert [one["flaw"] for one in said if "flaw" in one] == [f"too long: {50 * MIB} bytes"] * len(names)
    assert sorted(event.data["file"] for event in good) == sorted(names)
    with Listener(viewer.url, "?history=10") as again:  # and as history
        began = time.monotonic()
        again.until_live()
        slowest = max(slowest, time.monotonic() - began)
        assert len(again.messages) == min(10, 2 * len(names))
    figure = f"{len(names)} at once: shown cut, with their size; the next lines after {slowest:.2f} s; "
    figure += f"memory {memory.grown / MIB:+.1f} MB"
    limit = "next line ≤ 2 s, memory ≤ +64 MB"
    note("size limits: 50 MB log line", figure, limit, slowest <= 2 and memory.grown <= ROOM)


def test_very_many_logs(launch: Start, logs: Path) -> None:
    """More logs than a token can name: half of them there at the start, and then a line in each, twice."""
    paths = [logs / f"component-{number:05}.jsonl" for number in range(LOGS)]
    lines = [f'{{"round":{number}}}\n' for number in range(3)]

    def write(paths: list[Path], line: str) -> None:
        for path in paths:
            with path.open("a", encoding="ascii") as log:
                log.write(line)

    def rounds(listener: Listener, number: int) -> list[str]:
        return [one.data["file"] for one in listener.messages if one.data["record"] == {"round": number}]

    write(paths[::2], lines[0])
    viewer = launch("log_viewer.py", "--port", 0, "--logs", logs)
    with Listener(viewer.url, "?history=0") as listener:
        listener.until_live()
        memory = Memory(viewer.pid)
        write(paths, lines[1])
        began = time.monotonic()
        told = Counter(one["file"] for one in listener.records(LOGS, 60))
        slowest = time.monotonic() - began
        longest = max(len(event.id) for event in listener.messages)
    assert told == Counter(path.name for path in paths)
    write(paths[-3:], lines[2])
    with Listener(viewer.url, last_id=listener.last_id) as again:
        again.until(lambda: len(rounds(again, 2)) >= 3, 20)
        assert sorted(rounds(again, 2)) == [path.name for path in paths[-3:]]
    figure = (
        f"a line in each after {slowest:.2f} s, ids of at most {longest} bytes; memory {memory.grown / MIB:+.1f} MB"
    )
    is_good = slowest <= 2 and longest <= 64 * 1024 and memory.grown <= ROOM
    note(f"size limits: {LOGS} logs", figure, "lines ≤ 2 s, ids ≤ 64 kB, memory ≤ +64 MB", is_good)


def test_a_log_of_twenty_gigabytes(launch: Start, logs: Path) -> None:
    """A log without a single line end, twenty gigabytes of it: there at the start, and turning up later."""
    with (logs / "there.jsonl").open("wb") as file:
        file.truncate(20 * GIB)
    began = time.monotonic()
    viewer = launch("log_viewer.py", "--port", 0, "--logs", logs)
    assert viewer.url
    started = time.monotonic() - began
    with Listener(viewer.url) as listener:
        listener.until_live()
        memory = Memory(viewer.pid)
        with (logs / "later.jsonl").open("wb") as file:
            file.truncate(20 * GIB)
        slowest = 0.0
        for number in range(3):
            began = time.monotonic()
            with (logs / "good.jsonl").open("a", encoding="ascii") as log:
                log.write(f'{{"number":{number}}}\n')
            while (one := listener.records(1, 60)[0])["file"] != "good.jsonl":
                print(str(one)[:200])
            slowest = max(slowest, time.monotonic() - began)
            assert one["record"]["number"] == number
    eventually(lambda: os.path.exists(logs / "good.jsonl"), "a log")
    figure = (
        f"ready after {started:.1f} s; lines of other logs within {slowest:.2f} s; memory {memory.grown / MIB:+.1f} MB"
    )
    note("size limits: 20 GB log", figure, "others ≤ 2 s, memory ≤ +64 MB", slowest <= 2 and memory.grown <= ROOM)
