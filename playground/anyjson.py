"""Any value as strict JSON text: what a log needs, which may refuse nothing.

In:   whatever came off a wire or out of a program: lone surrogates, NaN, integers of 5,000 digits, 20,000
      brackets.
Out:  ASCII JSON without blanks, readable by every strict parser.
Here nobody knows what the value is for. Where messages are exchanged, mcp_core.messages is strict instead.
"""

import math
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quote
from typing import Any

from mcp_core import strict

DEPTH_LIMIT = 200  # levels that are kept of a value nested too deeply for the encoder

_encode = strict.encoder(default=str)

__all__ = ["encode", "quote"]


def encode(value: Any) -> str:
    """The value as JSON text; what JSON can't say becomes a string that says it.

    >>> encode({"a": float("nan"), "b": "naïve \\ud800"})
    '{"a":"NaN","b":"na\\\\u00efve \\\\ud800"}'
    """
    try:
        return _encode(value)
    except (ValueError, TypeError, RecursionError):  # rare: only now is each part looked at
        return _encode(_plain(value, 0))


def _plain(value: Any, depth: int) -> Any:
    if depth > DEPTH_LIMIT and isinstance(value, (Mapping, list, tuple)):
        return f"(nested deeper than {DEPTH_LIMIT} levels)"
    if isinstance(value, Mapping):
        return {_key(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)  # Python writes no decimal of more than 4,300 digits
    return value


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)
