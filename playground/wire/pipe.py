"""Stdio, the client's side: a server process of our own, one JSON message a line.

In:   messages of one connection, from several threads.
Out:  the messages that come back, each to the request it answers; TravelError where none does.
Here nobody knows what is asked (basic/transports, stdio).

Theory of operation
    Each of the process's three streams has a thread, and that thread alone touches it, since each can block for ever:
    a server may not read, may not write, and may leave behind a child that holds its output open. stdout's thread
    hands each message to whoever waits for it (inboxes.py); stderr's keeps what it reads as log records. A server that
    dies is found out at once: everyone who waits is told, and the next open() starts it again.
"""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_core import messages, strict
from mcp_core.messages import Message, ProtocolError, Request
from playground.wire.inboxes import Inboxes
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotReachable, Unasked

PATIENCE_AT_THE_END = 2.0  # seconds between closing stdin, terminating and killing
LONGEST_LINE = 64 * 1024 * 1024
LONGEST_REMARK = 64 * 1024  # bytes of one line on stderr that are kept as one record


class Pipe:
    """A server started with `command`; `env` is added to a small, harmless part of our own environment."""

    via = "stdio"

    def __init__(
        self,
        command: Sequence[str],
        recorder: Recorder,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
    ) -> None:
        self.command, self.recorder, self._env, self._cwd = list(command), recorder, dict(env or {}), cwd
        self._running: Running | None = None

    @property
    def is_open(self) -> bool:
        return self._running is not None and self._running.is_alive

    def open(self, unasked: Unasked) -> None:
        """Starts the server, unless it runs."""
        if self._running is not None:
            if self.is_open:
                self._running.inboxes.unasked = unasked
                return
            self._running.end()
        shown = f"'{' '.join(self.command)[:80]}'"
        environment = {**_harmless_environment(), **self._env}
        try:
            program = shutil.which(self.command[0], path=environment.get("PATH")) or self.command[0]
            process = subprocess.Popen(
                [program, *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=self._cwd,
                start_new_session=os.name == "posix",  # Ctrl-C is for us; the server is ended by closing its stdin
            )
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            text = f"The server {shown} can't be started: {reason}. Check the command and its path."
            raise NotReachable(text) from None
        self._running = Running(process, shown, self.recorder, unasked)

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Generator[Message, None, None]:
        """One line, and what comes back. See transports.Transport."""
        running = self._running
        if running is None:
            raise NotReachable(f"The server '{self.command[0]}' is not running.")
        if isinstance(message, Request):
            yield from running.inboxes.exchange(message, lambda: running.write(message), deadline, running.shown)
        else:
            running.write(message)

    def greeted(self, revision: str) -> None:
        """A pipe says nothing about the revision; the messages do."""

    def close(self) -> None:
        """Closes its stdin and waits; then terminates; then kills (basic/lifecycle, Shutdown)."""
        running, self._running = self._running, None
        if running is not None:
            running.end()


class Running:
    """One process, from its start to its end, and the three threads at its streams."""

    def __init__(self, process: "subprocess.Popen[bytes]", shown: str, recorder: Recorder, unasked: Unasked) -> None:
        self.shown, self.inboxes = shown, Inboxes(unasked)
        self._process, self._recorder = process, recorder
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._last_words = ""
        self._is_wanted = True
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._write, self._read, self._keep_stderr)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_alive(self) -> bool:
        return not self.inboxes.has_ended and self._process.poll() is None

    def write(self, message: Message) -> None:
        """Has a message written. Raises NotReachable if the process is known to be gone."""
        if not self.is_alive:
            raise NotReachable(f"{self.shown} is no longer running ({self._fate()}).")
        text = messages.encode(message)
        self._recorder.sent(message, text)
        self._outgoing.put(text.encode("ascii") + b"\n")

    def end(self) -> None:
        """Ends the process. Never raises."""
        self._is_wanted = False
        self._outgoing.put(None)  # the writing thread then closes stdin
        for harder in (signal.SIGTERM, _KILL, None):
            try:
                self._process.wait(PATIENCE_AT_THE_END)
                break
            except subprocess.TimeoutExpired:
                if harder is not None:
                    self._signal(harder)
        for thread in self._threads:
            thread.join(PATIENCE_AT_THE_END / 4)  # a child of the server may still hold a stream open

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)  # a launcher (npx, uv) and what it launched
            else:
                self._process.kill()

    def _fate(self) -> str:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._threads[2].join(0.5)
        return f"exit code {code}" + (f"; its last words: {self._last_words[:200]!r}" if self._last_words else "")

    # ---- The threads -------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError), stdin:  # one that is gone is noticed at its stdout
            while (line := self._outgoing.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in _lines(stdout.readline, LONGEST_LINE):
                if line:
                    self._take(line)
        self._outgoing.put(None)
        fate = self._fate() if self._is_wanted else ""
        if fate:
            self._recorder.warn(f"{self.shown} has ended ({fate}).")
        self.inboxes.end(fate)

    def _take(self, line: bytes) -> None:
        try:
            value = strict.loads(line, LONGEST_LINE)
            for part in value if isinstance(value, list) else [value]:
                message = messages.read(part)
                self._recorder.came(message, line, self.inboxes.about(message))
                self.inboxes.put(message)
        except (strict.NotJSON, ProtocolError) as error:
            # What is no message is a stray print() of the server's: shown, and skipped (stdio: MUST NOT write any).
            self._recorder.unreadable(line, f"The server wrote to stdout what is no message: {error}")

    def _keep_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for line in _lines(stderr.readline, LONGEST_REMARK):
                text = line.decode("utf-8", "replace")
                self._last_words = text if text.strip() else self._last_words
                self._recorder.said_on_stderr(text)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _lines(read: Callable[[int], bytes], longest: int) -> Iterator[bytes]:
    while line := read(longest):
        yield line.rstrip(b"\r\n")


def _harmless_environment() -> dict[str, str]:
    """What a program needs to run at all. Our keys are nobody else's business."""
    names = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "SHELL", "LOGNAME")
    windows = ("APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "USERPROFILE", "COMSPEC")
    return {name: os.environ[name] for name in (*names, *windows) if name in os.environ}
