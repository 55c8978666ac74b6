"""The handshake sessions of one server by their ids, and everyone who is to hear of changes.

In:   sessions as they begin; ids that clients bring.
Out:  the session of an id, until it is ended or was idle too long.
Here nobody knows what is said in a session (basic/transports, Session Management).
"""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Generator

from mcp_core.catalogue import Change
from playground.server.posts import HttpLive

IDLE = 1800.0  # seconds after which a session that nobody uses is ended
MOST_SESSIONS = 1000


class Sessions:
    """All sessions; safe for threads."""

    def __init__(self, idle: float = IDLE) -> None:
        self._idle = idle
        self._sessions: OrderedDict[str, HttpLive] = OrderedDict()
        self._listeners: set[HttpLive] = set()
        self._lock = threading.Lock()

    @staticmethod
    def new_id() -> str:
        """An id that nobody can guess (basic/transports, Session Management)."""
        return uuid.uuid4().hex

    def add(self, live: HttpLive) -> None:
        """Keeps a session; makes room by ending those that were idle too long, and at the limit the idlest."""
        assert live.id is not None
        with self._lock:
            self._sessions[live.id] = live
            now = time.monotonic()
            unused = [one for one in self._sessions.values() if not one.is_in_use and one is not live]
            over = len(self._sessions) - MOST_SESSIONS
            unused.sort(key=lambda one: one.last_used)
            old = [one for n, one in enumerate(unused) if n < over or now - one.last_used > self._idle]
            for one in old:
                self._sessions.pop(one.id or "", None)
        for one in old:
            one.end()

    def find(self, id: str) -> HttpLive | None:
        """The session with this id, unless it has ended or was idle too long."""
        with self._lock:
            live = self._sessions.get(id)
            if live is not None and not live.is_in_use and time.monotonic() - live.last_used > self._idle:
                del self._sessions[id]
                return None
            if live is not None:
                live.last_used = time.monotonic()
            return live

    def end(self, id: str) -> bool:
        """Ends a session; whether there was one."""
        with self._lock:
            live = self._sessions.pop(id, None)
        if live is not None:
            live.end()
        return live is not None

    def listening(self, live: HttpLive, events: Generator[str, None, None]) -> Generator[str, None, None]:
        """The events of a stateless request, which hears of changes as long as they are read."""
        self._listeners.add(live)
        try:
            yield from events
        finally:
            self._listeners.discard(live)
            events.close()

    def tell(self, change: Change) -> None:
        """Tells every client of a change that wants to hear."""
        with self._lock:
            everyone = [*self._sessions.values(), *self._listeners]
        for live in everyone:
            live.tell(change)

    def close(self) -> None:
        """Ends everything."""
        with self._lock:
            everyone = [*self._sessions.values(), *self._listeners]
            self._sessions.clear()
        for live in everyone:
            live.end()
