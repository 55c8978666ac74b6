"""playground/host/running.py: work on other threads, questions answered on this one."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any

import pytest

from mcp_core.messages import Notification
from playground.host import running
from playground.host.running import BETWEEN, STOPPED, Halted, News, Question, Runner, Work
from playground.wire.connection import Declined
from tests.chats import asked

ASKED = asked("elicitation/create", message="Really?")


def work(function: Any, about: Any = None) -> Work:
    return Work(about, lambda stop: function())


def yes(question: Question) -> dict[str, Any]:
    return {"action": "accept"}


def test_outcomes_stand_in_the_order_of_the_work_and_it_runs_side_by_side() -> None:
    both = threading.Barrier(2)

    def meet(name: str) -> str:
        both.wait(10)
        return name

    works = [work(lambda: meet("slow")), work(lambda: meet("quick"))]
    assert Runner().run(works, yes) == ["slow", "quick"]
    assert Runner().run([], yes) == []


def test_a_thread_stays_for_the_next_work() -> None:
    runner = Runner()
    [first] = runner.run([work(threading.current_thread)], yes)
    assert runner.run([work(threading.current_thread)], yes) == [first]


def test_work_that_does_not_stop_when_told_to_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE", 0.05)
    runner, leave, busy = Runner(), threading.Event(), list[threading.Thread]()

    def stubborn() -> None:
        busy.append(threading.current_thread())
        with contextlib.suppress(Declined):
            runner.put("files", ASKED)
        leave.wait(20)

    def interrupt(question: Question) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(Halted):
        runner.run([work(stubborn)], interrupt)
    [other] = runner.run([work(threading.current_thread)], yes)
    assert other not in busy
    leave.set()


def test_a_thread_that_nobody_needs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "IDLE", 0.05)
    runner = Runner()
    [thread] = runner.run([work(threading.current_thread)], yes)
    thread.join(20)
    assert not thread.is_alive()
    assert runner.run([work(lambda: "done")], yes) == ["done"]


def test_a_question_is_answered_on_the_thread_that_runs_and_knows_its_work() -> None:
    runner, seen = Runner(), []

    def answer(question: Question) -> dict[str, Any]:
        seen.append((question.server, question.work, threading.current_thread()))
        return {"action": "accept"}

    works = [work(lambda: runner.put("files", ASKED), about=name) for name in ("one", "two")]
    assert runner.run(works, answer) == [{"action": "accept"}] * 2
    assert sorted(entry[:2] for entry in seen) == [("files", "one"), ("files", "two")]
    assert {entry[2] for entry in seen} == {threading.current_thread()}


def test_a_question_between_two_runs_is_declined_at_once() -> None:
    with pytest.raises(Declined, match=BETWEEN):
        Runner().put("files", ASKED)


def test_a_no_reaches_whoever_asked() -> None:
    runner = Runner()

    def no(question: Question) -> None:
        raise Declined("no")

    def ask() -> str:
        with pytest.raises(Declined):
            runner.put("files", ASKED)
        return "heard"

    assert runner.run([work(ask)], no) == ["heard"]


def test_a_fault_of_the_one_who_answers_leaves_nobody_waiting() -> None:
    runner, heard = Runner(), threading.Event()

    def ask() -> None:
        try:
            runner.put("files", ASKED)
        except Declined:
            heard.set()

    with pytest.raises(ZeroDivisionError):
        runner.run([work(ask)], lambda question: 1 // 0)  # type: ignore[arg-type, return-value]
    assert heard.wait(10)


def test_a_question_that_nobody_took_is_declined_in_the_end() -> None:
    runner, heard, asks = Runner(), threading.Event(), threading.Event()

    def ask_late() -> None:
        asks.set()
        try:
            runner.put("files", ASKED)
        except Declined:
            heard.set()

    def fail(question: Question) -> None:
        asks.wait(10)
        while runner._events is not None and runner._events.qsize() == 0:  # until the second question is there
            threading.Event().wait(0.01)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner.run([work(lambda: runner.put("files", ASKED)), work(ask_late)], fail)
    assert heard.wait(10)


def test_news_is_heard_while_something_runs_and_lost_otherwise() -> None:
    runner, heard = Runner(), list[News]()
    note = Notification("notifications/progress", {"progress": 1})
    runner.tell("files", note)
    runner.run([work(lambda: runner.tell("files", note), about="job")], yes, heard.append)
    assert heard == [News("files", note, "job")]


def test_what_work_raises_is_raised_once_all_are_done() -> None:
    done = []

    def fail() -> None:
        raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        Runner().run([work(fail), work(lambda: done.append(1))], yes)
    assert done == [1]


def interrupt() -> None:
    """What Ctrl-C does to the main thread."""
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_stops_the_work_and_keeps_what_is_finished() -> None:
    ready = threading.Event()

    def waits(stop: threading.Event) -> None:
        ready.wait(10)
        interrupt_main()
        assert stop.wait(10)

    def finishes(stop: threading.Event) -> str:
        ready.set()
        return "done"

    with pytest.raises(Halted) as halted:
        Runner().run([Work(None, waits), Work(None, finishes)], yes)
    assert list(halted.value.outcomes) == [None, "done"]


def interrupt_main() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def test_after_ctrl_c_failures_count_as_nothing_and_questions_are_declined() -> None:
    runner, declined = Runner(), []

    def asks(stop: threading.Event) -> None:
        interrupt_main()
        stop.wait(10)
        try:
            runner.put("files", ASKED)
        except Declined as no:
            declined.append(str(no))
        raise OSError("the connection was cut")

    with pytest.raises(Halted) as halted:
        runner.run([Work(None, asks)], yes)
    assert list(halted.value.outcomes) == [None]
    assert declined == [STOPPED]


def test_ctrl_c_at_a_question_stops_the_work_too() -> None:
    runner, told = Runner(), []

    def asks(stop: threading.Event) -> None:
        try:
            runner.put("files", ASKED)
        except Declined as no:
            told.append(str(no))

    def answer(question: Question) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Halted):
        runner.run([Work(None, asks)], answer)
    assert told == [STOPPED]


def test_work_that_does_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    ends = threading.Event()

    def stubborn(stop: threading.Event) -> None:
        interrupt_main()
        ends.wait(30)

    with pytest.raises(Halted):
        Runner().run([Work(None, stubborn)], yes)
    ends.set()


def test_a_second_ctrl_c_wants_to_leave() -> None:
    ends = threading.Event()

    def stubborn(stop: threading.Event) -> None:
        interrupt_main()
        stop.wait(10)
        interrupt_main()
        ends.wait(30)

    with pytest.raises(SystemExit) as leaving:
        Runner().run([Work(None, stubborn)], yes)
    ends.set()
    assert leaving.value.code == 130
