"""Every misbehaving model misbehaves as it says, ends, and does no harm twice."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from playground.scripted_model import ScriptedModel
from playground.scripted_model.gallery import GALLERY, TINY_WINDOW, first_call
from playground.scripted_model.talk import FAULTS, Call, Prompt, Question
from tests.scripted_files import ANTHROPIC_TOOLS, OPENAI_TOOLS, TOOLS, TUTORIAL, Disk, Talk, send, user


@pytest.fixture(scope="module")
def bases() -> Iterator[dict[str, str]]:
    models = {dialect: ScriptedModel() for dialect in ("ollama", "openai", "anthropic")}
    yield {dialect: model.start(dialect) for dialect, model in models.items()}
    for model in models.values():
        model.stop()


def answer(base: str, name: str, text: str = TUTORIAL, **fields: Any) -> Any:
    return send(
        base, "/v1/chat/completions", {"model": name, "messages": [user(text)], "tools": OPENAI_TOOLS, **fields}
    )


def message(base: str, name: str) -> Any:
    return answer(base, name).json["choices"][0]["message"]


def function(base: str, name: str) -> Any:
    return message(base, name)["tool_calls"][0]["function"]


SHOWN: list[tuple[str, Any]] = [
    ("unknown-tool", lambda f: f["name"] == "open_file"),
    ("misspelt-tool", lambda f: f["name"] == "fileswritefile"),
    ("empty-name", lambda f: f["name"] == ""),
    ("null-name", lambda f: f["name"] is None),
    ("wrong-types", lambda f: json.loads(f["arguments"])["filename"] == [42]),
    ("wrong-argument-names", lambda f: "the_filename" in json.loads(f["arguments"])),
    ("invalid-arguments", lambda f: f["arguments"] == "filename=notes.txt, keyword=TODO"),
    ("cut-arguments", lambda f: f["arguments"].startswith("{") and not f["arguments"].endswith("}")),
    ("trailing-arguments", lambda f: f["arguments"].endswith("} and that is all")),
    ("double-encoded-arguments", lambda f: isinstance(json.loads(f["arguments"]), str)),
    ("null-arguments", lambda f: f["arguments"] is None),
    ("null-text-arguments", lambda f: f["arguments"] == "null"),
    ("empty-arguments", lambda f: f["arguments"] == ""),
    ("list-arguments", lambda f: f["arguments"] == "[]"),
    ("number-arguments", lambda f: f["arguments"] == "5"),
    ("missing-arguments", lambda f: "arguments" not in f),
    ("object-arguments", lambda f: isinstance(f["arguments"], dict)),
    ("deletes-instead", lambda f: f["name"] == "files__delete_file"),
    ("endless-loop", lambda f: f["name"] == "files__list_files"),
]


@pytest.mark.parametrize(("name", "is_shown"), SHOWN, ids=[name for name, _ in SHOWN])
def test_a_call_is_wrong_in_its_own_way(bases: dict[str, str], name: str, is_shown: Any) -> None:
    assert is_shown(function(bases["openai"], name))


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("missing-ids", ["absent"]),
        ("null-ids", [None]),
        ("empty-ids", [""]),
        ("duplicate-ids", ["call_twin", "call_twin"]),
    ],
)
def test_ids_are_wrong_in_their_own_way(bases: dict[str, str], name: str, ids: list[Any]) -> None:
    assert [call.get("id", "absent") for call in message(bases["ollama"], name)["tool_calls"]] == ids


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("call-as-text", "I will use a tool for that: files__write_file("),
        ("call-as-json", '{"name": "files__write_file"'),
        ("call-as-json-block", "```json\n{"),
        ("call-as-tag", "<tool_call>\n{"),
        ("hostile-text", "Look: \x1b[2J"),
        ("cut-answer", "The files you asked"),
    ],
)
def test_some_only_talk(bases: dict[str, str], name: str, start: str) -> None:
    said = message(bases["ollama"], name)
    assert said["content"].startswith(start)
    assert "tool_calls" not in said


def test_the_rest_of_the_shapes(bases: dict[str, str]) -> None:
    assert len(message(bases["openai"], "five-calls")["tool_calls"]) == 5
    assert message(bases["openai"], "text-and-call")["content"] == "Let me do that."
    assert message(bases["ollama"], "thinks-aloud")["reasoning"]
    assert message(bases["ollama"], "empty-answer")["content"] == ""
    assert answer(bases["openai"], "wrong-finish").json["choices"][0]["finish_reason"] == "stop"
    assert answer(bases["openai"], "cut-answer").json["choices"][0]["finish_reason"] == "length"
    assert answer(bases["openai"], "empty-choices").json["choices"] == []
    assert answer(bases["openai"], "missing-choices").json == {}
    assert answer(bases["openai"], "error-with-200").json["error"]["message"]
    assert answer(bases["openai"], "html").text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("rate-limit", 429),
        ("refused-key", 401),
        ("overloaded", 503),
        ("server-error", 500),
        ("error-in-stream", 500),
        ("context-exceeded", 400),
        ("no-tool-support", 400),
    ],
)
def test_statuses(bases: dict[str, str], name: str, status: int) -> None:
    reply = answer(bases["openai"], name)
    assert reply.status == status
    assert ("retry-after" in reply.headers) == (status == 429)


def test_a_small_window_overflows_loudly_or_in_silence(bases: dict[str, str]) -> None:
    assert answer(bases["openai"], "context-overflow").json["error"]["code"] == "context_length_exceeded"
    quiet = answer(bases["ollama"], "context-overflow")
    assert quiet.json["usage"]["prompt_tokens"] == TINY_WINDOW
    assert "tool_calls" not in quiet.json["choices"][0]["message"]
    shown = send(bases["ollama"], "/api/show", {"model": "context-overflow"}).json
    assert shown["model_info"]["scripted.context_length"] == TINY_WINDOW


@pytest.mark.parametrize("name", sorted(set(GALLERY) - {"slow", "stall", "cut-stream"}))
@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("dialect", ["ollama", "openai", "anthropic"])
def test_every_exhibit_answers_in_every_dialect(
    bases: dict[str, str], dialect: str, is_streamed: bool, name: str
) -> None:
    fields: dict[str, Any] = {"model": name, "messages": [user("list the files")], "stream": is_streamed}
    if dialect == "anthropic":
        reply = send(bases[dialect], "/v1/messages", {**fields, "max_tokens": 900, "tools": ANTHROPIC_TOOLS})
    else:
        reply = send(bases[dialect], "/v1/chat/completions", {**fields, "tools": OPENAI_TOOLS})
    assert reply.status in (200, 400, 401, 429, 500, 503, 529)
    assert reply.body


TALKERS = (
    "call-as-text",
    "call-as-json",
    "call-as-json-block",
    "call-as-tag",
    "empty-answer",
    "cut-answer",
    "hostile-text",
)


@pytest.mark.parametrize("name", sorted(set(GALLERY) - {"endless-loop", *TALKERS, "object-arguments", "null-name"}))
def test_no_exhibit_does_anything_twice_and_most_recover(name: str) -> None:
    talk = Talk(Disk(), play=GALLERY[name].play)
    said = talk.ask(TUTORIAL)
    assert said != "(still calling)"
    good = [
        call for call in talk.calls if call.name == "files__write_file" and set(call.parsed) == {"filename", "text"}
    ]
    assert len([call for call in good if isinstance(call.parsed["filename"], str)]) <= 1
    if name not in ("silent-afterwards", "result-ignored", "deletes-instead"):
        assert talk.disk["notes.txt"].count("TODO") == 1
        assert "1 time" in said


def test_the_endless_one_never_ends_and_is_harmless() -> None:
    talk = Talk(Disk({"a.txt": "x"}), play=GALLERY["endless-loop"].play)
    assert talk.ask(TUTORIAL, rounds=12) == "(still calling)"
    assert set(talk.names) == {"list_files"}


def test_what_was_declined_is_not_asked_for_again() -> None:
    talk = Talk(
        play=GALLERY["wrong-types"].play, told=lambda call: "Error: The user did not allow this call. Don't repeat it."
    )
    talk.ask(TUTORIAL)
    assert len(talk.calls) == 1


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_without_tools_they_only_talk(name: str) -> None:
    assert not GALLERY[name].play(Prompt("m", (Question("hello"),))).calls


def test_a_question_without_a_task_gets_a_harmless_call() -> None:
    call = first_call(Prompt("m", (Question("hello"),), TOOLS))
    assert call == Call.of("files__list_files", {})
    assert GALLERY["wrong-types"].play(Prompt("m", (Question("hello"),), TOOLS)).calls[0].parsed == {"filename": 42}


def test_every_fault_is_an_exhibit() -> None:
    assert set(FAULTS) <= set(GALLERY)
