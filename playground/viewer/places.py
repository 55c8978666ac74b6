"""Where a reader stands in all the logs at once, as a short text that says it all.

In:   for each file its inode, an offset behind a line, and a fingerprint of that line.
Out:  a token for the `id:` of an event, and back.
Here nobody knows how files are followed. A token needs no memory in the viewer, so it outlives a restart;
the inode finds a file that was renamed meanwhile; the fingerprint tells a file that was rewritten from one
that only grew.
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from playground.viewer.tail import MEMORY

_SPOT = re.compile(r"([^:;]{1,800}):([0-9a-f]{1,16}):([0-9a-f]{1,16}):([0-9a-f]{1,8})")
_TOKEN_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in one file: behind a line, or at its start (0, with the fingerprint 0, which is not checked)."""

    inode: int
    at: int
    mark: int = 0

    def fits(self, before: bytes) -> bool:
        """Whether the bytes before the place (up to MEMORY of them) are those that were there."""
        return self.mark == 0 or self.mark == fingerprint(before)


Places = Mapping[str, Spot]


def fingerprint(before: bytes) -> int:
    """Of the line that ends at the end of these bytes, as far as they reach. Never 0."""
    line = before[-MEMORY:]
    return zlib.crc32(line[line.rfind(b"\n", 0, -1) + 1 :]) or 1


def part(name: str, spot: Spot) -> str:
    """One file's part of a token."""
    return f"{_quoted(name)}:{spot.inode:x}:{spot.at:x}:{spot.mark:x}"


@lru_cache
def _quoted(name: str) -> str:
    return quote(name, safe="")


def write(places: Places) -> str:
    """The token: ASCII, no blanks, fit for a header.

    >>> write({"a.jsonl": Spot(10, 255, 1)})
    'a.jsonl:a:ff:1'
    """
    return ";".join(part(name, spot) for name, spot in places.items())


def read(token: str) -> dict[str, Spot] | None:
    """The places, or None for anything that write() did not make.

    >>> read("a.jsonl:a:ff:1")
    {'a.jsonl': Spot(inode=10, at=255, mark=1)}
    """
    places = {}
    if len(token) > _TOKEN_LIMIT:
        return None
    for text in token.split(";") if token else []:
        found = _SPOT.fullmatch(text)
        if not found:
            return None
        name, inode, at, mark = found.groups()
        places[unquote(name)] = Spot(int(inode, 16), int(at, 16), int(mark, 16))
    return places
