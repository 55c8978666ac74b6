"""playground/tap.py: other people's clients and servers, in both eras, and nothing lost between wire and log."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.sse import sse_client

from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY
from mcp_core.sse import Decoder, Event
from playground import tap
from playground.explainer import explain
from tests.conformance import suite
from tests.conftest import ROOT, clean_environment
from tests.interop.test_python_sdk import use_everything
from tests.talks import lacking, tellings
from tests.taps import Record, frames, records, tapped

MODES = ["auto", "legacy", "2026-07-28"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tap")


@pytest.fixture(scope="module")
def server(start_module: Callable[..., Any], folder: Path) -> str:
    running = start_module("server.py", "--port", "0", "--files", folder / "files", "--logs", folder / "server")
    return str(running.url) + "/mcp"


def of(found: list[Record], event: str, dir: str = "in") -> list[Record]:
    return [record for record in found if record["event"] == event and record.get("dir") == dir]


def is_paired_and_explained(found: list[Record]) -> None:
    """Every answer has its request in the log, and there is something to say about every message."""
    asked = {record["exchange"]: record["data"]["message"]["method"] for record in of(found, "tap_request")}
    answers = of(found, "tap_response") + of(found, "tap_response", "out")
    assert asked
    assert all("ms" in record for record in answers)
    assert {record["exchange"] for record in answers} <= set(asked)
    assert len(of(found, "tap_request")) == len(of(found, "tap_request", "out"))
    assert of(found, "tap_unreadable") == []
    for record in found:
        if "message" in record["data"]:
            about = asked.get(record.get("exchange", ""))
            told = explain(
                record["data"]["message"], http=record["data"].get("http"), answers=about, event=record["event"]
            )
            assert {paragraph.kind for paragraph in told} & {"method", "answer", "code"}, record
            assert "event" in {paragraph.kind for paragraph in told}, record


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_watched_over_http(server: str, logs: Path, folder: Path, mode: str) -> None:
    with tapped(server, logs) as watched:
        asyncio.run(use_everything(watched.url, mode, f"{mode}.txt"))
        found = watched.records
    is_paired_and_explained(found)
    progress = [r for r in of(found, "tap_notification") if r["data"]["message"]["method"] == "notifications/progress"]
    calls = {r["exchange"] for r in of(found, "tap_request") if r["data"]["message"]["method"] == "tools/call"}
    assert progress
    assert {r["exchange"] for r in progress} <= calls
    questions = [r for r in of(found, "tap_request") if r["peer"] == "server"]
    assert bool(questions) is (mode == "legacy")
    # The playground's server names the same exchanges, but for the one that opens a session.
    ours = {r.get("exchange") for r in records(folder / "server" / "mcp-server.jsonl") if "dir" in r}
    theirs = {r["exchange"] for r in of(found, "tap_request") if r["data"]["message"]["method"] != "initialize"}
    assert theirs <= ours


def piped_server(folder: Path) -> Any:
    inner = [
        sys.executable,
        str(ROOT / "server.py"),
        "--stdio",
        "--files",
        str(folder / "files"),
        "--logs",
        str(folder),
    ]
    words = ["-m", "playground.tap", "--logs", str(folder), "--", *inner]
    return stdio_client(StdioServerParameters(command=sys.executable, args=words, cwd=str(ROOT)))


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_watched_through_a_pipe(tmp_path: Path, mode: str) -> None:
    asyncio.run(use_everything(piped_server(tmp_path), mode, "pipe.txt"))
    found = records(tmp_path / "mcp-tap.jsonl")
    is_paired_and_explained(found)
    server = [r for r in records(tmp_path / "mcp-server.jsonl") if "dir" in r]
    named = {str(r["exchange"]) for r in found if "dir" in r}
    assert {r["exchange"] for r in server if "exchange" in r} == {name for name in named if "raw" not in name}
    assert found[-1]["event"] == "tap_exit"


# ---- Somebody else's server: the official SDK's ----------------------------------------------------------------------

STRANGER = """
import sys
from pydantic import BaseModel
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("stranger")

class Form(BaseModel):
    sure: bool

@server.tool()
async def count(upto: int, ctx: Context) -> str:
    for n in range(upto):
        await ctx.report_progress(n + 1, upto)
    return f"counted {upto}"

