"""Ollama's dialect, new and old: what differs from OpenAI's, and its own paths."""

import json
from typing import Any

import pytest

from playground.scripted_model import ScriptedModel
from playground.scripted_model.dialects import Listing, Stamp
from playground.scripted_model.dialects.ollama import OldOllama, Ollama, cut
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Answer, Call, Prompt, Question, Tool
from tests.scripted_files import OPENAI_TOOLS, send, user

CALLS = Answer("Well. ", (Call.of("f", {"a": "<&>"}), Call.of("g", {})), "tool_calls", thinking="hm")
LISTING = Listing({"scripted": 100}, 0)


def frames(dialect: Ollama, answer: Answer, **fields: Any) -> list[Any]:
    sent = list(dialect.frames(answer, Stamp(5, Prompt("m", digest="abc", **fields))))
    assert sent[-1] == "data: [DONE]\n\n"
    return [json.loads(one.removeprefix("data: ")) for one in sent[:-1]]


def test_new_streams_say_the_role_once_and_finish_in_a_piece_of_its_own() -> None:
    chunks = frames(Ollama(), CALLS, wants_usage=True)
    deltas = [one["choices"][0]["delta"] for one in chunks[:-1]]
    assert [("role" in delta) for delta in deltas] == [True] + [False] * (len(deltas) - 1)
    assert deltas[0]["reasoning"] == "hm"
    assert deltas[-1] == {}
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert [call["index"] for call in calls] == [0, 1]
    assert calls[0]["function"]["arguments"] == '{"a":"\\u003c\\u0026\\u003e"}'
    assert len(calls[0]["id"]) == len("call_") + 8
    assert chunks[-1]["choices"] == []
    assert all("usage" not in one for one in chunks[:-1])


def test_old_streams_repeat_the_role_and_give_every_call_the_index_0() -> None:
    chunks = frames(OldOllama(), CALLS, wants_usage=True)
    choices = [one["choices"][0] for one in chunks[:-1]]
    assert all(choice["delta"]["role"] == "assistant" for choice in choices)
    assert [choice["delta"]["tool_calls"][0]["index"] for choice in choices if "tool_calls" in choice["delta"]] == [
        0,
        0,
    ]
    assert choices[-1] == {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": "tool_calls"}
    assert len(frames(OldOllama(), Answer(""))) == 2


def test_a_message_has_text_even_with_calls() -> None:
    message = Ollama().whole(Answer(calls=CALLS.calls, finish="tool_calls", thinking="hm"), Stamp(5, Prompt("m")))[
        "choices"
    ][0]["message"]
    assert message["content"] == ""
    assert message["reasoning"] == "hm"
    assert "refusal" not in message


def test_arguments_that_are_no_text_stay_what_they_are() -> None:
    body = Ollama().whole(Answer(calls=(Call("f", None),)), Stamp(5, Prompt("m")))
    assert body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] is None


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/", None, 200, "Ollama is running"),
        ("/api/version", None, 200, "version"),
        ("/api/tags", None, 200, "scripted:latest"),
        ("/api/ps", None, 200, "models"),
        ("/v1/models", None, 200, "scripted:latest"),
        ("/v1/models/scripted:latest", None, 200, "scripted:latest"),
        ("/v1/models/x", None, 404, "not_found_error"),
        ("/nowhere", None, 404, "404 page not found"),
        ("/v1/nowhere", {}, 404, "404 page not found"),
        ("/api/nowhere", {}, 404, "404 page not found"),
        ("/api/show", {"model": "scripted"}, 200, "scripted.context_length"),
        ("/api/show", {"name": "scripted:latest"}, 200, '"tools"'),
        ("/api/show", {"model": "x"}, 404, "model 'x' not found"),
        ("/api/show", {}, 400, "model is required"),
        ("/v1/chat/completions", None, 405, "GET"),
        ("/v1/chat/completions", [], 400, "cannot unmarshal"),
        ("/v1/chat/completions", {"messages": []}, 400, "[] is too short - 'messages'"),
        ("/v1/chat/completions", {"messages": [user("x")]}, 400, "model is required"),
        ("/v1/chat/completions", {"model": "granite3.3", "messages": [user("x")]}, 404, "model 'granite3.3' not found"),
        (
            "/v1/chat/completions",
            {"model": "no-tool-support", "messages": [user("x")], "tools": OPENAI_TOOLS},
            400,
            "does not support tools",
        ),
    ],
)
def test_paths(path: str, body: Any, status: int, words: str) -> None:
    with ScriptedModel() as model:
        reply = send(model.start("ollama"), path, body)
    assert reply.status == status
    assert words in reply.text
    if reply.text == "404 page not found":
        assert reply.headers["content-type"].startswith("text/plain")


def test_a_model_that_cannot_call_tools_does_not_claim_it() -> None:
    assert Ollama().post("/api/show", {"model": "no-tool-support"}, Listing({"no-tool-support": 5}, 0))[
        "capabilities"
    ] == ["completion"]


def test_the_old_version_calls_every_error_the_same() -> None:
    refused = Refused("x", kind="not_found")
    assert Ollama().error(refused)[1]["error"]["type"] == "not_found_error"
    assert OldOllama().error(refused)[1]["error"]["type"] == "api_error"


def test_a_key_is_asked_for_only_where_one_is_set() -> None:
    Ollama().authorize({}, None)
    Ollama().authorize({"authorization": "Bearer a"}, "a")
    with pytest.raises(Refused):
        Ollama().authorize({}, "a")


def test_without_models_the_list_is_null() -> None:
    assert Ollama().get("/v1/models", Listing({}, 0))["data"] is None


def test_a_prompt_that_is_too_long_is_cut_in_silence() -> None:
    long = Prompt("m", (Question("a"), Question("b" * 900)), (Tool("f"),), "system", tokens=500)
    short = cut(long, 100)
    assert (len(short.questions), short.tools, short.system, short.tokens) == (1, (), "", 100)
    assert len(short.question.text) == 400
    assert cut(long, 500) is long
    body = {"model": "scripted", "messages": [user("x" * 1000)]}
    assert Ollama().read(body, LISTING).tokens == 100


def test_a_broken_stream_leaves_no_trace_but_the_missing_end() -> None:
    assert '"content":""' in Ollama().broken_frame(Refused("x", kind="server"), Stamp(5, Prompt("m")))
