"""Programs that are measured: starting them, what they print, what they cost in memory and CPU, ending them.

In:   a command.
Out:  a running process whose first words have been read; or Unavailable, in a sentence.
Here nobody knows what the programs do.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
# As on a learner's machine, Python keeps what it has compiled, whatever the environment here says.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PATIENCE = 60.0  # seconds until a program must have said that it is ready


class Unavailable(Exception):
    """What can't be measured here, and why."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Gives up with Unavailable what takes longer, wherever it waits; in the main thread, where there are alarms."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise Unavailable(f"it was given up after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def running(
    command: Sequence[str], ready: str = "", *, cwd: Path = ROOT, patience: float = PATIENCE
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process, and the line of its output that holds `ready` ("" waits for nothing).

    Raises Unavailable, with the last thing it complained of, if it doesn't start, doesn't say so in time or breaks off.
    """
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                cwd=cwd,
                env=ENVIRONMENT,
                bufsize=0,
            )
        except OSError as error:
            raise Unavailable(f"{command[0]} does not start: {error.strerror}") from None
        try:
            line = _line_with(process, ready, patience) if ready else ""
            if line is None:
                raise Unavailable(f"{Path(command[0]).name} did not say {ready!r}{_last(complaints)}")
            yield process, line
        except OSError as error:  # a connection or pipe that broke: the program may have said why
            raise Unavailable(f"{error}{_last(complaints)}") from error
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _line_with(process: subprocess.Popen[bytes], ready: str, patience: float) -> str | None:
    """Reads byte by byte, so that what follows the line is still there for others."""
    assert process.stdout is not None
    number, deadline, line = process.stdout.fileno(), time.monotonic() + patience, b""
    poll = select.poll()
    poll.register(number, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        byte = os.read(number, 1)
        if not byte:
            return None
        line += byte
        if byte == b"\n":
            if ready.encode() in line:
                return line.decode()
            line = b""
    return None


def _last(complaints: IO[bytes]) -> str:
    """The last line of what a program said on stderr, as the end of a sentence."""
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return f"; its last words: {lines[-1].strip()[-200:]}" if lines else ""


def memory(process: subprocess.Popen[bytes]) -> float:
    """The process's own share of memory (PSS) in MB, its children's included."""
    total = 0.0
    for pid in [process.pid, *_children(process.pid)]:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError as error:
            raise Unavailable(f"memory can be read on Linux only ({error.strerror})") from None
        total += int(text.split("Pss:")[1].split()[0]) / 1024
    return total


def processor_time(process: subprocess.Popen[bytes]) -> float:
    """Seconds of CPU that the process and its living children have used, in ticks of 10 ms."""
    total = 0
    for pid in [process.pid, *_children(process.pid)]:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError as error:
            raise Unavailable(f"CPU time can be read on Linux only ({error.strerror})") from None
        total += int(fields[11]) + int(fields[12])  # utime and stime: see proc(5), fields 14 and 15
    return total / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_children(child)]
    return found


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder for one contestant; on the same disk for all."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        yield Path(name)


@contextlib.contextmanager
def our_server(files: Path, logs: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """server.py over HTTP as it is shipped, and its address."""
    command = [sys.executable, "server.py", "--port", "0", "--files", str(files), "--logs", str(logs)]
    with running(command, "MCP server on ") as (process, line):
        yield process, line.split()[3]


@contextlib.contextmanager
def our_viewer(logs: Path, *more: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """log_viewer.py as it is shipped, and its address."""
    command = [sys.executable, "log_viewer.py", "--port", "0", "--logs", str(logs), *more]
    with running(command, "Dashboard: ") as (process, line):
        yield process, line.split()[1].removesuffix("/dashboard")


def some_files(where: Path) -> Path:
    """The sandbox that every server serves: one text of 800 bytes."""
    where.mkdir(exist_ok=True)
    (where / "notes.txt").write_bytes((b"It is a line of notes, which says nothing much.\n" * 20)[:800])
    return where


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