server.run(sys.argv[1], **({"port": int(sys.argv[2])} if len(sys.argv) > 2 else {}))
"""


async def use_stranger(target: Any, mode: str) -> None:
    seen: list[float] = []

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async with Client(target, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["count"]
        result = await client.call_tool("count", {"upto": 3}, progress_callback=watch)
        assert not result.is_error
    assert seen == [1, 2, 3]


@contextlib.contextmanager
def stranger(folder: Path, transport: str, port: int) -> Iterator[str]:
    script = folder / "stranger.py"
    script.write_text(STRANGER)
    words = [sys.executable, str(script), transport, str(port)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        while "running on" not in (line := process.stderr.readline()):
            assert line, "the server did not start"
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_strangers_client_and_server_are_watched_over_http(
    tmp_path: Path, logs: Path, free_port: int, mode: str
) -> None:
    with stranger(tmp_path, "streamable-http", free_port) as url, tapped(url + "/mcp", logs) as watched:
        asyncio.run(use_stranger(watched.url, mode))
        found = watched.records
    is_paired_and_explained(found)
    told = [r for r in of(found, "tap_notification") if r["data"]["message"]["method"] == "notifications/progress"]
    (call,) = [r for r in of(found, "tap_request") if r["data"]["message"]["method"] == "tools/call"]
    assert [r["exchange"] for r in told] == [call["exchange"]] * 3


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_strangers_client_and_server_are_watched_through_a_pipe(tmp_path: Path, mode: str) -> None:
    script = tmp_path / "stranger.py"
    script.write_text(STRANGER)
    words = ["-m", "playground.tap", "--logs", str(tmp_path), "--", sys.executable, str(script), "stdio"]
    asyncio.run(
        use_stranger(stdio_client(StdioServerParameters(command=sys.executable, args=words, cwd=str(ROOT))), mode)
    )
    is_paired_and_explained(records(tmp_path / "mcp-tap.jsonl"))


def test_the_transport_of_the_first_revision_is_watched(tmp_path: Path, logs: Path, free_port: int) -> None:
    with stranger(tmp_path, "sse", free_port) as url, tapped(url + "/sse", logs) as watched:
        asyncio.run(use_stranger(sse_client(f"http://127.0.0.1:{watched.port}/sse"), "legacy"))
        found = watched.records
    is_paired_and_explained(found)  # though every answer comes on another connection than its request


def test_a_subscription_is_watched(server: str, logs: Path) -> None:
    async def listen(url: str) -> None:
        async with Client(url, mode="2026-07-28") as client, client.listen(tools_list_changed=True):
            await client.list_tools()

    with tapped(server, logs) as watched:
        asyncio.run(listen(watched.url))
        found = watched.records
    (asked,) = [r for r in of(found, "tap_request") if r["data"]["message"]["method"] == "subscriptions/listen"]
    told = [r for r in of(found, "tap_notification") if r.get("exchange") == asked["exchange"]]
    assert [r["data"]["message"]["method"] for r in told] == ["notifications/subscriptions/acknowledged"]
    assert [r["exchange"] for r in found if r["event"] == "tap_cut"] in ([], [asked["exchange"]])


@pytest.mark.parametrize("revision", suite.REVISIONS)
@pytest.mark.hard
def test_the_conformance_suite_notices_no_tap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    bare = suite.fixture_server

    @contextlib.contextmanager
    def behind_a_tap(folder: Path) -> Iterator[str]:
        with bare(folder) as address, tapped(address, folder) as watched:
            yield watched.url

    monkeypatch.setattr(suite, "fixture_server", behind_a_tap)
    verdict = suite.examine_server(revision, tmp_path)
    assert verdict.is_good, verdict.complaints
    found = records(tmp_path / "mcp-tap.jsonl")
    assert len(found) > 300
    for sender in ("client", "server"):
        assert sorted(frames(found, sender)) == sorted(frames(found, sender, "out"))


# ---- Other people's habits ------------------------------------------------------------------------------------------

# Answers in another order than it was asked, pings, has words of its own, and counts with texts.
UNRULY = """
import json, sys

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def hear():
    return json.loads(sys.stdin.readline())

asked = hear()
say(id=asked["id"], result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {
    "name": "unruly", "version": "0"}, "_meta": {"acme/own": [1]}})
