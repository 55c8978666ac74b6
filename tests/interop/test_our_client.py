"""Our client against the official SDKs' servers: Python and TypeScript, both eras, HTTP, pipes, and HTTP+SSE."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import forms
from mcp_core.calling import Asked, Noted
from playground.logbook import Logbook
from playground.wire.connecting import connect
from playground.wire.connection import Connection, Refused
from playground.wire.transports import TravelError
from tests.interop import peers

Object = dict[str, Any]
HERE = Path(__file__).resolve().parent
ABLE: Object = {"elicitation": {}, "sampling": {}, "roots": {}}
LATEST = {"auto": "2026-07-28"}


def command(server: str, way: str) -> list[str]:
    if server == "python-2":
        return [sys.executable, str(HERE / "server_python_2.py"), way]
    return peers.node(server, f"server_{server.replace('-', '_')}.mjs", way)


@contextlib.contextmanager
def address(server: str, way: str) -> Iterator[str]:
    with subprocess.Popen(command(server, way), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def addresses() -> Iterator[Callable[[str, str], str]]:
    """Starts a server when it is first asked for; all tests of the file share it."""
    found: dict[tuple[str, str], str] = {}
    with contextlib.ExitStack() as stack:

        def start(server: str, way: str) -> str:
            if (server, way) not in found:
                found[server, way] = stack.enter_context(address(server, way))
            return found[server, way]

        yield start


class Host:
    """Who answers for our client, and what was heard."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.heard: list[str] = []
        self.news = threading.Condition()

    def answer(self, asked: Asked) -> Object | None:
        self.asked.append(asked.method)
        if asked.method == "sampling/createMessage":
            return {"role": "assistant", "content": {"type": "text", "text": "A short text."}, "model": "m"}
        if asked.method == "roots/list":
            return {"roots": [{"uri": "file:///tmp", "name": "tmp"}]}
        content, complaints = forms.fill(asked.params["requestedSchema"], {"size": "m"})
        assert complaints == []
        return {"action": "accept", "content": content}

    def note(self, noted: Noted) -> None:
        with self.news:
            self.heard.append(noted.note.method)
            self.news.notify_all()

    def hears(self, method: str) -> bool:
        with self.news:
            return self.news.wait_for(lambda: method in self.heard, 10)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def to(
    host: Host, tmp_path: Path, addresses: Callable[[str, str], str]
) -> Iterator[Callable[[str, str, str], Connection]]:
    """Connects to a server, by its name, on a way, in a mode."""
    with contextlib.ExitStack() as stack:

        def connected(server: str, way: str, mode: str) -> Connection:
            program, *args = command(server, way)
            entry = {"command": program, "args": args} if way == "stdio" else {"url": addresses(server, way)}
            return stack.enter_context(opened(entry, host, tmp_path, mode))

        yield connected


@contextlib.contextmanager
def opened(entry: Object, host: Host, folder: Path, mode: str = "auto") -> Iterator[Connection]:
    log = Logbook(folder / "logs", "mcp-client-chat")
    me = {"name": "ours", "version": "1.0"}
    connection = connect("peer", entry, log, me, ABLE, mode=mode, patience=20, answer=host.answer, note=host.note)
    try:
        yield connection
    finally:
        connection.close()


def text(result: Object) -> str:
    found = result["content"][0]["text"]
    assert isinstance(found, str)
    return found


def use(connection: Connection, host: Host) -> None:
    """What every server here offers, alike."""
    assert {"add", "ask", "work"} <= {tool["name"] for tool in connection.list_all("tools/list")}
    result = connection.call_tool("add", {"a": 2, "b": 3})
    assert not result.get("isError")
    assert result.get("structuredContent", {"sum": 5}) == {"sum": 5}
    assert text(connection.call_tool("work", {}, with_progress=True)) == "worked"
    assert host.heard.count("notifications/progress") == 3
    assert [resource["uri"] for resource in connection.list_all("resources/list")] == ["test://note"]
    assert connection.request("resources/read", {"uri": "test://note"})["contents"][0]["text"] == "a note"
    got = connection.request("prompts/get", {"name": "greet", "arguments": {"name": "Ana"}})
    assert got["messages"][0]["content"]["text"] == "Greet Ana."
    with pytest.raises(Refused):
        connection.request("resources/read", {"uri": "test://none"})


