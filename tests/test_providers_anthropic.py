"""Anthropic's format: histories as blocks, events as answers."""

import json
from typing import Any

import pytest

from playground.host.calls import Call, Result
from playground.host.conversation import Conversation, Said
from playground.host.loop import Answer
from playground.host.providers.anthropic import Anthropic, wire_id
from playground.host.providers.failure import Failure
from playground.host.tools import Tool
from tests.impostors import STREAM, Impostor, http

TOOLS = (Tool("files.read_file", "Reads."), Tool("files__write_file", "Writes."))
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
PDF = {"type": "resource", "resource": {"uri": "a:b", "blob": "aGk=", "mimeType": "application/pdf"}}


def provider(url: str = "http://127.0.0.1:1/mcp", **more: Any) -> Anthropic:
    return Anthropic("anthropic", "Anthropic", "m", url.removesuffix("/mcp"), "sk-1", total=20, **more)


def body(history: Conversation, tools: Any = (), streaming: bool = False, **more: Any) -> dict[str, Any]:
    asked = provider(**more)
    return asked.body(history, asked.offer(tools), streaming)


def call(id: str, name: str = "files__write_file", arguments: Any = "{}") -> Call:
    return Call.received(id, name, arguments)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


# ---- A history as messages --------------------------------------------------------------------------------


def test_the_system_prompt_stands_beside_the_messages() -> None:
    assert body(Conversation("be short").ask("hi"), streaming=True, temperature=0.5) == {
        "model": "m",
        "max_tokens": 8192,
        "system": "be short",
        "messages": [{"role": "user", "content": [text("hi")]}],
        "stream": True,
    }


def test_all_results_of_a_message_stand_in_one_user_message() -> None:
    calls = (call("a", arguments='{"x":1}'), call("b", arguments='{"cut'), call("an.odd:id", "no such tool!"))
    history = Conversation().ask("go").say(Said("Let me see.", calls))
    history = history.give(Result.of_text(c.id, "r", c.id == "b") for c in calls)
    sent = body(history, TOOLS)
    _, said, results = sent["messages"]
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert said["content"][0] == text("Let me see.")
    assert said["content"][1] == {"type": "tool_use", "id": "a", "name": "files__write_file", "input": {"x": 1}}
    assert said["content"][2]["input"] == {"invalid_arguments": '{"cut'}
    assert said["content"][3]["name"].startswith("no_such_tool__")
    assert results["content"][0] == {"type": "tool_result", "tool_use_id": "a", "content": [text("r")]}
    assert results["content"][1]["is_error"] is True
    assert results["content"][2]["tool_use_id"] == said["content"][3]["id"] == wire_id("an.odd:id")
    assert sent["tool_choice"] == {"type": "auto"}
    assert sent["tools"][1]["input_schema"] == {"type": "object", "properties": {}}


def test_who_has_calls_in_the_history_must_offer_tools_even_when_none_may_be_called() -> None:
    history = Conversation().ask("go").say(Said("", (call("a"),))).settle().ask("sum up")
    sent = body(history)
    assert sent["tools"] == [{"name": "files__write_file", "input_schema": {"type": "object"}}]
    assert sent["tool_choice"] == {"type": "none"}


def test_blocks_without_text_are_left_out_and_nothing_is_left_empty() -> None:
    history = Conversation().ask("go").say(Said("  ", (call("a"),))).give([Result.of_text("a", "\n")])
    _, said, results = body(history)["messages"]
    assert [block["type"] for block in said["content"]] == ["tool_use"]
    assert results["content"][0]["content"] == [text("(empty)")]


def test_pictures_and_documents_are_carried_also_in_results() -> None:
    history = Conversation().ask([text("look"), IMAGE]).say(Said("", (call("a"),)))
    history = history.give([Result("a", (text("here"), IMAGE, PDF))])
    question, _, results = body(history, images=True)["messages"]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}}
    assert question["content"] == [text("look"), picture]
    assert results["content"][0]["content"] == [text("here"), picture, document]
    described = body(history)["messages"][2]["content"][0]["content"]
    assert [block["type"] for block in described] == ["text"] * 3
    tiff = Conversation().ask([{**IMAGE, "mimeType": "image/tiff"}])
    assert "[Image" in body(tiff, images=True)["messages"][0]["content"][0]["text"]


def test_ids_of_other_providers_are_made_fit() -> None:
    assert wire_id("toolu_01-x") == "toolu_01-x"
    assert wire_id("functions.read:0") == wire_id("functions.read:0") != wire_id("functions.read:1")
    assert wire_id("functions.read:0").startswith("call_")


def test_signed_reasoning_goes_back_unchanged_and_in_its_place() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "a", "name": "w", "input": {}}
    blocks = [thinking, text("Wait."), {**use}, {"type": "redacted_thinking", "data": "x"}, {**use}, text(" ")]
    said = Said("Wait. ", (call("a"), call("a")), {"blocks": blocks}, "anthropic")
    history = Conversation().ask("go").say(said).settle().ask("on")
    own = body(history)["messages"][1]["content"]
    assert [block["type"] for block in own] == ["thinking", "text", "tool_use", "redacted_thinking", "tool_use"]
    assert own[0] == thinking
    assert [block["id"] for block in own if block["type"] == "tool_use"] == ["a", "call_1"]
    stranger = Conversation().ask("go").say(Said("Hm.", (), {"blocks": blocks}, "openai")).ask("on")
    assert body(stranger)["messages"][1]["content"] == [text("Hm.")]


# ---- Answers ----------------------------------------------------------------------------------------------


