"""playground/explainer.py and explanations.toml: each word has its paragraph, and a message gets the right ones."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from mcp_core.messages import CODES
from mcp_core.revisions import WORDS
from playground.explainer import TEXTS, Paragraph, explain, explanations, lookup

HEADERS = """
    MCP-Protocol-Version Mcp-Session-Id Mcp-Method Mcp-Name Mcp-Param-* Accept Content-Type Origin Host Last-Event-ID
    Allow WWW-Authenticate Cache-Control X-Accel-Buffering
""".split()  # noqa: SIM905
EVENTS = """
    server_start rpc_request rpc_response rpc_parse_error rpc_method_not_found tool_call_request tool_call_success
    tool_call_error tool_not_found sse_heartbeat client_request client_response client_warning client_notification
    client_accepted client_answer client_listen client_session_end server_notification server_request server_stderr
    chat_start
    tools_mapped_for_llm chat_request chat_response llm_tool_call llm_tool_error chat_followup_request
    chat_followup_response chat_crash log_gap
    chat_question llm_answer chat_approval llm_tool_result chat_diagnosis server_question chat_answer chat_stopped
    chat_command chat_end
    rpc_notification rpc_answer rpc_batch rpc_cancelled server_fault
    tap_start tap_request tap_response tap_notification tap_batch tap_unreadable tap_http tap_cut tap_refused
    tap_unreachable tap_exit
""".split()  # noqa: SIM905


def names(*found: Paragraph) -> list[tuple[str, str]]:
    return [(p.kind, p.name) for p in found]


def test_every_method_of_every_revision_is_explained_and_every_request_has_its_answer() -> None:
    methods = explanations()["method"]
    tasks = {name for name in methods if "tasks/" in name}  # an experiment, so in no row of the table
    assert set(methods) - tasks == {word.method for word in WORDS}
    assert all(("answer" in methods[name]) is not name.startswith("notifications/") for name in tasks)
    for word in WORDS:
        assert ("answer" in methods[word.method]) is word.is_request, word.method


def test_every_error_code_is_explained_and_says_what_to_do() -> None:
    codes = explanations()["code"]
    assert {str(code) for code in CODES} <= set(codes)
    assert all(entry["todo"] for entry in codes.values())


def test_every_header_and_event_is_explained() -> None:
    assert set(HEADERS) <= set(explanations()["header"])
    assert set(EVENTS) <= set(explanations()["event"])


def test_every_paragraph_is_whole() -> None:
    fields = {"method": {"answer"}, "code": {"todo"}}
    for kind, table in explanations().items():
        for name, entry in table.items():
            assert {"title", "text", "spec"} <= set(entry) <= {"title", "text", "spec"} | fields.get(kind, set()), name
            assert re.fullmatch(
                r"https://modelcontextprotocol\.io/specification/20\d\d-\d\d-\d\d/[a-z/-]+(#[a-z0-9-]+)?", entry["spec"]
            ), name
            for text in (entry["text"], entry.get("answer"), entry.get("todo")):
                assert text is None or re.fullmatch(r"[^\s].{10,}[.:]", text), name  # one paragraph, whole sentences
            assert not entry["title"].endswith("."), name


def test_the_page_can_have_it_as_json() -> None:
    assert json.loads(json.dumps(explanations())) == tomllib.loads(TEXTS.read_text(encoding="utf-8"))


def test_a_request_is_explained_from_its_method_down_to_its_meta() -> None:
    found = explain(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "x",
                "arguments": {"cursor": 1, "isError": {"resultType": 2}},
                "_meta": {"progressToken": "p", "io.modelcontextprotocol/clientInfo": {}, "com.example/own": 1},
            },
        },
        http={"method": "POST", "headers": {"mcp-method": "tools/call", "Mcp-Param-Region": "eu", "X-Own": "1"}},
        event="client_request",
    )
    assert names(*found) == [
        ("method", "tools/call"),
        ("event", "client_request"),
        ("header", "Mcp-Method"),
        ("header", "Mcp-Param-*"),
        ("field", "jsonrpc"),
        ("field", "id"),
        ("field", "method"),
        ("field", "params"),
        ("field", "name"),
        ("field", "arguments"),
        ("field", "_meta"),
        ("field", "progressToken"),
        ("field", "io.modelcontextprotocol/clientInfo"),
    ]


def test_an_answer_is_explained_by_what_was_asked() -> None:
    found = explain({"id": 1, "result": {"tools": [{"name": "a"}], "nextCursor": "x"}}, answers="tools/list")
    assert names(*found)[0] == ("answer", "tools/list")
    assert found[0].title == "Answer to tools/list"
    assert ("field", "nextCursor") in names(*found)
    assert names(*explain({"id": 1, "result": {}}, answers="no/such")) == [("field", "id"), ("field", "result")]
    assert names(*explain({"method": "notifications/initialized"}, answers="ping"))[0][0] == "method"
    assert lookup("answer", "notifications/initialized") is None


def test_an_error_is_explained_by_its_code_and_what_to_do() -> None:
    found = explain({"id": 1, "error": {"code": -32020, "message": "m", "data": {"id": 1}}}, answers="tools/call")
    assert names(*found)[0] == ("code", "-32020")
    assert "Mcp-Param" in found[0].todo
    assert ("field", "id") in names(*found)
    assert explain({"error": {"code": 7}})[0].name == "error"
    assert explain({"error": "text"})[0].name == "error"


def test_questions_inside_a_result_are_explained_by_their_methods() -> None:
    asked = {"name": {"method": "elicitation/create", "params": {}}, "id": "odd", "x": {"method": 5}}
    found = names(*explain({"result": {"resultType": "input_required", "inputRequests": asked}}))
    assert found == [
        ("method", "elicitation/create"),
        ("field", "result"),
        ("field", "resultType"),
        ("field", "inputRequests"),
    ]


def test_only_the_first_entries_of_a_list_are_looked_into() -> None:
    tools = [{}, {}, {}, {"isError": True}]
    assert ("field", "isError") not in names(*explain({"result": {"tools": tools}}))
    assert ("field", "isError") in names(*explain({"result": {"tools": tools[1:]}}))


def test_what_the_user_filled_in_is_not_looked_into() -> None:
    assert names(*explain({"result": {"action": "accept", "content": {"cursor": 1}}})) == [
        ("field", "result"),
        ("field", "action"),
        ("field", "content"),
    ]


@pytest.mark.parametrize(
    "message", [{}, {"method": 5}, {"error": None}, {"params": []}, {"result": {"inputRequests": []}}, {"a": [[[1]]]}]
)
def test_odd_messages_do_no_harm(message: dict[str, Any]) -> None:
    assert explain(message, http={"headers": None}) == explain(message)


def test_depth_has_an_end() -> None:
    value: dict[str, Any] = {"isError": 1}
    for _ in range(20):
        value = {"x": [value]}
    assert explain(value) == []


def test_no_text_for_a_subject_is_no_error() -> None:
    assert lookup("field", "no-such-field") is None
    assert lookup("no-such-kind", "x") is None
    assert lookup("header", "mcp-session-id") == lookup("header", "Mcp-Session-Id")
