"""HTTP+SSE, the transport of 2024-11-05, the client's side. Deprecated since 2025-03-26; some servers have no other.

In:   messages of one connection.
Out:  the messages that come back: all of them on one event stream, which a GET opened.
Here nobody knows what is asked.

The stream's first event, `endpoint`, names the address to POST to. It must be on the same server: a server that could
send us elsewhere could have us carry its words to a third party.
"""

import threading
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from mcp_core import messages, sse
from mcp_core.messages import Message, ProtocolError, Request
from playground.wire.dialing import CONNECT
from playground.wire.exchange import MAX_BODY, Exchange, Line, target_of
from playground.wire.inboxes import Inboxes
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotMCP, TimedOut, TravelError, Unasked, about

DAY = 86_400.0


class OldSse:
    """One server whose event stream is at `url`. `headers` go with every request and never into the log."""

    via = "http"

    def __init__(self, url: str, recorder: Recorder, *, headers: Mapping[str, str] | None = None) -> None:
        self.url, self.recorder = url, recorder
        self._line = Line(url, headers)
        self._stream: Stream | None = None

    @property
    def is_open(self) -> bool:
        return self._stream is not None and not self._stream.inboxes.has_ended

    def open(self, unasked: Unasked) -> None:
        """Opens the stream, unless there is one, and waits for the address to post to."""
        if self._stream is not None:
            if self.is_open:
                self._stream.inboxes.unasked = unasked
                return
            self._stream.close()
        exchange = self._line.call("GET", {"Accept": "text/event-stream"}, None, "a request for its event stream")
        try:
            response = exchange.head(Deadline(CONNECT, CONNECT))
            if not response.is_good or response.kind != "text/event-stream":
                text = f"{self.url} offers no event stream (HTTP {response.status}): no server of 2024-11-05."
                raise NotMCP(text, response.status)
            self._stream = Stream(exchange, self.url, self.recorder, unasked)
            self._stream.wait_for_endpoint()
        except TravelError:
            exchange.close()
            raise

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Generator[Message, None, None]:
        """One POST; the answer comes on the stream. See transports.Transport."""
        stream = self._stream
        if stream is None:
            raise TravelError(f"The event stream of {self.url} is not open.")
        if isinstance(message, Request):
            post = lambda: self._post(message, stream.endpoint, deadline)  # noqa: E731
            yield from stream.inboxes.exchange(message, post, deadline, self.url)
        else:
            self._post(message, stream.endpoint, deadline)

    def greeted(self, revision: str) -> None:
        """This transport says nothing about the revision."""

    def close(self) -> None:
        """Closes the stream, which is all that ends such a connection."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
        self._line.close()

    def _post(self, message: Message, endpoint: str, deadline: Deadline) -> None:
        text = messages.encode(message)
        headers = {"Content-Type": "application/json"}
        self.recorder.sent(message, text, {"method": "POST", "path": target_of(endpoint), "headers": headers})
        with closing(self._line.call("POST", headers, text.encode("ascii"), about(message), endpoint)) as exchange:
            response = exchange.head(deadline)
        if not response.is_good:
            raise NotMCP(f"{self.url} refused {about(message)} with HTTP {response.status}.", response.status)


class Stream:
    """One event stream, from its first event to its end, and the thread that reads it."""

    def __init__(self, exchange: Exchange, url: str, recorder: Recorder, unasked: Unasked) -> None:
        self.endpoint = ""
        self.inboxes = Inboxes(unasked)
        self._exchange, self._url, self._recorder = exchange, url, recorder
        self._has_endpoint = threading.Event()
        self._is_wanted = True
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for_endpoint(self) -> None:
        """Raises TravelError if it does not come, or is on another server."""
        if not self._has_endpoint.wait(CONNECT):
            raise TimedOut(f"{self._url} did not say where to post messages to.")
        if urlsplit(self.endpoint).scheme == "":
            raise NotMCP(f"{self._url} did not name an address of its own to post messages to, so nothing is sent.")

    def close(self) -> None:
        self._is_wanted = False
        self._exchange.hang_up()

    def _read(self) -> None:
        decoder = sse.Decoder()
        try:
            for piece in self._exchange.pieces(Deadline(DAY, DAY)):
                for event in decoder.feed(piece):
                    self._take(event)
        except (TravelError, sse.StreamError) as error:
            if self._is_wanted:
                self._recorder.warn(f"The event stream of {self._url} broke off: {error}")
        self._exchange.close()
        self.inboxes.end()
        self._has_endpoint.set()

    def _take(self, event: sse.Event) -> None:
        if event.event == "endpoint":
            target = urljoin(self._url, event.data)
            if not self._has_endpoint.is_set() and _origin(urlsplit(target)) == _origin(urlsplit(self._url)):
                self.endpoint = target
            self._has_endpoint.set()
        elif event.event == "message" and event.data:
            try:
                message = messages.decode(event.data, MAX_BODY)
            except ProtocolError as error:
                self._recorder.unreadable(event.data, str(error))
                return
            self._recorder.came(message, event.data, self.inboxes.about(message))
            self.inboxes.put(message)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None] | None:
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:  # a port that is no number
        return None
    return parts.scheme, parts.hostname, port
