"""The hub: every log is followed once, and every client sees all of it.

In:   the folder of the logs.
Out:  for each client the entries and notices since it last looked, each with the token of the place behind it.
Here nobody knows what a client is (log_viewer.py sends events to browsers), or what a record says.

Theory of operation
    One thread reads. It is woken by the file system's events (watch.py), and looks by itself every POLL
    seconds in case they don't come. When files only grew, it doesn't look at the folder again, only at the files
    that it has open. What it reads goes into one window of recent events that all clients share; a client is no
    more than a position in the count of all events. So a record costs the reader the same whether one client
    listens or two hundred, and the memory is that of one window. A client that is slower than the log finds its
    position outside the window: it gets Overflow, and reads what it missed from the files.

    join() gives, in one moment, a position in the count and the places in the files that belong to it. What is before
    the places is history, what is behind the position is live, and nothing is in both or in neither.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii as quote

from playground.viewer.folder import Folder, Found, families, is_log, read_at
from playground.viewer.history import line_start, open_inode, spot_at
from playground.viewer.places import Bookmark, Spot
from playground.viewer.records import Entry
from playground.viewer.tail import MEMORY, Line, Notice, Strand, Tail
from playground.viewer.watch import watch

POLL = 1.0  # seconds
WINDOW = 10_000  # events
WINDOW_BYTES = 8 * 1024 * 1024
MARGIN = 3_000_000_000  # nanoseconds; file systems count time in steps of up to 2 s, and POLL is one more
TURN = 8 * 1024 * 1024  # bytes read of one log before the others have their turn

SENTENCES = {
    "truncated": "{file} was cut or rewritten; reading goes on at its beginning.",
    "rotated": "{file} was renamed; reading goes on with the new file of that name.",
    "deleted": "{file} was deleted; reading goes on with the new file of that name.",
}


class Event:
    """An entry, or a notice about a file; `token` is the place behind it."""

    __slots__ = ("_frame", "entry", "kind", "name", "token")

    def __init__(self, token: str, name: str, entry: Entry | None, kind: str = "") -> None:
        self.token, self.name, self.entry, self.kind = token, name, entry, kind
        self._frame = b""

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        return len(self.token) + (len(self.entry.line.data) if self.entry else 0)

    @property
    def frame(self) -> bytes:
        """The text of the event stream; made once, for all clients."""
        if not self._frame:
            if self.entry is None:
                text = SENTENCES[self.kind].format(file=self.name)
                self._frame = notice(self.kind, text, self.name, self.token)
            else:
                self._frame = b"id: %b\ndata: %b\n\n" % (self.token.encode(), self.entry.envelope)
        return self._frame


def notice(kind: str, text: str, file: str | None = None, token: str = "") -> bytes:
    """A notice as it travels: {"kind", "file", "text"}."""
    about = f'"file":{quote(file)},' if file is not None else ""
    head = f"id: {token}\n" if token else ""
    return f'event: notice\n{head}data: {{"kind":{quote(kind)},{about}"text":{quote(text)}}}\n\n'.encode()


class Overflow(Exception):
    """The client was slower than the log by more than the window."""


class Closed(Exception):
    """The hub has ended, or the client has left."""


@dataclass
class _Followed:
    """One name: its files, and the descriptors that keep them."""

    tail: Tail
    spot: Spot | None = None  # None: nothing of it has been seen
    open: dict[int, int] = field(default_factory=dict)  # by inode
    times: dict[int, int] = field(default_factory=dict)  # when each was last written to, by inode


class Hub:
    """Follows all logs of a folder from start() to close()."""

    def __init__(
        self, folder: Folder, *, poll: float = POLL, window: int = WINDOW, window_bytes: int = WINDOW_BYTES
    ) -> None:
        self.folder = folder
        self._early: set[int] = set()  # inodes of the files that were there at the start
        self._poll, self._window, self._window_bytes = poll, window, window_bytes
        self._followed: dict[str, _Followed] = {}
        self._place = Bookmark({})
        self._events: list[Event] = []
        self._bytes = 0
        self._first = 0  # the number of self._events[0]
        self._news = threading.Condition()
        self._is_closed = False
        self._watch = watch(folder.path)
        self._thread = threading.Thread(target=self._run, name="follow the logs", daemon=True)

    def start(self) -> None:
        """Takes the files as they are, and follows them from there."""
        self._place.seen = time.time_ns() - MARGIN
        files = self.folder.scan()
        self._early = {file.inode for file in files}
        for file in sorted(files, key=lambda file: file.modified):
            if is_log(file.name):
                self._begin(file.name)
        self._watch.start()
        self._thread.start()

    def close(self) -> None:
        """Ends the following, if it has not ended; clients that wait get Closed."""
        with self._news:
            if self._is_closed:
                return
            self._is_closed = True
            self._news.notify_all()
        self._watch.wake()
        if self._thread.ident is not None:
            self._thread.join()
        self._watch.close()
        for followed in self._followed.values():
            while followed.open:
                os.close(followed.open.popitem()[1])

    # ---- for clients ---------------------------------------------------------------------------------------

    def join(self) -> tuple[int, dict[str, Spot], int]:
        """The number of the next event, the places behind all before it, and the time up to which these hold all."""
        with self._news:
            spots = {name: followed.spot for name, followed in self._followed.items() if followed.spot}
            return self._first + len(self._events), spots, self._place.seen

    def since(self, number: int, timeout: float, has_left: Callable[[], bool] = lambda: False) -> list[Event]:
        """The events from a number on, waited for; none when the time is over. Raises Overflow, Closed.

        Whoever makes `has_left` true calls wake() then: the client is gone, and nothing more is waited for.
        """

        def is_over() -> bool:
            return self._is_closed or has_left()

        with self._news:
            if number == self._first + len(self._events):
                self._news.wait_for(lambda: is_over() or number < self._first + len(self._events), timeout)
            if is_over():
                raise Closed
            if number < self._first:
                raise Overflow
            return self._events[number - self._first :]

    def wake(self) -> None:
        """Has all who wait look whether their client has left."""
        with self._news:
            self._news.notify_all()

    # ---- following -----------------------------------------------------------------------------------------

    def _begin(self, name: str) -> None:
        """A file that is there at the start: it is followed from its last unfinished line on."""
        try:
            descriptor = self.folder.open(name)
        except OSError:
            return
        seen = os.fstat(descriptor)
        at = line_start(descriptor, seen.st_size)
        strand = Strand(at, read_at(descriptor, min(at, MEMORY), max(0, at - MEMORY)))
        followed = _Followed(Tail(seen.st_ino, strand, self._early))
        followed.open[seen.st_ino] = descriptor
        self._followed[name] = followed
        self._move(name, followed, spot_at(descriptor, seen.st_ino, at))

    def _run(self) -> None:
        scanned = 0.0
        while not self._is_closed:
            is_all = self._watch.wait(self._poll if self._watch.is_live else self._poll / 4)
            now, files = time.monotonic(), None
            if is_all or now - scanned > self._poll:
                self._watch.renew()
                scanned, files = now, self.folder.scan()
            self._look(now, files)

    def _look(self, now: float, files: list[Found] | None) -> None:
        """One look at all that is followed, and at the folder: all files, or None if none came or went."""
        seen, inodes = time.time_ns() - MARGIN, {file.name: file.inode for file in files or ()}
        renamed = {name: [file.inode for file in family] for name, family in families(files or ()).items()}
        for name in sorted({*self._followed, *filter(is_log, inodes)}):
            followed = self._followed.get(name)
            if followed is None:
                with self._news:
                    followed = self._followed[name] = _Followed(Tail(None, Strand(), self._early))
            names = inodes.get(name), renamed.get(name, [])
            notices = [] if files is None else followed.tail.observe(*names, now)
            for inode in list(followed.tail.strands):
                if inode == followed.tail.named:
                    self._publish(name, followed, None, [], notices)
                    notices = []
                try:
                    is_read = self._read(name, followed, inode, now)
                except OSError:  # the disk failed; the next look tries again, and other files go on
                    seen, is_read = self._place.seen, True
                if not is_read:
                    self._watch.wake()  # the rest at the next look, and before it nothing of the files that came after
                    seen = self._place.seen
                    break
            else:
                self._retire(name, followed, now)
            self._publish(name, followed, None, [], notices)
        self._place.seen = seen

    def _retire(self, name: str, followed: _Followed, now: float) -> None:
        """Ends the files that lost the name long ago."""
        for inode, lines in followed.tail.retire(now):
            self._publish(name, followed, inode, lines, [])
            followed.times.pop(inode, None)
            if inode in followed.open:
                os.close(followed.open.pop(inode))

    def _read(self, name: str, followed: _Followed, inode: int, now: float) -> bool:
        """What is new in one file; whether that was all, and not only as much as one turn allows. Raises OSError."""
        strand, descriptor = followed.tail.strands[inode], followed.open.get(inode)
        if descriptor is None:
            descriptor = open_inode(self.folder, name, inode)
            if descriptor is None:  # it came and went
                return True
            followed.open[inode] = descriptor
            if followed.spot is None:
                self._move(name, followed, Spot(inode, 0))
        seen = os.fstat(descriptor)
        is_touched, left = seen.st_mtime_ns != followed.times.get(inode), TURN
        while (ask := strand.wants(seen.st_size, is_touched)) and left > 0 and not self._is_closed:
            data, is_touched = read_at(descriptor, ask[1], ask[0]), False
            self._publish(name, followed, inode, strand.takes(data), strand.news())
            followed.tail.grew(inode, now)
            left -= ask[1]
            if len(data) < ask[1]:  # it was cut meanwhile, of which we'll be told
                break
        followed.times[inode] = seen.st_mtime_ns
        self._publish(name, followed, inode, [], strand.news())
        return not ask or left > 0

    def _publish(
        self, name: str, followed: _Followed, inode: int | None, lines: list[Line], notices: list[Notice]
    ) -> None:
        """Puts notices and lines into the window, and moves the place with each line."""
        if not lines and not notices:
            return
        if notices and inode is not None:
            self._move(name, followed, Spot(inode, 0))
        with self._news:
            before = len(self._events)
            for told in notices:
                self._events.append(Event(self._place.token, name, None, told.kind))
            for line in lines:
                entry = Entry(name, inode or 0, line)
                self._move(name, followed, entry.spot)
                if not entry.is_blank:
                    self._events.append(Event(self._place.token, name, entry))
            self._bytes += sum(event.size for event in self._events[before:])
            self._trim()
            self._news.notify_all()

    def _move(self, name: str, followed: _Followed, spot: Spot) -> None:
        order = list(followed.tail.strands)
        old = followed.spot
        if old and old.inode in order and spot.inode in order and order.index(spot.inode) < order.index(old.inode):
            return  # a late line of a renamed file: the place is in the new one already
        with self._news:
            followed.spot = spot
            self._followed[name] = self._followed.pop(name, followed)  # the one that grew last is the last
            self._place.move(name, spot)

    def _trim(self) -> None:
        if len(self._events) <= self._window and self._bytes <= self._window_bytes:
            return
        drop = 0
        # A little more than needed, so that this isn't done for each line.
        while drop < len(self._events) - 1 and (
            len(self._events) - drop > 0.9 * self._window or self._bytes > 0.9 * self._window_bytes
        ):
            self._bytes -= self._events[drop].size
            drop += 1
        del self._events[:drop]
        self._first += drop
