# ruff: noqa: E501 - a table keeps its columns
"""THE TABLE: which words of MCP exist in which revision, who says them, and what they need.

In:   the name of a method, a field or a kind of content, and a revision.
Out:  whether that revision knows it, and what it demands.
This module does nothing; the server's gate, the client's gate, the explanations, the README and the tests all read it.

The five revisions form two eras. In the handshake era (the first four) a client introduces itself once with
`initialize`, and client and server remember each other. In the stateless era (2026-07-28) every request carries who
sent it, in `_meta`, so nothing needs remembering.
"""

from dataclasses import dataclass
from typing import Any

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
HANDSHAKE = REVISIONS[:4]
STATELESS = REVISIONS[4:]
LATEST_HANDSHAKE = HANDSHAKE[-1]
LATEST = STATELESS[-1]

META = "io.modelcontextprotocol/"  # prefix of the protocol's own keys inside `_meta`
VERSION_KEY = META + "protocolVersion"
CLIENT_CAPABILITIES_KEY = META + "clientCapabilities"
CLIENT_INFO_KEY = META + "clientInfo"
SERVER_INFO_KEY = META + "serverInfo"
LOG_LEVEL_KEY = META + "logLevel"
SUBSCRIPTION_KEY = META + "subscriptionId"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


@dataclass(frozen=True, slots=True)
class Word:
    """One row: a method, who says it, from which revision until which (inclusive), and the capability it needs.

    A client's word needs a capability of the server; a server's word needs one of the client, a dotted path.
    """

    method: str
    kind: str  # request | notification
    by: str  # client | server | both
    since: str
    until: str
    needs: str | None
    page: str  # the specification's page, below its revision

    @property
    def is_request(self) -> bool:
        return self.kind == "request"


_FIRST, _LAST, _OLD = REVISIONS[0], LATEST, LATEST_HANDSHAKE

WORDS: tuple[Word, ...] = (
    # method                                 kind            by        since         until  needs                     page
    Word("initialize", "request", "client", _FIRST, _OLD, None, "basic/lifecycle#initialization"),
    Word("notifications/initialized", "notification", "client", _FIRST, _OLD, None, "basic/lifecycle#initialization"),
    Word("server/discover", "request", "client", _LAST, _LAST, None, "server/discover"),
    Word("ping", "request", "both", _FIRST, _OLD, None, "basic/utilities/ping"),
    Word("tools/list", "request", "client", _FIRST, _LAST, "tools", "server/tools#listing-tools"),
    Word("tools/call", "request", "client", _FIRST, _LAST, "tools", "server/tools#calling-tools"),
    Word("resources/list", "request", "client", _FIRST, _LAST, "resources", "server/resources#listing-resources"),
    Word("resources/read", "request", "client", _FIRST, _LAST, "resources", "server/resources#reading-resources"),
    Word("resources/templates/list", "request", "client", _FIRST, _LAST, "resources", "server/resources#resource-templates"),
    Word("resources/subscribe", "request", "client", _FIRST, _OLD, "resources.subscribe", "server/resources#subscriptions"),
    Word("resources/unsubscribe", "request", "client", _FIRST, _OLD, "resources.subscribe", "server/resources#subscriptions"),
    Word("prompts/list", "request", "client", _FIRST, _LAST, "prompts", "server/prompts#listing-prompts"),
    Word("prompts/get", "request", "client", _FIRST, _LAST, "prompts", "server/prompts#getting-a-prompt"),
    Word("completion/complete", "request", "client", _FIRST, _LAST, "completions", "server/utilities/completion"),
    Word("logging/setLevel", "request", "client", _FIRST, _OLD, "logging", "server/utilities/logging#setting-log-level"),
    Word("subscriptions/listen", "request", "client", _LAST, _LAST, None, "basic/utilities/subscriptions"),
    Word("sampling/createMessage", "request", "server", _FIRST, _LAST, "sampling", "client/sampling"),
    Word("roots/list", "request", "server", _FIRST, _LAST, "roots", "client/roots"),
    Word("elicitation/create", "request", "server", "2025-06-18", _LAST, "elicitation", "client/elicitation"),
    Word("notifications/cancelled", "notification", "both", _FIRST, _LAST, None, "basic/utilities/cancellation"),
    Word("notifications/progress", "notification", "both", _FIRST, _LAST, None, "basic/utilities/progress"),
    Word("notifications/message", "notification", "server", _FIRST, _LAST, None, "server/utilities/logging"),
    Word("notifications/tools/list_changed", "notification", "server", _FIRST, _LAST, None, "server/tools#list-changed-notification"),
    Word("notifications/prompts/list_changed", "notification", "server", _FIRST, _LAST, None, "server/prompts#list-changed-notification"),
    Word("notifications/resources/list_changed", "notification", "server", _FIRST, _LAST, None, "server/resources#list-changed-notification"),
    Word("notifications/resources/updated", "notification", "server", _FIRST, _LAST, None, "server/resources#subscriptions"),
    Word("notifications/roots/list_changed", "notification", "client", _FIRST, _OLD, "roots.listChanged", "client/roots#root-list-changes"),
    Word("notifications/elicitation/complete", "notification", "server", _OLD, _OLD, None, "client/elicitation#completion-notifications-for-url-mode-elicitation"),
    Word("notifications/subscriptions/acknowledged", "notification", "server", _LAST, _LAST, None, "basic/utilities/subscriptions"),
)  # fmt: skip

