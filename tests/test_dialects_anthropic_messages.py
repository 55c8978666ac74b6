"""Requests in Anthropic's shape: what is refused, in which words, and what a good one is read as."""

from typing import Any

import pytest

from playground.scripted_model.dialects import anthropic_messages
from playground.scripted_model.strict import Refused
from tests.scripted_files import ANTHROPIC_TOOLS, user


def use(identity: Any = "toolu_1", name: Any = "f", value: Any = None, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {} if value is None else value, **more}


def result(identity: Any = "toolu_1", content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


HI = user("hi")
GOOD: list[list[Any]] = [
    [HI],
    [HI, {"role": "assistant", "content": "hello"}, HI],
    [HI, assistant(text("so"), use()), user([result()])],
    [HI, assistant(use(), use("toolu_2")), user([result("toolu_2", is_error=True), result(), text("go on")])],
    [HI, assistant(use()), user([result(content=None)])],
    [HI, assistant({"type": "thinking", "thinking": "x", "signature": "y"}, text("a")), HI],
]
BAD: list[tuple[str, list[Any]]] = [
    ("at least one message", []),
    ("valid dictionary", ["hi"]),
    ('Unexpected role "system"', [{"role": "system", "content": "x"}]),
    ("Input should be 'user' or 'assistant'", [{"role": "tool", "content": "x"}]),
    ("Extra inputs", [{**HI, "name": "x"}]),
    ('first message must use the "user" role', [assistant(text("x"))]),
    ("roles must alternate", [HI, HI]),
    ("roles must alternate", [HI, assistant(text("x")), assistant(text("y"))]),
    ("Field required", [{"role": "user"}]),
    ("non-empty content", [user("")]),
    ("non-empty content", [user([])]),
    ("valid list", [user(5)]),
    ("non-empty", [user([text("")])]),
    ("non-whitespace", [user([text(" \n")])]),
    ("Input tag 'tool_use'", [user([use()])]),
    ("Input tag 'tool_result'", [HI, assistant(result()), HI]),
    ("prefill", [HI, assistant(text("x"))]),
    ("without `tool_result` blocks immediately after: toolu_1", [HI, assistant(use())]),
    ("without `tool_result` blocks immediately after: toolu_1", [HI, assistant(use()), HI]),
    ("immediately after: toolu_2", [HI, assistant(use(), use("toolu_2")), user([result()])]),
    ("unexpected `tool_use_id`", [HI, assistant(text("x")), user([result()])]),
    ("unexpected `tool_use_id`", [user([result()])]),
    ("single result", [HI, assistant(use()), user([result(), result()])]),
    ("must come before", [HI, assistant(use()), user([text("x"), result()])]),
    ("ids must be unique", [HI, assistant(use(), use()), user([result()])]),
    ("tool_use.id: Field required", [HI, assistant(use(None)), HI]),
    ("tool_use.id: String should match", [HI, assistant(use("a b")), HI]),
    ("tool_use.name", [HI, assistant(use(name="a.b")), HI]),
    ("tool_use.input: Input should be a valid dictionary", [HI, assistant(use(value="{}")), HI]),
    ("tool_use.input: Field required", [HI, assistant({"type": "tool_use", "id": "a", "name": "f"}), HI]),
    ("Extra inputs", [HI, assistant(use(index=0)), HI]),
]
BAD_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("model: Field required", {"model": None}),
    ("model: String", {"model": ""}),
    ("max_tokens: Field required", {"max_tokens": None}),
    ("max_tokens: must be greater", {"max_tokens": 0}),
    ("max_tokens: Input should be a valid integer", {"max_tokens": "5"}),
    ("messages: Field required", {"messages": None}),
    ("foo: Extra inputs", {"foo": 1}),
    ("temperature: range", {"temperature": 1.5}),
    ("stream: Input should be a valid boolean", {"stream": "yes"}),
    ("system.0.type", {"system": [{"type": "image"}]}),
    ("system: text content blocks must be non-empty", {"system": [text("")]}),
]


def read(messages: Any, **fields: Any) -> Any:
    return anthropic_messages.read({"model": "m", "max_tokens": 10, "messages": messages, **fields})


@pytest.mark.parametrize("messages", GOOD, ids=range(len(GOOD)))
def test_a_sound_conversation_is_taken(messages: list[Any]) -> None:
    assert read(messages, tools=ANTHROPIC_TOOLS, system="be brief", tool_choice={"type": "auto"}).system == "be brief"


def test_at_least_forty_kinds_of_requests_are_refused() -> None:
    assert len(BAD) + len(BAD_FIELDS) >= 40


@pytest.mark.parametrize(("words", "messages"), BAD, ids=range(len(BAD)))
def test_a_broken_conversation_is_refused(words: str, messages: list[Any]) -> None:
    with pytest.raises(Refused, match=words):
        read(messages)


@pytest.mark.parametrize(("words", "fields"), BAD_FIELDS, ids=range(len(BAD_FIELDS)))
def test_a_bad_field_is_refused(words: str, fields: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=words):
        anthropic_messages.read({"model": "m", "max_tokens": 10, "messages": [HI], **fields})


def test_a_conversation_becomes_questions_rounds_and_outcomes() -> None:
    messages = [
        HI,
        assistant(text("hm"), use(value={"a": 1}), use("toolu_2", "g")),
        user([result("toolu_2", [text("two")], is_error=True), result(content="one")]),
        assistant(text("reply")),
        user("second"),
    ]
    prompt = read(messages, system=[text("a"), text("b")])
    first, second = prompt.questions
    assert (first.reply, second.text, prompt.system) == ("reply", "second", "a\nb")
    assert [(one.call.name, one.text, one.flagged) for one in first.rounds[0].outcomes] == [
        ("f", "one", False),
        ("g", "two", True),
    ]
    assert first.rounds[0].calls[0].parsed == {"a": 1}
