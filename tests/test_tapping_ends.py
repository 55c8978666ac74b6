"""playground/tapping/ends.py: a connection is never waited for, and says when it is over."""

from __future__ import annotations

import selectors
import socket

import pytest

from playground.tapping.ends import HIGH_WATER, End, watch


def test_reading_does_not_wait_and_tells_nothing_from_the_end() -> None:
    one, other = socket.socketpair()
    with one, other:
        end = End(one)
        assert (end.read(), end.has_ended) == (b"", False)
        other.sendall(b"abc")
        assert (end.read(), end.has_ended) == (b"abc", False)
        other.shutdown(socket.SHUT_WR)
        assert (end.read(), end.has_ended) == (b"", True)


def test_what_is_not_taken_waits_and_the_side_is_closed_behind_it() -> None:
    one, other = socket.socketpair()
    with one, other:
        end, size = End(one), 4_000_000
        end.pending += bytes(size)
        end.will_close = True
        end.flush()
        assert 0 < len(end.pending) < size
        assert end.will_close
        got = 0
        while data := other.recv(1 << 20):
            got += len(data)
            end.flush()
        assert got == size


def test_a_selector_is_told_only_what_is_wanted() -> None:
    one, other = socket.socketpair()
    with one, other, selectors.DefaultSelector() as selector:
        end = End(one)

        def wanted(waiting: int = 0) -> int:
            watch(selector, end, waiting)
            key = selector.get_map().get(one)
            return key.events if key is not None else 0

        assert wanted() == selectors.EVENT_READ
        assert wanted() == selectors.EVENT_READ
        end.pending += b"x"
        assert wanted() == selectors.EVENT_READ | selectors.EVENT_WRITE
        assert wanted(HIGH_WATER + 1) == selectors.EVENT_WRITE
        end.pending.clear()
        end.has_ended = True
        assert wanted() == 0
        assert wanted() == 0


def test_an_end_that_is_torn_off_raises() -> None:
    one, other = socket.socketpair()
    with one:
        other.close()
        end = End(one)
        end.pending += b"x"
        with pytest.raises(BrokenPipeError):
            end.flush()
