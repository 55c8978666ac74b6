"""What a body carries: one text, or the events of a stream.

In:   the payload of an HTTP body in pieces as they come, or the bytes of a pipe; for HTTP the Content-Encoding.
Out:  the texts in it, each with its true size; of a text that is too long only the beginning.
Here nobody knows what the texts say, or where they go. Nothing here changes what is passed on: it works on copies.

Theory of operation
    Events are found in the bytes as they are. mcp_core.sse.Decoder replaces what is not UTF-8, as a receiver must, but
    a log must show what was sent; so the decoder is given each byte as the character of the same number (Latin-1), in
    which every sign that frames events is itself, and the data is turned back into the very same bytes.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_core import sse, strict

__all__ = ["KEEP", "Events", "Heard", "Kept", "Lines", "Undecodable", "undone"]

KEEP = strict.MAX_BYTES  # a text up to this size is kept whole
BEGINNING = 64 * 1024  # of a longer one this much
STEP = 256 * 1024  # bytes unpacked at a time


class Undecodable(Exception):
    """Half a sentence: why a Content-Encoding could not be undone."""


class Kept:
    """Bytes as they add up. Once there are more than KEEP, only their beginning and their number."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0
        self.is_whole = True

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        if not self.is_whole:
            return
        self._pieces.append(piece)
        if self.size > KEEP:
            self.is_whole = False
            self._pieces = [self.data[:BEGINNING]]

    @property
    def data(self) -> bytes:
        return b"".join(self._pieces)


@dataclass(frozen=True, slots=True)
class Heard:
    """One event, its data as bytes; `flaw` says why there are none."""

    data: bytes
    event: str = "message"
    id: str | None = None
    retry: int | None = None
    flaw: str | None = None

    def shown(self) -> dict[str, str | int]:
        """What the log shows of it besides the data."""
        named = {"event": self.event if self.event != "message" else None, "id": self.id, "retry": self.retry}
        return {name: value for name, value in named.items() if value is not None}


class Events:
    """An event stream that arrives in pieces."""

    def __init__(self, coding: str | None) -> None:
        self._decoder = sse.Decoder()
        self._undo = _undoing(coding)
        self._start: bytes | None = b""  # until it is known whether it begins with a byte-order mark
        self._is_lost = False

    def take(self, piece: bytes) -> Iterator[Heard]:
        """The events that a piece completes."""
        if self._is_lost:
            return
        try:
            for data in self._undo.feed(piece):
                yield from self._events(self._unmarked(data))
        except Undecodable as reason:
            self._is_lost = True
            yield Heard(b"", flaw=f"the events of this stream can't be shown: {reason}")

    def _events(self, data: bytes) -> Iterator[Heard]:
        try:
            found = self._decoder.feed(data.decode("latin-1"))
        except sse.StreamError:
            # The rest of its line will mean nothing to a new decoder, and the event after it is read well again.
            self._decoder = sse.Decoder()
            yield Heard(b"", flaw=f"an event of more than {sse.MAX_EVENT} bytes was passed on and not kept")
            return
        for event in found:
            id = None if event.id is None else event.id.encode("latin-1").decode("utf-8", "replace")
            yield Heard(event.data.encode("latin-1"), event.event, id, event.retry)

    def _unmarked(self, data: bytes) -> bytes:
        if self._start is None:
            return data
        self._start += data
        if b"\xef\xbb\xbf".startswith(self._start[:3]) and len(self._start) < 3:
            return b""
        data, self._start = self._start.removeprefix(b"\xef\xbb\xbf"), None
        return data


class Lines:
    """The lines of a pipe; each comes as what was kept of it and its true size, without the end of the line."""

    def __init__(self) -> None:
        self._line = Kept()

    def take(self, piece: bytes) -> Iterator[Kept]:
        """The lines that a piece completes."""
        *ended, rest = piece.split(b"\n")
        for part in ended:
            self._line.add(part)
            yield self._next()
        self._line.add(rest)

    def end(self) -> Iterator[Kept]:
        """The last line, if the pipe was closed in the middle of it."""
        if self._line.size:
            yield self._next()

    def _next(self) -> Kept:
        line, self._line = self._line, Kept()
        return line


def undone(data: bytes, coding: str | None) -> bytes:
    """A whole body without its Content-Encoding. Raises Undecodable, also for more than KEEP bytes.

    >>> undone(zlib.compress(b"abc"), "deflate")
    b'abc'
    """
    pieces, size = [], 0
    for piece in _undoing(coding).feed(data):
        pieces.append(piece)
        size += len(piece)
        if size > KEEP:
            raise Undecodable(f"unpacked it is longer than {KEEP} bytes")
    return b"".join(pieces)


def _undoing(coding: str | None) -> "_Nothing | _Inflate | _Unknown":
    name = (coding or "identity").strip().lower()
    if name == "identity":
        return _Nothing()
    return _Inflate() if name in ("gzip", "x-gzip", "deflate") else _Unknown(name)


class _Nothing:
    def feed(self, piece: bytes) -> Iterator[bytes]:
        yield piece


class _Unknown:
    def __init__(self, name: str) -> None:
        self._name = name

    def feed(self, piece: bytes) -> Iterator[bytes]:
        raise Undecodable(f"the tap can't undo Content-Encoding {self._name[:40]!a}")


class _Inflate:
    """gzip and deflate, a little at a time: a small piece may hold a thousand times its size."""

    def __init__(self) -> None:
        self._zlib = self._fresh()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        has_more = True
        while piece or has_more:
            try:
                out = self._zlib.decompress(piece, STEP)
            except zlib.error as error:
                raise Undecodable(f"its compression is broken ({error})") from None
            piece, has_more = self._zlib.unconsumed_tail, len(out) == STEP
            if self._zlib.eof:  # several packed bodies may follow each other (RFC 1952 section 2.2)
                piece, has_more, self._zlib = self._zlib.unused_data, False, self._fresh()
            if out:
                yield out

    def _fresh(self) -> "zlib._Decompress":
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: look which of the two it is
