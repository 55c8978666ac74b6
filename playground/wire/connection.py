"""A connection to one server: ask, and get the answer; be asked, and have somebody answer.

In:   a Transport, and the functions that answer the server's questions.
Out:  results as objects; Refused where the server says no; TravelError where it can't be heard.
Here nobody knows whether the way is a pipe or HTTP (transports.py), nor which era is spoken (mcp_core.calling).

Theory of operation
    request() sends one message and gives everything that comes back to the calling.Session. A question becomes a call
    of `answer`; its reply is sent, or in the stateless era goes out with the repeated request. Progress puts off the
    deadline, and while the server waits for our answer its time does not run. What belongs to no request arrives on a
    reader's thread, through _unasked, and must not hold that up: answering.py takes it from there.

    What may be sent again is (repeating.py), after a pause that grows. A server that is gone is started or greeted
    anew, and told again what it had been told to remember.
"""

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Generator, Mapping
from typing import Any

from mcp_core import revisions
from mcp_core.calling import Done, Failed, Noted, Session
from mcp_core.messages import HEADER_MISMATCH, Message, Request
from mcp_core.opening import Opening
from playground.wire.answering import Answer, Answering, Declined, Unoffered
from playground.wire.contracts import BadResult, Contracts, least_fresh
from playground.wire.repeating import TRIES, Reminders, is_forgotten, is_worth_a_try, pause_before
from playground.wire.transports import Deadline, NotReachable, TimedOut, Transport, TravelError, Unauthorized

__all__ = ["BadResult", "Connection", "Declined", "Refused"]  # all that a host needs to import

Object = dict[str, Any]

PATIENCE = 60.0  # seconds for one answer; each sign of progress gives as many again
LONGEST = 600.0
PROBE = 10.0  # seconds for server/discover, which an old server may simply ignore
MAX_PAGES = 1000
STOPPED = "The user stopped it, or it took too long."

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


