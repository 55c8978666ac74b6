"""The client's half of a conversation: requests go out, and what arrives becomes one of four events.

In:   what the client wants to ask; decoded messages as they arrive.
Out:  messages to send; events: Done, Failed, Noted, Asked.
Here nobody knows about sockets, threads, clocks or who decides. A transport needs one line of its own:

    for event in session.receive(message):
        ...

Theory of operation
    A request is pending under its id until its answer comes. In the stateless era the answer may be a set of questions
    (`input_required`): each becomes an Asked event, and when the last is answered, answer() returns the same request
    again, under a new id, with the answers in it. Who waits need not know: events carry the id of the first request.
    In the handshake era a question is a request of the server's own, and its answer is an ordinary result.

    Which revision is spoken is settled at the start, by opening.py.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mcp_core import revisions
from mcp_core.messages import METHOD_NOT_FOUND, Failure, Id, Message, Notification, Request, Result

Object = dict[str, Any]

MAX_ROUNDS = 10  # times one request may be answered with questions


@dataclass(frozen=True, slots=True)
class Done:
    """The result of the request with this id (the first id, where it had to be repeated)."""

    id: Id
    result: Object


@dataclass(frozen=True, slots=True)
class Failed:
    """The error instead of it. Code None: the answer broke the protocol, and `message` says how."""

    id: Id | None
    code: int | None
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A notification; `about` is the request it belongs to, where the server said so."""

    note: Notification
    about: Id | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the server. `reply` it with answer(). `about`: the request it holds up, where that is known."""

    method: str
    params: Object
    key: Id  # the id of the server's request, or the question's key in an `input_required` result
    about: Id | None = None
    by_result: bool = False  # it stood in an `input_required` result


Event = Done | Failed | Noted | Asked


@dataclass
class Pending:
    """A request that has no answer yet."""

    first_id: Id
    request: Request
    rounds: int = 0
    state: str | None = None  # the server's requestState, to be returned to the byte
    is_on_hold: bool = False  # the answer was a state without questions
    questions: dict[str, Asked] = field(default_factory=dict)
    answers: Object = field(default_factory=dict)


class Session:
    """One connection to one server.

    >>> session = Session({"name": "me", "version": "1.0"}, revision="2026-07-28")
    >>> sorted(session.request("tools/list").params["_meta"])[-1]
    'io.modelcontextprotocol/protocolVersion'
    """

    def __init__(
        self,
        info: Object,
        capabilities: Object | None = None,
        *,
        revision: str | None = None,
        stamp: Callable[[], Object] = dict,
    ) -> None:
        """`stamp` gives what goes into the `_meta` of each message besides the protocol's own (a traceparent)."""
        self.info, self.capabilities, self._stamp = info, capabilities or {}, stamp
        self.revision = revision  # None until it is settled
        self._ids = itertools.count(1)
        self._pending: dict[Id, Pending] = {}

    # ---- 1. Sending --------------------------------------------------------------------------------------------------

    def request(self, method: str, params: Object | None = None, *, progress_token: Id | None = None) -> Request:
        """A request with an id of its own, pending until receive() sees its answer.

        >>> Session({"name": "me", "version": "1.0"}).request("tools/list")
        Request(id=1, method='tools/list', params={})
        """
        id = next(self._ids)
        extra = {} if progress_token is None else {"progressToken": progress_token}
        request = Request(id, method, self._introduced(params or {}, extra))
        self._pending[id] = Pending(id, request)
        return request

    def notify(self, method: str, params: Object | None = None) -> Notification:
        """A notification; nothing will answer it.

        >>> Session({"name": "me", "version": "1.0"}).notify("notifications/initialized")
        Notification(method='notifications/initialized', params={})
        """
        return Notification(method, self._introduced(params or {}, {}))

    def cancel(self, id: Id, reason: str) -> Notification:
        """Gives up a request: what to tell the server. Over HTTP the stateless era closes the stream instead.

        >>> session = Session({"name": "me", "version": "1.0"})
        >>> session.cancel(session.request("tools/list").id, "It took too long.").params["requestId"]
        1
        """
        latest = next((key for key, pending in list(self._pending.items()) if pending.first_id == id), id)
        self._pending.pop(latest, None)
        return self.notify("notifications/cancelled", {"requestId": latest, "reason": reason})

    def _introduced(self, params: Object, extra: Object) -> Object:
        """Params with their `_meta`: in the stateless era every message says who sends it and what they can do."""
        meta = {**params.get("_meta", {}), **extra, **self._stamp()}
        if self.revision is not None and revisions.is_stateless(self.revision):
            meta[revisions.VERSION_KEY] = self.revision
            meta[revisions.CLIENT_INFO_KEY] = self.info
            meta[revisions.CLIENT_CAPABILITIES_KEY] = self.capabilities
        return {**params, "_meta": meta} if meta else params

    # ---- 2. Receiving ------------------------------------------------------------------------------------------------

    def receive(self, message: Message, about: Id | None = None) -> Iterator[Event]:
        """Takes one message and gives what it means. `about`: the request on whose stream it came, where there is one.

        >>> session = Session({"name": "me", "version": "1.0"})
        >>> list(session.receive(Result(session.request("ping").id, {})))
        [Done(id=1, result={})]
        """
        match message:
            case Result(id, result):
                yield from self._result(id, result)
            case Failure(id, code, text, data):
                # An error without an id answers a request that could not be read: over HTTP, the one just posted.
                key = about if id is None else id
                pending = self._pending.pop(key, None) if key is not None else None
                yield Failed(pending.first_id if pending else id, code, text, data)
            case Notification():
                yield Noted(message, about)
            case Request(id, method, params):
                yield Asked(method, params, id, about)

    def _result(self, id: Id, result: Object) -> Iterator[Event]:
        pending = self._pending.pop(id, None)
        if pending is None:
            return  # an answer to nothing pending: cancelled, or never asked
        kind = result.get("resultType", "complete")
        if kind == "complete":
            yield Done(pending.first_id, result)
            return
        questions = result.get("inputRequests", {})
        if kind != "input_required" or not isinstance(questions, dict):
            yield Failed(pending.first_id, None, f"The server answered with a result of the unknown kind {kind!r}.")
            return
        if pending.rounds == MAX_ROUNDS:
            yield Failed(
                pending.first_id,
                None,
                f"The server asked {MAX_ROUNDS} times and still has no answer to give.",
            )
            return
        pending.rounds += 1
        pending.is_on_hold = not questions
        pending.state, pending.answers, pending.questions = result.get("requestState"), {}, {}
        for key, question in questions.items():
            well_formed = isinstance(question, dict) and isinstance(question.get("method"), str)
            method, params = (question["method"], question.get("params")) if well_formed else ("", None)
            params = params if isinstance(params, dict) else {}
            pending.questions[key] = Asked(method, params, key, pending.first_id, by_result=True)
        self._pending[id] = pending
        yield from list(pending.questions.values())

    # ---- 3. Answering ------------------------------------------------------------------------------------------------

    def answer(self, asked: Asked, reply: Object | None) -> Message | None:
        """Replies to a question; gives what to send; None while other questions of the same result are open, or when
        nobody waits for the reply any more.

        A reply of None says that this client does not know such a question.

        >>> session = Session({"name": "me", "version": "1.0"})
        >>> asked = next(session.receive(Request("s1", "ping")))
        >>> session.answer(asked, {})
        Result(id='s1', result={})
        """
        held = next((p for p in list(self._pending.values()) if p.questions.get(str(asked.key)) is asked), None)
        if held is None and asked.by_result:  # its request was given up meanwhile
            return None
        if held is None:
            if reply is None:
                text = f"This client does not know the method {asked.method[:80]!r}."
                return Failure(asked.key, METHOD_NOT_FOUND, text)
            return Result(asked.key, reply)
        if reply is not None:
            held.answers[str(asked.key)] = reply
        del held.questions[str(asked.key)]
        return None if held.questions else self.repeat(held)

    def repeat(self, held: Pending) -> Request:
        """The same request again, with the answers and the server's state in it, under a new id.

        >>> session = Session({"name": "me", "version": "1.0"})
        >>> session.repeat(Pending(1, session.request("tools/call", {"name": "add"}), state="s")).params["requestState"]
        's'
        """
        self._pending.pop(held.request.id, None)
        held.is_on_hold = False
        params = {
            key: value for key, value in held.request.params.items() if key not in ("inputResponses", "requestState")
        }
        if held.answers:
            params["inputResponses"] = held.answers
        if held.state is not None:
            params["requestState"] = held.state
        id = next(self._ids)
        held.request = Request(id, held.request.method, self._introduced(params, {}))
        self._pending[id] = held
        return held.request

    def waiting_for_another_try(self) -> list[Pending]:
        """Requests whose answer was a state without questions: the server wants them again, later.

        >>> Session({"name": "me", "version": "1.0"}).waiting_for_another_try()
        []
        """
        return [held for held in list(self._pending.values()) if held.is_on_hold]
