"""The server at the end of a pipe: one JSON message a line, in on stdin, out on stdout.

In:   a serving.Session, and two streams of bytes.
Out:  answers as soon as they are ready, in any order; everything else the process prints goes to stderr.
Here nobody knows about HTTP, and importing this imports no web framework.

Theory of operation
    The thread that has read something answers it there and then (playground/crew.py); only a call that turns out to be
    slow keeps a thread for itself, so that it holds up nobody and its cancellation can be heard. When stdin ends the
    client has left: calls under way get a moment to finish and be written, because `echo … | server` closes the pipe
    at once.

    What came together is written down together, before any of it is done. And who sends several requests at a time
    gets several answers at a time: an answer waits for the next one as long as lines are at hand, unless it is long.
    So do its records; they are in the log before it leaves. What a tool says while it works is sent at once.

    Stdout belongs to the protocol alone (basic/transports, stdio). So file descriptor 1 is put aside at the start and
    made to point to stderr: a stray print() of any library can't garble a message.
"""

import os
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from mcp_core import messages, strict
from mcp_core.catalogue import Catalogue, Change
from mcp_core.messages import ProtocolError
from mcp_core.serving import Session
from playground.crew import Crew
from playground.logbook import Logbook
from playground.server.live import Delivery, Live

LAST_WORDS = 5.0  # seconds that calls may still take when the client has closed the pipe
PIECE = 65536  # bytes that are read at a time: what a pipe holds on Linux
MOST_HELD, LONG = 16, 4096  # answers that may wait for the next one; characters of one that may not
MOST_AT_WORK = 64  # calls at a time; the next ones wait


class PipeLive(Live):
    """The one conversation of a pipe, which writes to `target`."""

    def __init__(self, session: Session, log: Logbook, target: BinaryIO) -> None:
        super().__init__(session, log, via="stdio", connection=f"pipe-{os.getpid()}")
        self._target = target
        self._texts: deque[str] = deque()  # still to be written
        self._writing = threading.Lock()
        self._newest: object = None  # stands for what was begun last

    def settle(self) -> None:
        """Not yet: begin() and flush() see to it."""

    def begin(self, lines: list[bytes]) -> list[Iterator[Delivery]]:
        """Takes the messages of some lines, and writes them down. To be answered, each must be driven to its end."""
        begun = [self._begin(line) for line in lines]
        self._log.put()
        return begun

    def answer(self, deliveries: Iterator[Delivery], is_followed: bool) -> None:
        """Does what was asked, and sends what comes of it. `is_followed`: another line is at hand."""
        me = self._newest = object()
        try:
            for delivery in deliveries:
                self.deliver(delivery, can_wait=is_followed and delivery.is_last)
        except Exception:  # a bug of ours; the pipe goes on
            self._log.write("server_fault", {"traceback": traceback.format_exc()}, level="ERROR", via="stdio")
        if not is_followed or self._newest is not me:  # else the next one sees to it
            self.flush()

    def _begin(self, line: bytes) -> Iterator[Delivery]:
        """Takes the message of a line, or refuses what is none."""
        try:
            value = messages.parse(line)
            return self._batch(value, line) if isinstance(value, list) else self.take(messages.read(value), line)
        except ProtocolError as error:
            return iter([self.refuse(line, error)])

    def _batch(self, value: list[Any], line: bytes) -> Iterator[Delivery]:
        """An array of messages, where the session takes such a thing: not before the lines before it are done."""
        for part in value if value and self.session.takes_batches else [value]:
            try:
                deliveries = self.take(messages.read(part), line)
            except ProtocolError as error:
                deliveries = iter([self.refuse(line, error)])
            self._log.put()
            yield from deliveries

    def deliver(self, delivery: Delivery, can_wait: bool = False) -> None:
        if delivery.text is not None:
            self._texts.append(delivery.text)
            if not can_wait or len(self._texts) >= MOST_HELD or len(delivery.text) >= LONG:
                self.flush()

    def flush(self) -> None:
        """Writes what is to be written, into the log and then to the client.

        Unless another thread is at it already: that one sees to the rest too. So a client that does not read holds up
        one thread, and all that it sends is still heard.
        """
        while self._texts and self._writing.acquire(blocking=False):
            try:
                texts = [self._texts.popleft() for _ in range(len(self._texts))]
                self._log.put()  # another thread may have added a text, and not yet come to write down that it did
                self._target.write("\n".join([*texts, ""]).encode("ascii"))
                self._target.flush()
            except (OSError, ValueError):
                pass  # the client has left; the end of stdin will say so too
            finally:
                self._writing.release()
        if not self._log.is_empty:
            self._log.put()

    def tell(self, change: Change) -> None:
        """Tells the client of a change in the catalogue, if it wants to hear."""
        for delivery in self.deliveries(self.session.announce(change), over_http=False):
            self.deliver(delivery)


def serve(session: Session, catalogue: Catalogue, log: Logbook, source: BinaryIO, target: BinaryIO) -> None:
    """Serves until `source` ends or `target` is closed."""
    live = PipeLive(session, log, target)
    catalogue.watch(live.tell)
    Reader(live, source).run()


class Reader:
    """Has all lines of a stream answered by a crew."""

    def __init__(self, live: PipeLive, source: BinaryIO) -> None:
        self._live, self._lines = live, _lines(source)
        self._has_ended = False
        self._is_all_begun = False
        self._news = threading.Event()  # after the end there are no others than that a thread is free again
        self._crew = Crew(self._turn, self._news.set, MOST_AT_WORK)

    def run(self) -> None:
        """Returns when all is done, or LAST_WORDS after the last line was begun."""
        self._crew.watch(lambda: self._is_all_begun)
        self._crew.end(time.monotonic() + LAST_WORDS)

    def service(self) -> None:
        """What the reader itself does as the last task: to tell that all others have begun."""
        self._is_all_begun = True
        self._crew.ring()

    def _turn(self) -> None:
        """Waits for lines, and has them answered one by one."""
        self._live.flush()  # what waited for an answer that turns out to be slow waits no longer
        if self._has_ended:
            self._news.wait()
            self._news.clear()
        elif lines := next(self._lines, None):
            for number, deliveries in enumerate(self._live.begin(lines), 1):
                self._crew.add_task(Answering(self._live, deliveries, number < len(lines)))
        elif lines is None:
            self._has_ended = True
            self._crew.add_task(self)


class Answering(NamedTuple):
    """One task of the crew."""

    live: PipeLive
    deliveries: Iterator[Delivery]
    is_followed: bool

    def service(self) -> None:
        self.live.answer(self.deliveries, self.is_followed)


def own_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout for the protocol alone; what anybody prints from now on goes to stderr."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return sys.stdin.buffer, target


def _lines(source: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of a stream that are not blank, as many as have come.

    A line that is too long for a message is cut, which makes it an unreadable message.
    """
    parts: list[bytes] = []  # of a line that has not ended yet
    size = 0
    while piece := source.read1(PIECE):  # type: ignore[attr-defined]
        first, *others = piece.split(b"\n")
        if size <= strict.MAX_BYTES:
            parts.append(first)
            size += len(first)
        if others:
            lines = [b"".join(parts), *others[:-1]]
            parts, size = [others[-1]], len(others[-1])
            yield [line.rstrip(b"\r") for line in lines if line.strip()]
    if last := b"".join(parts).strip():
        yield [last]
