"""What a running tool may yield, and the two ways it may end that are not a plain value.

In:   nothing; these are plain values that a tool makes.
Out:  Progress, Log, Ask and more for whoever drives the tool (serving.py); ToolError and Output for words.py.
Here nobody knows whether the client hears by an event stream, a pipe, or not at all.
"""

import typing
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_core import revisions
from mcp_core.content import Block
from mcp_core.messages import INTERNAL_ERROR, Failure, Id


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work has come; sent only to a client that gave a progressToken. `done` must grow."""

    done: float
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """A line for the client's log, at one of the eight levels of RFC 5424 (revisions.LOG_LEVELS)."""

    level: str
    data: Any
    logger: str | None = None

    def __post_init__(self) -> None:
        if self.level not in revisions.LOG_LEVELS:  # found in the tool that wrote it, not on the way to the client
            raise ValueError(f"{self.level!r} is no log level; the levels are {', '.join(revisions.LOG_LEVELS)}.")


@dataclass(frozen=True, slots=True)
class Completed:
    """The user has done, at the address of an Ask.url, what they were asked to do; `elicitation_id` says which.

    Only 2025-11-25 tells its clients so (client/elicitation, Completion Notifications).
    """

    elicitation_id: str


@dataclass(frozen=True, slots=True)
class HangUp:
    """The rest will take a while: a client on an event stream may be sent away and told when to come back for it.

    Only HTTP in 2025-11-25 can do so (transports, Resumability and Redelivery); elsewhere it means nothing.
    """

    retry_ms: int


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the client: its user (elicitation), its model (sampling), or its folders (roots).

    The yield's value is the client's answer as an object, or None where this client can't be asked. `key` names the
    question when the call is repeated with the answer; within one tool it must be unique and stable.
    """

    key: str
    method: str
    params: dict[str, Any]
    needs: str  # the client's capability, a dotted path

    @classmethod
    def form(cls, key: str, message: str, schema: dict[str, Any]) -> "Ask":
        """Asks the user to fill a flat form (client/elicitation). Answer: `{"action": …, "content": {…}}`.

        >>> Ask.form("ok", "Really?", {"type": "object", "properties": {}}).needs
        'elicitation.form'
        """
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        return cls(key, "elicitation/create", params, "elicitation.form")

    @classmethod
    def url(cls, key: str, message: str, url: str, elicitation_id: str) -> "Ask":
        """Asks the user to visit an address, for what must not pass through the client. Answer: `{"action": …}`.

        >>> Ask.url("login", "Please sign in.", "https://example.com/", "e1").needs
        'elicitation.url'
        """
        params = {"mode": "url", "message": message, "url": url, "elicitationId": elicitation_id}
        return cls(key, "elicitation/create", params, "elicitation.url")

    @classmethod
    def model(cls, key: str, prompt: str, max_tokens: int, **more: Any) -> "Ask":
        """Asks the client's model (client/sampling). Answer: `{"role": …, "content": {…}, "model": …}`.

        >>> Ask.model("sum", "Summarize this.", 100).params["maxTokens"]
        100
        """
        messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
        params = {"messages": messages, "maxTokens": max_tokens, **more}
        return cls(key, "sampling/createMessage", params, "sampling.tools" if "tools" in more else "sampling")

    @classmethod
    def roots(cls, key: str) -> "Ask":
        """Asks which folders the client works in (client/roots). Answer: `{"roots": [{"uri": …}]}`.

        >>> Ask.roots("where").method
        'roots/list'
        """
        return cls(key, "roots/list", {}, "roots")


Effect = Progress | Log | Completed | HangUp | Ask | Sequence[Ask]
Returned = typing.TypeVar("Returned")
Steps = Generator[Effect, Any, Returned]  # the return type of a tool that yields


class ToolError(Exception):
    """What the model should read: one sentence that says what happened and what to do next.

    It travels as a result with `isError: true`. Anything else that a tool raises is a bug of the server.
    """

    def as_failure(self, id: Id) -> Failure:
        """The same as a protocol error, for lists: their results have no room for it."""
        return Failure(id, INTERNAL_ERROR, str(self))


@dataclass(frozen=True, slots=True)
class Output:
    """A tool's answer where a plain value doesn't do: blocks, structured content, an error with blocks, `_meta`."""

    content: list[Block]
    structured: dict[str, Any] | None = None
    is_error: bool = False
    meta: dict[str, Any] | None = None
