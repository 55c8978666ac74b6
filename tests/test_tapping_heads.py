"""playground/tapping/heads.py: heads keep their bytes, bodies are counted along, what is ambiguous is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.tapping.heads import (
    Chunked,
    Counted,
    Endless,
    Head,
    Malformed,
    body_of_answer,
    body_of_request,
    end_of_head,
    for_next_hop,
)

RAW = b"POST /mcp?a=1 HTTP/1.1\r\nhost: a\r\nX-Odd:  v \xe9 \r\nAccept: a\r\naccept: b\r\nEmpty:\r\n\r\n"


def head(*lines: bytes, start: bytes = b"POST / HTTP/1.1") -> Head:
    return Head(start, lines)


def test_a_head_goes_on_as_it_came() -> None:
    assert end_of_head(RAW) == len(RAW)
    assert Head.parse(RAW).encode() == RAW


def test_a_head_is_read_by_name() -> None:
    found = Head.parse(RAW)
    assert found.request == ("POST", "/mcp?a=1")
    assert found.get("accept") == "a, b"
    assert found.get("x-odd") == "v é"
    assert found.get("empty") == ""
    assert found.get("none") is None
    assert found.shown() == {"host": "a", "X-Odd": "v é", "Accept": "a", "accept": "b", "Empty": ""}
    assert head(b"A: 1", b"A: 2").shown() == {"A": "1, 2"}


def test_lines_that_end_in_lf_alone_are_read_and_mended() -> None:
    raw = b"HTTP/1.1 200 OK\nA: 1\n\nbody"
    assert end_of_head(raw) == len(raw) - 4
    assert Head.parse(raw[:-4]).encode() == b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\n"
    assert Head.parse(raw[:-4]).status == 200


def test_a_head_may_be_incomplete_but_not_endless() -> None:
    assert end_of_head(RAW[:-2]) is None
    with pytest.raises(Malformed, match="longer than 65536"):
        end_of_head(b"x" * 70_000)
    with pytest.raises(Malformed, match="write http:// instead of https://"):
        end_of_head(b"\x16\x03\x01\x02")


@pytest.mark.parametrize("line", [b"no colon", b"Name : 1", b" folded: 1", b"A: \r1", b"A: \x00", b": 1", b"A B: 1"])
def test_a_line_that_two_readers_could_read_in_two_ways_is_no_header(line: bytes) -> None:
    with pytest.raises(Malformed, match="no header"):
        Head.parse(b"GET / HTTP/1.1\r\n" + line + b"\r\n\r\n")


@pytest.mark.parametrize("start", [b"", b"GET /", b"GET / HTTP/2", b"GET  / HTTP/1.1", b"G(T / HTTP/1.1", b"a b c d"])
def test_a_first_line_that_is_none_is_refused(start: bytes) -> None:
    with pytest.raises(Malformed):
        _ = head(start=start).request
    with pytest.raises(Malformed):
        _ = head(start=start).status


def test_white_space_without_end_is_read_at_once() -> None:
    assert Head.parse(b"GET / HTTP/1.1\r\nA:" + b" " * 60_000 + b"x\r\n\r\n").get("a") == "x"


def test_a_value_is_replaced_where_it_stands() -> None:
    assert head(b"HoSt: a", b"B: 1").replacing("host", "b:1").lines == (b"HoSt: b:1", b"B: 1")


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ((b"Connection:  Keep-Alive", b"Keep-Alive: 5"), (b"Connection:  Keep-Alive", b"Keep-Alive: 5")),
        ((b"Connection: close", b"A: 1"), (b"Connection: close", b"A: 1")),
        ((b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: x", b"A: 1"), (b"A: 1",)),
        ((b"Connection: close, TE", b"TE: trailers"), (b"Connection: close",)),
        ((b"Connection: Host, Content-Length", b"Host: a", b"Content-Length: 1"), (b"Host: a", b"Content-Length: 1")),
        (
            (b"Proxy-Connection: keep-alive", b"Upgrade: websocket", b"Connection: keep-alive"),
            (b"Connection: keep-alive",),
        ),
    ],
)
def test_what_is_meant_for_one_hop_stays_there(lines: tuple[bytes, ...], kept: tuple[bytes, ...]) -> None:
    assert for_next_hop(head(*lines)).lines == kept


def test_a_counted_body_takes_its_length() -> None:
    body = Counted(5)
    assert [(*body.take(piece), body.is_over) for piece in (b"abc", b"defg", b"x")] == [
        (b"abc", 3, False),
        (b"de", 2, True),
        (b"", 0, True),
    ]


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.sampled_from([b"\r\n", b"\n"]), st.data())
def test_chunks_are_counted_wherever_they_are_cut(pieces: list[bytes], eol: bytes, data: st.DataObject) -> None:
    lines = [b"%X;ext=1%s%s%s" % (len(piece), eol, piece, eol) for piece in pieces]
    raw = b"".join(lines) + b"0" + eol + b"Trailer: 1" + eol + eol
    whole, body, payload, at = raw + b"next", Chunked(), b"", 0
    while not body.is_over:
        size = data.draw(st.integers(1, 20))
        carried, taken = body.take(whole[at : at + size])
        payload += carried
        at += taken
    assert (payload, at) == (b"".join(pieces), len(raw))


@pytest.mark.parametrize("raw", [b"xyz\r\n", b"-1\r\n", b"\r\n", b"1\r\nab\r\n", b"0" * 5000, b"1 2\r\n", b"0x1\r\n"])
def test_chunks_that_are_none_are_refused(raw: bytes) -> None:
    with pytest.raises(Malformed):
        Chunked().take(raw)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ((), Counted),
        ((b"Content-Length: 3",), Counted),
        ((b"Transfer-Encoding: Chunked",), Chunked),
    ],
)
def test_a_request_says_where_it_ends(lines: tuple[bytes, ...], kind: type) -> None:
    assert type(body_of_request(head(*lines))) is kind


@pytest.mark.parametrize(
    "lines",
    [
        (b"Content-Length: 1", b"Content-Length: 1"),
        (b"Content-Length: +1",),
        (b"Content-Length: 1", b"Transfer-Encoding: chunked"),
        (b"Transfer-Encoding: gzip, chunked",),
        (b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    ],
)
def test_a_request_whose_end_is_unclear_is_refused(lines: tuple[bytes, ...]) -> None:
    with pytest.raises(Malformed):
        body_of_request(head(*lines))


def test_http_1_0_has_no_chunks() -> None:
    with pytest.raises(Malformed):
        body_of_request(head(b"Transfer-Encoding: chunked", start=b"POST / HTTP/1.0"))


@pytest.mark.parametrize(
    ("status", "method", "lines", "kind", "is_over"),
    [
        (b"200 OK", "POST", (), Endless, False),
        (b"200 OK", "POST", (b"Content-Length: 3",), Counted, False),
        (b"200", "POST", (b"Transfer-Encoding: chunked", b"Content-Length: 3"), Chunked, False),
        (b"200 OK", "POST", (b"Transfer-Encoding: gzip",), Endless, False),
        (b"200 OK", "HEAD", (b"Content-Length: 3",), Counted, True),
        (b"204 No Content", "POST", (), Counted, True),
        (b"304 Not Modified", "GET", (b"Content-Length: 3",), Counted, True),
        (b"101 Switching Protocols", "GET", (), Counted, True),
    ],
)
def test_an_answer_says_where_it_ends(
    status: bytes, method: str, lines: tuple[bytes, ...], kind: type, is_over: bool
) -> None:
    body = body_of_answer(head(*lines, start=b"HTTP/1.1 " + status), method)
    assert (type(body), body.is_over) == (kind, is_over)
    assert Endless().take(b"all") == (b"all", 3)