class Refused(Exception):
    """The server's error: its message, `code` (None if it broke the protocol) and `data`."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message)
        self.code, self.data = failed.code, failed.data


class Connection:
    """One server, from the first word to the last. Safe for threads after open().

    `answer` and `note` may be called on other threads than the one that asks.
    """

    def __init__(
        self,
        transport: Transport,
        info: Object,
        capabilities: Object | None = None,
        *,
        mode: str = "auto",
        answer: Answer = lambda asked: None,
        note: Callable[[Noted], None] = lambda noted: None,
        patience: float = PATIENCE,
        trace: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self.transport, self._mode, self._patience, self._trace = transport, mode, patience, trace
        self._info, self._note, self._able = info, note, capabilities or {}
        self._contracts = Contracts(transport.recorder.warn)
        self._answering = Answering(self._able, answer, self._heard, self._tell, transport.recorder.warn)
        self._reminders = Reminders()
        self._opening = threading.RLock()
        self._is_closed = False
        self.fresh_for: dict[str, float | None] = {}  # list -> seconds that it may be kept, where the server says so
        self._begin()

    # ---- 1. Opening and closing --------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.session = Session(self._info, self._able, stamp=self._stamp)
        self.server: Object = {}

    def _stamp(self) -> Object:
        """A W3C traceparent: the question's trace, and a span of this message's own."""
        return {"traceparent": f"00-{self._trace()}-{secrets.token_hex(8)}-01"}

    @property
    def revision(self) -> str:
        return self.session.revision or ""

    @property
    def capabilities(self) -> Object:
        """The server's, not ours."""
        found = self.server.get("capabilities")
        return found if isinstance(found, dict) else {}

    def open(self) -> None:
        """Says hello in the way of the era. Raises TravelError."""
        with self._opening:
            # Who once shook hands will again; that spares the probe, which an old server lets time out.
            self._greet(self.revision if self.revision in revisions.HANDSHAKE else self._mode)

    def _greet(self, mode: str) -> None:
        self.transport.open(self._unasked)
        self._begin()
        opening = Opening(self.session, mode)
        message: Message | None = opening.first()
        while isinstance(message, Request):
            try:
                message = opening.next(self._open_with(message, mode))
            except ValueError as error:
                raise TravelError(str(error)) from None
        self.server = opening.server
        if message is not None:
            self._tell(message)
        self.transport.greeted(self.revision)

    def _open_with(self, request: Request, mode: str) -> Done | Failed:
        probing = mode == "auto" and request.method == "server/discover"
        patience = min(PROBE, self._patience) if probing else self._patience
        try:
            for event in self._events(self.session, request, Deadline(patience, patience)):
                if event.id in (request.id, None):
                    return event
        except (NotReachable, Unauthorized):
            raise
        except TravelError as error:
            if not probing:
                raise
            self.transport.open(self._unasked)  # a server that died of the question is started again
            return Failed(request.id, None, str(error))
        return Failed(request.id, None, "The server did not answer.")

    def _renew(self, stale: Session) -> None:
        """Begins a new session, unless another thread has done so meanwhile."""
        with self._opening:
            if self.session is stale:
                self.open()
                for method, params in self._reminders.all():
                    self._once(method, params, False, self._patience)

    def close(self) -> None:
        """Says goodbye where the era has a way to. Never raises."""
        self._is_closed = True
        self.transport.close()
        self._answering.close()

    # ---- 2. Asking ---------------------------------------------------------------------------------------------------

    def request(
        self,
        method: str,
        params: Object | None = None,
        *,
        with_progress: bool = False,
        patience: float | None = None,
        stop: threading.Event | None = None,
    ) -> Object:
        """The result of a request. `patience` in seconds, infinite for `subscriptions/listen`.

        When another thread sets `stop`, the request is given up: the server is told, and TimedOut is raised.

        Raises Refused; TravelError; Declined where somebody here said no and the era has no way to tell.
        """
        attempt = 1
        while True:
            with self._opening:  # not while another thread is greeting the server anew
                session = self.session
            try:
                result = self._once(method, params or {}, with_progress, patience or self._patience, stop)
            except TravelError as error:
                attempt += 1
                if attempt > TRIES or self._is_closed or not is_worth_a_try(method, error):
                    raise
                self.transport.recorder.warn(f"{error} Trying again.", method=method)
                if is_forgotten(error) or not self.transport.is_open:
                    self._renew(session)
                else:
                    (stop or threading.Event()).wait(pause_before(attempt, error))
            else:
                self._reminders.note(method, params or {})
                return result

    def _once(
        self, method: str, params: Object, with_progress: bool, patience: float, stop: threading.Event | None = None
    ) -> Object:
        session, token = self.session, secrets.token_hex(4) if with_progress else None
        first = session.request(method, params, progress_token=token)
        deadline = Deadline(patience, max(LONGEST, patience), stop=stop)
        try:
            events = self._events(session, first, deadline)
            with self._answering.waiting(deadline, token), contextlib.closing(events):
                for event in events:
                    if event.id not in (first.id, None):
                        continue
                    if isinstance(event, Failed):
                        raise Refused(event)
                    return event.result
        except (TimedOut, KeyboardInterrupt):
            self._give_up(session, first, "The client waited long enough." if deadline.stop is None else STOPPED)
            raise
        except Unoffered as error:
            raise Refused(Failed(first.id, None, str(error))) from None
        finally:
            session.cancel(first.id, "")  # forgotten, whatever became of it
        raise TravelError(f"The server closed the conversation without answering {method}.")

    def _events(self, session: Session, request: Request, deadline: Deadline) -> Generator[Done | Failed, None, None]:
        """Sends a request, and again with its answers as often as the server asks; the events that end it."""
        to_send: list[Request] = [request]
        while to_send:
            current = to_send.pop()
            is_call = current.method == "tools/call"
            schema = self._contracts.input_schema(str(current.params.get("name"))) if is_call else None
            with contextlib.closing(self.transport.send(current, deadline, schema)) as arriving:
                for message in arriving:
                    for event in session.receive(message, current.id):
                        if isinstance(event, Done | Failed):
                            yield event
                        elif isinstance(event, Noted):
                            deadline.put_off()
                            self._heard(event)
                        elif (retry := self._answering.reply(session, event, deadline)) is not None:
                            to_send.append(retry)
            for held in session.waiting_for_another_try() if not to_send else ():
                if held.first_id == request.id:  # a state without questions: the server wants a pause
                    time.sleep(min(1.0, max(deadline.left, 0)))
                    to_send.append(session.repeat(held))

    def _give_up(self, session: Session, request: Request, reason: str) -> None:
        note = session.cancel(request.id, reason)
        # Over HTTP the stateless era has no such message: closing the stream, which is done, says it.
        if self.transport.via == "stdio" or not revisions.is_stateless(self.revision):
            self._tell(note)

    def _tell(self, message: Message) -> None:
        """Sends what nobody answers; a failure to do so is no reason to stop."""
        with contextlib.suppress(TravelError):
            for _ in self.transport.send(message, Deadline(10, 10)):
                pass

    def _heard(self, noted: Noted) -> None:
        if noted.note.method == "notifications/tools/list_changed":
            self._contracts.is_fresh = False
        self._note(noted)

    def _unasked(self, message: Message) -> None:
        self._answering.take(self.session, message)

    # ---- 3. What most callers want -----------------------------------------------------------------------------------

    def list_all(self, method: str) -> list[Object]:
        """Every page of one of the four lists."""
        entries: list[Object] = []
        seen: set[str] = set()
        self.fresh_for[method] = None
        params: Object = {}
        while len(seen) < MAX_PAGES:
            result = self.request(method, params)
            page = result.get(LISTS[method])
            self.fresh_for[method] = least_fresh(self.fresh_for[method], result)
            entries += [entry for entry in page if isinstance(entry, dict)] if isinstance(page, list) else []
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or cursor in seen:  # an empty string is a cursor too
                break
            seen.add(cursor)
            params = {"cursor": cursor}
        if method != "tools/list":
            return entries
        return self._contracts.learn(entries, are_mirrored=self._mirrors)

    @property
    def _mirrors(self) -> bool:
        return self.transport.via == "http" and revisions.is_stateless(self.revision)

    def call_tool(self, name: str, arguments: Mapping[str, Any], **how: Any) -> Object:
        """The result of a tool; `how` as for request(). Raises as that does, and BadResult where the result breaks its
        outputSchema."""
        if self._mirrors and not self._contracts.is_fresh:
            self.list_all("tools/list")  # which headers a call needs stands in the tool's schema
        params = {"name": name, "arguments": dict(arguments)}
        try:
            result = self.request("tools/call", params, **how)
        except Refused as refused:
            if refused.code != HEADER_MISMATCH:
                raise
            self.list_all("tools/list")
            result = self.request("tools/call", params, **how)
        self._contracts.check(name, result)
        return result
