"""One HTTP exchange that is waited for by the clock, and can be broken off at any moment.

In:   a request, and a Deadline.
Out:  the head of the response, then its body piece by piece; TravelError where that fails.
Here nobody knows what is in them.

Theory of operation
    requests gives timeouts between two pieces of an answer, and none for the whole: a server that sends a byte a
    second, of its headers even, would hold us for ever. So a thread of its own does the waiting (playground.patience),
    and whoever wants the answer waits for that thread, by the clock. To give up means to shut the socket: that wakes
    the thread, and tells the server that nobody listens any more. While the head has not come, requests doesn't say
    which socket it is; so the pool's connections are of a kind that tells (`_Tapped`).

    Nothing goes through a proxy, whatever the environment says (trust_env=False), and no redirect is followed: it would
    carry the session, and whatever it guards, elsewhere.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playground.patience import Feed
from playground.wire.transports import Deadline, NotReachable, TimedOut, TravelError

if TYPE_CHECKING:
    import requests

CONNECT = 5.0  # seconds until somebody must have picked up
SILENCE = 3600.0  # seconds after which even a thread that nobody waits for any more ends
MAX_BODY = 64 * 1024 * 1024


class Line:
    """The way to one URL. `headers` are the user's own: they go with every request."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        import requests
        from requests.adapters import HTTPAdapter

        self.url, self._own = url, dict(headers or {})
        self._http = requests.Session()
        self._http.trust_env = False
        self._ringing = threading.local()
        self._open: set[Exchange] = set()
        self._lock = threading.Lock()
        for scheme in ("http://", "https://"):
            adapter = HTTPAdapter()
            pools = adapter.poolmanager.pool_classes_by_scheme
            adapter.poolmanager.pool_classes_by_scheme = {
                name: _tapped(pool, self._ringing) for name, pool in pools.items()
            }
            self._http.mount(scheme, adapter)

    def call(self, method: str, headers: Mapping[str, str], body: bytes | None, what: str, url: str = "") -> "Exchange":
        """Begins an exchange; `what` names the message, for sentences about it."""
        exchange = Exchange(self.url, what, self._forget)
        with self._lock:
            self._open.add(exchange)
        exchange.begin(self._run(exchange, method, url or self.url, {**headers, **self._own}, body))
        return exchange

    def close(self) -> None:
        """Hangs up on all that is under way, and gives the idle connections back."""
        with self._lock:
            under_way = list(self._open)
        for exchange in under_way:
            exchange.hang_up()
        self._http.close()

    def _forget(self, exchange: "Exchange") -> None:
        with self._lock:
            self._open.discard(exchange)

    def _run(
        self, exchange: "Exchange", method: str, url: str, headers: dict[str, str], body: bytes | None
    ) -> Iterator[Any]:
        self._ringing.exchange = exchange
        with self._http.request(
            method, url, data=body, headers=headers, timeout=(CONNECT, SILENCE), stream=True, allow_redirects=False
        ) as response:
            exchange.picked_up(response)
            yield response
            while piece := response.raw.read1(65536, decode_content=True):
                yield piece


class Exchange:
    """A request on its way, and what comes back. Who waits for it closes it when done, however it went."""

    def __init__(self, url: str, what: str, forget: "Callable[[Exchange], None]") -> None:
        self.url, self._what, self._forget = url, what, forget
        self._connection: Any = None  # while the head has not come
        self._response: requests.Response | None = None
        self._is_closed = False

    def begin(self, steps: Iterator[Any]) -> None:
        self._feed: Feed[Any] = Feed(steps)

    def head(self, deadline: Deadline) -> "requests.Response":
        """The response, as soon as its headers have come."""
        found = self._take(deadline, f"took {self._what} and did not answer")
        if found is None:  # closed meanwhile, by another thread
            raise TravelError(f"{self.url} did not answer {self._what}.")
        response: requests.Response = found
        self.response = response
        return response

    def pieces(self, deadline: Deadline) -> Iterator[bytes]:
        """The body as it arrives, until it ends."""
        while (piece := self._take(deadline, "did not finish its answer")) is not None:
            yield piece

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
        self._forget(self)
        if not self._feed.leave(0):
            self.hang_up()

    def hang_up(self) -> None:
        """Breaks off, from any thread; who waits gets a TravelError."""
        self._is_closed = True
        # Whichever of the two is there; each raises in its own way when the thread was a moment faster.
        with contextlib.suppress(OSError, RuntimeError, ValueError, AttributeError):
            if self._response is not None:
                self._response.raw.shutdown()  # the thread wakes, and closes the connection
            else:
                self._connection.sock.shutdown(socket.SHUT_RDWR)

    # ---- What the thread tells ---------------------------------------------------------------------------------------

    def dialing(self, connection: Any) -> None:
        """This connection is about to carry the request, unless nobody waits for the answer any more."""
        self._connection = connection
        if self._is_closed:
            raise OSError("given up")

    def picked_up(self, response: "requests.Response") -> None:
        self._response, self._connection = response, None

    def _take(self, deadline: Deadline, how: str) -> Any:
        while deadline.left > 0:
            try:
                return self._feed.take(time.monotonic() + deadline.glance)
            except TimeoutError:
                continue  # unless the deadline was put off meanwhile, the loop ends
            except ValueError as error:  # an address or a header that can't be one
                raise TravelError(f"{self.url!r} can't be asked: {error}.") from None
            except Exception as error:  # requests, urllib3 and the socket each have their own
                raise self._failure(error) from None
        raise TimedOut(f"{self.url} {how} in {deadline.patience:g} s.")

    def _failure(self, error: Exception) -> TravelError:
        if _was_refused(error):
            text = f"Nothing answers at {self.url}; is the server running? (uv run python server.py starts ours.)"
            return NotReachable(text)
        if self._response is None:
            return TravelError(f"{self.url} hung up before it answered {self._what}.")
        return TravelError(f"The answer of {self.url} broke off in the middle ({type(error).__name__}).")


def kind_of(response: "requests.Response") -> str:
    """The media type of a body, without its parameters."""
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def shown(response: "requests.Response") -> dict[str, Any]:
    """What the log shows of a response."""
    names = ("content-type", "mcp-session-id", "www-authenticate", "retry-after", "allow", "location")
    headers = {name: value for name, value in response.headers.items() if name.lower() in names}
    return {"status": response.status_code, "headers": headers}


def _tapped(pool: Any, ringing: threading.local) -> Any:
    """The same kind of pool, whose connections tell the exchange of their thread that they carry it."""

    class Tapped(pool.ConnectionCls):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            ringing.exchange.dialing(self)

        def putrequest(self, *args: Any, **more: Any) -> Any:
            ringing.exchange.dialing(self)
            return super().putrequest(*args, **more)

    return type(pool.__name__, (pool,), {"ConnectionCls": Tapped})


def _was_refused(error: Exception) -> bool:
    """Whether the connection was never made, so that certainly nothing was delivered."""
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(cause, NewConnectionError | ConnectTimeoutError)
