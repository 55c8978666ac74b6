"""Which HTTP headers mirror which fields of a message (2026-07-28, transports, Standard Request Headers).

In:   a message and the headers it came with, or is about to leave with.
Out:  the headers a client must send; what a server must object to; the HTTP status that a failure has.
Here nobody knows about sockets or frameworks: headers are a mapping with lower-case names.

The mirror exists so that whatever stands between client and server (a balancer, a firewall) can route and judge a
request without parsing JSON. It is worth something only if it can't lie, so a server compares and refuses.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from mcp_core.messages import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Failure,
    Notification,
    ProtocolError,
    Request,
)
from mcp_core.revisions import VERSION_KEY, is_stateless

NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}  # method -> the param in Mcp-Name

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_INTEGER = re.compile(r"(-?[0-9]{1,100})(?:\.0+)?")
_PREFIX, _SUFFIX = "=?base64?", "?="


def encode_value(text: str) -> str:
    """Text as a header value: itself where that is safe, else base64 between two marks.

    >>> encode_value("report.txt"), encode_value("naïve")
    ('report.txt', '=?base64?bmHDr3Zl?=')
    """
    looks_encoded = text.startswith(_PREFIX) and text.endswith(_SUFFIX)
    if _PLAIN.fullmatch(text) and not looks_encoded:
        return text
    return _PREFIX + base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii") + _SUFFIX


def decode_value(value: str) -> str | None:
    """The text of a header value; None if it is marked as base64 and is not exactly that.

    >>> decode_value(" =?base64?bmHDr3Zl?= "), decode_value("=?base64?bmH"), decode_value("=?base64?!?=")
    ('naïve', '=?base64?bmH', None)
    """
    value = value.strip(" \t")
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX) and len(value) >= len(_PREFIX + _SUFFIX)):
        return value
    middle = value[len(_PREFIX) : -len(_SUFFIX)]
    try:
        raw = base64.b64decode(middle, validate=True)
        # Only one spelling is right: a lenient decoder here and a strict one elsewhere would see two different names.
        return raw.decode("utf-8") if base64.b64encode(raw).decode("ascii") == middle else None
    except (binascii.Error, ValueError):
        return None


def for_request(message: Request | Notification, input_schema: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The headers that must go with a message of the stateless era; none for one of the handshake era.

    >>> meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    >>> for_request(Request(1, "tools/call", {"name": "add", "_meta": meta}))
    {'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add'}
    """
    meta = message.params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        return {}
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": message.method}
    name = message.params.get(NAMED_BY[message.method]) if message.method in NAMED_BY else None
    if isinstance(name, str):
        headers["Mcp-Name"] = encode_value(name)
    if message.method == "tools/call" and input_schema is not None:
        arguments = message.params.get("arguments")
        for path, header in mirrored(input_schema).items():
            value = _at(arguments, path)
            if value is not None:
                headers[f"Mcp-Param-{header}"] = encode_value(_as_text(value))
    return headers


def objection(message: Request | Notification, headers: Mapping[str, str]) -> ProtocolError | None:
    """What is wrong with the headers of a stateless message, if anything: code -32020, which is HTTP 400.

    >>> meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    >>> print(objection(Request(1, "tools/list", {"_meta": meta}), {"mcp-protocol-version": "2026-07-28"}))
    The header Mcp-Method is missing; it must say 'tools/list', as the message does.
    """
    for header, expected in for_request(message).items():
        if (complaint := _compare(header, expected, headers, exact=header != "Mcp-Name")) is not None:
            return complaint
    return None


def param_objection(
    arguments: Any, input_schema: Mapping[str, Any], headers: Mapping[str, str]
) -> ProtocolError | None:
    """What is wrong with the Mcp-Param-* headers of a call of the tool with this schema, if anything.

    >>> schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    >>> print(param_objection({"region": "eu"}, schema, {"mcp-param-region": "us"}))
    The header Mcp-Param-Region says 'us', but the message says 'eu'.
    """
    for path, header in mirrored(input_schema).items():
        value = _at(arguments, path)
        if value is None:
            continue  # null or absent: no header is owed, and one that came is of no interest
        name = f"Mcp-Param-{header}"
        given = headers.get(name.lower())
        if given is not None and _same_number(given, value):
            continue
        if (complaint := _compare(name, encode_value(_as_text(value)), headers, exact=False)) is not None:
            return complaint
    return None


