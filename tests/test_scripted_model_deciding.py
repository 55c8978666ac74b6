"""The next answer follows from the conversation alone."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from playground.scripted_model.deciding import decide, singly
from playground.scripted_model.doing import carry_out
from playground.scripted_model.steps import Step
from playground.scripted_model.talk import Answer, Call, Outcome, Prompt, Question, Round, Tool
from playground.scripted_model.toolbox import Toolbox
from tests.scripted_files import TOOLS, TUTORIAL, Disk, Talk


def prompt(text: str, *rounds: Round, **fields: Any) -> Prompt:
    return Prompt("m", (Question(text, rounds),), TOOLS, **fields)


def test_the_same_conversation_gets_the_same_answer() -> None:
    assert decide(prompt(TUTORIAL)) == decide(prompt(TUTORIAL))


def test_calls_may_be_forbidden_or_demanded() -> None:
    assert "None of the tools" in decide(prompt(TUTORIAL, may_call=False)).text
    assert decide(prompt("hello", must_call="")).calls[0].name == "files__list_files"
    assert decide(prompt("hello", must_call="files__read_file")).calls == (
        Call.of("files__read_file", {"filename": "notes.txt"}),
    )
    assert decide(prompt("hello", must_call="nobody")).text.startswith("Hello!")
    assert decide(prompt("list files", must_call="")).calls[0].name == "files__list_files"


def test_calls_can_come_one_at_a_time() -> None:
    talk = Talk(Disk({"a.txt": "1", "b.txt": "2"}), is_parallel=False)
    assert "b.txt says:\n2" in talk.ask("read a.txt and b.txt")
    assert len(talk.questions[0].rounds) == 2
    assert list(singly(carry_out([], Toolbox([])))) == []
    assert next(singly(carry_out([Step("list")], Toolbox(TOOLS))))[0].name == "files__list_files"


def test_results_that_never_came_are_errors() -> None:
    calls = (Call.of("files__read_file", {}), Call.of("files__read_file", {}))
    half = Round(calls, (Outcome(calls[0], '{"content": "x"}'),))
    said = decide(prompt("read a.txt and b.txt", half)).text
    assert said == "a.txt says:\nx\nI could not read b.txt: no result came back"


def test_more_rounds_than_the_plan_has_do_no_harm() -> None:
    done = Round((Call.of("f", {}),), (Outcome(Call.of("f", {}), '{"files": []}'),))
    assert decide(prompt("list files", done, done, done)).text == "There are no files."


def test_arguments_a_user_changed_are_named() -> None:
    note = '[The user changed the arguments before the tool ran: {"filename":"b.txt"}]\n{"content": "x"}'
    said = decide(prompt("read a.txt", Round((Call.of("f", {}),), (Outcome(Call.of("f", {}), note),)))).text
    assert said.startswith('You had a call run with {"filename":"b.txt"} instead.\n')


def test_a_file_a_tool_was_called_with_is_known_later() -> None:
    talk = Talk()
    talk.ask("make me a shopping list with milk and eggs")
    assert talk.ask("now read it") == "shopping-list.txt says:\nmilk\neggs"


ECHO = Tool(
    "demo__echo", "", {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
)


def test_a_tool_can_be_called_by_its_name() -> None:
    def talk(told: str) -> Talk:
        return Talk(tools=(ECHO,), told=lambda call: told)

    assert talk("hi!").ask("call echo with message=hi") == "demo__echo answered:\nhi!"
    assert talk("Error: no").ask("call echo with message=hi") == "demo__echo failed: no"
    assert "declined" in talk("The user declined.").ask("call echo with message=hi")
    assert "I need a value for each of: message" in talk("").ask("use the echo tool")


def test_nothing_is_understood_without_a_question() -> None:
    assert decide(Prompt("m")).text.startswith("I did not understand")


WORDS = st.sampled_from(
    """
    create read write delete count list search add append rename copy the a file
    notes.txt b.txt 'x' "y z" it then and , .
    TODO TODOs to in with before after if exists not don't how many lines all files both ⟦f9⟧ {result} [x] - 1. 2. : ; ?
    empty
    """.split()  # noqa: SIM905 - many words read better as words
)
RESULTS = st.sampled_from(["", "Error: no", '{"count": 1}', "declined", "{", "[]", '{"files": ["a"]}'])


@settings(max_examples=300)
@given(
    st.lists(WORDS, max_size=14),
    st.lists(st.sampled_from(["", "Error: no", '{"count": 1}', "declined", "{", "[]", '{"files": ["a"]}']), max_size=4),
)
def test_any_words_and_any_results_end_in_an_answer(words: list[str], told: list[str]) -> None:
    results = iter(told)
    talk = Talk(told=lambda call: next(results, None))
    assert talk.ask(" ".join(words), rounds=60) != "(still calling)"


@given(st.text(max_size=60))
def test_any_text_gets_an_answer(text: str) -> None:
    assert isinstance(decide(prompt(text)), Answer)
