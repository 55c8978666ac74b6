"""One conversation as both shells of the server see it: a message is taken, written down, answered, written down.

In:   decoded messages (or the bytes that were none), and what the transport knows of them.
Out:  Deliveries: the text to send, and the request it belongs to.
Here nobody knows how a text is sent. That every frame is in the log before it leaves is this module's whole point:
an answer that was acknowledged can then never be missing from the log.
"""

import functools
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mcp_core import headers as http_headers
from mcp_core import messages, revisions
from mcp_core.admission import is_stateless
from mcp_core.messages import Failure, Id, Message, Notification, ProtocolError, Request, Result
from mcp_core.runs import Outgoing
from mcp_core.schemas import shortened
from mcp_core.serving import Session
from playground.logbook import Logbook, exchange_of, source_of, trace_of

PATIENCE = 60.0  # seconds a client may take to answer a question


class Delivery(NamedTuple):
    """What to send. `text` is None where a request ends without an answer."""

    text: str | None
    message: Message | None
    about: Id | None
    status: int = 200  # of HTTP, should this be the first thing sent
    come_back: int | None = None  # milliseconds; the client may be sent away and fetch the rest later

    @property
    def is_last(self) -> bool:
        """Whether the request it belongs to is now answered."""
        return self.come_back is None and not isinstance(self.message, (Notification, Request))


class Taken(NamedTuple):
    """What the log remembers of a request until it is answered."""

    request: Request
    exchange: str | None
    trace: str | None
    source: str | None  # the function that answers it
    started: float  # time.perf_counter()
    revision: str | None


