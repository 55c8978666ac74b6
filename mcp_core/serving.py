"""The server's half of a conversation: a message comes in, and what must be sent comes out, one by one.

In:   decoded messages, and (over HTTP) the headers each came with.
Out:  Outgoing: a message, and the request it belongs to.
Here nobody knows about sockets, threads, clocks or Flask. A transport needs one line of its own:

    for out in session.receive(message):
        deliver(out)

Theory of operation
    A request becomes a Run: the generator of its word, and the Call it answers. _advance() drives the generator:
    Progress and Log become notifications and the generator goes on; a question (Ask) is where the eras part.
      * Handshake: the question becomes a request to the client, the Run falls *asleep*, and receive() returns without
        a result. The answer is a message like any other; receiving it wakes the Run, and what comes out then still
        belongs to the request that asked (Outgoing.about).
      * Stateless: the request is over. Its result says `input_required`, with the questions and a sealed
        requestState; the client calls again with the answers, and the tool starts again from the top, this time
        getting each answer at once.
    The era is decided for every message by itself, so one pipe can carry both.

    Threads may call receive() at the same time without a lock. A generator is driven by one thread only, and every
    change to what Runs share is one dictionary operation, which Python makes atomic: of all who would wake, cancel or
    give up a sleeping Run, the one that pops it from _asleep owns it.

    A running generator can't be closed from another thread, so cancelling sets a flag that _advance() sees at the next
    yield; a sleeping one is closed at once. A request that ends without an answer yields Outgoing(None, id), so that a
    stream waiting for it can end.
"""

import itertools
from collections.abc import Callable, Generator, Iterator
from typing import Any

from mcp_core import headers as http
from mcp_core import messages, notices, questions, revisions, words
from mcp_core.admission import Headers, admit
from mcp_core.calls import Call, Listen, Memory, Object
from mcp_core.catalogue import Catalogue, Change
from mcp_core.effects import Ask, Completed, HangUp, Log, Progress, ToolError
from mcp_core.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Failure,
    Id,
    Message,
    Notification,
    ProtocolError,
    Request,
    Result,
)
from mcp_core.runs import Outgoing, Run
from mcp_core.sealing import Seal


