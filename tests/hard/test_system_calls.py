"""The disk fails at the k-th system call, for every k: the caller is told, and nothing is lost unnoticed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playground import logfile
from playground.logbook import Logbook
from playground.server.sandbox import Sandbox, SandboxError
from tests.cases.oracles import strict
from tests.hard.faulty import Faulty
from tests.hard.figures import SCALE, note

OLD, NEW = "old text\n", "new text, which is longer\n" * 40
ERRORS = f"{len(SCALE.errnos)} errors" if len(SCALE.errnos) > 3 else ", ".join(SCALE.errnos)
MOST = 500  # system calls of one operation, far more than there are
CHANGES: dict[str, tuple[Callable[[Sandbox], object], list[str]]] = {
    "write_file": (lambda sandbox: sandbox.write("a.txt", NEW), [OLD, NEW]),
    "append_line": (lambda sandbox: sandbox.append_line("a.txt", "more"), [OLD, OLD + "more\n"]),
}


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def one_fault(folder: Path, change: str, at: int, error: str) -> bool:
    """One change with one fault in it; whether the change came to its end without meeting it."""
    act, outcomes = CHANGES[change]
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_text(OLD, encoding="utf-8")
    faulty = Faulty(piece=300)
    sandbox = Sandbox(folder, system=faulty)
    faulty.count, faulty.at, faulty.error = 0, at, error
    told = ""
    try:
        act(sandbox)
    except SandboxError as refusal:
        told = str(refusal)
    assert "Errno" not in told
    assert str(folder) not in told
    was_met, faulty.at = faulty.count >= at, 0
    sandbox.close()
    held = (folder / "a.txt").read_text(encoding="utf-8")
    assert held in outcomes, (change, at, error, faulty.failed)
    assert told or held == outcomes[-1], f"{change}: the {at}. call ({faulty.failed}, {error}) failed unnoticed"
    again = Sandbox(folder)  # it goes on, and nothing that lies there is shown or stays
    assert again.names() == ["a.txt"]
    act(again)
    again.close()
    assert os.listdir(folder) == ["a.txt"]
    return not was_met


@pytest.mark.parametrize("change", CHANGES)
def test_every_fault_is_told_and_the_file_is_whole(change: str, tmp_path: Path) -> None:
    before, tried = descriptors(), 0
    for error in SCALE.errnos:
        for at in range(1, MOST):
            tried += 1
            if one_fault(tmp_path / "files", change, at, error):
                break
        else:
            pytest.fail("it never succeeded")
    assert descriptors() == before
    figure = f"k = 1 to {tried // len(SCALE.errnos)} with {ERRORS}: told each time, whole each time"
    note(f"k-th system call fails: {change}", figure, "all k; 0 silent, 0 torn", True)


# ---- The log ---------------------------------------------------------------------------------------------------------


def records(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The records of a log, and how many lines are none."""
    found, torn = [], 0
    for line in path.read_bytes().split(b"\n"):
        if line:
            try:
                found.append(strict(line))
            except (AssertionError, ValueError):
                torn += 1
    return found, torn


def one_gap(folder: Path, at: int, error: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, int]:
    """Six records with one fault among them; whether it was not met, and how many torn lines are left."""
    faulty = Faulty(piece=100)
    with monkeypatch.context() as patch:
        patch.setattr(logfile, "os", faulty)
        log = Logbook(folder, "mcp-server", rotate_at=1500)
        faulty.count, faulty.at, faulty.error = 0, at, error
        for number in range(6):
            log.write("tick", {"number": number, "text": "x" * 150})
        was_met, faulty.at = faulty.count >= at, 0
        log.write("last", {})
        log.close()
    family = sorted(folder.iterdir(), key=lambda path: (path.suffix == ".jsonl", path.name))
    parts = [records(path) for path in family]
    found = [record for part, _ in parts for record in part]
    lost = {record["seq"] for record in found} ^ set(range(1, max(record["seq"] for record in found) + 1))
    told = sum(record["data"]["lost"] for record in found if record["event"] == "log_gap")
    assert len(lost) == told, (at, error, faulty.failed, lost, told)
    ticks = Counter(record["data"]["number"] for record in found if record["event"] == "tick")
    assert max(ticks.values()) == 1
    assert len(ticks) + told == 6, (at, error, faulty.failed)
    assert found[-1]["event"] == "last"
    return not was_met, sum(torn for _, torn in parts)


def test_the_logger_loses_nothing_unnoticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, tried, torn = descriptors(), 0, 0
    for error in SCALE.errnos:
        for at in range(1, MOST):
            tried += 1
            is_over, left = one_gap(tmp_path / f"{error}-{at}", at, error, monkeypatch)
            torn += left
            if is_over:
                break
        else:
            pytest.fail("it never succeeded")
    assert descriptors() == before
    figure = f"k = 1 to {tried // len(SCALE.errnos)} with {ERRORS}: each lost record counted"
    note("k-th system call fails: logger", f"{figure} ({torn} torn lines closed)", "all k; 0 lost unnoticed", True)


# ---- Death at the k-th call ------------------------------------------------------------------------------------------

DYING = """
import os, sys
from pathlib import Path
from playground import logfile
from playground.logbook import Logbook
from playground.server.sandbox import Sandbox
from tests.hard.faulty import Faulty
folder, what, at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for k in range(at, at + 500):
    if (child := os.fork()) == 0:
        faulty = Faulty(error=None)
        if what == "logger":
            logfile.os = faulty
            log = Logbook(folder / str(k), "mcp-server", rotate_at=1500)
            log.write("before", {"text": "x" * 700})
            faulty.at, faulty.count = k, 0
            for number in range(3):
                log.write("tick", {"number": number, "text": "x" * 700})
                (folder / f"{k}.told").write_text(str(number + 1))
        else:
            (folder / str(k)).mkdir()
            (folder / str(k) / "a.txt").write_text(sys.argv[4])
            sandbox = Sandbox(folder / str(k), system=faulty)
            faulty.at, faulty.count = k, 0
            if what == "write_file":
                sandbox.write("a.txt", sys.argv[5])
            else:
                sandbox.append_line("a.txt", "more")
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(k)
        break
"""


@pytest.mark.parametrize("what", [*CHANGES, "logger"])
def test_death_at_any_system_call_leaves_everything_whole(what: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", DYING, str(tmp_path), what, "1", OLD, NEW]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120, check=True
    )
    last = int(done.stdout)
    litter = 0
    for k in range(1, last):
        folder = tmp_path / str(k)
        if what == "logger":
            told = int((tmp_path / f"{k}.told").read_text()) if (tmp_path / f"{k}.told").exists() else 0
            Logbook(folder, "mcp-server").close()  # the next start
            parts = [records(path) for path in folder.iterdir()]
            ticks = {record["data"].get("number") for part, _ in parts for record in part}
            assert set(range(told)) <= ticks, f"k = {k}: an acknowledged record is missing"
            assert sum(torn for _, torn in parts) <= 1
            continue
        litter += len(os.listdir(folder)) - 1
        sandbox = Sandbox(folder)
        assert sandbox.names() == ["a.txt"]
        assert sandbox.read("a.txt") in CHANGES[what][1]
        assert os.listdir(folder) == ["a.txt"]
        sandbox.close()
    figure = f"k = 1 to {last - 1}: old or new each time ({litter} temporary files swept)"
    figure = f"k = 1 to {last - 1}: no acknowledged record missing" if what == "logger" else figure
    note(f"death at the k-th system call: {what}", figure, "all k; whole, no litter shown", last > 3)
