"""The threads of a server: who answers, who leads meanwhile, and how all of them end."""

import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from playground import crew as module
from playground.crew import Crew, Task

PATIENCE = 10.0
NEVER = 1000.0


class Job:
    """A task that notes its thread; it runs until it is let go of."""

    def __init__(self, then: Callable[[], object] = lambda: None, *, waits: bool = False) -> None:
        self._then, self.thread = then, ""
        self.has_begun, self.may_end, self.is_done = threading.Event(), threading.Event(), threading.Event()
        if not waits:
            self.may_end.set()

    def service(self) -> None:
        self.thread = str(threading.get_ident())
        try:
            self._then()
        finally:
            self.has_begun.set()
        try:
            assert self.may_end.wait(PATIENCE)
        finally:
            self.is_done.set()


class Loop:
    """A loop that brings what is put into it, and a thread that keeps watch over its crew."""

    def __init__(self, most: int = 8) -> None:
        self.inbox: SimpleQueue[Task | None] = SimpleQueue()
        self.crew = Crew(self.turn, lambda: self.inbox.put(None), most)
        self.turns = threading.Semaphore(0)
        self.is_over = False
        self.raised: list[BaseException] = []
        self.watch = threading.Thread(target=self._watch)

    def turn(self) -> None:
        self.turns.release()
        task = self.inbox.get()
        if task is not None:
            self.crew.add_task(task)

    def _watch(self) -> None:
        try:
            self.crew.watch(lambda: self.is_over)
        except ZeroDivisionError as error:
            self.raised.append(error)

    def run(self, *jobs: Job) -> None:
        """Brings jobs, each when the one before has begun."""
        for job in jobs:
            self.inbox.put(job)
            assert job.has_begun.wait(PATIENCE)

    def end(self, patience: float = PATIENCE) -> None:
        self.is_over = True
        self.crew.ring()
        self.watch.join(PATIENCE)
        self.crew.end(time.monotonic() + patience)


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    made.watch.start()
    yield made
    made.end()
    assert not made.crew._threads


@pytest.fixture
def patient_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch that takes the helm from nobody."""
    monkeypatch.setattr(module, "TICK", NEVER)


@pytest.mark.usefixtures("patient_watch")
def test_whoever_reads_a_request_answers_it(loop: Loop) -> None:
    jobs = [Job() for _ in range(5)]
    for job in jobs:
        loop.run(job)
        assert job.is_done.wait(PATIENCE)
    assert len({job.thread for job in jobs}) == 1


def test_an_answer_that_takes_long_holds_up_nobody(loop: Loop) -> None:
    slow, quick = Job(waits=True), Job()
    loop.run(slow, quick)
    assert quick.is_done.wait(PATIENCE)
    assert not slow.is_done.is_set()
    assert quick.thread != slow.thread
    slow.may_end.set()


@pytest.mark.usefixtures("patient_watch")
def test_who_knows_that_it_will_take_long_need_not_wait_for_the_watch(loop: Loop) -> None:
    slow, quick = Job(loop.crew.give_way, waits=True), Job()
    loop.run(slow, quick)
    assert quick.thread != slow.thread
    slow.may_end.set()


@pytest.mark.usefixtures("patient_watch")
def test_to_give_way_twice_is_to_do_it_once(loop: Loop) -> None:
    def twice() -> None:
        loop.crew.give_way()
        loop.crew.give_way()

    slow = Job(twice, waits=True)
    loop.run(slow)
    assert loop.turns.acquire(timeout=PATIENCE)
    slow.may_end.set()


def test_a_watch_that_sleeps_is_woken_by_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET", 1)
    made = Loop()
    made.watch = threading.Thread(target=lambda: made.crew.watch(lambda: made.is_over, sleep=NEVER))
    made.watch.start()
    deadline = time.monotonic() + PATIENCE
    assert made.turns.acquire(timeout=PATIENCE)
    while made.crew._is_watch_awake and time.monotonic() < deadline:
        threading.Event().wait(0.001)
    slow, quick = Job(waits=True), Job()
    made.run(slow, quick)
    slow.may_end.set()
    made.end()


@pytest.mark.usefixtures("patient_watch")
def test_the_last_thread_keeps_the_loop_and_answers_when_another_is_done() -> None:
    made = Loop(most=1)
    made.watch.start()
    slow, next_one = Job(made.crew.give_way, waits=True), Job()
    made.run(slow)
    made.inbox.put(next_one)
    for _ in range(4):  # the loop goes on
        assert made.turns.acquire(timeout=PATIENCE)
        made.inbox.put(None)
    assert not next_one.has_begun.is_set()
    slow.may_end.set()
    assert next_one.is_done.wait(PATIENCE)
    made.end()


@pytest.mark.usefixtures("patient_watch")
def test_threads_come_back_to_follow_and_those_that_are_too_many_go(loop: Loop) -> None:
    crowd = [Job(loop.crew.give_way, waits=True) for _ in range(7)]
    loop.run(*crowd)
    assert len(loop.crew._threads) == 8
    for job in crowd:
        job.may_end.set()
    deadline = time.monotonic() + PATIENCE
    while len(loop.crew._threads) > 1 + module.RESERVE and time.monotonic() < deadline:
        threading.Event().wait(0.001)
    assert len(loop.crew._threads) == 1 + module.RESERVE
    again = Job(loop.crew.give_way, waits=True), Job()
    loop.run(*again)
    again[0].may_end.set()
    assert len(loop.crew._threads) == 1 + module.RESERVE


@pytest.mark.usefixtures("patient_watch")
def test_where_the_system_has_no_thread_left_the_one_that_is_late_leads_again(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    def give_way() -> None:
        monkeypatch.setattr(threading.Thread, "start", refuse)
        loop.crew.give_way()

    first, second = Job(give_way), Job()
    loop.run(first, second)
    assert first.thread == second.thread


def test_a_task_that_fails_is_logged_and_the_crew_goes_on(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    bad, good = Job(lambda: 1 // 0), Job()
    loop.run(bad, good)
    assert good.is_done.wait(PATIENCE)
    assert "ZeroDivisionError" in caplog.text


def test_what_a_turn_raises_ends_the_watch() -> None:
    made = Loop()
    made.crew._turn = lambda: 1 // 0
    made.watch.start()
    made.watch.join(PATIENCE)
    assert len(made.raised) == 1
    made.end()


def test_a_thread_that_is_late_is_not_waited_for_after_the_deadline() -> None:
    made = Loop()
    made.watch.start()
    slow = Job(waits=True)
    made.run(slow)
    made.end(patience=0)
    assert not slow.is_done.is_set()
    slow.may_end.set()


def test_a_crew_that_never_had_anything_to_do_ends(loop: Loop) -> None:
    assert loop.turns.acquire(timeout=PATIENCE)
