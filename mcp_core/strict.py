"""Strict JSON (RFC 8259): the text of one value in, the value out, or a reason why it is none.

Theory of operation
    Python's json module is more generous than RFC 8259, and generosity at a border becomes damage behind it: NaN
    comes back out as a word that is not JSON; of two members with one name the last silently wins, so a filter and a
    handler may see different messages; a lone bracket repeated twenty thousand times exhausts the stack; and 1e999
    turns into infinity. Each of these doors has a hook in json's decoder, and here each of them is closed.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

MAX_BYTES = 4 * 1024 * 1024  # one value; the longest our own tools can need is a 1 MiB file with many bytes escaped
MAX_DEPTH = 64  # nested arrays and objects; RFC 8259 section 9 lets an implementation set a limit
MAX_VALUES = 200_000  # in one message: a megabyte of brackets costs a hundred times what a megabyte of text does
MAX_DIGITS = 1000  # of one integer; the time to convert them grows with the square


class NotJSON(ValueError):
    """The reason, to be put into a sentence."""


def loads(data: str | bytes, limit: int = MAX_BYTES) -> Any:
    """Reads one strict JSON value, or raises NotJSON.

    >>> loads(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> loads('{"a": NaN}')
    Traceback (most recent call last):
    mcp_core.strict.NotJSON: NaN is not a JSON number
    """
    if len(data) > limit:
        raise NotJSON(f"it is longer than {limit} bytes, the limit for one message")
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise NotJSON(f"byte {error.start} is not UTF-8") from None
    if text.startswith("\ufeff"):  # RFC 8259 section 8.1: never to be sent
        raise NotJSON("it begins with a byte-order mark")
    too_deep = f"it is nested deeper than {MAX_DEPTH} levels"
    brackets = text.count("[") + text.count("{")
    if brackets + text.count(",") > MAX_VALUES and _has_too_many_values(text):
        raise NotJSON(f"it holds more than {MAX_VALUES} values")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJSON(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise NotJSON(too_deep) from None
    if brackets > MAX_DEPTH and _is_too_deep(value):
        raise NotJSON(too_deep)
    return value


def dumps(value: Any) -> str:
    """Writes a value as one line of ASCII, which is what stdio frames by and no proxy can garble.

    Raises ValueError for NaN and infinity: our own fault, found here and not by the peer.

    >>> dumps({"text": "naïve"})
    '{"text":"na\\\\u00efve"}'
    """
    return _dumps(value)


def encoder(default: Callable[[Any], Any] | None = None) -> Callable[[Any], str]:
    """A function that writes values as one line of ASCII; `default` turns what JSON can't say into what it can.

    json.JSONEncoder makes the machine behind it anew for each value; here it is made once, which halves the time that a
    small message takes. What holds itself is a RecursionError.

    >>> encoder(default=str)({"at": 1 + 2j})
    '{"at":"(1+2j)"}'
    """
    plain = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=default)
    machine = getattr(json.encoder, "c_make_encoder", None)
    if machine is None:  # a Python without json in C
        return plain.encode
    made = machine(None, plain.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)
    return lambda value: "".join(made(value, 0))


def _constant(word: str) -> NoReturn:
    raise NotJSON(f"{word} is not a JSON number")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotJSON(f"it holds an integer of more than {MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):  # it could not be written back as JSON
        raise NotJSON("it holds a number too large for a double")
    return number


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise NotJSON(f"an object has two members named {json.dumps(twice[:40])}")
    return members


def _has_too_many_values(text: str) -> bool:
    bare = _STRING.sub("", text)  # what a string holds is only text
    return bare.count("[") + bare.count("{") + bare.count(",") > MAX_VALUES


def _is_too_deep(value: Any) -> bool:
    layer = [value]
    for _ in range(MAX_DEPTH):
        layer = [
            child
            for node in layer
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return any(isinstance(node, (dict, list)) for node in layer)


# Without a second thought ("*+") and with or without its end, so that no text takes more than one pass.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_constant=_constant, parse_int=_integer, parse_float=_float
)
_dumps = encoder()