class Live:
    """A serving.Session with its log. `connection` tells clients apart that have no session id."""

    def __init__(
        self,
        session: Session,
        log: Logbook,
        *,
        via: str,
        connection: str,
        id: str | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.session, self.id = session, id
        self._log, self._via, self._connection, self._patience = log.kept(), via, connection, patience
        self._taken: dict[Id, Taken] = {}
        self._timers: dict[Id, threading.Timer] = {}

    def deliver(self, delivery: Delivery) -> None:
        """Sends what no call of take() gives out: what a tool says when its question stays unanswered, and changes.

        Where nothing but the answer can be sent, there is nothing to do.
        """

    def settle(self) -> None:
        """Has what was noted written down: called before anything is done for a message, and before any is sent."""
        self._log.put()

    # ---- What comes in -----------------------------------------------------------------------------------------------

    def take(
        self,
        message: Message,
        raw: bytes | str,
        *,
        headers: Mapping[str, str] | None = None,
        http: Any = None,
        streamed: bool = False,
    ) -> Iterator[Delivery]:
        """Takes one message that came as `raw`, with its headers (lower case) and what the log shows of HTTP.

        `streamed`: a stream is open for its answer already.
        """
        value = messages.as_json(message)
        asker = "client" if isinstance(message, (Request, Notification)) else "server"
        exchange = exchange_of(value, asker=asker, session=self.id, connection=self._connection)
        trace, source, taken = trace_of(value), None, None
        if isinstance(message, Request):
            source = self._source(message)
            revision = revisions.LATEST if is_stateless(message, headers) else self.session.memory.revision
            taken = Taken(message, exchange, trace, source, time.perf_counter(), revision)
        elif not isinstance(message, Notification):
            self._be_patient_no_more(message.id)
        event = _CAME[type(message)]
        self._frame(event, raw, value, dir="in", http=http, exchange=exchange, trace=trace, src=source)
        # An id that is in use already will be refused; the request that has it stays the one that is taken.
        if taken is not None and self._taken.setdefault(taken.request.id, taken) is taken:
            self._note_call(taken)
        self.settle()
        return self.deliveries(self.session.receive(message, headers), http is not None, taken, streamed)

    def refuse(
        self,
        raw: bytes | str,
        error: ProtocolError,
        *,
        message: Message | None = None,
        http: Any = None,
        status: int = 400,
    ) -> Delivery:
        """Writes down what was no message, or (with `message`) one that came to nobody; gives the answer to it."""
        value = messages.as_json(message) if message is not None else None
        event = "rpc_parse_error" if value is None else "rpc_request"
        place: dict[str, Any] = {"trace": trace_of(value), "level": "WARNING"}
        if value is not None:
            place["exchange"] = exchange_of(value, asker="client", session=self.id, connection=self._connection)
        failure = error.as_failure()
        text = messages.encode(failure)
        answered = _answered(http is not None, status)
        self._frame(event, raw, value, dir="in", http=http, reason=str(error), **place)
        self._frame("rpc_response", text, None, True, dir="out", http=answered, **place)
        self.settle()
        return Delivery(text, failure, None, status)

    # ---- What goes out -----------------------------------------------------------------------------------------------

    def deliveries(
        self, outgoing: Iterator[Outgoing], over_http: bool, own: Taken | None = None, streamed: bool = False
    ) -> Iterator[Delivery]:
        """Writes down what a session gives out, in the moment before it is sent. `own`: the request behind it."""
        streamed = streamed or own is None  # what is sent later than the first moment finds a stream
        for given in outgoing:
            out, text = self._encoded(given)
            if text is None and given.message is not None:
                continue
            taken = own
            if out.about is not None and (own is None or own.request.id != out.about):
                taken = self._taken.get(out.about)
            status, revision = 200, taken.revision if taken is not None else None
            if isinstance(out.message, Failure) and not streamed:
                status = http_headers.status_of(out.message, revision)
            delivery = Delivery(text, out.message, out.about, status, out.come_back)
            if out.come_back is not None:
                streamed = True
                yield delivery
                continue
            is_last = delivery.is_last
            streamed = streamed or not is_last
            if is_last and out.about is not None and self._taken.get(out.about) is taken:
                self._taken.pop(out.about, None)
            self._went_out(out, text, taken, is_last, _answered(over_http, status, streamed))
            self.settle()
            yield delivery

    def _encoded(self, out: Outgoing) -> tuple[Outgoing, str | None]:
        """What goes out, and its text; for a value of a tool's that is no JSON, an error instead, or nothing."""
        if out.message is None:
            return out, None
        try:
            return out, messages.encode(out.message)
        except (ValueError, TypeError, RecursionError) as fault:  # NaN, an object of Python's, a circle
            if isinstance(out.message, Result):
                text = "The server made an answer that is no JSON; its log says why."
                failure = Failure(out.message.id, messages.INTERNAL_ERROR, text)
                return Outgoing(failure, out.about, fault), messages.encode(failure)
            self._log_fault(fault, None)
            if isinstance(out.message, Request):  # a question that can't be asked is one that nobody answers
                threading.Thread(target=self._give_up, args=[out.message.id], daemon=True).start()
            return out, None

    def _log_fault(self, fault: Exception, exchange: str | None) -> None:
        whole = "".join(traceback.format_exception(fault))
        self._log.write("server_fault", {"traceback": whole}, level="ERROR", exchange=exchange)
        self.settle()

    def _went_out(self, out: Outgoing, text: str | None, taken: Taken | None, is_last: bool, http: Any) -> None:
        method, exchange, trace, source, ms = None, None, None, None, None
        if taken is not None:
            method, exchange, trace, source = taken.request.method, taken.exchange, taken.trace, taken.source
            ms = (time.perf_counter() - taken.started) * 1000 if is_last else None
        if out.fault is not None:
            self._log_fault(out.fault, exchange)
        if taken is not None and is_last:
            self._note_outcome(taken, out.message, ms)
        if text is None or out.message is None:
            data = {"method": method, "id": out.about}
            self._log.write("rpc_cancelled", data, exchange=exchange, trace=trace, session=self.id, ms=ms)
            return
        if isinstance(out.message, Request):
            value = messages.as_json(out.message)
            exchange = exchange_of(value, asker="server", session=self.id, connection=self._connection)
            self._limit_patience(out.message.id)
        event = _WENT[type(out.message)]
        self._frame(event, text, None, True, dir="out", http=http, exchange=exchange, trace=trace, ms=ms, src=source)

    def _limit_patience(self, question: Id) -> None:
        timer = self._timers[question] = threading.Timer(self._patience, self._give_up, [question])
        timer.daemon = True
        timer.start()

    def _give_up(self, question: Id) -> None:
        self._timers.pop(question, None)
        for delivery in self.deliveries(self.session.give_up(question), self._via == "http"):
            self.deliver(delivery)

    def _be_patient_no_more(self, question: Id | None) -> None:
        timer = self._timers.pop(question, None) if question is not None else None
        if timer is not None:
            timer.cancel()

    def _source(self, request: Request) -> str | None:
        handler = self.session.handler_of(request)
        return source_of(handler) if handler is not None else None

    # ---- What the log says besides frames ----------------------------------------------------------------------------

    def _frame(self, event: str, text: bytes | str, value: Any, own: bool = False, **more: Any) -> None:
        self._log.frame(event, text, value, own=own, peer="client", via=self._via, session=self.id, **more)

    def _note_call(self, taken: Taken) -> None:
        request = taken.request
        if request.method == "tools/call":
            arguments = request.params.get("arguments")
            if isinstance(arguments, dict):  # the whole text is in the frame; here it would only double the log
                arguments = {name: shortened(v) if isinstance(v, str) else v for name, v in arguments.items()}
            data = {"tool": request.params.get("name"), "arguments": arguments}
            self._note(taken, None, "tool_call_request", data)

    def _note_outcome(self, taken: Taken, answer: Message | None, ms: float | None) -> None:
        method, tool = taken.request.method, taken.request.params.get("name")
        if isinstance(answer, Failure) and answer.code == messages.METHOD_NOT_FOUND:
            self._note(taken, ms, "rpc_method_not_found", {"method": method}, "WARNING")
        if method != "tools/call":
            return
        if isinstance(answer, Failure):
            event = "tool_not_found" if answer.code == messages.INVALID_PARAMS else "tool_call_error"
            self._note(taken, ms, event, {"tool": tool, "error": answer.message}, "WARNING")
        elif isinstance(answer, Result) and answer.result.get("isError"):
            blocks = answer.result.get("content", [])
            text = next((block["text"] for block in blocks if block.get("type") == "text"), "")
            self._note(taken, ms, "tool_call_error", {"tool": tool, "error": shortened(text, 500)}, "WARNING")
        elif isinstance(answer, Result):
            self._note(taken, ms, "tool_call_success", {"tool": tool})

    def _note(self, taken: Taken, ms: float | None, event: str, data: Any, level: str = "INFO") -> None:
        exchange, trace = taken.exchange, taken.trace
        self._log.write(event, data, level=level, session=self.id, exchange=exchange, trace=trace, ms=ms)


_CAME = {Request: "rpc_request", Notification: "rpc_notification", Result: "rpc_answer", Failure: "rpc_answer"}
_WENT = {
    Request: "server_request",
    Notification: "server_notification",
    Result: "rpc_response",
    Failure: "rpc_response",
}


@functools.lru_cache(maxsize=64)
def _answered(over_http: bool, status: int, streamed: bool = False) -> dict[str, Any] | None:
    """What the log shows of an HTTP answer."""
    if not over_http:
        return None
    kind = "text/event-stream" if streamed else "application/json"
    return {"status": status, "headers": {"Content-Type": kind}}
