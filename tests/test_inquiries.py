"""playground/host/inquiries.py: what servers ask, and who answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from playground.host.approval import Approval, Reply
from playground.host.conversation import Conversation, Said
from playground.host.inquiries import CAPABILITIES, Inquiries, conversation_of
from playground.host.loop import Answer, NoAnswer
from playground.host.running import Question
from playground.host.story import Story
from playground.host.tools import Job, Tool
from playground.logbook import Logbook
from playground.wire.connection import Declined
from tests.chats import asked, job, records

DELETE = Tool("files__delete_file", server="files", original="delete_file")
SURE = {"type": "object", "properties": {"sure": {"type": "boolean", "title": "Delete it"}}, "required": ["sure"]}
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "description": "All of it"},
        "age": {"type": "integer", "minimum": 0, "default": 30},
        "size": {"type": "string", "enum": ["s", "m"]},
        "days": {"type": "array", "items": {"enum": ["mon", "tue"]}},
    },
    "required": ["name"],
}


class Typing:
    """A person: what is pressed and typed, one after another; an exception is raised."""

    def __init__(self, *typed: Any) -> None:
        self.typed = list(typed)
        self.prompts: list[str] = []

    def line(self, prompt: str, default: str = "") -> str:
        self.prompts.append(f"{prompt} {default}".strip())
        return self._next()

    def choose(self, prompt: str, choices: Mapping[str, str]) -> str:
        self.prompts.append(prompt)
        typed = self._next()
        assert typed in choices
        return typed

    def _next(self) -> str:
        typed = self.typed.pop(0)
        if isinstance(typed, BaseException):
            raise typed
        return str(typed)


class Model:
    model = "m"

    def __init__(self, said: str | NoAnswer = "A summary.", stop: str = "stop") -> None:
        self.said, self.stop = said, stop
        self.asked: list[Conversation] = []

    def complete(self, history: Conversation, tools: Any, **more: Any) -> Answer:
        self.asked.append(history)
        if isinstance(self.said, NoAnswer):
            raise self.said
        return Answer(Said(self.said), self.stop)


class World:
    def __init__(self, folder: Path, person: Typing | None, model: Model | None = None) -> None:
        self.folder = folder
        self.approval = Approval("ask", lambda question: Reply("yes"))
        self.shown: list[str] = []
        self.model = model or Model()
        story = Story(Logbook(folder, "mcp-client-chat"))
        provider: Any = self.model
        self.inquiries = Inquiries(person, self.approval, lambda: provider, story, self.shown.append)

    def answer(self, method: str, work: Any = None, **params: Any) -> Any:
        return self.inquiries.answer(Question("files", asked(method, **params), work))

    def elicit(self, schema: Any, work: Any = None, **more: Any) -> Any:
        return self.answer("elicitation/create", work, message="Really?", requestedSchema=schema, **more)

    @property
    def by(self) -> list[str]:
        return [record["data"]["by"] for record in records(self.folder, "server_question")]


def test_without_anybody_there_nothing_is_offered_and_nothing_answered(tmp_path: Path) -> None:
    world = World(tmp_path, None)
    assert world.inquiries.capabilities == {}
    assert world.elicit(SURE) is None


def test_with_somebody_there_forms_addresses_and_sampling_are_offered(tmp_path: Path) -> None:
    assert World(tmp_path, Typing()).inquiries.capabilities == CAPABILITIES


@pytest.mark.parametrize(
    ("key", "reply"),
    [
        ("y", {"action": "accept", "content": {"sure": True}}),
        ("n", {"action": "accept", "content": {"sure": False}}),
        ("c", {"action": "cancel"}),
        (EOFError(), {"action": "decline"}),
    ],
)
def test_a_yes_or_no_is_one_key(tmp_path: Path, key: Any, reply: Any) -> None:
    world = World(tmp_path, person := Typing(key))
    assert world.elicit(SURE) == reply
    assert person.prompts == ["Delete it"]
    assert world.shown == ["The server 'files' asks: Really?"]
    assert world.by == ["user"]


def test_the_yes_to_this_very_call_counts_and_is_logged_so(tmp_path: Path) -> None:
    world = World(tmp_path, Typing())
    call = job(DELETE)
    world.approval.review([call])
    assert world.elicit(SURE, work=call) == {"action": "accept", "content": {"sure": True}}
    assert world.by == ["approval"]
    assert "You have just said yes to it." in world.shown[0]


def other_call() -> Job:
    return job(DELETE, id="c2")


@pytest.mark.parametrize(
    ("work", "schema", "more"),
    [
        (other_call(), SURE, {}),
        (None, SURE, {}),
        (job(DELETE), PERSON, {}),
        (job(DELETE), {"type": "object", "properties": {"n": {"type": "integer"}}}, {}),
        (job(DELETE), None, {}),
        (job(DELETE), SURE, {"mode": "url", "url": "http://127.0.0.1:9/"}),
    ],
)
def test_any_other_question_is_asked(tmp_path: Path, work: Any, schema: Any, more: Any) -> None:
    world = World(tmp_path, person := Typing("n"))
    world.approval.review([job(DELETE)])
    world.elicit(schema, work=work, **more)
    assert person.prompts
    assert world.by == ["user"]


def test_a_yes_for_the_session_is_no_yes_to_the_server(tmp_path: Path) -> None:
    world = World(tmp_path, Typing("n"))
    world.approval = Approval("always")
    call = job(DELETE)
    world.approval.review([call])
    assert world.elicit(SURE, work=call)["content"] == {"sure": False}


def test_a_form_is_filled_in_line_by_line_and_checked(tmp_path: Path) -> None:
    person = Typing("y", "Ana", "old", "-1", "", "mon, tue", "Ana", "42", "m", "")
    world = World(tmp_path, person)
    reply = world.elicit(PERSON)
    assert reply == {"action": "accept", "content": {"name": "Ana", "age": 42, "size": "m"}}
    assert person.prompts[1] == "Your name (All of it):"
    assert person.prompts[2] == "age (may be left empty): 30"
    assert person.prompts[4] == "size (one of s, m; may be left empty):"
    assert person.prompts[5] == "days (one of mon, tue; several, with commas between; may be left empty):"
    assert world.shown[1] == "'age' is a whole number."
    assert world.shown[2].startswith("That can't be sent: 'age'")


def test_a_form_can_be_refused(tmp_path: Path) -> None:
    assert World(tmp_path, Typing("n")).elicit(PERSON) == {"action": "decline"}
    assert World(tmp_path, Typing("c")).elicit(PERSON) == {"action": "cancel"}


def test_an_address_is_shown_and_not_opened(tmp_path: Path) -> None:
    for key, action in (("y", "accept"), ("n", "decline")):
        world = World(tmp_path, Typing(key))
        reply = world.answer("elicitation/create", mode="url", url="javascript:alert(1)", message="Log in")
        assert reply == {"action": action}
        assert "javascript:alert(1)" in world.shown[1]


def messages(*texts: str) -> list[Any]:
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": {"type": "text", "text": text}} for n, text in enumerate(texts)]


def test_sampling_needs_two_yeses_and_shows_both_texts(tmp_path: Path) -> None:
    world = World(tmp_path, Typing("y", "y"))
    reply = world.answer("sampling/createMessage", messages=messages("Sum up: x"), systemPrompt=" Short. ")
    assert reply == {
        "role": "assistant",
        "content": {"type": "text", "text": "A summary."},
        "model": "m",
        "stopReason": "endTurn",
    }
    assert world.model.asked[0].system == "Short."
    assert world.shown == [
        "The server 'files' wants to ask your model (m):",
        "Sum up: x",
        "It answered:\nA summary.",
    ]
    world = World(tmp_path, Typing("y", "y"), Model(stop="length"))
    assert world.answer("sampling/createMessage", messages=messages("x"))["stopReason"] == "maxTokens"


@pytest.mark.parametrize(("keys", "was_asked"), [(["n"], 0), (["y", "n"], 1), ([EOFError()], 0)])
def test_sampling_can_be_refused_before_and_after(tmp_path: Path, keys: list[Any], was_asked: int) -> None:
    world = World(tmp_path, Typing(*keys))
    with pytest.raises(Declined, match="The user said no"):
        world.answer("sampling/createMessage", messages=messages("x"))
    assert len(world.model.asked) == was_asked
    assert world.by == ["user"]


def test_a_model_that_fails_is_a_no_with_its_reason(tmp_path: Path) -> None:
    world = World(tmp_path, Typing("y"), Model(NoAnswer("It is overloaded.")))
    with pytest.raises(Declined, match="It is overloaded"):
        world.answer("sampling/createMessage", messages=messages("x"))


def test_what_nobody_knows_is_not_answered(tmp_path: Path) -> None:
    assert World(tmp_path, Typing()).answer("tasks/create") is None


def test_ctrl_c_goes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        World(tmp_path, Typing(KeyboardInterrupt())).elicit(SURE)


def test_a_conversation_of_several_messages(tmp_path: Path) -> None:
    made = conversation_of({"messages": [*messages("a", "b"), *messages("c"), *messages("d")]})
    assert [len(turn.question) for turn in made.turns] == [1, 2]
    assert made.state == "model"


@pytest.mark.parametrize(
    "wrong",
    [None, [], messages("a", "b"), [{"role": "user"}], [5], "text", messages(" ")],
)
def test_messages_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(Declined, match="can't be understood"):
        conversation_of({"messages": wrong} if wrong is not None else {})
