"""A line of a log as what the page gets.

In:   a Line of a file.
Out:  the envelope {"file", "at", "record"}, or {"file", "at", "raw", "flaw"} for a line that is no JSON
      object.
Here nobody knows where the line goes.

A record travels as the text that stands in the file: the page shows what was written, not what a parser
made of it. So the line is parsed only to be sure that it is one JSON object, and to be filtered. msgspec is
fast and strict; what it refuses although it is JSON (lone surrogates, numbers beyond a double) is tried
again with the standard library.
"""

import json
from json.encoder import encode_basestring_ascii as quote
from typing import Any, NoReturn

import msgspec

from playground.viewer.places import Spot, fingerprint
from playground.viewer.tail import Line

Key = tuple[str, int]  # what records are sorted by: their time, then their `mono`


class Entry:
    """A line of a file, where it ends, and what it says. Parsed once, and only when somebody asks."""

    def __init__(self, name: str, inode: int, line: Line) -> None:
        self.name, self.inode, self.line = name, inode, line
        self._value: dict[str, Any] | str | None = None

    @property
    def spot(self) -> Spot:
        """The place behind the line."""
        line = self.line
        lf = b"\n" if line.end > line.at + line.size else b""
        return Spot(self.inode, line.end, 0 if line.is_cut else fingerprint(line.data[-64:] + lf))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to show."""
        return not self.line.data.strip()

    @property
    def value(self) -> dict[str, Any] | str:
        """The record, or in which way the line is flawed."""
        if self._value is None:
            self._value = _value_of(self.line)
        return self._value

    @property
    def text(self) -> str:
        """A flawed line as text."""
        return self.line.data.removesuffix(b"\r").decode("utf-8", "replace")

    @property
    def subject(self) -> dict[str, Any]:
        """What a filter looks at."""
        return self.value if isinstance(self.value, dict) else {"raw": self.text, "flaw": self.value}

    @property
    def envelope(self) -> bytes:
        """The JSON text, without CR or LF: inside strings RFC 8259 has none, and outside they are but blanks."""
        head = f'{{"file":{quote(self.name)},"at":{self.line.at},'
        if isinstance(self.value, dict):
            return head.encode() + b'"record":' + self.line.data.strip().replace(b"\r", b" ") + b"}"
        return f'{head}"raw":{quote(self.text)},"flaw":{quote(self.value)}}}'.encode()


def _value_of(line: Line) -> dict[str, Any] | str:
    if line.is_cut:
        return f"too long: {line.size} bytes"
    try:
        value = _decode(line.data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        try:
            value = json.loads(line.data.decode("utf-8"), parse_constant=_refuse, parse_int=_integer)
        except UnicodeDecodeError:
            return "not UTF-8"
        except (ValueError, RecursionError):
            return "not JSON"
    return value if isinstance(value, dict) else "not JSON"


def key_of(data: bytes, before: Key) -> Key:
    """What a line sorts by. One without a time stays behind the one before it.

    >>> key_of(b'{"ts":"2026-11-29T21:20:21.123456+00:00","mono":5}', ("", 0))
    ('2026-11-29T21:20:21.123456+00:00', 5)
    """
    if data[:7] == b'{"ts":"' and data[39:40] == b'"':  # as our logbook writes it: no need to parse
        behind = data[data.rfind(b',"mono":') + 8 :] if b',"mono":' in data else b""
        digits = behind.partition(b",")[0].rstrip(b"} \r")
        return data[7:39].decode("ascii", "replace"), int(digits) if len(digits) < 20 and digits.isdigit() else 0
    try:
        head = _decode_head(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return before
    return (head.ts, head.mono) if head.ts else before


class _Head(msgspec.Struct):
    ts: str = ""
    mono: int = 0


_decode = msgspec.json.Decoder().decode
_decode_head = msgspec.json.Decoder(_Head).decode


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)  # beyond a double anyway; Python stops at 4,300 digits


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)
