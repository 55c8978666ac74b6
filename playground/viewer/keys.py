"""What a key of a filter, like `data.message.id`, finds in a record.

In:   a key, and records.
Out:  the value there.
Here nobody knows what it is compared with.

A key descends by its dots, also into arrays. A name may hold dots itself (`io.modelcontextprotocol/clientInfo`): the
longest that fits is tried first, and if it leads nowhere, the next. This is asked of every record that a filter looks
at, so all that depends only on the key is done once.
"""

import re
from collections.abc import Callable
from typing import Any

Find = Callable[[Any], Any]

MISSING = object()


def finder(key: str) -> Find:
    """A function that finds the value of a key in a record, or MISSING.

    >>> finder("content.1.text")({"content": [{}, {"text": "hello"}]})
    'hello'
    """
    parts = key.split(".")
    finders: dict[int, Find] = {len(parts): lambda value: value}  # of the parts from one on
    for start in reversed(range(len(parts))):
        ways = [(".".join(parts[start:end]), finders[end]) for end in range(len(parts), start, -1)]
        finders[start] = _step(ways, parts[start])
    return finders[0]


def _step(ways: list[tuple[str, Find]], part: str) -> Find:
    """A step down: the names that may lead on, the longest first, each with how to go on; the last is the part."""
    index = int(part) if re.fullmatch(r"0|[1-9][0-9]{0,8}", part, re.ASCII) else None

    def find(value: Any) -> Any:
        if isinstance(value, dict):
            for name, go_on in ways:
                if name in value and (found := go_on(value[name])) is not MISSING:
                    return found
        elif index is not None and isinstance(value, list) and index < len(value):
            return ways[-1][1](value[index])
        return MISSING

    return find
