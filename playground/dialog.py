"""Questions and their answers: one message out, frames back, until the one that answers it.

In:   messages as JSON objects (or any bytes at all), a carrier, and the headers to send with each message.
Out:  the answer with our id; everything else that comes is shown, logged, and where it asks something, answered.
Here nobody knows what a method means, except `ping`, which a server may send at any time.

Theory of operation
    Over HTTP each message has a response of its own, over stdio all share one pipe; in both, what comes before the
    answer may be notifications, requests of the server, and answers to what we gave up waiting for. So each frame is
    read for what it is, and only a result or an error with the right id ends the waiting.
"""

import json
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

from mcp_core.messages import METHOD_NOT_FOUND, Failure, ProtocolError, Request, Result, parse, read
from playground.carriers import Frame, Pipe, Post, Trouble, Unanswered
from playground.logbook import source_of
from playground.narrator import Narrator, Sent

Json = dict[str, Any]


class SessionGone(Exception):
    """The server has forgotten the session: HTTP 404 to a request that named one."""


def object_in(body: bytes) -> Json:
    """The JSON object in a body; {} if there is none.

    >>> object_in(b'{"id": 1}'), object_in(b"[1]"), object_in(b"<html>")
    ({'id': 1}, {}, {})
    """
    with suppress(ProtocolError):
        if isinstance(value := parse(body), dict):
            return value
    return {}


class Dialog:
    """One conversation on one wire. `headers_for` gives the HTTP headers of a message, when it is sent."""

    def __init__(
        self, wire: Post | Pipe, teller: Narrator, limit: float, headers_for: Callable[[Json], dict[str, str]]
    ) -> None:
        self.wire, self.teller, self.limit, self._headers_for = wire, teller, limit, headers_for
        self.session: str | None = None  # what the server called it, if it did
        self.may_answer = True  # whether the revision lets a server send requests

    def exchange(self, event: str, message: Json, source: str, limit: float | None = None) -> Json:
        """Sends a message, compact and ASCII; gives the answer to a request, {} for all else.

        `event` and `source` are for the log; `limit` in seconds. Raises Trouble, or SessionGone.
        """
        body = json.dumps(message, separators=(",", ":")).encode()
        sent = Sent(message, self._http(message), source)
        is_request = "method" in message and "id" in message
        self.teller.sends(event, sent, body)
        with closing(self.wire.send(body, sent.headers, limit or self.limit, is_request)) as frames:
            for frame in frames:
                if (answer := self._receive(frame, sent, is_request)) is not None:
                    self._hear()
                    return answer
        self._hear()
        if is_request:
            raise Unanswered("The server ended its response before it had answered; its own log may say why.")
        return {}

    def raw(self, body: bytes, source: str) -> None:
        """Sends these bytes, whatever they are, and shows what comes back just as it came."""
        message = object_in(body)
        is_silent = ("method" in message) != ("id" in message)  # a notification or an answer: neither is answered
        sent = Sent(message, self._http(message), source)
        self.teller.sends("client_request", sent, body, is_raw=True)
        with closing(self.wire.send(body, sent.headers, self.limit, not is_silent)) as frames:
            for frame in frames:
                value = object_in(frame.body)
                self.teller.hears(sent, frame, value or None, None, is_raw=True)
                if self.wire.via == "stdio" and "method" not in value:
                    break
        self._hear()

    def end_session(self, limit: float, quiet: bool = False) -> None:
        """Ends the HTTP session, if there is one, with DELETE. What the server says to that changes nothing."""
        if self.session is not None and isinstance(self.wire, Post):
            all_headers, self.session = self._headers_for({}), None
            headers = {name: value for name, value in all_headers.items() if name.lower().startswith("mcp-")}
            sent = Sent({}, {"method": "DELETE", "path": self.wire.path, "headers": headers}, "")
            try:
                self.teller.parts(sent, self.wire.delete(headers, limit), quiet)
            except Trouble as trouble:
                self.teller.logs("client_warning", {"text": str(trouble)}, level="WARNING")

    def _hear(self) -> None:
        for line in self.wire.heard():
            self.teller.stderr(line)

    def _http(self, message: Json) -> Json:
        if isinstance(self.wire, Pipe):
            return {}
        return {"method": "POST", "path": self.wire.path, "headers": self._headers_for(message)}

    def _receive(self, frame: Frame, sent: Sent, is_request: bool) -> Json | None:
        value, kind, flaw = None, None, ""
        try:
            kind = read(value := parse(frame.body)) if frame.body else None
        except ProtocolError as error:
            flaw = str(error)
        self.teller.hears(sent, frame, value, kind)
        if flaw:
            raise Unanswered(self.wire.complaint(frame, flaw))
        status, headers = (frame.http["status"], frame.http["headers"]) if frame.http else (200, {})
        if status == 404 and self.session:
            raise SessionGone
        if sent.message.get("method") == "initialize":  # only its answer may name a session
            self.session = headers.get("Mcp-Session-Id", self.session)
        if isinstance(kind, Request):
            self._answer(kind)
        elif isinstance(kind, (Result, Failure)):
            # An error may come without an id, if the server could not read ours (JSON-RPC 2.0, section 5).
            if is_request and kind.id in (sent.message["id"], None) and isinstance(value, dict):
                return value
            self.teller.warns(f"Nothing that we asked has the id {kind.id}.", sent)
        elif kind is None and status >= 300:
            raise Unanswered(self.wire.complaint(frame, "The body is empty."))
        elif kind is None and not is_request:
            self.teller.logs("client_accepted", {"http": frame.http}, sent)
        return None

    def _answer(self, asked: Request) -> None:
        if not self.may_answer:
            self.teller.warns(f"A server of this revision may send no request, and this one sent {asked.method}.")
            return
        answer: Json = {
            "jsonrpc": "2.0",
            "id": asked.id,
            "result": {},
        }  # to a ping exactly this (utilities/ping)
        if asked.method != "ping":
            error = {"code": METHOD_NOT_FOUND, "message": f"This client has no method {asked.method}."}
            answer = {"jsonrpc": "2.0", "id": asked.id, "error": error}
        with suppress(SessionGone):
            self.exchange("client_answer", answer, source_of(sys._getframe()))