_BY_METHOD = {word.method: word for word in WORDS}


def is_stateless(revision: str) -> bool:
    """Whether requests of this revision carry their own introduction.

    >>> is_stateless("2026-07-28"), is_stateless("2025-11-25")
    (True, False)
    """
    return revision in STATELESS


def word(method: str, revision: str) -> Word | None:
    """The row of a method, if that revision has it.

    >>> word("ping", "2025-11-25").by
    'both'
    >>> word("ping", "2026-07-28") is None
    True
    """
    row = _BY_METHOD.get(method)
    return row if row is not None and row.since <= revision <= row.until else None


def spec_url(row: Word, revision: str) -> str:
    """Where the specification of that revision describes the word.

    >>> spec_url(word("ping", "2025-11-25"), "2025-11-25")
    'https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping'
    """
    # The last revision files these under patterns; ping, the one utility left behind, it dropped.
    page = row.page.replace("basic/utilities/", "basic/patterns/") if is_stateless(revision) else row.page
    return f"https://modelcontextprotocol.io/specification/{revision}/{page}"


def negotiate(asked: str) -> str:
    """The revision a server answers to `initialize`: the one asked for if it has a handshake, else the newest that has.

    The client decides whether it can live with the answer (lifecycle, Version Negotiation).

    >>> negotiate("2024-11-05"), negotiate("2026-07-28"), negotiate("2099-01-01")
    ('2024-11-05', '2025-11-25', '2025-11-25')
    """
    return asked if asked in HANDSHAKE else LATEST_HANDSHAKE


def has_capability(capabilities: dict[str, Any], path: str) -> bool:
    """Whether declared capabilities contain a dotted path.

    `elicitation: {}` means forms only, as it did before modes existed (client/elicitation, Capabilities).

    >>> has_capability({"elicitation": {}}, "elicitation.form"), has_capability({"elicitation": {}}, "elicitation.url")
    (True, False)
    """
    if path == "elicitation.form":
        modes = capabilities.get("elicitation")
        return isinstance(modes, dict) and ("form" in modes or "url" not in modes)
    here: Any = capabilities
    for name in path.split("."):
        if not isinstance(here, dict) or here.get(name) in (None, False):
            return False
        here = here[name]
    return True


# ---- Which fields a revision knows -----------------------------------------------------------------------------------
# A field is listed under the kind of object it belongs to, with the revision that introduced it. Older clients would
# ignore most of these; leaving them out keeps what a learner sees equal to what that revision's specification shows.

_DESCRIBED = {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"}

FIELDS: dict[str, dict[str, str]] = {
    "implementation": {"title": "2025-06-18", "icons": "2025-11-25", "websiteUrl": "2025-11-25", "description": "2025-11-25"},
    "tool": {**_DESCRIBED, "annotations": "2025-03-26", "outputSchema": "2025-06-18"},
    "resource": _DESCRIBED,
    "prompt": _DESCRIBED,
    "argument": {"title": "2025-06-18"},
    "capabilities": {"completions": "2025-03-26", "extensions": "2026-07-28"},
    "result": {"structuredContent": "2025-06-18", "resultType": "2026-07-28", "ttlMs": "2026-07-28", "cacheScope": "2026-07-28"},
    "block": {"_meta": "2025-06-18"},
    "progress": {"message": "2025-03-26"},
}  # fmt: skip

CONTENT: dict[str, str] = {
    "text": _FIRST,
    "image": _FIRST,
    "resource": _FIRST,
    "audio": "2025-03-26",
    "resource_link": "2025-06-18",
}


def trim(kind: str, value: dict[str, Any], revision: str) -> dict[str, Any]:
    """The same object without the fields that this revision does not know yet.

    >>> trim("tool", {"name": "add", "title": "Add", "inputSchema": {}}, "2025-03-26")
    {'name': 'add', 'inputSchema': {}}
    """
    since = FIELDS[kind]
    return {name: part for name, part in value.items() if since.get(name, _FIRST) <= revision}


def trim_content(blocks: list[dict[str, Any]], revision: str) -> list[dict[str, Any]]:
    """Content blocks in the kinds a revision knows; a newer kind becomes a sentence that says what is missing.

    >>> trim_content([{"type": "resource_link", "uri": "a:b", "name": "b"}], "2025-03-26")
    [{'type': 'text', 'text': '[resource_link a:b, which revision 2025-03-26 cannot carry]'}]
    """
    return [_trim_block(block, revision) for block in blocks]


def _trim_block(block: dict[str, Any], revision: str) -> dict[str, Any]:
    if CONTENT.get(block["type"], _FIRST) <= revision:
        return trim("block", block, revision)
    what = " ".join(str(part) for part in (block["type"], block.get("uri") or block.get("mimeType")) if part)
    return {"type": "text", "text": f"[{what}, which revision {revision} cannot carry]"}
