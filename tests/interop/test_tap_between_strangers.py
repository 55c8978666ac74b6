"""Other people's clients and servers, watched through the tap: every message of theirs is explained, in both eras."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters, stdio_client
from mcp.client.sse import sse_client

from tests.conftest import ROOT, clean_environment
from tests.interop import peers
from tests.interop.strangers import converse, listen
from tests.interop.test_other_sdks import seen_by
from tests.talks import lacking, tellings
from tests.taps import Record, frames, records

HERE = Path(__file__).resolve().parent
REFERENCE = "@modelcontextprotocol/server-everything/dist/index.js"
OLD, NEW = "2025-11-25", "2026-07-28"
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*:UserWarning")

COMMON = {"discover-first", "list-first", "list-again", "listed", "tool-unknown"}
HANDSHAKE = COMMON | {
    *("refused-probe", "initialize-after-a-probe", "agreed", "initialized", "ping-while-idle", "pong", "set-level"),
    *("subscribe", "unsubscribe", "agreed-to", "roots-changed", "question-for-the-folders-first", "roots"),
    *("read-from-the-list", "read", "refused-no-resource", "call-with-a-token", "done", "tool-failed"),
    *("progress-because-of-a-token", "question-for-the-model", "sampled", "question-with-a-form", "user-accepts"),
    *("question-with-a-page", "refused-url-first", "news-of-a-resource", "log-because-of-the-level"),
    *("cancel-open", "prompt", "prompt-filled", "refused-params", "completion", "completed"),
}
OVER_HTTP = {"primed", "accepted", "accepted-answer", "listening", "listening-begins", "session-ended"}
STATELESS = {
    *("discovered", "input-required", "again-with-answers", "done-after-answers", "progress-because-of-a-token"),
    *("refused-no-resource", "prompt-filled"),
}


def piped(command: list[str], logs: Path) -> Any:
    words = ["-m", "playground.tap", "--logs", str(logs), "--", *command]
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=words, cwd=str(ROOT)),
        errlog=open(os.devnull, "w"),
    )


@contextlib.contextmanager
def program(command: list[str], pattern: str, **settings: str) -> Iterator[str]:
    """A program that says on stdout where it is."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", cwd=ROOT,
        env=clean_environment() | settings,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            found = next((place for line in process.stdout if (place := re.search(pattern, line))), None)
            assert found is not None, f"{command} did not say where it is"
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield found[0]
        finally:
            process.terminate()


@contextlib.contextmanager
def tapped(url: str, logs: Path) -> Iterator[str]:
    """The tap as a user starts it."""
    words = [sys.executable, "-m", "playground.tap", "--listen", "0", "--to", url, "--logs", str(logs)]
    with program(words, r"http://127\.0\.0\.1:\d+/\w+") as address:
        yield address


def told(logs: Path) -> set[str]:
    """The situations of all messages, once it is certain that each left as it came and is explained."""
    streams: dict[str, list[Record]] = {}  # what goes over one of them stays in order; over several at once it need not
    for record in records(logs / "mcp-tap.jsonl"):
        streams.setdefault(record["data"].get("stream") or record.get("exchange", ""), []).append(record)
    for found in streams.values():
        for sender in ("client", "server"):
            assert frames(found, sender) == frames(found, sender, "out")
    judged = list(tellings(logs))
    assert lacking(judged) == []
    return {telling.situation for _, _, _, telling in judged}


def test_the_reference_server_over_http(logs: Path, free_port: int) -> None:
    server = peers.package("reference", REFERENCE, "streamableHttp")
    with (
        program(server, r"listening on port", PORT=str(free_port)),
        tapped(f"http://127.0.0.1:{free_port}/mcp", logs) as address,
    ):
        assert asyncio.run(converse(address, "auto")) == OLD
    assert told(logs) >= HANDSHAKE | OVER_HTTP


def test_the_reference_server_through_a_pipe(logs: Path) -> None:
    target = piped(peers.package("reference", REFERENCE, "stdio"), logs)
    assert asyncio.run(converse(target, "auto")) == OLD
    found = told(logs)
    assert found >= HANDSHAKE | {"news-of-a-list"}
    assert not {"before-ready", "without-a-session", "answer-to-nothing"} & found


