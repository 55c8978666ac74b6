"""A connection to one server: ask, and get the answer; be asked, and have somebody answer.

In:   a Transport, and the functions that answer the server's questions.
Out:  results as objects; Refused where the server says no; TravelError where it can't be heard.
Here nobody knows whether the way is a pipe or HTTP (transports.py), nor which era is spoken (mcp_core.calling).

Theory of operation
    request() sends one message and gives everything that comes back to the calling.Session. A question becomes a call
    of `answer`; its reply is sent, or in the stateless era goes out with the repeated request. Progress puts off the
    deadline. What belongs to no request arrives on other threads, through `unasked`, and is treated alike.

    Sent again is only what may be: lists, reads and the like, after a pause that grows; and anything whose session had
    ended before it was looked at (HTTP 404). A tool call whose fate is unknown is never repeated.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mcp_core import revisions, schemas
from mcp_core.calling import Asked, Done, Failed, Noted, Session
from mcp_core.headers import mirrored
from mcp_core.messages import HEADER_MISMATCH, Failure, Message, Request
from mcp_core.opening import Opening
from playground.wire.transports import Deadline, NotMCP, NotReachable, SessionEnded, TimedOut, Transport, TravelError

Object = dict[str, Any]
Answer = Callable[[Asked], Object | None]  # None: this client won't or can't

PATIENCE = 60.0  # seconds for one answer; each sign of progress gives as many again
LONGEST = 600.0
PROBE = 10.0  # seconds for server/discover, which an old server may simply ignore
MAX_PAGES = 1000
USER_SAID_NO = -1  # the code of the specification's own example (client/sampling, Error Handling)
TRIES = 3

SAFE_TO_REPEAT = (
    *("server/discover", "ping", "tools/list", "resources/list", "resources/templates/list"),
    *("resources/read", "prompts/list", "prompts/get", "completion/complete"),
)
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


class Declined(Exception):
    """Raised by an `answer` function: the question is understood, and somebody said no. The text is for the server."""


class BadResult(Exception):
    """A tool's structuredContent is not what its outputSchema promises."""


