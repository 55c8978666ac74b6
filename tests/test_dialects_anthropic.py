"""Anthropic's dialect, judged by its own SDK with strict validation, and looked at event by event."""

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from playground.scripted_model import ScriptedModel
from playground.scripted_model.dialects import Listing, Stamp
from playground.scripted_model.dialects.anthropic import Anthropic
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import ABSENT, Answer, Call, Prompt
from tests.scripted_files import ANTHROPIC_TOOLS, TUTORIAL, Disk, send, user


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(key="right") as running:
        yield running


def the_sdk() -> Any:
    """Imported by who uses it: it takes a second, and each worker that collects the tests would pay."""
    return importlib.import_module("anthropic")


def client(base: str, key: str = "right") -> Any:
    return the_sdk().Anthropic(base_url=base, api_key=key, max_retries=0, _strict_response_validation=True)


def converse(base: str, text: str, disk: Disk, *, is_streamed: bool, model: str = "scripted") -> str:
    messages: list[Any] = [user(text)]
    asked: dict[str, Any] = {
        "model": model,
        "max_tokens": 1000,
        "tools": ANTHROPIC_TOOLS,
        "tool_choice": {"type": "auto"},
    }
    with client(base) as sdk:
        for _ in range(10):
            message: Any
            if is_streamed:
                with sdk.messages.stream(messages=messages, **asked) as stream:
                    message = stream.get_final_message()
            else:
                message = sdk.messages.create(messages=messages, **asked)
            uses = [block for block in message.content if block.type == "tool_use"]
            if not uses:
                return "".join(block.text for block in message.content if block.type == "text")
            messages.append(
                {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}
            )
            results = [
                {"type": "tool_result", "tool_use_id": use.id, "content": disk.run(use.name, use.input)} for use in uses
            ]
            messages.append({"role": "user", "content": results})
    return "(still calling)"


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("name", ["scripted", "thinks-aloud", "text-and-call"])
def test_the_sdk_takes_a_whole_conversation(model: ScriptedModel, name: str, is_streamed: bool) -> None:
    disk = Disk()
    said = converse(model.start("anthropic"), TUTORIAL, disk, is_streamed=is_streamed, model=name)
    assert "1 time" in said
    assert disk["notes.txt"].count("TODO") == 1
    assert not model.refused


@pytest.mark.parametrize("is_streamed", [False, True])
def test_the_sdk_takes_calls_that_are_made_at_once(model: ScriptedModel, is_streamed: bool) -> None:
    said = converse(
        model.start("anthropic"),
        "read a.txt and b.txt",
        Disk({"a.txt": "one", "b.txt": "two"}),
        is_streamed=is_streamed,
    )
    assert "one" in said
    assert "two" in said
    assert len(model.requests) == 2


def test_the_sdk_takes_the_models_and_counts_tokens(model: ScriptedModel) -> None:
    with client(model.start("anthropic")) as sdk:
        assert "scripted" in [one.id for one in sdk.models.list()]
        assert sdk.models.retrieve("scripted").max_input_tokens == 200_000
        assert (
            sdk.messages.count_tokens(model="scripted", messages=[{"role": "user", "content": "hello"}]).input_tokens
            > 5
        )


