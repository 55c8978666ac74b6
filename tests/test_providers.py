"""The whole way: loop, conversation and provider against the scripted model, which refuses what the real ones do."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.host.calls import Result
from playground.host.conversation import Conversation
from playground.host.loop import Capped, Limits, Say, Stopped, Think, Use, Warn, drive, turn
from playground.host.providers import KNOWN, Provider, provider
from playground.host.providers.failure import Failure
from playground.host.tools import Tool
from playground.scripted_model import DIALECTS, ScriptedModel
from playground.scripted_model.talk import ABSENT, Answer, Call, Prompt


def schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


TOOLS = (
    Tool("files__list_files", "Lists the files.", schema(), original="list_files"),
    Tool("files__read_file", "Reads a file.", schema(filename="string"), original="read_file"),
    Tool("files__write_file", "Writes a file.", schema(filename="string", text="string"), original="write_file"),
    Tool("files__search_file", "Counts a word.", schema(filename="string", keyword="string"), original="search_file"),
    Tool("files__delete_file", "Deletes a file.", schema(filename="string"), original="delete_file"),
    Tool("docs.search/all things", "Searches.", {"anyOf": [schema(q="string"), schema(p="string")]}),
)
PROVIDER_OF = {"ollama": "ollama", "ollama-old": "ollama", "openai": "openai", "anthropic": "anthropic"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def check(tool: Tool, arguments: Any) -> str | None:
    wrong = [
        name for name, kind in tool.schema.get("properties", {}).items() if not isinstance(arguments.get(name), str)
    ]
    return f"'{wrong[0]}' must be a string" if wrong else None


def show(kind: str, piece: str) -> None:
    pass


class Chat:
    """A host without a terminal: runs turns, keeps what happened."""

    def __init__(self, model: Provider, streaming: bool, **limits: Any) -> None:
        self.model = model
        self.stream = show if streaming else None
        self.limits = Limits(**{"rounds": 4, **limits})
        self.conversation = Conversation("You help with files.")
        self.kinds: list[str] = []
        self.ran: list[str] = []
        self.last: Say | Stopped | None = None

    def ask(self, question: str) -> None:
        self.kinds.clear()
        steps = turn(self.conversation.ask(question), TOOLS, self.limits, check)
        self.conversation = drive(steps, self.handle)

    def handle(self, step: Any) -> Any:
        match step:
            case Think(history, tools):
                return self.model.complete(history, tools, stream=self.stream)
            case Use(jobs):
                self.ran += [job.call.id for job in jobs]
                blocks = ({"type": "text", "text": '{"files":["notes.txt"],"count":3}'}, IMAGE)
                return [Result(job.call.id, blocks) for job in jobs]
            case Warn(found):
                self.kinds.append(found.kind)
            case Capped():
                return "summarize"
            case _:
                self.last = step
        return None


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def model_of(dialect: str, base_url: str, name: str = "scripted", **more: Any) -> Provider:
    return provider(PROVIDER_OF[dialect], model=name, base_url=base_url, api_key="k", total=20, **more)


@pytest.mark.parametrize("streaming", [False, True])
def test_a_question_ends_with_the_right_calls_in_every_dialect(dialect: str, streaming: bool) -> None:
    with ScriptedModel() as scripted:
        chat = Chat(model_of(dialect, scripted.start(dialect), images=True), streaming)
        for question in (
            "Create a file named notes.txt with a TODO line, then count TODOs",
            "What files are there?",
            "Hello!",
        ):
            chat.ask(question)
            assert isinstance(chat.last, Say)
            assert not chat.last.by_host
            assert chat.kinds == []
        chat.model.close()
        assert not scripted.refused
    assert len(chat.ran) >= 3


GALLERY = {
    "call-as-text": "call_as_text",
    "call-as-json": "call_as_text",
    "call-as-json-block": "call_as_text",
    "call-as-tag": "call_as_text",
    "unknown-tool": "unknown_tool",
    "misspelt-tool": "unknown_tool",
    "empty-name": "unknown_tool",
    "null-name": "unknown_tool",
    "wrong-types": "wrong_arguments",
    "wrong-argument-names": "wrong_arguments",
    "invalid-arguments": "invalid_json",
    "cut-arguments": "cut_json",
    "trailing-arguments": "invalid_json",
    "double-encoded-arguments": "double_encoded",
    "null-text-arguments": "not_object",
    "list-arguments": "not_object",
    "number-arguments": "not_object",
    "empty-arguments": "wrong_arguments",
    "missing-arguments": "wrong_arguments",
    "endless-loop": "repeated_call",
    "five-calls": "many_calls",
    "duplicate-ids": "call_id",
    "missing-ids": "call_id",
    "null-ids": "call_id",
    "empty-ids": "call_id",
    "empty-answer": "empty_answer",
    "silent-afterwards": "empty_answer",
    "result-ignored": "result_ignored",
    "cut-answer": "cut_answer",
}
FAILURES = {
    "rate-limit": "rate_limited",
    "refused-key": "key_refused",
    "overloaded": "overloaded",
    "server-error": "server_error",
    "no-tool-support": "no_tools",
    "context-exceeded": "too_long",
    "error-with-200": "server_error",
    "cut-stream": "cut",
    "html": "malformed",
}
# In Anthropic's format arguments are an object: what can't be sent there can't be wrong there.
NO_TEXT = ("anthropic",)


@pytest.mark.parametrize("streaming", [False, True])
def test_every_misbehaving_model_ends_in_its_diagnosis_and_a_usable_history(dialect: str, streaming: bool) -> None:
    with ScriptedModel() as scripted:
        base_url = scripted.start(dialect)
        for name, kind in GALLERY.items():
            chat = Chat(model_of(dialect, base_url, name), streaming)
            chat.ask("Count the word TODO in notes.txt")
            assert kind in chat.kinds or (dialect in NO_TEXT and not streaming and "_arg" in name.replace("-", "_")), (
                name
            )
            assert chat.conversation.state == "idle"
            assert len(chat.ran) == len(set(chat.ran))
            chat.model.close()
        assert [one.refusal for one in scripted.refused] == []
        for name, kind in FAILURES.items():
            chat = Chat(model_of(dialect, base_url, name), streaming)
            chat.ask("Count the word TODO in notes.txt")
            assert isinstance(chat.last, Stopped)
            assert chat.last.kind == kind, name
            assert chat.conversation == Conversation("You help with files.")


# ---- Random conversations ---------------------------------------------------------------------------------

names = st.sampled_from([*(tool.name for tool in TOOLS[:5]), "read_file", "open file!", "", None])
texts = st.sampled_from(["", "{}", "[]", "null", '{"filename":"a.txt"}', '{"cut', "x=1", '"{}"'])
ids = st.sampled_from(["same", "", None, ABSENT, "functions.read:0"])
calls = st.lists(st.builds(lambda name, arguments, id: Call(name, arguments, id), names, texts, ids), max_size=4)
answers = st.builds(
    lambda text, calls, thinking: Answer(text, tuple(calls), "tool_calls" if calls else "stop", thinking=thinking),
    st.sampled_from(["", " ", "hello", "half \\ud800 x"]),
    calls,
    st.sampled_from(["", "hm"]),
)


@pytest.mark.parametrize("streaming", [False, True])
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(script=st.lists(answers, min_size=1, max_size=12), budget=st.none() | st.integers(100, 900))
def test_no_request_of_a_random_conversation_is_refused(
    dialect: str, streaming: bool, script: list[Answer], budget: int | None
) -> None:
    lines: Iterator[Answer] = iter(script)

    def play(prompt: Prompt) -> Answer:
        return next(lines, Answer("The end."))

    with ScriptedModel(play=play) as scripted:
        chat = Chat(model_of(dialect, scripted.start(dialect), images=True), streaming, rounds=3, budget=budget)
        for number in range(4):
            chat.ask(f"question {number}")
            assert chat.conversation.state == "idle"
        chat.model.close()
        assert [one.refusal for one in scripted.refused] == []
    assert len(chat.ran) == len(set(chat.ran))


# ---- Choosing a provider ----------------------------------------------------------------------------------


def test_every_known_provider_can_be_made() -> None:
    for kind, known in KNOWN.items():
        made = provider(kind)
        assert (made.kind, made.label, made.model, made.base_url) == (kind, known.label, known.model, known.base_url)
        assert made.images is known.images
    with pytest.raises(ValueError, match="no provider 'gemini'; known are ollama"):
        provider("gemini")


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_vendor_wants_a_key_and_a_server_of_ones_own_does_not(kind: str) -> None:
    history = Conversation().ask("hi")
    with pytest.raises(Failure) as caught:
        provider(kind).complete(history, ())
    assert caught.value.kind == "no_key"
    with pytest.raises(Failure) as caught:
        provider(kind, base_url="http://127.0.0.1:1").complete(history, ())
    assert caught.value.kind == "not_running"


def test_settings_reach_the_request(dialect: str) -> None:
    with ScriptedModel(names=["mine"]) as scripted:
        base_url = scripted.start(dialect)
        made = model_of(dialect, base_url, "mine", temperature=0.5)
        made.complete(Conversation().ask("hi"), TOOLS)
        made.close()
        (request,) = scripted.requests
    assert (request.body["model"], request.body.get("temperature")) == ("mine", None if dialect == "anthropic" else 0.5)
    assert made.offer(TOOLS).changes