def events(*rows: dict[str, Any]) -> list[bytes]:
    return [STREAM, *(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n".encode() for row in rows)]


def start(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": more}


BEGIN = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 11, "output_tokens": 1}}}
END = {"type": "message_stop"}


def ended(reason: str | None) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}


def use(index: int, id: Any, name: Any, *pieces: str) -> list[dict[str, Any]]:
    block = start(index, {"type": "tool_use", "id": id, "name": name, "input": {}})
    return [block, *(delta(index, type="input_json_delta", partial_json=piece) for piece in pieces)]


def ask(answer: Any, streaming: bool = True) -> tuple[Answer, list[tuple[str, str]]]:
    pieces: list[tuple[str, str]] = []
    with Impostor(lambda seen: answer) as server:
        asked = provider(server.url)
        stream = (lambda kind, piece: pieces.append((kind, piece))) if streaming else None
        got = asked.complete(Conversation().ask("hi"), TOOLS, stream=stream)
        asked.close()
        assert server.seen[0].path == "/v1/messages"
    return got, pieces


def test_an_answer_arrives_in_events() -> None:
    alias = provider().offer(TOOLS).tools[0].alias
    answer, pieces = ask(
        events(
            BEGIN,
            {"type": "ping"},
            start(0, text("He")),
            delta(0, type="text_delta", text="llo"),
            *use(1, "toolu_1", alias, "", '{"a"', ":1}"),
            *use(2, "toolu_2", "files__write_file"),
            ended("tool_use"),
            END,
        )
    )
    assert answer.said.text == "Hello"
    assert [(c.id, c.name, c.arguments) for c in answer.said.calls] == [
        ("toolu_1", "files.read_file", {"a": 1}),
        ("toolu_2", "files__write_file", {}),
    ]
    assert answer.said.calls[0].text == '{"a":1}'
    assert (answer.stop, answer.usage, answer.said.extras) == ("calls", {"input": 11, "output": 7}, {})
    assert pieces == [("text", "He"), ("text", "llo"), ("call", "files.read_file"), ("call", "files__write_file")]


def test_thoughts_are_streamed_and_kept_with_their_signature() -> None:
    answer, pieces = ask(
        events(
            BEGIN,
            start(0, {"type": "thinking", "thinking": "", "signature": ""}),
            delta(0, type="thinking_delta", thinking="hm"),
            delta(0, type="signature_delta", signature="s"),
            start(1, text("")),
            delta(1, type="text_delta", text="Hi"),
            ended("end_turn"),
            END,
        )
    )
    assert answer.said.extras["blocks"][0] == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert pieces == [("thought", "hm"), ("text", "Hi")]
    assert answer.said.text == "Hi"


def test_arguments_that_are_cut_by_the_limit_of_length_are_a_complaint() -> None:
    answer, _ = ask(events(BEGIN, *use(0, "a", "files__write_file", '{"a'), ended("max_tokens"), END))
    assert answer.stop == "length"
    complaint = answer.said.calls[0].complaint
    assert complaint is not None
    assert complaint.kind == "cut_json"


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "pause_turn"),
        (None, "stop"),
    ],
)
def test_how_an_answer_ended(reason: str | None, stop: str) -> None:
    answer, _ = ask(events(BEGIN, start(0, text("a")), ended(reason), END))
    assert answer.stop == stop


def test_an_answer_without_blocks_or_reason_has_no_choice() -> None:
    assert ask(events(BEGIN, END))[0].stop == "no_choice"


def test_odd_events_do_no_harm() -> None:
    odd = [
        {"type": "message_start", "message": 5},
        delta(0, type="text_delta", text="a"),
        {"type": "content_block_delta", "index": 0, "delta": 5},
        start(1, {"type": "tool_use", "id": None, "name": None, "input": None}),
        start(2, {"type": "tool_use"}),
        {"type": "unheard_of"},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": "7"}},
        END,
    ]
    answer, _ = ask([*events(*odd[:-1]), b"event: message_delta\ndata: 5\n\n", *events(END)[1:]])
    assert answer.said.text == "a"
    assert [(c.id, c.name, c.arguments) for c in answer.said.calls] == [("", "", {}), ("", "", {})]


def test_a_stream_without_its_end_broke_off() -> None:
    with pytest.raises(Failure) as caught:
        ask(events(BEGIN, start(0, text("a"))))
    assert caught.value.kind == "cut"


def test_an_error_event_is_a_failure() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(Failure) as caught:
        ask(events(BEGIN, error))
    assert caught.value.kind == "overloaded"


WHOLE = {
    "content": [text("Hi"), {"type": "tool_use", "id": "a", "name": "files__write_file", "input": {"a": 1}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 1, "output_tokens": 2},
}


@pytest.mark.parametrize("streaming", [False, True])
def test_a_whole_reply_is_read_in_the_same_way(streaming: bool) -> None:
    answer, _ = ask(http(body=json.dumps(WHOLE).encode()), streaming)
    assert (answer.said.text, answer.stop, answer.usage) == ("Hi", "calls", {"input": 1, "output": 2})
    assert answer.said.calls[0].arguments == {"a": 1}


@pytest.mark.parametrize("reply", [{}, {"content": None}, {"content": "x"}, {"content": [5]}])
def test_a_reply_without_words_is_one(reply: Any) -> None:
    answer, _ = ask(http(body=json.dumps(reply).encode()), streaming=False)
    assert answer.said.text == ""


@pytest.mark.parametrize(
    ("reply", "kind"), [([], "malformed"), (5, "malformed"), ({"error": {"message": "boom"}}, "server_error")]
)
def test_what_is_no_reply_is_explained(reply: Any, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        ask(http(body=json.dumps(reply).encode()), streaming=False)
    assert caught.value.kind == kind
