"""Writes a client's traffic into its logbook: every frame as it was sent and as it came.

In:   messages and the texts that traveled, from the transports.
Out:  records that pair with the server's own (by the span each message carries in `_meta.traceparent`).
Here nobody knows what comes next. See playground/logbook.py for the shape of a record.
"""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_core import messages
from mcp_core.messages import Failure, Id, Message, Notification, Request, Result
from playground.logbook import Logbook, exchange_of, source_of, trace_of

MOST_OPEN = 1000  # requests whose answers are still to be paired with them

_SENT = {
    Request: "client_request",
    Notification: "client_notification",
    Result: "client_answer",
    Failure: "client_answer",
}
_CAME = {
    Request: "server_request",
    Notification: "server_notification",
    Result: "client_response",
    Failure: "client_response",
}


_SENDERS = ("playground.wire.connection", "playground.wire.answering")


@dataclass(frozen=True, slots=True)
class Sent:
    """A request on its way: what its answer's record needs."""

    exchange: str | None
    trace: str | None
    source: str | None
    at: float


class Recorder:
    """The log of one connection. `server` is the name the user gave to the other end."""

    def __init__(self, log: Logbook, *, via: str, server: str) -> None:
        self._log, self._via, self._server = log, via, server
        self._connection = f"{via}-{os.getpid()}-{id(self):x}"
        self._open: dict[Id, Sent] = {}
        self.session: str | None = None

    def sent(self, message: Message, text: str, http: Mapping[str, Any] | None = None) -> None:
        """A message is about to leave."""
        value = messages.as_json(message)
        asker = "client" if isinstance(message, Request | Notification) else "server"
        exchange = exchange_of(value, asker=asker, session=self.session, connection=self._connection)
        trace, source = trace_of(value), _sender()
        if isinstance(message, Request):
            self._open[message.id] = Sent(exchange, trace, source, time.perf_counter())
            if len(self._open) > MOST_OPEN:  # those that will never be answered, oldest first
                del self._open[next(iter(self._open))]
        more = {"http": http, "exchange": exchange, "trace": trace, "src": source}
        self._frame(_SENT[type(message)], text, value, own=True, dir="out", **more)

    def came(
        self, message: Message, text: str | bytes, about: Id | None, http: Mapping[str, Any] | None = None
    ) -> None:
        """A message has arrived; `about` is the request on whose stream it came."""
        value = messages.as_json(message)
        key = message.id if isinstance(message, Result | Failure) and message.id is not None else about
        sent = self._open.get(key) if key is not None else None
        exchange, trace, source = (sent.exchange, sent.trace, sent.source) if sent is not None else (None, None, None)
        ms = None
        if isinstance(message, Request):
            exchange = exchange_of(value, asker="server", session=self.session, connection=self._connection)
        elif isinstance(message, Result | Failure) and sent is not None and key is not None:
            self._open.pop(key, None)
            ms = (time.perf_counter() - sent.at) * 1000
        level = "WARNING" if isinstance(message, Failure) else "INFO"
        more = {"http": http, "exchange": exchange, "trace": trace, "ms": ms, "src": source}
        self._frame(_CAME[type(message)], text, value, dir="in", level=level, **more)

    def accepted(self, http: Mapping[str, Any], about: Id | None = None) -> None:
        """HTTP answered without a message: a notification was taken."""
        self._note("client_accepted", {"http": http}, about)

    def unreadable(self, text: str | bytes, reason: str, http: Mapping[str, Any] | None = None) -> None:
        """Something arrived that is no message."""
        self._frame("client_warning", text, None, dir="in", http=http, level="WARNING", reason=reason)

    def warn(self, reason: str, **data: Any) -> None:
        """Something went otherwise than planned."""
        self._log.write(
            "client_warning", {"reason": reason, "server": self._server, **data}, level="WARNING", via=self._via
        )

    def said_on_stderr(self, line: str) -> None:
        """A line that a server at the other end of a pipe wrote for humans."""
        self._log.write("server_stderr", {"line": line, "server": self._server}, peer="server", via=self._via)

    def _note(self, event: str, data: Mapping[str, Any], about: Id | None) -> None:
        sent = self._open.get(about) if about is not None else None
        exchange = sent.exchange if sent is not None else None
        self._log.write(event, data, peer="server", via=self._via, session=self.session, exchange=exchange)

    def _frame(self, event: str, text: str | bytes, value: Any, **more: Any) -> None:
        more = {"session": self.session, "server": self._server, **more}
        self._log.frame(event, text, value, peer="server", via=self._via, **more)


def _sender() -> str | None:
    """The place in the code that wanted a message sent: the outermost of those that know what it is for."""
    frame, found = sys._getframe(1).f_back, None
    while frame is not None:
        if frame.f_globals.get("__name__") in _SENDERS:
            found = frame
        frame = frame.f_back
    return None if found is None else source_of(found)
