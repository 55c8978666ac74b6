"""Work on other threads, while this thread answers the questions that come from there.

In:   functions that may take long; questions of servers, from whichever thread; a function that answers them here.
Out:  the outcomes, in the order of the functions; Interrupted work is told to stop, and what was done by then is kept.
Here nobody knows what the work is, nor what is asked.

Theory of operation
    The calls of one turn run side by side, each in a thread, which stays for the calls that follow: to start one takes
    a good part of what a short call takes. The terminal belongs to the main thread, so a server's question must get
    there: it is put into a queue, and whoever put it waits. The main thread takes one thing after another out of that
    queue: an outcome, a question, news to show. So questions come one at a time by construction.

    Between two turns nobody takes anything out of the queue. A question that arrives then is declined at once, for
    its server would wait for a user who is busy typing something else.

    Ctrl-C is an exception in the main thread. It sets `stop`, which the work looks at, and gives it a moment to end:
    to tell its server, and to bring what was finished already. A second Ctrl-C in that moment wants to leave.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_core.calling import Asked
from mcp_core.messages import Notification
from playground.wire.connection import Declined

Object = dict[str, Any]

POLL = 0.1  # seconds; a wait without limit could not be interrupted on Windows
GRACE = 2.0  # seconds that work has to end after Ctrl-C
IDLE = 60.0  # seconds that a thread waits for more work

BETWEEN = "Nobody can be asked now: no call is running."
STOPPED = "The user stopped the call."


@dataclass(frozen=True, slots=True)
class Question:
    """What a server asks. `work` is what was being done when it asked, as far as that is known."""

    server: str
    asked: Asked
    work: Any = None
    reply: "queue.SimpleQueue[Object | Declined | None]" = field(default_factory=queue.SimpleQueue, repr=False)


@dataclass(frozen=True, slots=True)
class News:
    """What a server tells: how far it is, or a line for its log."""

    server: str
    note: Notification
    work: Any = None


@dataclass(frozen=True, slots=True)
class Work:
    """A function to run; it gets an event that is set when it should stop. `about` comes back in questions."""

    about: Any
    function: Callable[[threading.Event], Any]


class Halted(Exception):
    """Ctrl-C; `outcomes` has None where there is none."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        super().__init__("The work was stopped.")
        self.outcomes = outcomes


Answer = Callable[[Question], Object | None]  # may raise Declined
Hear = Callable[[News], None]


class Runner:
    """One at a time runs work; questions find their way to it from anywhere."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Any] | None = None
        self._tasks: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._free = 0  # threads that wait for a task, less the tasks that wait for a thread
        self._lock = threading.Lock()
        self._here = threading.local()

    def put(self, server: str, asked: Asked) -> Object | None:
        """Puts a question to the main thread and waits for the reply. Raises Declined."""
        question = Question(server, asked, getattr(self._here, "work", None))
        with self._lock:
            if self._events is None:
                raise Declined(BETWEEN)
            self._events.put(question)
        reply = question.reply.get()
        if isinstance(reply, Declined):
            raise reply
        return reply

    def tell(self, server: str, note: Notification) -> None:
        """Passes news on, if somebody looks."""
        with self._lock:
            if self._events is not None:
                self._events.put(News(server, note, getattr(self._here, "work", None)))

    def run(self, works: Sequence[Work], answer: Answer, hear: Hear = lambda news: None) -> list[Any]:
        """The outcomes of all of it. What a function raises is raised once all are done.

        Raises Halted after Ctrl-C; SystemExit after a second one, while the work is still being ended.
        """
        outcomes: list[Any] = [None] * len(works)
        stop, running = threading.Event(), set[int]()
        with self._taking() as events:
            try:
                for number, work in enumerate(works):
                    running.add(number)
                    self._begin(number, work, stop, events)
                while running:
                    self._take(events, running, outcomes, answer, hear)
            except KeyboardInterrupt:
                stop.set()
                until = time.monotonic() + GRACE
                try:
                    while running and time.monotonic() < until:
                        self._take(events, running, outcomes, _decline, hear)
                except KeyboardInterrupt:
                    raise SystemExit(130) from None
                raise Halted([None if isinstance(got, BaseException) else got for got in outcomes]) from None
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return outcomes

    @contextlib.contextmanager
    def _taking(self) -> "Iterator[queue.SimpleQueue[Any]]":
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            self._events = events
        try:
            yield events
        finally:
            with self._lock:
                self._events = None
            with contextlib.suppress(queue.Empty):
                while True:
                    if isinstance(left := events.get_nowait(), Question):
                        left.reply.put(Declined(STOPPED))

    def _begin(self, *task: Any) -> None:
        """Has a task done by a thread that is free, or by a new one."""
        with self._lock:
            is_free = self._free > 0
            self._free -= is_free
        self._tasks.put(task)
        if not is_free:
            threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """What such a thread does, until nobody needs it any more."""
        while True:
            try:
                self._do(*self._tasks.get(timeout=IDLE))
            except queue.Empty:
                with self._lock:
                    if self._free > 0:
                        self._free -= 1
                        return

    def _do(self, number: int, work: Work, stop: threading.Event, events: "queue.SimpleQueue[Any]") -> None:
        self._here.work = work.about
        try:
            outcome = work.function(stop)
        except BaseException as error:  # whatever happens in this thread concerns the one who waits
            outcome = error
        with self._lock:
            self._free += 1
        events.put((number, outcome))

    def _take(
        self, events: "queue.SimpleQueue[Any]", running: set[int], outcomes: list[Any], answer: Answer, hear: Hear
    ) -> None:
        try:
            event = events.get(timeout=POLL)
        except queue.Empty:
            return
        if isinstance(event, Question):
            _reply(event, answer)
        elif isinstance(event, News):
            hear(event)
        else:
            number, outcomes[event[0]] = event
            running.discard(number)


def _reply(question: Question, answer: Answer) -> None:
    """Whoever asked is never left waiting, whatever happens here."""
    try:
        question.reply.put(answer(question))
    except Declined as no:
        question.reply.put(no)
    except BaseException:
        question.reply.put(Declined(STOPPED))
        raise


def _decline(question: Question) -> Object | None:
    raise Declined(STOPPED)
