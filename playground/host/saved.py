"""Conversations kept in files, and taken up again.

In:   a folder; a name and a Conversation, with what the user may want to know of it (provider, model).
Out:  a JSONL file: a head, then one line per message; and the same Conversation back from it.
Here nobody knows providers, and nothing is guessed: a file that isn't exactly what `save` writes is refused
with one sentence. What a file says goes through the constructors of Conversation, so a forged one can't make
an invalid one.
"""

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playground.host.calls import Call, Result, compact, strict_json
from playground.host.conversation import Conversation, Said, Step, Turn

FORMAT = "mcp-playground conversation 1"
MAX_BYTES = 64 * 1024 * 1024
SUFFIX = ".jsonl"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


class SavedError(Exception):
    """A conversation can't be saved or loaded; one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A conversation from a file, and the head's further fields: "saved" (a time), and what `save` was given."""

    conversation: Conversation
    head: Mapping[str, Any]


class Shelf:
    """A folder of saved conversations."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """The names that `load` takes, sorted."""
        found = self._folder.glob(f"*{SUFFIX}") if self._folder.is_dir() else []
        return sorted(path.stem for path in found if _NAME.fullmatch(path.stem))

    def save(self, name: str, conversation: Conversation, about: Mapping[str, str] | None = None) -> Path:
        """Write the conversation, an open turn settled; the file is there in full or not at all."""
        path = self._path(name)
        lines = list(_lines(conversation.settle()))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        head = {"format": FORMAT, "saved": now, **(about or {}), "system": conversation.system, "lines": len(lines)}
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *lines])
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace(path, text.encode())
        except OSError as error:
            raise SavedError(f"'{name}' can't be saved in {self._folder}: {error.strerror or error}.") from None
        return path

    def load(self, name: str) -> Saved:
        """Read it back; SavedError for what is no saved conversation."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none yet"
            raise SavedError(f"There is no saved conversation '{name}'; there are: {known}.") from None
        except OSError as error:
            raise SavedError(f"'{path}' can't be read: {error.strerror or error}.") from None
        if len(data) > MAX_BYTES:
            raise SavedError(f"'{path}' is larger than {MAX_BYTES // 1024**2} MiB and was not loaded.")
        try:
            return _read(data)
        except (ValueError, RecursionError) as error:
            told = str(error) or "it is nested too deeply"
            raise SavedError(f"'{path}' is no saved conversation: {told.rstrip('.')}.") from None

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise SavedError(
                "A name is made of letters, digits, '.', '-' and '_', and begins with one of the first two."
            )
        return self._folder / f"{name}{SUFFIX}"


def _replace(path: Path, data: bytes) -> None:
    """Write beside it, then rename: a crash leaves the old file or the new one. Others may not read it."""
    handle, beside = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


# ---- A conversation as lines ------------------------------------------------------------------------------


def _lines(conversation: Conversation) -> Iterator[dict[str, Any]]:
    for turn in conversation.turns:
        yield {"user": list(turn.question)}
        for step in turn.steps:
            said = step.said
            calls = [
                {"id": c.id, "name": c.name, "text": c.text, "received_id": c.received_id, "extras": c.extras}
                for c in said.calls
            ]
            extras = {"extras": said.extras, "origin": said.origin, "by_host": said.by_host}
            yield {"assistant": {"text": said.text, "calls": calls, **extras}}
            if step.results:
                yield {"results": [asdict(result) for result in step.results]}


def _read(data: bytes) -> Saved:
    """ValueError with a reason for what `_lines` doesn't write."""
    if not data.endswith(b"\n"):
        raise ValueError("its last line is cut off")
    rows = [_row(number, line) for number, line in enumerate(data.split(b"\n")[:-1], 1)]
    head = rows.pop(0)
    if head.get("format") != FORMAT:
        raise ValueError(f"its first line doesn't say '{FORMAT}'")
    if head.get("lines") != len(rows):
        raise ValueError(f"it should have {compact(head.get('lines'))} lines after the first and has {len(rows)}")
    turns: list[Turn] = []
    for number, row in enumerate(rows, 2):
        try:
            turns = _with(turns, row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"line {number} doesn't fit: {error}") from None
    conversation = Conversation(_text(head.get("system")), tuple(turns)).settle()
    return Saved(conversation, {key: head[key] for key in head if key not in ("format", "lines", "system")})


def _row(number: int, line: bytes) -> dict[str, Any]:
    try:
        row = strict_json(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {number} is no JSON ({error})") from None
    if not isinstance(row, dict):
        raise ValueError(f"line {number} is no object")
    return row


def _with(turns: list[Turn], row: dict[str, Any]) -> list[Turn]:
    """The turns and one more message."""
    if len(row) != 1:
        raise ValueError("it needs exactly one of user, assistant and results")
    ((role, value),) = row.items()
    if role == "user":
        return [*turns, Turn(tuple(map(_block, _list(value))))]
    if not turns:
        raise ValueError("a conversation begins with the user")
    turn = turns[-1]
    if role == "assistant":
        calls = tuple(_call(call) for call in _list(value["calls"]))
        by_host = value["by_host"] is True
        said = Said(_text(value["text"]), calls, _dict(value["extras"]), _text(value["origin"]), by_host)
        return [*turns[:-1], Turn(turn.question, (*turn.steps, Step(said)))]
    if role == "results" and turn.steps and not turn.steps[-1].results:
        results = tuple(_result(result) for result in _list(value))
        return [*turns[:-1], turn.ending(Step(turn.steps[-1].said, results))]
    raise ValueError(f"'{role}' can't stand here")


def _call(row: dict[str, Any]) -> Call:
    received = None if row["received_id"] is None else _text(row["received_id"])
    again = Call.received(_text(row["id"]), _text(row["name"]), _text(row["text"]), _dict(row["extras"]))
    return Call(again.id, again.name, again.text, again.arguments, again.complaint, received, again.extras)


def _result(row: dict[str, Any]) -> Result:
    blocks = tuple(map(_block, _list(row["content"])))
    return Result(_text(row["call_id"]), blocks, row["is_error"] is True)


def _block(value: Any) -> dict[str, Any]:
    block = _dict(value)
    if not isinstance(block.get("type"), str) or (block["type"] == "text" and not isinstance(block.get("text"), str)):
        raise ValueError("a content block needs a type, and a text block a text")
    return block


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a text was expected, not {compact(value)[:40]}")
    return value


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"an object was expected, not {compact(value)[:40]}")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"an array was expected, not {compact(value)[:40]}")
    return value
