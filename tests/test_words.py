"""One function per method: each result is judged by the published schema, in every revision that has the method."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Annotated, Any, TypedDict

import pytest
from mcp_types import methods

from mcp_core import content, revisions, words
from mcp_core.calls import Call, Listen, Memory
from mcp_core.catalogue import Catalogue, NotFound
from mcp_core.effects import Ask, Output, Progress, Steps, ToolError
from mcp_core.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    RESOURCE_NOT_FOUND,
    ProtocolError,
    Request,
)

LATEST = revisions.LATEST


class Sum(TypedDict):
    total: int


def shop() -> Catalogue:
    """A catalogue with something of every kind."""
    icons = [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]}]
    catalogue = Catalogue("shop", "1.0", title="Shop", instructions="Add for sums.", icons=icons)

    @catalogue.tool(title="Add", read_only=True, icons=icons, _meta={"a": 1})
    def add(a: int, b: int = 1) -> Sum:
        """Adds."""
        return {"total": a + b}

    @catalogue.tool()
    def fail(how: str = "") -> str:
        raise ToolError("It is closed; come tomorrow.")

    @catalogue.tool()
    def slow() -> Steps[str]:
        yield Progress(1, 1)
        return "done"

    @catalogue.tool(needs={"sampling": {}})
    def think() -> str:
        return "thought"

    @catalogue.tool()
    def show(what: str) -> Any:
        return SHOWN[what]

    @catalogue.resource("shop://hours", name="hours", title="Hours", mimeType="text/plain")
    def hours() -> str:
        return "9-18"

    @catalogue.resource("shop://ask", name="ask")
    def ask() -> Steps[bytes]:
        yield Ask.roots("where")
        return b"\x00"

    @catalogue.resource("shop://shut", name="shut")
    def shut() -> str:
        raise ToolError("It is shut.")

    def items(typed: str, others: dict[str, str]) -> list[str]:
        return [f"{others.get('kind', '')}{typed}{n}" for n in range(150)]

    listing = [{"uri": "shop://items/1", "name": "1", "title": "One", "size": 3}]

    @catalogue.template("shop://items/{id}", name="item", title="Item", listing=lambda: listing, complete={"id": items})
    def item(id: str) -> list[dict[str, Any]]:
        if id != "1":
            raise NotFound("Sold out.") if id == "2" else NotFound
        return [content.contents(f"shop://items/{id}", "one", "text/plain")]

    @catalogue.prompt(title="Haggle", icons=icons, complete={"price": items})
    def haggle(price: Annotated[str, {"title": "Price"}], mood: str = "calm") -> str:
        """Talks about a price."""
        return f"Be {mood} about {price}."

    @catalogue.prompt()
    def fixed() -> list[dict[str, Any]]:
        return FIXED

    @catalogue.prompt()
    def closed() -> str:
        raise ToolError("We are closed.")

    return catalogue


FIXED = [content.message("user", content.audio(b"RIFF")), content.message("assistant", "ok")]
SHOWN: dict[str, Any] = {
    "text": "hello",
    "number": 5,
    "nothing": None,
    "list": [1, "é"],
    "object": {"é": [1]},
    "blocks": Output([content.link("a:b", "b"), content.audio(b"x")]),
    "all": Output([content.text("x")], structured={"n": 1}, is_error=True, meta={"own": 1}),
}
SHOP = shop()


def call(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    revision: str = LATEST,
    able: dict[str, Any] | None = None,
    can_push: bool = True,
    catalogue: Catalogue = SHOP,
    memory: Memory | None = None,
) -> Call:
    known = memory or Memory(revision, capabilities=able or {})
    return Call(Request(1, method, params or {}), known, catalogue, 100, can_push)


def ended(outcome: Any) -> tuple[dict[str, Any], list[Any]]:
    """A result, and the effects before it, each of which is answered with nothing."""
    if not isinstance(outcome, Generator):
        return outcome, []
    effects = []
    try:
        while True:
            effects.append(next(outcome))
    except StopIteration as stop:
        return stop.value, effects


def asked(method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    made = call(method, params, **more)
    result, _ = ended(words.HANDLERS[method](made))
    kind = {"resultType": "complete"} if made.is_stateless else {}
    methods.parse_server_result(method, made.memory.revision, {**result, **kind})
    return result


def refused(method: str, params: dict[str, Any] | None = None, **more: Any) -> ProtocolError:
    with pytest.raises(ProtocolError) as error:
        ended(words.HANDLERS[method](call(method, params, **more)))
    return error.value


# ---- The table -------------------------------------------------------------------------------------------------------


def test_every_request_of_a_client_has_its_function() -> None:
    rows = [row.method for row in revisions.WORDS if row.is_request and row.by != "server"]
    assert sorted(words.HANDLERS) == sorted(rows)
    assert len(set(words.HANDLERS.values())) == len(words.HANDLERS)


def test_every_function_says_where_it_is_specified() -> None:
    for method, function in words.HANDLERS.items():
        row = next(row for row in revisions.WORDS if row.method == method)
        newest = row.since if row.since == LATEST else revisions.LATEST_HANDSHAKE
        assert (function.__doc__ or "").partition("#")[0] == revisions.spec_url(row, newest).partition("#")[0]


# ---- Lifecycle -------------------------------------------------------------------------------------------------------

INTRODUCTION = {"capabilities": {"roots": {}}, "clientInfo": {"name": "me", "version": "1"}}


@pytest.mark.parametrize("revision", revisions.HANDSHAKE)
def test_initialize_agrees_on_a_revision_and_shows_what_it_knows(revision: str) -> None:
    memory = Memory(revisions.LATEST_HANDSHAKE, level="debug", subscribed={"a:b"})
    params = {"protocolVersion": revision, **INTRODUCTION}
    result = words.initialize(call("initialize", params, memory=memory))
    methods.parse_server_result("initialize", revision, result)
    assert result["protocolVersion"] == memory.revision == revision
    assert memory.introduced
    assert (memory.capabilities, memory.client) == ({"roots": {}}, {"name": "me", "version": "1"})
    assert (memory.level, memory.subscribed) == (None, set())  # a new conversation
    assert ("title" in result["serverInfo"]) is (revision >= "2025-06-18")
    assert ("icons" in result["serverInfo"]) is (revision >= "2025-11-25")
    assert ("completions" in result["capabilities"]) is (revision >= "2025-03-26")
    assert result["instructions"] == "Add for sums."


@pytest.mark.parametrize("asked_for", ["2099-01-01", "2026-07-28", "", "1999-01-01"])
def test_initialize_answers_the_newest_handshake_to_a_revision_that_has_none(asked_for: str) -> None:
    result = words.initialize(call("initialize", {"protocolVersion": asked_for}, memory=Memory("2025-11-25")))
    assert result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"protocolVersion": 7},
        {"protocolVersion": None},
        {"protocolVersion": ["2025-11-25"]},
        {"protocolVersion": "2025-11-25", "capabilities": []},
        {"protocolVersion": "2025-11-25", "clientInfo": "me"},
    ],
)
def test_initialize_without_a_revision_is_refused_and_opens_nothing(params: dict[str, Any]) -> None:
    memory = Memory("2025-11-25")
    assert refused("initialize", params, memory=memory).code == INVALID_PARAMS
    assert not memory.introduced


def test_discover_tells_everything_at_once() -> None:
    result = asked("server/discover")
    assert result["supportedVersions"] == ["2026-07-28"]
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions", "logging"}
    assert (result["instructions"], result["cacheScope"], type(result["ttlMs"])) == ("Add for sums.", "public", int)
    assert "instructions" not in asked("server/discover", catalogue=Catalogue("a", "1"))


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"])
@pytest.mark.parametrize("revision", revisions.HANDSHAKE)
def test_what_has_nothing_to_say_answers_exactly_nothing(method: str, revision: str) -> None:
    assert asked(method, {"level": "info", "uri": "a:b"}, revision=revision) == {}


# ---- Listening -------------------------------------------------------------------------------------------------------


def honored(notifications: Any, **more: Any) -> dict[str, Any]:
    result, (effect,) = ended(words.listen(call("subscriptions/listen", {"notifications": notifications}, **more)))
    assert result == {}
    assert isinstance(effect, Listen)
    return effect.wanted


def test_listening_is_granted_as_far_as_the_server_can_tell() -> None:
    every = {f"{kind}ListChanged": True for kind in ("tools", "prompts", "resources")}
    assert honored(every | {"resourceSubscriptions": ["a:b"]}) == every | {"resourceSubscriptions": ["a:b"]}
    assert honored({"toolsListChanged": False, "promptsListChanged": 1, "unknown": True}) == {}
    assert honored({"resourceSubscriptions": ["a:b", 5, None]}) == {"resourceSubscriptions": ["a:b"]}
    assert honored({"resourceSubscriptions": "a:b"}) == {}
    assert honored(every | {"resourceSubscriptions": ["a:b"]}, catalogue=Catalogue("a", "1")) == {}


def test_listening_needs_a_stream_and_says_what_to_hear() -> None:
    assert refused("subscriptions/listen", {"notifications": {}}, can_push=False).code == METHOD_NOT_FOUND
    assert refused("subscriptions/listen").code == INVALID_PARAMS
    assert refused("subscriptions/listen", {"notifications": []}).code == INVALID_PARAMS


# ---- Lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", revisions.REVISIONS)
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_every_list_is_valid_and_shows_what_its_revision_knows(method: str, revision: str) -> None:
    result = asked(method, revision=revision)
    key = {"resources/templates/list": "resourceTemplates"}.get(method, method.partition("/")[0])
    assert result[key]
    assert ("title" in result[key][0]) is (revision >= "2025-06-18")
    assert isinstance(result["ttlMs"], int)
    assert result["cacheScope"] in ("public", "private")
    assert refused(method, {"cursor": "bad"}, revision=revision).code == INVALID_PARAMS


def test_the_arguments_of_a_prompt_have_titles_since_2025_06_18() -> None:
    for revision in revisions.REVISIONS:
        haggle, fixed, _ = asked("prompts/list", revision=revision)["prompts"]
        assert ("title" in haggle["arguments"][0]) is (revision >= "2025-06-18")
        assert "arguments" not in fixed


def test_what_a_template_stands_for_is_listed_after_what_is_fixed() -> None:
    uris = [entry["uri"] for entry in asked("resources/list")["resources"]]
    assert uris == ["shop://hours", "shop://ask", "shop://shut", "shop://items/1"]


# ---- Tools -----------------------------------------------------------------------------------------------------------


def called(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return asked("tools/call", {"name": name, "arguments": arguments or {}}, **more)


def test_an_object_comes_back_as_structure_and_as_the_same_in_text() -> None:
    result = called("add", {"a": 2, "b": 3})
    assert result["structuredContent"] == {"total": 5}
    assert json.loads(result["content"][0]["text"]) == {"total": 5}
    assert result["isError"] is False


@pytest.mark.parametrize(
    ("what", "text"),
    [("text", "hello"), ("number", "5"), ("nothing", "null"), ("list", '[1,"\\u00e9"]'), ("object", '{"\\u00e9":[1]}')],
)
def test_any_other_value_comes_back_as_text_or_json_and_never_as_python(what: str, text: str) -> None:
    assert called("show", {"what": what})["content"] == [{"type": "text", "text": text}]


def test_blocks_are_shown_as_far_as_a_revision_knows_them() -> None:
    kinds = {
        revision: [block["type"] for block in called("show", {"what": "blocks"}, revision=revision)["content"]]
        for revision in revisions.REVISIONS
    }
    assert kinds == {
        "2024-11-05": ["text", "text"],
        "2025-03-26": ["text", "audio"],
        "2025-06-18": ["resource_link", "audio"],
        "2025-11-25": ["resource_link", "audio"],
        "2026-07-28": ["resource_link", "audio"],
    }


def test_an_output_says_everything_itself() -> None:
    assert called("show", {"what": "all"}) == {
        "content": [{"type": "text", "text": "x"}],
        "isError": True,
        "structuredContent": {"n": 1},
        "_meta": {"own": 1},
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "'a' is missing"),
        ({"a": "1"}, "'a' must be of type integer, and '1' is not"),
        ({"a": None}, "'a' must be of type integer, and null is not"),
        ({"a": 1, "c": 1}, "'c' is not known here"),
    ],
)
def test_wrong_arguments_are_for_the_model_to_mend(arguments: dict[str, Any], told: str) -> None:
    for revision in revisions.REVISIONS:
        result = called("add", arguments, revision=revision)
        assert result == {
            "content": [{"type": "text", "text": f"The arguments of add are not right: {told}."}],
            "isError": True,
        }


def test_what_a_tool_tells_the_model_is_a_result_and_no_error_of_the_protocol() -> None:
    assert called("fail") == {"content": [{"type": "text", "text": "It is closed; come tomorrow."}], "isError": True}


def test_arguments_may_be_left_out() -> None:
    for params in ({"name": "slow"}, {"name": "slow", "arguments": None}):
        assert asked("tools/call", params)["content"] == [content.text("done")]


@pytest.mark.parametrize(
    "params", [{}, {"name": 5}, {"name": None}, {"name": "add", "arguments": []}, {"name": ["add"]}]
)
def test_what_is_no_call_of_a_tool_is_refused(params: dict[str, Any]) -> None:
    assert refused("tools/call", params).code == INVALID_PARAMS


@pytest.mark.parametrize("name", ["nosuch", "Add", "add ", "", "__class__", "x" * 5000, "\ud800"])
def test_an_unknown_tool_is_refused_with_the_names_of_the_known(name: str) -> None:
    error = refused("tools/call", {"name": name})
    assert error.code == INVALID_PARAMS
    assert "the tools are add, fail, slow, think, show" in error.message
    assert repr(name[:80]) in error.message
    assert len(error.message) < 200


def test_a_tool_that_needs_more_of_its_client_says_so_in_the_way_of_the_era() -> None:
    error = refused("tools/call", {"name": "think"})
    assert (error.code, error.data) == (MISSING_CAPABILITY, {"requiredCapabilities": {"sampling": {}}})
    for revision in revisions.HANDSHAKE:
        assert called("think", revision=revision)["isError"] is True
        assert called("think", revision=revision, able={"sampling": {}})["isError"] is False


def test_a_tool_may_yield_on_its_way() -> None:
    result, effects = ended(words.call_tool(call("tools/call", {"name": "slow"})))
    assert effects == [Progress(1, 1)]
    assert result["content"] == [content.text("done")]


# ---- Resources -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", revisions.REVISIONS)
@pytest.mark.parametrize(
    ("uri", "contents"),
    [
        ("shop://hours", {"uri": "shop://hours", "mimeType": "text/plain", "text": "9-18"}),
        ("shop://ask", {"uri": "shop://ask", "blob": "AA=="}),
        ("shop://items/1", {"uri": "shop://items/1", "mimeType": "text/plain", "text": "one"}),
    ],
)
def test_a_resource_is_read(uri: str, contents: dict[str, Any], revision: str) -> None:
    assert asked("resources/read", {"uri": uri}, revision=revision)["contents"] == [contents]


@pytest.mark.parametrize(
    ("uri", "words_of_it"),
    [
        ("shop://nothing", "There is no resource 'shop://nothing'"),
        ("shop://items/3", "There is no resource 'shop://items/3'"),
        ("shop://items/2", "Sold out."),
        ("shop://shut", "It is shut."),
        ("", "There is no resource ''"),
        ("\ud800" * 3000, "There is no resource"),
    ],
)
def test_a_resource_that_is_not_there_is_refused_with_the_code_of_the_era(uri: str, words_of_it: str) -> None:
    for revision in revisions.REVISIONS:
        error = refused("resources/read", {"uri": uri}, revision=revision)
        assert error.code == (INVALID_PARAMS if revision == LATEST else RESOURCE_NOT_FOUND)
        assert error.data == {"uri": uri}
        assert words_of_it in error.message
    assert refused("resources/read").code == INVALID_PARAMS


def test_a_client_subscribes_and_leaves_again() -> None:
    memory = Memory("2025-11-25")
    for uri in ("a:b", "a:c", "a:b"):
        words.subscribe(call("resources/subscribe", {"uri": uri}, memory=memory))
    assert memory.subscribed == {"a:b", "a:c"}
    for uri in ("a:b", "never"):
        words.unsubscribe(call("resources/unsubscribe", {"uri": uri}, memory=memory))
    assert memory.subscribed == {"a:c"}
    assert refused("resources/subscribe", revision="2025-11-25").code == INVALID_PARAMS


# ---- Prompts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", revisions.REVISIONS)
def test_a_prompt_is_filled_in(revision: str) -> None:
    result = asked("prompts/get", {"name": "haggle", "arguments": {"price": "5"}}, revision=revision)
    assert result == {
        "description": "Talks about a price.",
        "messages": [content.message("user", "Be calm about 5.")],
    }


def test_the_blocks_of_a_prompt_are_cut_for_one_client_and_stay_whole_for_the_next() -> None:
    old = asked("prompts/get", {"name": "fixed"}, revision="2024-11-05")
    assert [part["content"]["type"] for part in old["messages"]] == ["text", "text"]
    new = asked("prompts/get", {"name": "fixed"})
    assert [part["content"]["type"] for part in new["messages"]] == ["audio", "text"]
    assert "description" not in new


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({}, "needs 'name'"),
        ({"name": "nosuch"}, "the prompts are haggle, fixed, closed"),
        ({"name": "haggle"}, "'price' is missing"),
        ({"name": "haggle", "arguments": {"price": 5}}, "'price' must be of type string"),
        ({"name": "haggle", "arguments": {"price": "5", "x": "y"}}, "'x' is not known here"),
        ({"name": "haggle", "arguments": "5"}, "needs 'arguments'"),
        ({"name": "closed"}, "We are closed."),
    ],
)
def test_a_prompt_that_cannot_be_made_is_refused(params: dict[str, Any], told: str) -> None:
    error = refused("prompts/get", params)
    assert error.code == INVALID_PARAMS
    assert told in error.message


# ---- Completion and logging ------------------------------------------------------------------------------------------

PROMPT = {"type": "ref/prompt", "name": "haggle"}
ITEM = {"type": "ref/resource", "uri": "shop://items/{id}"}


def completed(ref: Any, name: Any = "price", value: Any = "x", **more: Any) -> dict[str, Any]:
    params = {"ref": ref, "argument": {"name": name, "value": value}, **more}
    found: dict[str, Any] = asked("completion/complete", params)["completion"]
    return found


def test_at_most_a_hundred_suggestions_are_made_and_all_are_counted() -> None:
    for found in (completed(PROMPT), completed(ITEM, "id")):
        assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 150, True)
        assert found["values"][0] == "x0"


def test_what_nobody_completes_has_no_suggestions() -> None:
    assert completed(PROMPT, "mood") == {"values": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize(
    ("context", "first"),
    [
        ({"arguments": {"kind": "k", "other": 5}}, "kx0"),
        ({"arguments": {"kind": 5}}, "x0"),
        ({"arguments": "x"}, "x0"),
        ({"arguments": None}, "x0"),
        ({}, "x0"),
        (None, "x0"),
    ],
)
def test_other_arguments_help_where_they_are_texts(context: Any, first: str) -> None:
    assert completed(PROMPT, context=context)["values"][0] == first


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": PROMPT},
        {"argument": {"name": "price", "value": ""}},
        {"ref": "haggle", "argument": {"name": "price", "value": ""}},
        {"ref": PROMPT, "argument": {"name": "price"}},
        {"ref": PROMPT, "argument": {"name": 5, "value": ""}},
        {"ref": PROMPT, "argument": {"name": "price", "value": 5}},
        {"ref": PROMPT, "argument": {"name": "price", "value": ""}, "context": "x"},
        *(
            {"ref": ref, "argument": {"name": "price", "value": ""}}
            for ref in (
                {},
                {"type": "ref/tool", "name": "haggle"},
                {"type": ["ref/prompt"], "name": "haggle"},
                {"type": "ref/prompt"},
                {"type": "ref/prompt", "name": "nosuch"},
                {"type": "ref/prompt", "name": ["haggle"]},
                {"type": "ref/prompt", "name": {}},
                {"type": "ref/resource", "uri": "shop://items/1"},
                {"type": "ref/resource", "uri": []},
                {"type": "ref/resource"},
            )
        ),
    ],
)
def test_a_completion_of_nothing_is_refused(params: dict[str, Any]) -> None:
    assert refused("completion/complete", params).code == INVALID_PARAMS


def test_a_client_sets_the_level_it_wants_to_hear() -> None:
    memory = Memory("2025-11-25")
    for level in revisions.LOG_LEVELS:
        assert words.set_level(call("logging/setLevel", {"level": level}, memory=memory)) == {}
        assert memory.level == level


@pytest.mark.parametrize("level", [None, "", "loud", "INFO", 3, True, [], {"a": 1}, "x" * 5000])
def test_a_level_that_is_none_is_refused_with_those_there_are(level: Any) -> None:
    memory = Memory("2025-11-25", level="error")
    error = refused("logging/setLevel", {"level": level}, memory=memory)
    assert error.code == INVALID_PARAMS
    assert "the levels are debug, info, notice" in error.message
    assert len(error.message) < 200
    assert memory.level == "error"
