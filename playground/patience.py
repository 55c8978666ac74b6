"""Waiting with a limit: what a blocking source gives, taken item by item, never longer than one is willing to wait.

In:   an iterator that may block for ever in its next step (a socket, a pipe).
Out:  its items, its end, its exception; or TimeoutError at the moment that was named.
Here nobody knows what the items are.

Theory of operation
    A read timeout of a socket starts anew with each byte, so a server that sends one byte a second is never late;
    a pipe has no timeout at all, and signals don't work on every platform. So a thread of its own walks through the
    iterator and puts what it finds into a short queue, and whoever waits does so at the queue, by the clock. The
    queue is short so that a flood is held back at its source.
"""

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """The items of an iterator, each to be had until a certain moment."""

    def __init__(self, source: Iterator[T]) -> None:
        self._queue: queue.Queue[T | Exception | None] = queue.Queue(maxsize=64)
        self._has_left = self._has_ended = False
        self._thread = threading.Thread(target=self._walk, args=(source,), daemon=True)
        self._thread.start()

    def take(self, until: float) -> T | None:
        """The next item; None at the end. Raises what the source raised, or TimeoutError at `until` (time.monotonic).

        >>> feed = Feed(iter("ab"))
        >>> [feed.take(time.monotonic() + 5) for _ in range(3)]
        ['a', 'b', None]
        """
        if self._has_ended:
            return None
        try:
            item = self._queue.get(timeout=max(until - time.monotonic(), 0.001))
        except queue.Empty:
            raise TimeoutError("Nothing came in time.") from None
        if item is None or isinstance(item, Exception):
            self._has_ended = True
        if isinstance(item, Exception):
            raise item
        return item

    def leave(self, wait: float = 0.5) -> bool:
        """Wants no more. The source is closed as soon as it comes out of the step it is in; says if it has."""
        self._has_left = self._has_ended = True
        with suppress(queue.Empty):  # makes room for the item that the thread may be holding
            while True:
                self._queue.get_nowait()
        self._thread.join(wait)
        return not self._thread.is_alive()

    def _walk(self, source: Iterator[T]) -> None:
        try:
            for item in source:
                self._queue.put(item)
                if self._has_left:
                    break
            last = None
        except Exception as error:  # whatever happens in this thread concerns the one who waits
            last = error
        if close := getattr(source, "close", None):
            close()
        if not self._has_left:
            self._queue.put(last)
