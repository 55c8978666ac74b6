"""A tap on a pipe: a server's process behind us, its client before us.

In:   the command of a server; the client at our own stdin and stdout.
Out:  the same bytes in both directions, the server's stderr, its exit code.
Here nobody knows HTTP, or what the lines mean.

Theory of operation
    Three threads read: our stdin, the server's stdout, its stderr. Each piece goes on as it came, at once, in the same
    cut; the lines in it are written down just before. When one end closes a pipe, the other end's is closed. What ends
    the server ends us, in the same way: with its exit code, or by the signal that ended it. A signal that should end us
    is handed to the server.

    The server stays in our process group, so that a client which ends the whole group ends it too. Ctrl-C at a terminal
    reaches the group by itself and must not be handed on a second time.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from playground.tapping.bodies import Kept, Lines
from playground.tapping.story import Crossing, Story

__all__ = ["CannotStart", "run"]

PIECE = 64 * 1024
LAST_WORDS = 1.0  # seconds of silence after the server's end in which something it wrote may still come
LONGEST_LINE = 8192  # characters of a line on stderr that are kept
HANDED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGBREAK")

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    for _descriptor in (0, 1, 2):
        msvcrt.setmode(_descriptor, os.O_BINARY)


class CannotStart(Exception):
    """A sentence for the user, and what a shell's exit code would be."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


class Pump(threading.Thread):
    """Passes on what comes from one descriptor to another, until one of them is closed."""

    def __init__(self, source: int, target: int, hear: Callable[[bytes], None], close: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._source, self._target, self._hear, self._close = source, target, hear, close
        self.moved = 0  # bytes
        self.is_waiting_for_reader = False

    def run(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more
            while piece := os.read(self._source, PIECE):
                self._hear(piece)
                self._write(piece)
        self._hear(b"")
        self._close()

    def _write(self, piece: bytes) -> None:
        self.is_waiting_for_reader = True
        while piece:
            written = os.write(self._target, piece)
            self.moved += written
            piece = piece[written:]
        self.is_waiting_for_reader = False

    def drain(self) -> None:
        """Waits for its end; but not for a child of the server's that holds the pipe open and says nothing."""
        before = -1
        while self.is_alive() and (self.moved != before or self.is_waiting_for_reader):
            before = self.moved
            self.join(LAST_WORDS)


class Hearing:
    """Writes down the lines of one direction."""

    def __init__(self, write: Callable[[Kept], None]) -> None:
        self._lines, self._write = Lines(), write

    def __call__(self, piece: bytes) -> None:
        for line in self._lines.take(piece) if piece else self._lines.end():
            self._write(line)


def run(command: Sequence[str], shown: str, story: Story) -> int:
    """Runs the server to its end; its return code, negative for a signal (subprocess). Raises CannotStart."""
    with _started(command, shown) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        story.log.write("tap_start", {"via": "stdio", "command": shown, "server_pid": process.pid}, via="stdio")
        # The playground's server names its pipe by its process: so both logs name an exchange alike.
        talk = story.talk(f"pipe-{process.pid}", is_pipe=True)

        def crossing(sender: str) -> Callable[[Kept], None]:
            return lambda line: talk.text(line, Crossing(sender)) if line.data.strip() else None

        def on_stderr(line: Kept) -> None:
            text = line.data.decode("utf-8", "replace").rstrip("\r")[:LONGEST_LINE]
            story.note("server_stderr", {"line": text, "server": shown}, level="INFO", peer="server")

        out = Pump(process.stdout.fileno(), 1, Hearing(_framed(crossing("server"))), process.stdout.close)
        err = Pump(process.stderr.fileno(), 2, Hearing(on_stderr), process.stderr.close)
        into = Pump(0, process.stdin.fileno(), Hearing(_framed(crossing("client"))), lambda: _close_both(process))
        for pump in (out, err, into):
            pump.start()
        code = process.wait()
        for pump in (out, err):
            pump.drain()
        story.note("tap_exit", {"command": shown, "code": code}, level="WARNING" if code else "INFO")
        return code


@contextlib.contextmanager
def _started(command: Sequence[str], shown: str) -> "Iterator[subprocess.Popen[bytes]]":
    program = shutil.which(command[0]) or command[0]  # on Windows this finds npx.cmd, too
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen([program, *command[1:]], bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        sentence = f"The server {shown!r} can't be started: {reason}. Check the command after the two dashes."
        raise CannotStart(sentence, 127 if isinstance(error, FileNotFoundError) else 126) from None
    with _signals_to(process):
        yield process


@contextlib.contextmanager
def _signals_to(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Hands signals to the server instead of obeying them."""

    def hand_on(number: int, _: FrameType | None) -> None:
        if not (number == signal.SIGINT and _has_terminal()):
            process.send_signal(number)

    numbers = [getattr(signal, name) for name in HANDED_ON if hasattr(signal, name)]
    before = {number: signal.signal(number, hand_on) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_terminal() -> bool:
    """Whether we are in the foreground of a terminal, whose Ctrl-C then went to the server as well."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _close_both(process: "subprocess.Popen[bytes]") -> None:
    """The client has closed our stdin, or the server its own: the other end learns it."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # so that number 0 is not given to another file
    os.close(nothing)


def _framed(write: Callable[[Kept], None]) -> Callable[[Kept], None]:
    """The frame of a line is the line without its end, which may be CRLF."""

    def framed(line: Kept) -> None:
        if line.is_whole and line.data.endswith(b"\r"):
            bare = Kept()
            bare.add(line.data[:-1])
            line = bare
        write(line)

    return framed
