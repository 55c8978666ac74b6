"""Being told by the system that something in a folder has changed.

In:   a folder, which may be absent.
Out:  wait() returns soon after any file in it grew, appeared, went or was renamed.
Here nobody knows what the files are. A wait may end for nothing, and in bad times nobody may end it: whoever waits
also looks by itself now and then, and calls renew() when it does.
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol


class Watch(Protocol):
    """The watch on one folder; `is_live` says whether the system tells us anything at present."""

    @property
    def is_live(self) -> bool: ...

    def start(self) -> None:
        """Begins to watch, if the system can."""

    def renew(self) -> None:
        """Notices that the folder has come, gone, or been replaced by another of its name."""

    def wait(self, timeout: float) -> bool:
        """Returns after a change, after wake(), or when so many seconds are over; False if files only grew."""

    def wake(self) -> None:
        """Ends a wait, from any thread."""

    def close(self) -> None:
        """Ends it; nobody may wait any more."""


def watch(path: Path) -> Watch:
    """The best watch that there is on this system."""
    if sys.platform == "linux":
        from playground.viewer.inotify import Inotify

        return Inotify(path)
    else:  # pragma: no cover - macOS, Windows
        return Observed(path)


def identity_of(path: Path) -> tuple[int, int] | None:
    """Which folder it is, whatever its name; None if there is none.

    >>> identity_of(Path("/nowhere/at/all")) is None
    True
    """
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


class Observed:
    """A Watch by watchdog, which knows every system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bell = threading.Event()
        self._observer: Any = None
        self._identity: tuple[int, int] | None = None

    @property
    def is_live(self) -> bool:
        return self._identity is not None

    def dispatch(self, event: object) -> None:
        """What watchdog calls."""
        self.wake()

    def start(self) -> None:
        from watchdog.observers import Observer  # takes a while to load

        with suppress(OSError):  # no more watches to be had: we are not live
            self._observer = Observer()
            self._observer.start()
        self.renew()
        self.wake()  # for what happened before we watched

    def renew(self) -> None:
        identity = identity_of(self.path)
        if self._observer is None or identity == self._identity:
            return
        with suppress(OSError, KeyError):
            self._observer.unschedule_all()
        self._identity = None
        if identity is not None:
            from watchdog.events import FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent

            # Nothing about opening and closing: we ourselves do that.
            kinds: list[Any] = [FileModifiedEvent, FileCreatedEvent, FileDeletedEvent, FileMovedEvent]
            with suppress(OSError):
                self._observer.schedule(self, str(self.path), event_filter=kinds)
                self._identity = identity

    def wait(self, timeout: float) -> bool:
        self._bell.wait(timeout)
        self._bell.clear()
        return True

    def wake(self) -> None:
        self._bell.set()

    def close(self) -> None:
        if self._observer is not None:
            with suppress(RuntimeError):
                self._observer.stop()
                self._observer.join()
