"""Programs that are measured: starting them, what they print, how much memory they hold, ending them.

In:   a command.
Out:  a running process whose first words have been read; or Unavailable, in a sentence.
Here nobody knows what the programs do.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0  # seconds until a program must have said that it is ready


class Unavailable(Exception):
    """What can't be measured here, and why."""


@contextlib.contextmanager
def running(
    command: Sequence[str], ready: str = "", *, cwd: Path = ROOT
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process, and the line of its output that holds `ready` ("" waits for nothing). Its complaints are dropped."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, bufsize=0
        )
    except OSError as error:
        raise Unavailable(f"{command[0]} does not start: {error.strerror}") from None
    try:
        yield process, _line_with(process, ready) if ready else ""
    finally:
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


def _line_with(process: subprocess.Popen[bytes], ready: str) -> str:
    assert process.stdout is not None
    deadline, line = time.monotonic() + PATIENCE, b""
    while time.monotonic() < deadline:
        byte = process.stdout.read(1)
        if not byte:
            break
        line += byte
        if byte == b"\n":
            if ready.encode() in line:
                return line.decode()
            line = b""
    raise Unavailable(f"{process.args!r:.80} did not say {ready!r}")


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


def is_linux() -> bool:
    return os.path.exists("/proc/self/smaps_rollup")
