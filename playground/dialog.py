"""Questions and their answers: one message out, frames back, until the one that answers it.

In:   messages as JSON objects (or any bytes at all), a carrier, and the headers to send with each message.
Out:  the answer with our id; everything else that comes is shown, logged, and where it asks something, answered.
Here nobody knows what a method means; what to answer to a server's question is the caller's to say.

Theory of operation
    Over HTTP each message has a response of its own, over stdio all share one pipe; in both, what comes before the
    answer may be notifications, requests of the server, and answers to what we gave up waiting for. So each frame is
    read for what it is, and only a result or an error with the right id ends the waiting.
"""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from typing import Any

from mcp_core.messages import (
    METHOD_NOT_FOUND,
    Failure,
    Message,
    Notification,
    ProtocolError,
    Request,
    Result,
    parse,
    read,
)
from playground.carriers import Frame, Pipe, Post, Trouble, Unanswered
from playground.logbook import source_of
from playground.narrator import Narrator, Sent

Json = dict[str, Any]


class SessionGone(Exception):
    """The server has forgotten the session: HTTP 404 to a request that named one."""


def value_in(body: bytes) -> Any:
    """The JSON value in a body; None if there is none.

    >>> value_in(b"[1]"), value_in(b"<html>")
    ([1], None)
    """
    with suppress(ProtocolError):
        return parse(body)
    return None


def object_in(body: bytes) -> Json:
    """The JSON object in a body; {} if there is none.

    >>> object_in(b'{"id": 1}'), object_in(b"[1]"), object_in(b"<html>")
    ({'id': 1}, {}, {})
    """
    return members(value_in(body))


def members(value: Any) -> Json:
    """A JSON object, whatever a server sent in its place.

    >>> members({"a": 1}), members(None)
    ({'a': 1}, {})
    """
    return value if isinstance(value, dict) else {}


