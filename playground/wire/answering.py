"""What a server says of its own accord: its questions get answers, its news are passed on.

In:   questions and news, on whichever thread they arrive; the host's functions for them.
Out:  answers to send, always exactly one to a question that is a request.
Here nobody knows what a question means, except `ping`, and that only what was offered may be asked.

Theory of operation
    A question on a request's own stream is answered where it arrives. On any other stream it gets a thread, because a
    person may think for minutes while the reader must read on; so many at most, for a server could ask without end.
    News are passed on one by one, in order, by one thread, which may use the connection like any other.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from mcp_core import revisions
from mcp_core.calling import Asked, Noted, Session
from mcp_core.messages import INTERNAL_ERROR, Failure, Id, Message, Request
from playground.wire.transports import Deadline

Object = dict[str, Any]
Answer = Callable[[Asked], Object | None]  # None: this client won't or can't

USER_SAID_NO = -1  # the code of the specification's own example (client/sampling, Error Handling)
MOST_QUESTIONS = 16  # at a time that are no request's own


class Declined(Exception):
    """Raised by an `answer` function: the question is understood, and somebody said no. The text is for the server."""


class Unoffered(Exception):
    """A result asks what this client did not offer to answer, so that the request can't be repeated."""


class Answering:
    """Whoever answers for one client. `offered` are its capabilities; `warn` takes a sentence for the log."""

    def __init__(
        self,
        offered: Object,
        answer: Answer,
        heard: Callable[[Noted], None],
        tell: Callable[[Message], None],
        warn: Callable[[str], None],
    ) -> None:
        self._offered, self._answer, self._heard, self._tell, self._warn = offered, answer, heard, tell, warn
        self._news: queue.SimpleQueue[Noted | None] = queue.SimpleQueue()
        self._passing_on: threading.Thread | None = None
        self._free = threading.Semaphore(MOST_QUESTIONS)
        self._waiting: list[tuple[Deadline, Id | None]] = []  # of the requests that are open
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def waiting(self, deadline: Deadline, token: Id | None) -> Iterator[None]:
        """While a request is open: its time stands still for questions, and its progress is known by the token."""
        entry = deadline, token
        with self._lock:
            self._waiting.append(entry)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.remove(entry)

    def take(self, session: Session, message: Message) -> None:
        """Takes what arrived on no request's stream; never blocks, never raises."""
        for event in session.receive(message):
            if isinstance(event, Noted):
                self._put_off(event)
                with self._lock:
                    if self._passing_on is None:
                        self._passing_on = threading.Thread(target=self._pass_on, daemon=True)
                        self._passing_on.start()
                self._news.put(event)
            elif isinstance(event, Asked):
                if self._free.acquire(blocking=False):
                    threading.Thread(target=self._reply_apart, args=[session, event], daemon=True).start()
                else:
                    self._warn(f"The server asks too much at once; {event.method} is refused.")
                    self._in_background(Failure(event.key, INTERNAL_ERROR, "Too many questions are open already."))

    def reply(self, session: Session, asked: Asked, *deadlines: Deadline) -> Request | None:
        """Has a question answered. What goes out is sent at once, unless it is the request itself, repeated.

        Raises Declined or Unoffered, where the question stood in a result and there is no way to send a no.
        """
        with contextlib.ExitStack() as stack:
            for deadline in deadlines:
                stack.enter_context(deadline.held())
            outgoing = self._outgoing(session, asked)
        if isinstance(outgoing, Request):
            return outgoing
        if outgoing is not None:
            self._tell(outgoing)
        return None

    def close(self) -> None:
        """Lets the thread end that passes on news."""
        self._news.put(None)

    def _outgoing(self, session: Session, asked: Asked) -> Message | None:
        try:
            if asked.method == "ping" and not asked.by_result:
                return session.answer(asked, {})
            reply = self._answer(asked) if self._is_offered(session, asked) else None
            if reply is None and asked.by_result:
                raise Unoffered(f"The server asks for {asked.method[:80]!r}, which this client does not offer.")
            return session.answer(asked, reply)
        except Declined as error:
            if asked.by_result:
                raise
            return Failure(asked.key, USER_SAID_NO, str(error))
        except Exception as error:
            if asked.by_result:
                raise
            # A fault of the host's; the server must not wait for ever because of it.
            self._warn(f"{asked.method} could not be answered ({type(error).__name__}: {error}).")
            return Failure(asked.key, INTERNAL_ERROR, "This client failed to answer.")

    def _is_offered(self, session: Session, asked: Asked) -> bool:
        """Whether we said that we can be asked this: a server MUST NOT ask for more (lifecycle, Operation)."""
        word = revisions.word(asked.method, session.revision or revisions.LATEST)
        if word is None or word.needs is None or word.by == "client":
            return False
        needs = word.needs
        if asked.method == "elicitation/create":
            needs = f"elicitation.{asked.params.get('mode', 'form')}"
        return revisions.has_capability(self._offered, needs)

    def _reply_apart(self, session: Session, asked: Asked) -> None:
        with self._lock:
            deadlines = [deadline for deadline, _ in self._waiting]
        try:
            self.reply(session, asked, *deadlines)
        finally:
            self._free.release()

    def _in_background(self, message: Message) -> None:
        threading.Thread(target=self._tell, args=[message], daemon=True).start()

    def _put_off(self, noted: Noted) -> None:
        if noted.note.method == "notifications/progress":
            token = noted.note.params.get("progressToken")
            with self._lock:
                for deadline, known in self._waiting:
                    if known is not None and known == token:
                        deadline.put_off()

    def _pass_on(self) -> None:
        while (noted := self._news.get()) is not None:
            try:
                self._heard(noted)
            except Exception as error:  # a fault of the host's, which must not silence what comes after
                self._warn(f"{noted.note.method} was not taken ({type(error).__name__}: {error}).")
