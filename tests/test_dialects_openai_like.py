"""OpenAI's dialect, judged by its own SDK with strict validation, and looked at frame by frame."""

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from playground.scripted_model import ScriptedModel
from playground.scripted_model.dialects import Listing, Stamp
from playground.scripted_model.dialects.openai_like import OpenAI, made_id, pieces_of, present
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import ABSENT, Answer, Call, Prompt
from tests.scripted_files import OPENAI_TOOLS, TUTORIAL, Disk, send, user

DIALECTS = ("openai", "ollama", "ollama-old")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(key="sk-right") as running:
        yield running


def the_sdk() -> Any:
    """Imported by who uses it: it takes a second, and each worker that collects the tests would pay."""
    return importlib.import_module("openai")


def client(base: str, key: str = "sk-right") -> Any:
    return the_sdk().OpenAI(base_url=base, api_key=key, max_retries=0, _strict_response_validation=True)


def converse(base: str, text: str, disk: Disk, *, is_streamed: bool) -> str:
    """A host as the SDK's users write it: echo the message, answer its calls, until there are none."""
    messages: list[Any] = [user(text)]
    asked: dict[str, Any] = {"model": "scripted", "tools": OPENAI_TOOLS}
    with client(base) as sdk:
        for _ in range(10):
            message: Any
            if is_streamed:
                with sdk.chat.completions.stream(
                    messages=messages, stream_options={"include_usage": True}, **asked
                ) as stream:
                    message = stream.get_final_completion().choices[0].message
            else:
                message = sdk.chat.completions.create(messages=messages, **asked).choices[0].message
            if not message.tool_calls:
                return str(message.content)
            echoed = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in message.tool_calls
            ]
            messages.append({"role": "assistant", "content": message.content, "tool_calls": echoed})
            messages += [
                {
                    "role": "tool",
                    "tool_call_id": call.id,
                    "content": disk.run(call.function.name, json.loads(call.function.arguments)),
                }
                for call in message.tool_calls
            ]
    return "(still calling)"


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_sdk_takes_a_whole_conversation(model: ScriptedModel, dialect: str, is_streamed: bool) -> None:
    disk = Disk()
    said = converse(model.start(dialect), TUTORIAL, disk, is_streamed=is_streamed)
    assert "1 time" in said
    assert disk["notes.txt"].count("TODO") == 1
    assert not model.refused
    assert len(model.requests) == 3


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("dialect", ["openai", "ollama"])
def test_the_sdk_takes_calls_that_are_made_at_once(model: ScriptedModel, dialect: str, is_streamed: bool) -> None:
    disk = Disk({"a.txt": "one <b>&", "b.txt": "two"})
    said = converse(model.start(dialect), "read a.txt and b.txt", disk, is_streamed=is_streamed)
    assert "one <b>&" in said
    assert "two" in said
    assert len(model.requests) == 2


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_sdk_takes_the_chunks_and_the_list_of_models(model: ScriptedModel, dialect: str) -> None:
    base = model.start(dialect)
    with client(base) as sdk:
        chunks = list(
            sdk.chat.completions.create(model="scripted", messages=[{"role": "user", "content": "hi"}], stream=True)
        )
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks).startswith("Hello!")
        assert chunks[-1].choices[0].finish_reason == "stop"
        assert len({chunk.id for chunk in chunks}) == 1
        names = [one.id for one in sdk.models.list()]
        assert any(name.startswith("scripted") for name in names)
        assert sdk.models.retrieve("scripted").id.startswith("scripted")


