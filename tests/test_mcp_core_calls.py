"""A Call: its params, the capabilities that are declared, and lists page by page."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core.calls import Call, Memory, capabilities, page, param
from mcp_core.catalogue import Catalogue, Completer
from mcp_core.messages import INVALID_PARAMS, ProtocolError, Request


def call(
    params: dict[str, Any] | None = None,
    *,
    revision: str = "2025-11-25",
    size: int = 100,
    can_push: bool = True,
    catalogue: Catalogue | None = None,
) -> Call:
    request = Request(1, "tools/list", params or {})
    return Call(request, Memory(revision), catalogue or Catalogue("shop", "1.0"), size, can_push)


def test_a_call_knows_its_params_and_its_era() -> None:
    assert call({"a": 1}).params == {"a": 1}
    assert call({"_meta": {"progressToken": 1}}).meta == {"progressToken": 1}
    assert call({"_meta": "x"}).meta == {}
    assert call().meta == {}
    assert not call().is_stateless
    assert call(revision="2026-07-28").is_stateless


@pytest.mark.parametrize(
    ("revision", "can_push", "may"),
    [
        ("2024-11-05", True, False),
        ("2025-06-18", True, False),
        ("2025-11-25", True, True),
        ("2025-11-25", False, False),
        ("2026-07-28", True, False),
    ],
)
def test_only_a_client_that_can_come_back_may_be_sent_away(revision: str, can_push: bool, may: bool) -> None:
    assert call(revision=revision, can_push=can_push).may_hang_up is may


def test_a_client_can_do_what_it_declared() -> None:
    memory = Memory("2025-11-25", capabilities={"sampling": {}})
    asked = Call(Request(1, "ping"), memory, Catalogue("shop", "1.0"), 100, True)
    assert asked.can("sampling")
    assert not asked.can("sampling.tools")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "it is missing"),
        (5, "it is an integer"),
        ([], "it is an array"),
        (True, "it is a boolean"),
        ({}, "it is an object"),
    ],
)
def test_a_param_of_the_wrong_type_is_refused_with_its_name(value: Any, words: str) -> None:
    with pytest.raises(ProtocolError, match=f"tools/list needs 'name', a string; {words}") as refused:
        param(call({"name": value}), "name", str)
    assert refused.value.code == INVALID_PARAMS


def test_a_param_may_have_a_default_that_also_stands_for_null() -> None:
    assert param(call(), "arguments", dict, {"a": 1}) == {"a": 1}
    assert param(call({"arguments": None}), "arguments", dict, {"a": 1}) == {"a": 1}
    assert param(call({"arguments": {}}), "arguments", dict, {"a": 1}) == {}
    with pytest.raises(ProtocolError, match="an object; it is a string"):
        param(call({"arguments": "x"}), "arguments", dict, {})


# ---- Capabilities ----------------------------------------------------------------------------------------------------


def offering(*kinds: str) -> Catalogue:
    catalogue = Catalogue("shop", "1.0")
    if "tools" in kinds:
        catalogue.tool()(lambda: None)
    if "resources" in kinds:
        catalogue.resource("a:b", name="b")(lambda: "")
    if "templates" in kinds:
        catalogue.template("a:{b}", name="b")(lambda b: b)
    complete: dict[str, Completer] = {"x": lambda typed, others: []} if "completions" in kinds else {}
    if "prompts" in kinds:
        catalogue.prompt(complete=complete)(lambda: "")
    return catalogue


CHANGES = {"listChanged": True}


@pytest.mark.parametrize(
    ("kinds", "pushed", "only_answered"),
    [
        ((), {}, {}),
        (("tools",), {"tools": CHANGES}, {"tools": {}}),
        (("resources",), {"resources": {"subscribe": True, **CHANGES}}, {"resources": {}}),
        (("templates",), {"resources": {"subscribe": True, **CHANGES}}, {"resources": {}}),
        (("prompts",), {"prompts": CHANGES}, {"prompts": {}}),
        (("prompts", "completions"), {"prompts": CHANGES, "completions": {}}, {"prompts": {}, "completions": {}}),
    ],
)
def test_only_what_would_work_is_declared(kinds: tuple[str, ...], pushed: Any, only_answered: Any) -> None:
    assert capabilities(call(catalogue=offering(*kinds))) == {**pushed, "logging": {}}
    assert capabilities(call(catalogue=offering(*kinds), can_push=False)) == only_answered


# ---- Pages -----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(1, 45))
def test_following_the_cursor_gives_every_entry_once_at_every_page_size(count: int, size: int) -> None:
    entries = [{"n": n} for n in range(count)]
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    turns = 0
    while turns <= count:
        turns += 1
        answer = page(call(params, size=size), "tools", entries)
        found += answer["tools"]
        assert len(answer["tools"]) <= size
        if "nextCursor" not in answer:
            break
        assert answer["tools"]
        params = {"cursor": answer["nextCursor"]}
    assert found == entries
    assert turns == max(1, -(-count // size))  # and no page too many


def test_a_cursor_of_a_list_that_has_grown_shorter_still_ends() -> None:
    cursor = page(call(size=2), "tools", [{}] * 5)["nextCursor"]
    assert page(call({"cursor": cursor}, size=2), "tools", [{}] * 2) == {"tools": []}


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "not a cursor",
        "é",
        "\ud800",
        b64("after"),
        b64("after "),
        b64("after 0"),
        b64("after -1"),
        b64("after 6"),
        b64("after 1.5"),
        b64("after 1e0"),
        b64("after \u0661"),
        b64("after 2 "),
        b64("after  2"),
        b64("before 2"),
        b64("after " + "9" * 5000),
        b64("after 2")[:-1],
        b64("after 2") + "\n",
        b64("\xff"),
        5,
        0,
        True,
        [],
        {},
        1.5,
    ],
)
def test_a_cursor_that_was_never_given_out_is_refused(cursor: Any) -> None:
    with pytest.raises(ProtocolError, match="list again from the start") as refused:
        page(call({"cursor": cursor}, size=2), "tools", [{}] * 5)
    assert refused.value.code == INVALID_PARAMS


@given(st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode()))
def test_any_cursor_is_a_place_or_a_refusal(cursor: str) -> None:
    try:
        found = page(call({"cursor": cursor}, size=2), "tools", [{}] * 5)
    except ProtocolError:
        return
    assert len(found["tools"]) <= 2


def test_a_cursor_of_null_is_none() -> None:
    assert page(call({"cursor": None}), "tools", [{"n": 1}]) == {"tools": [{"n": 1}]}
