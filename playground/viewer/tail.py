"""What was seen of a growing file becomes lines, each exactly once. Pure: it reads nothing itself.

In:   how large a file is now, the bytes that were asked for, which file a name leads to.
Out:  where to read next, whole lines, and notices about what happened to the file.
Here nobody knows what a line says, or how a file is opened.

Theory of operation
    Two machines. A Strand follows one file (one inode). It asks for the bytes behind those it has seen,
    together with the last few that it has seen, and compares these: if the file shrank, or if they changed,
    the file was cut or rewritten in place, and the strand begins again at its start. What was written and
    cut away between two looks can't be known. A line ends at LF and nowhere else; an unfinished one waits.
    Of one longer than WAITING only the beginning is kept while it waits, or many such lines together would
    fill the memory. When it has ended it is read again as a whole; unless it is longer than LINE_LIMIT, then
    its beginning is all that is told, and its size.

    A Tail follows a name through all the files that it leads to. When the name leads to a new file, the old
    one was renamed or deleted; whoever writes to it may not know yet, so its strand stays for GRACE seconds
    and ends then, an unfinished line being its last. Files renamed away from the name are recognized by
    their inode, wherever they are. Those that came and went between two looks are found among the names
    that begin like ours (x.jsonl.1): what is unknown there when the name has changed was ours in the
    meantime; what turns up while it has not is a copy.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field

CHUNK = 256 * 1024  # bytes asked for at once
LINE_LIMIT = 8 * 1024 * 1024  # bytes; longer lines are cut
WAITING = 1024 * 1024  # bytes kept of a line that has not ended yet
HEAD = 16 * 1024  # bytes kept of a line that is cut
MEMORY = 64  # bytes compared before new ones are believed
GRACE = 60.0  # seconds that a file is followed after its name leads elsewhere


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its LF. `size` is its true length; `data` is shorter if it was cut."""

    at: int  # offset of its first byte
    data: bytes
    size: int
    end: int  # offset behind its LF

    @property
    def is_cut(self) -> bool:
        return len(self.data) < self.size


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to a file. `kind` is "truncated", "rotated" or "deleted"."""

    kind: str


@dataclass(slots=True)
class Strand:
    """One file from `at` on, which is where a line begins."""

    at: int = 0
    memory: bytes = b""  # the last bytes seen
    _pieces: list[bytes] = field(default_factory=list)  # of the unfinished line
    _kept: int = 0  # bytes in them
    _size: int = 0  # bytes of the unfinished line, kept or not
    _is_whole: bool = False  # it has ended after all, and is to be read again
    _notices: list[Notice] = field(default_factory=list)

    @property
    def offset(self) -> int:
        """Where reading goes on."""
        return self.at + self._size

    def wants(self, size: int, touched: bool = False) -> tuple[int, int] | None:
        """Where to read and how many bytes, for a file of this size; None if there is nothing new.

        `touched`: it was written to since it was last read, so with the same size it may have been rewritten.
        """
        if size < self.offset:
            self._restart()
        if self._is_whole:
            return self.at, self._size + 1
        if size == self.offset and not (touched and self.memory):
            return None
        start = self.offset - len(self.memory)
        return start, min(size - start, CHUNK + len(self.memory))

    def takes(self, data: bytes) -> list[Line]:
        """The lines that end in the bytes found where wants() asked for them."""
        if self._is_whole:
            return self._take_whole(data)
        if not data.startswith(self.memory):
            self._restart()
            return []
        new = data[len(self.memory) :]
        self.memory = data[-MEMORY:]
        *ended, rest = new.split(b"\n")
        if ended and self._kept < self._size and self._size + len(ended[0]) <= LINE_LIMIT:
            self._size += len(ended[0])
            self._is_whole = True
            return []
        lines = [self._end(piece) for piece in ended]
        self._keep(rest)
        return lines

    def news(self) -> list[Notice]:
        """What happened to the file since this was last asked."""
        news, self._notices = self._notices, []
        return news

    def finish(self) -> list[Line]:
        """Nothing more will come: an unfinished line is the last."""
        if not self._size:
            return []
        return [self._end(b"", end_of_line=0)]

    def _take_whole(self, data: bytes) -> list[Line]:
        if data.find(b"\n") != self._size:  # not what it was a moment ago
            self._restart()
            return []
        self.memory = data[-MEMORY:]
        self._forget()
        return [self._end(data[:-1])]

    def _keep(self, piece: bytes) -> None:
        if not piece:
            return
        self._size += len(piece)
        if self._size <= WAITING:
            self._pieces.append(piece)
            self._kept += len(piece)
        elif self._kept + len(piece) == self._size:  # the first that is too much
            self._pieces = [b"".join([*self._pieces, piece])[:HEAD]]
            self._kept = len(self._pieces[0])

    def _end(self, piece: bytes, end_of_line: int = 1) -> Line:
        size, data = self._size + len(piece), b"".join([*self._pieces, piece])
        line = Line(self.at, data if size <= LINE_LIMIT else data[:HEAD], size, self.at + size + end_of_line)
        self.at = line.end
        self._forget()
        return line

    def _restart(self) -> None:
        self._notices.append(Notice("truncated"))
        self.at, self.memory = 0, b""
        self._forget()

    def _forget(self) -> None:
        self._pieces, self._kept, self._size, self._is_whole = [], 0, 0, False


class Tail:
    """One name. `strands` are the files to read, oldest first, by inode."""

    def __init__(self, inode: int | None, strand: Strand, others: Set[int] = frozenset()) -> None:
        self.named = inode
        self.strands: dict[int, Strand] = {} if inode is None else {inode: strand}
        self._strangers = others  # inodes of other files, of which those matter whose names begin like ours
        self._left: dict[int, float] = {}  # when a file was last found grown after it had lost the name

    def observe(self, inode: int | None, others: Iterable[int], now: float) -> list[Notice]:
        """Which file the name leads to now (None: to none), and the inodes of its siblings, oldest first."""
        siblings = list(others)
        # Only those that are still there: an inode that is free may come back as ours.
        there = siblings if inode is None else [*siblings, inode]
        strangers = {other for other in there if other in self._strangers and other not in self.strands}
        unknown = [other for other in siblings if other not in self.strands and other not in strangers]
        self._strangers = strangers
        if inode is not None and inode == self.named:
            strangers.update(unknown)
            return []
        notices = []
        if self.strands and inode not in self.strands and inode is not None:
            was_renamed = any(old in siblings for old in self.strands)
            notices.append(Notice("rotated" if was_renamed else "deleted"))
        for other in unknown:
            self.strands[other] = Strand()
        for old in self.strands:
            self._left.setdefault(old, now)
        if inode is not None:
            self.strands[inode] = self.strands.pop(inode, Strand())  # it is the newest now
            self._left.pop(inode, None)
            strangers.discard(inode)
        self.named = inode
        return notices

    def grew(self, inode: int, now: float) -> None:
        """A file that has lost the name still grows: it gets more time."""
        if inode in self._left:
            self._left[inode] = now

    def retire(self, now: float) -> list[tuple[int, list[Line]]]:
        """The files that are over, each with its unfinished last line."""
        over = [inode for inode, since in self._left.items() if now - since > GRACE]
        for inode in over:
            del self._left[inode]
            self._strangers |= {inode}
        return [(inode, self.strands.pop(inode).finish()) for inode in over]
