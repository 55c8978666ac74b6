"""A stream of events: kept, numbered, read by one at a time, and taken up again where it was left."""

import itertools
import threading
from collections.abc import Callable, Iterator

import pytest

from mcp_core import sse
from playground.server import streams
from playground.server.live import Delivery
from playground.server.streams import Stream


def texts(events: Iterator[str]) -> list[str]:
    decoder = sse.Decoder()
    return [event.data for text in events for event in decoder.feed(text)]


@pytest.fixture
def stream() -> Stream:
    return Stream("s1", is_numbered=True)


def test_events_are_numbered_after_the_stream(stream: Stream) -> None:
    stream.put("a")
    stream.put("b")
    stream.end()
    assert "".join(stream.read()) == "event: message\nid: s1-1\ndata: a\n\nevent: message\nid: s1-2\ndata: b\n\n"
    assert stream.delivered == 2


def test_a_reader_that_comes_back_gets_what_it_has_not_seen(stream: Stream) -> None:
    for text in "abc":
        stream.put(text)
    stream.end()
    assert texts(stream.read(after=1)) == ["b", "c"]
    assert texts(stream.read(after=3)) == []
    assert texts(stream.read(after=99)) == []


def test_a_stream_without_numbers_has_no_ids() -> None:
    stream = Stream("s1", is_numbered=False)
    stream.put("a")
    stream.end()
    assert list(stream.read()) == ["event: message\ndata: a\n\n"]


def test_only_so_many_events_are_kept(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEPT_EVENTS", 3)
    for number in range(5):
        stream.put(str(number))
    stream.end()
    assert texts(stream.read()) == ["2", "3", "4"]
    assert texts(stream.read(after=4)) == ["4"]


def test_a_silent_stream_shows_signs_of_life(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT", 0.01)
    reading = stream.read()
    assert next(reading).startswith(":")
    stream.put("a")
    assert texts(iter([next(reading)])) == ["a"]


def test_what_another_thread_puts_there_arrives_at_once(stream: Stream) -> None:
    reading = stream.read()

    def write() -> None:
        stream.put("late")
        stream.end()

    writer = threading.Timer(0.01, write)
    writer.start()
    assert texts(reading) == ["late"]
    writer.join()


def test_a_new_reader_takes_the_place_of_the_old(stream: Stream) -> None:
    stream.put("a")
    first = stream.read()
    next(first)
    assert stream.is_read
    second = stream.read(after=1)
    stream.put("b")
    next(second)
    assert list(first) != [], "what was there is still handed over"
    assert stream.is_read
    second.close()
    assert not stream.is_read


def test_a_feed_is_run_while_it_is_read(stream: Stream) -> None:
    def feed() -> Iterator[Delivery]:
        for text in "ab":
            stream.put(text)
            yield Delivery(text, None, 1)
        stream.end()

    assert texts(stream.read(feed=feed())) == ["a", "b"]


def test_a_delivery_that_sends_the_client_away_ends_the_reading_but_not_the_stream(stream: Stream) -> None:
    reading = stream.read(feed=iter([Delivery(None, None, 1, come_back=20)]))
    assert list(reading) == ["retry: 20\n\n"]
    assert not stream.has_ended
    stream.put("the rest")
    stream.end()
    assert texts(stream.read()) == ["the rest"]


def test_a_reader_whose_connection_is_gone_waits_no_longer(stream: Stream) -> None:
    gone: list[Callable[[], None]] = []
    reading = stream.read(on_gone=gone.append)
    stream.put("a")
    assert texts(itertools.islice(reading, 1)) == ["a"]
    rest: list[str] = []
    waiting = threading.Thread(target=lambda: rest.extend(reading), daemon=True)
    waiting.start()
    gone[0]()
    waiting.join(10)  # a comment, which would tell it otherwise, comes after 15 seconds
    assert not waiting.is_alive()
    assert not stream.is_read


def test_who_has_left_takes_no_place_from_who_came_later(stream: Stream) -> None:
    gone: list[Callable[[], None]] = []
    first = stream.read(on_gone=gone.append)
    stream.put("a")
    next(first)
    second = stream.read(after=1)
    stream.put("b")
    assert "data: b" in next(second)
    gone[0]()
    assert stream.is_read
