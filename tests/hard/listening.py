"""A client of the viewer's event stream that is the tests' own: a socket, and the rules of WHATWG HTML, section 9.2.

In:   the address of a viewer. Out: events in the order in which they came, each with the moment it did.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import struct
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 1000 else digits  # Python refuses to compute with very long ones


@dataclass
class Event:
    """One event; `at` is the monotonic moment at which its last byte was there."""

    kind: str
    data: Any
    id: str
    at: float


@dataclass
class Listener:
    """One connection to /stream."""

    url: str
    query: str = ""
    last_id: str = ""
    buffer: int = 0  # bytes the system may keep for us, 0 for its own choice
    events: list[Event] = field(default_factory=list)
    comments: int = 0
    taken: int = 0  # records handed out by records()
    is_over: bool = False

    def __post_init__(self) -> None:
        where = urlsplit(self.url)
        self.sock = socket.socket()
        if self.buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.buffer)
        self.sock.settimeout(20)
        self.sock.connect((where.hostname, where.port or 80))
        resume = f"Last-Event-ID: {self.last_id}\r\n" if self.last_id else ""
        head = f"GET /stream{self.query} HTTP/1.1\r\nHost: {where.netloc}\r\n{resume}\r\n"
        self.sock.sendall(head.encode("ascii"))
        self._raw = self._text = b""
        self._is_begun = self._is_chunked = False

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.sock.close()

    def reset(self) -> None:
        """Leaves without a word: the other side gets a RST."""
        with contextlib.suppress(OSError):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def pump(self) -> bool:
        """Takes what is there, waiting for it at most as long as the socket does; says whether the stream goes on."""
        try:
            data = self.sock.recv(256 * 1024)
        except TimeoutError:
            return True
        except OSError:
            data = b""
        if not data:
            self.is_over = True
            return False
        self._raw += data
        if not self._is_begun:
            head, blank, rest = self._raw.partition(b"\r\n\r\n")
            if not blank:
                return True
            assert head.startswith(b"HTTP/1.1 200"), head
            self._is_begun, self._raw = True, rest
            self._is_chunked = b"chunked" in head.lower()
        self._unchunk()
        self._cut()
        return True

    def _unchunk(self) -> None:
        if not self._is_chunked:
            self._text, self._raw = self._text + self._raw, b""
            return
        parts, at = [], 0
        while (end := self._raw.find(b"\r\n", at)) >= 0:
            size = int(self._raw[at:end], 16)
            if len(self._raw) < end + 4 + size:
                break
            parts.append(self._raw[end + 2 : end + 2 + size])
            at = end + 4 + size
            self.is_over = self.is_over or size == 0
        self._raw = self._raw[at:]
        self._text += b"".join(parts)

    def _cut(self) -> None:
        now = time.monotonic()
        *whole, self._text = self._text.split(b"\n\n")
        for block in whole:
            kind, data = "message", []
            for line in block.split(b"\n"):
                name, _, value = line.partition(b":")
                value = value.removeprefix(b" ")
                if name == b"id":
                    self.last_id = value.decode("ascii")
                elif name == b"event":
                    kind = value.decode()
                elif name == b"data":
                    data.append(value)
                elif name == b"":
                    self.comments += 1
            if data:
                self.events.append(Event(kind, json.loads(b"\n".join(data), parse_int=_number), self.last_id, now))

    def until(self, is_so: Any, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not is_so():
            left = deadline - time.monotonic()
            assert left > 0, f"not within {seconds} s: {len(self.events)} events, the last {self.events[-1:]}"
            self.sock.settimeout(left)
            assert self.pump() or is_so(), "the stream has ended"

    def until_live(self, seconds: float = 20) -> None:
        """Until all of the history is there."""
        self.until(
            lambda: any(event.kind == "notice" and event.data["kind"] == "live" for event in self.events), seconds
        )

    @property
    def messages(self) -> list[Event]:
        return [event for event in self.events if event.kind == "message"]

    def records(self, count: int, seconds: float = 20) -> list[Any]:
        """That many further records, waited for, and no more than these."""
        self.until(lambda: len(self.messages) >= self.taken + count, seconds)
        found = self.messages[self.taken : self.taken + count]
        self.taken += count
        return [event.data for event in found]


def query(**words: str) -> str:
    return "?" + "&".join(f"{name}={quote(value)}" for name, value in words.items())


def pump_all(listeners: list[Listener], until: Any, seconds: float) -> None:
    """Reads many streams in one thread until something holds or the time is over."""
    with selectors.DefaultSelector() as selector:
        for one in listeners:
            one.sock.settimeout(0.2)
            selector.register(one.sock, selectors.EVENT_READ, one)
        deadline = time.monotonic() + seconds
        while selector.get_map() and not until() and time.monotonic() < deadline:
            for key, _ in selector.select(0.1):
                if not key.data.pump():
                    selector.unregister(key.fileobj)
