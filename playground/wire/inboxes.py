"""Who waits for which message, where all of them arrive on one stream: a pipe, or the event stream of 2024.

In:   messages as one thread reads them; requests that wait, each in a thread of its own.
Out:  each answer to whoever waits for its id.
Here nobody knows where the messages come from.

What is no answer carries no id of the request it is about. It goes to the request that has waited longest, because that
is most likely the one; if nobody waits, to `unasked`.
"""

import queue
from collections.abc import Callable, Iterator

from mcp_core.messages import Failure, Id, Message, Request, Result
from playground.wire.transports import Deadline, TimedOut, TravelError, Unasked


class Inboxes:
    """All the waiting of one connection."""

    def __init__(self) -> None:
        self.unasked: Unasked = lambda message: None
        self._waiting: dict[Id, queue.SimpleQueue[Message | None]] = {}

    def about(self, message: Message) -> Id | None:
        """The request that a message most likely belongs to."""
        if isinstance(message, Result | Failure):
            return message.id
        return next(iter(self._waiting), None)

    def put(self, message: Message) -> None:
        """Hands a message to whoever waits for it; an answer that nobody waits for any more is dropped."""
        key = self.about(message)
        inbox = self._waiting.get(key) if key is not None else None
        if inbox is not None:
            inbox.put(message)
        elif not isinstance(message, Result | Failure):
            self.unasked(message)

    def end(self) -> None:
        """No more messages will come."""
        for inbox in list(self._waiting.values()):
            inbox.put(None)

    def exchange(self, request: Request, send: Callable[[], None], deadline: Deadline, other: str) -> Iterator[Message]:
        """Sends a request and gives what comes back, up to and with its answer. `other`: the server, in a sentence."""
        inbox = self._waiting[request.id] = queue.SimpleQueue()
        try:
            send()
            while True:
                try:
                    arrived = inbox.get(timeout=max(deadline.left, 0.001))
                except queue.Empty:
                    text = f"{other} took {request.method} and did not answer in {deadline.patience:g} s."
                    raise TimedOut(text) from None
                if arrived is None:
                    raise TravelError(f"{other} ended before it answered {request.method}.")
                yield arrived
                if isinstance(arrived, Result | Failure) and arrived.id == request.id:
                    return
        finally:
            self._waiting.pop(request.id, None)
