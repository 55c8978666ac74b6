"""client.py as its user meets it: main() with arguments, against the real server and against impostors."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import client
from mcp_core.revisions import HANDSHAKE, LATEST, REVISIONS, VERSION_KEY
from playground.touring import tours
from tests.impostors import (
    STREAM,
    Answer,
    Impostor,
    Seen,
    error,
    event,
    http,
    polite,
    records,
    result,
    script,
)

ROOT = Path(__file__).resolve().parent.parent
Json = dict[str, Any]


@pytest.fixture
def play(logs: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the client in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = client.main(["--logs", str(logs), *map(str, arguments)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


Play = Callable[..., tuple[int, str, str]]

# ---- The real server --------------------------------------------------------------------------------------


@pytest.fixture
def real(start: Any, free_port: int, files: Path, tmp_path: Path) -> str:
    running = start("server.py", "--port", free_port, "--files", files, "--logs", tmp_path / "server-logs")
    running.wait_for(rf":{free_port}")
    return f"http://127.0.0.1:{free_port}"


@pytest.fixture
def pipe(files: Path, tmp_path: Path) -> str:
    words = [sys.executable, ROOT / "server.py", "--stdio", "--files", files, "--logs", tmp_path / "server-logs"]
    return shlex.join(map(str, words))


@pytest.mark.parametrize("revision", [*REVISIONS, "auto"])
@pytest.mark.parametrize("path", ["/mcp", "/rpc"])
def test_every_scene_plays_over_http(play: Play, real: str, files: Path, revision: str, path: str) -> None:
    code, out, err = play("--url", real + path, "--revision", revision)
    assert (code, err) == (0, "")
    assert "Warning" not in out
    assert (files / "demo.txt").read_text() == "hello MCP\nTODO: read the log\nbye\n"
    for said in ('"isError": true', '"code": -32601', '"code": -32602', "Wrote 33 bytes to demo.txt"):
        assert said in out
    assert re.search(r"count\W+1", out)  # as JSON, or before 2025-06-18 as JSON in a text
    assert ("notifications/progress" in out) == (path == "/mcp")
    assert ("DELETE" in out) == (path == "/mcp" and revision in HANDSHAKE)
    assert ("\n  MCP-Protocol-Version: " in out) == (path == "/mcp" and revision not in REVISIONS[:2])


@pytest.mark.parametrize("revision", [*REVISIONS, "auto"])
def test_every_scene_plays_through_a_pipe(play: Play, pipe: str, revision: str) -> None:
    code, out, err = play("--stdio", pipe, "--revision", revision)
    assert (code, err) == (0, "")
    assert "Warning" not in out
    assert "notifications/progress" in out
    assert "Content-Type" not in out


def test_the_messages_are_the_same_over_http_and_through_a_pipe(play: Play, real: str, pipe: str, logs: Path) -> None:
    def sent(*where: str) -> list[str]:
        assert play(*where)[0] == 0
        own = [r["data"]["message"] for r in records(logs) if r["event"] in ("client_request", "client_notification")]
        (logs / "mcp-client-simple.jsonl").unlink()
        return [re.sub(r"00-[0-9a-f-]+-01", "trace", json.dumps(message)) for message in own]

    assert sent("--url", real + "/mcp") == sent("--stdio", pipe)


def test_both_logs_tell_of_one_exchange(play: Play, real: str, logs: Path, tmp_path: Path) -> None:
    assert play("--url", real + "/mcp")[0] == 0
    ours = [r for r in records(logs) if r.get("dir")]
    theirs = [json.loads(line) for line in (tmp_path / "server-logs/mcp-server.jsonl").read_text().splitlines()]
    asked = [r for r in ours if r["event"] == "client_request"]
    assert len(asked) == 13
    for record in asked:
        is_given_up = record["data"]["message"]["params"].get("name") == "summarize_file"
        events = [r["event"] for r in ours if r["exchange"] == record["exchange"]]
        assert events[0] == "client_request"
        assert ("client_response" in events) is not is_given_up
        far = [r["event"] for r in theirs if r.get("exchange") == record["exchange"]]
        assert "rpc_request" in far
        assert ("rpc_cancelled" if is_given_up else "rpc_response") in far
    assert {r["src"].split(" ")[1] for r in asked} == {
        "handshake", "discovery", "write", "write_and_search", "tool_error", "protocol_error", "progress", "cancel",
        "ask_the_user",
    }  # fmt: skip
    assert all(re.fullmatch(r"client\.py:\d+ \w+", r["src"]) for r in asked)
    assert all(r["ms"] > 0 for r in ours if r["event"] == "client_response")
    assert len({r["trace"] for r in asked}) == 8  # one for each scene
    questions = [r["exchange"] for r in ours if r["event"] in ("server_request", "client_answer")]
    assert len(questions) == 3  # one was left open
    assert set(questions) == {r["exchange"] for r in theirs if r["event"] in ("server_request", "rpc_answer")}


def test_explain_says_each_thing_once(play: Play, real: str) -> None:
    _, out, _ = play("--url", real + "/mcp", "--explain")
    for name in ("initialize: Start of a session", "-32601: Method not found", "isError: The tool failed"):
        assert out.count(name) == 1
    assert "What to do:" in out
    assert "https://modelcontextprotocol.io/specification/" in out


def test_raw_in_a_session_comes_after_the_scenes(play: Play, real: str) -> None:
    code, out, _ = play(
        "--url", real + "/mcp", "--scene", "handshake", "--raw", '{"jsonrpc":"2.0","id":9,"method":"ping"}'
    )
    assert code == 0
    assert '\n  {"jsonrpc":"2.0","id":9,"result":{}}\n' in out


def test_raw_sends_what_is_wrong_and_shows_what_came(play: Play, real: str, pipe: str, logs: Path) -> None:
    for where in (["--url", real + "/mcp"], ["--stdio", pipe]):
        code, out, _ = play(*where, "--raw", '{"jsonrpc":"2.0","id":1')
        assert code == 0
        assert '  {"jsonrpc":"2.0","id":1\n' in out
        assert '"code":-32700' in out
    requests = [r for r in records(logs) if r["event"] == "client_request"]
    assert requests[0]["data"]["raw"] == '{"jsonrpc":"2.0","id":1'
    answers = [r["exchange"] for r in records(logs) if r["event"] == "client_response"]
    assert answers == [r["exchange"] for r in requests]


# ---- Giving up, and being asked -----------------------------------------------------------------------------


def sent(logs: Path) -> list[Json]:
    return [r["data"]["message"] for r in records(logs) if r.get("dir") == "out"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_is_given_up_in_the_way_of_its_era(
    play: Play, real: str, logs: Path, tmp_path: Path, revision: str
) -> None:
    code, out, _ = play("--url", real + "/mcp", "--revision", revision, "--scene", "cancel")
    assert code == 0
    assert "Warning" not in out
    *_, last = sent(logs)
    until, never = time.monotonic() + 10, threading.Event()  # a server may notice a moment after we have left
    while '"rpc_cancelled"' not in (tmp_path / "server-logs/mcp-server.jsonl").read_text():
        assert time.monotonic() < until, "the server has not noticed"
        never.wait(0.02)
    if revision == LATEST:  # the closed stream says it
        assert last["method"] == "subscriptions/listen"
    else:
        call = next(message for message in sent(logs) if message.get("params", {}).get("name") == "summarize_file")
        assert last["method"] == "notifications/cancelled"
        assert last["params"]["requestId"] == call["id"]


def test_through_a_pipe_a_notification_gives_up_in_the_stateless_era_too(play: Play, pipe: str, logs: Path) -> None:
    assert play("--stdio", pipe, "--revision", LATEST, "--scene", "cancel")[0] == 0
    listen, cancelled = sent(logs)[-2:]
    assert (listen["method"], cancelled["method"]) == ("subscriptions/listen", "notifications/cancelled")
    assert cancelled["params"]["requestId"] == listen["id"]


def test_an_answer_that_comes_too_soon_to_be_given_up_is_a_surprise(play: Play) -> None:
    with Impostor(
        lambda seen: result(seen, {}) if seen.message.get("method") == "tools/call" else polite(seen)
    ) as server:
        code, out, _ = play("--url", server.url, "--scene", "cancel")
    assert code == 1
    assert "answered before the call could be given up" in out


def test_on_rpc_nothing_can_be_given_up(play: Play, real: str, logs: Path) -> None:
    assert play("--url", real + "/rpc", "--scene", "cancel")[0] == 0
    assert not (logs / "mcp-client-simple.jsonl").read_text()


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", LATEST])
@pytest.mark.parametrize(("typed", "is_gone"), [(None, True), ("y\n", True), ("n\n", False)])
def test_the_user_is_asked_where_there_is_one(
    play: Play, real: str, files: Path, monkeypatch: pytest.MonkeyPatch, revision: str, typed: str | None, is_gone: bool
) -> None:
    terminal = io.StringIO(typed)
    terminal.isatty = lambda: typed is not None  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", terminal)
    code, out, _ = play("--url", real + "/mcp", "--revision", revision, "--scene", "ask")
    assert code == 0
    assert "The server asks: Delete the file trash.txt?" in " ".join(out.split())
    assert ("we say yes" in " ".join(out.split())) is (typed is None)
    assert (files / "trash.txt").exists() is not is_gone


def test_state_and_answers_go_back_with_the_same_call(play: Play, real: str, logs: Path) -> None:
    assert play("--url", real + "/mcp", "--revision", LATEST, "--scene", "ask")[0] == 0
    first, second = sent(logs)[-2:]
    came = next(r["data"]["message"]["result"] for r in records(logs) if "input_required" in json.dumps(r["data"]))
    assert second["id"] != first["id"]
    assert second["params"]["arguments"] == first["params"]["arguments"]
    assert second["params"]["requestState"] == came["requestState"]
    assert second["params"]["inputResponses"] == {"sure": {"action": "accept", "content": {"sure": True}}}
    assert first["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] == {"elicitation": {}}


@pytest.mark.parametrize(
    ("questions", "answers"),
    [
        (None, {}),
        ({"a": 5}, {"a": None}),
        ({"a": {"method": "roots/list"}}, {"a": None}),
        ({"a": {"method": "elicitation/create", "params": {"requestedSchema": {"properties": {
            "n": {"type": "integer", "default": 3}, "s": {"type": "string"}, "b": {"type": "boolean"}, "x": 1}}}}},
         {"a": {"action": "accept", "content": {"n": 3, "s": "", "b": True, "x": ""}}}),
    ],
)  # fmt: skip
def test_odd_questions_do_no_harm(play: Play, questions: object, answers: Json) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") == "server/discover":
            return result(seen, {"resultType": "complete", "supportedVersions": [LATEST], "capabilities": {}})
        params = seen.message["params"]
        if params["name"] != "delete_file" or "inputResponses" in params:
            return result(seen, {"resultType": "complete", "content": []})
        return result(seen, {"resultType": "input_required", "inputRequests": questions})

    with Impostor(answer) as server:
        assert play("--url", server.url, "--revision", LATEST, "--scene", "handshake", "--scene", "ask")[0] == 0
    assert server.seen[-1].message["params"]["inputResponses"] == answers
    assert "requestState" not in server.seen[-1].message["params"]


# ---- Two at once ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["80", "200"])
def test_both_eras_are_compared(
    play: Play, real: str, logs: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = play("--url", real + "/mcp", "--revision", "both", "--scene", "discovery")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    methods = [message["method"] for message in sent(logs)]
    assert methods == ["initialize", "notifications/initialized", "server/discover", "tools/list", "tools/list"]
    if columns == "200":
        (both,) = [line for line in lines if "initialize " in line and "server/discover" in line and "POST" in line]
        assert "≠" in both
        assert any(line.count('"method": "tools/list"') == 2 and "≠" not in line for line in lines)
    else:
        assert [line.strip() for line in lines if line.strip() in ("2025-11-25", "2026-07-28")][:2] == [
            "2025-11-25",
            "2026-07-28",
        ]
        assert any(line.startswith("≠") and '"server/discover"' in line for line in lines)
    assert "DELETE" in out


def test_what_was_said_before_trouble_is_shown_in_a_comparison_too(play: Play) -> None:
    with Impostor(polite) as server:
        code, out, err = play("--url", server.url, "--revision", "both", "--scene", "discovery")
    assert code == 1
    assert "does not speak 2026-07-28" in " ".join(err.split())
    assert "server/discover" in out


# ---- Handshake and eras, with servers that have their own ideas ---------------------------------------------


@pytest.mark.parametrize("accepted", [http("202 Accepted", kind=""), http("204 No Content", kind=""), http(kind="")])
def test_an_empty_answer_to_a_notification_is_fine(play: Play, accepted: bytes, logs: Path) -> None:
    with Impostor(lambda seen: accepted if "id" not in seen.message and seen.body else polite(seen)) as server:
        assert play("--url", server.url, "--scene", "handshake")[0] == 0
    assert [r["event"] for r in records(logs)].count("client_accepted") == 1


def test_session_and_version_go_with_everything_after_the_handshake(play: Play) -> None:
    with Impostor(polite) as server:
        assert play("--url", server.url, "--scene", "discovery")[0] == 0
    first, *later = server.seen
    assert "mcp-session-id" not in first.headers
    assert "mcp-protocol-version" not in first.headers
    assert server.methods == ["initialize", "notifications/initialized", "tools/list", "DELETE"]
    for seen in later:
        assert seen.headers["mcp-session-id"] == "s-1"
        assert seen.headers["mcp-protocol-version"] == "2025-11-25"
    for seen in server.seen[:-1]:
        assert seen.headers["accept"] == "application/json, text/event-stream"
        assert seen.headers["content-type"] == "application/json"


def test_old_revisions_have_no_version_header(play: Play) -> None:
    with Impostor(polite) as server:
        assert play("--url", server.url, "--scene", "handshake", "--revision", "2025-03-26")[0] == 0
    assert all("mcp-protocol-version" not in seen.headers for seen in server.seen)


def test_the_stateless_era_mirrors_the_message_in_headers(play: Play) -> None:
    def answer(seen: Seen) -> bytes:
        return result(seen, {"resultType": "complete", "supportedVersions": [LATEST], "capabilities": {}})

    with Impostor(answer) as server:
        play("--url", server.url, "--revision", LATEST, "--scene", "handshake", "--scene", "write-and-search")
    discover, write, _ = server.seen
    assert discover.headers["mcp-method"] == "server/discover"
    assert "mcp-name" not in discover.headers
    assert (write.headers["mcp-method"], write.headers["mcp-name"]) == ("tools/call", "write_file")
    for seen in server.seen:
        assert seen.headers["mcp-protocol-version"] == LATEST
        assert "mcp-session-id" not in seen.headers
        meta = seen.message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == LATEST
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {}


def test_a_server_may_choose_an_older_revision(play: Play) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") == "initialize":
            return result(seen, {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}})
        return polite(seen)

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--scene", "handshake")
    assert code == 0
    assert "the server chose 2025-06-18" in " ".join(out.split())
    assert server.seen[1].headers["mcp-protocol-version"] == "2025-06-18"


@pytest.mark.parametrize("version", ["1.0", LATEST, None, ["2025-11-25"]])
def test_a_revision_we_do_not_speak_ends_the_talk(play: Play, version: object) -> None:
    with Impostor(lambda seen: result(seen, {"protocolVersion": version})) as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert "after a handshake" in " ".join(err.split())
    assert server.methods == ["initialize"]


def test_a_refused_handshake_says_why(play: Play) -> None:
    with Impostor(lambda seen: error(seen, -32602, "Not today.")) as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert "Not today." in err


@pytest.mark.parametrize(
    "refusal",
    [
        lambda seen: error(seen, -32601),
        lambda seen: error(seen, -32600, status="400 Bad Request"),
        lambda seen: http("404 Not Found", b"<h1>no</h1>", "text/html"),
        lambda seen: http("500 Internal Server Error", b"", ""),
        lambda seen: result(seen, {}),
    ],
)
def test_auto_falls_back_to_the_handshake(play: Play, refusal: Callable[[Seen], bytes]) -> None:
    def answer(seen: Seen) -> bytes:
        return refusal(seen) if seen.message.get("method") == "server/discover" else polite(seen)

    with Impostor(answer) as server:
        assert play("--url", server.url, "--revision", "auto", "--scene", "handshake")[0] == 0
    assert server.methods[:3] == ["server/discover", "initialize", "notifications/initialized"]
    assert server.seen[1].message["params"]["protocolVersion"] == "2025-11-25"
    assert "mcp-method" not in server.seen[1].headers


def test_auto_takes_a_revision_that_the_server_names(play: Play) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") == "server/discover":
            return error(seen, -32022, status="400 Bad Request", data={"supported": ["2024-11-05", "2025-03-26"]})
        return polite(seen)

    with Impostor(answer) as server:
        assert play("--url", server.url, "--revision", "auto", "--scene", "handshake")[0] == 0
    assert server.seen[1].message["params"]["protocolVersion"] == "2025-03-26"


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (lambda seen: error(seen, -32022, data={"supported": ["2030-01-01"]}), "speaks only 2030-01-01"),
        (lambda seen: error(seen, -32020, status="400 Bad Request"), "refused server/discover with -32020"),
        (lambda seen: error(seen, -32021, status="400 Bad Request"), "refused server/discover with -32021"),
    ],
)
def test_auto_does_not_ask_a_modern_server_the_old_way(play: Play, refusal: Callable[[Seen], bytes], said: str) -> None:
    with Impostor(refusal) as server:
        code, _, err = play("--url", server.url, "--revision", "auto")
    assert code == 1
    assert said in " ".join(err.split())
    assert server.methods == ["server/discover"]


def test_an_old_server_asked_in_the_new_revision_points_to_auto(play: Play) -> None:
    with Impostor(lambda seen: error(seen, -32601)) as server:
        code, _, err = play("--url", server.url, "--revision", LATEST)
    assert code == 1
    assert "--revision auto" in err


def test_auto_outlasts_a_silent_pipe(play: Play, tmp_path: Path) -> None:
    command = script(tmp_path, "m = ask()\nassert m['method'] == 'server/discover'\npolite()\nask()")
    assert play("--stdio", command, "--revision", "auto", "--scene", "handshake", "--timeout", "2")[0] == 0


def test_auto_starts_a_process_again_that_died_of_the_question(play: Play, tmp_path: Path) -> None:
    command = script(
        tmp_path,
        "m = ask()\nif m['method'] != 'initialize': sys.exit(3)\n"
        "good(m, {'protocolVersion': '2025-11-25', 'capabilities': {}, 'serverInfo': {}})\nask()\nask()",
    )
    assert play("--stdio", command, "--revision", "auto", "--scene", "handshake")[0] == 0


def test_a_forgotten_session_is_opened_anew(play: Play) -> None:
    forgotten = iter([True])

    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") == "tools/list" and next(forgotten, False):
            return error(seen, -32600, "Session not found", "404 Not Found")
        return polite(seen)

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--scene", "discovery")
    assert code == 0
    opened = ["initialize", "notifications/initialized", "tools/list"]
    assert server.methods == [*opened, *opened, "DELETE"]
    assert "mcp-session-id" not in server.seen[3].headers
    assert "forgotten our session" in out


@pytest.mark.parametrize("reply", [http("405 Method Not Allowed", kind=""), b""])
def test_the_end_of_the_session_may_be_refused(play: Play, reply: bytes) -> None:
    with Impostor(lambda seen: reply if seen.method == "DELETE" else polite(seen)) as server:
        assert play("--url", server.url, "--scene", "handshake")[0] == 0


# ---- Scenes against servers with other tools ---------------------------------------------------------------


def test_pages_are_followed_to_their_end_and_an_empty_cursor_is_one(play: Play) -> None:
    pages = {None: ("a", ""), "": ("b", "c2"), "c2": ("c", None)}

    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") != "tools/list":
            return polite(seen)
        name, cursor = pages[seen.message["params"].get("cursor")]
        return result(seen, {"tools": [{"name": name}], **({} if cursor is None else {"nextCursor": cursor})})

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--scene", "discovery")
    assert code == 0
    assert "3 tools: a, b, c." in out


def test_a_list_without_end_ends_all_the_same(play: Play) -> None:
    def answer(seen: Seen) -> bytes:
        return (
            result(seen, {"tools": 5, "nextCursor": "on"})
            if "id" in seen.message and seen.message["id"] > 1
            else polite(seen)
        )

    with Impostor(answer) as server:
        assert play("--url", server.url, "--scene", "discovery")[0] == 0
    assert server.methods.count("tools/list") == 100


@pytest.mark.parametrize(
    "value", [{"content": [], "isError": True}, {"resultType": "input_required", "requestState": "x"}]
)
def test_a_scene_that_goes_another_way_says_so_and_fails(play: Play, value: Json) -> None:
    def answer(seen: Seen) -> bytes:
        return result(seen, value) if seen.message.get("method") == "tools/call" else polite(seen)

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--scene", "write-and-search")
    assert code == 1
    assert out.count("This scene is about result") == 2


# ---- What comes between question and answer ----------------------------------------------------------------


def test_the_servers_own_questions_are_answered_on_the_way(play: Play, logs: Path) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.message.get("method") != "tools/list":
            return polite(seen)
        return [
            STREAM + b"id: 1\ndata: \n\n: a comment\n\n",
            event({"jsonrpc": "2.0", "id": "p", "method": "ping"}),
            event({"jsonrpc": "2.0", "id": 7, "method": "roots/list"}),
            event({"jsonrpc": "2.0", "id": 99, "result": {}}),
            event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}),
            event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {"tools": []}}),
        ]

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--scene", "discovery")
    assert code == 0
    answers = [seen.message for seen in server.seen if seen.method == "POST" and "method" not in seen.message]
    assert answers[0] == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert (answers[1]["id"], answers[1]["error"]["code"]) == (7, -32601)
    assert "Nothing that we asked has the id 99" in out
    events = [record["event"] for record in records(logs)]
    assert events.count("server_request") == events.count("client_answer") == 2
    assert events.count("server_notification") == 1


def test_a_stateless_server_may_not_ask_and_gets_no_answer(play: Play) -> None:
    def answer(seen: Seen) -> Answer:
        value = {"resultType": "complete", "supportedVersions": [LATEST]}
        return [
            STREAM + event({"jsonrpc": "2.0", "id": "p", "method": "ping"}),
            event({"jsonrpc": "2.0", "id": seen.message["id"], "result": value}),
        ]

    with Impostor(answer) as server:
        code, out, _ = play("--url", server.url, "--revision", LATEST, "--scene", "handshake")
    assert (code, server.methods) == (0, ["server/discover"])
    assert "may send no request" in out


# ---- What can go wrong: one sentence, exit code 1 ------------------------------------------------------------


def sentence(err: str) -> str:
    assert "Traceback" not in err
    return " ".join(err.split())


def test_nothing_listening(play: Play, free_port: int) -> None:
    code, _, err = play("--url", f"http://127.0.0.1:{free_port}/mcp")
    assert code == 1
    assert "Nothing answers at http://127.0.0.1:" in sentence(err)
    assert "python server.py" in sentence(err)


def test_https_to_a_server_that_speaks_http(play: Play, real: str) -> None:
    code, _, err = play("--url", real.replace("http:", "https:") + "/mcp")
    assert code == 1
    assert "if it speaks plain HTTP, write http:// instead of https://" in sentence(err)
    assert "Max retries" not in sentence(err)


def test_http_to_a_server_that_speaks_tls(play: Play) -> None:
    with Impostor(lambda seen: b"\x15\x03\x01\x00\x02\x02F") as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert "if it speaks TLS, write https:// instead of http://" in sentence(err)


def test_html_on_the_port_is_not_the_mcp_server(play: Play, logs: Path) -> None:
    with Impostor(lambda seen: http("403 Forbidden", b"<html>AirTunes</html>", "text/html")) as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert "403 Forbidden" in sentence(err)
    assert "this is not the MCP server" in sentence(err)
    last = list(records(logs))[-1]
    assert (last["event"], last["level"]) == ("client_warning", "ERROR")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"jsonrpc":"2.0","id":1}',
        b'{"error":"invalid_token"}',
        b"NaN",
        b"[" * 20000,
        b"\xff\xfe",
        b'{"id":1,"id":1}',
    ],
)
def test_json_that_is_no_message_is_shown_and_named(play: Play, body: bytes, logs: Path) -> None:
    with Impostor(lambda seen: http(body=body)) as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert "no JSON-RPC message" in sentence(err)
    assert any(r["event"] == "client_response" and r["level"] == "WARNING" for r in records(logs))


def test_a_wish_for_authorization_is_named(play: Play) -> None:
    with Impostor(
        lambda seen: http("401 Unauthorized", b'{"error":"invalid_token"}', WWW_Authenticate="Bearer")
    ) as server:
        code, out, err = play("--url", server.url)
    assert code == 1
    assert "WWW-Authenticate: Bearer" in out
    assert "wants authorization" in sentence(err)


def test_a_redirect_is_shown_and_not_followed(play: Play) -> None:
    with Impostor(lambda seen: http("307 Temporary Redirect", Location="http://127.0.0.1:9/$(touch pwn)")) as server:
        code, out, _ = play("--url", server.url)
    assert (code, len(server.seen)) == (1, 1)
    assert "Location: http://127.0.0.1:9/$(touch pwn)" in out


@pytest.mark.parametrize(
    "beginning", [b"", b"HTTP/1.1 200 OK\r\n", http(body=b"x" * 50)[:-40], STREAM, STREAM + b": on\n\n"]
)
def test_silence_ends_at_the_limit(play: Play, beginning: bytes) -> None:
    def answer(seen: Seen) -> Iterator[bytes]:
        yield beginning
        server.is_over.wait(10)

    with Impostor(answer) as server:
        began = time.monotonic()
        code, _, err = play("--url", server.url, "--timeout", "0.3")
        assert time.monotonic() - began < 3
    assert code == 1
    assert "within 0.3 s" in sentence(err)


@pytest.mark.parametrize(
    "beginning", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", STREAM]
)
def test_a_trickle_ends_at_the_limit_too(play: Play, beginning: bytes) -> None:
    def answer(seen: Seen) -> Iterator[bytes]:
        yield beginning
        while not server.is_over.wait(0.02):
            yield b"x"

    with Impostor(answer) as server:
        code, _, err = play("--url", server.url, "--timeout", "0.3")
    assert code == 1
    assert "within 0.3 s" in sentence(err)


def test_what_is_late_is_cancelled_but_not_initialize(play: Play) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.message.get("method") in ("tools/list", "initialize") and seen.path == "/late" + seen.message["method"]:
            server.is_over.wait(10)
        return polite(seen)

    with Impostor(answer) as server:
        base = server.url.removesuffix("/mcp")
        assert play("--url", base + "/latetools/list", "--scene", "discovery", "--timeout", "1")[0] == 1
        methods, server.seen = server.methods, []
        assert play("--url", base + "/lateinitialize", "--timeout", "0.3")[0] == 1
    assert methods == ["initialize", "notifications/initialized", "tools/list", "notifications/cancelled", "DELETE"]
    assert server.methods == ["initialize"]


def test_leaving_a_stream_is_noticed_by_the_server(play: Play) -> None:
    def answer(seen: Seen) -> Iterator[bytes]:
        yield STREAM + event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {"supportedVersions": [LATEST]}})
        while not server.is_over.wait(0.02):
            yield b": still here\n\n"

    with Impostor(answer) as server:
        assert play("--url", server.url, "--revision", LATEST, "--scene", "handshake")[0] == 0
        assert server.left.wait(5)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (STREAM, "before it had answered"),
        (STREAM + b'data: {"jsonrpc":"2.0"', "before it had answered"),
        (http(body=b"x" * 99)[:-50], "broke before the answer was complete"),
        (b"", "broke before the answer was complete"),
        (b"SSH-2.0-OpenSSH\r\n", "broke before the answer was complete"),
        (http(body=b""), "before it had answered"),
        (STREAM + b"data: " + b"x" * 9_000_000 + b"\n\n", "longer than"),
    ],
)
def test_a_cut_answer_is_named(play: Play, reply: bytes, said: str) -> None:
    with Impostor(lambda seen: reply) as server:
        code, _, err = play("--url", server.url)
    assert code == 1
    assert said in sentence(err)


@pytest.mark.parametrize(
    "url", ["mcp.example", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:port/mcp", "http://[::1/mcp"]
)
def test_a_wrong_address_is_named(play: Play, url: str) -> None:
    code, _, err = play("--url", url)
    assert code == 1
    assert "address" in sentence(err)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('Server ready')", "'Server ready'"[1:-1]),
        (
            "sys.stderr.write('no database\\n'); sys.exit(3)",
            "ended (exit code 3) before it answered. Its last words: no database",
        ),
        ("import os; os.close(1); time.sleep(60)", "closed its stdout"),
        ("time.sleep(60)", "within 1 s"),
    ],
)
def test_a_bad_process_is_named(play: Play, tmp_path: Path, code: str, said: str) -> None:
    rc, _, err = play("--stdio", script(tmp_path, code), "--timeout", "1")
    assert rc == 1
    assert said in sentence(err)


@pytest.mark.parametrize("command", ["no-such-program --stdio", "", "'unclosed"])
def test_a_command_that_does_not_start_is_named(play: Play, command: str) -> None:
    code, _, err = play("--stdio", command)
    assert code == 1
    assert "can't be started" in sentence(err)


def test_what_a_process_says_on_stderr_is_shown_and_logged(play: Play, tmp_path: Path, logs: Path) -> None:
    command = script(tmp_path, "sys.stderr.write('starting\\n'); sys.stderr.flush()\npolite()\nask()")
    code, out, _ = play("--stdio", command, "--scene", "handshake")
    assert code == 0
    assert "stderr: starting" in out
    assert [r["data"]["line"] for r in records(logs) if r["event"] == "server_stderr"] == ["starting"]


# ---- Strangers' text -----------------------------------------------------------------------------------------

NASTY = "a\x1b[2J\x1b]0;title\x07\x1b]52;c;Zm9v\x07b\rc\x9b31m\u202egnp.exe\u2066\x00"


def test_what_a_terminal_would_obey_is_written_out(play: Play) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.message.get("method") == "initialize":
            return result(seen, {"protocolVersion": NASTY, "instructions": NASTY, "serverInfo": {"name": NASTY}})
        return polite(seen)

    with Impostor(answer) as server:
        _, out, err = play("--url", server.url)
        _, raw, _ = play("--url", server.url, "--raw", "{}" + NASTY.replace("\0", ""))
    for text in (out, err, raw):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "\\u001b[2J" in out
    assert "\\u202e" in out


# ---- The command line ----------------------------------------------------------------------------------------


def test_the_list_names_the_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    assert client.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*client.SCENES, *tours()]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--timeout", "0"],
        ["--pace", "-1"],
        ["--timeout", "nan"],
        ["--scene", "x"],
        ["--step", "--raw", "-"],
        ["--step", "--revision", "both"],
    ],
)
def test_senseless_options_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        client.main(arguments)
    assert refused.value.code == 2


def test_raw_reads_a_file_or_standard_input(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "body.json").write_bytes(b"\xff from a file")
    with Impostor(lambda seen: http(body=b'{"got":"it"}')) as server:
        assert play("--url", server.url, "--raw", f"@{tmp_path}/body.json")[0] == 0
        monkeypatch.setattr(sys, "stdin", open(os.devnull, encoding="utf-8"))  # noqa: SIM115
        with sys.stdin:
            assert play("--url", server.url, "--raw", "-")[0] == 0
        code, _, err = play("--url", server.url, "--raw", f"@{tmp_path}/missing")
    assert [seen.body for seen in server.seen] == [b"\xff from a file", b""]
    assert code == 1
    assert "can't be read" in sentence(err)


def test_raw_mirrors_the_revision_that_the_body_names() -> None:
    body = {"method": "resources/read", "params": {"uri": "x://ü", "_meta": {VERSION_KEY: LATEST}}}
    assert client.headers_for(body, None, "s") == {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": LATEST,
        "Mcp-Method": "resources/read",
        "Mcp-Name": "=?base64?eDovL8O8?=",
    }


def test_a_raw_notification_through_a_pipe_waits_for_nothing(play: Play, tmp_path: Path) -> None:
    command = script(tmp_path, "ask()\nask()")
    assert play("--stdio", command, "--raw", '{"jsonrpc":"2.0","method":"x"}')[0] == 0


def run(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "client.py"), *map(str, arguments)],
        capture_output=True, text=True, timeout=30, check=False, encoding="utf-8", **more,
    )  # fmt: skip


def test_step_waits_for_enter_and_ends_cleanly_with_the_input(logs: Path) -> None:
    with Impostor(polite) as server:
        done = run("--url", server.url, "--logs", logs, "--step", input="\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert server.methods == ["initialize", "DELETE"]  # the second message was shown and not sent
    assert done.stdout.count("Enter sends it") == 2


@pytest.mark.parametrize(
    ("edit", "body", "said"),
    [
        ('s/"2025-11-25"/"2025-06-18"/', b'"2025-06-18"', "chose 2025-06-18"),
        ("s/initialize/dance/", b'"dance"', "refused initialize"),
        ('s/"id": 1,/"id": 77,/', b'"id": 77', "2025-11-25"),
    ],
)
def test_a_message_can_be_edited_before_it_is_sent(
    logs: Path, tmp_path: Path, edit: str, body: bytes, said: str
) -> None:
    script = tmp_path / "edit.py"
    old, new = edit.split("/")[1:3]
    script.write_text(
        f"import pathlib, sys\np = pathlib.Path(sys.argv[1])\np.write_text(p.read_text().replace({old!r}, {new!r}))\n"
    )
    editor = shlex.join([sys.executable, str(script)])
    with Impostor(polite) as server:
        where = ("--url", server.url, "--logs", logs, "--scene", "handshake", "--step")
        done = run(*where, input="e\n\n\n", env={**os.environ, "EDITOR": editor, "VISUAL": ""})
    assert body in server.seen[0].body
    assert said in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def test_an_edited_message_that_asks_nothing_is_answered_with_nothing(logs: Path, tmp_path: Path) -> None:
    script = tmp_path / "edit.py"
    script.write_text('import sys\nopen(sys.argv[1], \'w\').write(\'{"jsonrpc":"2.0","method":"x"}\')\n')
    editor = shlex.join([sys.executable, str(script)])
    with Impostor(polite) as server:
        where = ("--url", server.url, "--logs", logs, "--scene", "discovery", "--step")
        done = run(*where, input="\n\ne\n\n", env={**os.environ, "EDITOR": editor, "VISUAL": ""})
    assert server.seen[2].body == b'{"jsonrpc":"2.0","method":"x"}'
    assert "the server answered with nothing" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stderr


def test_a_proxy_in_the_environment_catches_nothing(logs: Path) -> None:
    dead = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")
    with Impostor(polite) as server:
        done = run("--url", server.url, "--logs", logs, "--scene", "handshake", env={**os.environ, **dead})
    assert (done.returncode, done.stderr) == (0, "")


def test_an_ascii_terminal_is_enough(logs: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    def answer(seen: Seen) -> bytes:
        return http(body='{"naïve": "€"}'.encode())

    with Impostor(answer) as server:
        done = run("--url", server.url, "--logs", logs, "--raw", "é", env={**os.environ, **plain})
    assert (done.returncode, done.stderr) == (0, "")
    assert "-> POST /mcp" in done.stdout


def test_ctrl_c_is_quiet_and_ends_the_session(logs: Path) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.message.get("method") == "tools/list":
            process.send_signal(signal.SIGINT)
            server.is_over.wait(10)
        return polite(seen)

    with Impostor(answer) as server:
        command = [sys.executable, str(ROOT / "client.py"), "--url", server.url, "--logs", str(logs)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")
    assert server.methods[-1] == "DELETE"


def test_a_reader_that_has_seen_enough_gets_no_traceback(logs: Path) -> None:
    with Impostor(polite) as server:
        command = [sys.executable, str(ROOT / "client.py"), "--url", server.url, "--logs", str(logs)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        with process.stderr as stream:
            assert stream.read() == b""
        assert process.wait(20) == 1


def test_the_process_behind_a_pipe_is_ended(play: Play, tmp_path: Path) -> None:
    command = script(
        tmp_path,
        f"import os, signal\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\npolite()\ntime.sleep(60)",
    )
    assert play("--stdio", command, "--scene", "handshake")[0] == 0
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
