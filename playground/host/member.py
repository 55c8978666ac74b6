"""One server of the host: its connection, and what it lists, kept as long as the server allows.

In:   an entry of servers.json; the logbook; whoever answers the server's questions and hears its news.
Out:  lists and results; `problem` in one sentence where the server can't be used.
Here nobody knows the other servers, or the names that a model sees.

Theory of operation
    A list is asked for once and kept. It is asked for again when the server says that it changed (list_changed), when
    the time is over for which the server vouched for it (`ttlMs`, 2026-07-28), and when the server was started or
    greeted anew. In the handshake era a server says list_changed of its own accord; in the stateless era only to
    those who listen, with a request that stays open (subscriptions/listen), for which there is a thread.
"""

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from mcp_core.calling import Asked, Noted
from mcp_core.messages import Notification
from mcp_core.revisions import is_stateless
from playground.host.servers import Entry
from playground.logbook import Logbook
from playground.wire.connecting import Way, connect
from playground.wire.connection import Connection, Refused
from playground.wire.transports import NotMCP, NotReachable, TravelError

Object = dict[str, Any]

INFO = {"name": "mcp-client-chat", "title": "MCP Playground chat", "version": "0.1.0"}
NOT_YET = "It has not answered yet; it takes part as soon as it does."
AGAIN = 5.0  # seconds until a list that could not be had is asked for again
_ABOUT = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
}


class Member:
    """One server, from the first word to the last. `open` never raises; methods that ask raise as Connection does."""

    def __init__(
        self,
        entry: Entry,
        log: Logbook,
        capabilities: Object,
        ask: Callable[[str, Asked], Object | None],
        tell: Callable[[str, Notification], None],
        trace: Callable[[], str],
    ) -> None:
        self.entry, self.name = entry, entry.name
        self.problem = entry.problem
        self.error: Exception | None = None if entry.way else ValueError(entry.problem)
        self.remark = ""  # one line about how it was reached, where that is worth a word
        self.connection: Connection | None = None
        self._log, self._ask, self._tell, self._trace = log, ask, tell, trace
        self._capabilities = capabilities | ({"roots": {}} if entry.roots else {})
        self._lists: dict[str, tuple[list[Object], float]] = {}  # method -> entries, and until when they are good
        self._session: object = None  # of the lists
        self._closing, self._opening = threading.Event(), threading.Lock()
        self._listener: threading.Thread | None = None
        self._can_listen = True

    # ---- Opening and closing ----

    def open(self) -> None:
        """Says hello, in the entry's way or the other. What goes wrong is in `problem` and `error`."""
        if self.entry.way is not None and self._opening.acquire(blocking=False):
            try:
                self._open(self.entry.way)
            finally:
                self._opening.release()

    def _open(self, way: Way) -> None:
        self.problem, self.error = NOT_YET, None
        try:
            self._join(self._connect(way))
        except (NotReachable, NotMCP) as error:
            self._fail(error) if self.entry.instead is None else self._open_instead(error)
        except (TravelError, ValueError) as error:
            self._fail(error)

    def close(self) -> None:
        self._closing.set()
        if self.connection is not None:
            self.connection.close()

    @property
    def is_open(self) -> bool:
        return self.connection is not None

    @property
    def via(self) -> str:
        return self.connection.transport.via if self.connection else ""

    def _open_instead(self, first: TravelError) -> None:
        assert self.entry.way is not None
        assert self.entry.instead is not None
        why = f"Nothing answers at {self.entry.way.url}"
        if isinstance(first, NotMCP):
            why = f"What answers at {self.entry.way.url} is no MCP server (HTTP {first.status})"
        self.remark = f"{why}, so '{self.name}' was started for this chat, through a pipe."
        try:
            self._join(self._connect(self.entry.instead))
        except (TravelError, ValueError) as error:
            self._fail(error)

    def _connect(self, way: Way) -> Connection:
        return connect(
            self.name,
            way,
            self._log,
            INFO,
            self._capabilities,
            answer=self._answer,
            note=self._heard,
            trace=self._trace,
        )

    def _join(self, connection: Connection) -> None:
        """From now on this server takes part, unless the chat has ended while it said hello."""
        if self._closing.is_set():
            connection.close()
        else:
            self.connection, self.problem = connection, ""

    def _fail(self, error: Exception) -> None:
        self.problem, self.error = str(error), error

    # ---- What the server says of its own accord ----

    def _answer(self, asked: Asked) -> Object | None:
        if asked.method == "roots/list":  # what the user wrote into servers.json is the answer
            return {"roots": [{"uri": root.as_uri(), "name": root.name} for root in self.entry.roots]}
        return self._ask(self.name, asked)

    def _heard(self, noted: Noted) -> None:
        kind = noted.note.method.removeprefix("notifications/").removesuffix("/list_changed")
        for method in [method for method, about in _ABOUT.items() if about == kind]:
            self._lists.pop(method, None)
        self._tell(self.name, noted.note)

    def _listen(self, connection: Connection) -> None:
        """Hears of changes in the stateless era, until the connection ends."""
        wanted = {f"{kind}ListChanged": True for kind in set(_ABOUT.values()) if self._changes(kind)}
        params = {"notifications": wanted}
        try:
            connection.request("subscriptions/listen", params, patience=math.inf, stop=self._closing)
        except TravelError:  # the server is gone; whoever asks it next starts it, and listens anew
            pass
        except Refused as error:
            self._can_listen = False
            connection.transport.recorder.warn(f"'{self.name}' offers no news of changes: {error}")

    def _changes(self, kind: str) -> bool:
        assert self.connection is not None
        family = self.connection.capabilities.get(kind)
        return isinstance(family, dict) and family.get("listChanged") is True

    # ---- Lists ----

    def listed(self, method: str) -> list[Object]:
        """The entries of a list, fresh as far as one can know. If that fails the old stay, and `problem` says why."""
        connection = self.connection
        if connection is None or _ABOUT[method] not in connection.capabilities:
            return []
        if connection.session is not self._session:  # a new session: what the last one listed means nothing
            self._session = connection.session
            self._lists.clear()
        self._see_to_listener(connection)
        entries, until = self._lists.get(method, ([], 0.0))
        if time.monotonic() < until:
            return entries
        try:
            entries = connection.list_all(method)
            ttl = connection.fresh_for.get(method)
            self.problem, self.error = "", None
        except (TravelError, Refused) as error:
            ttl = AGAIN
            self._fail(error)
        self._session = connection.session
        self._lists[method] = entries, math.inf if ttl is None else time.monotonic() + ttl
        return entries

    def forget(self) -> None:
        """All lists are asked for again when they are next needed."""
        self._lists.clear()

    def _see_to_listener(self, connection: Connection) -> None:
        changes = any(self._changes(kind) for kind in _ABOUT.values())
        if not (changes and self._can_listen and is_stateless(connection.revision)):
            return
        if self._listener is None or not self._listener.is_alive():
            self._listener = threading.Thread(target=self._listen, args=[connection], daemon=True)
            self._listener.start()
