"""Whatever stands in a body, the answer keeps the rules of JSON-RPC: twenty thousand bodies say so, or one says no."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, EnvironBuilder

import server
from playground.gate import Gate
from playground.logbook import Logbook
from playground.server.sandbox import Sandbox
from tests.cases.oracles import Peer, strict
from tests.hard import grammar
from tests.hard.figures import SCALE, note

SLOWEST = 1.0  # seconds
Json = dict[str, Any]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
STATELESS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@dataclass
class Seen:
    """What came back for one body."""

    status: int
    kind: str
    body: bytes
    seconds: float


def fault(sent: bytes, path: str, seen: Seen) -> str | None:
    """Which rule an answer breaks, if any."""
    if seen.status >= 500:
        return f"HTTP {seen.status}"
    if seen.seconds > SLOWEST:
        return f"took {seen.seconds:.2f} s"
    if not seen.body:
        return None if seen.status in (202, 204) or path == "/mcp" else f"an empty {seen.status}"
    if "html" in seen.kind or seen.body.lstrip().startswith(b"<"):
        return "HTML"
    if seen.kind.startswith("text/event-stream"):
        events = [line[6:] for line in seen.body.splitlines() if line.startswith(b"data: ")]
        return next((found for event in events if event and (found := envelope_fault(sent, event, False))), None)
    if seen.kind != "application/json":
        return f"Content-Type {seen.kind!r}"
    return envelope_fault(sent, seen.body, seen.status == 200)


def envelope_fault(sent: bytes, text: bytes, must_answer: bool) -> str | None:
    try:
        said = strict(text)
    except (AssertionError, ValueError) as error:
        return f"no strict JSON: {error}"
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return "no JSON-RPC"
    if "method" in said:  # on a stream: a notification, or a question of the server's
        return "a call where an answer was due" if must_answer else None
    if set(said) not in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}):
        return f"members {sorted(said)}"
    code = said["error"].get("code") if "error" in said else None
    if code == -32603:
        return "an internal error"
    return id_fault(sent, said["id"], code)


def id_fault(sent: bytes, id: Any, code: int | None) -> str | None:
    try:
        asked = strict(sent)
    except (AssertionError, ValueError, RecursionError):
        return None if id is None and code in (-32700, -32600) else f"{code} with id {id!r} for what is no JSON"
    own = asked.get("id") if isinstance(asked, dict) else None
    if id is None:
        return None if code in (-32700, -32600) else f"no id, code {code}"
    return None if id == own and type(id) is type(own) else f"id {id!r} for {own!r}"


def is_notification(sent: bytes) -> bool:
    try:
        value = strict(sent)
    except (AssertionError, ValueError, RecursionError):
        return False
    good = isinstance(value, dict) and value.get("jsonrpc") == "2.0" and isinstance(value.get("method"), str)
    return good and set(value) <= {"jsonrpc", "method", "params"} and isinstance(value.get("params", {}), dict | None)


def places(chance: random.Random, session: str) -> tuple[str, dict[str, str]]:
    """Where a body goes, and with which headers besides Content-Type."""
    draw = chance.random()
    if draw < 0.55:
        return "/rpc", {}
    if draw < 0.85:
        return "/mcp", {"Mcp-Session-Id": session}
    return "/mcp", STATELESS if draw < 0.95 else {}


# ---- In process ------------------------------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    sandbox = Sandbox(tmp_path / "files")
    log = Logbook(tmp_path / "logs", "mcp-server")
    gate = Gate(server.create_app(server.file_tools(sandbox), log), port=5000, routes=server.ROUTES)
    yield Client(gate)
    log.close()
    sandbox.close()


def ask(client: Client, path: str, sent: bytes, headers: dict[str, str]) -> Seen:
    builder = EnvironBuilder(
        path,
        "http://127.0.0.1:5000",
        method="POST",
        data=sent,
        content_type="application/json",
        headers=list(headers.items()),
    )
    began = time.monotonic()
    answer = client.open(builder.get_environ(), buffered=False)
    parts = []
    for part in answer.response:
        parts.append(part if isinstance(part, bytes) else part.encode())
        if b"subscriptions/" in sent and answer.mimetype == "text/event-stream":
            break  # this stream has no end
    seconds = time.monotonic() - began
    answer.close()
    return Seen(answer.status_code, answer.headers.get("Content-Type", ""), b"".join(parts), seconds)


def test_no_body_breaks_the_envelope_in_process(client: Client) -> None:
    seed = random.SystemRandom().randrange(2**32)
    chance, kinds, slowest = random.Random(seed), Counter[str](), 0.0
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
    opened = client.post(
        "/mcp", data=hello, content_type="application/json", headers={"Host": "127.0.0.1:5000"}
    ).headers["Mcp-Session-Id"]
    for number in range(SCALE.fuzz * 3 // 5):
        sent = grammar.body(chance)
        path, headers = places(chance, opened)
        seen = ask(client, path, sent, headers)
        found = fault(sent, path, seen)
        if path == "/rpc" and is_notification(sent) and seen.body:
            found = "a notification was answered"
        assert found is None, f"{found} (seed {seed}, body {number}): {path} {headers} {sent!r} -> {seen}"
        kinds[str(seen.status)] += 1
        slowest = max(slowest, seen.seconds)
    told = " ".join(f"{status}:{count}" for status, count in sorted(kinds.items()))
    note("envelope fuzz, in process", f"{kinds.total()} bodies, 0 faults, slowest {slowest * 1e3:.0f} ms ({told})",
         "0 faults, none over 1 s", slowest < SLOWEST)  # fmt: skip


# ---- Over sockets ----------------------------------------------------------------------------------------------------


def over_sockets(peer: Peer, session: str, seed: int, count: int, faults: list[str], times: list[float]) -> None:
    chance = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=10)
    for number in range(count):
        sent = grammar.body(chance)
        path, headers = places(chance, session)
        began = time.monotonic()
        try:
            connection.request("POST", path, sent, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            text = answer.read()
        except OSError as error:
            faults.append(f"{error!r} (seed {seed}, body {number}): {path} {headers} {sent!r}")
            return
        seen = Seen(answer.status, answer.headers.get("Content-Type", ""), text, time.monotonic() - began)
        times.append(seen.seconds)
        if found := fault(sent, path, seen):
            faults.append(f"{found} (seed {seed}, body {number}): {path} {headers} {sent!r} -> {seen}")
    connection.close()


def test_no_body_breaks_the_envelope_over_sockets(peer: Peer) -> None:
    hello = peer.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    opened, threads = hello.headers["mcp-session-id"], 4
    faults: list[str] = []
    times: list[float] = []
    seed, count = random.SystemRandom().randrange(2**32), SCALE.fuzz * 2 // 5 // threads
    workers = [
        threading.Thread(target=over_sockets, args=(peer, opened, seed + n, count, faults, times))
        for n in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    events = Counter(record["event"] for record in peer.fresh_records())
    asked, told = events["rpc_request"] + events["rpc_parse_error"], events["rpc_response"]
    if asked != told:
        faults.append(f"the log holds {asked} requests and {told} answers")
    if events["server_fault"]:
        faults.append(f"the log holds {events['server_fault']} faults")
    peer.check_alive()
    peer.canary.check()
    figure = f"{len(times)} bodies, {len(faults)} faults, slowest {max(times) * 1e3:.0f} ms; {told} answers in the log"
    print("\n".join(faults[:10]))
    note("envelope fuzz, over sockets", figure, "0 faults, none over 1 s", not faults)
