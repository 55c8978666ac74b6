"""Streamable HTTP, the client's side: each message a POST, the answer JSON or a stream of events.

In:   messages of one connection.
Out:  the messages that come back; TravelError where none usable does.
Here nobody knows what is asked. The rules are basic/transports of each revision; the sections are cited where obeyed.

Theory of operation
    A stream that ends or breaks off without the answer is taken up again with GET and Last-Event-ID, after the pause
    the server asked for, if it gave its events ids (handshake era only; 2025-11-25, transports, Resumability). In that
    era the server has a stream of its own besides, which a thread listens to. exchange.py keeps the time.
"""

import contextlib
import threading
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from mcp_core import headers as mirrored
from mcp_core import messages, revisions, sse
from mcp_core.messages import Failure, Message, Notification, ProtocolError, Request, Result
from playground.wire.exchange import MAX_BODY, Exchange, Head, Line, target_of
from playground.wire.recorder import Recorder
from playground.wire.transports import (
    Busy,
    Deadline,
    NotMCP,
    SessionEnded,
    TimedOut,
    TravelError,
    Unasked,
    Unauthorized,
    about,
)

ACCEPT = "application/json, text/event-stream"
MAX_PAUSE = 30.0  # seconds that a server may ask us to stay away
RESUMES = 5  # times that one answer's stream is taken up again
SETTLE = 1.0  # seconds that the handshake waits for the server's own stream to be there
BUSY = (429, 502, 503, 504)


