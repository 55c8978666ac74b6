"""Section B: JSON, the JSON-RPC envelope and MCP's own rules for it, as a hostile client tries them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.oracles import Peer, strict

BOTH = pytest.mark.parametrize("path", ["/rpc", "/mcp"])
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def write(name: str, text: str = "x", **envelope: Any) -> dict[str, Any]:
    params = {"name": "write_file", "arguments": {"filename": name, "text": text}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params} | envelope


def nested(open: str, close: str, depth: int) -> bytes:
    return (open * depth + "1" + close * depth).encode()


NO_JSON = [
    b"", b" ", b"{", b"}", b'{"jsonrpc":"2.0",}', b"{} {}", b"nul", b"\0\0\0\0", b"{'a':1}", b'"', b'{"a"}', b"[1,]",
    b"{a:1}", b"TRUE", b"+1", b"01", b".5", b"1.", b"0x10", b"1e", b"--1", b'"\x01"', b'"\n"', b'"\\x41"', b'"\\u12"',
    b'"\\u{41}"', b"/* */ {}", b"{} // x", b'{"a":1 "b":2}', b"\xff\xfe{\x00}\x00", b'"\xff"', b'"\xc0\x80"',
    b'"\xed\xa0\x80"', b"<html>", b"a=b&c=d", b"undefined", b"\xe2\x80\xa8{}", b"{}\x00", b"\x0c{}", b'{"id":1}}',
]  # fmt: skip


@BOTH
@pytest.mark.parametrize("body", NO_JSON, ids=ascii)
def test_b01_what_is_no_json_is_a_parse_error(shared_server: Peer, path: str, body: bytes) -> None:
    answer = shared_server.post(path, body)
    assert (answer.status, answer.json["id"], answer.error["code"]) == (400, None, -32700)


def test_b01_the_oracles_hold_after_all_of_them(server: Peer) -> None:
    server.post("/rpc", b"{")


@BOTH
@pytest.mark.parametrize(
    "batch",
    [
        [],
        [1],
        [[]],
        [None],
        [[[PING]]],
        [PING, {**PING, "id": 2}],
        [write("batch.txt"), {"jsonrpc": "2.0"}],
        [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
        [PING] * 5000,
    ],
    ids=lambda batch: json.dumps(batch)[:40],
)
def test_b02_a_batch_is_one_invalid_request_and_nothing_runs(server: Peer, path: str, batch: list[Any]) -> None:
    answer = server.post(path, batch)
    assert (answer.status, answer.json["id"], answer.error["code"]) == (400, None, -32600)
    assert not (server.files / "batch.txt").exists()


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_b02_in_a_session_a_batch_is_taken_in_2025_03_26_only(server: Peer, revision: str) -> None:
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begun = server.post("/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    session = begun.headers["mcp-session-id"]
    server.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)
    server.check_log()
    headers = {"Content-Type": "application/json", "Mcp-Session-Id": session}
    batch = json.dumps([PING, {"jsonrpc": "2.0", "id": None, "method": "x"}, 5, write("taken.txt", id="w")]).encode()
    answer = server.send("POST", "/mcp", batch, headers)
    if revision != "2025-03-26":
        assert (answer.status, answer.error["code"]) == (400, -32600)
        assert not (server.files / "taken.txt").exists()
    else:
        events = [line[6:] for line in answer.body.decode().splitlines() if line.startswith("data: {")]
        answers = [strict(event) for event in events] if events else answer.json
        ids = [said["id"] for said in answers]
        assert sorted(map(str, ids)) == ["1", "None", "None", "w"]
        assert (server.files / "taken.txt").read_bytes() == b"x"
        (server.files / "taken.txt").unlink()
        assert server.send("POST", "/mcp", b"[]", headers).error["code"] == -32600
    server.new_records()


@BOTH
@pytest.mark.parametrize("body", [b"1", b'"tools/list"', b"true", b"false", b"null", b"1.5", b'""', b"-0", b"1E400"])
def test_b03_a_value_that_is_no_object_is_an_invalid_request(server: Peer, path: str, body: bytes) -> None:
    answer = server.post(path, body)
    assert answer.status == 400
    assert (answer.json["id"], answer.error["code"]) == (None, -32700 if body == b"1E400" else -32600)


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 20_000 + b"]" * 20_000,
        b"[" * 4_000_000,
        b'{"a":' * 700_000,
        nested('{"a":', "}", 20_000),
        nested('[{"a":', "}]", 20_000),
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":' + nested("[", "]", 20_000) + b"}",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":' + nested('{"a":', "}", 900) + b"}",
        b'{"jsonrpc":"2.0","id":' + nested("[", "]", 20_000) + b',"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":' + nested('{"x":[', "]}", 100) + b"}}",
        b"[" + b"[]," * 1_000_000 + b"[]]",
        b"{" + b",".join(b'"%d":{}' % n for n in range(200_000)) + b"}",
    ],
    ids=lambda body: f"{body[:60].decode()}-{len(body)}",
)
def test_b04_nesting_is_refused_and_soon(server: Peer, path: str, body: bytes) -> None:
    answer = server.post(path, body)
    assert answer.error["code"] in (-32700, -32600)
    assert answer.is_soon


@BOTH
@pytest.mark.parametrize(
    "call",
    [
        {"method": "notifications/initialized"},
        {"method": "notifications/cancelled", "params": {"requestId": 1}},
        {"method": "notifications/cancelled", "params": {"requestId": []}},
        {"method": "notifications/cancelled"},
        {"method": "notifications/progress", "params": {"progressToken": {}, "progress": "x"}},
        {"method": "notifications/roots/list_changed"},
        {"method": "nosuch"},
        {"method": ""},
        {"method": "tools/list"},
        {"method": "tools/call", "params": {"name": "write_file", "arguments": {"filename": "note.txt", "text": "x"}}},
        {"method": "initialize", "params": {}},
        {"method": "x" * 100_000},
        {"method": "naïve 🙂 \ud800"},
        {"method": "nosuch", "params": []},
        {"method": "nosuch", "params": None},
    ],
    ids=lambda call: ascii(call)[:60],
)
def test_b06_a_notification_is_never_answered(server: Peer, path: str, call: dict[str, Any]) -> None:
    server.check_log()
    message = json.dumps({"jsonrpc": "2.0", **call}).encode()
    answer = server.send("POST", path, message, {"Content-Type": "application/json"})
    # Without a session, /mcp can't take it (400), but says nothing about it either.
    assert answer.status in ((202, 204) if path == "/rpc" else (202, 400))
    assert answer.body == b""
    assert "content-type" not in answer.headers
    assert not (server.files / "note.txt").exists()
    record = server.new_records()[0]
    assert record["data"]["message"]["method"] == call["method"]


@BOTH
@pytest.mark.parametrize(
    "id", [None, True, False, 1.5, 1.0, 0.0, [], ["1"], {}, {"id": 1}], ids=lambda id: f"id-{json.dumps(id)}"
)
def test_b07_an_id_that_is_none_is_refused_with_null_and_nothing_runs(server: Peer, path: str, id: Any) -> None:
    answer = server.post(path, write("null-id.txt", id=id))
    assert (answer.status, answer.json["id"], answer.error["code"]) == (400, None, -32600)
    assert not (server.files / "null-id.txt").exists()


def test_b07_an_answer_with_a_null_id_is_no_request(server: Peer) -> None:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "x"}}
    assert server.post("/rpc", error).status == 202
    assert server.post("/rpc", {"jsonrpc": "2.0", "id": None, "result": {}}).error["code"] == -32600
    assert server.post("/rpc", b'{"jsonrpc":"2.0","id":1,"id":null,"method":"ping"}').error["code"] == -32700


IDS = [
    "1", 1, 0, "", -1, -0, "x" * 4096, 'emoji 🙂 "quoted" \\ \n\t\r\0', 2**53 + 1, -(2**63), 10**30, 10**900, "null",
    "0", " ", "\u2028\u2029\u0085", "<script>", "\x7f\x1b[2J", "constructor", "__proto__", "é" * 500, "e\u0301",
    "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("id", IDS, ids=lambda id: f"id-{ascii(id)[:30]}")
@pytest.mark.parametrize("method", ["tools/list", "nosuch", "tools/call"])
def test_b09_an_answer_has_the_very_id_of_its_request(shared_server: Peer, method: str, id: Any) -> None:
    answered = shared_server.post("/rpc", {"jsonrpc": "2.0", "id": id, "method": method}).json["id"]
    assert (answered, type(answered)) == (id, type(id))


def test_b09_the_oracles_hold_after_all_of_them(server: Peer) -> None:
    server.rpc("ping", id="last")


def test_b09_on_mcp_errors_of_the_session_keep_the_id_too(server: Peer) -> None:
    for id in (0, "", "1", 2**60):
        assert server.post("/mcp", {"jsonrpc": "2.0", "id": id, "method": "ping"}).json["id"] == id


@BOTH
@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "nan", "inf", "1e999", "-1e999"])
def test_b11_a_number_that_is_none_is_a_parse_error_and_never_repeated(server: Peer, path: str, word: str) -> None:
    envelope = '{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":%s}'
    call = '{"name":"write_file","arguments":{"filename":"nan.txt","text":%s}}'
    for body in (envelope % (word, "{}"), envelope % ("1", call % word), f"[{word}]", word):
        answer = server.post(path, body.encode())
        assert answer.error["code"] == -32700
    assert not (server.files / "nan.txt").exists()


@BOTH
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x2b\x2f"])
def test_b14_a_byte_order_mark_never_hurts(server: Peer, path: str, mark: bytes) -> None:
    answer = server.post(path, mark + json.dumps(PING).encode())
    assert (answer.status, answer.error["code"]) == (400, -32700)
    assert not answer.body.startswith(b"\xef\xbb\xbf")
    wide = server.post(path, json.dumps(PING).encode("utf-16"))
    assert wide.error["code"] == -32700


HALVES = ["\ud800", "a\udfffb", "\udc00\ud800", "\ud83d", "x" * 1000 + "\udcff", "\ud800\n"]


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_b16_half_a_character_is_a_tool_error_and_the_old_file_stays(server: Peer, half: str) -> None:
    server.value("write_file", filename="half.txt", text="whole")
    assert "valid Unicode" in server.complaint("write_file", filename="half.txt", text=half)
    assert "valid Unicode" in server.complaint("append_line", filename="half.txt", line=half.replace("\n", ""))
    assert "valid Unicode" in server.complaint("search_file", filename="half.txt", keyword=half)
    assert "valid Unicode" in server.complaint("search_all", keyword=half)
    for name in ("read_file", "delete_file"):
        server.complaint(name, filename=half)
    server.complaint("write_file", filename=half, text="x")
    assert (server.files / "half.txt").read_bytes() == b"whole"
    for method, params in (
        (half, {}),
        ("tools/call", {"name": half}),
        ("prompts/get", {"name": half}),
        ("prompts/get", {"name": "review_file", "arguments": {"filename": half}}),
        ("resources/read", {"uri": half}),
        ("resources/read", {"uri": f"playground://files/{half}"}),
        ("tools/list", {"cursor": half}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": half}, "argument": {"name": "a", "value": "b"}}),
        ("initialize", {"protocolVersion": half}),
    ):
        server.rpc(method, params)


def test_b17_what_is_declared_works_and_what_is_not_is_no_method(server: Peer) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    declared = server.rpc("initialize", hello)["result"]["capabilities"]
    lists = {"tools": ["tools/list"], "prompts": ["prompts/list"], "logging": ["logging/setLevel"]}
    lists |= {"resources": ["resources/list", "resources/templates/list"], "completions": ["completion/complete"]}
    lists |= {"tasks": ["tasks/list"]}
    reference = {"type": "ref/prompt", "name": "review_file"}
    params: dict[str, Any] = {
        "logging/setLevel": {"level": "info"},
        "completion/complete": {"ref": reference, "argument": {"name": "style", "value": "b"}},
    }
    for capability, methods in lists.items():
        for method in methods:
            answer = server.rpc(method, params.get(method, {}))
            if capability in declared:
                assert "result" in answer, (method, answer)
            else:
                assert answer["error"]["code"] == -32601, (method, answer)
    assert server.rpc("ping")["result"] == {}
    subscribed = server.rpc("resources/subscribe", {"uri": "playground://files/a"})
    assert ("result" in subscribed) == bool(declared["resources"].get("subscribe"))
    for method in ("sampling/createMessage", "roots/list", "elicitation/create", "server/discover", "tools/List"):
        assert server.rpc(method)["error"]["code"] in (-32601, -32602)


NO_VERSIONS: list[Any] = [..., None, 7, 2025.0, True, [], ["2025-11-25"], {}]


@BOTH
@pytest.mark.parametrize(
    ("asked", "got"),
    [
        *((revision, revision) for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")),
        *((text, "2025-11-25") for text in ("2099-01-01", "1999-01-01", "2026-07-28", "", "x" * 10_000, "2025-11-25 ")),
        *((value, None) for value in NO_VERSIONS),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_b18_the_revision_is_negotiated(server: Peer, path: str, asked: Any, got: str | None) -> None:
    hello = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = server.rpc("initialize", hello if asked is ... else {**hello, "protocolVersion": asked}, path=path)
    if got is None:
        assert answer["error"]["code"] == -32602
    else:
        assert answer["result"]["protocolVersion"] == got


WRONG: list[tuple[str, Any, list[str]]] = [
    ("read_file", {}, ["filename", "missing"]),
    ("read_file", {"filename": 5}, ["filename", "string"]),
    ("read_file", {"filename": None}, ["filename", "string"]),
    ("read_file", {"filename": []}, ["filename", "string"]),
    ("read_file", {"filename": {"a": "b"}}, ["filename", "string"]),
    ("read_file", {"filename": True}, ["filename", "string"]),
    ("read_file", {"filename": "a", "extra": 1}, ["extra"]),
    ("read_file", {"Filename": "a"}, ["filename", "missing"]),
    ("write_file", {"filename": "made.txt"}, ["text", "missing"]),
    ("write_file", {"filename": "made.txt", "text": 7}, ["text", "string"]),
    ("write_file", {"filename": "made.txt", "text": ["x"]}, ["text", "string"]),
    ("write_file", {"filename": "made.txt", "text": None}, ["text", "string"]),
    ("write_file", {"filename": "made.txt", "text": "x", "__class__": 1}, ["__class__"]),
    ("search_file", {"filename": "made.txt", "keyword": 10**400}, ["keyword", "string"]),
    ("list_files", {"x" * 5000: "y" * 5000}, ["x"]),
    ("list_files", {str(n): n for n in range(3000)}, ["not known"]),
    ("append_line", {"filename": "\x1b[2J", "line": {"\u202e": "\x00"}}, ["line", "string"]),
]


@pytest.mark.parametrize(("name", "arguments", "words"), WRONG, ids=lambda value: ascii(value)[:50])
def test_b20_wrong_arguments_are_a_tool_error_that_names_them(
    server: Peer, name: str, arguments: Any, words: list[str]
) -> None:
    said = server.complaint(name, **arguments)
    for word in words:
        assert word in said
    assert not (server.files / "made.txt").exists()


NO_ARGUMENTS: list[Any] = [[], "x", 1, True, [1]]
NO_CALLS: list[Any] = [{}, {"arguments": {}}, {"name": 5}, {"name": None}, {"name": []}, {"name": {}}, {"name": True}]
NO_CALLS += [{"name": "list_files", "arguments": arguments} for arguments in NO_ARGUMENTS]


@pytest.mark.parametrize("params", NO_CALLS, ids=json.dumps)
def test_b20_params_that_are_no_call_are_invalid_params(server: Peer, params: Any) -> None:
    assert server.rpc("tools/call", params)["error"]["code"] == -32602


@pytest.mark.parametrize("params", [5, "x", True, [], ["read_file"], 1.5])
@pytest.mark.parametrize("method", ["tools/call", "tools/list", "ping", "nosuch"])
def test_b20_params_that_are_no_object_are_refused(server: Peer, method: str, params: Any) -> None:
    assert server.rpc(method, params)["error"]["code"] in (-32600, -32602)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {"cursor": 5}),
        ("tools/list", {"cursor": "9" * 5000}),
        ("tools/list", {"cursor": "YWZ0ZXIgOTk5OTk5"}),
        ("resources/list", {"cursor": []}),
        ("resources/read", {}),
        ("resources/read", {"uri": 5}),
        ("resources/read", {"uri": "x" * 100_000}),
        ("resources/read", {"uri": "playground://files/%00"}),
        ("resources/read", {"uri": "playground://files/%ff"}),
        ("resources/read", {"uri": "playground://files/../mcp_files_evil/secret.txt"}),
        ("resources/read", {"uri": "playground://files/%2e%2e%2fmcp_files_evil%2fsecret.txt"}),
        ("resources/read", {"uri": "file:///etc/hostname"}),
        ("prompts/get", {"name": []}),
        ("prompts/get", {"name": "review_file", "arguments": {"filename": "../mcp_files_evil/secret.txt"}}),
        ("prompts/get", {"name": "review_file", "arguments": []}),
        ("prompts/get", {"name": "review_file", "arguments": {"filename": 5}}),
        ("completion/complete", {}),
        ("completion/complete", {"ref": [], "argument": {}}),
        ("completion/complete", {"ref": {"type": "ref/resource"}, "argument": {"name": 1, "value": 2}}),
        ("completion/complete", {"ref": {"type": {}, "name": []}, "argument": {"name": "a", "value": "b"}}),
        ("logging/setLevel", {"level": "loud"}),
        ("logging/setLevel", {"level": []}),
        ("logging/setLevel", {}),
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": 5}),
        ("resources/subscribe", {"uri": None}),
        ("x" * 100_000, {}),
        ("", {}),
        ("__class__", {}),
        ("tools/call\n", {}),
        ("tools/list\x00", {}),
        ("notifications/initialized", {}),
    ],
    ids=lambda value: ascii(value)[:70],
)
def test_b20_every_other_method_answers_nonsense_with_one_error(server: Peer, method: str, params: Any) -> None:
    error = server.rpc(method, params)["error"]
    assert error["code"] in (-32601, -32602, -32002)
    assert len(error["message"]) < 600


@pytest.mark.parametrize(
    "meta", [5, "x", [], None, True, {"progressToken": []}, {"traceparent": 5}, {"traceparent": "x" * 9}]
)
def test_b20_a_strange_meta_never_hurts(server: Peer, meta: Any) -> None:
    server.rpc("tools/list", {"_meta": meta})
    server.rpc("tools/call", {"name": "search_all", "arguments": {"keyword": "x"}, "_meta": meta})


@BOTH
@pytest.mark.parametrize("version", ["1.0", 2.0, 2, "2", "2.00", " 2.0", None, [], {}, True, "", ..., "2.0\x00"])
def test_b22_another_jsonrpc_is_an_invalid_request_with_its_id(server: Peer, path: str, version: Any) -> None:
    message = {"id": "mine", "method": "tools/list"} | ({} if version is ... else {"jsonrpc": version})
    answer = server.post(path, message)
    assert (answer.json["id"], answer.error["code"]) == ("mine", -32600)


@BOTH
@pytest.mark.parametrize(
    "message",
    [
        {"id": 3},
        {"id": 3, "method": None},
        {"id": 3, "method": 5},
        {"id": 3, "method": ["ping"]},
        {"id": 3, "method": {"a": 1}},
        {"id": 3, "method": "ping", "result": {}},
        {"id": 3, "method": "ping", "error": {"code": 1, "message": "x"}},
        {"id": 3, "result": {}, "error": {"code": 1, "message": "x"}},
        {"id": 3, "result": 5},
        {"id": 3, "error": "x"},
        {"id": 3, "error": {"code": "1", "message": "x"}},
        {"id": 3, "error": {}},
    ],
    ids=json.dumps,
)
def test_b22_what_has_no_shape_of_a_message_is_refused_with_its_id(server: Peer, path: str, message: Any) -> None:
    answer = server.post(path, {"jsonrpc": "2.0", **message})
    assert (answer.json["id"], answer.error["code"]) == (3, -32600)


@pytest.mark.parametrize(
    "name", ["Read_File", "read_file ", " read_file", "nosuch", "__class__", "", "read_file\x00", "read-file",
    "x" * 10_000,
             "\u202eelif_daer", "<img src=x onerror=alert(1)>", "read_file\n", "reаd_file"]
)  # fmt: skip
def test_b24_an_unknown_tool_is_invalid_params_that_names_it_and_the_known_ones(server: Peer, name: str) -> None:
    error = server.rpc("tools/call", {"name": name, "arguments": {"filename": "a"}})["error"]
    assert error["code"] == -32602
    assert "read_file" in error["message"]
    assert name[:20] in error["message"] or ascii(name)[1:9] in error["message"] or repr(name)[1:9] in error["message"]
    assert len(error["message"]) < 600
