"""playground/tapping/relay.py: what one end sends is what the other gets, byte for byte, and what the log has."""

from __future__ import annotations

import contextlib
import gzip
import ipaddress
import json
import socket
import ssl
import struct
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.taps import PING, PONG, STREAM, Actor, Record, Wire, answer, chunk, frames, tapped


def events(found: list[Record], name: str) -> list[Record]:
    return [record for record in found if record["event"] == name]


def for_target(sent: bytes, tap_port: int, target: Actor) -> bytes:
    """What the target must get of what the client sent: only Host names another."""
    return sent.replace(b"127.0.0.1:%d" % tap_port, target.authority.encode())


def reset(sock: socket.socket) -> None:
    """Hangs up so that the other end can't mistake it for anything else."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


# ---- Byte for byte ---------------------------------------------------------------------------------------------------


def test_a_head_keeps_its_names_their_order_and_what_it_repeats(logs: Path) -> None:
    reply = answer(
        PONG, b"content-TYPE: application/json\r\nX-Two: 1\r\nx-two: 2\r\nMcp-Session-Id:  s \r\n", b"200 Fine"
    )
    with Actor(lambda wire: wire.send(reply) if wire.until(PING) else None) as target, tapped(target.url, logs) as tap:
        headers = b"ACCEPT: a\r\naccept: b\r\nMcp-Name: x\r\nLast-Event-ID: 7\r\nX-Odd: \xe9\r\nConnection: close\r\n"
        sent = tap.post(PING, headers, b"/mcp?x=%20&y")
        with tap.client() as client:
            client.send(sent)
            assert client.rest() == reply
        assert bytes(target.wires[0].got) == for_target(sent, tap.port, target)
    came, left, *_ = events(tap.records, "tap_request")
    assert came["data"]["http"]["headers"]["Host"] == f"127.0.0.1:{tap.port}"
    assert left["data"]["http"]["headers"]["Host"] == target.authority
    assert came["data"]["http"]["query"] == {"x": " ", "y": ""}


JSON_TEXTS = st.one_of(
    st.binary(max_size=200),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    ).map(lambda value: json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": value}}).encode()),
)
CUTS = st.lists(st.integers(1, 60), min_size=1, max_size=8)


def pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    found, at = [], 0
    for size in sizes:
        found.append(data[at : at + size])
        at += size
    return [piece for piece in [*found, data[at:]] if piece]


def test_any_body_crosses_unchanged_however_it_is_cut(logs: Path) -> None:
    asked = reply = b""
    cuts: list[int] = []

    def part(wire: Wire) -> None:
        wire.until(b"\r\n\r\n")
        while len(wire.got) - wire.seen < len(asked) and wire.more():
            pass
        wire.send(*pieces(reply, cuts))

    with Actor(part) as target, tapped(target.url, logs) as tap:

        @settings(max_examples=60)
        @given(JSON_TEXTS, JSON_TEXTS, CUTS, CUTS, st.sampled_from(["length", "chunks", "end", "gzip"]))
        def crosses(question: bytes, said: bytes, ask_cuts: list[int], say_cuts: list[int], how: str) -> None:
            nonlocal asked, reply, cuts
            asked, cuts, before = question, say_cuts, len(tap.records)
            reply = framed(said, say_cuts, how)
            with tap.client() as client:
                sent = tap.post(asked)
                client.send(*pieces(sent, ask_cuts))
                client.sock.shutdown(socket.SHUT_WR)
                assert client.rest() == reply
            assert bytes(target.wires[-1].got) == for_target(sent, tap.port, target)
            for sender, text in (("client", asked), ("server", said)):
                for dir in ("in", "out"):
                    assert frames(tap.records[before:], sender, dir) == [text] * bool(text)

        crosses()


def framed(body: bytes, cuts: list[int], how: str) -> bytes:
    """A body as one of the ways HTTP has for it."""
    if how == "chunks":
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        return head + b"".join(map(chunk, pieces(body, cuts))) + b"0\r\nX-Trailer: 1\r\n\r\n"
    if how == "end":
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body
    packed = b"Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
    return answer(gzip.compress(body), packed) if how == "gzip" else answer(body)


def test_any_stream_crosses_unchanged_however_it_is_cut(logs: Path) -> None:
    reply = b""
    cuts: list[int] = []
    params = st.dictionaries(st.text(max_size=9), st.text(max_size=20), max_size=2)

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(*pieces(reply, cuts))

    with Actor(part) as target, tapped(target.url, logs) as tap:

        @settings(max_examples=60)
        @given(st.lists(params, max_size=4), CUTS, st.sampled_from(["\n", "\r\n", "\r"]))
        def crosses(said: list[dict[str, str]], say_cuts: list[int], eol: str) -> None:
            nonlocal reply, cuts
            before, cuts = len(tap.records), say_cuts
            told = [{"jsonrpc": "2.0", "method": "notifications/x", "params": each} for each in said]
            texts = [json.dumps(each) for each in told]
            lines = [line for n, text in enumerate(texts) for line in (f"id:{n}", f"data: {text}", "")]
            raw = eol.join(["retry: 9", ": beat", "", *lines, ""]).encode()
            reply = STREAM + b"".join(map(chunk, pieces(raw, cuts))) + b"0\r\n\r\n"
            with tap.client() as client:
                client.send(tap.post(PING))
                assert client.rest() == reply
            for dir in ("in", "out"):
                assert frames(tap.records[before:], "server", dir) == [text.encode() for text in texts]

        crosses()


def test_each_event_goes_on_before_the_next_has_come(logs: Path) -> None:
    was_read = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        for n in range(3):
            was_read.clear()
            wire.send(STREAM if n == 0 else b"", chunk(b"id: %d\ndata: \n\n" % n))
            assert was_read.wait(20)
        wire.send(b"0\r\n\r\n")

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(PING))
        for n in range(3):
            client.until(b"id: %d" % n)
            # It was written down before it went on.
            assert [r["data"]["sse"]["id"] for r in events(tap.records, "tap_http")][-1] == str(n)
            was_read.set()
        client.until(b"0\r\n\r\n")


def test_a_connection_serves_many_requests_also_when_they_come_at_once(logs: Path) -> None:
    def part(wire: Wire) -> None:
        for n in range(4):
            wire.until(b'"id":%d' % n)
            wire.until(b"}")
            wire.send(answer(PONG.replace(b"1", b"%d" % n)))

    asked = [PING.replace(b'"id":1', b'"id":%d' % n) for n in range(4)]
    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(asked[0]) + b"\r\n" + tap.post(asked[1]))
        client.until(b'"id":1')
        client.until(b"}")
        client.send(tap.post(asked[2]), tap.post(asked[3]))
        client.until(b'"id":3')
        assert len(target.wires) == 1
    assert frames(tap.records, "client") == asked
    assert [r["ms"] >= 0 for r in events(tap.records, "tap_response")] == [True] * 8


def test_what_comes_before_the_answer_goes_on_too(logs: Path) -> None:
    def part(wire: Wire) -> None:
        wire.until(b"\r\n\r\n")
        wire.send(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        wire.until(PING)
        wire.send(answer(PONG))

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        head, _, body = tap.post(PING, b"Expect: 100-continue\r\n").partition(b"\r\n\r\n")
        client.send(head + b"\r\n\r\n")
        client.until(b"100 Continue\r\n\r\n")
        client.send(body)
        assert client.until(PONG) == answer(PONG)


def test_giant_bodies_stream_and_leave_their_beginning_and_size(logs: Path) -> None:
    size = 6_000_000

    def part(wire: Wire) -> None:
        while len(wire.got) < size:
            assert wire.more()
        wire.send(answer(b"[" + b"1," * (size // 2) + b"1]"))

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        body = b'"' + "é".encode() * (size // 2) + b'"'
        threading.Thread(target=client.send, args=(tap.post(body),)).start()
        while len(client.got) < size:
            assert client.more()
        assert client.got.endswith(b"1,1]")
        assert target.wires[0].got.endswith(body)
    came, _, back, _ = events(tap.records, "tap_unreadable")
    assert (came["data"]["bytes"], back["data"]["bytes"]) == (len(body), size + 3)
    assert came["data"]["raw"].startswith('"é')
    assert 65_000 < len(back["data"]["raw"]) <= 65_536
    assert came["exchange"] == back["exchange"]


def test_a_slow_reader_slows_its_writer_down_and_loses_nothing(logs: Path) -> None:
    size = 20_000_000
    sent = 0

    def part(wire: Wire) -> None:
        nonlocal sent
        wire.until(PING)
        wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        wire.sock.settimeout(1)
        with contextlib.suppress(TimeoutError):
            while sent < size:
                sent += wire.sock.send(bytes(65536))
        stopped.set()
        wire.sock.settimeout(20)
        while sent < size:
            sent += wire.sock.send(bytes(65536))

    stopped = threading.Event()
    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(PING))
        client.until(b"\r\n\r\n")
        assert stopped.wait(20)
        assert sent < size
        assert len(client.rest()) == sent


# ---- Hang-ups --------------------------------------------------------------------------------------------------------


def test_a_client_that_leaves_a_stream_takes_the_target_along(logs: Path) -> None:
    left = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(STREAM, chunk(b": beat\n\n"))
        wire.rest()
        left.set()

    with Actor(part) as target, tapped(target.url, logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING))
            client.until(b"beat")
        assert left.wait(20)
    (cut,) = events(tap.records, "tap_cut")
    assert (cut["data"]["by"], cut["data"]["status"], cut["exchange"]) == ("client", 200, cut["exchange"])
    assert cut["exchange"].endswith("/client/1")


def test_a_client_that_is_torn_off_takes_the_target_along(logs: Path) -> None:
    left = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.rest()
        left.set()

    with Actor(part) as target, tapped(target.url, logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING))
            while not target.wires or PING not in target.wires[0].got:
                assert not left.wait(0.01)
            reset(client.sock)
        assert left.wait(20)
    assert events(tap.records, "tap_cut")[0]["data"]["by"] == "client"


@pytest.mark.parametrize("is_torn", [False, True])
def test_a_target_that_hangs_up_in_the_middle_leaves_the_client_the_same_end(logs: Path, is_torn: bool) -> None:
    said = STREAM + chunk(b"data: {}\n\nid: 7\n") + b"99\r\nhalf a chu"
    was_read = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(said)
        assert was_read.wait(20)
        if is_torn:
            reset(wire.sock)

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(PING))
        client.until(b"half a chu")
        was_read.set()
        assert client.rest() == b""
    (cut,) = events(tap.records, "tap_cut")
    assert cut["data"]["by"] == "server"


def test_a_target_that_hangs_up_before_it_answers_is_not_made_up_for(logs: Path) -> None:
    with (
        Actor(lambda wire: wire.until(PING) and None) as target,
        tapped(target.url, logs) as tap,
        tap.client() as client,
    ):
        client.send(tap.post(PING))
        assert client.rest() == b""
    (cut,) = events(tap.records, "tap_cut")
    assert cut["data"] == {"by": "server", "method": "POST", "status": None}


def test_half_an_answer_is_in_the_log(logs: Path) -> None:
    with (
        Actor(lambda wire: wire.send(answer(PONG)[:-5]) if wire.until(PING) else None) as target,
        tapped(target.url, logs) as tap,
        tap.client() as client,
    ):
        client.send(tap.post(PING))
        assert client.rest() == answer(PONG)[:-5]
    (cut,) = events(tap.records, "tap_cut")
    assert (cut["data"]["beginning"], cut["data"]["bytes"]) == (PONG[:-5].decode(), len(PONG) - 5)


def test_half_a_request_is_in_the_log(logs: Path) -> None:
    ended = threading.Event()
    with Actor(lambda wire: ended.set() if wire.rest() else None) as target, tapped(target.url, logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING)[:-5])
        assert ended.wait(20)
        assert target.wires[0].got.endswith(PING[:-5])
    (cut,) = events(tap.records, "tap_cut")
    assert (cut["data"]["by"], cut["data"]["beginning"]) == ("client", PING[:-5].decode())


def test_what_is_under_way_when_the_tap_ends_is_in_the_log(logs: Path) -> None:
    has_come = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        has_come.set()
        wire.rest()

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as busy, tap.client() as idle:
        idle.send(b"POST /mc")
        busy.send(tap.post(PING))
        assert has_come.wait(20)
        tap.door.close()
        assert (busy.rest(), idle.rest()) == (b"", b"")
    (cut,) = events(tap.records, "tap_cut")
    assert cut["data"] == {"by": "tap", "method": "POST", "status": None}


def test_an_idle_connection_is_closed_from_both_sides(logs: Path) -> None:
    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(answer(PONG))
        if len(target.wires) == 1:
            wire.rest()

    with Actor(part) as target, tapped(target.url, logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING))
            client.until(PONG)
        assert target.wires[0].ended.wait(20)
        with tap.client() as client:
            client.send(tap.post(PING))
            client.until(PONG)
            assert client.rest() == b""
    assert events(tap.records, "tap_cut") == []


def test_what_a_target_says_unasked_goes_on(logs: Path) -> None:
    goodbye = answer(b"", status=b"408 Request Timeout")

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(answer(PONG))
        wire.rest()

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(PING))
        client.until(PONG)
        target.wires[0].sock.sendall(goodbye)
        assert client.until(b"\r\n\r\n") == goodbye


def test_an_answer_may_come_before_the_request_is_complete(logs: Path) -> None:
    refusal = answer(b"", status=b"413 Content Too Large")

    def part(wire: Wire) -> None:
        wire.until(b"\r\n\r\n")
        wire.send(refusal)
        wire.until(PING)
        wire.send(b"unasked")
        wire.until(PING)
        wire.send(answer(PONG))

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        sent = tap.post(PING)
        client.send(sent[: -len(PING)])
        assert client.until(b"\r\n\r\n") == refusal
        client.send(PING)
        client.until(b"unasked")
        client.send(tap.post(PING))
        client.until(PONG)


def test_who_closed_its_side_may_still_listen(logs: Path) -> None:
    def part(wire: Wire) -> None:
        wire.rest()
        wire.send(answer(PONG))

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(tap.post(PING))
        client.sock.shutdown(socket.SHUT_WR)
        assert client.rest() == answer(PONG)
    assert events(tap.records, "tap_cut") == []


# ---- Over TLS --------------------------------------------------------------------------------------------------------


def certified(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What a server on this machine shows, and what a client must trust to believe it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
    pem = builder.add_extension(names, False).sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    plain = serialization.NoEncryption()
    file = folder / "certificate.pem"
    file.write_bytes(pem + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    shows = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    shows.load_cert_chain(file)
    return shows, ssl.create_default_context(cadata=pem.decode())


def test_a_target_behind_tls_is_tapped_like_any_other(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shows, trusts = certified(tmp_path)
    giant = answer(b'"' + b"x" * 3_000_000 + b'"')
    left = threading.Event()

    def part(wire: Wire) -> None:
        wire.until(PING)
        wire.send(giant)
        wire.until(PING)
        wire.send(STREAM, chunk(b": beat\n\n"))
        wire.rest()
        left.set()

    monkeypatch.setattr("ssl.create_default_context", lambda: trusts)
    with Actor(part, shows) as target, tapped(f"https://{target.authority}/mcp", logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING))
            while len(client.got) < len(giant):
                assert client.more()
            assert bytes(client.got) == giant
            client.send(tap.post(PING))
            client.until(b"beat")
        assert left.wait(20)
    assert frames(tap.records, "client") == [PING, PING]
    assert events(tap.records, "tap_cut")[0]["data"]["by"] == "client"


# ---- What the tap answers itself -------------------------------------------------------------------------------------


def test_a_target_that_is_not_there_is_named_with_the_id_of_the_request(logs: Path, free_port: int) -> None:
    gone = f"http://127.0.0.1:{free_port}/mcp"
    with tapped(gone, logs) as tap:
        with tap.client() as client:
            client.send(tap.post(PING))
            reply = client.rest()
        with tap.client() as client:
            client.send(b"GET /mcp HTTP/1.1\r\n" + tap.host + b"\r\n")
            plain = client.rest()
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 502 Bad Gateway")
    failure = json.loads(body)
    assert (failure["id"], failure["error"]["code"]) == (1, -32603)
    assert gone in failure["error"]["message"]
    assert gone in json.loads(plain.partition(b"\r\n\r\n")[2])["error"]
    came, unreachable, *_ = [r for r in tap.records if r.get("exchange")]
    assert (came["event"], came["dir"], unreachable["event"]) == ("tap_request", "in", "tap_unreachable")
    assert came["exchange"] == unreachable["exchange"]
    assert events(tap.records, "tap_request") == [came]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"hello\r\n\r\n", "no request of HTTP"),
        (b"GET / HTTP/1.1\r\nodd line\r\n\r\n", "no header"),
        (b"POST / HTTP/1.1\r\n%sContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "two ways"),
        (b"POST / HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "size of a chunk"),
        (b"x" * 70_000, "longer than"),
    ],
)
def test_what_is_no_http_is_answered_here(logs: Path, raw: bytes, reason: str) -> None:
    with Actor(lambda wire: wire.rest() and None) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(raw.replace(b"%s", tap.host))
        head, _, body = client.rest().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request")
    assert reason in json.loads(body)["error"]
    assert reason in events(tap.records, "tap_refused")[0]["data"]["reason"]


def test_a_target_that_answers_no_http_is_said_to_do_so(logs: Path) -> None:
    with (
        Actor(lambda wire: wire.send(b"220 smtp ready\r\n\r\n") if wire.until(PING) else None) as target,
        tapped(target.url, logs) as tap,
        tap.client() as client,
    ):
        client.send(tap.post(PING))
        reply = client.rest()
    assert reply.startswith(b"HTTP/1.1 502")
    (cut,) = events(tap.records, "tap_cut")
    assert cut["data"]["by"] == "tap"


def test_an_answer_that_goes_wrong_in_the_middle_is_cut_there(logs: Path) -> None:
    with (
        Actor(lambda wire: wire.send(STREAM, b"zz\r\n") if wire.until(PING) else None) as target,
        tapped(target.url, logs) as tap,
        tap.client() as client,
    ):
        client.send(tap.post(PING))
        assert client.rest() == STREAM
    assert "size of a chunk" in events(tap.records, "tap_cut")[0]["data"]["reason"]


def test_a_client_that_says_nothing_is_let_go(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.tapping.relay.FIRST_REQUEST", 0.05)
    with Actor(lambda wire: None) as target, tapped(target.url, logs) as tap, tap.client() as client:
        assert client.rest() == b""
    assert target.wires == []


def test_garbage_behind_a_request_ends_the_connection_and_not_the_answer(logs: Path) -> None:
    def part(wire: Wire) -> None:
        wire.until(b"\r\n\r\n")
        wire.send(STREAM, chunk(b": beat\n\n"))
        wire.rest()

    with Actor(part) as target, tapped(target.url, logs) as tap, tap.client() as client:
        client.send(b"POST / HTTP/1.1\r\n" + tap.host + b"Transfer-Encoding: chunked\r\n\r\n")
        client.until(b"beat")
        client.send(b"no chunk\r\n")
        assert b"HTTP/1.1" not in client.rest()
