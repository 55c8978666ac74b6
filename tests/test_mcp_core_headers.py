"""The headers that mirror a message: they can't lie, can't be garbled, and say nothing that nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_core import headers, messages, revisions
from mcp_core.headers import decode_value, encode_value, for_request, mirrored, objection, param_objection, status_of
from mcp_core.messages import HEADER_MISMATCH, Failure, Notification, ProtocolError, Request

META = {revisions.VERSION_KEY: "2026-07-28", revisions.CLIENT_CAPABILITIES_KEY: {}}


def call(name: Any = "add", **more: Any) -> Request:
    return Request(1, "tools/call", {"name": name, **more, "_meta": META})


# ---- One value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("us-west1", "us-west1"),
        ("a b", "a b"),
        ("~!*'()", "~!*'()"),
        ("", "=?base64??="),
        (" us", "=?base64?IHVz?="),
        ("us ", "=?base64?dXMg?="),
        (" ", "=?base64?IA==?="),
        ("\tx", "=?base64?CXg=?="),
        ("a\tb", "=?base64?YQli?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("a\r\nSet-Cookie: x", "=?base64?YQ0KU2V0LUNvb2tpZTogeA==?="),
        ("日本", "=?base64?5pel5pys?="),
        ("é", "=?base64?w6k=?="),
        ("\x7f", "=?base64?fw==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?", "=?base64?"),
        ("x?=", "x?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
    ],
)
def test_a_value_is_sent_as_it_is_only_where_that_is_safe(text: str, value: str) -> None:
    assert encode_value(text) == value
    assert decode_value(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (" add ", "add"),
        ("\tadd\t", "add"),
        ("=?base64?YWRk?=", "add"),
        (" =?base64?YWRk?= ", "add"),
        ("=?base64?YWRk", "=?base64?YWRk"),
        ("YWRk?=", "YWRk?="),
        ("=?base64?=", "=?base64?="),
        ("=?BASE64?YWRk?=", "=?BASE64?YWRk?="),
        ("=?utf-8?b?YWRk?=", "=?utf-8?b?YWRk?="),
        ("=?base64?YWR?=", None),  # padding missing
        ("=?base64?YWRk=?=", None),
        ("=?base64?Y WRk?=", None),
        ("=?base64?YWRk\n?=", None),
        ("=?base64?YW-k?=", None),  # the alphabet for URLs
        ("=?base64?YWR!?=", None),
        ("=?base64?YR==?=", None),  # bits left over: a second spelling of YQ==
        ("=?base64?é?=", None),
        ("=?base64?/w==?=", None),  # not UTF-8
        ("=?base64?7aCA?=", None),  # a surrogate
    ],
)
def test_a_value_has_exactly_one_right_spelling(value: str, text: str | None) -> None:
    assert decode_value(value) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("=?base64?YWRk?=")
@example("a ")
def test_what_is_encoded_decodes_to_the_same_and_is_safe_in_a_header(text: str) -> None:
    value = encode_value(text)
    assert decode_value(value) == text
    assert decode_value(f" {value}\t") == text
    assert value.isascii()
    assert value.isprintable()
    assert value == value.strip()
    assert value != ""


@given(st.text(st.sampled_from("=?base64YWRk \t!é")))
def test_decoding_any_value_never_fails(value: str) -> None:
    decode_value(value)


def test_half_a_character_can_be_sent_but_is_never_taken_for_a_name() -> None:
    value = encode_value("\ud800")
    assert value.isascii()
    assert decode_value(value) is None


# ---- What a client sends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (call(), {"Mcp-Method": "tools/call", "Mcp-Name": "add"}),
        (call("naïve"), {"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?bmHDr3Zl?="}),
        (Request(1, "prompts/get", {"name": "p", "_meta": META}), {"Mcp-Method": "prompts/get", "Mcp-Name": "p"}),
        (
            Request(1, "resources/read", {"uri": "a:b", "name": "n", "_meta": META}),
            {"Mcp-Method": "resources/read", "Mcp-Name": "a:b"},
        ),
        (Request(1, "tools/list", {"name": "n", "_meta": META}), {"Mcp-Method": "tools/list"}),
        (Request(1, "tools/list", {"": "n", "_meta": META}), {"Mcp-Method": "tools/list"}),
        (call(5), {"Mcp-Method": "tools/call"}),
        (Notification("notifications/cancelled", {"_meta": META}), {"Mcp-Method": "notifications/cancelled"}),
    ],
)
def test_the_headers_say_what_the_message_says(message: Request | Notification, sent: dict[str, str]) -> None:
    assert for_request(message) == {"MCP-Protocol-Version": "2026-07-28", **sent}


@pytest.mark.parametrize(
    "params", [{}, {"_meta": None}, {"_meta": []}, {"_meta": {}}, {"_meta": {revisions.VERSION_KEY: 7}}]
)
def test_a_message_of_the_handshake_era_has_none_of_these_headers(params: dict[str, Any]) -> None:
    assert for_request(Request(1, "tools/call", {"name": "add", **params})) == {}


SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
        "deep": {"type": "object", "properties": {"er": {"type": "string", "x-mcp-header": "Deep"}}},
        "plain": {"type": "string"},
    },
}


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({}, {}),
        (None, {}),
        ([], {}),
        ({"region": "eu", "plain": "x"}, {"Region": "eu"}),
        ({"region": None}, {}),
        ({"region": " eu"}, {"Region": "=?base64?IGV1?="}),
        ({"region": ""}, {"Region": "=?base64??="}),
        ({"count": 42}, {"Count": "42"}),
        ({"count": -1}, {"Count": "-1"}),
        ({"count": 42.0}, {"Count": "42"}),
        ({"count": 0}, {"Count": "0"}),
        ({"count": 10**20}, {"Count": "100000000000000000000"}),
        ({"count": 1.5}, {"Count": "1.5"}),
        ({"dry": True}, {"Dry-Run": "true"}),
        ({"dry": False}, {"Dry-Run": "false"}),
        ({"deep": {"er": "x"}}, {"Deep": "x"}),
        ({"deep": "x"}, {}),
        ({"deep": {"er": None}}, {}),
    ],
)
def test_marked_arguments_travel_in_headers_that_the_server_agrees_with(arguments: Any, sent: dict[str, str]) -> None:
    found = for_request(call(arguments=arguments), SCHEMA)
    params = {name: value for name, value in found.items() if name.startswith("Mcp-Param-")}
    assert params == {f"Mcp-Param-{name}": value for name, value in sent.items()}
    lower = {name.lower(): value for name, value in found.items()}
    assert objection(call(arguments=arguments), lower) is None
    assert param_objection(arguments, SCHEMA, lower) is None
    for name in params:
        missing = param_objection(arguments, SCHEMA, {k: v for k, v in lower.items() if k != name.lower()})
        assert isinstance(missing, ProtocolError)
        assert (missing.code, f"{name} is missing" in missing.message) == (HEADER_MISMATCH, True)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(10**50), 10**50), st.booleans())
def test_what_one_half_sends_the_other_half_takes(region: str, count: int, dry: bool) -> None:
    message = call(region, arguments={"region": region, "count": count, "dry": dry})
    sent = {name.lower(): value for name, value in for_request(message, SCHEMA).items()}
    assert objection(message, sent) is None
    assert param_objection(message.params["arguments"], SCHEMA, sent) is None


# ---- What a server objects to ----------------------------------------------------------------------------------------

GOOD = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"mcp-name": "  add\t"}, None),
        ({"mcp-name": "=?base64?YWRk?="}, None),
        ({"mcp-method": " tools/call "}, None),
        ({"mcp-protocol-version": None}, "MCP-Protocol-Version is missing; it must say '2026-07-28'"),
        ({"mcp-method": None}, "Mcp-Method is missing"),
        ({"mcp-name": None}, "Mcp-Name is missing; it must say 'add'"),
        ({"mcp-protocol-version": "2025-11-25"}, "says '2025-11-25', but the message says '2026-07-28'"),
        ({"mcp-method": "tools/list"}, "says 'tools/list'"),
        ({"mcp-method": "Tools/Call"}, "says 'Tools/Call'"),  # values are case-sensitive
        ({"mcp-method": "tools/call,tools/call"}, "tools/call,tools/call"),  # sent twice, joined by HTTP
        ({"mcp-method": "=?base64?dG9vbHMvY2FsbA==?="}, "=?base64?"),  # only names and arguments may be encoded
        ({"mcp-name": "Add"}, "says 'Add'"),
        ({"mcp-name": ""}, "says ''"),
        ({"mcp-name": "=?base64?YWR?="}, "not valid base64"),
        ({"mcp-name": "=?base64?YWRk"}, "says '=?base64?YWRk'"),
        ({"mcp-name": "add, add"}, "says 'add, add'"),
    ],
)
def test_a_header_that_is_missing_or_says_something_else_is_objected_to(
    changes: dict[str, str | None], words: str | None
) -> None:
    given = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
    complaint = objection(call(), given)
    if words is None:
        assert complaint is None
    else:
        assert complaint is not None
        assert complaint.code == HEADER_MISMATCH
        assert words in complaint.message


def test_a_method_that_looks_encoded_is_compared_as_it_stands() -> None:
    message = Request(1, "=?base64?!?=", {"_meta": META})
    given = {"mcp-protocol-version": "2026-07-28", "mcp-method": "=?base64?!?="}
    assert objection(message, given) is None


def test_headers_that_nobody_asked_for_are_of_no_interest() -> None:
    given = {**GOOD, "mcp-method": "tools/list", "mcp-name": "whatever", "mcp-param-region": "us"}
    assert objection(Request(1, "tools/list", {"_meta": META}), given) is None
    assert param_objection({}, SCHEMA, given) is None
    assert param_objection({"region": None}, SCHEMA, given) is None


def test_a_name_of_half_a_character_is_objected_to_and_breaks_nothing() -> None:
    complaint = objection(call("\ud800"), {**GOOD, "mcp-name": encode_value("\ud800")})
    assert complaint is not None
    assert complaint.message.isascii()


@pytest.mark.parametrize(
    ("value", "header", "fits"),
    [
        (42, "42", True),
        (42, " 42 ", True),
        (42, "42.0", True),
        (42, "042", True),
        (42, "=?base64?NDI=?=", True),
        (42.0, "42", True),
        (42.0, "42.0", True),
        (42, "43", False),
        (42, "42.5", False),
        (42, "4.2e1", False),
        (42, "0x2a", False),
        (42, "4_2", False),
        (42, "\u0664\u0662", False),
        (42, "42 42", False),
        (42, "", False),
        (1, "true", False),
        (True, "true", True),
        (True, "True", False),
        (True, "1", False),
        (False, "false", True),
        ("42", "42", True),
        ("42", "42.0", False),  # a text is no number
        ("eu", "EU", False),
        ([1], "[1]", True),
    ],
)
def test_integers_are_compared_as_numbers_and_all_else_as_text(value: Any, header: str, fits: bool) -> None:
    schema = {"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}
    assert (param_objection({"a": value}, schema, {"mcp-param-a": header}) is None) is fits


# ---- Which schemas may say x-mcp-header ------------------------------------------------------------------------------


def marked(kind: Any = "string", header: Any = "A") -> dict[str, Any]:
    return {"type": kind, "x-mcp-header": header}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({}, {}),
        ({"type": "object"}, {}),
        (SCHEMA, {("region",): "Region", ("count",): "Count", ("dry",): "Dry-Run", ("deep", "er"): "Deep"}),
        ({"properties": {"x-mcp-header": {"type": "string"}}}, {}),  # a property of that name
        ({"properties": {"x-mcp-header": marked()}}, {("x-mcp-header",): "A"}),
        ({"properties": {"a": {"const": {"x-mcp-header": 1}, "default": {"x-mcp-header": 2}}}}, {}),
        ({"properties": {"a": {"enum": [{"x-mcp-header": 1}]}}, "examples": [{"x-mcp-header": 3}]}, {}),
        ({"properties": {"a": True, "b": marked(header="!#$%&'*+-.^_`|~9z")}}, {("b",): "!#$%&'*+-.^_`|~9z"}),
        ({"properties": []}, {}),
        ({"$defs": {"x-mcp-header": {"type": "string"}}, "$ref": "#/$defs/x-mcp-header"}, {}),
    ],
)
def test_a_mark_is_found_where_it_may_stand(schema: dict[str, Any], found: dict[tuple[str, ...], str]) -> None:
    assert mirrored(schema) == found


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": {"a": marked(header="")}}, "not a header name"),
        ({"properties": {"a": marked(header="a b")}}, "not a header name"),
        ({"properties": {"a": marked(header="a:b")}}, "not a header name"),
        ({"properties": {"a": marked(header="a\r\nb")}}, "not a header name"),
        ({"properties": {"a": marked(header="a\n")}}, "not a header name"),
        ({"properties": {"a": marked(header="é")}}, "not a header name"),
        ({"properties": {"a": marked(header=5)}}, "not a header name"),
        ({"properties": {"a": marked(header=None)}}, "not a header name"),
        ({"properties": {"a": marked("number")}}, "not a string, integer or boolean"),
        ({"properties": {"a": marked("object")}}, "not a string, integer or boolean"),
        ({"properties": {"a": marked("array")}}, "not a string, integer or boolean"),
        ({"properties": {"a": marked("null")}}, "not a string, integer or boolean"),
        ({"properties": {"a": marked(["string", "null"])}}, "not a string, integer or boolean"),
        ({"properties": {"a": {"x-mcp-header": "A"}}}, "not a string, integer or boolean"),
        ({"properties": {"a": marked(), "b": marked()}}, "used twice"),
        ({"properties": {"a": marked(header="Ab"), "b": marked(header="aB")}}, "used twice"),
        ({"properties": {"a": marked(), "b": {"properties": {"c": marked()}}}}, "used twice"),
        ({"type": "object", "x-mcp-header": "A"}, "reached through"),
        ({"properties": {"a": {"items": marked()}}}, "reached through"),
        ({"properties": {"a": {"prefixItems": [marked()]}}}, "reached through"),
        ({"allOf": [{"properties": {"a": marked()}}]}, "reached through"),
        ({"anyOf": [marked()]}, "reached through"),
        ({"oneOf": [marked()]}, "reached through"),
        ({"not": marked()}, "reached through"),
        ({"if": {"properties": {"a": marked()}}}, "reached through"),
        ({"then": marked(), "else": marked()}, "reached through"),
        ({"$defs": {"d": marked()}}, "reached through"),
        ({"definitions": {"d": marked()}}, "reached through"),
        ({"patternProperties": {".": marked()}}, "reached through"),
        ({"additionalProperties": marked()}, "reached through"),
        ({"dependentSchemas": {"a": marked()}}, "reached through"),
    ],
)
def test_a_mark_that_breaks_a_rule_is_refused(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mirrored(schema)


# ---- Status, and whether a stream may come ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "modern", "handshake"),
    [
        (messages.PARSE_ERROR, 400, 400),
        (messages.INVALID_REQUEST, 400, 400),
        (messages.METHOD_NOT_FOUND, 404, 200),
        (messages.INVALID_PARAMS, 400, 200),
        (messages.INTERNAL_ERROR, 200, 200),
        (messages.HEADER_MISMATCH, 400, 200),
        (messages.MISSING_CAPABILITY, 400, 200),
        (messages.UNSUPPORTED_VERSION, 400, 200),
        (messages.RESOURCE_NOT_FOUND, 400, 200),
    ],
)
def test_the_status_of_a_failure_is_that_of_its_era(code: int, modern: int, handshake: int) -> None:
    failure = Failure(1, code, "")
    assert status_of(failure, "2026-07-28") == modern
    assert {status_of(failure, revision) for revision in revisions.HANDSHAKE} == {handshake}
    assert status_of(failure, None) == 400


@pytest.mark.parametrize(
    ("given", "accepts"),
    [
        (None, True),
        ({}, True),
        ({"accept": "application/json, text/event-stream"}, True),
        ({"accept": "Text/Event-Stream"}, True),
        ({"accept": "text/*"}, True),
        ({"accept": "*/*"}, True),
        ({"accept": "application/json"}, False),
        ({"accept": ""}, False),
    ],
)
def test_a_client_that_names_only_json_gets_no_stream(given: dict[str, str] | None, accepts: bool) -> None:
    assert headers.accepts_stream(given) is accepts
