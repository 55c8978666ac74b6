"""Sealed states: what comes back is what went out, for the same request, in time; nothing else opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core.messages import INVALID_PARAMS, ProtocolError
from mcp_core.sealing import LIFETIME, Seal

ABOUT = ["tools/call", {"name": "greet", "arguments": {"city": "Rome", "n": 1}}]


def at(seconds: float, secret: bytes = b"secret") -> Seal:
    return Seal(secret, lambda: seconds)


def refused(opening: Callable[[], Any]) -> str:
    with pytest.raises(ProtocolError) as error:
        opening()
    assert error.value.code == INVALID_PARAMS
    return error.value.message


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_a_sealed_value_comes_back_as_it_was(value: Any) -> None:
    state = at(0).close({"value": value}, ABOUT)
    assert state.isascii()
    assert at(0).open(state, ABOUT) == {"value": value}


def test_the_order_of_arguments_is_no_part_of_the_request() -> None:
    state = at(0).close(1, {"a": 1, "b": 2})
    assert at(0).open(state, {"b": 2, "a": 1}) == 1


@pytest.mark.parametrize(
    "other",
    [
        ["prompts/get", ABOUT[1]],
        ["tools/call", {"name": "greet", "arguments": {"city": "Paris", "n": 1}}],
        ["tools/call", {"name": "delete", "arguments": {"city": "Rome", "n": 1}}],
        ["tools/call", {"name": "greet", "arguments": {"city": "Rome", "n": "1"}}],
        ["tools/call", {"name": "greet", "arguments": {"city": "Rome", "n": 1, "more": None}}],
        ["tools/call", {"name": "greet", "arguments": {"city": "Rome"}}],
        [],
        None,
    ],
)
def test_a_state_opens_for_no_other_request(other: Any) -> None:
    assert "for this request" in refused(lambda: at(0).open(at(0).close({"a": 1}, ABOUT), other))


def test_a_state_opens_with_no_other_secret() -> None:
    assert "for this request" in refused(lambda: at(0, b"other").open(at(0).close({}, ABOUT), ABOUT))


def test_a_state_opens_until_it_expires() -> None:
    state = at(1000).close("x", ABOUT)
    assert at(1000 + LIFETIME).open(state, ABOUT) == "x"
    assert "expired" in refused(lambda: at(1000 + LIFETIME + 0.001).open(state, ABOUT))


def test_every_altered_character_is_noticed() -> None:
    seal = at(0)
    state = seal.close({"name": "Ana"}, ABOUT)
    for place, character in enumerate(state):
        before, after = state[:place], state[place + 1 :]
        others = {"A", "z", "=", ".", "\ud800", "é", chr(ord(character) ^ 1), "", "A" + character} - {character}
        for altered in (before, *(before + other + after for other in others)):
            refused(partial(seal.open, altered, ABOUT))


def test_parts_of_two_states_make_no_third() -> None:
    seal = at(0)
    one, two = seal.close("one", ABOUT).split("."), seal.close("two", ABOUT).split(".")
    refused(lambda: seal.open(".".join([one[0], one[1], two[2]]), ABOUT))
    refused(lambda: seal.open(".".join([one[0], two[1], one[2]]), ABOUT))


@pytest.mark.parametrize(
    "state", ["", ".", "..", "v1", "v1.", "v1..", "v1.e30.", "v2.a.b", None, 5, True, [], {}, "\ud800"]
)
def test_what_was_never_a_state_is_refused(state: Any) -> None:
    assert "for this request" in refused(lambda: at(0).open(state, ABOUT))


@given(st.text())
def test_any_text_is_refused_and_nothing_worse(text: str) -> None:
    refused(lambda: at(0).open(text, ABOUT))
    refused(lambda: at(0).open(f"v1.{text}", ABOUT))
    refused(lambda: at(0).open(f"v1.{text}.{text}", ABOUT))
