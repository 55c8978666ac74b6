"""Being told by the system that something in a folder has changed.

In:   a folder, which may be absent, and a function to call.
Out:  a call of it, soon after any file in the folder grew, appeared, went or was renamed.
Here nobody knows what the files are. A call may come for nothing, and in bad times none may come: whoever
listens also looks by itself now and then, and calls renew() when it does.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


class Watch:
    """The watch on one folder. `is_live` says whether the system tells us anything at present."""

    def __init__(self, path: Path, call: Callable[[], None]) -> None:
        self.path, self._call = path, call
        self._observer: Any = None
        self._identity: tuple[int, int] | None = None

    @property
    def is_live(self) -> bool:
        return self._identity is not None

    def dispatch(self, event: object) -> None:
        """What watchdog calls."""
        self._call()

    def start(self) -> None:
        """Begins to watch, if the system can."""
        from watchdog.observers import Observer  # takes a while to load

        with suppress(OSError):  # no more watches to be had: we are not live
            self._observer = Observer()
            self._observer.start()
        self.renew()

    def renew(self) -> None:
        """Notices that the folder has come, gone, or been replaced by another of its name."""
        if self._observer is None:
            return
        try:
            seen = os.stat(self.path)
            identity = (seen.st_dev, seen.st_ino)
        except OSError:
            identity = None
        if identity == self._identity:
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
                self._call()  # for what happened before we watched

    def stop(self) -> None:
        """Ends it, and waits until no call can come any more."""
        if self._observer is not None:
            with suppress(RuntimeError):
                self._observer.stop()
                self._observer.join()