class Http:
    """One server at one URL. `headers` are the user's own: they go with every request and never into the log."""

    via = "http"

    def __init__(self, url: str, recorder: Recorder, *, headers: Mapping[str, str] | None = None) -> None:
        self.url, self.recorder = url, recorder
        self._line, self._target = Line(url, headers), target_of(url)
        self._session_id: str | None = None
        self._revision: str | None = None
        self._unasked: Unasked = lambda message: None
        self._has_ended = False  # the session that there was
        self._generation = 0  # of sessions; a listener ends with its own
        self._listening: Exchange | None = None
        self._is_closed = threading.Event()

    # ---- 1. The transport seam ---------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return not self._has_ended

    def open(self, unasked: Unasked) -> None:
        """HTTP has nothing to open; a session begins with the answer to `initialize`."""
        self._unasked, self._has_ended, self._revision = unasked, False, None
        self._generation += 1
        if (listening := self._listening) is not None:
            listening.hang_up()

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Generator[Message, None, None]:
        """One POST, and what comes back. See transports.Transport."""
        text = messages.encode(message)
        headers = self._headers(message, input_schema)
        self.recorder.sent(message, text, {"method": "POST", "path": self._target, "headers": headers})
        # In the stateless era, closing the exchange is how a request is given up (2026-07-28, Cancellation).
        with contextlib.closing(self._line.call("POST", headers, text.encode("ascii"), about(message))) as exchange:
            yield from self._answers(message, exchange, deadline, headers.get("Mcp-Session-Id"))

    def greeted(self, revision: str) -> None:
        """From now on every request says the revision; in the handshake era the server gets a stream of its own."""
        self._revision = revision
        if revision in revisions.HANDSHAKE:
            is_settled = threading.Event()
            listener = threading.Thread(target=self._listen, args=[self._generation, is_settled], daemon=True)
            listener.start()
            is_settled.wait(SETTLE)  # a question that the server asks there at once must find us listening

    def close(self) -> None:
        """Ends the session (transports, Session Management); 405 says that the server lets it expire instead."""
        self._is_closed.set()
        if self._session_id is not None:
            headers = {name: value for name, value in self._headers(None).items() if name != "Content-Type"}
            try:
                with contextlib.closing(self._line.call("DELETE", headers, None, "the end of the session")) as exchange:
                    exchange.head(Deadline(2, 2))
            except TravelError as error:
                self.recorder.warn(str(error))
            self._session_id = None
        self._line.close()

    # ---- 2. Sending --------------------------------------------------------------------------------------------------

    def _headers(self, message: Message | None, input_schema: Any = None) -> dict[str, str]:
        headers = {"Accept": ACCEPT, "Content-Type": "application/json"}
        if self._session_id is not None:
            headers["Mcp-Session-Id"] = self._session_id
        if isinstance(message, Request | Notification):
            headers |= mirrored.for_request(message, input_schema)
        # 2025-06-18 and later: the negotiated revision goes with every request after the handshake.
        if self._revision is not None and self._revision >= "2025-06-18":
            headers.setdefault("MCP-Protocol-Version", self._revision)
        return headers

    def _note_session(self, message: Message, response: Head) -> None:
        if isinstance(message, Request) and message.method == "initialize" and response.is_good:
            self._session_id = self.recorder.session = None
            given = response.headers.get("Mcp-Session-Id")
            # Visible ASCII only (transports, Session Management): it will stand in a header of ours.
            if given and given.isascii() and given.isprintable() and " " not in given:
                self._session_id = self.recorder.session = given

    # ---- 3. Reading what comes back ----------------------------------------------------------------------------------

    def _answers(
        self, message: Message, exchange: Exchange, deadline: Deadline, session_id: str | None
    ) -> Iterator[Message]:
        response = exchange.head(deadline)
        self._note_session(message, response)
        http, status, kind = response.shown, response.status, response.kind
        if status == 404 and session_id is not None:
            # Whatever the body says: the client must begin a new session (transports, Session Management).
            if session_id == self._session_id:  # else another thread has done so already
                self._session_id, self._has_ended = None, True
                self.recorder.session = None
            raise SessionEnded(f"{self.url} has ended our session.")
        if status == 401 or (status == 403 and "WWW-Authenticate" in response.headers):
            raise self._unauthorized(status, response)
        if not isinstance(message, Request):
            # A notification or an answer was accepted: 202, and whatever else a lenient server sends (JSON-RPC 4.1).
            self.recorder.accepted(http)
            if not response.is_good:
                self.recorder.warn(f"{self.url} refused {about(message)} with HTTP {status}.")
        elif response.is_good and kind == "text/event-stream":
            yield from self._stream(message, exchange, deadline, http)
        elif 300 <= status < 400:
            place = response.headers.get("Location", "nowhere")[:200]
            text = f"{self.url} redirects to {place!r}, where nothing is sent; if you trust it, use that address."
            raise NotMCP(text, status)
        else:
            yield from self._one(exchange.body(deadline), message, http)

    def _unauthorized(self, status: int, response: Head) -> Unauthorized:
        """Where authorization would begin: with this challenge, and then the same message again."""
        self.recorder.warn(f"{self.url} answered HTTP {status}.", http=response.shown)
        text = f"{self.url} wants authorization (HTTP {status}), and this client has none to give; put a header that "
        text += "the server accepts into the server's entry of servers.json."
        return Unauthorized(text, response.headers.get("WWW-Authenticate", ""))

    def _one(self, body: bytes, request: Request, http: Mapping[str, Any]) -> Iterator[Message]:
        """The message (or, from a server of 2025-03-26, the messages) in a JSON body."""
        status = http["status"]
        try:
            value = messages.parse(body, MAX_BODY)
            found = [messages.read(part) for part in (value if isinstance(value, list) else [value])]
        except ProtocolError as error:
            self.recorder.unreadable(body, str(error), http)
            if status in BUSY:
                raise Busy(f"{self.url} has no time now (HTTP {status}).", _pause(http)) from None
            start = body[:200].decode("utf-8", "replace").strip()
            what = f"something that is no MCP message: {start[:80]!r}" if start else "nothing"
            text = f"{self.url} answered HTTP {status} with {what}. Is this the address of an MCP server?"
            raise NotMCP(text, status) from None
        for message in found:
            self.recorder.came(message, body, request.id, http)
            yield message

    def _stream(
        self, request: Request, exchange: Exchange, deadline: Deadline, http: Mapping[str, Any]
    ) -> Iterator[Message]:
        """A stream, and what follows it, up to the answer."""
        place = Place()
        can_resume = revisions.VERSION_KEY not in request.params.get("_meta", {})
        for attempt in range(RESUMES + 1):
            ended = f"The stream from {self.url} ended before the answer to {request.method} had come."
            try:
                with contextlib.closing(exchange):
                    for event in place.follow(self._events(exchange, deadline)):
                        if (message := self._message_of(event, request.id, http)) is not None:
                            yield message
                            if isinstance(message, Result | Failure) and message.id in (request.id, None):
                                return
            except TimedOut:
                raise
            except TravelError as error:  # cut off in the middle, which a resumable stream survives
                ended = str(error)
            if place.last_id is None or attempt == RESUMES or not can_resume:
                break
            # The server keeps the rest under the id of the last event (Resumability and Redelivery).
            self._is_closed.wait(min(place.pause, MAX_PAUSE, max(deadline.left, 0)))
            try:
                exchange = self._get(place.last_id, deadline)
            except TimedOut:
                raise
            except TravelError as error:
                # Not what _get raises: the request did arrive, so that it is not safe to send again.
                raise TravelError(f"{ended} It can't be taken up again: {error}") from None
        raise TravelError(ended)

    def _get(self, last_event_id: str | None, deadline: Deadline) -> Exchange:
        headers = {**self._headers(None), "Accept": "text/event-stream"}
        del headers["Content-Type"]
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        exchange = self._line.call("GET", headers, None, "a request for its event stream")
        try:
            response = exchange.head(deadline)
        except TravelError:
            exchange.close()
            raise
        if not response.is_good or response.kind != "text/event-stream":
            exchange.close()
            raise NotMCP(f"{self.url} offers no event stream (HTTP {response.status}).", response.status)
        return exchange

    def _message_of(self, event: sse.Event, about_id: Any, http: Mapping[str, Any]) -> Message | None:
        if not event.data or event.event != "message":
            return None  # a priming event carries only its id
        try:
            message = messages.decode(event.data, MAX_BODY)
        except ProtocolError as error:
            self.recorder.unreadable(event.data, str(error), http)
            return None
        self.recorder.came(message, event.data, about_id, http)
        return message

    def _events(self, exchange: Exchange, deadline: Deadline) -> Iterator[sse.Event]:
        decoder = sse.Decoder()
        try:
            for piece in exchange.pieces(deadline):
                yield from decoder.feed(piece)
        except sse.StreamError as error:
            raise TravelError(f"{self.url}: {error}") from None

    # ---- 4. Listening ------------------------------------------------------------------------------------------------

    def _listen(self, generation: int, is_settled: threading.Event) -> None:
        """Reads the server's own stream until the end of the session (transports, Listening for Messages)."""
        place, day, failures = Place(), Deadline(86_400, 86_400), 0
        while not self._is_closed.is_set() and self._generation == generation and failures <= RESUMES:
            try:
                self._listening = exchange = self._get(place.last_id, day)
            except NotMCP:
                return  # 405: the server has nothing to say of its own accord
            except TravelError:
                failures += 1
            else:
                failures = 0
                self._hear(exchange, place, day, is_settled)
            finally:
                is_settled.set()
            self._is_closed.wait(min(place.pause * 2**failures, MAX_PAUSE))

    def _hear(self, exchange: Exchange, place: "Place", deadline: Deadline, is_settled: threading.Event) -> None:
        is_settled.set()
        if self._is_closed.is_set():
            exchange.hang_up()  # who closed us did not know of it yet
        with contextlib.closing(exchange), contextlib.suppress(TravelError):
            http = exchange.response.shown
            for event in place.follow(self._events(exchange, deadline)):
                if (message := self._message_of(event, None, http)) is not None:
                    self._unasked(message)


class Place:
    """How far one has read in a stream, and how long to stay away before reading on."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self.pause = 1.0  # seconds

    def follow(self, events: Iterator[sse.Event]) -> Iterator[sse.Event]:
        """The same events, remembered."""
        for event in events:
            self.last_id = event.id or None  # an empty id takes it back (WHATWG HTML 9.2.6)
            self.pause = event.retry / 1000 if event.retry is not None else self.pause
            yield event


def _pause(http: Mapping[str, Any]) -> float | None:
    """The seconds of a Retry-After, if it names seconds."""
    text = next((value for name, value in http["headers"].items() if name.lower() == "retry-after"), "")
    return float(text[:9]) if text.isascii() and text.isdigit() else None
