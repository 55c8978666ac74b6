"""Threads that take turns at the loop: whoever reads a request answers it.

In: one turn of a loop, which waits for the network and adds tasks. Out: each task run, in one thread or another.
Refuses to know: sockets, HTTP, and what a task is.

*Theory of operation.* This is the Leader/Followers pattern, with a late promotion. One thread leads: it runs the loop,
and answers by itself what a turn has brought. To hand each request to another thread would cost two switches and a
quarrel over the interpreter's lock, which takes longer than most answers do. But an answer may take long: a tool may
sleep, and a stream of events lasts for hours.

So there is the *helm*, a lock that the leader holds while it runs the loop, lets go of to answer, and takes back
afterwards. If the watch finds the same answer still running a tick later, it takes the helm and gives it to a
follower: the loop goes on there, and the thread that is late notices when it is done and becomes a follower itself. An
answer that knows that it will take long says so with ``give_way``, and nobody waits for the tick. Whoever calls
``watch`` is the watch; where nothing is asked it sleeps.

Of ``most + 1`` threads the last never answers: it keeps the loop going, and with it all deadlines.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Protocol

__all__ = ["TICK", "Crew", "Task"]

TICK = 0.005  # seconds: as long as Python itself lets one thread compute before another may
_QUIET = 20  # ticks in which nothing was asked, after which the watch sleeps
_SLEEP = 0.5  # seconds, and no more: on some platforms a signal waits until the sleep is over
RESERVE = 2  # followers that stay when there is nothing for them to do


class Task(Protocol):
    def service(self) -> None:
        """Answer."""


class Crew:
    """Runs ``turn`` again and again, and after each the tasks that it added; up to ``most`` at one time.

    ``wake`` ends the wait in a turn. Whatever ``turn`` raises is raised by ``watch``.
    """

    def __init__(self, turn: Callable[[], object], wake: Callable[[], object], most: int) -> None:
        self._turn, self._wake, self._most = turn, wake, most
        self._tasks: deque[Task] = deque()
        self._helm = threading.Lock()
        self._begun = 0  # answers so far; whoever has the helm counts
        self._bell: SimpleQueue[None] = SimpleQueue()  # wakes the watch; a signal handler may put into it
        self._is_watch_awake = False
        self._is_over = False
        self._fault: BaseException | None = None
        self._lock = threading.Lock()  # for what follows
        self._threads: set[threading.Thread] = set()
        # How many answer without being the leader: the answers under way, minus one if the helm is free.
        self._late = -1
        self._followers = 0
        self._calls: SimpleQueue[bool] = SimpleQueue()  # a follower that is called leads (True) or goes home

    # ---- what tasks, turns and signal handlers may call ---------------------------------------------

    def add_task(self, task: Task) -> None:
        """Have a task run by the leader, when its turn is over."""
        self._tasks.append(task)

    def give_way(self) -> None:
        """Let another thread lead, for this one will be busy."""
        if self._helm.acquire(blocking=False):
            self._pass_on()

    def ring(self) -> None:
        """Have the watch look up."""
        self._bell.put(None)

    # ---- the watch ----------------------------------------------------------------------------------

    def watch(self, is_over: Callable[[], bool], sleep: float = _SLEEP) -> None:
        """Keep the crew going until it is over; looks at that at least every ``sleep`` seconds."""
        seen, quiet = self._begun, 0
        while not is_over():
            if self._fault is not None:
                raise self._fault
            if self._begun != seen:
                seen, quiet = self._begun, 0
            elif self._helm.acquire(blocking=False):  # nobody leads, and that since the last look
                self._pass_on()
            else:
                quiet += 1
            self._is_watch_awake = quiet < _QUIET
            if self._is_watch_awake or self._begun == seen:  # else an answer began that found the watch awake
                with contextlib.suppress(Empty):
                    self._bell.get(timeout=TICK if self._is_watch_awake else sleep)

    def end(self, deadline: float) -> None:
        """Send all threads home, and wait for them until the deadline, which is monotonic."""
        self._is_over = True
        self._wake()
        self._helm.acquire(timeout=_SLEEP)  # for ever: nobody runs the loop after this
        with self._lock:
            for _ in range(self._followers):
                self._calls.put(False)
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(deadline - monotonic(), 0))
        self._tasks.clear()

    # ---- the threads --------------------------------------------------------------------------------

    def _pass_on(self) -> None:
        """Give the helm, which the caller holds, to another thread."""
        with self._lock:
            self._late += 1
            if self._followers:
                self._followers -= 1
                self._calls.put(True)
                return
            thread = threading.Thread(target=self._serve, name="crew", daemon=True)
            try:
                thread.start()
                self._threads.add(thread)
            except RuntimeError:  # the system has no thread left; the one that is late will lead again
                self._late -= 1
                self._helm.release()

    def _serve(self) -> None:
        """What a thread does: lead, follow until it is called, lead again."""
        leads = True
        while leads:
            self._lead()
            with self._lock:
                self._late -= 1
                leads = not self._is_over and self._followers < RESERVE
                self._followers += leads
            if self._tasks:  # perhaps there was no thread left to run them
                self._wake()
            leads = leads and self._calls.get()
        with self._lock:
            self._threads.discard(threading.current_thread())

    def _lead(self) -> None:
        """Run the loop, until another thread does or it is over."""
        try:
            while not self._is_over:
                if not self._tasks or self._late >= self._most:
                    self._turn()
                elif not self._answer(self._tasks.popleft()):
                    return
        except BaseException as fault:
            self._fault = fault
            self.ring()
        self._helm.release()

    def _answer(self, task: Task) -> bool:
        """Run a task; whether this thread still leads."""
        self._begun += 1
        if not self._is_watch_awake:
            self._is_watch_awake = True
            self.ring()
        self._helm.release()
        try:
            task.service()
        except BaseException:
            import logging  # for this alone

            logging.getLogger("waitress").exception("Exception when servicing %r", task)
        return self._helm.acquire(blocking=False)
