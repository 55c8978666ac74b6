"""A Run: one request while it is being answered; and Outgoing, what comes of it.

In:   a Call and the generator of its word.
Out:  what serving.py needs to know of it between two steps.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mcp_core.calls import Call, Object
from mcp_core.effects import Ask
from mcp_core.messages import Id, Message


class Outgoing(NamedTuple):
    """A message to send; `about` is the request it belongs to, None if nobody asked.

    A message of None says that the request ended without an answer; or, with `come_back`, that the client may be sent
    away for so many milliseconds. `fault` is the exception behind an internal error: for our log, never for the wire.
    """

    message: Message | None
    about: Id | None
    fault: Exception | None = None
    come_back: int | None = None


@dataclass
class Run:
    """One request while it is being answered."""

    call: Call
    steps: Generator[Any, Any, Object]
    answers: Object  # key of a question -> the client's answer
    asked: Ask | tuple[Ask, ...] = ()  # what the generator waits for
    waiting: dict[Id, Ask] = field(default_factory=dict)  # id of our request to the client -> the question in it
    complaint: str | None = None  # why the client gave no answer
    wants: Object | None = None  # the changes a `subscriptions/listen` hears of
    cancelled: bool = False

    @property
    def id(self) -> Id:
        return self.call.request.id

    def close(self) -> Exception | None:
        """Ends the generator where it stands; gives what its own cleaning up raised."""
        try:
            self.steps.close()
        except Exception as fault:
            return fault
        return None