@pytest.mark.parametrize(
    ("fields", "key", "error"),
    [
        ({"model": "nobody"}, "right", "NotFoundError"),
        ({}, "wrong", "AuthenticationError"),
        ({"max_tokens": 0}, "right", "BadRequestError"),
        ({"model": "rate-limit"}, "right", "RateLimitError"),
        ({"model": "server-error"}, "right", "InternalServerError"),
        ({"messages": [user("x" * 900_000)]}, "right", "BadRequestError"),
    ],
)
def test_the_sdk_knows_the_errors(model: ScriptedModel, fields: dict[str, Any], key: str, error: str) -> None:
    with client(model.start("anthropic"), key) as sdk, pytest.raises(getattr(the_sdk(), error)):
        sdk.messages.create(**{"model": "scripted", "max_tokens": 10, "messages": [user("hi")], **fields})


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "kind"),
    [
        ("/v1/messages", {}, {}, 400, "invalid_request_error"),
        ("/v1/messages", [], {}, 400, "invalid_request_error"),
        ("/v1/messages", {}, {"anthropic_version": ""}, 400, "invalid_request_error"),
        ("/v1/messages", {}, {"Authorization": ""}, 401, "authentication_error"),
        (
            "/v1/messages",
            {"model": "overloaded", "max_tokens": 5, "messages": [user("x")]},
            {},
            529,
            "overloaded_error",
        ),
        ("/v1/messages/count_tokens", [], {}, 400, "invalid_request_error"),
        ("/v1/messages/other", {}, {}, 404, "not_found_error"),
        ("/v1/models/nobody", None, {}, 404, "not_found_error"),
        ("/nowhere", None, {}, 404, "not_found_error"),
        ("/v1/messages", None, {}, 405, "invalid_request_error"),
    ],
)
def test_errors_have_the_shape_of_anthropic(
    path: str, body: Any, headers: dict[str, str], status: int, kind: str
) -> None:
    with ScriptedModel() as model:
        reply = send(model.start("anthropic"), path, body, **headers)
    assert (reply.status, reply.json["type"], reply.json["error"]["type"]) == (status, "error", kind)


def test_both_kinds_of_keys_are_taken() -> None:
    version = {"anthropic-version": "2026-10-21"}
    Anthropic().authorize({"x-api-key": "a", **version}, "a")
    Anthropic().authorize({"authorization": "Bearer a", **version}, "a")
    with pytest.raises(Refused, match="invalid x-api-key"):
        Anthropic().authorize({"x-api-key": "b", **version}, "a")


def events(answer: Answer) -> list[tuple[str, Any]]:
    found = []
    for one in Anthropic().frames(answer, Stamp(5, Prompt("m", digest="abc"))):
        name, data = one.rstrip("\n").split("\n")
        value = json.loads(data.removeprefix("data: "))
        assert name == f"event: {value['type']}"
        found.append((value["type"], value))
    return found


def test_a_stream_is_made_of_named_events() -> None:
    names = [name for name, _ in events(Answer("Hi", (Call.of("f", {"a": 1}),), "tool_calls", thinking="hm"))]
    assert names[:3] == ["message_start", "ping", "content_block_start"]
    assert names[-2:] == ["message_delta", "message_stop"]
    assert names.count("content_block_start") == names.count("content_block_stop") == 3


@pytest.mark.parametrize(
    ("arguments", "finish", "value", "streamed"),
    [
        ('{"a":1}', "tool_calls", {"a": 1}, '{"a":1}'),
        ('{"a":', "length", {}, '{"a":'),
        ('{"a":', "tool_calls", '{"a":', '{"a":'),
        ("[]", "tool_calls", [], "[]"),
        ('"{}"', "tool_calls", "{}", '"{}"'),
        (None, "tool_calls", None, "null"),
        (ABSENT, "tool_calls", ABSENT, ""),
    ],
)
def test_arguments_become_an_object_where_they_can(arguments: Any, finish: str, value: Any, streamed: str) -> None:
    answer = Answer(calls=(Call("f", arguments),), finish=finish)
    (block,) = Anthropic().whole(answer, Stamp(5, Prompt("m")))["content"]
    assert block.get("input", ABSENT) == value
    pieces = [event["delta"]["partial_json"] for name, event in events(answer) if name == "content_block_delta"]
    assert pieces[0] == ""
    assert "".join(pieces) == streamed


def test_small_parts() -> None:
    listing = Listing({}, 0)
    assert Anthropic().get("/v1/models", listing)["first_id"] is None
    assert Anthropic().get("/", listing) is None
    assert Anthropic().post("/api/show", {}, listing) is None
    assert Anthropic().broken_frame(Refused("x", kind="server"), Stamp(5, Prompt("m"))).startswith("event: error\n")
