"""playground/patience.py: items in order, and never a wait beyond the moment that was named."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from playground.patience import Feed


def soon() -> float:
    return time.monotonic() + 10


def test_items_come_in_order_and_the_end_stays_the_end() -> None:
    feed = Feed(iter([1, 2]))
    assert [feed.take(soon()) for _ in range(4)] == [1, 2, None, None]


def test_silence_ends_at_the_moment_that_was_named() -> None:
    release = threading.Event()

    def silent() -> Iterator[int]:
        release.wait(10)
        yield 1

    feed = Feed(silent())
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        feed.take(began + 0.05)
    assert time.monotonic() - began < 5
    release.set()
    assert feed.take(soon()) == 1


def test_a_moment_that_has_passed_gives_only_what_is_there() -> None:
    release = threading.Event()
    feed = Feed(iter(release.wait, None))
    with pytest.raises(TimeoutError):
        feed.take(0)
    release.set()
    assert feed.leave(5)


def test_what_the_source_raises_is_raised_here_and_is_the_end() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise OSError("gone")

    feed = Feed(broken())
    assert feed.take(soon()) == 1
    with pytest.raises(OSError, match="gone"):
        feed.take(soon())
    assert feed.take(soon()) is None


def test_a_flood_is_held_back_and_leaving_ends_it() -> None:
    given = []
    closed = threading.Event()

    def flood() -> Iterator[int]:
        try:
            while True:
                given.append(1)
                yield 1
        finally:
            closed.set()

    feed = Feed(flood())
    assert feed.take(soon()) == 1
    assert len(given) <= 67
    assert feed.leave(5) is True
    assert closed.wait(5)
    assert feed.take(soon()) is None


def test_leaving_says_if_the_source_is_still_busy() -> None:
    release = threading.Event()

    def busy() -> Iterator[int]:
        release.wait(10)
        yield 1

    feed = Feed(busy())
    assert feed.leave(0) is False
    release.set()
    assert feed.leave(5) is True
