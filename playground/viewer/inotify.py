"""The same as watch.py by Linux's inotify(7), which whoever waits reads for himself.

In:   a folder, which may be absent.
Out:  wait() returns soon after any file in it grew, appeared, went or was renamed.
Here nobody knows what the files are. What inotify says of them isn't looked at; there is one descriptor for growth and
one for names, and which of them has news is all that matters. Why not watchdog: see playground/folder_events.py.
"""

import os
import select
import sys
from pathlib import Path

from playground.folder_events import IN_MODIFY, NAMES, begin
from playground.viewer.watch import identity_of

assert sys.platform == "linux"


class Inotify:
    """The watch on one folder. `is_live` says whether the system tells us anything at present."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._bell, select.POLLIN)
        self._growth: int | None = None
        self._names: int | None = None
        self._identity: tuple[int, int] | None = None

    @property
    def is_live(self) -> bool:
        return self._identity is not None

    def start(self) -> None:
        """Begins to watch, if the system can."""
        self.renew()
        self.wake()  # for what happened before we watched

    def renew(self) -> None:
        """Notices that the folder has come, gone, or been replaced by another of its name."""
        identity = identity_of(self.path)
        if identity == self._identity:
            return
        self._end()
        if identity is not None:
            self._growth, self._names = begin(self.path, IN_MODIFY), begin(self.path, NAMES)
            self._identity = identity
            for descriptor in (self._growth, self._names):
                if descriptor is not None:
                    self._poll.register(descriptor, select.POLLIN)
        if None in (self._growth, self._names):
            self._end()

    def wait(self, timeout: float) -> bool:
        """Returns after a change, after wake(), or when so many seconds are over; False if files only grew."""
        ready = [number for number, _ in self._poll.poll(timeout * 1000)]
        for number in ready:
            os.read(number, 4096)
        return ready != [self._growth]

    def wake(self) -> None:
        """Ends a wait, from any thread."""
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Ends it; nobody may wait any more."""
        self._end()
        os.close(self._bell)

    def _end(self) -> None:
        for descriptor in (self._growth, self._names):
            if descriptor is not None:
                self._poll.unregister(descriptor)
                os.close(descriptor)
        self._growth = self._names = self._identity = None
