"""From an entry of servers.json to an open connection."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from playground.logbook import Logbook
from playground.wire.connecting import Way, connect, way
from playground.wire.http import Http
from playground.wire.old_sse import OldSse
from playground.wire.pipe import Pipe
from playground.wire.transports import NotMCP, NotReachable, TravelError
from tests.impostors import STREAM, Impostor, Seen, http, polite, script

ME = {"name": "me", "version": "1"}


@pytest.fixture
def log(logs: Path) -> Logbook:
    return Logbook(logs, "mcp-client-chat")


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"command": "x"}, "stdio"),
        ({"command": "x", "args": ["a"], "env": {"A": "b"}, "cwd": "/", "type": "stdio"}, "stdio"),
        ({"url": "http://x/"}, "http"),
        ({"url": "https://x/", "headers": {"A": "b"}, "type": "streamable-http"}, "http"),
        ({"url": "http://x/", "type": "sse"}, "sse"),
    ],
)
def test_an_entry_says_how_a_server_is_reached(entry: dict[str, Any], kind: str) -> None:
    assert way(entry).kind == kind


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({}, "either a command to start or a url to ask$"),
        ({"command": "x", "url": "http://x/"}, "not both"),
        ({"url": "http://x/", "type": "carrier-pigeon"}, "none of stdio, http and sse"),
        ({"url": "http://x/", "type": "stdio"}, "does not go with a url"),
        ({"command": "x", "type": "sse"}, "does not go with a command"),
        ({"command": " "}, "not the name of a program"),
        ({"command": ["x"]}, "not the name of a program"),
        ({"command": "x", "args": "a b"}, "args are not a list of texts"),
        ({"command": "x", "args": [1]}, "args are not a list of texts"),
        ({"command": "x", "cwd": 1}, "cwd is not the path"),
        ({"command": "x", "env": {"A": 1}}, "env are not an object of texts"),
        ({"url": "file:///etc/passwd"}, "does not begin with http"),
        ({"url": 5}, "does not begin with http"),
        ({"url": "http://x/", "headers": ["A: b"]}, "headers are not an object of texts"),
    ],
)
def test_an_entry_that_cannot_be_used_is_said_to_be_so(entry: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        way(entry)


def test_where_a_way_leads_is_shown_without_what_is_secret() -> None:
    there = way({"command": "x", "args": ["y"], "env": {"KEY": "hush"}})
    assert there.shown == "x y"
    assert "hush" not in repr(there)
    assert way({"url": "http://x/", "headers": {"A": "hush"}}).shown == "http://x/"


def test_a_command_is_started_where_it_wants_to_be(log: Logbook, tmp_path: Path) -> None:
    program, *args = shlex.split(script(tmp_path, "polite()\nimport os\ngood(ask(), {'cwd': os.getcwd()})\nask()\n"))
    entry = {"command": program, "args": args, "cwd": str(tmp_path)}
    connection = connect("x", entry, log, ME, mode="2025-11-25")
    assert isinstance(connection.transport, Pipe)
    assert connection.request("prompts/get")["cwd"] == str(tmp_path)
    connection.close()


def test_an_address_is_asked_by_http(log: Logbook) -> None:
    with Impostor(polite) as server:
        connection = connect("x", Way("http", url=server.url, headers={"X-Key": "k"}), log, ME, mode="2025-11-25")
        assert isinstance(connection.transport, Http)
        connection.close()
        assert server.seen[0].headers["x-key"] == "k"


class Old:
    """A server of 2024: its address takes no POST; what is posted elsewhere is answered in the stream of a GET."""

    def __init__(self) -> None:
        self.was_asked, self.is_over = threading.Event(), threading.Event()

    def __call__(self, seen: Seen) -> bytes | Iterable[bytes]:
        if seen.path != "/mcp":
            self.was_asked.set()
            return http("202 Accepted", kind="")
        if seen.method == "POST":
            return http("405 Method Not Allowed", b"Method Not Allowed", "text/plain")
        return self.stream()

    def stream(self) -> Iterable[bytes]:
        yield STREAM + b"event: endpoint\ndata: /messages\n\n"
        self.was_asked.wait(20)
        yield b'data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{}}}\n\n'
        self.is_over.wait(20)


@pytest.mark.parametrize("entry", [{"type": "sse"}, {}])
def test_an_old_server_is_reached_in_the_old_way_which_the_log_calls_deprecated(
    log: Logbook, entry: dict[str, Any]
) -> None:
    old = Old()
    with Impostor(old) as server:
        connection = connect("x", {"url": server.url, **entry}, log, ME)
        assert isinstance(connection.transport, OldSse)
        assert connection.revision == "2024-11-05"
        connection.close()
        old.is_over.set()
    assert "deprecated since 2025-03-26" in log.path.read_text("utf-8")


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oops"])
def test_what_is_no_server_at_all_is_said_to_be_so_after_a_get_at_most(log: Logbook, status: str) -> None:
    with Impostor(lambda seen: http(status, b"<html>", "text/html")) as server:
        with pytest.raises(NotMCP, match=f"answered HTTP {status[:3]}") as no:
            connect("x", {"url": server.url}, log, ME)
        assert str(no.value.status) == status[:3]
        assert ("GET" in server.methods) == status.startswith("404")


def test_the_stateless_era_never_had_the_old_transport(log: Logbook) -> None:
    with Impostor(lambda seen: http("404 Not Found", b"<html>", "text/html")) as server:
        with pytest.raises(TravelError):
            connect("x", {"url": server.url}, log, ME, mode="2026-07-28")
        assert "GET" not in server.methods


def test_a_connection_that_does_not_open_is_closed(log: Logbook, free_port: int) -> None:
    with pytest.raises(NotReachable):
        connect("x", {"url": f"http://127.0.0.1:{free_port}/mcp"}, log, ME)
