"""What may be sent again after it failed, when, and what a new session must be told again.

In:   a method, and the error of its last try.
Out:  whether another try is safe, and how long to wait before it.
Here nobody sends anything.

A tool call whose fate is unknown may have happened; the user would get it twice. So only what changes nothing is sent
again, and anything that certainly did not arrive, or whose session had ended before it was looked at.
"""

from typing import Any

from playground.wire.transports import Busy, NotMCP, NotReachable, SessionEnded, TimedOut, Unauthorized

Object = dict[str, Any]

TRIES = 3
FIRST_PAUSE, MAX_PAUSE = 0.4, 30.0  # seconds
SAFE = (
    *("server/discover", "ping", "tools/list", "resources/list", "resources/templates/list", "resources/read"),
    *("prompts/list", "prompts/get", "completion/complete"),
    *("logging/setLevel", "resources/subscribe", "resources/unsubscribe"),
)


def is_worth_a_try(method: str, error: Exception) -> bool:
    """Whether to send a request again after this error.

    >>> is_worth_a_try("tools/call", NotReachable("")), is_worth_a_try("tools/call", Busy(""))
    (True, False)
    """
    if isinstance(error, NotMCP | TimedOut | Unauthorized):  # it would end the same way
        return False
    return isinstance(error, SessionEnded | NotReachable) or method in SAFE


def is_forgotten(error: Exception) -> bool:
    """Whether the server no longer knows us, so that it must be greeted before anything is sent again.

    >>> is_forgotten(SessionEnded("")), is_forgotten(NotReachable(""))
    (True, False)
    """
    return isinstance(error, SessionEnded)


def pause_before(attempt: int, error: Exception) -> float:
    """Seconds to wait before the try with this number, from 2 on: what the server asks for, else doubled each time.

    >>> pause_before(2, Busy("")), pause_before(3, Busy("")), pause_before(2, Busy("", 7))
    (0.4, 0.8, 7)
    """
    asked = error.pause if isinstance(error, Busy) else None
    return min(FIRST_PAUSE * 2 ** (attempt - 2) if asked is None else asked, MAX_PAUSE)


class Reminders:
    """What the server was told to remember, and forgets with the session: what to watch, and what to log."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[str, Object]] = {}

    def note(self, method: str, params: Object) -> None:
        """A request that the server has accepted."""
        if method == "logging/setLevel":
            self._told[method] = method, params
        elif method == "resources/subscribe":
            self._told[str(params.get("uri"))] = method, params
        elif method == "resources/unsubscribe":
            self._told.pop(str(params.get("uri")), None)

    def all(self) -> list[tuple[str, Object]]:
        """The requests that a new session begins with."""
        return list(self._told.values())