class Connection:
    """One server, from the first word to the last. Safe for threads after open()."""

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
        self.transport, self._mode, self._answer, self._note, self._patience = transport, mode, answer, note, patience
        self._info, self._capabilities, self._trace = info, capabilities or {}, trace
        self._tools: dict[str, Object] = {}  # as last listed: their schemas are needed to call them
        self._checks: dict[str, schemas.Check] = {}
        self._opening = threading.Lock()
        self._begin()

    # ---- 1. Opening and closing --------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.session = Session(self._info, self._capabilities, stamp=self._stamp)
        self.server: Object = {}

    def _stamp(self) -> Object:
        """A W3C traceparent: the question's trace, and a span of this message's own."""
        return {"traceparent": f"00-{self._trace()}-{secrets.token_hex(8)}-01"}

    @property
    def revision(self) -> str:
        return self.session.revision or ""

    @property
    def capabilities(self) -> Object:
        found = self.server.get("capabilities")
        return found if isinstance(found, dict) else {}

    def open(self) -> None:
        """Says hello in the way of the era. Raises TravelError."""
        with self._opening:
            self.transport.open(self._unasked)
            opening = Opening(self.session, self._mode)
            message: Message | None = opening.first()
            while isinstance(message, Request):
                try:
                    message = opening.next(self._open_with(message))
                except ValueError as error:
                    raise TravelError(str(error)) from None
            self.server = opening.server
            if message is not None:
                self._tell(message)
            self.transport.greeted(self.revision)

    def _open_with(self, request: Request) -> Done | Failed:
        probing = self._mode == "auto" and request.method == "server/discover"
        patience = min(PROBE, self._patience) if probing else self._patience
        try:
            for event in self._events(request, Deadline(patience, patience)):
                if isinstance(event, Done | Failed):
                    return event
        except NotReachable:
            raise
        except TravelError as error:
            if not probing:
                raise
            self.transport.open(self._unasked)  # a server that died of the question is started again
            return Failed(request.id, None, str(error))
        return Failed(request.id, None, "The server did not answer.")

    def close(self) -> None:
        """Says goodbye where the era has a way to. Never raises."""
        self.transport.close()

    # ---- 2. Asking ---------------------------------------------------------------------------------------------------

    def request(self, method: str, params: Object | None = None, *, with_progress: bool = False) -> Object:
        """The result of a request. Raises Refused or TravelError."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._once(method, params, with_progress)
            except (NotMCP, TimedOut):
                raise
            except (SessionEnded, NotReachable, TravelError) as error:
                nothing_happened = isinstance(error, SessionEnded | NotReachable)
                if attempt == TRIES or not (nothing_happened or method in SAFE_TO_REPEAT):
                    raise
                self.transport.recorder.warn(f"{error} Trying again.", method=method)
                if not isinstance(error, SessionEnded):
                    time.sleep(0.2 * 2**attempt)
                self._begin()
                self.open()
        raise AssertionError("the last try returns or raises")

    def _once(self, method: str, params: Object | None, with_progress: bool) -> Object:
        token = secrets.token_hex(4) if with_progress else None
        first = self.session.request(method, params, progress_token=token)
        deadline = Deadline(self._patience, max(LONGEST, self._patience))
        try:
            for event in self._events(first, deadline):
                if isinstance(event, Done) and event.id == first.id:
                    return event.result
                if isinstance(event, Failed) and event.id in (first.id, None):
                    raise Refused(event)
        except (TimedOut, KeyboardInterrupt):
            self._give_up(first)
            raise
        raise TravelError(f"The server closed the conversation without answering {method}.")

    def _events(self, request: Request, deadline: Deadline) -> Iterator[Done | Failed]:
        """Sends a request, and again with its answers as often as the server asks; the events that end it."""
        to_send: list[Request] = [request]
        while to_send:
            current = to_send.pop()
            schema = self._tools.get(str(current.params.get("name")), {}).get("inputSchema")
            for message in self.transport.send(current, deadline, schema if current.method == "tools/call" else None):
                for event in self.session.receive(message, current.id):
                    if isinstance(event, Done | Failed):
                        yield event
                    elif isinstance(event, Noted):
                        deadline.put_off()
                        self._note(event)
                    elif (retry := self._reply(event)) is not None:
                        to_send.append(retry)
            for held in self.session.waiting_for_another_try() if not to_send else ():
                time.sleep(min(1.0, max(deadline.left, 0)))  # a state without questions: the server wants a pause
                to_send.append(self.session.repeat(held))

    def _give_up(self, request: Request) -> None:
        note = self.session.cancel(request.id, "The client waited long enough.")
        # Over HTTP the stateless era has no such message: closing the stream, which is done, says it.
        if self.transport.via == "stdio" or not revisions.is_stateless(self.revision):
            self._tell(note)

    def _tell(self, message: Message) -> None:
        """Sends what nobody answers; a failure to do so is no reason to stop."""
        try:
            for _ in self.transport.send(message, Deadline(10, 10)):
                pass
        except TravelError:
            pass

    # ---- 3. Being asked ----------------------------------------------------------------------------------------------

    def _unasked(self, message: Message) -> None:
        for event in self.session.receive(message):
            if isinstance(event, Noted):
                self._note(event)
            elif isinstance(event, Asked):
                self._reply(event)

    def _reply(self, asked: Asked) -> Request | None:
        """Has a question answered. What goes out is sent at once, unless it is the request itself, repeated."""
        try:
            outgoing = self.session.answer(asked, {} if asked.method == "ping" else self._answer(asked))
        except Declined as error:
            if revisions.is_stateless(self.revision):
                raise  # there is no way to send a no; the request itself is given up
            outgoing = Failure(asked.key, USER_SAID_NO, str(error))
        if isinstance(outgoing, Request):
            return outgoing
        if outgoing is not None:
            self._tell(outgoing)
        return None

    # ---- 4. What most callers want -----------------------------------------------------------------------------------

    def list_all(self, method: str) -> list[Object]:
        """Every page of one of the four lists."""
        entries: list[Object] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            result = self.request(method, {} if cursor is None else {"cursor": cursor})
            page = result.get(LISTS[method])
            entries += [entry for entry in page if isinstance(entry, dict)] if isinstance(page, list) else []
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):  # an empty string is a cursor too
                break
        if method == "tools/list":
            self._tools = {str(tool.get("name")): tool for tool in entries if self._is_usable(tool)}
            self._checks.clear()
            return list(self._tools.values())
        return entries

    def call_tool(self, name: str, arguments: Mapping[str, Any], *, with_progress: bool = False) -> Object:
        """The result of a tool. Raises Refused, TravelError, or BadResult where it breaks its own outputSchema."""
        if not self._tools and revisions.is_stateless(self.revision):
            self.list_all("tools/list")  # which headers a call needs stands in the tool's schema
        params = {"name": name, "arguments": dict(arguments)}
        try:
            result = self.request("tools/call", params, with_progress=with_progress)
        except Refused as refused:
            if refused.code != HEADER_MISMATCH:
                raise
            self.list_all("tools/list")
            result = self.request("tools/call", params, with_progress=with_progress)
        if faults := self._faults_in(name, result):
            raise BadResult(f"The result of {name} breaks its outputSchema: {'; '.join(faults)}.")
        return result

    def _is_usable(self, tool: Object) -> bool:
        schema = tool.get("inputSchema")
        try:
            mirrored(schema if isinstance(schema, dict) else {})
        except ValueError as error:
            self.transport.recorder.warn(f"The tool {tool.get('name')!r} is left out: {error}.")
            return False
        return isinstance(tool.get("name"), str)

    def _faults_in(self, name: str, result: Object) -> list[str]:
        promised = self._tools.get(name, {}).get("outputSchema")
        if promised is None or result.get("isError") or "structuredContent" not in result:
            return []
        if name not in self._checks:
            try:
                self._checks[name] = schemas.checker(promised)
            except ValueError as error:  # refers to another document, which is never fetched
                self.transport.recorder.warn(f"The outputSchema of {name!r} can't be used: {error}")
                self._checks[name] = lambda value: []
        return self._checks[name](result["structuredContent"])
