"""A tool call as the model wrote it, and the result as the tool gave it.

In:   whatever a provider put into a call's id, name and arguments; the `result` object of MCP's tools/call.
Out:  a Call whose arguments are an object or a complaint; a Result made of content blocks, cut where it is
      too long.
Here nobody knows providers' formats, which tools exist, or what a tool does.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

Block = Mapping[str, Any]
"""One content block as MCP writes it: text, image, audio, resource or resource_link (server/tools, "Tool
Result")."""

MEDIUM_FACTOR = 64  # the data of an image may be this many times longer than the text that a result may have


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why a call's arguments can't be run. `kind`: invalid_json, cut_json, double_encoded or not_object."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Call:
    """The model's wish to run a tool. `arguments` is None exactly when there is a complaint."""

    id: str
    name: str
    text: str  # the arguments exactly as they were received
    arguments: dict[str, Any] | None
    complaint: Complaint | None = None
    received_id: str | None = None  # what the provider sent, where another id had to be made
    extras: Mapping[str, Any] = field(default_factory=dict)  # the provider's further fields, sent back to it only

    def __post_init__(self) -> None:
        if (self.arguments is None) != (self.complaint is not None):
            raise ValueError("A call has either arguments or a complaint about them.")

    @classmethod
    def received(cls, id: Any, name: Any, arguments: Any, extras: Mapping[str, Any] | None = None) -> "Call":
        """A call from whatever a provider put into its three fields; the conversation makes the id unique."""
        text, parsed, complaint = read_arguments(arguments)
        told = id if isinstance(id, str) else "" if id is None else json.dumps(id)
        return cls(told, name if isinstance(name, str) else "", text, parsed, complaint, None, extras or {})

    def echo(self) -> dict[str, Any]:
        """The arguments as an object: providers refuse a history in which they are none."""
        return self.arguments if self.arguments is not None else {"invalid_arguments": self.text}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one call: content blocks, and whether they report an error the model can act on."""

    call_id: str
    content: tuple[Block, ...]
    is_error: bool = False

    def __post_init__(self) -> None:
        if not self.content:
            raise ValueError("A result needs at least one content block.")

    @classmethod
    def of_text(cls, call_id: str, text: str, is_error: bool = False) -> "Result":
        return cls(call_id, (text_block(text),), is_error)

    @classmethod
    def received(cls, call_id: str, result: Mapping[str, Any]) -> "Result":
        """From the `result` of MCP's tools/call; structured content alone becomes its JSON."""
        told = result.get("content")
        blocks = [as_block(block) for block in told] if isinstance(told, list) else []
        if not any(block["type"] != "text" or block["text"] for block in blocks):
            structured = result.get("structuredContent")
            blocks = [text_block("(The tool returned no content.)" if structured is None else compact(structured))]
        return cls(call_id, tuple(blocks), result.get("isError") is True)

    def shortened(self, limit: int) -> tuple["Result", int]:
        """This result with at most `limit` characters of text, and how many were left out; a mark says
        where."""
        room, left_out, kept = limit, 0, list[Block]()
        for block in self.content:
            if block["type"] == "text":
                text = block["text"]
                over = max(0, len(text) - room)
                mark = f"\n[Cut here: {len(text):,} characters in all, the last {over:,} left out.]" if over else ""
                kept.append({**block, "text": text[:room] + mark} if over else block)
                room -= len(text) - over
            else:
                size = len(compact(block))
                over = size if size > MEDIUM_FACTOR * limit else 0
                kept.append(
                    text_block(f"[{block['type']} of {size:,} characters left out: too large]") if over else block
                )
            left_out += over
        return (replace(self, content=tuple(kept)), left_out) if left_out else (self, 0)


# ---- Arguments as received ---------------------------------------------------------------------------------


def read_arguments(raw: Any) -> tuple[str, dict[str, Any] | None, Complaint | None]:
    """The text, the object and the complaint of a call's arguments; exactly one of the last two is None.

    Nothing at all (missing, null, "") means no arguments. Anything else that isn't one JSON object is never
    run as if it were `{}`: a tool may do harm with its defaults.
    """
    if raw is None or raw == "":
        return "", {}, None
    text = raw if isinstance(raw, str) else compact(raw)
    try:
        value = strict_json(text)
    except (ValueError, RecursionError) as error:
        return text, None, _not_json(text, error)
    if isinstance(value, dict):
        return text, value, None
    if isinstance(value, str) and value.lstrip().startswith("{"):
        said = "The arguments were encoded twice: they are a JSON string that holds JSON. Send the object itself"
        return text, None, Complaint("double_encoded", f"{said}; the tool was not run.")
    kind = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
    said = f"The arguments are {kind}, not a JSON object, so the tool was not run. Send one object"
    return text, None, Complaint("not_object", f'{said}, such as {{"filename": "notes.txt"}}.')


def _not_json(text: str, error: Exception) -> Complaint:
    cut, reason = False, str(error) or "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        reason = "they stop in the middle" if cut else f"{error.msg} at character {error.pos + 1}"
    said = f"The arguments are not valid JSON ({reason}), so the tool was not run. Send the call again"
    return Complaint("cut_json" if cut else "invalid_json", f"{said} with one complete JSON object.")


def strict_json(text: str) -> Any:
    """The JSON value of a text; ValueError or RecursionError also where Python's json module is generous."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return seen


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large a number")
    return number


# ---- Blocks ------------------------------------------------------------------------------------------------


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def as_block(block: Any) -> Block:
    """A content block that is safe to handle; what is none (a server's mistake) becomes its JSON as text."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    if isinstance(kind, str) and (kind != "text" or isinstance(block.get("text"), str)):
        return dict(block)
    return text_block(block if isinstance(block, str) else compact(block))


_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def compact(value: Any) -> str:
    """The value as JSON that a model reads well: no spaces, no escapes it doesn't need."""
    return _COMPACT.encode(value)
