"""What a client is told without having to answer: how far the work is, log lines, changes.

In:   an effect of a running tool, or a change in the catalogue; and what the client asked to hear.
Out:  a Notification, or None where this client did not ask.
Here nobody knows on which stream it travels.
"""

from typing import Any

from mcp_core import messages, revisions
from mcp_core.calls import Call, Object
from mcp_core.catalogue import Change
from mcp_core.effects import Completed, Log, Progress
from mcp_core.messages import Notification


def about_work(call: Call, effect: Progress | Log | Completed) -> Notification | None:
    """Progress, if the request gave a token for it; a log line, if it is severe enough for this client; that an errand
    at an address is done, if the revision has a word for it.

    >>> from mcp_core.calls import Memory
    >>> from mcp_core.catalogue import Catalogue
    >>> request = messages.Request(1, "tools/call", {"_meta": {"progressToken": "p"}})
    >>> call = Call(request, Memory("2025-11-25"), Catalogue("shop", "1.0"), 100, can_push=True)
    >>> about_work(call, Progress(1, 2)).params
    {'progressToken': 'p', 'progress': 1, 'total': 2}
    """
    if not call.can_push:
        return None
    if isinstance(effect, Progress):
        token = call.meta.get("progressToken")
        if not messages.is_id(token):  # without a token nobody asked for it (basic/utilities/progress)
            return None
        params = _present(progressToken=token, progress=effect.done, total=effect.total, message=effect.message)
        return Notification("notifications/progress", revisions.trim("progress", params, call.memory.revision))
    if isinstance(effect, Completed):
        params = {"elicitationId": effect.elicitation_id}
        known = revisions.word("notifications/elicitation/complete", call.memory.revision) is not None
        return Notification("notifications/elicitation/complete", params) if known else None
    # Until setLevel a server may choose what it logs; 2026-07-28 logs only where the request itself asks for it.
    least = call.memory.level or (None if call.is_stateless else "info")
    levels = revisions.LOG_LEVELS
    if least is None or levels.index(effect.level) < levels.index(least):
        return None
    source = _present(logger=effect.logger)
    return Notification("notifications/message", {"level": effect.level, **source, "data": effect.data})


def about_change(change: Change) -> Notification:
    """The notification of a change.

    >>> about_change(Change("resources", "shop://hours"))
    Notification(method='notifications/resources/updated', params={'uri': 'shop://hours'})
    """
    if change.uri is None:
        return Notification(f"notifications/{change.kind}/list_changed")
    return Notification(f"notifications/{change.kind}/updated", {"uri": change.uri})


def is_wanted(change: Change, wanted: Object) -> bool:
    """Whether a `subscriptions/listen` asked for this kind of change.

    >>> is_wanted(Change("tools"), {"toolsListChanged": True})
    True
    """
    if change.uri is not None:
        return change.uri in wanted.get("resourceSubscriptions", ())
    return wanted.get(f"{change.kind}ListChanged") is True


def _present(**members: Any) -> Object:
    return {name: value for name, value in members.items() if value is not None}
