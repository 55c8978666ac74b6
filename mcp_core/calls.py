"""A Call: one request from a client, with all that the word it names may need to know.

In:   a Request, what is known of who sent it, and the catalogue.
Out:  its params, checked one by one; the capabilities this client may be told of; a page of a list.
Here nobody knows what any one method does.
"""

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mcp_core import revisions
from mcp_core.catalogue import Catalogue
from mcp_core.messages import INVALID_PARAMS, ProtocolError, Request, kind_of

Object = dict[str, Any]


@dataclass
class Memory:
    """What is known of the client: kept by a session after the handshake, or read from one stateless request."""

    revision: str
    introduced: bool = False  # by `initialize`
    capabilities: Object = field(default_factory=dict)
    client: Object = field(default_factory=dict)
    level: str | None = None  # least severe log level it wants to hear
    subscribed: set[str] = field(default_factory=set)  # URIs


class Call(NamedTuple):
    """One request with all that its word may need."""

    request: Request
    memory: Memory
    catalogue: Catalogue
    page_size: int
    can_push: bool  # whether messages can reach the client besides the answer

    @property
    def params(self) -> Object:
        return self.request.params

    @property
    def meta(self) -> Object:
        meta = self.request.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def is_stateless(self) -> bool:
        return revisions.is_stateless(self.memory.revision)

    @property
    def may_hang_up(self) -> bool:
        # Since 2025-11-25 every stream opens with an event id, by which a client can come back for the rest
        # (transports, Resumability and Redelivery); 2026-07-28 has no way back.
        return self.can_push and self.memory.revision == revisions.LATEST_HANDSHAKE

    def can(self, capability: str) -> bool:
        """Whether the client has declared a capability, a dotted path."""
        return revisions.has_capability(self.memory.capabilities, capability)


@dataclass(frozen=True)
class Listen:
    """An effect of `subscriptions/listen` alone: from now on, this client hears of these changes."""

    wanted: Object


def capabilities(call: Call) -> Object:
    """What the server can do for this client over this channel; nothing is declared that wouldn't work.

    >>> capabilities(Call(Request(1, "ping"), Memory("2025-11-25"), Catalogue("shop", "1.0"), 100, can_push=True))
    {'logging': {}}
    """
    catalogue, push = call.catalogue, call.can_push
    changes = {"listChanged": True} if push else {}
    declared: Object = {}
    if catalogue.tools:
        declared["tools"] = changes
    if catalogue.resources or catalogue.templates:
        declared["resources"] = {"subscribe": True, **changes} if push else {}
    if catalogue.prompts:
        declared["prompts"] = changes
    completers = [prompt.complete for prompt in catalogue.prompts.values()]
    if any(completers + [template.complete for template in catalogue.templates.values()]):
        declared["completions"] = {}
    if push:
        declared["logging"] = {}
    return declared


def param(call: Call, name: str, kind: type[str] | type[dict[str, Any]], default: Any = None) -> Any:
    """A parameter of the right type, or ProtocolError -32602. Null counts as absent.

    >>> call = Call(Request(1, "tools/call"), Memory("2025-11-25"), Catalogue("shop", "1.0"), 100, False)
    >>> param(call, "arguments", dict, {})
    {}
    >>> param(call, "name", str)
    Traceback (most recent call last):
    mcp_core.messages.ProtocolError: tools/call needs 'name', a string; it is missing.
    """
    value = call.params.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, kind):
        need = "a string" if kind is str else "an object"
        what = "missing" if value is None else kind_of(value)
        raise ProtocolError(INVALID_PARAMS, f"{call.request.method} needs {name!r}, {need}; it is {what}.")
    return value


def page(call: Call, key: str, entries: Iterable[Object]) -> Object:
    """One page of a list. A cursor is opaque to the client; ours says where the next page starts.

    >>> call = Call(Request(1, "tools/list"), Memory("2025-11-25"), Catalogue("shop", "1.0"), 2, False)
    >>> page(call, "tools", [{"name": "a"}, {"name": "b"}, {"name": "c"}])
    {'tools': [{'name': 'a'}, {'name': 'b'}], 'nextCursor': 'YWZ0ZXIgMg=='}
    """
    everything, start = list(entries), 0
    if (cursor := call.params.get("cursor")) is not None:
        start = _position(cursor, len(everything))
    found: Object = {key: everything[start : start + call.page_size]}
    if start + call.page_size < len(everything):
        found["nextCursor"] = base64.urlsafe_b64encode(f"after {start + call.page_size}".encode()).decode("ascii")
    return found


def _position(cursor: Any, count: int) -> int:
    try:
        word, _, digits = base64.b64decode(cursor, b"-_", validate=True).decode("ascii").partition(" ")
        if word == "after" and digits.isdigit() and 0 < int(digits) <= count:
            return int(digits)
    except (ValueError, TypeError):
        pass
    raise ProtocolError(INVALID_PARAMS, "The cursor is not one that this server gave out; list again from the start.")
