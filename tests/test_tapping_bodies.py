"""playground/tapping/bodies.py: texts and events are found whatever the pieces, and never change."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core import sse
from playground.tapping.bodies import BEGINNING, KEEP, Events, Heard, Kept, Lines, Undecodable, undone

TEXTS = st.lists(
    st.binary(min_size=1, max_size=30).map(lambda b: b.replace(b"\n", b"").replace(b"\r", b"")), max_size=5
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@given(TEXTS, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.booleans(), st.lists(st.integers(0, 999)))
def test_events_are_found_byte_for_byte_wherever_the_stream_is_cut(
    texts: list[bytes], eol: bytes, marked: bool, places: list[int]
) -> None:
    raw = b"".join(b"id: %d%sdata: %s%s: beat%s%s" % (n, eol, text, eol, eol, eol) for n, text in enumerate(texts))
    events = Events(None)
    found = [heard for piece in cut((b"\xef\xbb\xbf" if marked else b"") + raw, places) for heard in events.take(piece)]
    assert [heard.data for heard in found] == texts
    assert [heard.id for heard in found] == [str(n) for n in range(len(texts))]


def test_what_an_event_says_besides_its_data_is_shown() -> None:
    raw = "event: endpoint\nid: ä\nretry: 5\ndata: a\ndata: b\n\n".encode()
    (heard,) = Events(None).take(raw)
    assert heard == Heard(b"a\nb", "endpoint", "ä", 5)
    assert heard.shown() == {"event": "endpoint", "id": "ä", "retry": 5}
    assert Heard(b"x").shown() == {}


def test_an_event_without_end_is_given_up_and_the_next_is_read() -> None:
    events = Events(None)
    list(events.take(b"data: "))
    found = [heard for _ in range(10) for heard in events.take(b"x" * 1_000_000)]
    assert [heard.flaw for heard in found] == [
        f"an event of more than {sse.MAX_EVENT} bytes was passed on and not kept"
    ]
    assert [heard.data for heard in events.take(b"\n\ndata: next\n\n")] == [b"next"]


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_packed_stream_is_heard_as_it_comes(pack: object) -> None:
    packer = zlib.compressobj(wbits=31 if pack is gzip.compress else 15)
    events = Events("gzip" if pack is gzip.compress else "deflate")
    for n in range(3):
        piece = packer.compress(b"data: %d\n\n" % n) + packer.flush(zlib.Z_SYNC_FLUSH)
        assert [heard.data for heard in events.take(piece)] == [b"%d" % n]


def test_a_stream_that_can_not_be_unpacked_is_said_to_be_one_once() -> None:
    for coding, data in (("br", b"x"), ("gzip", b"no gzip at all")):
        events = Events(coding)
        (heard,) = events.take(data)
        assert heard.flaw
        assert heard.flaw.startswith("the events of this stream can't be shown: ")
        assert list(events.take(b"more")) == []


def test_a_body_is_unpacked() -> None:
    assert undone(b"abc", None) == undone(b"abc", " Identity ") == b"abc"
    assert undone(gzip.compress(b"abc"), "GZip") == b"abc"
    assert undone(gzip.compress(b"abc") + gzip.compress(b"d" * 600_000), "x-gzip") == b"abc" + b"d" * 600_000
    assert undone(zlib.compress(b""), "deflate") == b""


def test_a_body_that_is_small_and_huge_is_not_unpacked() -> None:
    with pytest.raises(Undecodable, match="longer than"):
        undone(gzip.compress(bytes(KEEP + 1)), "gzip")
    with pytest.raises(Undecodable, match="'br'"):
        undone(b"x", "br")
    with pytest.raises(Undecodable, match="broken"):
        undone(b"x" * 20, "gzip")


def test_of_what_is_too_long_the_beginning_and_the_size_are_kept() -> None:
    kept = Kept()
    for _ in range(5):
        kept.add(b"ab" * (KEEP // 8))
    assert not kept.is_whole
    assert (kept.size, len(kept.data)) == (5 * (KEEP // 8) * 2, BEGINNING)
    assert kept.data[:4] == b"abab"


@given(st.binary(max_size=60), st.lists(st.integers(0, 999)))
def test_lines_are_found_wherever_they_are_cut(data: bytes, places: list[int]) -> None:
    lines = Lines()
    found = [line for piece in cut(data, places) for line in lines.take(piece)] + list(lines.end())
    expected = data.split(b"\n")
    assert [line.data for line in found] == (expected if expected[-1] else expected[:-1])