class Session:
    """One client's conversation: a pipe, an HTTP session of the handshake era, or a single stateless request.

    >>> shop = Catalogue("shop", "1.0")
    >>> [out.message for out in Session(shop).receive(Request(1, "ping"))]
    [Result(id=1, result={})]
    """

    def __init__(
        self, catalogue: Catalogue, *, seal: Seal | None = None, page_size: int = 100, can_push: bool = False
    ) -> None:
        """`can_push`: more than the answer can reach the client. `seal`: for requestState; without, no questions."""
        self._catalogue, self._seal, self._page_size, self._can_push = catalogue, seal, page_size, can_push
        # Until `initialize` says otherwise: /rpc has no session at all, and a learner's first line into a pipe is
        # rarely a handshake.
        self.memory = Memory(revisions.LATEST_HANDSHAKE)
        self.is_open = False  # the handshake is complete
        self._runs: dict[Id, Run] = {}
        self._asleep: dict[Id, Run] = {}  # by the request's id
        self._asked: dict[Id, Run] = {}  # by the ids of our own requests
        self._ids = itertools.count(1)

    # ---- 1. Receiving ------------------------------------------------------------------------------------------------

    @property
    def takes_batches(self) -> bool:
        """Whether an array of messages is legal: in sessions of 2025-03-26 and nowhere else.

        >>> Session(Catalogue("shop", "1.0")).takes_batches
        False
        """
        return self.is_open and self.memory.revision == "2025-03-26"

    def receive(self, message: Message, headers: Headers | None = None) -> Iterator[Outgoing]:
        """Takes one message; gives, while the work goes on, what must be sent. To be driven to its end, by any thread.

        >>> shop = Catalogue("shop", "1.0")
        >>> next(Session(shop).receive(Request(7, "tools/dance"))).message.code
        -32601
        """
        match message:
            case Request():
                return self._answer(message, headers)
            case Notification():
                return self._note(message)
            case Result(id, result):
                return self._wake(id, result)
            case Failure(id, code, text):
                return self._wake(id, None, f"The client answered the question with error {code}: {text}")

    def _answer(self, request: Request, headers: Headers | None) -> Iterator[Outgoing]:
        try:
            can_push = self._can_push and http.accepts_stream(headers)
            call = admit(request, headers, self.memory, self._catalogue, page_size=self._page_size, can_push=can_push)
            answers = questions.brought_back(request, self._seal) if call.is_stateless else {}
        except ProtocolError as error:
            yield Outgoing(error.as_failure(request.id), request.id)
            return
        run = Run(call, _start(call), answers)
        if self._runs.setdefault(request.id, run) is not run:
            text = f"The request with id {request.id!r} is still being answered; every request needs an id of its own."
            yield Outgoing(Failure(request.id, INVALID_REQUEST, text), request.id)
            return
        yield from self._advance(run)

    def _note(self, note: Notification) -> Iterator[Outgoing]:
        # Whatever else a notification says, known or unknown, it is not answered (JSON-RPC 2.0, section 4.1).
        if note.method == "notifications/initialized":
            self.is_open = True
        elif note.method == "notifications/cancelled" and messages.is_id(note.params.get("requestId")):
            yield from self.cancel(note.params["requestId"])

    # ---- 2. Step, sleep, wake, cancel --------------------------------------------------------------------------------

    def _advance(self, run: Run) -> Iterator[Outgoing]:
        """Drives a run to its end, or to where it waits. Whatever its tool does, the request gets its one answer."""
        try:
            yield from self._drive(run)
        except (ProtocolError, ToolError) as error:
            yield self._end(run, error.as_failure(run.id))
        except Exception as fault:  # a bug, of a tool or ours
            text = f"The server failed while answering {run.call.request.method}; its log says why."
            yield self._end(run, Failure(run.id, INTERNAL_ERROR, text), fault)

    def _drive(self, run: Run) -> Iterator[Outgoing]:
        reply = None
        if run.asked:  # it slept, and this is what it wakes to
            reply = questions.outcome(run.asked, run.answers, run.call.memory, run.complaint)
            run.complaint = None
        while not run.cancelled:
            try:
                effect = run.steps.throw(reply) if isinstance(reply, Exception) else run.steps.send(reply)
            except StopIteration as stop:
                yield self._end(run, Result(run.id, self._finish(run.call, stop.value)))
                return
            reply = None
            if isinstance(effect, (Progress, Log, Completed)):
                notice = notices.about_work(run.call, effect)
                if notice is not None and not run.cancelled:
                    yield Outgoing(notice, run.id)
            elif isinstance(effect, HangUp):
                if run.call.may_hang_up:
                    yield Outgoing(None, run.id, come_back=effect.retry_ms)
            elif isinstance(effect, Listen):
                run.wants = effect.wanted
                accepted = Notification("notifications/subscriptions/acknowledged", {"notifications": effect.wanted})
                yield _heard(run, accepted)
                return
            elif not questions.is_asking(effect):
                reply = TypeError(f"A tool yields effects, and {effect!r} is none.")  # thrown where it was yielded
            else:
                run.asked = effect if isinstance(effect, Ask) else tuple(effect)
                reply, unanswered = questions.settle(run.asked, run.answers, run.call.memory, self._can_ask(run))
                if unanswered:
                    yield from self._ask(run, unanswered)
                    return
        yield self._end(run, None)

    def _can_ask(self, run: Run) -> bool:
        return self._seal is not None if run.call.is_stateless else run.call.can_push and self.is_open

    def _ask(self, run: Run, asks: list[Ask]) -> Iterator[Outgoing]:
        if run.call.is_stateless and self._seal is not None:
            result = questions.input_required(run.call.request, asks, run.answers, self._seal)
            yield self._end(run, Result(run.id, self._finish(run.call, result)))
            return
        run.waiting = {f"ask-{next(self._ids)}": ask for ask in asks}
        questions_sent = [
            Outgoing(Request(id, ask.method, questions.worded(ask, run.call.memory.revision)), run.id)
            for id, ask in run.waiting.items()
        ]
        self._asked.update(dict.fromkeys(run.waiting, run))
        self._asleep[run.id] = run
        if run.cancelled:  # in the moment before it fell asleep
            yield from self.cancel(run.id)
            return
        yield from questions_sent

    def _wake(self, id: Id | None, answer: Object | None, complaint: str | None = None) -> Iterator[Outgoing]:
        run = self._asked.pop(id, None) if id is not None else None
        if run is None or id is None:
            return  # an answer to nothing we asked, or to a question nobody needs answered any more
        if complaint is not None:
            run.complaint = complaint
        run.answers[run.waiting[id].key] = answer
        del run.waiting[id]
        if run.waiting or self._asleep.pop(run.id, None) is None:
            return  # other answers are still to come, or another thread has just taken the last one
        yield from self._advance(run)

    def give_up(self, question: Id) -> Iterator[Outgoing]:
        """Nobody answered our request with this id in the time the caller allows; the tool that asked is told.

        >>> list(Session(Catalogue("shop", "1.0")).give_up("ask-1"))
        []
        """
        reason = "The client did not answer the question in time."
        if (run := self._asked.get(question)) is not None:  # who waits no longer says so (lifecycle, Timeouts)
            params = {"requestId": question, "reason": reason}
            yield Outgoing(Notification("notifications/cancelled", params), run.id)
        yield from self._wake(question, None, reason)

    def cancel(self, id: Id) -> Iterator[Outgoing]:
        """Ends a request without an answer: at once if it is asleep, else at its next step.

        >>> list(Session(Catalogue("shop", "1.0")).cancel("unknown"))
        []
        """
        run = self._runs.get(id)
        if run is None or run.call.request.method == "initialize":  # which must not be cancelled
            return
        run.cancelled = True
        if self._asleep.pop(id, None) is not None or run.wants is not None:
            for question in list(run.waiting):
                self._asked.pop(question, None)
            yield self._end(run, None)

    def reader_gone(self, id: Id) -> Iterator[Outgoing]:
        """The stream of this request broke: in the stateless era that cancels it, in the handshake era it doesn't.

        >>> list(Session(Catalogue("shop", "1.0")).reader_gone(1))
        []
        """
        run = self._runs.get(id)
        if run is not None and run.call.is_stateless:
            yield from self.cancel(id)

    def _end(self, run: Run, message: Message | None, fault: Exception | None = None) -> Outgoing:
        self._runs.pop(run.id, None)
        fault = run.close() or fault
        return Outgoing(None if run.cancelled else message, run.id, fault)  # nobody waits for a cancelled request

    def _finish(self, call: Call, result: Object) -> Object:
        """A result as its revision has it: the stateless era says of what kind it is and who gave it."""
        if not call.is_stateless:
            return revisions.trim("result", result, call.memory.revision)
        meta = {revisions.SERVER_INFO_KEY: self._catalogue.info, **result.get("_meta", {})}
        return {"resultType": "complete", **result, "_meta": meta}

    def handler_of(self, request: Request) -> Callable[..., Any] | None:
        """The function that answers a request: a tool's or prompt's own, else its word's; for the log.

        >>> Session(Catalogue("shop", "1.0")).handler_of(Request(1, "ping")).__name__
        'ping'
        """
        catalogue = self._catalogue
        entries: Any = {"tools/call": catalogue.tools, "prompts/get": catalogue.prompts}.get(request.method, {})
        entry = entries.get(str(request.params.get("name")))
        return entry.function if entry is not None else words.HANDLERS.get(request.method)

    # ---- 3. Changes --------------------------------------------------------------------------------------------------

    def announce(self, change: Change) -> Iterator[Outgoing]:
        """What this client is to be told of a change in the catalogue.

        >>> list(Session(Catalogue("shop", "1.0")).announce(Change("tools")))
        []
        """
        notice = notices.about_change(change)
        if self.is_open and self._can_push and (change.uri is None or change.uri in self.memory.subscribed):
            yield Outgoing(notice, None)
        for run in list(self._runs.values()):
            if run.wants is not None and notices.is_wanted(change, run.wants):
                yield _heard(run, notice)

    def close(self) -> Iterator[Outgoing]:
        """Ends the client's `subscriptions/listen` streams gracefully: with a result.

        >>> list(Session(Catalogue("shop", "1.0")).close())
        []
        """
        for run in [run for run in list(self._runs.values()) if run.wants is not None]:
            result = self._finish(run.call, {"_meta": {revisions.SUBSCRIPTION_KEY: run.id}})
            yield self._end(run, Result(run.id, result))


def _start(call: Call) -> Generator[Any, Any, Object]:
    """A word's outcome as a generator, whether it has steps or not; nothing runs before the first step."""
    outcome = words.HANDLERS[call.request.method](call)
    return (yield from outcome) if isinstance(outcome, Generator) else outcome


def _heard(run: Run, notice: Notification) -> Outgoing:
    meta = {revisions.SUBSCRIPTION_KEY: run.id}  # in the id's own type: 9 is not "9"
    return Outgoing(Notification(notice.method, {**notice.params, "_meta": meta}), run.id)
