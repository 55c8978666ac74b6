"""server.py as its users meet it: a real process, asked over HTTP and through a pipe, at the level of bytes."""

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_core import sse

ROOT = Path(__file__).resolve().parent.parent
Start = Callable[..., Any]


class Asker:
    """Sends exactly what it is told to, and gives status, headers and body."""

    def __init__(self, url: str, logs: Path) -> None:
        self.port, self.logs = int(url.rpartition(":")[2]), logs

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, path: str, message: Any, **headers: str) -> tuple[int, Any]:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        named = {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        status, answered, text = self.send("POST", path, body, named)
        if answered.get("Content-Type") == "text/event-stream":
            return status, [json.loads(event.data) for event in sse.Decoder().feed(text) if event.data]
        return status, json.loads(text) if text else None

    def rpc(self, method: str, id: Any = 1, **params: Any) -> Any:
        return self.post("/rpc", {"jsonrpc": "2.0", "id": id, "method": method, "params": params})[1]

    def tool(self, name: str, **arguments: Any) -> Any:
        return self.rpc("tools/call", name=name, arguments=arguments)["result"]

    def session(self, revision: str = "2025-11-25", **capabilities: Any) -> str:
        hello = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode()
        _, headers, _ = self.send("POST", "/mcp", body, {"Content-Type": "application/json"})
        id = headers["Mcp-Session-Id"]
        status, _ = self.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=id)
        assert status == 202
        return str(id)

    def records(self, *events: str) -> list[Any]:
        lines = (self.logs / "mcp-server.jsonl").read_text("utf-8").splitlines()
        return [record for record in map(json.loads, lines) if not events or record["event"] in events]


@pytest.fixture(scope="module")
def server(start_module: Start, tmp_path_factory: pytest.TempPathFactory) -> Asker:
    folder = tmp_path_factory.mktemp("server")
    running = start_module("server.py", "--port", "0", "--files", folder / "files", "--logs", folder / "logs")
    return Asker(running.url, folder / "logs")


def stateless(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    meta = {"protocolVersion": "2026-07-28", "clientCapabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    named = {f"io.modelcontextprotocol/{key}": value for key, value in meta.items()}
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": named}}


MIRROR = {"MCP_Protocol_Version": "2026-07-28"}


# ---- /rpc: plain JSON-RPC --------------------------------------------------------------------------------------------


def test_the_original_four_steps_work_without_any_session(server: Asker) -> None:
    hello = server.rpc(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
    )
    assert hello["result"]["protocolVersion"] == "2025-11-25"
    assert "write_file" in [tool["name"] for tool in server.rpc("tools/list")["result"]["tools"]]
    text = "one\ntwo TODO\nthree\n"
    written = server.tool("write_file", filename="demo.txt", text=text)
    assert written["structuredContent"] == {"message": f"Wrote {len(text)} bytes to demo.txt"}
    assert json.loads(written["content"][0]["text"]) == written["structuredContent"]
    assert server.tool("search_file", filename="demo.txt", keyword="TODO")["structuredContent"] == {"count": 1}


@pytest.mark.parametrize("id", ["1", 1, 0, "", -1, "x" * 4000, 'emoji 🙂 "quoted"', 10**30])
def test_an_answer_has_the_very_id_of_its_request(server: Asker, id: Any) -> None:
    answered = server.rpc("tools/list", id=id)["id"]
    assert (answered, type(answered)) == (id, type(id))


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"jsonrpc":"2.0",}', b"{} {}", b"nul", b"\0\0", b"{'a':1}", b'{"a":NaN}']
)
@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
def test_what_is_no_json_is_a_parse_error(server: Asker, path: str, body: bytes) -> None:
    status, answer = server.post(path, body)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, -32700)


@pytest.mark.parametrize("body", [b"[]", b"[1]", b"1", b'"tools/list"', b"true", b"null", b"1.5"])
@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
def test_what_is_no_message_is_an_invalid_request(server: Asker, path: str, body: bytes) -> None:
    status, answer = server.post(path, body)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, -32600)


