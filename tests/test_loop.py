"""One turn of the host, driven by scripted models and counting tools."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.host.calls import Call, Result
from playground.host.conversation import CANCELLED, Conversation, Said
from playground.host.loop import (
    Answer,
    Capped,
    Interrupted,
    Limits,
    NoAnswer,
    Say,
    Step,
    Stopped,
    Think,
    Use,
    Warn,
    drive,
    turn,
)
from playground.host.tools import Job, Tool

READ = Tool("files__read_file", original="read_file")
WRITE = Tool("files__write_file", original="write_file")
TOOLS = (READ, WRITE)


def call(name: str = "files__read_file", arguments: Any = '{"filename":"a.txt"}', id: Any = "") -> Call:
    return Call.received(id, name, arguments)


def calling(*calls: Call, text: str = "") -> Answer:
    return Answer(Said(text, calls), "calls")


def saying(text: str, stop: str = "stop") -> Answer:
    return Answer(Said(text), stop)


class Host:
    """Drives a turn: the model says what is scripted, each tool answers "result of NAME"; all steps are kept."""

    def __init__(self, *answers: Answer | BaseException, choices: Iterable[str] = (), result: str = "") -> None:
        self.answers = list(answers)
        self.choices = list(choices)
        self.result = result
        self.steps: list[Step] = []
        self.ran: Counter[str] = Counter()
        self.on_use: Callable[[Use], Any] | None = None

    def __call__(self, step: Step) -> Any:
        self.steps.append(step)
        match step:
            case Think():
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if isinstance(answer, BaseException):
                    raise answer
                return answer
            case Use(jobs):
                self.ran.update(job.call.id for job in jobs)
                return self.on_use(step) if self.on_use else [self.done(job) for job in reversed(jobs)]
            case Capped():
                return self.choices.pop(0) if self.choices else "stop"
            case _:
                return None

    def done(self, job: Job) -> Result:
        return Result.of_text(job.call.id, self.result or f"result of {job.tool.name}")

    def run(self, conversation: Conversation | None = None, tools: Any = TOOLS, **more: Any) -> Conversation:
        return drive(turn(conversation or Conversation().ask("do it"), tools, **more), self)

    def of(self, kind: type) -> list[Any]:
        return [step for step in self.steps if isinstance(step, kind)]

    @property
    def kinds(self) -> list[str]:
        return [warn.diagnosis.kind for warn in self.of(Warn)]


def results(conversation: Conversation) -> list[tuple[str, bool]]:
    return [
        (result.content[0]["text"], result.is_error)
        for turn in conversation.turns
        for step in turn.steps
        for result in step.results
    ]


class TooLong(NoAnswer):
    kind = "too_long"


def test_an_answer_without_calls_ends_the_turn() -> None:
    host = Host(saying("Hello."))
    conversation = host.run()
    assert host.steps[-1] == Say("Hello.")
    assert conversation.state == "idle"
    assert [type(step) for step in host.steps] == [Think, Say]


def test_calls_run_until_the_model_answers_and_results_stand_in_order() -> None:
    host = Host(calling(call(id="a"), call("files__write_file", id="b")), calling(call(id="c")), saying("Done."))
    conversation = host.run()
    assert [type(step) for step in host.steps] == [Think, Use, Think, Use, Think, Say]
    assert [r.call_id for r in conversation.turns[0].steps[0].results] == ["a", "b"]
    assert [text for text, _ in results(conversation)] == [
        "result of files__read_file",
        "result of files__write_file",
        "result of files__read_file",
    ]
    assert [think.round for think in host.of(Think)] == [1, 2, 3]
    assert host.of(Think)[1].history.state == "model"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ('{"filename": "a.txt"', "cut_json"),
        ("filename=a.txt", "invalid_json"),
        ("null", "not_object"),
        ("[]", "not_object"),
        ("5", "not_object"),
        ('"{\\"filename\\": \\"a.txt\\"}"', "double_encoded"),
    ],
)
def test_arguments_that_do_not_parse_are_never_run_and_the_model_is_told(arguments: str, kind: str) -> None:
    host = Host(calling(call(arguments=arguments, id="x")), saying("Sorry."))
    conversation = host.run()
    assert not host.ran
    ((text, is_error),) = results(conversation)
    assert is_error
    assert "not run" in text
    assert kind in host.kinds


@pytest.mark.parametrize("arguments", [None, ""])
def test_no_arguments_are_an_empty_object_which_the_check_then_judges(arguments: Any) -> None:
    host = Host(calling(call(arguments=arguments, id="x")), saying("Hm."))
    host.run()
    assert host.of(Use)[0].jobs[0].arguments == {}
    host = Host(calling(call(arguments=arguments, id="x")), saying("Hm."))
    conversation = host.run(check=lambda tool, given: None if "filename" in given else "'filename' is missing")
    assert not host.ran
    assert results(conversation) == [("The tool was not run: 'filename' is missing", True)]
    assert host.kinds == ["wrong_arguments"]


@pytest.mark.parametrize("name", ["readfile", "files__readfile", "", None])
def test_an_unknown_tool_is_answered_with_the_list_of_known_ones(name: Any) -> None:
    host = Host(calling(Call.received("x", name, "{}")), saying("Oh."))
    conversation = host.run()
    assert not host.ran
    ((text, is_error),) = results(conversation)
    assert is_error
    assert "files__read_file, files__write_file" in text
    assert host.kinds == ["unknown_tool"]


def test_a_name_without_prefix_reaches_the_one_tool_that_has_it() -> None:
    host = Host(calling(call("read_file", id="x")), saying("Done."))
    host.run()
    assert host.of(Use)[0].jobs[0].tool is READ


def test_a_mixed_round_runs_what_can_be_run() -> None:
    host = Host(calling(call(id="a"), call("nosuch", id="b"), call(arguments="{", id="c")), saying("Done."))
    conversation = host.run()
    assert list(host.ran) == ["a"]
    assert [error for _, error in results(conversation)] == [False, True, True]


def test_missing_ids_are_made_and_used_in_both_messages() -> None:
    host = Host(calling(call(), call(id=None)), saying("Done."))
    conversation = host.run()
    step = conversation.turns[0].steps[0]
    assert [c.id for c in step.said.calls] == [r.call_id for r in step.results] == ["call_1", "call_2"]
    assert host.kinds == ["call_id", "call_id"]


def test_one_call_sent_twice_runs_once_and_two_calls_of_one_id_run_both() -> None:
    twice = Host(calling(call(id="a"), call(id="a")), saying("Done."))
    conversation = twice.run()
    assert list(twice.ran) == ["a"]
    assert [error for _, error in results(conversation)] == [False, True]
    assert "second time" in results(conversation)[1][0]
    other = Host(calling(call(id="a"), call("files__write_file", id="a")), saying("Done."))
    other.run()
    assert sorted(other.ran) == ["a", "call_1"]


def test_an_endless_loop_ends_at_the_cap_and_says_so() -> None:
    host = Host(calling(call(id="same")))
    conversation = host.run()
    assert len(host.of(Think)) == 10
    assert host.of(Capped) == [Capped(10)]
    assert host.steps[-1] == Say("Stopped: the limit of 10 rounds of tool calls is reached.", by_host=True)
    assert conversation.state == "idle"
    assert host.kinds.count("repeated_call") == 1
    assert max(host.ran.values()) == 1


def test_at_the_cap_the_user_may_continue() -> None:
    answers = [calling(call()) for _ in range(5)]
    host = Host(*answers, saying("At last."), choices=["continue", "continue"])
    host.run(limits=Limits(rounds=2))
    assert host.of(Capped) == [Capped(2), Capped(4)]
    assert host.steps[-1] == Say("At last.")


def test_at_the_cap_the_user_may_ask_for_a_summary() -> None:
    host = Host(calling(call()), calling(call()), saying("In short."), choices=["summarize"])
    conversation = host.run(limits=Limits(rounds=2))
    last = host.of(Think)[-1]
    assert last.tools == ()
    assert "limit" in last.history.turns[-1].steps[-1].results[-1].content[-1]["text"]
    assert host.steps[-1] == Say("In short.")
    assert conversation.state == "idle"


def test_a_model_that_calls_instead_of_summarizing_is_stopped() -> None:
    host = Host(calling(call()), choices=["summarize"])
    conversation = host.run(limits=Limits(rounds=1))
    assert host.steps[-1] == Say("Stopped: the model asks for more tools instead of answering.", by_host=True)
    assert conversation.state == "idle"
    assert len(host.of(Use)) == 1


def test_the_list_of_tools_is_asked_for_each_round() -> None:
    lists = [(READ,), TOOLS]
    host = Host(calling(call()), saying("Done."))
    host.run(tools=lambda: lists.pop(0))
    assert [think.tools for think in host.of(Think)] == [(READ,), TOOLS]


def test_a_result_over_the_limit_is_cut_for_the_model_with_a_mark() -> None:
    host = Host(calling(call()), saying("Long."), result="x" * 100)
    conversation = host.run(limits=Limits(result=30))
    text = results(conversation)[0][0]
    assert text.startswith("x" * 30 + "\n[Cut here: 100 characters")
    assert host.kinds[1:] == ["result_cut"]
    assert "70 characters less" in host.of(Warn)[1].diagnosis.sentence


def test_results_take_at_most_half_of_the_window() -> None:
    assert Limits(budget=1000).per_result(1) == 1500
    assert Limits(budget=1000).per_result(5) == 300
    assert Limits(budget=10).per_result(3) == 200
    assert Limits(budget=10**6).per_result(1) == Limits().per_result(9) == 20_000


def test_a_history_over_the_budget_is_trimmed_with_a_notice() -> None:
    conversation = Conversation("be short")
    for number in range(30):
        conversation = conversation.ask(f"question {number}").say(Said("answer " * 20))
    host = Host(saying("Done."))
    after = host.run(conversation.ask("last"), limits=Limits(budget=600))
    assert host.kinds == ["trimmed"]
    assert len(host.of(Think)[0].history.turns) < 15
    assert len(after.turns) == 31


def test_a_context_too_long_is_tried_once_more_with_half_of_the_history() -> None:
    conversation = Conversation().ask("one").say(Said("x" * 900)).ask("two").say(Said("y" * 900)).ask("three")
    host = Host(TooLong("Too long."), saying("Done."))
    host.run(conversation)
    assert host.kinds == ["trimmed"]
    assert host.steps[-1] == Say("Done.")
    alone = Host(TooLong("Too long."), saying("Done."))
    assert alone.run() == Conversation()
    assert alone.steps[-1] == Stopped("too_long", "Too long.")


def test_a_failing_provider_leaves_the_history_as_it_was_before_the_question() -> None:
    before = Conversation("be short").ask("hi").say(Said("hello"))
    host = Host(NoAnswer("Nothing answers."))
    assert host.run(before.ask("again")) == before
    assert host.steps[-1] == Stopped("failed", "Nothing answers.")


def test_a_provider_that_fails_after_calls_leaves_them_in_a_closed_turn() -> None:
    host = Host(calling(call()), NoAnswer("It broke off."))
    conversation = host.run()
    assert conversation.state == "idle"
    assert len(results(conversation)) == 1
    assert conversation.turns[-1].steps[-1].said.by_host


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Interrupted()])
def test_an_interrupt_during_the_model_call_keeps_the_question(stop: BaseException) -> None:
    host = Host(stop)
    conversation = host.run()
    assert conversation.state == "idle"
    assert conversation.turns[0].question[0]["text"] == "do it"
    assert host.steps[-1].kind == "interrupted"  # type: ignore[union-attr]


def test_an_interrupt_during_tools_keeps_finished_results_and_cancels_the_rest() -> None:
    host = Host(calling(call(id="a"), call(id="b"), call("nosuch", id="c")))

    def stop(use: Use) -> Any:
        raise Interrupted([Result.of_text("a", "x" * 30), Result.of_text("stranger", "?")])

    host.on_use = stop
    conversation = host.run(limits=Limits(result=10))
    assert [text[:20] for text, _ in results(conversation)] == [
        "x" * 10 + "\n[Cut here",
        CANCELLED[:20],
        "There is no tool nam",
    ]
    assert conversation.ask("go on").state == "model"


def test_a_job_without_a_result_gets_one_that_says_so() -> None:
    host = Host(calling(call(id="a")), saying("Hm."))
    host.on_use = lambda use: [Result.of_text("other", "1"), *[]]
    assert results(host.run()) == [("The host has no result for this call.", True)]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (saying(""), "empty_answer"),
        (saying(" ", "no_choice"), "no_choice"),
        (saying("half", "length"), "cut_answer"),
        (saying("no", "refusal"), "refusal"),
        (saying('```json\n{"name": "read_file", "arguments": {}}\n```'), "call_as_text"),
    ],
)
def test_a_strange_answer_is_diagnosed_and_the_history_stays_usable(answer: Answer, kind: str) -> None:
    host = Host(answer)
    conversation = host.run()
    assert host.kinds == [kind]
    assert not host.ran
    assert isinstance(host.steps[-1], Say)
    assert conversation.ask("again").state == "model"


def test_an_answer_past_the_result_is_diagnosed() -> None:
    host = Host(calling(call()), saying("I found 5 lines."), result='{"count":3}')
    host.run()
    assert host.kinds[1:] == ["result_ignored"]


def test_a_turn_needs_a_conversation_that_waits_for_the_model() -> None:
    with pytest.raises(ValueError, match="waits for the model"):
        Host(saying("x")).run(Conversation())


def test_another_error_of_the_driver_goes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        Host(ZeroDivisionError()).run()


a_call = st.builds(
    call,
    st.sampled_from(["files__read_file", "read_file", "nosuch", ""]),
    st.sampled_from([None, "", "{}", "[]", '{"a":', '{"a":1}']),
    st.sampled_from(["a", "b", "", None]),
)
an_answer: st.SearchStrategy[Answer | BaseException] = st.one_of(
    st.builds(lambda calls: calling(*calls), st.lists(a_call, min_size=1, max_size=5)),
    st.sampled_from([saying("fine"), saying("")]),
    st.sampled_from([NoAnswer("no"), TooLong("long"), KeyboardInterrupt()]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(an_answer, min_size=1, max_size=6), max_size=5), st.none() | st.integers(50, 500))
def test_whatever_models_do_each_call_is_answered_once_and_nothing_runs_twice(
    turns: list[list[Answer | BaseException]], budget: int | None
) -> None:
    conversation = Conversation("be short")
    for answers in turns:
        host = Host(*answers)
        conversation = host.run(conversation.ask("next"), limits=Limits(rounds=4, budget=budget))
        assert conversation.state == "idle"
        assert len(host.of(Think)) <= 2 * 4
        assert all(count == 1 for count in host.ran.values())
        assert isinstance(host.steps[-1], Say | Stopped)