PYTHON_2 = [
    pytest.param(way, mode, marks=[pytest.mark.hard] if mode in ("2024-11-05", "2025-03-26", "2025-06-18") else [])
    for way in ("http", "stdio")
    for mode in ("auto", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
]


@pytest.mark.parametrize(("way", "mode"), PYTHON_2)
def test_the_python_sdk_of_both_eras(
    to: Callable[[str, str, str], Connection], host: Host, way: str, mode: str
) -> None:
    connection = to("python-2", way, mode)
    assert connection.revision == LATEST.get(mode, mode)
    use(connection, host)
    if connection.revision >= "2025-06-18":
        assert text(connection.call_tool("ask", {})) == "Ana wears m"
    if connection.revision < "2026":
        connection.call_tool("grow", {})
        assert host.hears("notifications/tools/list_changed")
        assert "grown" in [tool["name"] for tool in connection.list_all("tools/list")]


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_subscription_to_the_python_sdk(to: Callable[[str, str, str], Connection], host: Host, way: str) -> None:
    connection = to("python-2", way, "auto")
    wanted = {"notifications": {"toolsListChanged": True}}
    ended = threading.Event()

    def listen() -> None:
        with contextlib.suppress(TravelError, Refused):
            connection.request("subscriptions/listen", wanted, patience=60)
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    assert host.hears("notifications/subscriptions/acknowledged")
    connection.call_tool("grow", {})
    assert host.hears("notifications/tools/list_changed")
    connection.close()
    assert ended.wait(10)


@pytest.mark.parametrize("spelled", [{"type": "sse"}, {}])
def test_the_transport_of_2024(
    addresses: Callable[[str, str], str], host: Host, tmp_path: Path, spelled: Object
) -> None:
    entry = {"url": addresses("python-2", "sse"), **spelled}  # without a type, a POST there is answered with 405
    with opened(entry, host, tmp_path) as connection:
        assert connection.revision == "2025-11-25"
        use(connection, host)
        assert text(connection.call_tool("ask", {})) == "Ana wears m"
    log = (tmp_path / "logs" / "mcp-client-chat.jsonl").read_text("utf-8")
    assert "deprecated since 2025-03-26" in log


@pytest.mark.parametrize(("way", "mode"), [(way, mode) for way in ("http", "stdio") for mode in ("auto", "2025-06-18")])
def test_the_typescript_sdk_of_the_first_era(
    to: Callable[[str, str, str], Connection], host: Host, way: str, mode: str
) -> None:
    connection = to("typescript-1", way, mode)
    assert connection.revision == ("2025-11-25" if mode == "auto" else mode), "it fell back"
    use(connection, host)
    assert text(connection.call_tool("ask", {})) == "Ana wears m"
    assert text(connection.call_tool("think", {})) == "A short text."
    connection.call_tool("grow", {})
    assert host.hears("notifications/tools/list_changed")


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "2025-11-25", "2026-07-28"])
def test_the_typescript_sdk_of_both_eras(
    to: Callable[[str, str, str], Connection], host: Host, way: str, mode: str
) -> None:
    connection = to("typescript-2", way, mode)
    assert connection.revision == LATEST.get(mode, mode)
    use(connection, host)
    if way == "stdio" or connection.revision == "2026-07-28":  # its old HTTP has no sessions, and can't ask
        assert text(connection.call_tool("ask", {})) == "Ana wears m"


def test_a_pinned_revision_is_no_wish(addresses: Callable[[str, str], str], host: Host, tmp_path: Path) -> None:
    entry = {"url": addresses("typescript-1", "http")}
    with pytest.raises(TravelError), opened(entry, host, tmp_path, "2026-07-28"):
        pass


def test_the_reference_server_for_everything(host: Host, tmp_path: Path) -> None:
    program, *args = peers.package("reference", "@modelcontextprotocol/server-everything/dist/index.js", "stdio")
    with opened({"command": program, "args": args}, host, tmp_path) as connection:
        assert connection.revision == "2025-11-25"
        tools = {tool["name"] for tool in connection.list_all("tools/list")}
        assert "echo" in tools
        assert text(connection.call_tool("echo", {"message": "naïve €"})) == "Echo: naïve €"
        assert connection.list_all("prompts/list")
        first = connection.list_all("resources/list")[0]
        assert connection.request("resources/read", {"uri": first["uri"]})["contents"]


def test_the_reference_server_for_files(host: Host, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello €", encoding="utf-8")
    path = "@modelcontextprotocol/server-filesystem/dist/index.js"
    program, *args = peers.package("reference", path, str(tmp_path))
    with opened({"command": program, "args": args}, host, tmp_path) as connection:
        tools = {tool["name"]: tool for tool in connection.list_all("tools/list")}
        assert len(tools) > 8
        name = next(name for name in tools if re.fullmatch(r"read_(text_)?file", name))
        assert text(connection.call_tool(name, {"path": str(tmp_path / "note.txt")})) == "hello €"
        assert connection.call_tool(name, {"path": str(tmp_path / "none.txt")})["isError"]