def server(name: str, way: str) -> list[str]:
    if name == "python-2":
        return [sys.executable, str(HERE / "server_python_2.py"), way]
    return peers.node(name, f"server_{name.replace('-', '_')}.mjs", way)


@pytest.mark.parametrize("name", ["python-2", "typescript-2"])
def test_the_official_servers_of_the_stateless_era_over_http(name: str, logs: Path) -> None:
    with program(server(name, "http"), r"http://\S+") as url, tapped(url, logs) as address:
        assert asyncio.run(converse(address, "auto")) == NEW
    found = told(logs)
    assert found >= STATELESS
    # Its requests come on several connections, and are one conversation all the same.
    assert "list-again" in found
    assert not {"call-unlisted", "without-a-session", "same-id-twice"} & found


@pytest.mark.parametrize("name", ["python-2", "typescript-2"])
def test_the_official_servers_of_the_stateless_era_through_a_pipe(name: str, logs: Path) -> None:
    assert asyncio.run(converse(piped(server(name, "stdio"), logs), "auto")) == NEW
    assert told(logs) >= STATELESS


@pytest.mark.parametrize("way", ["http", pytest.param("stdio", marks=pytest.mark.hard)])
def test_a_subscription_between_strangers(way: str, logs: Path) -> None:
    if way == "stdio":
        asyncio.run(listen(piped(server("python-2", "stdio"), logs)))
    else:
        with program(server("python-2", "http"), r"http://\S+") as url, tapped(url, logs) as address:
            asyncio.run(listen(address))
    found = told(logs)
    assert found >= {"listen", "subscribed", "news-for-a-subscription", "list-after-a-change"}
    assert ("cut-a-subscription" if way == "http" else "cancel-a-subscription") in found


@pytest.mark.hard
def test_the_transport_of_2024_between_strangers(logs: Path) -> None:
    with program(server("python-2", "sse"), r"http://\S+") as url, tapped(url, logs) as address:
        assert asyncio.run(converse(sse_client(address), "legacy")) == OLD
    found = told(logs)
    assert found >= {"listening-begins", "posting-place", "initialize-first", "accepted-question", "accepted-answer"}
    assert "before-ready" not in found


@pytest.mark.parametrize("way", ["http", pytest.param("stdio", marks=pytest.mark.hard)])
@pytest.mark.parametrize("mode", [pytest.param("default", marks=pytest.mark.hard), "auto"])
def test_the_typescript_client_is_told(way: str, mode: str, logs: Path, tmp_path: Path) -> None:
    ours = [
        sys.executable,
        str(ROOT / "server.py"),
        "--files",
        str(tmp_path / "files"),
        "--logs",
        str(tmp_path / "own"),
    ]
    script = ("typescript-2", "client_typescript_2.mjs", mode)
    if way == "stdio":
        words = ["-m", "playground.tap", "--logs", str(logs), "--", *ours, "--stdio"]
        seen = seen_by(peers.node(*script, "stdio", sys.executable, *words), cwd=ROOT)
    else:
        with program([*ours, "--port", "0"], r"http://[\d.:]+\d") as url, tapped(url + "/mcp", logs) as address:
            seen = seen_by(peers.node(*script, "http", address))
    assert seen["revision"] == (NEW if mode == "auto" else OLD)
    found = told(logs)
    assert "list-first" in found
    assert not {"call-unlisted", "without-a-session", "same-id-twice", "cancel-nothing"} & found


@pytest.mark.hard
def test_work_in_the_background_is_told(logs: Path) -> None:
    words = ["-m", "playground.tap", "--logs", str(logs), "--", *peers.package("reference", REFERENCE, "stdio")]
    seen = seen_by(peers.node("typescript-1", "client_tasks.mjs", "stdio", sys.executable, *words), cwd=ROOT)
    assert (seen[0], seen[-1]) == ("taskCreated", "result")
    assert told(logs) >= {"task-begun", "task-asked-after", "task-told", "task-news", "question-with-a-form"}
