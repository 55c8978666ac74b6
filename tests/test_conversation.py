"""The conversation, tried with random histories against what the strictest providers demand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.host import budget
from playground.host.calls import Call, Result, text_block
from playground.host.conversation import CANCELLED, NO_ANSWER, STOPPED, Conversation, Said, Step, Turn

# ---- Judges: the two providers' rules, over flat lists ----------------------------------------------------


def as_openai(conversation: Conversation) -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = [("system", None)] if conversation.system else []
    for turn in conversation.turns:
        flat.append(("user", None))
        for step in turn.steps:
            flat.append(("assistant", [call.id for call in step.said.calls] or step.said.text))
            flat += [("tool", result.call_id) for result in step.results]
    return flat


def judge(conversation: Conversation) -> None:
    """Each call answered once and at once; roles alternate; ids unique; nothing empty; one system prompt, first."""
    flat, position, seen = as_openai(conversation), 0, set[str]()
    previous = "assistant"
    while position < len(flat):
        role, content = flat[position]
        position += 1
        if role == "system":
            assert position == 1
            continue
        assert role != "tool", "a result without its call"
        assert role != previous, "two messages of one role"
        previous = role
        assert content != ""
        if isinstance(content, list):
            results = [flat[at][1] for at in range(position, position + len(content))]
            assert results == content, "a call without its result directly after it"
            assert not seen & set(content), "an id used twice"
            assert len(set(content)) == len(content)
            seen |= set(content)
            position += len(content)
            previous = "user"


# ---- Random histories -------------------------------------------------------------------------------------

ids = st.sampled_from(["a", "b", "call_1", "call_2", "", None, 7])
arguments = st.sampled_from([None, "", "{}", '{"x":1}', "null", "[]", '{"x":', {"y": 2}, "x=1"])
a_call = st.builds(Call.received, ids, st.sampled_from(["read", "", None]), arguments)
a_said = st.builds(Said, st.sampled_from(["", " ", "hello", "x" * 300]), st.lists(a_call, max_size=4).map(tuple))
an_act = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(["hi", "y" * 500])),
    st.tuples(st.just("say"), a_said),
    st.tuples(st.just("give"), st.integers(0, 4)),
    st.tuples(st.just("settle"), st.none()),
    st.tuples(st.just("withdraw"), st.none()),
    st.tuples(st.just("system"), st.sampled_from(["", "be short"])),
    st.tuples(st.just("note"), st.none()),
)


def played(acts: list[tuple[str, Any]]) -> Conversation:
    """Do what is possible now; what is refused must leave the conversation as it was."""
    conversation = Conversation()
    for act, what in acts:
        before = conversation
        try:
            match act:
                case "ask":
                    conversation = conversation.ask(what)
                case "say":
                    conversation = conversation.say(what)
                case "give":
                    chosen = conversation.open_calls[:what]
                    conversation = conversation.give(Result.of_text(c.id, "r" * 100) for c in reversed(chosen))
                case "settle":
                    conversation = conversation.settle()
                case "withdraw":
                    conversation = conversation.withdraw()
                case "system":
                    conversation = conversation.with_system(what)
                case "note":
                    conversation = conversation.noting("note")
        except ValueError:
            assert conversation is before
        if conversation.state != "tools":
            judge(conversation)
    return conversation


@settings(max_examples=200, deadline=None)
@given(st.lists(an_act, max_size=40), st.integers(0, 600))
def test_whatever_happens_the_history_stays_valid_and_so_does_every_trimmed_view(
    acts: list[tuple[str, Any]], room: int
) -> None:
    conversation = played(acts)
    judge(conversation.settle())
    whole = conversation.settle().ask("and now?")
    judge(whole)
    view, trim = budget.fitted(whole, room)
    judge(view)
    assert view.system == whole.system
    assert view.turns[-1].question[-1] == whole.turns[-1].question[-1]
    assert (trim is None) == (view is whole)
    if trim is None or trim.fits:
        assert budget.tokens(view) <= room
    if trim:
        assert trim.sentence
        assert len(view.turns) == len(whole.turns) - trim.turns


# ---- Examples ---------------------------------------------------------------------------------------------


def call(id: Any = "a", name: str = "read", arguments: Any = "{}") -> Call:
    return Call.received(id, name, arguments)


def asked(*calls: Call, text: str = "") -> Conversation:
    return Conversation("be short").ask("hi").say(Said(text, calls))


def test_a_turn_goes_from_question_over_calls_and_results_to_the_answer() -> None:
    start = Conversation().ask("count")
    assert start.state == "model"
    called = start.say(Said("Let me see.", (call("a"), call("b"))))
    assert called.state == "tools"
    half = called.give([Result.of_text("b", "2")])
    assert [c.id for c in half.open_calls] == ["a"]
    done = half.give([Result.of_text("a", "1")])
    assert done.state == "model"
    assert [r.call_id for r in done.turns[0].steps[0].results] == ["a", "b"]
    assert done.say(Said("3")).state == "idle"
    assert start.state == "model"  # nothing changed in place


def test_missing_empty_and_doubled_ids_become_unique_ids_and_the_received_ones_are_remembered() -> None:
    calls = asked(call(None), call(""), call("x"), call("x"), call("call_3"), call(5)).open_calls
    assert [c.id for c in calls] == ["call_1", "call_2", "x", "call_4", "call_3", "5"]
    assert [c.received_id for c in calls] == ["", "", None, "x", None, None]


def test_an_id_of_an_earlier_turn_is_not_used_again() -> None:
    first = asked(call("call_0")).settle()
    again = first.ask("more").say(Said("", (call("call_0"),)))
    assert [c.id for c in again.open_calls] == ["call_2"]
    assert again.open_calls[0].received_id == "call_0"


def test_an_interrupted_turn_keeps_what_was_done_and_cancels_the_rest() -> None:
    stopped = asked(call("a"), call("b")).give([Result.of_text("a", "done")]).settle()
    first, second = stopped.turns[0].steps[0].results
    assert (first.content[0]["text"], first.is_error) == ("done", False)
    assert (second.content[0]["text"], second.is_error) == (CANCELLED, True)
    last = stopped.turns[0].steps[-1].said
    assert (last.text, last.by_host) == (STOPPED, True)
    assert stopped.settle() is stopped


def test_asking_in_the_middle_of_a_turn_settles_it_first() -> None:
    judge(asked(call()).ask("next").settle())


def test_an_empty_answer_becomes_a_word_of_the_host() -> None:
    said = asked(text=" \n").turns[0].steps[0].said
    assert (said.text, said.by_host) == (NO_ANSWER, True)


def test_a_question_without_an_answer_can_be_taken_back() -> None:
    conversation = asked(text="hello")
    assert conversation.ask("oops").withdraw() == conversation
    assert Conversation().withdraw() == Conversation()
    assert asked(call()).withdraw() == asked(call()).settle()


def test_clearing_keeps_the_system_prompt() -> None:
    assert asked(text="hello").cleared() == Conversation("be short")
    assert Conversation().with_system(" be kind \n").system == "be kind"


def test_a_note_reaches_the_model_with_the_newest_result() -> None:
    noted = asked(call()).give([Result.of_text("a", "1")]).noting("Answer now.")
    assert [block["text"] for block in noted.turns[0].steps[0].results[0].content] == ["1", "Answer now."]
    for other in (Conversation(), Conversation().ask("hi"), asked(call()), asked(text="hello")):
        with pytest.raises(ValueError, match="no new result"):
            other.noting("Answer now.")


def test_a_question_may_carry_blocks_and_what_is_no_block_becomes_text() -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert Conversation().ask([image]).turns[0].question == (image,)
    assert Conversation().ask([5]).turns[0].question == (text_block("5"),)  # type: ignore[list-item]


@pytest.mark.parametrize("question", ["", "  \n", [], [{"type": "text", "text": ""}]])
def test_an_empty_question_is_refused(question: Any) -> None:
    with pytest.raises(ValueError, match="question"):
        Conversation().ask(question)


def test_the_model_speaks_only_when_it_is_waited_for() -> None:
    for conversation in (Conversation(), asked(text="hello"), asked(call())):
        with pytest.raises(ValueError, match="can't speak"):
            conversation.say(Said("x"))


@pytest.mark.parametrize("ids", [["z"], ["a", "a"], ["a", "z"]])
def test_results_must_answer_open_calls_and_only_once(ids: list[str]) -> None:
    with pytest.raises(ValueError, match="open call"):
        asked(call()).give(Result.of_text(id, "1") for id in ids)
    assert asked(call()).give([]) == asked(call())


ONE = Step(Said("", (call("a"),)), (Result.of_text("a", "1"),))
LAST = Step(Said("bye"))
QUESTION = (text_block("hi"),)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Step(Said(" ")),
        lambda: Step(Said("", (call(""),))),
        lambda: Step(Said("", (call("a"), call("a")))),
        lambda: Step(Said("x"), (Result.of_text("a", "1"),)),
        lambda: Step(Said("", (call("a"), call("b"))), (Result.of_text("b", "1"), Result.of_text("a", "1"))),
        lambda: Step(Said("", (call("a"),)), (Result.of_text("a", "1"), Result.of_text("a", "1"))),
        lambda: Turn(QUESTION, (LAST, LAST)),
        lambda: Turn(QUESTION, (Step(Said("", (call("a"),))), LAST)),
        lambda: Conversation("", (Turn(QUESTION, (ONE,)), Turn(QUESTION))),
        lambda: Conversation("", (Turn(QUESTION, (ONE, LAST)), Turn(QUESTION, (ONE,)))),
        lambda: Call("a", "read", "", None),
        lambda: Result("a", ()),
    ],
)
def test_an_invalid_shape_cannot_even_be_built(build: Any) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        build()
