"""Requests in OpenAI's shape: what is refused, in which words, and what a good one is read as."""

from typing import Any

import pytest

from playground.scripted_model.dialects import openai_messages
from playground.scripted_model.strict import Refused
from tests.scripted_files import OPENAI_TOOLS, user


def call(identity: Any = "call_1", name: Any = "f", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def assistant(*calls: Any, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def tool(identity: Any = "call_1", content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": content}


HI = user("hi")
GOOD: list[list[Any]] = [
    [HI],
    [{"role": "system", "content": "be brief"}, HI],
    [{"role": "developer", "content": [{"type": "text", "text": "x"}]}, HI],
    [HI, {"role": "assistant", "content": "hello"}, user("again")],
    [HI, assistant(call()), tool()],
    [
        HI,
        assistant(call(), call("call_2"), content=""),
        tool("call_2"),
        tool(),
        {"role": "assistant", "content": "done"},
    ],
    [user([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}])],
    [HI, {"role": "assistant", "content": None, "refusal": "no"}, HI],
    [user("")],
    [
        HI,
        assistant(call()),
        tool(content=[{"type": "text", "text": "x"}]),
        user([{"type": "image_url", "image_url": {"url": "https://x/y"}}]),
    ],
]
BAD: list[tuple[str, list[Any]]] = [
    ("empty array", []),
    ("expected an object", ["hi"]),
    ("messages\\[0\\].role", [{"content": "x"}]),
    ("Supported values", [{"role": "robot", "content": "x"}]),
    ("Supported values", [{"role": "function", "content": "x", "name": "f"}]),
    ("Unknown parameter: 'messages\\[0\\].mood'", [{**HI, "mood": "good"}]),
    ("expected a string, got null", [{"role": "user", "content": None}]),
    ("expected a string, got integer", [{"role": "user", "content": 5}]),
    ("expected a string, got null", [{"role": "system"}, HI]),
    ("empty array", [user([])]),
    ("Supported values are: 'text'", [user([{"type": "video"}])]),
    ("data URL", [user([{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}])]),
    ("expected an object", [user([{"type": "image_url"}])]),
    ("expected an object", [user([{"type": "file"}])]),
    ("expected a string, got null", [HI, {"role": "assistant", "content": None}]),
    ("empty array", [HI, assistant()]),
    ("expected an array", [HI, {"role": "assistant", "tool_calls": "f"}]),
    ("did not have response messages: call_1", [HI, assistant(call())]),
    ("did not have response messages: call_1", [HI, assistant(call()), user("go on"), tool()]),
    ("did not have response messages: call_2", [HI, assistant(call(), call("call_2")), tool(), HI]),
    ("did not have response messages", [HI, assistant(call()), {"role": "system", "content": "x"}, tool()]),
    ("preceeding message", [HI, tool()]),
    ("preceeding message", [HI, assistant(call()), tool(), tool()]),
    ("not found in 'tool_calls'", [HI, assistant(call()), tool("call_9")]),
    ("not found in 'tool_calls'", [HI, assistant(call(), call("call_2")), tool(), tool()]),
    ("Missing parameter 'tool_call_id'", [HI, assistant(call()), {"role": "tool", "content": "x"}]),
    ("expected a string, got null", [HI, assistant(call()), tool(content=None)]),
    ("Supported values are: 'text'", [HI, assistant(call()), tool(content=[{"type": "image_url"}])]),
    ("more than once", [HI, assistant(call(), call()), tool()]),
    ("expected an object", [HI, assistant("f")]),
    ("tool_calls\\[0\\].id", [HI, assistant({"type": "function", "function": {}})]),
    ("expected a string, but got null", [HI, assistant(call(None))]),
    ("too short", [HI, assistant(call(""))]),
    ("too long", [HI, assistant(call("x" * 65))]),
    ("tool_calls\\[0\\].index", [HI, assistant(call(index=0))]),
    ("Supported values are: 'function'", [HI, assistant({**call(), "type": "web"})]),
    ("does not match pattern", [HI, assistant(call(name="a.b"))]),
    ("expected a string, but got an object", [HI, assistant(call(arguments={}))]),
    ("JSON text of an object", [HI, assistant(call(arguments=""))]),
    ("JSON text of an object", [HI, assistant(call(arguments='{"a":'))]),
    ("JSON text of an object", [HI, assistant(call(arguments="[]"))]),
    ("JSON text of an object", [HI, assistant(call(arguments="null"))]),
    ("arguments", [HI, assistant({"id": "a", "type": "function", "function": {"name": "f"}})]),
]
BAD_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("model parameter", {"model": ""}),
    ("model parameter", {"model": None}),
    ("expected a string", {"model": 5}),
    ("expected an array", {"messages": "hi"}),
    ("Unknown parameter: 'foo'", {"foo": 1}),
    ("decimal above maximum", {"temperature": 3}),
    ("expected an integer", {"max_tokens": "5"}),
    ("integer below minimum", {"max_completion_tokens": 0}),
    ("expected a boolean", {"stream": "yes"}),
    ("only allowed when 'stream'", {"stream_options": {}}),
    ("expected an object", {"stream": True, "stream_options": 5}),
    ("only allowed when 'tools'", {"tool_choice": "auto"}),
]


def read(messages: Any, *, is_ollama: bool = False, **fields: Any) -> Any:
    return openai_messages.read({"model": "m", "messages": messages, **fields}, is_ollama=is_ollama)


@pytest.mark.parametrize("messages", GOOD, ids=range(len(GOOD)))
@pytest.mark.parametrize("is_ollama", [False, True])
def test_a_sound_conversation_is_taken(messages: list[Any], is_ollama: bool) -> None:
    assert read(messages, is_ollama=is_ollama, tools=OPENAI_TOOLS).model == "m"


def test_at_least_forty_kinds_of_requests_are_refused() -> None:
    assert len(BAD) + len(BAD_FIELDS) >= 40


@pytest.mark.parametrize(("words", "messages"), BAD, ids=range(len(BAD)))
def test_a_broken_conversation_is_refused(words: str, messages: list[Any]) -> None:
    with pytest.raises(Refused, match=words):
        read(messages)


@pytest.mark.parametrize(("words", "fields"), BAD_FIELDS, ids=range(len(BAD_FIELDS)))
def test_a_bad_field_is_refused(words: str, fields: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=words):
        openai_messages.read({"model": "m", "messages": [HI], **fields})


def test_without_messages_there_is_no_prompt() -> None:
    with pytest.raises(Refused, match="'messages'"):
        openai_messages.read({"model": "m"})


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        ("invalid message content type: <nil>", [{"role": "user", "content": None}]),
        ("invalid message content type: float64", [{"role": "user", "content": 5}]),
        ("invalid message content type: map", [{"role": "user", "content": {}}]),
        ("invalid tool call arguments", [HI, assistant(call(arguments=""))]),
        ("did not have response", [HI, assistant(call()), HI]),
    ],
)
def test_ollama_refuses_in_its_own_words(words: str, messages: list[Any]) -> None:
    with pytest.raises(Refused, match=words):
        read(messages, is_ollama=True)


