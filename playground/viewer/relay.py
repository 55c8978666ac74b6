"""The console's way to the server: what the page asks to be sent is sent, and all that comes back is told.

In:   an order, the JSON object of a POST: method, path, headers, body.
Out:  one object for each thing that happens, as it happens: the head of the response, each frame, the end.
Here nobody knows what the bytes mean; they may be wrong on purpose. They are written to mcp-viewer.jsonl as those of
any client are, so the dashboard shows them too.

Theory of operation
    A page can send anything to this viewer, so the viewer decides where it goes: to the one server that --server named,
    which has to be on this machine. An order has a path and no address; no redirection is followed, no proxy is asked.
    What would break HTTP itself (a wrong length, a second connection) can't be ordered, everything else can: a foreign
    Host or Origin is a lesson of its own.

    A stream may never end, and a server may never answer. So an order has a limit in time and in frames, and only a few
    are under way at once. Who leaves the page leaves the request too, and the server notices.
"""

import base64
import ipaddress
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from threading import BoundedSemaphore, Lock
from typing import Any
from urllib.parse import urlsplit

from mcp_core.messages import ProtocolError, parse, read
from playground.carriers import Frame, Late, Post, Trouble
from playground.dialog import members, object_in
from playground.logbook import Logbook, source_of
from playground.narrator import Narrator, Sent
from playground.terminal import Terminal

METHODS = ("POST", "GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD")
NOT_OURS = {"content-length", "transfer-encoding", "connection", "upgrade", "expect", "te", "trailer", "keep-alive"}
LIMIT = 30.0  # seconds
MOST_FRAMES = 1000
AT_ONCE = 8  # orders under way

Json = dict[str, Any]
_PATH = re.compile(r"/[!-~]{0,2000}")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")  # RFC 9110, token
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,8000}")


class BadOrder(ValueError):
    """A sentence for the page: what can't be ordered, and why."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the page wants to be sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    limit: float


def order(value: Any) -> Order:
    """Reads an order. Raises BadOrder.

    >>> order({"path": "/mcp", "body": "{}"}).method
    'POST'
    """
    asked = members(value)
    method, path, headers = asked.get("method", "POST"), asked.get("path"), asked.get("headers", {})
    if method not in METHODS:
        raise BadOrder(f"method is one of {', '.join(METHODS)}.")
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise BadOrder("path begins with / and has no blanks; which server it goes to is not for the page to say.")
    if not isinstance(headers, dict):
        raise BadOrder("headers is an object of names and texts.")
    for name, text in headers.items():
        if not _NAME.fullmatch(name) or not isinstance(text, str) or not _VALUE.fullmatch(text):
            raise BadOrder(
                f"{name[:60]!a} can't be sent as a header: its name or its value has characters HTTP forbids."
            )
        if name.lower() in NOT_OURS:
            raise BadOrder(f"{name} belongs to the connection, and is the viewer's to say.")
    limit = asked.get("limit", LIMIT)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0.05 <= limit <= 120:
        raise BadOrder("limit is a number of seconds from 0.05 to 120.")
    return Order(method, path, headers, _body(asked), float(limit))


def _body(asked: Json) -> bytes:
    if "body_base64" in asked:
        try:
            return base64.b64decode(asked["body_base64"], validate=True)
        except (TypeError, ValueError):
            raise BadOrder("body_base64 is not base64.") from None
    body = asked.get("body", "")
    if not isinstance(body, str):
        raise BadOrder("body is a text; bytes that are none go into body_base64.")
    try:
        return body.encode()
    except UnicodeEncodeError:
        raise BadOrder(
            "body holds half a character (a lone surrogate), which UTF-8 can't say; use body_base64."
        ) from None


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine, by http.

    >>> is_loopback("http://127.0.0.1:5000/mcp"), is_loopback("http://example.org/mcp")
    (True, False)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
    return parts.scheme == "http" and is_here and port != 0 and parts.username is None


class Relay:
    """Sends orders to one server, and writes down what crosses. Safe for threads.

    `log` makes the logbook, and is called at the first order: a viewer that sends nothing writes nothing.
    """

    def __init__(self, server: str, log: Callable[[], Logbook]) -> None:
        if not is_loopback(server):
            raise BadOrder(f"--server {server[:80]!a} is no address on this machine; try http://127.0.0.1:5000/mcp.")
        parts = urlsplit(server)
        self.server, self.path = server, parts.path or "/mcp"
        self._base, self._open, self._lock = f"{parts.scheme}://{parts.netloc}", log, Lock()
        self._room = BoundedSemaphore(AT_ONCE)

    def send(self, wanted: Order) -> Generator[Json, None, None]:
        """Sends an order; gives what happens: head, frame, frame, …, and then end or trouble."""
        if not self._room.acquire(blocking=False):
            yield {"kind": "trouble", "text": f"{AT_ONCE} requests are under way already; wait for one, or stop it."}
            return
        try:
            yield from self._sent(wanted)
        finally:
            self._room.release()

    @cached_property
    def _log(self) -> Logbook:
        return self._open()

    def _sent(self, wanted: Order) -> Generator[Json, None, None]:
        with self._lock:
            teller = Narrator(Terminal(StringIO(), {}), self._log, "http")
        http = {"method": wanted.method, "path": wanted.path, "headers": dict(wanted.headers)}
        sent = Sent(object_in(wanted.body), http, source_of(self._sent))
        teller.sends(_event(wanted, sent.message), sent, wanted.body)
        post = Post(f"{self._base}{wanted.path}")
        try:
            frames = post.call(wanted.method, wanted.body, wanted.headers, wanted.limit)
            with closing(frames):
                yield from _told(frames, sent, teller)
            yield {"kind": "end", "ms": round(sent.ms, 1)}
        except Late:
            teller.warns(f"Nothing more came within {wanted.limit:g} s.", sent, "INFO")
            yield {"kind": "end", "ms": round(sent.ms, 1), "text": f"The limit of {wanted.limit:g} s has passed."}
        except Trouble as trouble:
            text = str(trouble).replace("give its --url", "start the viewer with its --server")
            teller.warns(text, sent)
            yield {"kind": "trouble", "text": text, "ms": round(sent.ms, 1)}
        finally:
            post.close()


def _event(wanted: Order, message: Json) -> str:
    """What the log calls it."""
    if not wanted.body:
        return "client_session_end" if wanted.method == "DELETE" else "client_listen"
    if "method" in message:
        return "client_request" if "id" in message else "client_notification"
    return "client_answer" if "result" in message or "error" in message else "client_request"


def _told(frames: Iterator[Frame], sent: Sent, teller: Narrator) -> Generator[Json, None, None]:
    for count, frame in enumerate(frames):
        value, kind = None, None
        with suppress(ProtocolError):  # what is no message is shown as it came
            kind = read(value := parse(frame.body)) if frame.body else None
        teller.hears(sent, frame, value, kind, is_raw=True)
        if not frame.body and frame.http and frame.http["status"] == 202:
            teller.logs("client_accepted", {"http": frame.http}, sent)
        if count == 0:
            yield {"kind": "head", "title": frame.title, **(frame.http or {})}
        if frame.body:
            yield {"kind": "frame", "title": frame.title, **_text(frame.body)}
        if count == MOST_FRAMES:
            raise Trouble(f"More than {MOST_FRAMES} frames have come; the rest was not waited for.")


def _text(body: bytes) -> Json:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"text": body.decode("utf-8", "replace"), "base64": base64.b64encode(body).decode("ascii")}
