"""Streamable HTTP, the client's side: each message a POST, the answer JSON or a stream of events.

In:   messages of one connection.
Out:  the messages that come back; TravelError where none usable does.
Here nobody knows what is asked. The rules are basic/transports of each revision; the sections are cited where obeyed.

Theory of operation
    requests gives timeouts between two pieces of an answer, and none for the whole. So a body is read piece by piece
    against a Deadline: a server that sends a byte a second can't hold us for ever. A stream that ends without the
    answer is taken up again with GET and Last-Event-ID, after the pause the server asked for, if it gave its events
    ids (handshake era only). Nothing goes through a proxy, whatever the environment says (trust_env=False).
"""

import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mcp_core import headers as mirrored
from mcp_core import messages, revisions, sse
from mcp_core.messages import Failure, Message, Notification, ProtocolError, Request, Result
from playground.wire.recorder import Recorder
from playground.wire.transports import (
    Deadline,
    NotMCP,
    NotReachable,
    SessionEnded,
    TimedOut,
    TravelError,
    Unasked,
    about,
)

if TYPE_CHECKING:
    import requests

ACCEPT = "application/json, text/event-stream"
CONNECT = 5.0  # seconds until somebody must have picked up
MAX_BODY = 64 * 1024 * 1024
MAX_PAUSE = 30.0  # seconds that a server may ask us to stay away
RESUMES = 5  # times that one answer's stream is taken up again