hear()
first, second = hear(), hear()
say(id="ü-0", method="ping")
hear()
say(method="acme/noticed", params={"_meta": {"acme/own": True}})
say(id="ü-1", method="acme/ask")
hear()
say(method="notifications/progress", params={"progressToken": second["params"]["_meta"]["progressToken"],
    "progress": 1, "_meta": {"acme/own": 1}})
for call in (second, first):
    say(id=call["id"], result={"content": [{"type": "text", "text": call["params"]["name"]}]})
say(id=hear()["id"], error={"code": 4711, "message": "No such verb."})
"""


def test_strangers_with_habits_of_their_own_are_told_right(logs: Path) -> None:
    def request(id: Any, method: str, **params: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"

    uuid = "7f3c0a52-9d1e-4a57-8a53-0d2a7f3c0a52"
    lines = [
        request(
            0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "n", "version": "0"}
        ),
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"acme/own":{}}}}\n',
        request(uuid, "tools/call", name="one", arguments={}, _meta={"progressToken": 0}),
        request("0", "tools/call", name="two", arguments={}, _meta={"progressToken": "0"}),
    ]
    then = {  # what it says next, once it has heard this
        "ping": b'{"jsonrpc":"2.0","id":"\\u00fc-0","result":{}}\n',
        "acme/ask": b'{"jsonrpc":"2.0","id":"\\u00fc-1","error":{"code":-32601,"message":"What?"}}\n',
        uuid: request(1, "acme/do"),
    }
    words = [sys.executable, "-m", "playground.tap", "--logs", str(logs), "--", sys.executable, "-c", UNRULY]
    with subprocess.Popen(words, cwd=ROOT, env=clean_environment(), stdin=-1, stdout=-1, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(lines))
        heard = []
        for line in process.stdout:
            heard.append(json.loads(line))
            process.stdin.write(then.get(heard[-1].get("method") or str(heard[-1]["id"]), b""))
    assert len(heard) == 8
    judged = list(tellings(logs))
    assert lacking(judged) == []
    told = [(telling.situation, telling.why) for _, _, record, telling in judged if record["dir"] == "in"]
    assert {name for name, _ in told} == {
        *("initialize-first", "agreed", "initialized", "call-with-a-token", "ping-of-the-server", "pong"),
        *("unknown-notification", "unknown-method", "client-refuses", "progress-because-of-a-token", "done"),
        "refused-by-its-own-code",
    }
    assert [re.findall(r"`(\w+)`", why)[0] for name, why in told if name == "done"] == ["two", "one"]
    (progress,) = [why for name, why in told if name.startswith("progress")]
    assert 'The request "0" (`tools/call`) carried the token "0"' in progress
    assert any("`acme/do`" in why for _, why in told)


def test_an_array_of_messages_is_told_message_by_message(server: str, logs: Path) -> None:
    about = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "n", "version": "0"}}
    call = {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "list_files", "arguments": {}}}
    array = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, call, {"jsonrpc": "2.0", "id": "c", "method": "acme/do"}]
    with tapped(server, logs) as watched:
        client = Ledger(watched.port, "user-0")
        client.post(id=0, method="initialize", params=about)
        client.post(method="notifications/initialized")
        client.send(json.dumps(array).encode())
        client.close()
    judged = list(tellings(logs))
    assert lacking(judged) == []
    told = {telling.situation for _, _, record, telling in judged}
    assert told >= {"batch", "ping-while-idle", "call-unlisted", "unknown-method", "pong", "done", "refused-method"}
    parts = [telling for _, _, record, telling in judged if record["data"].get("part") == "2 of 3"]
    assert all("as number 2 of 3" in " ".join(telling.carried) for telling in parts)


# ---- 200 sessions, 0 differences -------------------------------------------------------------------------------------


class Ledger:
    """A client that writes down every text it sends and gets, and shares no code with the tap."""

    def __init__(self, port: int, name: str) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._name, self._headers = name, {"Accept": "application/json, text/event-stream"}
        self.sent: list[bytes] = []
        self.got: list[bytes] = []

    def post(self, **message: Any) -> None:
        # Spelled as our encoder would not, so that a log which parses and writes anew is found out.
        self.send(
            json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, indent=len(self.sent) % 2 or None).encode()
        )

    def send(self, text: bytes) -> None:
        self.sent.append(text)
        self._http.request("POST", "/mcp", text, {**self._headers, "Content-Type": "application/json"})
        answer = self._http.getresponse()
        body = answer.read()
        if session := answer.headers.get("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = session
        if answer.headers.get_content_type() == "text/event-stream":
            self.got += [event.data.encode() for event in Decoder().feed(body) if event.data]
        elif body:
            self.got.append(body)

    def close(self) -> None:
        self._http.close()

    def run(self, *, is_stateless: bool = False) -> Ledger:
        return self._in_one_request_each() if is_stateless else self._in_a_session()

    def _in_a_session(self) -> Ledger:
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": self._name, "version": "é"},
        }
        self.post(id=0, method="initialize", params=about)
        self.post(method="notifications/initialized")
        for id, (method, params) in enumerate(self._work(), 1):
            self.post(id=id, method=method, params=params)
        self._http.request("DELETE", "/mcp", headers=self._headers)
        assert self._http.getresponse().read() == b""
        self.close()
        return self

    def _in_one_request_each(self) -> Ledger:
        own = {
            VERSION_KEY: "2026-07-28",
            CLIENT_CAPABILITIES_KEY: {"elicitation": {}},
            CLIENT_INFO_KEY: {"name": self._name, "version": "é"},
        }
        work = [("server/discover", {}), *self._work(), ("tools/call", {"name": "delete_file", "arguments": {
            "filename": f"{self._name}.txt"}})]  # fmt: skip
        for id, (method, params) in enumerate(work):
            with_introduction = {**params, "_meta": own | params.get("_meta", {})}
            self._headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
            self._headers.pop("Mcp-Name", None)
            if "name" in params:
                self._headers["Mcp-Name"] = params["name"]
            self.post(id=f"{self._name}-{id}", method=method, params=with_introduction)
        self.close()
        return self

    def _work(self) -> list[tuple[str, dict[str, Any]]]:
        written = {"filename": f"{int(self._name[5:]) % 8}.txt", "text": f"TODO {self._name} ünï\n"}
        search = {"name": "search_all", "arguments": {"keyword": self._name}, "_meta": {"progressToken": "p"}}
        return [("tools/call", {"name": "write_file", "arguments": written}), ("tools/call", search), ("no/such", {})]


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.hard)])
def test_sessions_leave_no_difference_between_wire_and_log_and_page(
    start: Callable[..., Any], files: Path, logs: Path, tmp_path: Path, node: str, count: int
) -> None:
    """Half of them in each era, by a client whose spelling is not ours."""
    running = start("server.py", "--port", "0", "--files", files, "--logs", tmp_path / "server")
    with tapped(f"{running.url}/mcp", logs) as watched, ThreadPoolExecutor(4) as pool:

        def run(number: int) -> Ledger:
            return Ledger(watched.port, f"user-{number}").run(is_stateless=number % 2 == 1)

        ledgers = list(pool.map(run, range(count)))
        found = watched.records
    wire = {
        "client": sorted(text for ledger in ledgers for text in ledger.sent),
        "server": sorted(text for ledger in ledgers for text in ledger.got),
    }
    assert len(wire["client"]) == count * 5
    for sender, told in wire.items():
        for dir in ("in", "out"):
            assert sorted(frames(found, sender, dir)) == told
    sessions: dict[str, list[Record]] = {}
    for record in [r for r in found if "session" in r]:
        sessions.setdefault(record["session"], []).append(record)
    assert len(sessions) == count / 2
    for ledger in ledgers[::2]:  # and each session tells its own story, in its order
        (own,) = [kept for kept in sessions.values() if frames(kept, "client")[1:2] == ledger.sent[2:3]]
        assert frames(own, "client") == ledger.sent[1:]
        assert frames(own, "server") == ledger.got
    assert [r["seq"] for r in found] == list(range(1, len(found) + 1))
    assert {r["event"] for r in found} <= {"tap_request", "tap_response", "tap_notification", "tap_http"}
    viewer = start("log_viewer.py", "--port", "0", "--logs", logs)
    shown = shown_on_the_page(viewer.url, len(found), node)
    assert len(shown) == len(found)
    rows = [row for row in shown if row["kind"] in ("request", "result", "error", "notification")]
    for sender, told in wire.items():
        for dir, peer in (("in", sender), ("out", {"client": "server", "server": "client"}[sender])):
            own_rows = [row for row in rows if (row["dir"], row["peer"]) == (dir, peer)]
            assert sorted(row["text"].encode() for row in own_rows) == told
            arrow = [f"{peer}:", "tap:"] if dir == "in" else ["tap:", f"{peer}:"]
            assert [row for row in own_rows if row["arrow"] != arrow] == []
    assert [row for row in rows if row["kind"] == "request" and row["answer"] != row["id"]] == []


def shown_on_the_page(url: str, count: int, node: str) -> list[dict[str, Any]]:
    """What becomes of the viewer's stream in the page's own modules."""
    viewer = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    viewer.request("GET", f"/stream?files=mcp-tap.jsonl&history={count + 1}")
    stream, decoder = viewer.getresponse(), Decoder()
    events: list[Event] = []
    while not any(event.event == "notice" and json.loads(event.data)["kind"] == "live" for event in events[-1:]):
        piece = stream.read1(65536)
        assert piece, "the stream ended before it was live"
        events += [event for event in decoder.feed(piece) if event.data]  # the first has none, but says `retry`
    viewer.close()
    lines = "\n".join(event.data for event in events if event.event != "notice")
    page = [node, str(ROOT / "tests" / "shown.mjs")]
    done = subprocess.run(page, input=lines, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


# ---- The command -----------------------------------------------------------------------------------------------------


def run(*words: str, logs: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "playground.tap", "--logs", str(logs), *words]
    return subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (["--to", "nowhere"], "nowhere is no address of a server", 1),
        (["--to", "http://127.0.0.1:9/", "--listen", "x"], "--listen must be a port", 1),
        (["--to", "http://127.0.0.1:9/", "--host", "256.1.1.1"], "is not an address of this machine", 1),
        ([], "give either --to and an address, or -- and the command", 2),
        (["--to", "http://127.0.0.1:9/", "--", "x"], "give either", 2),
        (["--", "no-such-program"], "'no-such-program' can't be started", 127),
    ],
)
def test_what_is_wrong_is_one_sentence(
    words: list[str], sentence: str, code: int, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        found = tap.main(["--logs", str(logs), *words])
    except SystemExit as end:
        found = int(str(end.code))
    assert found == code
    said = capsys.readouterr()
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_a_tap_on_itself_and_an_empty_setting_are_refused(
    logs: Path, free_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    itself = f"http://localhost:{free_port}/mcp"
    assert tap.main(["--logs", str(logs), "--to", itself, "--listen", str(free_port)]) == 1
    assert tap.main(["--logs", " ", "--", "x"]) == 1
    assert re.search(r"--to is the address of the tap itself.*\n--logs is empty", capsys.readouterr().err)


@pytest.fixture
def command(logs: Path) -> Iterator[Any]:
    words = [
        "--to",
        "http://127.0.0.1:9/mcp?api_key=hidden-key",
        "--listen",
        "0",
        "--logs",
        str(logs),
        "--host",
        "0.0.0.0",
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "playground.tap", *words], cwd=ROOT, env=clean_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield process
        process.kill()


def test_it_says_where_it_is_and_ends_when_it_is_told(command: Any, logs: Path) -> None:
    line = command.stdout.readline()
    assert re.match(
        r"The tap is http://127\.0\.0\.1:\d+/mcp\?\S+, and passes everything on to http://127.0.0.1:9/mcp;", line
    )
    assert command.stdout.readline() == f"Log in {logs / 'mcp-tap.jsonl'}\n"
    command.terminate()
    assert command.wait(10) == 0
    assert "Warning: listening on 0.0.0.0" in command.stderr.read()
    (record,) = records(logs / "mcp-tap.jsonl")
    assert (record["event"], record["component"]) == ("tap_start", "mcp-tap")
    assert "hidden-key" not in json.dumps(record)


def test_keys_in_the_command_are_not_written_down(logs: Path) -> None:
    words = [
        "--",
        sys.executable,
        "-c",
        "import sys; print(sys.argv[2:])",
        "--api-key",
        "hidden-key",
        "--token=secret-too",
    ]
    done = run(*words, logs=logs)
    assert done.stdout == "['hidden-key', '--token=secret-too']\n"
    text = (logs / "mcp-tap.jsonl").read_text()
    assert "hidden-key" not in text
    assert "secret-too" not in text
