"""HTTP/1.1 as bytes: the head of a message, where its body ends, and what may not go on to the next hop.

In:   bytes as they come off a connection, in pieces of any size.
Out:  a Head; a Body that says of each piece how much of it still belongs to the message, and what it carries.
Here nobody knows sockets, or what the bodies mean.

Theory of operation
    A head is kept as the lines that came, so that what is sent on has the same names in the same spelling and order.
    A body is never taken apart and put together again: Body only counts along (RFC 9112 section 6), and the same bytes
    go on, chunk by chunk as they were cut. A body whose end could be read in two ways is refused (section 6.3): two
    readers that disagree about it are an attack's way in.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Body", "Chunked", "Counted", "Endless", "Head", "Malformed", "body_of_answer", "body_of_request", "end_of_head",
    "for_next_hop",
]  # fmt: skip

MAX_HEAD = 64 * 1024
MAX_LINE = 4096  # before or after a chunk

_TLS = b"\x16\x03"  # how a TLS client begins (RFC 8446 section 5.1)
_END = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\x00]*")
_REQUEST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\x80-\xff]+) HTTP/1\.[01]")
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r]*)?")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
# Both hops open and close together, so what one says about closing is true of the other as well.
_KEPT_OPTIONS = {"close", "keep-alive"}
# Whatever a Connection header may claim: without these the next hop would read another message.
_NEVER_DROPPED = _KEPT_OPTIONS | {"host", "content-length", "transfer-encoding"}


class Malformed(ValueError):
    """Half a sentence: why this is not HTTP, or not safely."""


def end_of_head(data: bytes | bytearray) -> int | None:
    """Where the head that begins here ends, or None if its end has not come. Raises Malformed if it never will.

    >>> end_of_head(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nbody")
    27
    """
    if data.startswith(_TLS):
        raise Malformed("it is TLS; write http:// instead of https://")
    found = _END.search(data, 0, MAX_HEAD)
    if found is None and len(data) >= MAX_HEAD:
        raise Malformed(f"its head is longer than {MAX_HEAD} bytes")
    return found.end() if found else None


@dataclass(frozen=True, slots=True)
class Head:
    """A first line, and a line for each header, without their ends."""

    start: bytes
    lines: tuple[bytes, ...]

    @classmethod
    def parse(cls, data: bytes) -> "Head":
        """Reads a head as `end_of_head` found it. Raises Malformed."""
        start, *lines = re.split(rb"\r?\n", data.rstrip(b"\r\n"))
        for line in lines:
            if not _FIELD.fullmatch(line):
                raise Malformed(f"this line is no header: {line[:60]!r}")
        return cls(start, tuple(lines))

    def encode(self) -> bytes:
        """The head as it is sent."""
        return b"\r\n".join([self.start, *self.lines, b"", b""])

    @property
    def request(self) -> tuple[str, str]:
        """Method and target of a request. Raises Malformed."""
        if not (found := _REQUEST.fullmatch(self.start)):
            raise Malformed(f"its first line is no request of HTTP/1.1: {self.start[:60]!r}")
        return found[1].decode("ascii"), found[2].decode("latin-1")

    @property
    def status(self) -> int:
        """The status of a response. Raises Malformed."""
        if not (found := _STATUS.fullmatch(self.start)):
            raise Malformed(f"its first line is no answer of HTTP/1.1: {self.start[:60]!r}")
        return int(found[1])

    def fields(self) -> list[tuple[str, str]]:
        """Names, as they are spelled, and values."""
        return [(name.decode("ascii"), value.decode("latin-1")) for name, value in map(_parts, self.lines)]

    def shown(self) -> dict[str, str]:
        """The headers by name; what was said more than once is joined by commas (RFC 9110 section 5.3)."""
        found: dict[str, str] = {}
        for name, value in self.fields():
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found

    def get(self, name: str) -> str | None:
        """The value of a header, or values joined by commas; `name` in lower case."""
        values = [value for each, value in self.fields() if each.lower() == name]
        return ", ".join(values) if values else None

    def without(self, names: Collection[str]) -> "Head":
        """The head without these headers; names in lower case."""
        return Head(self.start, tuple(line for line in self.lines if _name(line) not in names))

    def replacing(self, name: str, value: str) -> "Head":
        """The head with another value where that header stands; its name keeps place and spelling."""
        new = value.encode("latin-1")
        lines = (_parts(line)[0] + b": " + new if _name(line) == name else line for line in self.lines)
        return Head(self.start, tuple(lines))


def _parts(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.strip(b" \t")


def _name(line: bytes) -> str:
    return line.partition(b":")[0].decode("ascii").lower()


def for_next_hop(head: Head) -> Head:
    """The head without what was meant for this hop alone (RFC 9110 section 7.6.1).

    >>> for_next_hop(Head(b"GET / HTTP/1.1", (b"Connection: keep-alive, X-Mine", b"x-mine: 1", b"A: 2"))).lines
    (b'Connection: keep-alive', b'A: 2')
    """
    options = [option.strip() for option in (head.get("connection") or "").split(",")]
    named = {option.lower() for option in options if option}
    # An Upgrade would end HTTP on this connection (h2c, WebSocket), and nobody could read along.
    clean = head.without((named | {"upgrade", "proxy-connection"}) - _NEVER_DROPPED)
    if named <= _KEPT_OPTIONS:
        return clean
    kept = [option for option in options if option.lower() in _KEPT_OPTIONS]
    return clean.replacing("connection", ", ".join(kept)) if kept else clean.without({"connection"})


# ---- Where a body ends -----------------------------------------------------------------------------------------------


class Body(Protocol):
    """Counts along with a body."""

    is_over: bool

    def take(self, data: bytes) -> tuple[bytes, int]:
        """What a piece carries, and how many of its bytes belong to this body. Raises Malformed."""


class Counted:
    """A body of known length."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.is_over = length == 0

    def take(self, data: bytes) -> tuple[bytes, int]:
        piece = data[: self._left]
        self._left -= len(piece)
        self.is_over = self._left == 0
        return piece, len(piece)


class Endless:
    """A body that ends with the connection."""

    is_over = False

    def take(self, data: bytes) -> tuple[bytes, int]:
        return data, len(data)


class Chunked:
    """A body in chunks (RFC 9112 section 7.1).

    >>> Chunked().take(b"3\\r\\nabc\\r\\n0\\r\\n\\r\\nrest")
    (b'abc', 13)
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._left = 0
        self._read = self._size
        self.is_over = False

    def take(self, data: bytes) -> tuple[bytes, int]:
        pieces, at = [], 0
        while at < len(data) and not self.is_over:
            if self._left:
                pieces.append(data[at : at + self._left])
                at += len(pieces[-1])
                self._left -= len(pieces[-1])
                continue
            end = data.find(b"\n", at) + 1 or len(data)
            self._line += data[at:end]
            at = end
            if len(self._line) > MAX_LINE:
                raise Malformed("a line between two chunks is too long")
            if self._line.endswith(b"\n"):
                line = bytes(self._line).rstrip(b"\r\n")
                self._line.clear()
                self._read(line)
        return b"".join(pieces), at

    def _size(self, line: bytes) -> None:
        if not (found := _CHUNK.fullmatch(line)):
            raise Malformed(f"this is not the size of a chunk: {line[:60]!r}")
        self._left = int(found[1], 16)
        self._read = self._end if self._left else self._trailer

    def _end(self, line: bytes) -> None:
        if line:
            raise Malformed("a chunk is longer than it says")
        self._read = self._size

    def _trailer(self, line: bytes) -> None:
        self.is_over = not line


def body_of_request(head: Head) -> Body:
    """How the body of a request ends (RFC 9112 section 6.3). Raises Malformed."""
    coding, length = head.get("transfer-encoding"), head.get("content-length")
    if coding is None:
        return Counted(0 if length is None else _number(length))
    if coding.lower() != "chunked" or length is not None or head.start.endswith(b"1.0"):
        raise Malformed("where its body ends can be read in two ways")
    return Chunked()


def body_of_answer(head: Head, method: str) -> Body:
    """How the body of a response to that method ends (RFC 9112 section 6.3). Raises Malformed."""
    coding, length = head.get("transfer-encoding"), head.get("content-length")
    if method == "HEAD" or head.status < 200 or head.status in (204, 304):
        return Counted(0)
    if coding is not None:
        return Chunked() if coding.lower().rpartition(",")[2].strip() == "chunked" else Endless()
    return Endless() if length is None else Counted(_number(length))


def _number(length: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", length):
        raise Malformed(f"its Content-Length is not one number: {length[:60]!r}")
    return int(length)
