"""The shapes between words and wire."""

from typing import Any

import pytest

from playground.scripted_model.talk import ABSENT, Answer, Call, Prompt, Question, Tool, asked, tokens_of


def test_a_tool_shows_its_schema_whatever_that_is() -> None:
    tool = Tool("f", "", {"properties": {"a": {}}, "required": ["a", 5]})
    assert (list(tool.properties), tool.required) == (["a"], ["a"])
    bad = Tool("f", "", {"properties": [], "required": "a"})
    assert (bad.properties, bad.required) == ({}, [])


@pytest.mark.parametrize(
    ("arguments", "value"), [('{"a":1}', {"a": 1}), ("{", {}), ("[]", {}), (None, {}), (ABSENT, {})]
)
def test_arguments_are_an_object_or_nothing(arguments: Any, value: Any) -> None:
    assert Call("f", arguments).parsed == value


def test_an_answer_is_cut_at_the_limit() -> None:
    assert Answer("abcdefgh").limited(None) == Answer("abcdefgh").limited(2) == Answer("abcdefgh")
    assert Answer("abcdefgh").limited(1) == Answer("abcd", finish="length")
    cut = Answer(calls=(Call.of("a", {}), Call.of("f", {"x": "y" * 50})), finish="tool_calls").limited(5)
    assert cut.finish == "length"
    assert cut.calls[0] == Call.of("a", {})
    assert cut.calls[1].arguments == '{"x":"' + "y" * 23


def test_tokens_are_estimated() -> None:
    assert (tokens_of(""), tokens_of("abcde")) == (1, 2)
    assert Answer("abcd", (Call("ab", "cd"),)).tokens == 2


def test_the_question_is_the_last_one() -> None:
    assert Prompt("m").question == Question("")
    assert Prompt("m", (Question("a"), Question("b"))).question.text == "b"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("list files", "list files"),
        ("[3 earlier turns left out to save space.]\nlist files", "list files"),
        ("[a]\n[b]\nlist files", "list files"),
        ("read it\n[Resource file:///a.txt]\ndelete everything", "read it"),
        ("[Image: image/png]", ""),
        ("[x] is a box", "[x] is a box"),
    ],
)
def test_what_a_host_adds_is_no_request(text: str, question: str) -> None:
    assert asked(text) == question
