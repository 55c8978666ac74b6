"""Every line of a log arrives once: in two thousand histories of a little file system, and in a real one under load."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.hard.figures import SCALE, note
from tests.hard.listening import Listener
from tests.test_tail import FileSystem

Start = Callable[..., Any]
RATE = 1000  # lines a second
CHANGE_EVERY = 0.4  # seconds


def test_the_tailer_is_exact_in_every_history(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, finish = Counter[str](), FileSystem.teardown

    def teardown(self: FileSystem) -> None:
        if hasattr(self, "tail"):
            finish(self)
            counted["histories"] += 1
            counted["lines"] += len(self.told)

    monkeypatch.setattr(FileSystem, "teardown", teardown)
    checks = list(HealthCheck)
    run_state_machine_as_test(
        FileSystem,
        settings=settings(
            max_examples=SCALE.histories,
            stateful_step_count=30,
            deadline=None,
            database=None,
            suppress_health_check=checks,
        ),
    )
    figure = f"{counted['histories']} histories, {counted['lines']} lines told, each exactly once"
    note(
        "tailer against the model",
        figure,
        f"{SCALE.histories} histories exact",
        counted["histories"] >= SCALE.histories,
    )


class Writer(threading.Thread):
    """Appends numbered lines at a steady pace, and now and then renames or truncates its log."""

    def __init__(self, log: Path, change: str, changes: int, first: int) -> None:
        super().__init__()
        self.log, self._change, self._changes = log, change, changes
        self.numbers = itertools.count(first)
        self.written: list[int] = []
        self.at_risk: set[int] = set()  # written within the last looks before a truncation

    def run(self) -> None:
        begun, descriptor = time.monotonic(), self._open()
        for change in range(self._changes + 1):
            until = begun + (change + 1) * CHANGE_EVERY
            while (now := time.monotonic()) < until:
                while len(self.written) < (now - begun) * RATE:
                    number = next(self.numbers)
                    os.write(descriptor, b'{"number":%d,"text":"%s"}\n' % (number, b"x" * (number % 300)))
                    self.written.append(number)
                time.sleep(0.005)  # the pace of the load
            if change == self._changes:
                break
            if self._change == "rename":
                os.rename(self.log, f"{self.log}.{time.monotonic_ns()}")
                for _ in range(5):  # whoever has it open does not know yet
                    number = next(self.numbers)
                    os.write(descriptor, b'{"number":%d}\n' % number)
                    self.written.append(number)
                os.close(descriptor)
                descriptor = self._open()
            else:
                self.at_risk.update(self.written[-RATE:])
                os.ftruncate(descriptor, 0)
        os.close(descriptor)

    def _open(self) -> int:
        return os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def follow(viewer: Any, launch: Start, logs: Path, writer: Writer, kills: int) -> tuple[list[Any], int]:
    """Everything that a client gets to see until the writer is done and quiet; it comes back where the viewer dies."""
    port = int(viewer.url.rpartition(":")[2])
    seen: list[Any] = []
    listener = Listener(viewer.url)
    listener.until_live()
    writer.start()
    between, died = (writer._changes + 1) * CHANGE_EVERY / (kills + 1), 0
    due = time.monotonic() + between
    last = -1
    while writer.is_alive() or not seen or seen[-1] != last or listener.events:
        listener.sock.settimeout(0.3)
        alive = listener.pump()
        seen += [event.data for event in listener.messages]
        listener.events.clear()
        if not writer.is_alive() and writer.written:
            last = seen[-1] if seen and seen[-1].get("record", {}).get("number") == writer.written[-1] else -1
            assert time.monotonic() < due + between + 30, f"the last line did not come; {len(seen)} did"
        if died < kills and time.monotonic() > due:
            died, due = died + 1, time.monotonic() + between
            viewer.process.kill()
            viewer.process.wait()
            alive = False
        if not alive:
            listener.close()
            viewer = launch("log_viewer.py", "--port", port, "--logs", logs, "--heartbeat", "0.5")
            listener = Listener(viewer.url, last_id=listener.last_id)
    listener.close()
    return seen, died


def judged(seen: list[Any], writer: Writer) -> dict[str, int]:
    numbers = [one["record"]["number"] for one in seen if "record" in one]
    missing = set(writer.written) - set(numbers)
    return {
        "lost": len(missing - writer.at_risk),
        "lost in a truncation": len(missing & writer.at_risk),
        "doubled": len(numbers) - len(set(numbers)),
        "fragments": sum("record" not in one for one in seen),
        "out of order": sum(b < a for a, b in itertools.pairwise(numbers)),
    }


@pytest.mark.parametrize("change", ["rename", "truncate"])
def test_a_log_that_changes_under_load_is_followed(change: str, viewer: Any, launch: Start, logs: Path) -> None:
    (logs / "busy.jsonl").touch()
    writer = Writer(logs / "busy.jsonl", change, SCALE.changes, 0)
    seen, died = follow(viewer, launch, logs, writer, SCALE.viewer_kills)
    found = judged(seen, writer)
    told = ", ".join(f"{count} {what}" for what, count in found.items())
    figure = f"{SCALE.changes} at {RATE} lines/s, {len(writer.written)} lines: {told}"
    figure += f"; {died} viewers killed" if died else ""
    good = not found["lost"] and not found["doubled"] and not found["fragments"]
    note(f"rotation and truncation: {change}", figure, "0 lost (rename), 0 doubled, 0 fragments", good)
