"""Event streams: what is written comes back, however it is cut; and the rules of WHATWG HTML, section 9.2."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_core import sse
from mcp_core.sse import Decoder, Event, StreamError, comment, encode


def read(text: str | bytes) -> list[Event]:
    return Decoder().feed(text)


RULES: list[tuple[str, list[Event]]] = [
    ("data: a\n\n", [Event("a")]),
    ("data: a\r\n\r\n", [Event("a")]),
    ("data: a\r\r", [Event("a")]),
    ("data: a\r\n\n", [Event("a")]),
    ("data: a\n\r", [Event("a")]),
    ("data:a\n\n", [Event("a")]),
    ("data:  a\n\n", [Event(" a")]),  # one space is taken away, not two
    ("data:\ta\n\n", [Event("\ta")]),
    ("data: a: b\n\n", [Event("a: b")]),
    ("data: a\ndata: b\n\n", [Event("a\nb")]),
    ("data\ndata\n\n", [Event("\n")]),
    ("data\n\n", [Event("")]),
    ("data:\n\n", [Event("")]),
    ("data: a\n\ndata: b\n\n", [Event("a"), Event("b")]),
    ("data: a", []),
    ("data: a\n", []),  # an event that the end cuts off is none
    ("\n\n\n", []),
    (": comment\n\n", []),
    (":\n\n", []),
    (": x\ndata: a\n\n", [Event("a")]),
    ("event: x\ndata: a\n\n", [Event("a", "x")]),
    ("event: x\n\ndata: a\n\n", [Event("a")]),  # the kind is forgotten with its event
    ("event:\ndata: a\n\n", [Event("a")]),
    ("event: x\nevent: y\ndata: a\n\n", [Event("a", "y")]),
    ("id: 1\ndata: a\n\ndata: b\n\n", [Event("a", id="1"), Event("b", id="1")]),  # the id stays
    ("id: 1\n\ndata: b\n\n", [Event("b", id="1")]),
    ("id: 1\ndata: a\n\nid\ndata: b\n\n", [Event("a", id="1"), Event("b", id="")]),
    ("id: a\0b\ndata: a\n\n", [Event("a")]),
    ("retry: 500\ndata: a\n\n", [Event("a", retry=500)]),
    ("retry: 500\n\n", [Event("", retry=500)]),
    ("id: 7\nretry: 500\ndata:\n\n", [Event("", id="7", retry=500)]),  # how 2025-11-25 opens a stream
    ("retry: -1\ndata: a\n\n", [Event("a")]),
    ("retry: 1.5\ndata: a\n\n", [Event("a")]),
    ("retry:\ndata: a\n\n", [Event("a")]),
    ("retry: \u0661\ndata: a\n\n", [Event("a")]),
    ("retry: ²\ndata: a\n\n", [Event("a")]),
    ("unknown: x\ndata: a\n\n", [Event("a")]),
    ("Data: x\nDATA: y\n data: z\ndata : q\n\n", []),  # names are exact
    ("\ufeffdata: a\n\n", [Event("a")]),
    ("\ufeff\ufeffdata: a\n\n", []),  # one mark is skipped, not two
    ("data: a\n\n\ufeffdata: b\n\n", [Event("a")]),
    ("data: \u2028\x85\x0b\x0c\n\n", [Event("\u2028\x85\x0b\x0c")]),  # these end no line
]


@pytest.mark.parametrize(("text", "events"), RULES)
def test_a_stream_is_read_by_the_rules(text: str, events: list[Event]) -> None:
    assert read(text) == events
    assert read(text.encode()) == events


@pytest.mark.parametrize(("text", "events"), RULES)
def test_where_a_stream_is_cut_makes_no_difference(text: str, events: list[Event]) -> None:
    data = text.encode()
    for at in range(len(data) + 1):
        decoder = Decoder()
        assert decoder.feed(data[:at]) + decoder.feed(b"") + decoder.feed(data[at:]) == events
    decoder = Decoder()
    assert [event for byte in data for event in decoder.feed(bytes([byte]))] == events
    decoder = Decoder()
    assert [event for character in text for event in decoder.feed(character)] == events


stream_text = st.lists(
    st.sampled_from(
        ["data", "event", "id", "retry", ":", " ", "\r", "\n", "\r\n", "é", "😀", "\ufeff", "1", "\0", "x"]
    ),
    max_size=40,
).map("".join)


@given(stream_text, st.lists(st.integers(0, 200), max_size=8))
@example("data:a\r\n\r\ndata:b\r\r\n\n", [6, 7, 8, 9])
def test_any_stream_in_any_pieces_reads_as_it_does_whole(text: str, cuts: list[int]) -> None:
    data = text.encode()
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    decoder = Decoder()
    pieces = [data[start:end] for start, end in itertools.pairwise(places)]
    assert [event for piece in pieces for event in decoder.feed(piece)] == read(data)


one_line = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))


@given(st.text(st.characters(exclude_categories=["Cs"])), one_line, one_line, st.none() | st.integers(0, 10**9 - 1))
@example("x\revent: forged\rdata: y", "message", "1", None)
@example(" leading", " x", "", 0)
def test_what_is_written_is_one_event_that_reads_back_the_same(
    data: str, kind: str, id: str, retry: int | None
) -> None:
    written = encode(data, event=kind, id=id, retry=retry)
    lines = data.replace("\r\n", "\n").replace("\r", "\n")
    assert read(written) == [Event(lines, kind or "message", id, retry)]


def test_only_what_is_given_is_written() -> None:
    assert encode("a") == "data: a\n\n"
    assert encode("a", event="message", id="7", retry=500) == "event: message\nid: 7\nretry: 500\ndata: a\n\n"


def test_a_comment_says_nothing() -> None:
    assert read(comment() + comment("still here")) == []


def test_bytes_that_are_not_utf_8_become_replacement_marks() -> None:
    assert read(b"data: a\xffb\n\n") == [Event("a\ufffdb")]


def test_the_last_id_is_known_even_where_no_event_came_of_it() -> None:
    decoder = Decoder()
    assert decoder.last_id is None
    decoder.feed("id: 5\n\n")
    assert decoder.last_id == "5"


def test_an_event_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT", 100)
    decoder = Decoder()
    decoder.feed("data: " + "a" * 94)
    with pytest.raises(StreamError, match="longer than 100"):
        decoder.feed("a")
    decoder = Decoder()
    decoder.feed("data: abc\n" * 11)
    with pytest.raises(StreamError):
        decoder.feed("data: abc\n")


def test_many_events_that_are_each_small_are_never_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT", 100)
    decoder = Decoder()
    for _ in range(100):
        assert decoder.feed(comment("x" * 50) + encode("a" * 50)) == [Event("a" * 50)]


def test_a_long_line_in_small_pieces_takes_time_in_proportion() -> None:
    decoder, piece = Decoder(), b"a" * 1000
    began = time.process_time()
    decoder.feed(b"data: ")
    for _ in range(6000):
        decoder.feed(piece)
    assert decoder.feed(b"\n\n") == [Event("a" * 6_000_000)]
    assert time.process_time() - began < 2  # by the square it would be half a minute
