"""OpenAI's format: histories as messages, streams as answers, each dialect with its habits."""

import json
from typing import Any

import pytest

from playground.host.calls import Call, Result
from playground.host.conversation import Conversation, Said
from playground.host.loop import Answer
from playground.host.providers.openai_like import OpenAILike
from playground.host.tools import Tool
from tests.impostors import STREAM, Impostor, http

TOOLS = (Tool("files.read_file", "Reads."), Tool("files__write_file", "Writes."))
READ = "files_read_file_"  # what the first one's alias begins with
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def provider(url: str = "http://127.0.0.1:1", kind: str = "ollama", **more: Any) -> OpenAILike:
    return OpenAILike(kind, kind, "m", url.removesuffix("/mcp") + "/v1", "", total=20, **more)


def body(history: Conversation, tools: Any = (), streaming: bool = False, **more: Any) -> dict[str, Any]:
    asked = provider(**more)
    return asked.body(history, asked.offer(tools), streaming)


def call(id: str, name: str = "files__write_file", arguments: Any = "{}", extras: Any = None) -> Call:
    return Call.received(id, name, arguments, extras)


# ---- A history as messages --------------------------------------------------------------------------------


def test_a_plain_question_is_two_messages() -> None:
    assert body(Conversation("be short").ask("hi")) == {
        "model": "m",
        "messages": [{"role": "system", "content": "be short"}, {"role": "user", "content": "hi"}],
    }


def test_tools_come_with_a_choice_and_streaming_with_usage() -> None:
    sent = body(Conversation().ask("hi"), TOOLS, True, temperature=0.0)
    assert [tool["function"]["description"] for tool in sent["tools"]] == ["Reads.", "Writes."]
    assert sent["tools"][0]["function"]["name"].startswith(READ)
    assert sent["tool_choice"] == "auto"
    assert sent["temperature"] == 0.0
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_an_id_that_is_too_long_has_a_shorter_one_in_both_messages() -> None:
    history = Conversation().ask("hi").say(Said("", (call("x" * 100), call("y" * 40))))
    history = history.give([Result.of_text("x" * 100, "1"), Result.of_text("y" * 40, "2")])
    _, said, first, second = body(history)["messages"]
    assert [made["id"] for made in said["tool_calls"]] == [first["tool_call_id"], second["tool_call_id"]]
    assert len(first["tool_call_id"]) <= 40
    assert second["tool_call_id"] == "y" * 40


def test_calls_are_echoed_as_they_came_and_results_follow_at_once() -> None:
    calls = (
        call("a", arguments='{ "x" : 1 }'),
        call("b", arguments=""),
        call("c", arguments='{"cut'),
        call("d", "no such tool!"),
        call("e", ""),
    )
    history = Conversation().ask("go").say(Said("", calls))
    history = history.give(Result.of_text(c.id, f"result {c.id}", c.id == "c") for c in calls)
    messages = body(history)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", *["tool"] * 5]
    echoed = messages[1]["tool_calls"]
    assert messages[1]["content"] is None
    assert [one["id"] for one in echoed] == ["a", "b", "c", "d", "e"]
    assert [one["function"]["arguments"] for one in echoed[:3]] == [
        '{ "x" : 1 }',
        "{}",
        '{"invalid_arguments":"{\\"cut"}',
    ]
    assert echoed[3]["function"]["name"].startswith("no_such_tool__")
    assert echoed[4]["function"]["name"].startswith("unnamed_")
    assert messages[2] == {"role": "tool", "tool_call_id": "a", "content": "result a"}
    assert messages[4]["content"] == "Error: result c"


def test_an_error_that_says_so_is_not_called_one_twice() -> None:
    history = Conversation().ask("go").say(Said("Wait.", (call("a"),)))
    messages = body(history.give([Result.of_text("a", "Error: no", is_error=True)]))["messages"]
    assert messages[1]["content"] == "Wait."
    assert messages[2]["content"] == "Error: no"


def test_further_fields_of_a_call_go_back_to_the_provider_that_sent_them_and_to_no_other() -> None:
    said = Said("", (call("a", extras={"extra_content": {"sign": 1}}),), {"reasoning": "hm"}, "openai")
    history = Conversation().ask("go").say(said).settle().ask("on")
    own = body(history, kind="openai")["messages"][1]
    assert own["tool_calls"][0]["extra_content"] == {"sign": 1}
    assert "reasoning" not in own
    assert "extra_content" not in body(history, kind="ollama")["messages"][1]["tool_calls"][0]


