"""Noticing that a file of the sandbox has changed, whoever changed it.

In:   the sandbox, and a function that announces Changes.
Out:  a Change for the resource (`updated`) and, where a name came or went, one for the list (`list_changed`).
Here nobody knows who wants to hear of it.

The system tells us of events in the folder (inotify; elsewhere watchdog: FSEvents, Windows). Each costs the same
however many files there are. Where it can't, because watches are used up, the folder is looked through every two
seconds.
"""

import os
import select
import sys
import threading
from collections.abc import Callable
from typing import Any

from mcp_core.catalogue import Change, expand
from playground.server.names import flaw_of
from playground.server.sandbox import Sandbox, SandboxError

POLL = 2.0  # seconds


class Watching:
    """Watches from start() to stop(). `template` is the URI of a file's resource, with {name} in it."""

    def __init__(self, sandbox: Sandbox, template: str, announce: Callable[[Change], None]) -> None:
        self._sandbox, self._template, self._announce = sandbox, template, announce
        self._known: set[str] = set()
        self._before: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()
        self.is_ready = threading.Event()  # from now on nothing is missed
        self._is_over = threading.Event()
        self._bell: int | None = None  # wakes the thread where it waits for a descriptor
        self._thread = threading.Thread(target=self._begin, name="watching", daemon=True)

    def start(self) -> None:
        """Begins, in a thread of its own, so that the first request need not wait for it.

        What changes until the thread is ready is found by comparing.
        """
        self._before = self._look()
        self._known = set(self._before)
        self._thread.start()

    def stop(self) -> None:
        """Ends it, and waits until nothing will be announced any more."""
        self._is_over.set()
        if self._bell is not None:
            os.eventfd_write(self._bell, 1)
        self._thread.join()
        if self._bell is not None:
            os.close(self._bell)

    def dispatch(self, event: Any) -> None:
        """What watchdog calls for each event. A file that is written whole arrives as a temporary one's new name."""
        for path, is_there in ((event.src_path, event.event_type in ("created", "modified")), (event.dest_path, True)):
            name = str(path).replace("\\", "/").rpartition("/")[2]
            if name and flaw_of(name) is None:
                self.changed(name, is_there)

    def changed(self, name: str, is_there: bool) -> None:
        """A file has new content, or has come, or is gone."""
        with self._lock:
            is_news = is_there != (name in self._known)
            (self._known.add if is_there else self._known.discard)(name)
        if is_there or is_news:
            self._announce(Change("resources", expand(self._template, name=name)))
        if is_news:
            self._announce(Change("resources"))

    def _begin(self) -> None:
        if not (self._by_inotify() if sys.platform == "linux" else self._by_watchdog()):
            self._poll()

    def _by_inotify(self) -> bool:
        """Watches until it is over; False if the system can't, or can no more."""
        from playground import folder_events as told

        self._bell = os.eventfd(0, os.EFD_CLOEXEC)
        descriptor = told.begin(self._sandbox.path, told.IN_MODIFY | told.NAMES)
        if descriptor is None:
            return False
        self._compare()
        self.is_ready.set()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.register(self._bell, select.POLLIN)
        is_there = True
        while is_there and not self._is_over.is_set():
            if (descriptor, select.POLLIN) not in poll.poll():
                continue
            for what, name in told.events(os.read(descriptor, 65536)):
                is_there = is_there and what != told.IN_IGNORED
                if what & told.IN_Q_OVERFLOW:
                    self._compare()
                elif name and flaw_of(name) is None:
                    self.changed(name, not what & told.AWAY)
        os.close(descriptor)
        return is_there

    def _by_watchdog(self) -> bool:
        from watchdog.events import FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent
        from watchdog.observers import Observer

        kinds: list[Any] = [FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent]
        observer = Observer()
        try:
            observer.schedule(self, str(self._sandbox.path), event_filter=kinds)  # type: ignore[arg-type]
            observer.start()
        except OSError:  # no more watches to be had
            return False
        self._compare()
        self.is_ready.set()
        self._is_over.wait()
        observer.stop()
        observer.join()
        return True

    def _poll(self) -> None:
        self.is_ready.set()
        while not self._is_over.wait(POLL):
            self._compare()

    def _compare(self) -> None:
        """Announces what has become different since one last looked."""
        before, self._before = self._before, self._look()
        for name in before.keys() | self._before.keys():
            if before.get(name) != self._before.get(name):
                self.changed(name, name in self._before)

    def _look(self) -> dict[str, tuple[int, float]]:
        try:
            return {entry.name: (entry.bytes, entry.modified) for entry in self._sandbox.entries()}
        except SandboxError:  # the folder itself is gone for the moment
            return {}
