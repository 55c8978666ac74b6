"""The parts of a message in OpenAI's shape."""

from typing import Any

import pytest

from playground.scripted_model.dialects.openai_parts import call_of, content_of, kind_of_go
from playground.scripted_model.strict import Refused


def test_text_parts_are_put_together_and_pictures_leave_no_text() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}
    parts = [{"type": "text", "text": "a"}, picture, {"type": "text", "text": "b"}]
    assert content_of({"content": parts}, "user", "m", is_ollama=False) == "a\n\nb"


@pytest.mark.parametrize(
    ("role", "part"),
    [
        ("assistant", {"type": "image_url"}),
        ("tool", {"type": "refusal"}),
        ("user", {"type": "text"}),
        ("user", "x"),
        ("user", {"type": "input_audio"}),
    ],
)
def test_a_part_that_a_role_may_not_use_is_refused(role: str, part: Any) -> None:
    with pytest.raises(Refused):
        content_of({"content": [part]}, role, "m", is_ollama=False)


@pytest.mark.parametrize(
    ("value", "name"), [(True, "bool"), (5, "float64"), (5.5, "float64"), ({}, "map[string]interface {}")]
)
def test_types_are_named_as_go_names_them(value: Any, name: str) -> None:
    assert kind_of_go(value) == name


def test_a_call_is_read() -> None:
    call = call_of(
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}, "c", is_ollama=False
    )
    assert (call.id, call.name, call.parsed) == ("a", "f", {"x": 1})


def test_ollama_needs_no_type_and_takes_an_index() -> None:
    call = call_of({"id": "a", "index": 0, "function": {"name": "f", "arguments": "{}"}}, "c", is_ollama=True)
    assert call.id == "a"
