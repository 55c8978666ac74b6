"""The seam that every way of traveling shares, and what can go wrong on the way.

In:   one message.
Out:  the messages that come back because of it.
Here nobody knows what the messages mean; connection.py gives them to a calling.Session.

    for message in transport.send(message, deadline):
        ...

What belongs to no request (a change, a question on a stream of its own) goes to the `unasked` function that a
transport is given at open().
"""

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_core.messages import Message, Notification, Request
from playground.wire.recorder import Recorder

# TravelError                 the message did not arrive, or no usable answer came back
#  ├─ NotReachable            nobody is there, or they hung up before a word was said: safe to try again
#  ├─ NotMCP                  somebody is there, and it is no MCP server
#  ├─ Unauthorized            they want to know first who asks, and whether they may (HTTP 401, 403)
#  ├─ Busy                    not now (HTTP 429, 502, 503, 504)
#  ├─ TimedOut                no answer in the time allowed
#  └─ SessionEnded            the server has forgotten us; begin anew (HTTP 404, handshake era)


class TravelError(Exception):
    """One sentence: what was tried, what it means, what to do."""


class NotReachable(TravelError):
    """Nothing was delivered."""


class NotMCP(TravelError):
    """What answered is something else; `status` is its HTTP status."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


class Unauthorized(TravelError):
    """HTTP 401 or 403; `challenge` is its WWW-Authenticate, with which an authorization would begin."""

    def __init__(self, sentence: str, challenge: str = "") -> None:
        super().__init__(sentence)
        self.challenge = challenge


class Busy(TravelError):
    """The server, or what stands before it, has no time; `pause` is how many seconds it asks for, if it says."""

    def __init__(self, sentence: str, pause: float | None = None) -> None:
        super().__init__(sentence)
        self.pause = pause


class TimedOut(TravelError):
    """The time allowed is over; the server may still be working."""


class SessionEnded(TravelError):
    """The session is gone, and with it everything the server remembered."""


GLANCE = 0.1  # seconds between two looks at whether somebody said stop


@dataclass
class Deadline:
    """A moment that moves: each sign of progress puts it off by the patience, up to a limit.

    `now` gives seconds and never runs backwards. When `stop` is set, by whichever thread, it has come at once.
    """

    patience: float
    longest: float
    now: Callable[[], float] = time.monotonic
    stop: threading.Event | None = None

    def __post_init__(self) -> None:
        self._start = self.now()
        self._until = self._start + self.patience
        self._lock, self._holds, self._held_since = threading.Lock(), 0, 0.0

    def put_off(self) -> None:
        """The server is alive and at work."""
        self._until = max(self._until, min(self.now() + self.patience, self._start + self.longest))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While it is the server that waits, for an answer of ours, its time does not run."""
        with self._lock:
            self._holds += 1
            if self._holds == 1:
                self._held_since = self.now()
        try:
            yield
        finally:
            with self._lock:
                self._holds -= 1
                if self._holds == 0:
                    waited = self.now() - self._held_since
                    self._start, self._until = self._start + waited, self._until + waited

    @property
    def left(self) -> float:
        """Seconds until it; not positive when it has passed."""
        if self.stop is not None and self.stop.is_set():
            return 0.0
        return self.patience if self._holds else self._until - self.now()

    @property
    def glance(self) -> float:
        """Seconds to wait before looking at `left` again; short where somebody may say stop meanwhile."""
        return self.left if self.stop is None else min(self.left, GLANCE)


Unasked = Callable[[Message], None]


class Transport(Protocol):
    """A way of traveling. One connection uses it, from several threads."""

    via: str  # as the log says it: http, stdio
    recorder: Recorder

    @property
    def is_open(self) -> bool:
        """Whether the other end still knows us, as far as one can tell; if not, open() and greet it anew."""

    def open(self, unasked: Unasked) -> None:
        """Makes ready to send, unless it is. Raises TravelError."""

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Generator[Message, None, None]:
        """Sends one message and gives what comes back: for a request, up to and with its answer. Raises TravelError.

        Closing it early gives the request up, as far as the transport itself can say so. `input_schema` is that of the
        tool which the message calls: some of its arguments may have to travel in headers too.
        """

    def greeted(self, revision: str) -> None:
        """The handshake is done: from now on this revision is spoken."""

    def close(self) -> None:
        """Ends the connection, politely if possible. Never raises."""


def about(message: Message) -> str:
    """What a message is, in a sentence about it."""
    return message.method if isinstance(message, Request | Notification) else "an answer"
