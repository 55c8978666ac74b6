"""Where a reader stands in all the logs at once, as a short text that says it all.

In:   for each file its inode, an offset behind a line, and a fingerprint of that line.
Out:  a token for the `id:` of an event, and back.
Here nobody knows how files are followed. A token needs no memory in the viewer, so it outlives a restart;
the inode finds a file that was renamed meanwhile; the fingerprint tells a file that was rewritten from one
that only grew.

A token travels with each event, and back in a header: it must not grow with the number of logs. So where there are very
many, only those are named that are not read to their end yet, or that grew last. For all others stands a time: what
was written to them before it has been read.
"""

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from playground.viewer.tail import MEMORY

_SPOT = re.compile(r"([^:;]{1,800}):([0-9a-f]{1,16}):([0-9a-f]{1,16}):([0-9a-f]{1,8})")
_TIME = re.compile(r"~([0-9a-f]{1,16})")
ENOUGH = 4 * 1024  # bytes of a token for files that are read to their end
MOST = 32 * 1024  # bytes of a token


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


def _part(name: str, spot: Spot) -> str:
    """One file's part of a token."""
    return f"{_quoted(name)}:{spot.inode:x}:{spot.at:x}:{spot.mark:x}"


@lru_cache(maxsize=4096)
def _quoted(name: str) -> str:
    return quote(name, safe="")


class Bookmark:
    """Where a reader stands in all the logs, while it reads on.

    `ends` is where it has read all that there is, for now; `seen` the time before which everything written to the files
    is before these ends, in nanoseconds since 1970.

    >>> Bookmark({"a.jsonl": Spot(10, 255, 1)}).token
    'a.jsonl:a:ff:1'
    """

    def __init__(self, places: Places, seen: int = 0, ends: Places | None = None) -> None:
        self.seen = seen
        self._ends = places if ends is None else ends
        self._due: dict[str, str] = {}  # the parts of files that are not read to their end
        self._read: dict[str, str] = {}  # those of the others, the one that grew last at last
        self._size = 0
        for name, spot in places.items():
            self.move(name, spot)

    def move(self, name: str, spot: Spot) -> None:
        """One file is read up to this place."""
        old = self._due.pop(name, "") or self._read.pop(name, "")
        end = self._ends.get(name, spot)
        parts = self._read if (spot.inode, spot.at) == (end.inode, end.at) else self._due
        parts[name] = _part(name, spot)
        self._size += len(parts[name]) - len(old) + (0 if old else 1)

    @property
    def token(self) -> str:
        """ASCII without blanks, fit for a header."""
        if self._size <= ENOUGH:
            return ";".join([*self._due.values(), *self._read.values()])
        due, is_whole = _fitting(self._due.values(), MOST)
        read, has_all = _fitting(reversed(self._read.values()), ENOUGH)
        if is_whole and has_all:
            return ";".join([*due, *read])
        # Where a file must be left out that is not read to its end, nothing is said of those that are not named.
        return ";".join([f"~{self.seen if is_whole else 0:x}", *due, *read])


def _fitting(parts: Iterable[str], room: int) -> tuple[list[str], bool]:
    """As many as there is room for, and whether that is all."""
    kept: list[str] = []
    for text in parts:
        room -= len(text) + 1
        if room < 0:
            return kept, False
        kept.append(text)
    return kept, True


@dataclass(frozen=True, slots=True)
class Known:
    """What a token says. `seen`: what was written to other files before that time is known; None: there were none."""

    places: Places
    seen: int | None = None

    def of(self, name: str, end: Spot, modified: int) -> Spot | None:
        """The place in a file that now ends there and was last written to then; None if the token can't say it."""
        if (spot := self.places.get(name)) is not None:
            return spot
        if self.seen is None:
            return Spot(end.inode, 0)  # a new file
        return end if modified < self.seen else None

    def within(self, ends: Places) -> Places:
        """The ends of some files, moved back to where the token stands in the same files."""
        back = {name: spot for name, spot in self.places.items() if name in ends}
        return {**ends, **{n: s for n, s in back.items() if s.inode == ends[n].inode and s.at <= ends[n].at}}


def read(token: str) -> Known | None:
    """What a token says, or None for anything that is none.

    >>> read("a.jsonl:a:ff:1")
    Known(places={'a.jsonl': Spot(inode=10, at=255, mark=1)}, seen=None)
    """
    if len(token) > 2 * MOST:
        return None
    parts, places, seen = token.split(";") if token else [], {}, None
    if parts and (time := _TIME.fullmatch(parts[0])):
        seen = int(time[1], 16)
        del parts[0]
    for text in parts:
        found = _SPOT.fullmatch(text)
        if not found:
            return None
        name, inode, at, mark = found.groups()
        places[unquote(name)] = Spot(int(inode, 16), int(at, 16), int(mark, 16))
    return Known(places, seen)
