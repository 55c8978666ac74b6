"""Tools in OpenAI's shape."""

from typing import Any

import pytest

from playground.scripted_model.dialects.openai_tools import choice_of, tools_of
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Tool


def function(name: Any = "f", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}, **more}}


BAD: list[tuple[str, Any]] = [
    ("empty array", []),
    ("expected an array", {}),
    ("too long", [function(f"f{n}") for n in range(129)]),
    ("expected an object", ["f"]),
    ("tools\\[0\\].type", [{"function": {}}]),
    ("Supported values", [{**function(), "type": "web"}]),
    ("tools\\[0\\].function", [{"type": "function"}]),
    ("Unknown parameter", [{**function(), "name": "f"}]),
    ("Unknown parameter", [function(outputSchema={})]),
    ("expected a string", [function(None)]),
    ("pattern", [function("a.b")]),
    ("maximum length 64", [function("x" * 65)]),
    ("maximum length 1024", [function(description="x" * 1025)]),
    ("Invalid schema for function 'f'", [function(parameters={"type": "string"})]),
    ("missing items", [function(parameters={"type": "object", "properties": {"a": {"type": "array"}}})]),
    ("unique", [function(), function()]),
]


@pytest.mark.parametrize(("words", "tools"), BAD, ids=range(len(BAD)))
def test_a_bad_offer_is_refused(words: str, tools: Any) -> None:
    with pytest.raises(Refused, match=words):
        tools_of({"tools": tools}, is_ollama=False)


def test_good_offers_are_taken() -> None:
    assert tools_of({}, is_ollama=False) == ()
    assert tools_of({"tools": []}, is_ollama=True) == ()
    assert len(tools_of({"tools": [function(f"f{n}") for n in range(128)]}, is_ollama=False)) == 128
    (bare,) = tools_of({"tools": [{"type": "function", "function": {"name": "f", "strict": False}}]}, is_ollama=False)
    assert bare == Tool("f")
    (odd,) = tools_of({"tools": [function(description="x" * 2000, extra=1)]}, is_ollama=True)
    assert len(odd.description) == 2000


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (None, (True, None)),
        ("auto", (True, None)),
        ("none", (False, None)),
        ("required", (True, "")),
        ({"type": "function", "function": {"name": "f"}}, (True, "f")),
    ],
)
def test_a_choice_is_read(choice: Any, wanted: tuple[bool, str | None]) -> None:
    assert choice_of({"tool_choice": choice}, [Tool("f")], is_ollama=False) == wanted
    assert choice_of({"tool_choice": choice}, [Tool("f")], is_ollama=True) == (True, None)


@pytest.mark.parametrize("choice", ["any", 5, {"type": "function", "function": {"name": "g"}}, {}])
def test_a_bad_choice_is_refused(choice: Any) -> None:
    with pytest.raises(Refused):
        choice_of({"tool_choice": choice}, [Tool("f")], is_ollama=False)


@pytest.mark.parametrize("field", [{"tool_choice": "auto"}, {"parallel_tool_calls": True}])
def test_choices_need_tools(field: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="only allowed when 'tools'"):
        choice_of(field, [], is_ollama=False)
