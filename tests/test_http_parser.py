"""Requests as bytes, whole and in pieces: what is taken, what is refused, and that nothing raises or hangs."""

import io
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.gate import Gate
from playground.http_parser import Limits, Parser, Rulebook

LIMIT = 100


def rulebook() -> Rulebook:
    book = Rulebook(max_request_body_size=2**40, max_request_header_size=4096)
    book.gate = Gate(lambda *_: [], port=5000, routes={"/rpc": ("POST",), "/": ("GET",)}, max_body=LIMIT)
    book.limits = Limits(header_bytes=4096)
    return book


BOOK = rulebook()


def parse(data: bytes, piece: int = 8192) -> Parser:
    parser = Parser(BOOK)
    while data and not parser.completed:
        taken = parser.received(data[:piece])
        assert 0 < taken <= piece
        data = data[taken:]
    return parser


def status(parser: Parser) -> int:
    if parser.error is not None:
        return parser.refusal().status
    return 200 if parser.completed else 0


def post(*headers: str, body: bytes = b"", version: str = "1.1", target: str = "/rpc") -> bytes:
    lines = [f"POST {target} HTTP/{version}", "Host: 127.0.0.1:5000", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


CHUNKED = "Transfer-Encoding: chunked"
TAKEN = [
    post("Content-Length: 2", body=b"{}"),
    post("Content-Length: 0"),
    post(),
    post(f"Content-Length: {LIMIT}", body=b"x" * LIMIT),
    post(CHUNKED, body=b"2\r\n{}\r\n0\r\n\r\n"),
    post(CHUNKED, body=b"2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n"),
    post(CHUNKED, body=b"1\r\nx\r\n" * LIMIT + b"0\r\n\r\n"),
    post("Content-Length: 2", body=b"{}", version="1.0"),
    post("Content-Length: 2", "X: " + " " * 60 + "y", body=b"{}"),
    post(target="http://127.0.0.1:5000/rpc"),
    post(target="//rpc"),
    b"\r\n" + post(),
]
REFUSED = {
    400: [
        b"\x16\x03\x01\x02 garbage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        post().replace(b"\r\n", b"\n"),
        b"GET / \r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: 127.0.0.1:5000\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"get / HTTP/1.1\r\nHost: 127.0.0.1:5000\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\nHost: 127.0.0.1:5000\r\n\r\n",
        post(target="http://evil.example/rpc"),
        post("Host: 127.0.0.1:5000"),
        post("Content-Length: -1"),
        post("Content-Length: 2", "Content-Length: 2", body=b"{}"),
        post("Content-Length: 2", "Content-Length: 3", body=b"{}"),
        post("Content-Length: " + "9" * 4000),
        post("Content-Length: 2", CHUNKED, body=b"2\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, CHUNKED, body=b"0\r\n\r\n"),
        post("Transfer-Encoding: chunked, chunked"),
        post("Transfer-Encoding: gzip"),
        post("Transfer-Encoding: gzip, chunked"),
        post("Transfer-Encoding: identity"),
        post("Transfer-Encoding: \x0bchunked"),
        post("Transfer-Encoding : chunked"),
        post(CHUNKED, version="1.0"),
        post(CHUNKED, body=b"zz\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, body=b"-1\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, body=b"1\r\n{}\r\n0\r\n\r\n"),
        post(CHUNKED, body=b'2;"\r\n{}\r\n0\r\n\r\n'),
        post("X: " + " " * 70 + "y"),
        post("X: a\r\n folded"),
        post("X: a\nY: b"),
        post("X y: z"),
        post("X: \x00"),
        post("no colon"),
    ],
    403: [post("Origin: https://evil.example", body=b"x" * 10_000)],
    404: [post(target="/nowhere")],
    405: [b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:5000\r\n\r\n"],
    413: [
        post(f"Content-Length: {LIMIT + 1}"),
        post("Content-Length: 104857600", "Expect: 100-continue"),
        post(CHUNKED, body=b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n"),
        post(CHUNKED, body=b"FFFFFFFFFFFFFFFFFFFFFFFF\r\n" + b"x" * 101),
        post(CHUNKED, body=b"65\r\n"),
        post(CHUNKED, body=b"1\r\nx\r\n64\r\n"),
        post(CHUNKED, body=b"\r\n" * 40_000),
    ],
    431: [post("X: " + "y" * 5000), b"GET /" + b"x" * 5000],
}


@pytest.mark.parametrize("piece", [1, 7, 8192])
@pytest.mark.parametrize("data", TAKEN)
def test_a_well_formed_request_is_taken_in_any_pieces(data: bytes, piece: int) -> None:
    parser = parse(data, piece)
    assert status(parser) == 200
    assert parser.place() == "/rpc"


@pytest.mark.parametrize("piece", [1, 7, 8192])
@pytest.mark.parametrize(("expected", "data"), [(code, data) for code, all_ in REFUSED.items() for data in all_])
def test_anything_else_is_refused_as_4xx_in_any_pieces(expected: int, data: bytes, piece: int) -> None:
    parser = parse(data, piece)
    assert status(parser) == expected
    assert parser.completed
    assert not parser.expect_continue
    assert "\n" not in parser.refusal().sentence


def test_lines_around_chunks_have_a_limit_of_their_own() -> None:
    assert status(parse(post(CHUNKED, body=b"0;" + b"x" * 5000))) == 400
    assert status(parse(post(CHUNKED, body=b"0\r\nX: " + b"x" * 5000))) == 400


def test_a_refused_body_is_never_read() -> None:
    data = post("Content-Length: 50", "Origin: https://evil.example")
    parser = Parser(BOOK)
    assert parser.received(data + b"x" * 50) == len(data)
    assert parser.completed
    assert parser.get_body_stream().read() == b""


def test_a_client_that_asks_first_is_told_to_go_on_only_if_it_may() -> None:
    assert parse(post("Content-Length: 2", "Expect: 100-continue")).expect_continue
    assert not parse(post("Content-Length: 999", "Expect: 100-continue")).expect_continue
    assert not parse(post("Expect: 100-continue")).expect_continue


@pytest.mark.parametrize(
    ("begun", "sentence"),
    [(b"\x16\x03\x01\x02", "write http:// instead of https://"), (b"GET / HTTP/1.1\n\n", "must end in CR and LF")],
)
def test_what_will_never_be_a_request_is_told_why_at_once(begun: bytes, sentence: str) -> None:
    assert sentence in parse(begun).refusal().sentence


def test_blank_lines_are_no_request() -> None:
    parser = parse(b"\r\n\r\n")
    assert parser.empty
    assert parser.error is None


@pytest.mark.parametrize("filler", [b" ", b"\t", b"a ", b" \t", b":", b";"])
def test_no_header_takes_long_to_refuse(filler: bytes) -> None:
    book = rulebook()
    book.max_request_header_size = 2**16
    data = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:5000\r\nX:" + filler * (60_000 // len(filler)) + b"\0\r\n\r\n"
    began = time.process_time()
    parser = Parser(book)
    parser.received(data)
    assert parser.refusal().status == 400
    assert time.process_time() - began < 0.5


def test_a_full_disk_under_a_large_body_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    parser = Parser(BOOK)
    parser.received(post("Content-Length: 9"))
    monkeypatch.setattr(parser.body_rcv, "received", full)
    parser.received(b"x")
    refusal = parser.refusal()
    assert (refusal.status, refusal.code) == (500, -32603)
    assert "device" not in refusal.sentence


def test_a_failure_of_the_application_says_nothing_of_itself() -> None:
    assert Parser(BOOK).refusal().status == 500


def test_a_request_that_may_go_on_says_by_which_rules() -> None:
    assert parse(post("Content-Length: 2", body=b"{}")).passed is BOOK.gate.rules
    assert parse(post(target="/nowhere")).passed is None
    assert parse(b"nonsense\r\n\r\n").passed is None


@given(st.binary(max_size=200), st.integers(1, 50))
def test_no_bytes_make_the_parser_raise(data: bytes, piece: int) -> None:
    parser = parse(data, piece)
    assert status(parser) in (0, 200, 400, 403, 404, 405, 413, 415, 431)


@given(st.data())
def test_no_mutation_of_a_request_makes_the_parser_raise(data: st.DataObject) -> None:
    request = io.BytesIO(data.draw(st.sampled_from(TAKEN)))
    length = len(request.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        request.seek(data.draw(st.integers(0, length - 1)))
        request.write(data.draw(st.binary(min_size=1, max_size=3)))
    assert status(parse(request.getvalue(), data.draw(st.integers(1, 200)))) < 500