def test_a_null_id_is_refused_and_nothing_happens(server: Asker) -> None:
    call = {"name": "write_file", "arguments": {"filename": "null-id.txt", "text": "x"}}
    _, answer = server.post("/rpc", {"jsonrpc": "2.0", "id": None, "method": "tools/call", "params": call})
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert "null-id.txt" not in server.tool("list_files")["structuredContent"]["files"]


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "unknown", "tools/list"])
def test_a_notification_is_accepted_and_never_answered(server: Asker, method: str) -> None:
    status, headers, text = server.send(
        "POST", "/rpc", json.dumps({"jsonrpc": "2.0", "method": method}).encode(), {"Content-Type": "application/json"}
    )
    assert (status, text, headers.get("Content-Type")) == (202, b"", None)
    assert server.records("rpc_notification")[-1]["data"]["message"]["method"] == method


def test_text_that_is_no_unicode_is_a_tool_error_and_the_old_file_stays(server: Asker) -> None:
    server.tool("write_file", filename="half.txt", text="whole")
    half = server.post("/rpc", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file",'
                               b'"arguments":{"filename":"half.txt","text":"\\ud800"}}}')[1]["result"]  # fmt: skip
    assert half["isError"]
    assert server.tool("read_file", filename="half.txt")["structuredContent"] == {"content": "whole"}


def test_a_wrong_argument_is_named_with_the_type_it_should_have(server: Asker) -> None:
    result = server.tool("write_file", filename=7, txt="?")
    said = result["content"][0]["text"]
    assert result["isError"]
    assert "'filename' must be of type string" in said
    assert "'text' is missing" in said
    assert "'txt' is not known" in said


# ---- /mcp in the handshake era ---------------------------------------------------------------------------------------


def test_a_session_begins_with_initialize_and_ends_with_delete(server: Asker) -> None:
    id = server.session()
    status, answer = server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Mcp_Session_Id=id)
    assert (status, answer["result"]) == (200, {})
    assert server.send("DELETE", "/mcp", headers={"Mcp-Session-Id": id})[0] == 204
    status, answer = server.post("/mcp", {"jsonrpc": "2.0", "id": 2, "method": "ping"}, Mcp_Session_Id=id)
    assert (status, answer["id"], answer["error"]["code"]) == (404, 2, -32600)
    assert server.send("DELETE", "/mcp", headers={"Mcp-Session-Id": id})[0] == 404


