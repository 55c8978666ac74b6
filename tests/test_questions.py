"""Questions to a client: put only where it can answer, worded as its revision has it, and their answers checked."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import methods

from mcp_core import questions, revisions
from mcp_core.calls import Memory
from mcp_core.effects import Ask, ToolError
from mcp_core.messages import INVALID_PARAMS, ProtocolError, Request
from mcp_core.questions import brought_back, complaint_about, input_required, is_asking, outcome, settle, worded
from mcp_core.sealing import Seal

FORM = Ask.form(
    "name", "Your name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)
URL = Ask.url("login", "Sign in.", "https://example.com/", "e1")
MODEL = Ask.model("sum", "Sum up.", 10)
ROOTS = Ask.roots("where")
EVERYTHING: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
ANA = {"action": "accept", "content": {"name": "Ana"}}
SAID = {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}


def memory(revision: str = "2025-11-25", able: dict[str, Any] | None = None) -> Memory:
    return Memory(revision, capabilities=EVERYTHING if able is None else able)


# ---- Whether a question can be put -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "able", "since"),
    [
        (FORM, {"elicitation": {}}, "2025-06-18"),
        (FORM, {"elicitation": {"form": {}}}, "2025-06-18"),
        (FORM, {"elicitation": {"url": {}}}, None),
        (FORM, {"sampling": {}, "roots": {}}, None),
        (URL, {"elicitation": {"url": {}}}, "2025-06-18"),
        (URL, {"elicitation": {}}, None),
        (MODEL, {"sampling": {}}, "2024-11-05"),
        (MODEL, {"elicitation": {}}, None),
        (Ask.model("k", "x", 1, tools=[]), {"sampling": {}}, None),
        (Ask.model("k", "x", 1, tools=[]), {"sampling": {"tools": {}}}, "2024-11-05"),
        (ROOTS, {"roots": {"listChanged": True}}, "2024-11-05"),
        (ROOTS, {}, None),
    ],
)
def test_a_question_is_put_only_to_a_client_that_declared_it_in_a_revision_that_has_it(
    ask: Ask, able: dict[str, Any], since: str | None
) -> None:
    for revision in revisions.REVISIONS:
        put = since is not None and revision >= since
        assert settle(ask, {}, memory(revision, able), True) == (None, [ask] if put else [])
        assert settle(ask, {}, memory(revision, able), False) == (None, [])


def test_an_answer_that_is_there_already_is_handed_over_at_once() -> None:
    assert settle(FORM, {"name": ANA}, memory(), True) == (ANA, [])


def test_an_answer_is_of_no_use_where_the_client_could_not_be_asked() -> None:
    assert settle(FORM, {"name": ANA}, memory(able={}), True) == (None, [])
    assert settle(FORM, {"name": ANA}, memory(), False) == (None, [])


def test_several_questions_have_their_answers_in_their_order() -> None:
    asks = (FORM, ROOTS, MODEL)
    where: dict[str, Any] = {"roots": []}
    assert settle(asks, {"where": where}, memory(), True) == ([None, where, None], [FORM, MODEL])
    assert settle(asks, {"where": where, "name": ANA, "sum": SAID}, memory(), True) == ([ANA, where, SAID], [])
    assert settle(asks, {"name": ANA}, memory(able={"elicitation": {}}), True) == ([ANA, None, None], [])
    assert settle((), {}, memory(), True) == ([], [])


def test_a_wrong_answer_is_asked_for_again() -> None:
    assert settle(FORM, {"name": {"action": "accept", "content": {}}}, memory(), True)[1] == [FORM]
    assert settle(FORM, {"name": None}, memory(), True)[1] == [FORM]


# ---- Whether an answer is one ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "answer", "words"),
    [
        (FORM, ANA, None),
        (FORM, {"action": "decline"}, None),
        (FORM, {"action": "cancel"}, None),
        (FORM, {"action": "decline", "content": {"name": 5}}, None),
        (FORM, {"action": "maybe"}, "accept, decline or cancel"),
        (FORM, {"action": None}, "accept, decline or cancel"),
        (FORM, {"action": ["accept"]}, "accept, decline or cancel"),
        (FORM, {}, "accept, decline or cancel"),
        (FORM, {"action": "accept"}, "must be of type object, and null is not"),
        (FORM, {"action": "accept", "content": {}}, "'name' is missing"),
        (FORM, {"action": "accept", "content": {"name": 5}}, "'name' must be of type string"),
        (FORM, {"action": "accept", "content": []}, "must be of type object"),
        (FORM, None, "is an object, and this is null"),
        (FORM, "Ana", "is an object, and this is a string"),
        (FORM, [ANA], "is an object, and this is an array"),
        (URL, {"action": "accept"}, None),
        (URL, {"action": "yes"}, "accept, decline or cancel"),
        (MODEL, SAID, None),
        (MODEL, {**SAID, "content": [SAID["content"]]}, None),
        (MODEL, {"role": "assistant"}, "no message of a model"),
        (MODEL, {"content": {"type": "text"}}, "no message of a model"),
        (MODEL, {"role": 5, "content": {}}, "no message of a model"),
        (MODEL, {"role": "assistant", "content": "x"}, "no message of a model"),
        (ROOTS, {"roots": []}, None),
        (ROOTS, {"roots": [{"uri": "file:///a"}]}, None),
        (ROOTS, {}, "no list of roots"),
        (ROOTS, {"roots": {}}, "no list of roots"),
    ],
)
def test_an_answer_that_is_none_is_complained_about(ask: Ask, answer: Any, words: str | None) -> None:
    complaint = complaint_about(ask, answer)
    if words is None:
        assert complaint is None
        assert outcome(ask, {ask.key: answer}, memory(), None) == answer
    else:
        assert complaint is not None
        assert words in complaint
        thrown = outcome(ask, {ask.key: answer}, memory(), None)
        assert isinstance(thrown, ToolError)
        assert str(thrown) == complaint


def test_why_no_answer_came_is_told_before_anything_else() -> None:
    thrown = outcome((FORM, ROOTS), {"name": ANA, "where": None}, memory(), "Too late.")
    assert isinstance(thrown, ToolError)
    assert str(thrown) == "Too late."


@pytest.mark.parametrize(
    ("effect", "is_one"),
    [
        (FORM, True),
        ([FORM, ROOTS], True),
        ((FORM,), True),
        ([], True),
        ([FORM, 5], False),
        ("ask", False),
        ({"name": FORM}, False),
        (None, False),
    ],
)
def test_only_questions_are_questions(effect: Any, is_one: bool) -> None:
    assert is_asking(effect) is is_one


# ---- How a question is worded ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "revision", "names"),
    [
        (FORM, "2025-06-18", {"message", "requestedSchema"}),
        (FORM, "2025-11-25", {"mode", "message", "requestedSchema"}),
        (FORM, "2026-07-28", {"mode", "message", "requestedSchema"}),
        (URL, "2025-11-25", {"mode", "message", "url", "elicitationId"}),
        (URL, "2026-07-28", {"mode", "message", "url"}),
        (MODEL, "2024-11-05", {"messages", "maxTokens"}),
        (ROOTS, "2026-07-28", set()),
    ],
)
def test_a_question_has_the_params_its_revision_knows(ask: Ask, revision: str, names: set[str]) -> None:
    assert set(worded(ask, revision)) == names
    if revision != "2026-07-28":
        methods.parse_server_request(ask.method, revision, worded(ask, revision))


# ---- The stateless era -----------------------------------------------------------------------------------------------


def repeated(result: dict[str, Any], answers: Any = None, **changes: Any) -> Request:
    params = {"name": "greet", "arguments": {}, "requestState": result["requestState"], "inputResponses": answers}
    params = {name: value for name, value in {**params, **changes}.items() if value is not None}
    return Request(5, changes.pop("method", "tools/call"), params)


FIRST = Request(4, "tools/call", {"name": "greet", "arguments": {}, "_meta": {"progressToken": 1}})


def seal() -> Seal:
    return Seal(b"secret", lambda: 0.0)


def test_a_result_can_ask_and_is_valid_by_the_published_schema() -> None:
    result = input_required(FIRST, [FORM, URL, MODEL, ROOTS], {}, seal())
    methods.parse_server_result("tools/call", "2026-07-28", result)
    assert list(result["inputRequests"]) == ["name", "login", "sum", "where"]
    assert result["inputRequests"]["where"] == {"method": "roots/list"}
    assert "elicitationId" not in result["inputRequests"]["login"]["params"]


def test_answers_gather_over_the_rounds() -> None:
    first = input_required(FIRST, [ROOTS], {}, seal())
    answers = brought_back(repeated(first, {"where": {"roots": []}}), seal())
    assert answers == {"where": {"roots": []}}
    second = input_required(repeated(first), [FORM], answers, seal())
    assert brought_back(repeated(second, {"name": ANA}), seal()) == {"where": {"roots": []}, "name": ANA}


def test_an_answer_that_is_asked_for_again_is_not_kept() -> None:
    result = input_required(FIRST, [FORM], {"name": "wrong", "where": {"roots": []}}, seal())
    assert brought_back(repeated(result), seal()) == {"where": {"roots": []}}


def test_a_newer_answer_stands_before_an_earlier_one() -> None:
    result = input_required(FIRST, [ROOTS], {"name": "old"}, seal())
    assert brought_back(repeated(result, {"name": ANA}), seal())["name"] == ANA


def test_the_meta_of_a_repeated_call_may_differ_and_nothing_else() -> None:
    result = input_required(FIRST, [ROOTS], {}, seal())
    assert brought_back(repeated(result, _meta={"progressToken": 2}), seal()) == {}
    for change in ({"name": "delete"}, {"arguments": {"a": 1}}, {"more": 1}):
        with pytest.raises(ProtocolError, match="requestState") as refused:
            brought_back(repeated(result, **change), seal())
        assert refused.value.code == INVALID_PARAMS


@pytest.mark.parametrize("state", ["", "x", "v1.e30=.AAAA", 5, [], {}, True, "\ud800", "v1.a.\ud800"])
def test_a_state_that_is_not_ours_is_refused(state: Any) -> None:
    with pytest.raises(ProtocolError) as refused:
        brought_back(Request(5, "tools/call", {"name": "greet", "requestState": state}), seal())
    assert refused.value.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("answers", "kind"), [([], "an array"), ("x", "a string"), (5, "an integer"), (True, "a boolean")]
)
def test_answers_that_are_no_object_are_refused(answers: Any, kind: str) -> None:
    with pytest.raises(ProtocolError, match=f"inputResponses is an object, key by key, and this is {kind}") as refused:
        brought_back(Request(5, "tools/call", {"inputResponses": answers}), seal())
    assert refused.value.code == INVALID_PARAMS


def test_nothing_is_brought_back_where_nothing_is_sent() -> None:
    assert brought_back(FIRST, seal()) == {}
    assert brought_back(Request(5, "tools/call", {"inputResponses": None, "requestState": None}), seal()) == {}
    assert brought_back(Request(5, "tools/call", {"requestState": "whatever"}), None) == {}


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "completion/complete"])
def test_methods_that_cannot_ask_bring_nothing_back(method: str) -> None:
    assert brought_back(Request(5, method, {"requestState": "bad", "inputResponses": 5}), seal()) == {}


def test_only_these_three_methods_may_ask() -> None:
    assert set(questions.MAY_ASK) == methods.INPUT_REQUIRED_METHODS
