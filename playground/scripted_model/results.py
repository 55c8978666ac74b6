"""What a tool's result says: failed, declined, or a value.

Goes in: an `Outcome`. Comes out: plain answers about its text. Refuses to know: which step asked for it.

Results arrive as JSON objects, as plain text, or as both, and only one of the dialects marks errors. So a
text counts as an error if it is flagged, if it is an object that says so, or if it *begins* like an error; a
file whose third line says "error" is no error.
"""

import json
import re
from typing import Any, Final

from playground.scripted_model.talk import Outcome

_ERROR: Final = re.compile(
    r"^\W*(?:\[?(?:tool )?(?:call )?error\b|error[:\s]|failed\b|failure\b|the (?:tool|call"
    r"|server|arguments?)\b.{0,60}\b(?:fail|not|error|invalid|refus|declin|cancel)"
    r"|(?:the )?user (?:has )?(?:declin|reject|refus|said no|denied|cancel|did not)|declined\b"
    r"|denied\b|cancell?ed\b|refused\b|not (?:run|executed|approved|allowed|called)\b"
    r"|unknown tool|\[this earlier result|invalid (?:arguments?|params)|there is no (?:file|tool)|no (?:such )?file"
    r"|no tool|timed? ?out\b|could ?n[o']t\b|cannot\b|can't\b|permission denied"
    r"|access denied|ENOENT|EACCES|mcp error|input validation error|traceback|'?\S+'? (?:does "
    r"not exist|is not a|was not found|not found)|.{0,60}\b(?:does not exist|not found|is not "
    r"allowed))",
    re.IGNORECASE,
)
_DECLINED: Final = re.compile(
    r"did(?: not|n't) (?:allow|approve)|^\W*(?:error:\s*)?not run:|stopped this turn"
    r"|\b(?:declin|denied by|not approved|reject|said no|refused by|cancell?ed|not allowed by the user|stopped by)",
    re.IGNORECASE,
)
_CUT: Final = re.compile(r"\[[^\]]*\b(?:cut|truncated|left out|omitted)\b[^\]]*\]\s*\Z", re.IGNORECASE)
_EDITED: Final = re.compile(r"\A\[[^\n]*\bchanged the arguments\b[^\n{]*(\{.*\})\]$", re.IGNORECASE | re.MULTILINE)


def value_of(outcome: Outcome) -> dict[str, Any]:
    """The JSON object in a result; empty if there is none."""
    for text in (outcome.text, *re.findall(r"^\s*(\{.*\})\s*$", outcome.text, re.MULTILINE)):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            inner = value.get("structuredContent")
            return {**value, **inner} if isinstance(inner, dict) else value
    return {}


def has_failed(outcome: Outcome) -> bool:
    value = value_of(outcome)
    if outcome.flagged or value.get("isError") is True or value.get("is_error") is True:
        return True
    if value:
        return bool(value.get("error")) and not {"content", "count", "files", "message"} & set(value)
    return _ERROR.match(outcome.text) is not None


def was_declined(outcome: Outcome) -> bool:
    return has_failed(outcome) and _DECLINED.search(outcome.text[:300]) is not None


def reason_of(outcome: Outcome) -> str:
    """The message of an error, without wrapping, cut at 300 characters."""
    value = value_of(outcome)
    inner = value.get("error", value.get("message", value.get("content")))
    if isinstance(inner, dict):
        inner = inner.get("message", inner)
    if isinstance(inner, list):
        inner = " ".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in inner)
    text = str(inner) if inner else outcome.text
    text = re.sub(r"^\W*(?:tool )?error\b[^:\n]{0,40}:\s*", "", text.strip(), flags=re.IGNORECASE)
    return " ".join(text.split())[:300] or "no reason was given"


def was_cut(outcome: Outcome) -> bool:
    """Whether a result came only in part: the client says so, or it starts like an object and is none."""
    is_torn = outcome.text.lstrip().startswith('{"') and not value_of(outcome)
    return is_torn or _CUT.search(outcome.text) is not None


def edited(outcome: Outcome) -> str:
    """The arguments a user put in place of the model's, as JSON; "" if the call ran as it was made."""
    match = _EDITED.match(outcome.text)
    return match[1] if match else ""


def text_of(outcome: Outcome) -> str:
    """The text of a file that was read."""
    value = value_of(outcome)
    for name in ("content", "text", "contents"):
        if isinstance(value.get(name), str):
            return str(value[name])
        if isinstance(value.get(name), list):
            return "".join(str(part.get("text", "")) for part in value[name] if isinstance(part, dict))
    return outcome.text


def count_of(outcome: Outcome) -> int | None:
    """The number a search found; None if the result holds none."""
    value = value_of(outcome)
    for name in ("count", "total", "matches", "occurrences"):
        if isinstance(value.get(name), int) and not isinstance(value[name], bool):
            return int(value[name])
        if isinstance(value.get(name), list):
            return len(value[name])
    number = re.search(r"(?<![\w.])\d+(?![\w.])", outcome.text) if not value else None
    return int(number[0]) if number else None


def names_of(outcome: Outcome) -> list[str]:
    """The file names of a listing."""
    value = value_of(outcome)
    listed = next(
        (value[name] for name in ("files", "names", "entries", "documents") if isinstance(value.get(name), list)),
        None,
    )
    if listed is None:
        text = text_of(outcome)
        lines = [re.sub(r"^(?:\[FILE\]|[-*•])\s*", "", line.strip()) for line in text.splitlines()]
        return [line for line in lines if line and not line.startswith(("[DIR]", "{"))]
    return [name for item in listed if (name := str(item.get("name", "") if isinstance(item, dict) else item))]


def hits_of(outcome: Outcome) -> list[tuple[str, int]]:
    """What a search through all files found: (name, count) pairs."""
    value = value_of(outcome)
    listed: list[Any] = next(
        (value[name] for name in ("files", "matches", "results") if isinstance(value.get(name), list)), []
    )
    return [
        (str(item.get("name", item.get("filename", "?"))), int(item.get("count", 1)))
        if isinstance(item, dict)
        else (str(item), 1)
        for item in listed
    ]
