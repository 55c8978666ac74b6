"""Tools and blocks in Anthropic's shape."""

from typing import Any

import pytest

from playground.scripted_model.dialects.anthropic_parts import check, choice_of, text_of, tools_of, typed
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Tool

OBJECT = {"type": "object"}
BAD: list[tuple[str, Any]] = [
    ("valid list", {}),
    ("valid dictionary", ["f"]),
    ("expected tags: 'custom'", [{"type": "bash", "name": "f", "input_schema": OBJECT}]),
    ("Extra inputs", [{"name": "f", "input_schema": OBJECT, "parameters": {}}]),
    ("name: Field required", [{"input_schema": OBJECT}]),
    ("String should match pattern", [{"name": "a.b", "input_schema": OBJECT}]),
    ("input_schema: Field required", [{"name": "f"}]),
    ("input_schema.type: Field required", [{"name": "f", "input_schema": {}}]),
    ("Input should be 'object'", [{"name": "f", "input_schema": {"type": "string"}}]),
    ("oneOf, allOf, or anyOf", [{"name": "f", "input_schema": {**OBJECT, "anyOf": []}}]),
    ("JSON schema is invalid", [{"name": "f", "input_schema": {**OBJECT, "properties": {"a": {"type": "x"}}}}]),
    ("must be unique", [{"name": "f", "input_schema": OBJECT}] * 2),
    ("at most 128", [{"name": f"f{n}", "input_schema": OBJECT} for n in range(129)]),
]


@pytest.mark.parametrize(("words", "tools"), BAD, ids=range(len(BAD)))
def test_a_bad_offer_is_refused(words: str, tools: Any) -> None:
    with pytest.raises(Refused, match=words):
        tools_of(tools)


def test_good_offers_are_taken() -> None:
    assert tools_of(None) == tools_of([]) == ()
    assert tools_of([{"type": "custom", "name": "f", "input_schema": OBJECT}]) == (Tool("f", "", OBJECT),)


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (None, (True, None, True)),
        ({"type": "auto", "disable_parallel_tool_use": True}, (True, None, False)),
        ({"type": "any"}, (True, "", True)),
        ({"type": "none"}, (False, None, True)),
        ({"type": "tool", "name": "f"}, (True, "f", True)),
    ],
)
def test_a_choice_is_read(choice: Any, wanted: tuple[bool, str | None, bool]) -> None:
    assert choice_of(choice, [Tool("f")]) == wanted


@pytest.mark.parametrize("choice", ["auto", {"type": "required"}, {"type": "tool", "name": "g"}])
def test_a_bad_choice_is_refused(choice: Any) -> None:
    with pytest.raises(Refused, match="tool_choice"):
        choice_of(choice, [Tool("f")])


def test_a_choice_needs_tools() -> None:
    with pytest.raises(Refused, match="providing tools"):
        choice_of({"type": "auto"}, [])


def image(**source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


def result(*content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "a", "content": list(content), **more}


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (image(type="base64", media_type="image/bmp", data="AA=="), "media_type"),
        (image(type="base64", media_type="image/png", data="%%"), "decode"),
        (image(type="file"), "Input tag 'file'"),
        (image(type="url"), "url"),
        ({"type": "image"}, "source"),
        (result({"type": "text", "text": ""}), "non-empty"),
        (result({"type": "audio"}), "Input tag 'audio'"),
        (result(image(type="file")), "Input tag 'file'"),
        (result(is_error="yes"), "is_error"),
        ({"type": "tool_result", "content": "x"}, "tool_use_id: Field required"),
    ],
)
def test_a_bad_block_is_refused(block: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        check(block, "user", "messages.0.content.0")


@pytest.mark.parametrize(
    "block",
    [
        image(type="base64", media_type="image/png", data="AAAA"),
        image(type="url", url="https://x.example/a.png"),
        result({"type": "text", "text": "x"}, image(type="base64", media_type="image/png", data="AAAA")),
        {"type": "document", "source": {}},
    ],
)
def test_a_good_block_is_taken(block: Any) -> None:
    check(block, "user", "messages.0.content.0")


def test_types_and_texts() -> None:
    assert typed(1.5, (int, float), "x") == 1.5
    assert text_of({"text": "a"}, "x", "y") == "a"
    with pytest.raises(Refused, match="valid integer"):
        typed(True, int, "x")
