"""What must be right before a request is looked at; each check alone, and their order."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from mcp_core import admission, revisions
from mcp_core.admission import admit
from mcp_core.calls import Call, Memory
from mcp_core.catalogue import Catalogue
from mcp_core.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Failure,
    Message,
    Notification,
    ProtocolError,
    Request,
    Result,
)

META = {revisions.VERSION_KEY: "2026-07-28", revisions.CLIENT_CAPABILITIES_KEY: {}}
HEADERS = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}


def shop() -> Catalogue:
    catalogue = Catalogue("shop", "1.0")

    @catalogue.tool()
    def fetch(region: Annotated[str, {"x-mcp-header": "Region"}] = "eu") -> str:
        return region

    return catalogue


def admitted(
    method: str = "tools/list",
    params: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
    *,
    revision: str = "2025-11-25",
    can_push: bool = True,
    catalogue: Catalogue | None = None,
) -> Call:
    request = Request(1, method, params or {})
    memory = Memory(revision)
    return admit(request, headers, memory, catalogue or shop(), page_size=100, can_push=can_push)


def refused(*arguments: Any, **more: Any) -> ProtocolError:
    with pytest.raises(ProtocolError) as error:
        admitted(*arguments, **more)
    return error.value


# ---- Which era a message is of ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "headers", "stateless"),
    [
        (Request(1, "tools/list"), None, False),
        (Request(1, "tools/list"), {}, False),
        (Request(1, "tools/list", {"_meta": META}), None, True),
        (Request(1, "tools/list", {"_meta": META}), {}, True),
        (Request(1, "tools/list", {"_meta": {revisions.VERSION_KEY: None}}), None, True),
        (Request(1, "tools/list", {"_meta": {"progressToken": 1}}), None, False),
        (Request(1, "tools/list", {"_meta": "x"}), None, False),
        (Request(1, "tools/list"), {"mcp-protocol-version": "2026-07-28"}, True),
        (Request(1, "tools/list"), {"mcp-protocol-version": "1999-01-01"}, True),
        (Request(1, "tools/list"), {"mcp-protocol-version": ""}, True),
        (Request(1, "tools/list"), {"mcp-protocol-version": "2024-11-05"}, False),
        (Request(1, "tools/list"), {"mcp-protocol-version": "2025-11-25"}, False),
        (Request(1, "initialize"), {"mcp-protocol-version": "2026-07-28"}, False),
        (Request(1, "initialize", {"_meta": META}), None, True),
        (Notification("notifications/cancelled", {"_meta": META}), None, True),
        (Notification("notifications/initialized"), {"mcp-protocol-version": "2025-11-25"}, False),
        (Result(1, {"_meta": META}), {"mcp-protocol-version": "2026-07-28"}, False),
        (Failure(1, -1, ""), None, False),
    ],
)
def test_each_message_says_for_itself_of_which_era_it_is(message: Message, headers: Any, stateless: bool) -> None:
    assert admission.is_stateless(message, headers) is stateless


def test_a_request_of_the_handshake_era_shares_the_memory_of_its_session() -> None:
    memory = Memory("2025-06-18", capabilities={"roots": {}})
    call = admit(Request(1, "ping"), None, memory, shop(), page_size=7, can_push=True)
    assert call.memory is memory
    assert (call.page_size, call.can_push, call.is_stateless) == (7, True, False)


def test_a_stateless_request_brings_its_own_memory() -> None:
    meta = {
        revisions.VERSION_KEY: "2026-07-28",
        revisions.CLIENT_CAPABILITIES_KEY: {"roots": {}},
        revisions.CLIENT_INFO_KEY: {"name": "me", "version": "1"},
        revisions.LOG_LEVEL_KEY: "warning",
    }
    call = admitted(params={"_meta": meta})
    assert call.memory == Memory(
        "2026-07-28", capabilities={"roots": {}}, client={"name": "me", "version": "1"}, level="warning"
    )


@pytest.mark.parametrize("info", [None, "me", 5, []])
def test_who_the_client_is_may_be_left_out(info: Any) -> None:
    assert admitted(params={"_meta": {**META, revisions.CLIENT_INFO_KEY: info}}).memory.client == {}


# ---- The introduction ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ({revisions.VERSION_KEY: 7}, "says its revision"),
        ({revisions.VERSION_KEY: None}, "says its revision"),
        ({revisions.VERSION_KEY: "2026-07-28"}, "what its client can do"),
        ({**META, revisions.CLIENT_CAPABILITIES_KEY: []}, "what its client can do"),
        ({**META, revisions.CLIENT_CAPABILITIES_KEY: None}, "what its client can do"),
        ({**META, revisions.LOG_LEVEL_KEY: "loud"}, "'loud' is no log level"),
        ({**META, revisions.LOG_LEVEL_KEY: []}, "is no log level"),
        ({**META, revisions.LOG_LEVEL_KEY: "x" * 10_000}, "is no log level"),
    ],
)
def test_an_introduction_that_lacks_something_is_refused(meta: dict[str, Any], words: str) -> None:
    error = refused(params={"_meta": meta})
    assert error.code == INVALID_PARAMS
    assert words in error.message
    assert len(error.message) < 200


@pytest.mark.parametrize("params", [{}, {"_meta": None}, {"_meta": []}, {"_meta": {}}])
def test_a_header_alone_is_no_introduction(params: dict[str, Any]) -> None:
    assert refused(params=params, headers=HEADERS).code == INVALID_PARAMS


@pytest.mark.parametrize("asked", ["v9", "2099-01-01", "", "2025-11-25", "2026-07-28 "])
def test_a_revision_we_do_not_speak_is_refused_with_those_we_do(asked: str) -> None:
    error = refused(params={"_meta": {**META, revisions.VERSION_KEY: asked}})
    assert error.code == UNSUPPORTED_VERSION
    assert error.data == {"supported": ["2026-07-28"], "requested": asked}


# ---- Headers, and which complaint comes first ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "headers", "code"),
    [
        ({"_meta": META}, HEADERS, None),
        ({"_meta": META}, {}, HEADER_MISMATCH),
        ({"_meta": META}, {**HEADERS, "mcp-method": "tools/call"}, HEADER_MISMATCH),
        ({"_meta": {**META, revisions.VERSION_KEY: "v9"}}, HEADERS, HEADER_MISMATCH),
        (
            {"_meta": {**META, revisions.VERSION_KEY: "v9"}},
            {**HEADERS, "mcp-protocol-version": "v9"},
            UNSUPPORTED_VERSION,
        ),
        ({"_meta": {revisions.VERSION_KEY: "v9"}}, {**HEADERS, "mcp-protocol-version": "v9"}, INVALID_PARAMS),
    ],
)
def test_the_introduction_is_looked_at_before_the_headers_and_the_headers_before_the_revision(
    params: dict[str, Any], headers: dict[str, str], code: int | None
) -> None:
    if code is None:
        assert admitted(params=params, headers=headers).is_stateless
    else:
        assert refused(params=params, headers=headers).code == code


@pytest.mark.parametrize(
    ("arguments", "extra", "fits"),
    [
        ({"region": "us"}, {"mcp-param-region": "us"}, True),
        ({"region": "us"}, {"mcp-param-region": "eu"}, False),
        ({"region": "us"}, {}, False),
        ({}, {}, True),
        (None, {}, True),
        ("x", {}, True),  # no object: the call itself will be refused
    ],
)
def test_marked_arguments_are_compared_where_there_are_headers(
    arguments: Any, extra: dict[str, str], fits: bool
) -> None:
    params = {"name": "fetch", "arguments": arguments, "_meta": META}
    headers = {**HEADERS, "mcp-method": "tools/call", "mcp-name": "fetch", **extra}
    if fits:
        admitted("tools/call", params, headers)
    else:
        assert refused("tools/call", params, headers).code == HEADER_MISMATCH
    admitted("tools/call", params)  # a pipe has no headers


@pytest.mark.parametrize("name", ["nobody", 5, None])
def test_a_tool_that_is_unknown_is_left_to_its_word(name: Any) -> None:
    headers = {**HEADERS, "mcp-method": "tools/call", "mcp-name": "nobody"}
    admitted("tools/call", {"name": name, "_meta": META}, headers)


# ---- Words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "revision", "words"),
    [
        ("tools/dance", "2025-11-25", "There is no method 'tools/dance' in MCP"),
        ("", "2025-11-25", "There is no method ''"),
        ("Tools/List", "2025-11-25", "in MCP"),
        ("__init__", "2025-11-25", "in MCP"),
        ("server/discover", "2025-11-25", "for a client to call in revision 2025-11-25"),
        ("sampling/createMessage", "2025-11-25", "for a client to call"),
        ("notifications/message", "2025-11-25", "for a client to call"),
        ("notifications/initialized", "2025-11-25", "is a notification: it is sent without an id"),
        ("notifications/cancelled", "2025-11-25", "is a notification"),
        ("prompts/list", "2025-11-25", "does not offer prompts here"),
        ("resources/subscribe", "2025-11-25", "does not offer resources.subscribe here"),
        ("completion/complete", "2025-11-25", "does not offer completions here"),
        ("initialize", "2026-07-28", "for a client to call in revision 2026-07-28"),
        ("ping", "2026-07-28", "for a client to call in revision 2026-07-28"),
        ("logging/setLevel", "2026-07-28", "for a client to call in revision 2026-07-28"),
        ("x" * 5000, "2025-11-25", "There is no method"),
    ],
)
def test_a_method_that_cannot_be_called_here_is_not_found(method: str, revision: str, words: str) -> None:
    error = refused(method, {"_meta": META} if revision == "2026-07-28" else {})
    assert error.code == METHOD_NOT_FOUND
    assert words in error.message
    assert len(error.message) < 200


def test_logging_is_offered_only_where_something_can_be_sent_besides_answers() -> None:
    admitted("logging/setLevel")
    assert refused("logging/setLevel", can_push=False).code == METHOD_NOT_FOUND


def test_a_server_that_offers_nothing_still_answers_the_first_words() -> None:
    empty = Catalogue("shop", "1.0")
    for method in ("initialize", "ping"):
        admitted(method, catalogue=empty)
    for method in ("server/discover", "subscriptions/listen"):
        admitted(method, {"_meta": META}, catalogue=empty)
    assert refused("tools/list", catalogue=empty).code == METHOD_NOT_FOUND
