"""Stdio, the client's side: a server process of our own, one JSON message a line.

In:   messages of one connection, from several threads.
Out:  the messages that come back, each to the request it answers; TravelError where none does.
Here nobody knows what is asked (basic/transports, stdio).

Theory of operation
    One thread reads the server's stdout and hands each message to whoever waits for it (inboxes.py). A second one
    keeps the server's stderr as log records. A server that dies is found out at once: everyone who waits is told, and
    the next open() starts it again.
"""

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_core import messages, strict
from mcp_core.messages import Message, ProtocolError, Request
from playground.wire.inboxes import Inboxes
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotReachable, Unasked

PATIENCE_AT_THE_END = 2.0  # seconds between closing stdin, terminating and killing
LONGEST_LINE = 64 * 1024 * 1024


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
        self._process: subprocess.Popen[bytes] | None = None
        self._inboxes = Inboxes()
        self._writing = threading.Lock()
        self._readers: list[threading.Thread] = []

    # ---- 1. The transport seam ---------------------------------------------------------------------------------------

    def open(self, unasked: Unasked) -> None:
        """Starts the server, unless it runs."""
        self._inboxes.unasked = unasked
        if self._process is not None and self._process.poll() is None:
            return
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**_harmless_environment(), **self._env},
                cwd=self._cwd,
                start_new_session=os.name == "posix",  # Ctrl-C is for us; the server is ended by closing its stdin
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            text = f"The server {self._shown} can't be started: {reason}. Check the command and its path."
            raise NotReachable(text) from None
        self._readers = [
            threading.Thread(target=read, args=[self._process], daemon=True)
            for read in (self._read_stdout, self._read_stderr)
        ]
        for reader in self._readers:
            reader.start()

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Iterator[Message]:
        """One line, and what comes back. See transports.Transport."""
        if isinstance(message, Request):
            yield from self._inboxes.exchange(message, lambda: self._write(message), deadline, self._shown)
        else:
            self._write(message)

    def greeted(self, revision: str) -> None:
        """A pipe says nothing about the revision; the messages do."""

    def close(self) -> None:
        """Closes its stdin and waits; then terminates; then kills (basic/lifecycle, Shutdown)."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        for end in (process.terminate, process.kill, lambda: None):
            try:
                process.wait(PATIENCE_AT_THE_END)
                break
            except subprocess.TimeoutExpired:
                end()
        self._process = None
        for reader in self._readers:
            reader.join(PATIENCE_AT_THE_END)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    # ---- 2. The process ----------------------------------------------------------------------------------------------

    @property
    def _shown(self) -> str:
        return f"'{' '.join(self.command)[:80]}'"

    def _fate(self) -> str:
        try:
            code = self._process.wait(1.0) if self._process is not None else None
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return f"exit code {code}; its last words are in the log as server_stderr"

    def _write(self, message: Message) -> None:
        text = messages.encode(message)
        self.recorder.sent(message, text)
        process = self._process
        try:
            if process is None or process.stdin is None:
                raise BrokenPipeError
            with self._writing:
                process.stdin.write(text.encode("ascii") + b"\n")
                process.stdin.flush()
        except (OSError, ValueError):
            raise NotReachable(f"{self._shown} is no longer running ({self._fate()}).") from None

    def _read_stdout(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        while line := process.stdout.readline(LONGEST_LINE):
            if not line.strip():
                continue
            try:
                value = strict.loads(line)
                for part in value if isinstance(value, list) else [value]:
                    message = messages.read(part)
                    self.recorder.came(message, line.rstrip(b"\r\n"), self._inboxes.about(message))
                    self._inboxes.put(message)
            except (strict.NotJSON, ProtocolError) as error:
                # What is no message is a stray print() of the server's: shown, and skipped (stdio: MUST NOT write any).
                self.recorder.unreadable(
                    line.rstrip(b"\r\n"), f"The server wrote to stdout what is no message: {error}"
                )
        if process is self._process:
            self.recorder.warn(f"{self._shown} has ended ({self._fate()}).")
        self._inboxes.end()

    def _read_stderr(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        while line := process.stderr.readline(65536):
            self.recorder.said_on_stderr(line.decode("utf-8", "replace").rstrip("\r\n"))


def _harmless_environment() -> dict[str, str]:
    """What a program needs to run at all. Our keys are nobody else's business."""
    names = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "SHELL", "LOGNAME")
    windows = ("APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "USERPROFILE", "COMSPEC")
    return {name: os.environ[name] for name in (*names, *windows) if name in os.environ}