class Http:
    """One server at one URL. `headers` are the user's own: they go with every request and never into the log."""

    via = "http"

    def __init__(self, url: str, recorder: Recorder, *, headers: Mapping[str, str] | None = None) -> None:
        import requests

        self.url, self.recorder, self._own_headers = url, recorder, dict(headers or {})
        self._http = requests.Session()
        self._http.trust_env = False
        self._errors = requests.exceptions
        self._session_id: str | None = None
        self._revision: str | None = None
        self._unasked: Unasked = lambda message: None
        self._listener: threading.Thread | None = None
        self._is_closed = False

    # ---- 1. The transport seam ---------------------------------------------------------------------------------------

    def open(self, unasked: Unasked) -> None:
        """HTTP has nothing to open; a session begins with the answer to `initialize`."""
        self._unasked = unasked

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Iterator[Message]:
        """One POST, and what comes back. See transports.Transport."""
        text = messages.encode(message)
        headers = self._headers(message, input_schema)
        self.recorder.sent(message, text, {"method": "POST", "path": self.url, "headers": headers})
        response = self._request("POST", headers, text, deadline, about(message))
        try:
            self._note_session(message, response)
            yield from self._answers(message, response, deadline)
        finally:
            response.close()  # in the stateless era, closing the stream is how a request is given up

    def greeted(self, revision: str) -> None:
        """From now on every request says the revision; in the handshake era the server gets a stream of its own."""
        self._revision = revision
        if revision in revisions.HANDSHAKE[1:] and self._session_id is not None:
            self._listener = threading.Thread(target=self._listen, name="listen", daemon=True)
            self._listener.start()

    def close(self) -> None:
        """Ends the session (transports, Session Management); 405 says that the server lets it expire instead."""
        self._is_closed = True
        if self._session_id is not None:
            headers = self._headers(None)
            try:
                self._request("DELETE", headers, None, Deadline(2, 2), "the end of the session").close()
            except TravelError as error:
                self.recorder.warn(str(error))
            self._session_id = None
        self._http.close()

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

    def _request(
        self, method: str, headers: dict[str, str], body: str | None, deadline: Deadline, what: str
    ) -> "requests.Response":
        try:
            return self._http.request(
                method,
                self.url,
                data=None if body is None else body.encode("ascii"),
                headers={**headers, **self._own_headers},
                timeout=(CONNECT, max(deadline.left, 0.001)),
                stream=True,
                allow_redirects=False,  # a redirect would carry the session, and whatever it guards, elsewhere
            )
        except self._errors.ReadTimeout:
            raise TimedOut(f"{self.url} took {what} and did not answer in {deadline.patience:g} s.") from None
        except (self._errors.ConnectionError, self._errors.Timeout) as error:
            if not _was_refused(error):
                raise TravelError(f"{self.url} hung up before it answered {what}.") from None
            text = f"Nothing answers at {self.url}; is the server running? (uv run python server.py starts ours.)"
            raise NotReachable(text) from None
        except (self._errors.RequestException, ValueError) as error:
            raise TravelError(f"{self.url} can't be asked: {error}.") from None

    def _note_session(self, message: Message, response: "requests.Response") -> None:
        if isinstance(message, Request) and message.method == "initialize" and response.ok:
            given = response.headers.get("Mcp-Session-Id")
            # Visible ASCII only (transports, Session Management): it will stand in a header of ours.
            if given is not None and given.isascii() and given.isprintable() and " " not in given:
                self._session_id = self.recorder.session = given

    # ---- 3. Reading what comes back ----------------------------------------------------------------------------------

    def _answers(self, message: Message, response: "requests.Response", deadline: Deadline) -> Iterator[Message]:
        http = _shown(response)
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        request = message if isinstance(message, Request) else None
        if response.status_code == 404 and self._session_id is not None:
            # Whatever the body says: the client must begin a new session (transports, Session Management).
            self._session_id = self.recorder.session = None
            raise SessionEnded(f"{self.url} has ended our session.")
        if response.ok and kind == "text/event-stream" and request is not None:
            yield from self._stream(request, response, deadline, http)
            return
        body = self._read(response, deadline)
        if request is None:
            # A notification or an answer was accepted: 202, and whatever else a lenient server sends (JSON-RPC 4.1).
            self.recorder.accepted(http)
            if not response.ok:
                self.recorder.warn(f"{self.url} refused {about(message)} with HTTP {response.status_code}.")
            return
        yield from self._one(body, request, http)

    def _one(self, body: bytes, request: Request, http: Mapping[str, Any]) -> Iterator[Message]:
        """The message (or, from a server of 2025-03-26, the messages) in a JSON body."""
        status = http["status"]
        try:
            value = messages.parse(body)
            found = [messages.read(part) for part in (value if isinstance(value, list) else [value])]
        except ProtocolError as error:
            self.recorder.unreadable(body, str(error), http)
            start = body[:200].decode("utf-8", "replace").strip()
            text = f"{self.url} answered HTTP {status} with something that is no MCP message: {start[:80]!r}."
            raise NotMCP(text + " Is this the address of an MCP server?", status) from None
        for message in found:
            self.recorder.came(message, body, request.id, http)
            yield message

    def _stream(
        self, request: Request, response: "requests.Response", deadline: Deadline, http: Mapping[str, Any]
    ) -> Iterator[Message]:
        last_id: str | None = None
        pause = 1.0
        for attempt in range(RESUMES + 1):
            for event in self._events(response, deadline):
                last_id = event.id if event.id is not None else last_id
                pause = event.retry / 1000 if event.retry is not None else pause
                if (message := self._message_of(event, request.id, http)) is None:
                    continue
                yield message
                if isinstance(message, Result | Failure) and message.id in (request.id, None):
                    return
            if last_id is None or attempt == RESUMES or self._revision in revisions.STATELESS:
                break
            # The stream ended early; the server keeps the rest under the id of the last event (Resumability).
            response.close()
            time.sleep(min(pause, MAX_PAUSE, max(deadline.left, 0)))
            response = self._get(last_id, deadline)
        text = f"The stream from {self.url} ended before the answer to {request.method} had come."
        raise TravelError(text)

    def _get(self, last_event_id: str | None, deadline: Deadline) -> "requests.Response":
        headers = {**self._headers(None), "Accept": "text/event-stream"}
        del headers["Content-Type"]
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        response = self._request("GET", headers, None, deadline, "a request for its event stream")
        if not response.ok or not response.headers.get("Content-Type", "").startswith("text/event-stream"):
            response.close()
            raise NotMCP(f"{self.url} offers no event stream (HTTP {response.status_code}).", response.status_code)
        return response

    def _message_of(self, event: sse.Event, about_id: Any, http: Mapping[str, Any]) -> Message | None:
        if not event.data or event.event != "message":
            return None  # a priming event carries only its id
        try:
            message = messages.decode(event.data)
        except ProtocolError as error:
            self.recorder.unreadable(event.data, str(error), http)
            return None
        self.recorder.came(message, event.data, about_id, http)
        return message

    def _events(self, response: "requests.Response", deadline: Deadline) -> Iterator[sse.Event]:
        decoder = sse.Decoder()
        try:
            for piece in self._pieces(response, deadline):
                yield from decoder.feed(piece)
        except sse.StreamError as error:
            raise TravelError(f"{self.url}: {error}") from None

    def _read(self, response: "requests.Response", deadline: Deadline) -> bytes:
        pieces, size = [], 0
        for piece in self._pieces(response, deadline):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY:
                raise TravelError(f"{self.url} sent more than {MAX_BODY} bytes for one answer, which is too much.")
        return b"".join(pieces)

    def _pieces(self, response: "requests.Response", deadline: Deadline) -> Iterator[bytes]:
        """The body as it arrives, until it ends or the deadline passes."""
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        late = TimedOut(f"{self.url} did not finish its answer in {deadline.patience:g} s.")
        while True:
            if deadline.left <= 0:
                raise late
            try:
                piece = response.raw.read1(65536, decode_content=True)
            except ReadTimeoutError:
                raise late from None
            except (HTTPError, OSError) as error:
                reason = type(error).__name__
                raise TravelError(f"The answer of {self.url} broke off in the middle ({reason}).") from None
            if not piece:
                return
            yield piece

    # ---- 4. Listening ------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Reads the server's own stream until the end of the session (transports, Listening for Messages)."""
        last_id: str | None = None
        while not self._is_closed and self._session_id is not None:
            day = Deadline(86_400, 86_400)
            try:
                response = self._get(last_id, day)
            except TravelError:
                return  # 405: the server has nothing to say of its own accord
            pause, http = 1.0, _shown(response)
            try:
                for event in self._events(response, day):
                    last_id = event.id if event.id is not None else last_id
                    pause = event.retry / 1000 if event.retry is not None else pause
                    if (message := self._message_of(event, None, http)) is not None:
                        self._unasked(message)
            except (TravelError, AttributeError):  # broken off, or closed by us under the reader's hands
                pass
            finally:
                response.close()
            if not self._is_closed:
                time.sleep(min(pause, MAX_PAUSE))


def _was_refused(error: Exception) -> bool:
    """Whether the connection was never made, so that certainly nothing was delivered."""
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(cause, NewConnectionError | ConnectTimeoutError)


def _shown(response: "requests.Response") -> dict[str, Any]:
    """What the log shows of a response."""
    names = ("content-type", "mcp-session-id", "www-authenticate", "retry-after", "allow")
    headers = {name: value for name, value in response.headers.items() if name.lower() in names}
    return {"status": response.status_code, "headers": headers}
