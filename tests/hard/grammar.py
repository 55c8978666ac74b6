"""Messages that are nearly right: a grammar of JSON-RPC with mistakes in it, and mutations of the bytes.

In:   a source of chance. Out: the body of a request, as bytes. Nothing here uses the code that is tested.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
    "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete",
    "logging/setLevel", "server/discover", "notifications/initialized", "notifications/cancelled",
    "notifications/progress", "notifications/roots/list_changed", "tasks/list", "tasks/get", "tools/List", "rpc.x", "",
    "__class__", "tools/call\x00", "сall", "x" * 3000,
)  # fmt: skip
TOOLS = (
    "list_files", "read_file", "write_file", "append_line", "delete_file", "search_file", "search_all",
    "summarize_file", "Read_File", "", "__init__",
)  # fmt: skip
NAMES = ("a.txt", "b.txt", "../a.txt", "", "\ud800", "a\x00", ".x", "con", "é" * 130, "a/b", "?")
TEXTS = (
    "",
    "x",
    "TODO\nTODO",
    "naïve €",
    "\ud83d",
    "\u2028",
    "\x00\x1b[2J",
    "<script>",
    "x" * 5000,
    "{}",
    "null",
    "-0",
)
NUMBERS: tuple[Any, ...] = (0, 1, -1, 2**31, 2**53, 2**63, 2**64, -(2**63), 0.5, 1e300, -0.0, 10**200)
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", "", 7, None)
META = "io.modelcontextprotocol/"


def any_value(chance: random.Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = chance.randrange(8 if depth else 6)
    if kind == 6:
        return [any_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        return {chance.choice(TEXTS + NAMES): any_value(chance, depth - 1) for _ in range(chance.randrange(4))}
    return (None, True, False, chance.choice(NUMBERS), chance.choice(TEXTS), chance.choice(NAMES))[kind]


def perhaps(chance: random.Random, right: Any, odds: float = 0.12) -> Any:
    """The right value, or now and then any other."""
    return any_value(chance) if chance.random() < odds else right


def arguments(chance: random.Random) -> Any:
    known = {"filename": chance.choice(NAMES), "text": chance.choice(TEXTS), "line": chance.choice(TEXTS)}
    known["keyword"] = chance.choice(TEXTS)
    chosen = chance.sample(list(known), chance.randrange(len(known) + 1))
    return {name: perhaps(chance, known[name]) for name in chosen}


def meta(chance: random.Random) -> Any:
    parts: dict[str, Any] = {
        "progressToken": chance.choice([1, "p", None, [], 1.5]),
        "traceparent": chance.choice([f"00-{'a' * 32}-{'b' * 16}-01", "00-0-0-00", 5]),
        f"{META}protocolVersion": chance.choice(REVISIONS),
        f"{META}clientInfo": {"name": "fuzz", "version": "1"},
        f"{META}clientCapabilities": perhaps(chance, {}),
    }
    return {name: parts[name] for name in chance.sample(list(parts), chance.randrange(len(parts) + 1))}


def params(chance: random.Random, method: str) -> Any:
    reference = {"type": chance.choice(["ref/prompt", "ref/resource", "x"]), "name": "review_file", "uri": "u:{name}"}
    by_method: dict[str, Callable[[], dict[str, Any]]] = {
        "tools/call": lambda: {"name": chance.choice(TOOLS), "arguments": arguments(chance)},
        "initialize": lambda: {
            "protocolVersion": chance.choice(REVISIONS),
            "capabilities": perhaps(chance, {}),
            "clientInfo": perhaps(chance, {"name": "fuzz", "version": "1"}),
        },
        "resources/read": lambda: {"uri": "playground://files/" + chance.choice(NAMES)},
        "resources/subscribe": lambda: {"uri": "playground://files/" + chance.choice(NAMES)},
        "prompts/get": lambda: {
            "name": chance.choice(["review_file", "todo_report", "x"]),
            "arguments": arguments(chance),
        },
        "completion/complete": lambda: {
            "ref": reference,
            "argument": {"name": "filename", "value": chance.choice(TEXTS)},
        },
        "logging/setLevel": lambda: {"level": chance.choice(["debug", "emergency", "loud", 3])},
        "notifications/cancelled": lambda: {"requestId": chance.choice([1, "x", None]), "reason": chance.choice(TEXTS)},
        "notifications/progress": lambda: {"progressToken": 1, "progress": chance.choice(NUMBERS)},
    }
    found: dict[str, Any] = by_method[method]() if method in by_method else {}
    if "list" in method and chance.random() < 0.3:
        found["cursor"] = any_value(chance)
    if chance.random() < 0.4:
        found["_meta"] = perhaps(chance, meta(chance))
    return {name: perhaps(chance, value, 0.05) for name, value in found.items()}


def message(chance: random.Random) -> Any:
    """One message, with about one mistake in it."""
    method = chance.choice(METHODS)
    found: dict[str, Any] = {"jsonrpc": perhaps(chance, "2.0", 0.05)}
    if chance.random() < 0.85:
        found["id"] = perhaps(chance, chance.choice([0, 1, -7, 2**53, "", "1", "ü🙂", "i" * 200]))
    if chance.random() < 0.95:
        found["method"] = perhaps(chance, method, 0.04)
    if chance.random() < 0.85:
        found["params"] = perhaps(chance, params(chance, method), 0.06)
    if chance.random() < 0.08:
        found[chance.choice(["result", "error", "extra", "__proto__", ""])] = any_value(chance)
    parts = list(found.items())
    chance.shuffle(parts)
    shuffled = dict(parts)
    if chance.random() < 0.05:
        return [shuffled] * chance.randrange(4)
    return shuffled


def text(chance: random.Random) -> bytes:
    """A message as bytes, in one of the ways JSON may be written."""
    value = message(chance) if chance.random() < 0.95 else any_value(chance)
    indent = 2 if chance.random() < 0.1 else None
    written = json.dumps(value, ensure_ascii=chance.random() < 0.7, indent=indent)
    return written.encode("utf-8", "surrogatepass")


SPLINTERS = (
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"NaN", b"1e999", b"-", b"\x00", b"\xff", b"\xed\xa0\x80",
    b"\\ud800", b"\xef\xbb\xbf", b"\n", b"//", b'"id":1,', b'"jsonrpc":"1.0",', b"9" * 400, b"[" * 80,
)  # fmt: skip


def mutated(chance: random.Random, body: bytes) -> bytes:
    """The bytes with one to four accidents."""
    data = bytearray(body)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randrange(1, 8)]
            case 2:
                data[at:at] = chance.choice(SPLINTERS)
            case 3:
                del data[at:]
            case 4:
                data[at:at] = data[at : at + chance.randrange(1, 60)]
            case _:
                end = min(len(data), at + 20)
                data[at:end] = data[at:end][::-1]
    return bytes(data)


def body(chance: random.Random) -> bytes:
    """What to send: half of it written by the grammar, half of that with its bytes disturbed as well."""
    written = text(chance)
    return mutated(chance, written) if chance.random() < 0.5 else written