@pytest.mark.parametrize(
    ("fields", "key", "error"),
    [
        ({"model": "nobody"}, "sk-right", "NotFoundError"),
        ({}, "sk-wrong", "AuthenticationError"),
        ({"messages": [user(None)]}, "sk-right", "BadRequestError"),
        ({"model": "rate-limit"}, "sk-right", "RateLimitError"),
        ({"model": "server-error"}, "sk-right", "InternalServerError"),
        ({"model": "refused-key"}, "sk-right", "AuthenticationError"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_sdk_knows_the_errors(
    model: ScriptedModel, dialect: str, fields: dict[str, Any], key: str, error: str
) -> None:
    with client(model.start(dialect), key) as sdk, pytest.raises(getattr(the_sdk(), error)):
        sdk.chat.completions.create(**{"model": "scripted", "messages": [user("hi")], **fields})


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/chat/completions", {"model": "nobody", "messages": [user("x")]}, 404, "model_not_found"),
        (
            "/v1/chat/completions",
            {"model": "scripted", "messages": [user("x" * 600_000)]},
            400,
            "context_length_exceeded",
        ),
        ("/v1/chat/completions", [], 400, None),
        ("/v1/chat/completions", b"{", 400, None),
        ("/v1/completions", {}, 404, None),
        ("/v1/models/nobody", None, 404, "model_not_found"),
    ],
)
def test_errors_have_the_shape_of_openai(path: str, body: Any, status: int, code: str | None) -> None:
    with ScriptedModel() as model:
        reply = send(model.start("openai"), path, body)
    assert reply.status == status
    error = reply.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] == code


def test_a_key_is_needed_and_the_right_one() -> None:
    dialect = OpenAI()
    dialect.authorize({"authorization": "Bearer any"}, None)
    dialect.authorize({"authorization": "Bearer a"}, "a")
    for headers, key in (
        ({}, None),
        ({"authorization": "Basic x"}, None),
        ({"authorization": "Bearer  "}, None),
        ({"authorization": "Bearer b"}, "a"),
    ):
        with pytest.raises(Refused) as caught:
            dialect.authorize(headers, key)
        assert dialect.error(caught.value)[0] == 401
        assert dialect.error(caught.value)[1]["error"]["code"] == "invalid_api_key"


def stamp(**fields: Any) -> Stamp:
    return Stamp(5, Prompt("m", digest="abc", **fields))


def frames(answer: Answer, **fields: Any) -> list[Any]:
    sent = list(OpenAI().frames(answer, stamp(**fields)))
    assert sent[-1] == "data: [DONE]\n\n"
    return [json.loads(one.removeprefix("data: ")) for one in sent[:-1]]


def test_a_streamed_call_comes_in_pieces_after_its_name() -> None:
    first, *pieces, last = frames(
        Answer(calls=(Call.of("f", {"path": "a long name.txt"}), Call.of("g", {})), finish="tool_calls")
    )
    delta = first["choices"][0]["delta"]
    assert delta["content"] is None
    assert delta["tool_calls"][0]["function"] == {"name": "f", "arguments": ""}
    calls = [piece["choices"][0]["delta"]["tool_calls"][0] for piece in pieces]
    assert {call["index"] for call in calls} == {0, 1}
    assert (
        "".join(call["function"]["arguments"] for call in calls if call["index"] == 0) == '{"path":"a long name.txt"}'
    )
    assert last["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "tool_calls"}


def test_usage_is_streamed_only_when_wanted() -> None:
    assert all("usage" not in one for one in frames(Answer("x")))
    *chunks, last = frames(Answer("x"), wants_usage=True)
    assert all(one["usage"] is None for one in chunks)
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] == 2


def test_odd_calls_are_shown_as_they_are() -> None:
    answer = Answer(calls=(Call("f", None, None), Call("g", ABSENT, ABSENT)), finish="tool_calls")
    first, second = OpenAI().whole(answer, stamp())["choices"][0]["message"]["tool_calls"]
    assert first == {"id": None, "type": "function", "function": {"name": "f", "arguments": None}}
    assert second == {"type": "function", "function": {"name": "g"}}
    assert frames(answer)[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] is None


def test_small_parts() -> None:
    assert made_id(stamp(), 0, 8) == made_id(stamp(), 0, 8) != made_id(stamp(), 1, 8)
    assert pieces_of("abcde", 2) == ["ab", "cd", "e"]
    assert present({"a": ABSENT, "b": None}) == {"b": None}
    assert OpenAI().get("/", Listing({}, 0)) is None
    assert OpenAI().post("/v1/x", {}, Listing({}, 0)) is None
    assert "error" in OpenAI().broken_frame(Refused("x", kind="server"), stamp())
