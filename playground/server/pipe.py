"""The server at the end of a pipe: one JSON message a line, in on stdin, out on stdout.

In:   a serving.Session, and two streams of bytes.
Out:  answers as soon as they are ready, in any order; everything else the process prints goes to stderr.
Here nobody knows about HTTP, and importing this imports no web framework.

Theory of operation
    The main thread reads lines. What is quick (lists, handshakes, notifications, answers to our own questions when
    nothing has to run on) is done there and then; what runs code of ours, a tool, a prompt or a resource, goes to a
    pool of workers, so that a slow call holds up nobody and its cancellation can be heard. When stdin ends the client
    has left: calls under way get a moment to finish and be written, because `echo … | server` closes the pipe at once.

    Stdout belongs to the protocol alone (basic/transports, stdio). So file descriptor 1 is put aside at the start and
    made to point to stderr: a stray print() of any library can't garble a message.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from mcp_core import messages, strict
from mcp_core.catalogue import Catalogue, Change
from mcp_core.messages import Message, Notification, ProtocolError, Request
from mcp_core.serving import Session
from playground.logbook import Logbook
from playground.server.live import Delivery, Live

WORKERS = 8
LAST_WORDS = 5.0  # seconds that calls may still take when the client has closed the pipe

_RUNS_OUR_CODE = ("tools/call", "prompts/get", "resources/read")


class PipeLive(Live):
    """The one conversation of a pipe."""

    def __init__(self, session: Session, log: Logbook, write: Callable[[str], None]) -> None:
        super().__init__(session, log, via="stdio", connection=f"pipe-{os.getpid()}")
        self._write = write

    def deliver(self, delivery: Delivery) -> None:
        if delivery.text is not None:
            self._write(delivery.text)

    def tell(self, change: Change) -> None:
        """Tells the client of a change in the catalogue, if it wants to hear."""
        for delivery in self.deliveries(self.session.announce(change), over_http=False):
            self.deliver(delivery)


def serve(session: Session, catalogue: Catalogue, log: Logbook, source: BinaryIO, target: BinaryIO) -> None:
    """Serves until `source` ends or `target` is closed."""
    lock = threading.Lock()

    def write(text: str) -> None:
        with lock:
            try:
                target.write(text.encode("ascii") + b"\n")
                target.flush()
            except (OSError, ValueError):
                pass  # the client has left; the end of stdin will say so too

    live = PipeLive(session, log, write)
    catalogue.watch(live.tell)
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="tool")
    for line in _lines(source):
        for message in _messages(live, line):
            if (isinstance(message, Request) and message.method not in _RUNS_OUR_CODE) or isinstance(
                message, Notification
            ):
                _answer(live, message, line)
            else:  # also an answer to a question: the tool that asked runs on
                pool.submit(_answer, live, message, line)
    finished = threading.Thread(target=pool.shutdown, daemon=True)
    finished.start()
    finished.join(LAST_WORDS)


def own_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout for the protocol alone; what anybody prints from now on goes to stderr."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return sys.stdin.buffer, target


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; one that is too long for a message is cut, which makes it an unreadable message."""
    while line := source.readline(strict.MAX_BYTES + 2):
        ended = line.endswith(b"\n")
        while not ended and (rest := source.readline(65536)):
            ended = rest.endswith(b"\n")
        if line.strip():
            yield line.rstrip(b"\r\n")


def _messages(live: PipeLive, line: bytes) -> Iterator[Message]:
    """The message of a line, or the messages where the session takes batches; what is none is refused at once."""
    try:
        value: Any = messages.parse(line)
        batch = value if isinstance(value, list) and value and live.session.takes_batches else [value]
    except ProtocolError as error:
        live.deliver(live.refuse(line, error))
        return
    for part in batch:
        try:
            yield messages.read(part)
        except ProtocolError as error:
            live.deliver(live.refuse(line, error))


def _answer(live: PipeLive, message: Message, line: bytes) -> None:
    for delivery in live.take(message, line):
        live.deliver(delivery)