class Dialog:
    """One conversation on one wire. `headers_for` gives the HTTP headers of a message, when it is sent; `reply` the
    result that answers a question of the server's, or None if we know no such question.
    """

    def __init__(
        self,
        wire: Post | Pipe,
        teller: Narrator,
        limit: float,
        headers_for: Callable[[Json], dict[str, str]],
        reply: Callable[[Json], Json | None] = lambda question: {} if question["method"] == "ping" else None,
    ) -> None:
        self.wire, self.teller, self.limit = wire, teller, limit
        self._headers_for, self._reply = headers_for, reply
        self.session: str | None = None  # what the server called it, if it did
        self.may_answer = True  # whether the revision lets a server send requests
        self.heard: list[Json] = []  # the notifications that came, on whatever stream
        self.last_event_id: str | None = None  # where a stream that breaks can be taken up again
        self._unanswered: Sent | None = None  # whose stream broke last

    def exchange(self, event: str, message: Json, source: str, limit: float | None = None) -> Json:
        """Sends a message, compact and ASCII; gives the answer to a request, {} for all else.

        `event` and `source` are for the log; `limit` in seconds. Raises Trouble, or SessionGone.
        """
        last: Json = {}
        with closing(self.stream(event, message, source, limit)) as came:
            for value in came:
                last = value
        return {} if "method" in last else last

    def stream(self, event: str, message: Json, source: str, limit: float | None = None) -> Generator[Json, None, None]:
        """Sends a message; gives each message that comes back, as it comes: for a request, its answer is the last.

        A question of the server's is answered after it was given out; who closes the stream first, leaves it open.
        Raises as exchange() does.
        """
        body = json.dumps(message, separators=(",", ":")).encode()
        sent = Sent(message, self._http("POST", message), source)
        if (changed := self.teller.shows(sent, body)) != body:
            body, sent = changed, self._sent(object_in(changed), source)
        is_request = not _is_silent(sent.message)
        self.teller.sends(event, sent, body)
        with closing(self.wire.send(body, sent.headers, limit or self.limit, is_request)) as frames:
            is_answered = yield from self._values(frames, sent)
        if is_request and not is_answered:
            self._unanswered = sent
            raise Unanswered("The server ended its response before it had answered; its own log may say why.")

    def listen(self, source: str, *, resume: bool = False, limit: float | None = None) -> Generator[Json, None, None]:
        """Gives what comes without having been asked for: over HTTP from the stream of a GET, else from the pipe.

        The first value is {}, when the stream is open. `resume` takes up the stream that broke last, where it broke.
        """
        headers = {name: value for name, value in self._headers_for({}).items() if name.lower().startswith("mcp-")}
        headers["Accept"] = "text/event-stream"
        if resume and self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        if isinstance(self.wire, Post):
            sent = Sent({}, {"method": "GET", "path": self.wire.path, "headers": headers}, source)
            self.teller.shows(sent, b"", is_raw=True)
            self.teller.sends("client_listen", sent, b"")
            if resume and self._unanswered is not None:
                sent.exchange = self._unanswered.exchange  # what comes now answers what was asked then
        else:
            sent = Sent({}, None, source)
            yield {}
        with closing(self.wire.listen(headers, limit or self.limit)) as frames:
            yield from self._values(frames, sent, is_listening=True)

    def raw(self, body: bytes, source: str, answers: int = 1) -> list[Any]:
        """Sends these bytes, whatever they are; shows and gives what comes back. A pipe is read for `answers`."""
        sent, came = self._sent(object_in(body), source), []
        is_silent = _is_silent(sent.message)
        body = self.teller.shows(sent, body, is_raw=True)
        self.teller.sends("client_request", sent, body)
        with closing(self.wire.send(body, sent.headers, self.limit, not is_silent)) as frames:
            for frame in frames:
                value = value_in(frame.body)
                self.teller.hears(sent, frame, value, None, is_raw=True)
                came += [value] if value is not None else []
                answers -= not (isinstance(value, dict) and "method" in value)
                if self.wire.via == "stdio" and not answers:
                    break
        self._hear()
        return came

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

    def _sent(self, message: Json, source: str) -> Sent:
        return Sent(message, self._http("POST", message), source)

    def _http(self, method: str, message: Json) -> Json:
        if isinstance(self.wire, Pipe):
            return {}
        return {"method": method, "path": self.wire.path, "headers": self._headers_for(message)}

    def _values(
        self, frames: Iterator[Frame], sent: Sent, *, is_listening: bool = False
    ) -> Generator[Json, None, bool]:
        """The messages in the frames, up to the one that answers what was sent; whether it came."""
        for frame in frames:
            message, kind = self._read(frame, sent)
            if not is_listening and self._is_answer(kind, sent):
                self._hear()  # what a process said on the way is told before the answer is used
                yield message
                return True
            if isinstance(kind, Request | Notification) or (is_listening and kind is not None):
                yield message
            elif is_listening and frame.event_id is None:
                yield {}  # the stream is open
            if isinstance(kind, Request):
                self._answer(kind, message)
        self._hear()
        return False

    def _read(self, frame: Frame, sent: Sent) -> tuple[Json, Message | None]:
        """The message in a frame, shown, logged and judged by its HTTP status; {} and None if there is none."""
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
        self.last_event_id = frame.event_id or self.last_event_id
        if kind is None and status >= 300:
            raise Unanswered(self.wire.complaint(frame, "The body is empty."))
        if kind is None and _is_silent(sent.message):
            self.teller.logs("client_accepted", {"http": frame.http}, sent)
        message = members(value)
        self.heard += [message] if isinstance(kind, Notification) else []
        return message, kind

    def _is_answer(self, kind: Message | None, sent: Sent) -> bool:
        if not isinstance(kind, (Result, Failure)):
            return False
        # An error may come without an id, if the server could not read ours (JSON-RPC 2.0, section 5).
        if not _is_silent(sent.message) and kind.id in (sent.message.get("id"), None):
            return True
        self.teller.warns(f"Nothing that we asked has the id {kind.id}.", sent)
        return False

    def _answer(self, asked: Request, question: Json) -> None:
        if not self.may_answer:
            self.teller.warns(f"A server of this revision may send no request, and this one sent {asked.method}.")
            return
        result = self._reply(question)
        answer: Json = {"jsonrpc": "2.0", "id": asked.id, "result": result}
        if result is None:
            error = {"code": METHOD_NOT_FOUND, "message": f"This client has no method {asked.method}."}
            answer = {"jsonrpc": "2.0", "id": asked.id, "error": error}
        with suppress(SessionGone):
            self.exchange("client_answer", answer, source_of(self._reply))


def _is_silent(message: Json) -> bool:
    """Whether it is a notification or an answer: neither is answered. What is no message is (by an error)."""
    return ("method" in message) != ("id" in message)
