"""playground/tapping/target.py: addresses, what is addressed to whom, and TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from playground.tapping.heads import Head
from playground.tapping.target import BadAddress, Target, Unreachable
from tests.taps import Actor


@pytest.mark.parametrize(
    ("url", "host", "port", "authority", "path", "shown"),
    [
        ("http://127.0.0.1:5000/mcp", "127.0.0.1", 5000, "127.0.0.1:5000", "/mcp", "http://127.0.0.1:5000/mcp"),
        ("https://a.example", "a.example", 443, "a.example", "/", "https://a.example/"),
        ("http://[::1]/x?api_key=k", "::1", 80, "[::1]", "/x?api_key=k", "http://[::1]/x"),
    ],
)
def test_an_address_is_taken_apart(url: str, host: str, port: int, authority: str, path: str, shown: str) -> None:
    target = Target(url)
    assert (target.host, target.port, target.authority, target.path, target.url) == (host, port, authority, path, shown)


@pytest.mark.parametrize(
    "url", ["", "5000", "ftp://a/", "http://", "http://a:b/", "http://[::1", "http://a/#b", "http://ä/"]
)
def test_what_is_no_address_is_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(BadAddress, match="is no address of a server; try --to http://127"):
        Target(url)


def test_a_password_does_not_belong_into_an_address() -> None:
    with pytest.raises(BadAddress, match="Authorization") as refused:
        Target("http://me:secret@a/")
    assert "secret" not in str(refused.value)


def test_what_names_the_tap_names_the_target_afterwards_and_nothing_else_does() -> None:
    target = Target("https://a.example:8443/mcp")
    own = Head(b"GET / HTTP/1.1", (b"Host: localhost:5001", b"Origin: http://LOCALHOST:5001", b"Referer: x"))
    assert target.addressed(own).lines == (b"Host: a.example:8443", b"Origin: https://a.example:8443", b"Referer: x")
    page = Head(b"GET / HTTP/1.1", (b"Origin: http://localhost:6274", b"host: localhost:5001"))
    assert target.addressed(page).lines == (b"Origin: http://localhost:6274", b"host: a.example:8443")
    assert target.addressed(Head(b"", (b"Host: a",))).lines == (b"Host: a.example:8443",)


def test_nobody_there_is_said_in_one_sentence(free_port: int) -> None:
    with pytest.raises(Unreachable, match=f"could not reach http://127.0.0.1:{free_port}/mcp .*start that server"):
        Target(f"http://127.0.0.1:{free_port}/mcp").connect()


def test_who_does_not_speak_tls_is_not_trusted() -> None:
    with (
        Actor(lambda wire: wire.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as actor,
        pytest.raises(Unreachable, match="write http:// instead of https://"),
    ):
        Target(f"https://{actor.authority}/mcp").connect()


def test_certificates_are_checked() -> None:
    context = Target("https://a.example/")._tls
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with Actor(lambda wire: None) as actor, Target(actor.url).connect() as sock:
        assert sock.getpeername()[1] == int(actor.authority.rpartition(":")[2])