def test_pictures_are_sent_where_the_provider_takes_them_and_described_where_not() -> None:
    history = Conversation().ask([{"type": "text", "text": "look"}, IMAGE]).say(Said("", (call("a", "see"),)))
    history = history.give([Result("a", ({"type": "text", "text": "here"}, IMAGE))])
    question, _, tool, follows = body(history, images=True)["messages"]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert question["content"] == [{"type": "text", "text": "look"}, picture]
    assert tool["content"] == "here\n[An image; it follows.]"
    assert follows == {"role": "user", "content": [{"type": "text", "text": "[From the result of see]"}, picture]}
    question, _, tool = body(history)["messages"]
    assert question["content"] == "look\n[Image: image/png, 3 bytes; it can't be shown to you]"
    assert tool["content"] == "here\n[Image: image/png, 3 bytes; it can't be shown to you]"
    tiff = Conversation().ask([{**IMAGE, "mimeType": "image/tiff"}])
    assert "[Image" in body(tiff, images=True)["messages"][0]["content"]


def test_half_characters_do_not_break_the_request() -> None:
    sent = body(Conversation().ask("a\ud800"))
    assert sent["messages"][0]["content"] == "a\ufffd"


# ---- Streams ----------------------------------------------------------------------------------------------


def streamed(*deltas: dict[str, Any], finish: str | None = "stop", end: bytes = b"data: [DONE]\n\n") -> list[bytes]:
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if finish:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [{"choices": [choice]} for choice in choices]
    return [STREAM, *(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), end]


def ask(answer: Any, streaming: bool = True, **more: Any) -> tuple[Answer, list[tuple[str, str]]]:
    pieces: list[tuple[str, str]] = []
    with Impostor(lambda seen: answer) as server:
        asked = provider(server.url, **more)
        stream = (lambda kind, piece: pieces.append((kind, piece))) if streaming else None
        answer = asked.complete(Conversation().ask("hi"), TOOLS, stream=stream)
        asked.close()
    return answer, pieces


def piece(index: int | None, arguments: Any, id: Any = None, name: str | None = None) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    where = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {"tool_calls": [{**where, "type": "function", "function": function}]}


def test_text_arrives_in_pieces_with_thoughts_and_usage() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
    end = b"data: " + json.dumps(usage).encode() + b"\n\ndata: [DONE]\n\n"
    deltas = ({"role": "assistant", "content": "", "reasoning": "hm"}, {"content": "Hel"}, {"content": "lo"})
    answer, pieces = ask(streamed(*deltas, end=end))
    assert answer.said == Said("Hello", (), {"reasoning": "hm"}, "ollama")
    assert (answer.stop, answer.usage) == ("stop", {"input": 11, "output": 7})
    assert pieces == [("thought", "hm"), ("text", "Hel"), ("text", "lo")]


OPENAI = [
    {"role": "assistant", "content": None, **piece(0, "", "call_1", "files__write_file")},
    piece(0, '{"a'),
    piece(0, '":1}'),
    piece(1, "", "call_2", "files__write_file"),
    piece(1, "{}"),
]
OLLAMA = [piece(0, '{"a":1}', "call_1", "files__write_file"), piece(0, "{}", "call_2", "files__write_file")]
NO_IDS = [piece(0, '{"a":1}', "", "files__write_file"), piece(0, "{}", None, "files__write_file")]
TWINS = [piece(0, '{"a":1}', "x", "files__write_file"), piece(0, "{}", "x", "files__write_file")]
NO_INDEX = [piece(None, '{"a', "call_1", "files__write_file"), piece(None, '":1}'), piece(None, "{}", "call_2", "w")]
ID_EACH = [
    piece(0, '{"a', "call_1", "files__write_file"),
    piece(0, '":1', "call_1", "files__write_file"),
    piece(0, "}", "call_1"),
    piece(1, "{}", "call_2", "files__write_file"),
]
OBJECTS = [piece(0, {"a": 1}, "call_1", "files__write_file"), piece(0, {}, "call_1", "files__write_file")]
INTERLEAVED = [
    piece(0, '{"a', "call_1", "files__write_file"),
    piece(1, "{", "call_2", "files__write_file"),
    piece(0, '":1}'),
    piece(1, "}"),
]


@pytest.mark.parametrize("deltas", [OPENAI, OLLAMA, NO_IDS, TWINS, NO_INDEX, ID_EACH, OBJECTS, INTERLEAVED])
def test_two_calls_stay_two_calls_in_every_dialect(deltas: list[dict[str, Any]]) -> None:
    answer, pieces = ask(streamed(*deltas, finish="tool_calls"))
    assert [call.arguments for call in answer.said.calls] == [{"a": 1}, {}]
    assert answer.said.calls[0].name == "files__write_file"
    assert answer.stop == "calls"
    assert [kind for kind, _ in pieces].count("call") == 2


