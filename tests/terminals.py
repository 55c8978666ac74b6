"""A pseudo-terminal with a person at it: starts the chat, reads what it shows, presses keys.

In:   arguments of chat_with_tools.py.
Out:  what was shown, with and without the escape sequences of the terminal; the exit code.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

from tests.chats import environment, records
from tests.conftest import ROOT

CTRL_C, CTRL_D, CTRL_U, ENTER, ESCAPE = "\x03", "\x04", "\x15", "\r", "\x1b"
PROMPT = r"(?m)^> *$"  # with nothing behind it yet
# The child takes the terminal for its own, so that Ctrl-C means it, and becomes the script.
TAKE = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.executable, sys.argv[1:])"
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78cDEHM]")


class Terminal:
    """A chat at a terminal of its own. Use it as a context manager."""

    def __init__(self, folder: Path, *arguments: object, **settings: str) -> None:
        self.logs = folder / "logs"
        self._master, slave = pty.openpty()
        self._size(40, 100)
        command = [sys.executable, str(ROOT / "chat_with_tools.py"), *map(str, arguments)]
        env = environment(folder, TERM="xterm-256color", PROMPT_TOOLKIT_NO_CPR="1", **settings)
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE, *command],
            cwd=folder, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.raw = b""
        self._seen = 0
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._reader.join(20)  # it would read from whatever gets the descriptor's number next
        if not self._reader.is_alive():
            os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(self._master, 65536):
                with self._news:
                    self.raw += piece
                    self._news.notify_all()

    @property
    def text(self) -> str:
        """All that was shown, without the terminal's own sequences."""
        shown = _SEQUENCE.sub("", self.raw.decode("utf-8", "replace"))
        return shown.replace("\r\n", "\n").replace("\r", "\n")

    def see(self, pattern: str, seconds: float = 60) -> str:
        """Waits until this is shown after what was seen before; gives what was shown up to its end."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not (found := re.compile(pattern).search(self.text, self._seen)):
                left = deadline - time.monotonic()
                assert left > 0, f"{pattern!r} was not shown, but:\n{self.text[self._seen :]}"
                self._news.wait(min(left, 0.2))
        shown, self._seen = self.text[self._seen : found.end()], found.end()
        return shown

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def ask(self, text: str) -> None:
        """Waits for the prompt, and asks."""
        self.see(PROMPT)
        self.press(text + ENTER)

    def interrupt(self) -> None:
        """Ctrl-C while the program is at work: the terminal makes a signal of it."""
        self.press(CTRL_C)

    def signal(self) -> None:
        """The signal alone, as another program would send it."""
        os.kill(self.process.pid, signal.SIGINT)

    def resize(self, rows: int, columns: int) -> None:
        self._size(rows, columns)
        os.kill(self.process.pid, signal.SIGWINCH)

    def wait(self, seconds: float = 60) -> int:
        code = self.process.wait(seconds)
        assert "Traceback" not in self.text, self.text
        return code

    def records(self, *events: str) -> list[dict[str, Any]]:
        return records(self.logs, *events)

    def recorded(self, event: str, count: int = 1, seconds: float = 60) -> list[dict[str, Any]]:
        """Waits until so many records of this event are in the log."""
        deadline = time.monotonic() + seconds
        while len(found := self.records(event)) < count:
            assert time.monotonic() < deadline, f"{len(found)} records {event} instead of {count}; shown:\n{self.text}"
            threading.Event().wait(0.05)
        return found

    def _size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
