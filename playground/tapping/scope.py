"""What has been asked and not answered, as far as one id goes.

In:   the requests of both ends, then their answers and what else is said about them.
Out:  what each of these belongs to.
Here nobody knows how a message traveled, or what is written down of it.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_core.revisions import SUBSCRIPTION_KEY
from playground import anyjson

__all__ = ["OTHER", "Asked", "Scope"]

MOST_ASKED = 2000  # unanswered requests of one scope
OTHER = {"client": "server", "server": "client"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answer to a request will need."""

    exchange: str | None
    trace: str | None
    at: float  # time.perf_counter()


class Scope:
    """Within which an id means one request. Its owner has a lock."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._asked: OrderedDict[tuple[str, str], Asked] = OrderedDict()  # by who asked, and the id
        self._tokens: OrderedDict[tuple[str, str], Asked] = OrderedDict()  # by who asked, and the progress token

    def ask(self, asker: str, message: Mapping[str, Any], asked: Asked) -> None:
        token = _inner(message, "params", "_meta", "progressToken")
        for kept, key in ((self._asked, message.get("id")), (self._tokens, token)):
            if key is not None:
                kept[asker, anyjson.encode(key)] = asked
                if len(kept) > MOST_ASKED:
                    kept.popitem(last=False)

    def answer(self, asker: str, id: Any) -> Asked | None:
        return self._asked.pop((asker, anyjson.encode(id)), None)

    def about(self, teller: str, message: Mapping[str, Any]) -> Asked | None:
        """The request that a notification is about."""
        token = _inner(message, "params", "progressToken")
        if token is not None:
            return self._tokens.get((OTHER[teller], anyjson.encode(token)))
        asker, id = OTHER[teller], _inner(message, "params", "_meta", SUBSCRIPTION_KEY)
        if message.get("method") == "notifications/cancelled":  # said by whoever asked; on a pipe also of a listen
            asker, id = teller, _inner(message, "params", "requestId")
        return self._asked.get((asker, anyjson.encode(id))) if id is not None else None


def _inner(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