def mirrored(input_schema: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """The arguments that travel in a header too: path of property names -> what follows `Mcp-Param-`.

    Raises ValueError where the schema's `x-mcp-header` breaks a rule; a client then drops the tool from its list.

    >>> mirrored({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}})
    {('region',): 'Region'}
    """
    found: dict[tuple[str, ...], str] = {}
    legal = _annotated(input_schema, ())
    if len(legal) != _count(input_schema):
        raise ValueError("x-mcp-header may only stand on a property that is reached through `properties` alone")
    for path, schema in legal:
        header = schema["x-mcp-header"]
        if not isinstance(header, str) or not _TOKEN.fullmatch(header):
            raise ValueError(f"x-mcp-header {header!r} is not a header name (RFC 9110, token)")
        if schema.get("type") not in ("string", "integer", "boolean"):
            raise ValueError(f"x-mcp-header {header!r} stands on a property that is not a string, integer or boolean")
        if header.lower() in (other.lower() for other in found.values()):
            raise ValueError(f"x-mcp-header {header!r} is used twice")
        found[path] = header
    return found


def accepts_stream(headers: Mapping[str, str] | None) -> bool:
    """Whether the client takes several messages in answer to one; a pipe (no headers) always does.

    A client must accept both kinds of answer (transports, Sending Messages); one that names only JSON gets only that.

    >>> accepts_stream({"accept": "application/json"}), accepts_stream({"accept": "*/*"})
    (False, True)
    """
    if headers is None:
        return True
    accept = headers.get("accept", "*/*").lower()
    return "text/event-stream" in accept or "text/*" in accept or "*/*" in accept


def status_of(failure: Failure, revision: str | None) -> int:
    """The HTTP status that goes with a failure. In the handshake era an error that reached its method is a 200.

    >>> status_of(Failure(1, -32601, ""), "2026-07-28"), status_of(Failure(1, -32601, ""), "2025-11-25")
    (404, 200)
    """
    if revision is None or failure.code in (PARSE_ERROR, INVALID_REQUEST):
        return 400  # no revision we speak, or no message of any revision
    if not is_stateless(revision):
        return 200
    if failure.code == METHOD_NOT_FOUND:
        return 404
    return 200 if failure.code == INTERNAL_ERROR else 400


def _compare(header: str, expected: str, headers: Mapping[str, str], *, exact: bool) -> ProtocolError | None:
    given = headers.get(header.lower())
    if given == expected and not expected.startswith(_PREFIX):  # as nearly always
        return None
    said = expected if exact else decode_value(expected)
    if given is None:
        text = f"The header {header} is missing; it must say {said!r}, as the message does."
    elif (value := given.strip(" \t") if exact else decode_value(given)) is None:
        text = f"The header {header} is marked as base64 but is not valid base64 of UTF-8."
    elif value != said:
        text = f"The header {header} says {value!r}, but the message says {said!r}."
    else:
        return None
    return ProtocolError(HEADER_MISMATCH, text)


def _annotated(schema: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Mapping[str, Any]]]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    found: list[tuple[tuple[str, ...], Mapping[str, Any]]] = []
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(part, Mapping):
            if "x-mcp-header" in part:
                found.append(((*path, name), part))
            found += _annotated(part, (*path, name))
    return found


def _count(schema: Any) -> int:
    """How often `x-mcp-header` stands anywhere in a schema, as a keyword and not as the name of a property."""
    if isinstance(schema, list):
        return sum(map(_count, schema))
    if not isinstance(schema, Mapping):
        return 0
    below = 0
    for keyword, part in schema.items():
        named = keyword in ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
        if named and isinstance(part, Mapping):
            below += sum(map(_count, part.values()))
        elif keyword not in ("const", "enum", "default", "examples"):
            below += _count(part)
    return below + ("x-mcp-header" in schema)


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, Mapping) else None
    return arguments


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _same_number(given: str, value: Any) -> bool:
    # 42.0 is the same integer as 42 (2026-07-28, transports: compare numerically).
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    digits = _INTEGER.fullmatch(given.strip(" \t"))
    return digits is not None and int(digits[1]) == value
