"""What a URL says about the way, and a socket whose waits end by the clock; over TCP, and over TLS."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from playground.wire import dialing
from playground.wire.dialing import Address, NotTrusted, Wire, dial
from playground.wire.transports import Deadline


def soon(seconds: float = 10) -> Deadline:
    return Deadline(seconds, seconds)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://example.org", Address("example.org", 80, False, "/", "example.org")),
        ("https://example.org/a/b?c=d%20e", Address("example.org", 443, True, "/a/b?c=d%20e", "example.org")),
        ("http://[::1]:5000/mcp#part", Address("::1", 5000, False, "/mcp", "[::1]:5000")),
        (
            "http://b\u00fccher.example/\u00fc",
            Address("xn--bcher-kva.example", 80, False, "/%C3%BC", "xn--bcher-kva.example"),
        ),
        ("http://127.0.0.1:0/", Address("127.0.0.1", 0, False, "/", "127.0.0.1:0")),
        ("http://me@h/", Address("h", 80, False, "/", "h", "Basic bWU6")),
        ("http://me:s%3Acret@h:81/", Address("h", 81, False, "/", "h:81", "Basic bWU6czpjcmV0")),
    ],
)
def test_an_address_is_taken_apart(url: str, address: Address) -> None:
    assert Address.of(url) == address


@pytest.mark.parametrize(
    "url", ["", "mcp", "ftp://h/", "http://", "http:///mcp", "http://h:x/", "http://[::1/", f"http://{'a' * 70}.org/"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"no address|Port|IPv6|idna"):
        Address.of(url)


@pytest.fixture
def ends() -> Iterator[tuple[Wire, socket.socket]]:
    """A wire, and the other end of it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        wire = dial(Address.of(f"http://127.0.0.1:{server.getsockname()[1]}/"), soon())
        far, _ = server.accept()
        with far:
            yield wire, far
        wire.close()


def test_bytes_go_to_and_fro(ends: tuple[Wire, socket.socket]) -> None:
    wire, far = ends
    wire.sendall(b"question")
    assert far.recv(100) == b"question"
    far.sendall(b"one\ntwo")
    with wire.makefile("rb") as stream:
        assert stream.readline() == b"one\n"
        far.shutdown(socket.SHUT_WR)
        assert stream.read() == b"two"


def test_a_large_message_goes_out_whole(ends: tuple[Wire, socket.socket]) -> None:
    wire, far = ends
    data, got = bytes(range(256)) * 40_000, bytearray()

    def read() -> None:
        while len(got) < len(data):
            got.extend(far.recv(65536))

    reader = threading.Thread(target=read)
    reader.start()
    wire.deadline = soon()
    wire.sendall(data)
    reader.join(10)
    assert got == data


@pytest.mark.parametrize("stop", [None, threading.Event()])
def test_a_wait_ends_with_the_deadline_also_when_something_came(
    ends: tuple[Wire, socket.socket], stop: threading.Event | None
) -> None:
    wire, far = ends
    wire.deadline = Deadline(0.3, 0.3, stop=stop)
    far.sendall(b"x" * 9)
    with wire.makefile("rb") as stream, pytest.raises(TimeoutError):
        stream.read(10)


def test_a_message_that_nobody_takes_ends_with_the_deadline_too(ends: tuple[Wire, socket.socket]) -> None:
    wire, _ = ends
    wire.deadline = soon(0.2)
    with pytest.raises(TimeoutError):
        wire.sendall(bytes(50_000_000))


def test_a_wait_ends_when_somebody_says_stop(ends: tuple[Wire, socket.socket]) -> None:
    wire, _ = ends
    stop = threading.Event()
    wire.deadline = Deadline(60, 60, stop=stop)
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(TimeoutError):
        wire.receive(bytearray(1))


def test_to_hang_up_wakes_who_waits(ends: tuple[Wire, socket.socket]) -> None:
    wire, far = ends
    wire.deadline = soon()
    threading.Timer(0.1, wire.hang_up).start()
    assert wire.receive(bytearray(1)) == 0
    assert far.recv(1) == b""
    wire.close()
    wire.hang_up()  # once more is no harm


def test_a_wire_is_idle_while_the_other_end_only_listens(ends: tuple[Wire, socket.socket]) -> None:
    wire, far = ends
    assert wire.is_idle()
    far.sendall(b"x")
    wire.deadline = soon()
    assert wire.receive(bytearray(0)) == 0  # waits for what comes, and leaves it there
    assert not wire.is_idle()
    linger = struct.pack("ii", 1, 0)  # so that what ends the connection is a reset
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    far.close()
    assert not wire.is_idle()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that vouches for 127.0.0.1, with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    host = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(host, critical=True).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(key.private_bytes(pem, *plain) + signed.public_bytes(pem))
    return path


def secured(server: socket.socket, certificate: Path, then: Any) -> threading.Thread:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            try:
                with context.wrap_socket(connection, server_side=True) as safe:
                    then(safe)
            except OSError:  # the client doesn't trust us
                pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


def test_tls_carries_the_same(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certifi.where", lambda: str(certificate))  # whom to trust
    may_answer = threading.Event()

    def answer(safe: ssl.SSLSocket) -> None:
        safe.sendall(safe.recv(100).upper())
        may_answer.wait(10)
        safe.sendall(b"bye")

    with socket.create_server(("127.0.0.1", 0)) as server:
        served = secured(server, certificate, answer)
        wire = dial(Address.of(f"https://127.0.0.1:{server.getsockname()[1]}/"), soon())
        wire.deadline = soon()
        wire.sendall(b"hello")
        with wire.makefile("rb") as stream:
            assert stream.read(5) == b"HELLO"
            assert wire.is_idle()
            may_answer.set()
            assert stream.read(3) == b"bye"
        served.join(10)
        assert not wire.is_idle()
        wire.hang_up()
        wire.close()


def test_who_is_not_vouched_for_is_not_trusted(certificate: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        secured(server, certificate, lambda safe: None)
        with pytest.raises(NotTrusted, match="self-signed certificate"):
            dial(Address.of(f"https://127.0.0.1:{server.getsockname()[1]}/"), soon())


def test_nobody_there_is_an_os_error(free_port: int) -> None:
    with pytest.raises(ConnectionRefusedError):
        dialing.dial(Address.of(f"http://127.0.0.1:{free_port}/"), soon())
