"""HTTP+SSE, the transport of 2024-11-05, the client's side. Deprecated since 2025-03-26; some servers have no other.

In:   messages of one connection.
Out:  the messages that come back: all of them on one event stream, which a GET opened.
Here nobody knows what is asked.

The stream's first event, `endpoint`, names the address to POST to. It must be on the same server: a server that could
send us elsewhere could have us carry its words to a third party.
"""

import threading
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from mcp_core import messages, sse
from mcp_core.messages import Message, ProtocolError, Request
from playground.wire.http import CONNECT
from playground.wire.inboxes import Inboxes
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotMCP, NotReachable, TimedOut, TravelError, Unasked, about


class OldSse:
    """One server whose event stream is at `url`."""

    via = "http"

    def __init__(self, url: str, recorder: Recorder, *, headers: Mapping[str, str] | None = None) -> None:
        import requests

        self.url, self.recorder, self._own_headers = url, recorder, dict(headers or {})
        self._http = requests.Session()
        self._http.trust_env = False
        self._failure = requests.exceptions.RequestException
        self._inboxes = Inboxes()
        self._endpoint: str | None = None
        self._has_endpoint = threading.Event()
        self._stream: requests.Response | None = None

    def open(self, unasked: Unasked) -> None:
        """Opens the stream and waits for the address to post to."""
        self._inboxes.unasked = unasked
        if self._stream is not None:
            return
        headers = {"Accept": "text/event-stream", **self._own_headers}
        try:
            stream = self._http.get(
                self.url, headers=headers, stream=True, timeout=(CONNECT, None), allow_redirects=False
            )
        except self._failure:
            raise NotReachable(f"Nothing answers at {self.url}; is the server running?") from None
        if not stream.ok or not stream.headers.get("Content-Type", "").startswith("text/event-stream"):
            stream.close()
            text = f"{self.url} offers no event stream (HTTP {stream.status_code}), so it is no server of 2024-11-05."
            raise NotMCP(text, stream.status_code)
        self._stream = stream
        threading.Thread(target=self._read, args=[stream], name="old-sse", daemon=True).start()
        if not self._has_endpoint.wait(CONNECT) or self._endpoint is None:
            self.close()
            raise TimedOut(f"{self.url} did not say where to post messages to.")

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Iterator[Message]:
        """One POST; the answer comes on the stream. See transports.Transport."""
        if isinstance(message, Request):
            yield from self._inboxes.exchange(message, lambda: self._post(message, deadline), deadline, self.url)
        else:
            self._post(message, deadline)

    def greeted(self, revision: str) -> None:
        """This transport says nothing about the revision."""

    def close(self) -> None:
        """Closes the stream, which is all that ends such a connection."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
        self._http.close()

    def _post(self, message: Message, deadline: Deadline) -> None:
        text = messages.encode(message)
        headers = {"Content-Type": "application/json", **self._own_headers}
        shown = {"method": "POST", "path": self._endpoint, "headers": {"Content-Type": "application/json"}}
        self.recorder.sent(message, text, shown)
        timeout = (CONNECT, max(deadline.left, 0.001))
        try:
            answer = self._http.post(
                self._endpoint or "", data=text.encode("ascii"), headers=headers, timeout=timeout, allow_redirects=False
            )
        except self._failure:
            raise TravelError(f"{self.url} did not take {about(message)}.") from None
        if not answer.ok:
            raise NotMCP(f"{self.url} refused {about(message)} with HTTP {answer.status_code}.", answer.status_code)

    def _read(self, stream: Any) -> None:
        decoder = sse.Decoder()
        try:
            while piece := stream.raw.read1(65536, decode_content=True):
                for event in decoder.feed(piece):
                    self._take(event)
        except Exception as error:  # whatever a closed or broken stream raises, on whichever platform
            if self._stream is stream:
                self.recorder.warn(f"The event stream of {self.url} broke off ({type(error).__name__}).")
        self._inboxes.end()

    def _take(self, event: sse.Event) -> None:
        if event.event == "endpoint":
            target = urljoin(self.url, event.data)
            if urlsplit(target)[:2] == urlsplit(self.url)[:2]:
                self._endpoint = target
            else:
                self.recorder.warn("The server named an address on another server to post to, which is refused.")
            self._has_endpoint.set()
        elif event.event == "message" and event.data:
            try:
                message = messages.decode(event.data)
            except ProtocolError as error:
                self.recorder.unreadable(event.data, str(error))
                return
            self.recorder.came(message, event.data, self._inboxes.about(message))
            self._inboxes.put(message)
