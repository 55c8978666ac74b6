"""All that must be right about a request before its word is looked at, in the order that tells a client most.

In:   a Request, the headers it came with (over HTTP), and the memory of the session it came to.
Out:  a Call; or ProtocolError.
Here nobody runs anything. The order of the checks is the one the official conformance suite expects.
"""

from collections.abc import Mapping
from typing import Any

from mcp_core import headers as http
from mcp_core import revisions, words
from mcp_core.calls import Call, Memory, capabilities
from mcp_core.catalogue import Catalogue
from mcp_core.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Message,
    Notification,
    ProtocolError,
    Request,
)

Headers = Mapping[str, str]  # names in lower case


def is_stateless(message: Message, headers: Headers | None = None) -> bool:
    """Whether a message speaks for itself or belongs to a session (2026-07-28, versioning).

    >>> is_stateless(Request(1, "tools/list"), {"mcp-protocol-version": "2026-07-28"})
    True
    >>> is_stateless(Request(1, "initialize", {"protocolVersion": "2025-11-25"}))
    False
    """
    if not isinstance(message, (Request, Notification)):
        return False
    meta = message.params.get("_meta")
    if isinstance(meta, dict) and revisions.VERSION_KEY in meta:
        return True
    version = headers.get("mcp-protocol-version") if headers is not None else None
    return version is not None and message.method != "initialize" and version not in revisions.HANDSHAKE


def admit(
    request: Request,
    headers: Headers | None,
    session: Memory,
    catalogue: Catalogue,
    *,
    page_size: int,
    can_push: bool,
) -> Call:
    """Makes a Call of a request, or raises ProtocolError.

    >>> memory, shop = Memory("2025-11-25"), Catalogue("shop", "1.0")
    >>> admit(Request(1, "ping"), None, memory, shop, page_size=100, can_push=False).memory is memory
    True
    """
    if not is_stateless(request, headers):
        call = Call(request, session, catalogue, page_size, can_push)
        _check_word(call)
        return call
    call = Call(request, _introduction(request), catalogue, page_size, can_push)
    if headers is not None and (complaint := http.objection(request, headers)) is not None:
        raise complaint
    if not call.is_stateless:
        asked = call.memory.revision
        text = f"This server does not speak revision {asked[:40]!r} without a handshake."
        raise ProtocolError(UNSUPPORTED_VERSION, text, {"supported": list(revisions.STATELESS), "requested": asked})
    _check_word(call)
    if request.method == "tools/call" and headers is not None:
        _check_mirrored_arguments(call, headers)
    return call


def _introduction(request: Request) -> Memory:
    """Who sends this request and what they can do: the stateless era says it each time (2026-07-28, basic)."""
    meta = request.params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    revision = meta.get(revisions.VERSION_KEY)
    client, able = meta.get(revisions.CLIENT_INFO_KEY), meta.get(revisions.CLIENT_CAPABILITIES_KEY)
    if not isinstance(revision, str):
        text = f"A stateless request says its revision in _meta, as {revisions.VERSION_KEY!r}."
        raise ProtocolError(INVALID_PARAMS, text)
    if not isinstance(able, dict):
        text = f"A stateless request says what its client can do in _meta, as {revisions.CLIENT_CAPABILITIES_KEY!r}."
        raise ProtocolError(INVALID_PARAMS, text)
    level = meta.get(revisions.LOG_LEVEL_KEY)
    heard = words.log_level(level) if level is not None else None
    return Memory(revision, capabilities=able, client=client if isinstance(client, dict) else {}, level=heard)


def _check_word(call: Call) -> None:
    method, revision = call.request.method, call.memory.revision
    row = revisions.word(method, revision)
    if row is None or row.by == "server":
        exists = any(row.method == method for row in revisions.WORDS)
        where = f"for a client to call in revision {revision}" if exists else "in MCP"
        raise ProtocolError(METHOD_NOT_FOUND, f"There is no method {method[:80]!r} {where}.")
    if method not in words.HANDLERS:
        raise ProtocolError(METHOD_NOT_FOUND, f"{method} is a {row.kind}: it is sent without an id.")
    if row.needs is not None and not revisions.has_capability(capabilities(call), row.needs):
        raise ProtocolError(METHOD_NOT_FOUND, f"This server does not offer {row.needs} here, which {method} needs.")


def _check_mirrored_arguments(call: Call, headers: Headers) -> None:
    name: Any = call.params.get("name")
    tool = call.catalogue.tools.get(name) if isinstance(name, str) else None
    if tool is not None and tool.mirrored:
        schema, arguments = tool.listed["inputSchema"], call.params.get("arguments")
        if (complaint := http.param_objection(arguments, schema, headers)) is not None:
            raise complaint
