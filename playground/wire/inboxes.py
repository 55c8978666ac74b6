"""Who waits for which message, where all of them arrive on one stream: a pipe, or the event stream of 2024.

In:   messages as one thread reads them; requests that wait, each in a thread of its own.
Out:  each answer to whoever waits for its id.
Here nobody knows where the messages come from.

What is no answer may say whom it concerns, by a progress token or the id of a subscription. If it doesn't, it goes to
the request that has waited longest, because that is most likely the one; if nobody waits, to `unasked`.
"""

import queue
import threading
from collections.abc import Callable, Iterator

from mcp_core.messages import Failure, Id, Message, Notification, Request, Result
from mcp_core.revisions import SUBSCRIPTION_KEY
from playground.wire.transports import Deadline, TimedOut, TravelError, Unasked


class Inboxes:
    """All the waiting on one stream, from its first message to its end."""

    def __init__(self, unasked: Unasked = lambda message: None) -> None:
        self.unasked = unasked
        self.has_ended, self._fate = False, ""
        self._waiting: dict[Id, tuple[Request, queue.SimpleQueue[Message | None]]] = {}
        self._lock = threading.Lock()

    def about(self, message: Message) -> Id | None:
        """The request that a message most likely belongs to."""
        if isinstance(message, Result | Failure) and message.id is not None:
            return message.id
        with self._lock:
            waiting = {id: request for id, (request, _) in self._waiting.items()}
        if isinstance(message, Failure):  # to a message that could not be read; if only one is open, it was that
            return next(iter(waiting)) if len(waiting) == 1 else None
        if isinstance(message, Notification):
            if message.method == "notifications/progress":
                token = message.params.get("progressToken")
                return next((id for id, request in waiting.items() if _token(request) == token), None)
            meta = message.params.get("_meta")
            if isinstance(meta, dict) and SUBSCRIPTION_KEY in meta:
                return meta[SUBSCRIPTION_KEY] if isinstance(meta[SUBSCRIPTION_KEY], str | int) else None
        # A subscription waits as long as there is a connection, and gets nothing else.
        return next((id for id, request in waiting.items() if request.method != "subscriptions/listen"), None)

    def put(self, message: Message) -> None:
        """Hands a message to whoever waits for it; an answer that nobody waits for any more is dropped."""
        key = self.about(message)
        _, inbox = self._waiting.get(key, (None, None)) if key is not None else (None, None)
        if inbox is not None:
            inbox.put(message)
        elif not isinstance(message, Result | Failure):
            self.unasked(message)

    def end(self, fate: str = "") -> None:
        """No more messages will come; `fate` says in a few words what became of the server."""
        with self._lock:
            self.has_ended, self._fate = True, fate and f" ({fate})"
            for _, inbox in self._waiting.values():
                inbox.put(None)

    def exchange(self, request: Request, send: Callable[[], None], deadline: Deadline, other: str) -> Iterator[Message]:
        """Sends a request and gives what comes back, up to and with its answer. `other`: the server, in a sentence."""
        inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        with self._lock:
            self._waiting[request.id] = request, inbox
            if self.has_ended:
                inbox.put(None)
        try:
            send()
            while True:
                arrived = _next(inbox, deadline, f"{other} took {request.method} and did not answer")
                if arrived is None:
                    raise TravelError(f"{other} ended before it answered {request.method}{self._fate}.")
                yield arrived
                if isinstance(arrived, Result | Failure) and arrived.id in (request.id, None):
                    return
        finally:
            with self._lock:
                self._waiting.pop(request.id, None)


def _next(inbox: "queue.SimpleQueue[Message | None]", deadline: Deadline, how: str) -> Message | None:
    while deadline.left > 0:
        try:
            return inbox.get(timeout=max(deadline.glance, 0.001))
        except queue.Empty:
            continue  # the loop ends, unless the deadline was put off meanwhile
    raise TimedOut(f"{how} in {deadline.patience:g} s.")


def _token(request: Request) -> object:
    meta = request.params.get("_meta")
    return meta.get("progressToken") if isinstance(meta, dict) else None
