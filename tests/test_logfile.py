"""A file that several processes append to: whole lines, torn tails closed, rotation, troubles of the disk."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playground import logfile
from playground.logfile import LogFile

ROOT = Path(__file__).resolve().parent.parent


def lines(folder: Path) -> list[str]:
    """All lines of all files, each file in its order."""
    texts = [path.read_text() for path in sorted(folder.iterdir())]
    assert all(text.endswith("\n") for text in texts if text)
    return [line for text in texts for line in text.split("\n")[:-1]]


def test_records_follow_each_other(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.jsonl")
    file.append(b"one\n")
    file.append(b"two\n")
    file.close()
    file.append(b"three\n")
    assert lines(tmp_path) == ["one", "two", "three"]


def test_the_folder_is_made_and_made_again(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "x" / "y" / "a.jsonl")
    file.append(b"one\n")
    (tmp_path / "x" / "y" / "a.jsonl").unlink()
    (tmp_path / "x" / "y").rmdir()
    file.append(b"two\n")
    assert lines(tmp_path / "x" / "y") == ["two"]


def test_a_torn_tail_is_closed_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"whole":1}\n{"tor')
    LogFile(path).append(b"")
    assert path.read_text() == '{"whole":1}\n{"tor\n'
    LogFile(path).append(b"")
    assert path.read_text() == '{"whole":1}\n{"tor\n'


def test_a_tail_torn_by_another_writer_is_closed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    file = LogFile(path)
    file.append(b"one\n")
    with path.open("ab") as other:
        other.write(b"tor")
    file.append(b"two\n")
    file.append(b"three\n")
    assert lines(tmp_path) == ["one", "tor", "two", "three"]


@pytest.mark.parametrize("gone", [True, False])
def test_a_file_renamed_or_deleted_is_opened_anew(tmp_path: Path, gone: bool) -> None:
    path = tmp_path / "a.jsonl"
    file = LogFile(path)
    file.append(b"one\n")
    if gone:
        path.unlink()
    else:
        path.rename(tmp_path / "b.jsonl")
    file.append(b"two\n")
    assert path.read_text() == "two\n"


def test_rotation_renames_with_rising_numbers(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "a.jsonl", rotate_at=8)
    (tmp_path / "a.jsonl.x").write_text("stranger\n")
    for number in range(6):
        file.append(b"line %d\n" % number)
    assert (tmp_path / "a.jsonl.1").read_text() == "line 0\nline 1\n"
    assert (tmp_path / "a.jsonl.2").read_text() == "line 2\nline 3\n"
    assert (tmp_path / "a.jsonl").read_text() == "line 4\nline 5\n"


def test_another_writer_notices_the_rotation(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first, second = LogFile(path, rotate_at=8), LogFile(path, rotate_at=8)
    for number in range(20):
        (first if number % 3 else second).append(b"line %d\n" % number)
    assert sorted(lines(tmp_path)) == sorted(f"line {number}" for number in range(20))


def test_a_rotation_that_fails_is_put_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "rename", refuse)
    file = LogFile(tmp_path / "a.jsonl", rotate_at=4)
    for number in range(4):
        file.append(b"line %d\n" % number)
    monkeypatch.undo()
    file.append(b"line 4\n")
    assert (tmp_path / "a.jsonl").read_text().startswith("line")
    assert lines(tmp_path) == [f"line {number}" for number in range(5)] or len(lines(tmp_path)) == 5


def test_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(OSError, match="not a regular file"):
        LogFile(tmp_path / "a.jsonl").append(b"one\n")


def test_a_folder_that_can_not_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        LogFile(tmp_path / "file" / "a.jsonl").append(b"one\n")


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    LogFile(tmp_path / "a.jsonl").append(b"a longer line\n")
    assert lines(tmp_path) == ["a longer line"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_half_a_record_stands_alone_after_the_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    file = LogFile(tmp_path / "a.jsonl")
    file.append(b"one\n")
    write: Callable[[int, bytes], int] = os.write
    calls: list[int] = []

    def full(descriptor: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) > 1:
            raise OSError(number, os.strerror(number))
        return write(descriptor, data[:4])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match=os.strerror(number)):
        file.append(b"two and more\n")
    monkeypatch.undo()
    file.append(b"three\n")
    assert lines(tmp_path) == ["one", "two ", "three"]


def test_a_file_that_can_not_be_looked_at_is_an_error_and_unlocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = LogFile(tmp_path / "a.jsonl")
    file.append(b"one\n")

    def refuse(path: object) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(PermissionError):
        file.append(b"two\n")
    monkeypatch.undo()
    LogFile(tmp_path / "a.jsonl").append(b"three\n")
    assert lines(tmp_path) == ["one", "three"]


def test_a_file_that_can_not_be_looked_at_once_it_is_open_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[int] = []
    close = os.close

    def refuse(descriptor: int) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error")

    def note(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    monkeypatch.setattr(os, "fstat", refuse)
    monkeypatch.setattr(os, "close", note)
    with pytest.raises(OSError, match="Input/output error"):
        LogFile(tmp_path / "a.jsonl").append(b"one\n")
    monkeypatch.undo()
    assert len(closed) == 1


def test_a_lock_that_is_never_released_costs_one_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "LOCK_WAIT", 0.05)
    path = tmp_path / "a.jsonl"
    path.write_text("torn")
    holder = os.open(path, os.O_RDWR)
    fcntl.flock(holder, fcntl.LOCK_EX)
    file = LogFile(path)
    file.append(b"one\n")
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("It waits again."))
    for _ in range(20):
        file.append(b"more\n")
    os.close(holder)
    file.append(b"last\n")
    assert path.read_text().endswith("more\nlast\n")


def test_a_file_system_without_locks_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / "a.jsonl").write_text("torn")
    LogFile(tmp_path / "a.jsonl").append(b"one\n")
    assert lines(tmp_path) == ["torn", "one"]


WRITER = """
import sys, pathlib
from playground.logbook import Logbook
folder, name, count = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
book = Logbook(folder, "shared", rotate_at=int(sys.argv[4]))
print("ready", flush=True)
for number in range(count):
    book.write("e", {"writer": name, "number": number, "text": "x" * (200, 9_000, 200_000)[number % 3]})
"""


def writer(folder: Path, name: str, count: int, rotate_at: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count), str(rotate_at)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_of_four_processes_one_of_them_killed_every_record_stands_alone(tmp_path: Path) -> None:
    """Case D21: at most one torn record, which the next writer closes."""
    processes = [writer(tmp_path, str(number), 300, 1 << 40) for number in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    path = tmp_path / "shared.jsonl"
    deadline = time.monotonic() + 20
    while path.stat().st_size < 4_000_000 and time.monotonic() < deadline:
        os.sched_yield()
    processes[0].send_signal(signal.SIGKILL)
    for process in processes:
        process.communicate()
    bad, found = 0, dict.fromkeys("0123", -1)
    for line in lines(tmp_path):
        try:
            data = json.loads(line)["data"]
        except ValueError:
            bad += 1
            continue
        assert data["number"] == found[data["writer"]] + 1
        found[data["writer"]] = data["number"]
    assert bad <= 1
    assert [found[name] for name in "123"] == [299] * 3


def test_rotation_under_several_processes_loses_nothing(tmp_path: Path) -> None:
    processes = [writer(tmp_path, str(number), 60, 1_000_000) for number in range(3)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert len(list(tmp_path.iterdir())) > 3
    found = sorted((data["writer"], data["number"]) for data in (json.loads(x)["data"] for x in lines(tmp_path)))
    assert found == [(name, number) for name in "012" for number in range(60)]
