"""One HTTP exchange that is waited for by the clock, and can be broken off at any moment.

In:   a request, and a Deadline.
Out:  the head of the response, then its body piece by piece; TravelError where that fails.
Here nobody knows what is in them.

Theory of operation
    A request is a few lines and a body, which go out in one piece; the response is read by Python's http.client. How
    long that may take, and how it is broken off from another thread, is dialing.py's matter.

    A connection whose answer was read to its end waits for the next request. A server may close one that waits, so
    that is looked at first; what it does after that look can't be known, so a request that got no answer is never sent
    a second time from here.

    No redirect is followed: it would carry the session, and whatever it guards, elsewhere.
"""

import contextlib
import functools
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, cast

from playground.trust import why_unsafe
from playground.wire.dialing import Address, NotTrusted, Wire, dial
from playground.wire.transports import Deadline, NotReachable, TimedOut, TravelError

MAX_BODY = 64 * 1024 * 1024
PIECE = 65536

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # section 5.5
_address = functools.lru_cache(maxsize=64)(Address.of)  # a chat asks the same few again and again
_ALWAYS = {"User-Agent": "mcp-playground", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a response. Names of headers in any case."""

    status: int
    headers: Mapping[str, str]

    @property
    def is_good(self) -> bool:
        return self.status < 400

    @property
    def kind(self) -> str:
        """The media type of the body, without its parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def shown(self) -> dict[str, Any]:
        """What the log shows of it."""
        names = ("content-type", "mcp-session-id", "www-authenticate", "retry-after", "allow", "location")
        headers = {name: value for name, value in self.headers.items() if name.lower() in names}
        return {"status": self.status, "headers": headers}


class Line:
    """The way to one server. `headers` are the user's own: they go with every request. Safe for threads."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url, self._own = url, dict(headers or {})
        self._idle: list[Wire] = []
        self._open: set[Exchange] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    def call(self, method: str, headers: Mapping[str, str], body: bytes | None, what: str, url: str = "") -> "Exchange":
        """An exchange, which begins as soon as its head is wanted. `what` names the message, for sentences about it;
        `url` is another place on the same server."""
        exchange = Exchange(self, method, url or self.url, {**headers, **self._own}, body, what)
        with self._lock:
            self._open.add(exchange)
        return exchange

    def close(self) -> None:
        """Hangs up on all that is under way, and gives the idle connections back."""
        with self._lock:
            self._is_closed = True
            under_way, idle, self._idle = list(self._open), self._idle, []
        for exchange in under_way:
            exchange.hang_up()
        for wire in idle:
            wire.close()

    def wire(self, address: Address, deadline: Deadline) -> Wire:
        """A connection that nobody uses: one that waits, else a new one."""
        while True:
            with self._lock:
                wire = self._idle.pop() if self._idle else None
            if wire is None:
                return dial(address, deadline)
            if wire.is_idle():
                return wire
            wire.close()

    def over(self, exchange: "Exchange", reusable: Wire | None) -> None:
        """An exchange has ended; its connection may be used again, unless it is None."""
        with self._lock:
            self._open.discard(exchange)
            if reusable is not None and not self._is_closed:
                self._idle.append(reusable)
                return
        if reusable is not None:
            reusable.close()


class Exchange:
    """A request on its way, and what comes back. Who waits for it closes it when done, however it went."""

    def __init__(
        self, line: Line, method: str, url: str, headers: Mapping[str, str], body: bytes | None, what: str
    ) -> None:
        self.url, self._what = line.url, what
        self._line, self._method, self._url, self._headers, self._body = line, method, url, headers, body
        self._lock = threading.Lock()  # of the next two
        self._wire: Wire | None = None  # while it is ours
        self._is_closed = False
        self._response: HTTPResponse | None = None

    def head(self, deadline: Deadline) -> Head:
        """Sends the request; the head of the response, as soon as it has come."""
        try:
            address = _address(self._url)
            data = _request(self._method, address, self._headers, self._body)
        except ValueError as error:  # an address or a header that can't be one
            raise TravelError(f"{self.url!r} can't be asked: {error}.") from None
        wire = self._connect(address, deadline)
        response = self._response = HTTPResponse(cast("Any", wire), method=self._method)
        with self._told(deadline, f"took {self._what} and did not answer", f"hung up before it answered {self._what}"):
            with contextlib.suppress(ConnectionError):  # who hangs up in the middle may have said why
                wire.sendall(data)
            response.begin()
        self.response = Head(response.status, cast("Mapping[str, str]", response.headers))
        if response.length == 0:
            self._finish(response)
        return self.response

    def pieces(self, deadline: Deadline) -> Iterator[bytes]:
        """The body as it arrives, until it ends."""
        response, wire = self._response, self._wire
        if response is None or wire is None:
            return
        wire.deadline = deadline
        with self._told(deadline, "did not finish its answer", "broke off in the middle of its answer"):
            while piece := response.read1(PIECE):
                yield piece
            if response.length:
                raise IncompleteRead(b"")
        self._finish(response)

    def body(self, deadline: Deadline) -> bytes:
        """All of it, if it is not too much."""
        pieces, size = [], 0
        for piece in self.pieces(deadline):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY:
                raise TravelError(f"{self.url} sent more than {MAX_BODY} bytes for one answer, which is too much.")
        return b"".join(pieces)

    def close(self) -> None:
        """Hangs up, unless all was read."""
        self.hang_up()
        with self._lock:
            wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()
        self._line.over(self, None)

    def hang_up(self) -> None:
        """Breaks off, from any thread; who waits gets a TravelError."""
        with self._lock:
            self._is_closed = True
            if self._wire is not None:
                self._wire.hang_up()

    # ---- Its connection ----------------------------------------------------------------------------------------------

    def _connect(self, address: Address, deadline: Deadline) -> Wire:
        try:
            wire = self._line.wire(address, deadline)
        except NotTrusted as error:
            raise TravelError(f"No safe connection to {self.url} came about: {error}.") from None
        except OSError:
            text = f"Nothing answers at {self.url}; is the server running? (uv run python server.py starts ours.)"
            raise NotReachable(text) from None
        wire.deadline = deadline
        with self._lock:
            if not self._is_closed:
                self._wire = wire
                return wire
        wire.close()  # given up meanwhile, by another thread
        raise TravelError(f"{self.url} did not answer {self._what}.")

    def _finish(self, response: HTTPResponse) -> None:
        """All has been read."""
        response.close()
        with self._lock:
            wire, self._wire = self._wire, None
        if wire is not None and response.will_close:
            wire.close()
            wire = None
        self._line.over(self, wire)

    @contextlib.contextmanager
    def _told(self, deadline: Deadline, late: str, broken: str) -> Iterator[None]:
        """What goes wrong on the way, in a sentence."""
        try:
            yield
        except TimeoutError:
            raise TimedOut(f"{self.url} {late} in {deadline.patience:g} s.") from None
        except (OSError, HTTPException) as error:
            if flaw := why_unsafe(error):
                raise TravelError(f"No safe connection to {self.url} came about: {flaw}.") from None
            raise TravelError(f"{self.url} {broken} ({type(error).__name__}).") from None


def target_of(url: str) -> str:
    """What a request's first line says of an address; all of it where that is none.

    >>> target_of("https://ann:secret@example.org/mcp?page=2")
    '/mcp?page=2'
    """
    try:
        return Address.of(url).target
    except ValueError:
        return url


def _request(method: str, address: Address, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """A whole request (RFC 9112 section 2.1). ValueError for what can't stand in a header."""
    length = {} if body is None else {"Content-Length": str(len(body))}
    login = {} if address.authorization is None else {"Authorization": address.authorization}
    lines: dict[str, str] = {}  # the last of one name counts, however it is written
    for name, value in {"Host": address.host_header, **_ALWAYS, **login, **headers, **length}.items():
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ValueError(f"no header can be {name[:80]!r} with such a value")
        lines[name.lower()] = f"{name}: {value}"
    head = "\r\n".join([f"{method} {address.target} HTTP/1.1", *lines.values(), "", ""])
    return head.encode("latin-1") + (body or b"")