def test_without_a_session_the_answer_says_how_to_get_one(server: Asker) -> None:
    status, answer = server.post("/mcp", {"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
    assert (status, answer["id"]) == (400, 5)
    assert "Mcp-Session-Id" in answer["error"]["message"]


def test_the_same_ids_in_two_sessions_at_once_do_not_meet(server: Asker) -> None:
    one, two = server.session(), server.session()
    for session, text in ((one, "first"), (two, "second")):
        call = {"name": "write_file", "arguments": {"filename": f"{text}.txt", "text": text}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        assert server.post("/mcp", message, Mcp_Session_Id=session)[0] == 200
    pairs: dict[str, list[str]] = {}
    for record in server.records("rpc_request", "rpc_response"):
        if record.get("session") in (one, two) and record["data"]["message"].get("id") == 1:
            pairs.setdefault(record["exchange"], []).append(record["event"])
    assert sorted(pairs.values()) == [["rpc_request", "rpc_response"]] * 2


def test_progress_makes_the_answer_a_stream_that_begins_with_an_id(server: Asker) -> None:
    id = server.session()
    call = {"name": "search_all", "arguments": {"keyword": "x"}, "_meta": {"progressToken": "p"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    headers = {"Content-Type": "application/json", "Mcp-Session-Id": id}
    _, answered, text = server.send("POST", "/mcp", body, headers)
    events = sse.Decoder().feed(text)
    assert answered["Content-Type"] == "text/event-stream"
    assert (events[0].data, events[0].retry) == ("", 1000)
    assert json.loads(events[-1].data)["result"]["isError"] is False
    # Whoever lost the stream gets the rest of it, and of no other.
    lost = events[1].id or ""
    headers = {"Mcp-Session-Id": id, "Accept": "text/event-stream", "Last-Event-ID": lost}
    _, _, rest = server.send("GET", "/mcp", headers=headers)
    again = [event.data for event in sse.Decoder().feed(rest) if event.data]
    assert again == [event.data for event in events[2:]]


def test_a_batch_is_taken_in_a_session_of_2025_03_26_and_nowhere_else(server: Asker) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "1.0", "id": 2, "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "list_files"}},
    ]
    status, answers = server.post("/mcp", batch, Mcp_Session_Id=server.session("2025-03-26"))
    assert status == 200
    assert {answer["id"]: "result" in answer for answer in answers} == {1: True, 2: False, 3: True}
    for revision in ("2024-11-05", "2025-06-18", "2025-11-25"):
        status, answer = server.post("/mcp", batch, Mcp_Session_Id=server.session(revision))
        assert (status, answer["error"]["code"]) == (400, -32600)


def test_only_one_reader_at_a_time_has_the_servers_own_stream(server: Asker) -> None:
    id = server.session()
    first = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    with first:
        named = f"Host: localhost:{server.port}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {id}"
        first.sendall(f"GET /mcp HTTP/1.1\r\n{named}\r\n\r\n".encode())
        assert b"200" in first.recv(1000)
        headers = {"Mcp-Session-Id": id, "Accept": "text/event-stream"}
        assert server.send("GET", "/mcp", headers=headers)[0] == 409


# ---- /mcp in the stateless era ---------------------------------------------------------------------------------------


def test_a_stateless_request_needs_no_session_and_its_headers_must_agree(server: Asker) -> None:
    status, answer = server.post("/mcp", stateless("tools/list"), Mcp_Method="tools/list", **MIRROR)
    assert (status, answer["result"]["resultType"], answer["result"]["cacheScope"]) == (200, "complete", "public")
    status, answer = server.post("/mcp", stateless("tools/list"), Mcp_Method="tools/call", **MIRROR)
    assert (status, answer["error"]["code"]) == (400, -32020)
    status, answer = server.post("/mcp", stateless("ping"), Mcp_Method="ping", **MIRROR)
    assert (status, answer["error"]["code"]) == (404, -32601)
    assert server.send("GET", "/mcp", headers={"MCP-Protocol-Version": "2026-07-28"})[0] == 405


def test_an_unknown_revision_is_answered_with_those_there_are(server: Asker) -> None:
    message = stateless("server/discover")
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
    status, answer = server.post("/mcp", message, Mcp_Method="server/discover", MCP_Protocol_Version="2099-01-01")
    assert (status, answer["error"]["code"]) == (400, -32022)
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


# ---- The other routes, and the log -----------------------------------------------------------------------------------


def test_the_heartbeat_and_the_health_check_answer(server: Asker) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as stream:
        stream.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        seen = b""
        while b"event: heartbeat" not in seen:
            seen += stream.recv(1000)
    assert b"text/event-stream" in seen
    assert json.loads(server.send("GET", "/healthz")[2])["ok"] is True


def test_nothing_else_is_there_and_it_says_so_in_json(server: Asker) -> None:
    for method, path, expected in (("GET", "/nothing", 404), ("PUT", "/mcp", 405), ("GET", "/rpc", 405)):
        status, headers, text = server.send(method, path)
        assert (status, headers["Content-Type"]) == (expected, "application/json"), path
        json.loads(text)


def test_each_request_has_one_request_and_one_response_in_the_log_with_its_tool_and_source(server: Asker) -> None:
    server.rpc("tools/call", id="logged", name="read_file", arguments={"filename": "none.txt"})
    mine = [r for r in server.records() if r["data"].get("message", {}).get("id") == "logged"]
    assert [record["event"] for record in mine] == ["rpc_request", "rpc_response"]
    assert mine[0]["exchange"] == mine[1]["exchange"]
    assert mine[1]["src"].startswith("server.py:")
    assert mine[1]["src"].endswith("read_file")
    assert mine[1]["ms"] > 0
    failed = server.records("tool_call_error")[-1]
    assert failed["data"]["tool"] == "read_file"
    assert failed["exchange"] == mine[0]["exchange"]


def test_a_body_that_did_not_parse_is_in_the_log_as_it_was_sent(server: Asker) -> None:
    server.post("/rpc", b'{"jsonrpc": "2.0", oops')
    server.post("/rpc", b"\xff\xfe")
    texts = [record["data"] for record in server.records("rpc_parse_error")[-2:]]
    assert texts[0]["raw"] == '{"jsonrpc": "2.0", oops'
    assert texts[1]["raw_base64"] == "//4="


def test_a_refused_request_leaves_a_line_that_says_why(server: Asker) -> None:
    assert server.send("POST", "/rpc", b"{}", {"Content-Type": "text/plain"})[0] == 415
    assert server.records("http_refused")[-1]["data"]["http"]["status"] == 415


# ---- As a process ----------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_it_at_once_even_with_an_open_stream(start: Start, tmp_path: Path) -> None:
    running = start("server.py", "--port", "0", "--files", tmp_path / "f", "--logs", tmp_path / "l")
    port = int(running.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stream:
        stream.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert stream.recv(1000)
        began = time.monotonic()
        running.interrupt()
        assert running.wait() == 0
        assert time.monotonic() - began < 5
    assert "Traceback" not in running.text


def test_a_taken_port_is_one_line_that_names_port_and_option(start: Start, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        running = start("server.py", "--port", port, "--files", tmp_path / "f", "--logs", tmp_path / "l")
        assert running.wait() == 1
    line = running.text.splitlines()[-1]
    assert str(port) in line
    assert "--port" in line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--files", "/"], "/"),
        (["--files", ""], "--files"),
        (["--port", "x"], "--port"),
        (["--page-size", "0"], "--page-size"),
        (["--allow-host", "a b"], "a b"),
    ],
)
def test_a_setting_that_can_not_be_meant_is_refused_in_one_line(
    start: Start, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    running = start("server.py", "--port", "0", "--logs", tmp_path / "l", *arguments, MCP_FILES=str(tmp_path / "f"))
    assert running.wait() == 1
    assert sentence in running.text.splitlines()[-1]
    assert "Traceback" not in running.text


# ---- Through a pipe --------------------------------------------------------------------------------------------------


@pytest.fixture
def pipe(tmp_path: Path) -> Callable[..., list[Any]]:
    def run(*lines: Any, check_stderr: bool = True) -> list[Any]:
        folders = ["--files", str(tmp_path / "f"), "--logs", str(tmp_path / "l")]
        text = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
        command = [sys.executable, str(ROOT / "server.py"), "--stdio", *folders]
        done = subprocess.run(command, input=text, capture_output=True, timeout=30, check=False)
        assert done.returncode == 0
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_a_pipe_answers_what_was_written_into_it_before_it_ends(pipe: Callable[..., list[Any]]) -> None:
    call = {"name": "write_file", "arguments": {"filename": "a.txt", "text": "x"}}
    answers = pipe(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        b"",
        b"not json",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "method": "notifications/whatever"},
        stateless("server/discover", id=3),
    )
    by_id = {answer["id"]: answer for answer in answers}
    assert len(answers) == 4
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[2]["result"]["structuredContent"] == {"message": "Wrote 1 bytes to a.txt"}
    assert by_id[3]["result"]["supportedVersions"] == ["2026-07-28"]


def test_a_pipe_never_imports_the_web_framework() -> None:
    loaded = "[name for name in sys.modules if name.partition('.')[0] in ('flask', 'werkzeug', 'waitress')]"
    code = f"import sys, server; from playground.server import pipe; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_a_line_too_long_for_a_message_is_refused_and_the_next_is_read(pipe: Callable[..., list[Any]]) -> None:
    answers = pipe(b'{"a":"' + b"x" * (5 * 1024 * 1024) + b'"}', {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert [answer["id"] for answer in answers] == [None, 1]