def test_a_call_without_arguments_is_a_call_and_names_lead_back() -> None:
    alias = provider().offer(TOOLS).tools[0].alias
    answer, pieces = ask(streamed(piece(0, None, "a", alias)))
    assert answer.said.calls[0].name == "files.read_file"
    assert answer.said.calls[0].arguments == {}
    assert pieces == [("call", "files.read_file")]


def test_a_call_of_the_old_kind_and_one_with_further_fields_are_read() -> None:
    answer, _ = ask(streamed({"function_call": {"name": "x", "arguments": "{}"}}, finish="function_call"))
    assert (answer.said.calls[0].name, answer.said.calls[0].id) == ("x", "")
    signed = piece(0, "{}", "a", "x")
    signed["tool_calls"][0]["extra_content"] = {"sign": 1}
    answer, _ = ask(streamed(signed))
    assert answer.said.calls[0].extras == {"extra_content": {"sign": 1}}


@pytest.mark.parametrize(
    ("delta", "text", "thought"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, 5]}, "a", None),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}, "", "hm"),
        ({"content": [{"type": "thinking", "thinking": "hm"}]}, "", "hm"),
        ({"reasoning_content": "hm", "content": "a"}, "a", "hm"),
        ({"content": 5, "tool_calls": "x"}, "", None),
        ({"tool_calls": [{"function": 5}, 7]}, "", None),
    ],
)
def test_odd_contents_are_read_as_far_as_they_go(delta: dict[str, Any], text: str, thought: str | None) -> None:
    answer, _ = ask(streamed(delta))
    assert answer.said.text == text
    assert answer.said.extras.get("reasoning") == thought


@pytest.mark.parametrize(
    ("finish", "delta", "stop"),
    [
        ("length", {"content": "a"}, "length"),
        ("length", piece(0, '{"a', "x", "y"), "length"),
        ("content_filter", {"content": "a"}, "refusal"),
        ("stop", {"refusal": "I won't."}, "stop"),
        ("stop", piece(0, "{}", "x", "y"), "calls"),
        (None, {"content": "a"}, "stop"),
    ],
)
def test_how_an_answer_ended(finish: str | None, delta: dict[str, Any], stop: str) -> None:
    answer, _ = ask(streamed(delta, finish=finish))
    assert answer.stop == stop
    assert answer.said.text in ("", "a", "I won't.")


def test_odd_frames_do_no_harm() -> None:
    frames = [
        STREAM,
        b"data: 5\n\n",
        b'data: {"choices":[{"delta":5,"finish_reason":"stop"}]}\n\n',
        b"data: [DONE]\n\n",
    ]
    answer, _ = ask(frames)
    assert answer.said.text == ""


# ---- Whole replies ----------------------------------------------------------------------------------------


def whole(message: Any, finish: str = "stop", **more: Any) -> bytes:
    reply = {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}
    return http(body=json.dumps(reply).encode())


@pytest.mark.parametrize("streaming", [False, True])
def test_a_whole_reply_is_read_in_the_same_way(streaming: bool) -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "x", "arguments": '{"a":1}'}},
        {"id": "a", "index": 0, "type": "function", "function": {"name": "x", "arguments": {"a": 2}}},
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": "?"}
    answer, _ = ask(whole({"content": None, "tool_calls": calls}, "tool_calls", usage=usage), streaming)
    assert [call.arguments for call in answer.said.calls] == [{"a": 1}, {"a": 2}]
    assert (answer.said.text, answer.stop, answer.usage) == ("", "calls", {"input": 1})


@pytest.mark.parametrize("reply", [{}, {"choices": []}, {"choices": None}, {"choices": "x"}])
@pytest.mark.parametrize("streaming", [False, True])
def test_a_reply_without_choices_is_an_answer_without_words(reply: Any, streaming: bool) -> None:
    answer, _ = ask(http(body=json.dumps(reply).encode()), streaming)
    assert (answer.said.text, answer.stop) == ("", "no_choice")


def test_a_message_that_is_none_says_nothing() -> None:
    assert ask(whole(None), streaming=False)[0].said.text == ""


def test_the_environment_names_an_organization_only_to_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2

    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
    with httpx2.Client() as http_client:
        own = OpenAILike("openai", "OpenAI", "m", "https://api.openai.com/v1", "k").client(http_client, "k")
        other = provider().client(http_client, "")
    assert (own.organization, own.project) == ("org", "project")
    assert (other.organization, other.project) == (None, None)