def test_ollama_overlooks_what_it_does_not_know() -> None:
    messages = [HI, assistant(call(index=0), content="", reasoning="hm"), tool(), assistant(content="x")]
    prompt = read(messages, is_ollama=True, foo=1, tools=[], tool_choice="none", stream_options={})
    assert prompt.tools == ()
    assert prompt.may_call


def test_a_conversation_becomes_questions_rounds_and_outcomes() -> None:
    messages = [
        {"role": "system", "content": "be brief"},
        user("[2 earlier turns left out]\nfirst"),
        assistant(call(name="f"), call("call_2", "g"), content="hm"),
        tool("call_2", "two"),
        tool("call_1", "one"),
        {"role": "assistant", "content": "reply"},
        user("second"),
        assistant(call("call_3")),
        tool("call_3"),
        user([{"type": "image_url", "image_url": {"url": "https://x/y"}}]),
    ]
    prompt = read(messages, stream=True, stream_options={"include_usage": True}, max_tokens=5)
    first, second = prompt.questions
    assert (first.text, first.reply, second.text, prompt.system) == ("first", "reply", "second", "be brief")
    assert [(one.call.name, one.text) for one in first.rounds[0].outcomes] == [("g", "two"), ("f", "one")]
    assert len(second.rounds[0].outcomes) == 1
    assert (prompt.is_streamed, prompt.wants_usage, prompt.max_tokens) == (True, True, 5)


def test_the_digest_follows_from_the_conversation_alone() -> None:
    assert read([HI]).digest == read([HI], temperature=0.5).digest
    assert read([HI]).digest != read([HI, {"role": "assistant", "content": "x"}, HI]).digest


def test_calls_before_the_first_question_belong_to_none() -> None:
    assert read([assistant(call()), tool(), {"role": "assistant", "content": "x"}]).questions == ()
