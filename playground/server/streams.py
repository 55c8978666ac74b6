"""A stream of server-sent events that outlives the connection it is read over.

In:   texts of messages, from any thread; readers that come, leave and come back.
Out:  the text of events, as they come, with a comment now and then in silence.
Here nobody knows what the messages say.

Theory of operation
    Events are numbered and kept, so that whoever lost the connection can ask for the rest by Last-Event-ID
    (basic/transports, Resumability and Redelivery). The thread that serves a request runs the tool and feeds the stream
    itself, through `feed`; only when the tool sleeps, because its answer will arrive in another request, does it wait
    for what other threads put there.
"""

import threading
from collections.abc import Callable, Generator, Iterator

from mcp_core import sse
from playground.server.live import Delivery

HEARTBEAT = 15.0  # seconds between two comments on a silent stream: it keeps proxies and finds clients that left
KEPT_EVENTS = 1000

OnGone = Callable[[Callable[[], None]], None]  # has what it is given called when the reader's connection is gone


class Stream:
    """The events of one answer, or those that belong to none; one reader at a time."""

    def __init__(self, name: str, *, is_numbered: bool) -> None:
        self.name, self.is_numbered = name, is_numbered
        self._events: list[str] = []
        self._dropped = 0  # events that are no longer kept
        self._has_ended = False
        self._news = threading.Condition()
        self._reader: object | None = None  # a newer one takes the place of an older
        self.delivered = 0  # the number of the last event that a reader has taken

    def put(self, text: str) -> None:
        """Adds an event; never waits."""
        with self._news:
            number = self._dropped + len(self._events) + 1
            id = f"{self.name}-{number}" if self.is_numbered else None
            self._events.append(sse.encode(text, event="message", id=id))
            if len(self._events) > KEPT_EVENTS:
                del self._events[0]
                self._dropped += 1
            self._news.notify_all()

    def end(self) -> None:
        """No more events will come."""
        with self._news:
            self._has_ended = True
            self._news.notify_all()

    @property
    def is_read(self) -> bool:
        return self._reader is not None

    @property
    def has_ended(self) -> bool:
        return self._has_ended

    def read(
        self,
        after: int = 0,
        *,
        beginning: str = "",
        feed: Iterator[Delivery] | None = None,
        on_gone: OnGone | None = None,
    ) -> Generator[str, None, None]:
        """The events after a number, then those to come, with comments in silence. `feed` is run to get more events.

        Whoever has read the `beginning` is known as the reader.

        Ends with the stream, at a Delivery that sends the client away, or when `on_gone` tells that the reader left:
        the thread that waits here is needed for others, and would notice by itself only at the next comment.
        """
        with self._news:
            me = self._reader = object()
            self._news.notify_all()
        if on_gone is not None:
            on_gone(lambda: self._dismiss(me))
        try:
            if beginning:
                yield beginning
            for delivery in feed or ():
                if delivery.come_back is not None and self.is_numbered:
                    yield f"retry: {delivery.come_back}\n\n"
                    return
                after = yield from self._hand_over(after)
            while True:
                heard, ended = self._wait(after, me)
                after = yield from self._hand_over(after)
                if ended:
                    return
                if not heard:
                    yield sse.comment()
        finally:
            with self._news:
                self._reader = None if self._reader is me else self._reader

    def _dismiss(self, reader: object) -> None:
        with self._news:
            if self._reader is reader:
                self._reader = None
                self._news.notify_all()

    def _wait(self, after: int, reader: object) -> tuple[bool, bool]:
        """Waits for news; whether there were any, and whether they are the last for this reader."""

        def has_ended() -> bool:
            return self._has_ended or self._reader is not reader

        with self._news:
            heard = self._news.wait_for(lambda: has_ended() or self._dropped + len(self._events) > after, HEARTBEAT)
            return heard, has_ended()

    def _hand_over(self, after: int) -> Generator[str, None, int]:
        """The events after a number; the number of the last one comes back."""
        with self._news:
            fresh = self._events[max(after - self._dropped, 0) :]
            after = self._dropped + len(self._events)
        yield from fresh
        self.delivered = after
        return after
