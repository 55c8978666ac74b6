"""The HTTP client under a vendor's SDK: it shows what is really on the wire, and it can be cut.

In:   the address of a provider.
Out:  an httpx2 client for the SDK to use, the bodies of each exchange as sent and received, and `cut`.
Here nobody knows what a body means.

Theory of operation
    An SDK hides the HTTP that it speaks, and this playground exists to show it. Both vendors' SDKs take an
    httpx2 client, and that has hooks: one sees each request before it leaves, one sees each response before
    its body is read. The second puts a tee into the response's stream, so the bytes are kept as the SDK reads
    them.

    A blocked read can be ended from another thread in one way only: by shutting its socket down. httpx2 tells
    a `trace` function about each socket that it opens; they are remembered here for `cut`.

    Proxy variables of the environment are honored, except for loopback: a proxy can't reach this machine's
    Ollama.
"""

import contextlib
import ipaddress
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

# Of the headers of a response, those that help to understand a failure. None of them can hold a key.
TELLING = ("content-type", "request-id", "x-request-id", "retry-after", "server", "location")


@dataclass(slots=True)
class Exchange:
    """One HTTP request to a provider and its response; the bodies are the bytes on the wire. Never a key."""

    method: str = ""
    url: str = ""
    request: bytes = b""
    status: int | None = None  # None: no response came
    headers: dict[str, str] = field(default_factory=dict)
    received: bytearray = field(default_factory=bytearray)
    started: float = 0.0
    ms: float = 0.0

    @property
    def response(self) -> bytes:
        return bytes(self.received)


class Line:
    """One HTTP client and the exchange that is under way; for one call at a time."""

    def __init__(self, base_url: str, connect: float, read: float) -> None:
        import httpx2

        self.exchange = Exchange()
        self.on_sent: Callable[[], None] = lambda: None
        self._sockets: list[socket.socket] = []
        self._is_cut = False
        self.http = httpx2.Client(
            trust_env=not is_loopback(base_url),
            timeout=httpx2.Timeout(read, connect=connect),
            # Plain HTTP needs no certificates, and to read them all takes longer than a question to loopback.
            verify=base_url.lower().startswith("https:"),
            event_hooks={"request": [self._leaving], "response": [self._arrived]},
            # A redirect would carry the key to wherever it points.
            follow_redirects=False,
            # What is logged as received should be readable.
            headers={"accept-encoding": "identity"},
        )

    def begin(self) -> Exchange:
        self.exchange = Exchange()
        return self.exchange

    def cut(self) -> None:
        """End whatever is under way, from any thread. The line can't be used again."""
        self._is_cut = True
        for opened in self._sockets:
            _shut(opened)
        with contextlib.suppress(Exception):
            self.http.close()

    def _leaving(self, request: Any) -> None:
        exchange = self.exchange
        exchange.method, exchange.url = request.method, str(request.url)
        exchange.request, exchange.started = bytes(request.read()), time.monotonic()
        request.extensions = {**request.extensions, "trace": self._trace}
        self.on_sent()

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            opened = info["return_value"].get_extra_info("socket")
            # A line keeps few connections; the newest are the living ones.
            self._sockets = [*self._sockets[-7:], opened]
            if self._is_cut:
                _shut(opened)

    def _arrived(self, response: Any) -> None:
        exchange = self.exchange
        exchange.status = response.status_code
        exchange.headers = {name: response.headers[name] for name in TELLING if name in response.headers}
        response.stream = _tee(response.stream, exchange)


def _shut(opened: socket.socket) -> None:
    with contextlib.suppress(OSError, ValueError):
        opened.shutdown(socket.SHUT_RDWR)


def _tee(stream: Any, exchange: Exchange) -> Any:
    import httpx2

    class Tee(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                exchange.received += chunk
                yield chunk

        def close(self) -> None:
            exchange.ms = (time.monotonic() - exchange.started) * 1000
            stream.close()

    return Tee()


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's own.

    >>> is_loopback("http://127.0.0.1:11434/v1"), is_loopback("https://api.openai.com/v1")
    (True, False)
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
        if host == "localhost" or host.endswith(".localhost"):
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
