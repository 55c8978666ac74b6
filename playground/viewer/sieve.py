"""From a filter to a sieve for lines, which reads no more of a line than the filter asks for.

In:   a filter, and lines as they stand in a log.
Out:  the lines that pass: those whose whole record the filter lets pass.
Here nobody knows where lines come from.

Theory of operation
    Most of a line is of no interest to a filter: `level=ERROR` needs one member of fifteen. msgspec can read JSON into
    a shape; what the shape doesn't name it skips, minding the syntax but making no objects, and that is many times
    faster. So the keys of the filter become a shape, what is read in that shape is a smaller record, and the filter's
    own test does the rest. There is no second meaning of `=` or `~` that could differ from the first.

    A key `a.b` may stand for the member `a.b` or for `b` in `a`, and the shape names both. It ends, and everything is
    read from there on, where a name may be the index of an array. A bare word may be anywhere, so it has no shape.

    A line that doesn't fit the shape (it is no JSON, or has a text where the filter wants to descend) is read whole;
    so is one that isn't ASCII, because what msgspec skips it doesn't check to be UTF-8.

    And most lines need no parsing at all: where a filter has needles (needles.py), only the lines that hold one do.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import Any, TypedDict

import msgspec

from playground.viewer.filters import Filter, Tree
from playground.viewer.needles import needles_of
from playground.viewer.records import Entry
from playground.viewer.tail import Line

MOST_DOTS = 4  # of a key that gets a shape: each doubles what there is to name

Shape = dict[str, Any]  # the names that matter -> the shape of what is there, None for all of it
Sieve = Callable[[bytes], list[tuple[int, bytes]]]

_typed_dict: Any = TypedDict


def sieve(wanted: Filter) -> Sieve:
    """A function from a chunk of whole lines to those that pass, each with its offset in the chunk.

    >>> from playground.viewer import filters
    >>> sieve(filters.compile(["=", "level", "ERROR"]))(b'{"level":"INFO"}\\n{"level":"ERROR"}\\n')
    [(17, b'{"level":"ERROR"}')]
    """
    test, shape, needles = wanted.test, shape_of(wanted.tree), needles_of(wanted.tree)
    decode = None if shape is None else msgspec.json.Decoder(_type_of(shape)).decode

    def record_of(line: bytes) -> Any:
        try:
            if decode is not None and line.isascii():
                return decode(line)
        except (msgspec.DecodeError, RecursionError):
            pass  # said below what it is
        return Entry("", 0, Line(0, line, len(line), len(line))).subject

    def pick(chunk: bytes) -> list[tuple[int, bytes]]:
        is_ascii = chunk.isascii()
        starts, lines = needles.lines(chunk) if needles and is_ascii else _all(chunk)
        try:  # nearly always none is special, and then this is quicker than asking each
            records = [decode(line) for line in lines] if decode is not None and is_ascii else None
        except (msgspec.DecodeError, RecursionError):
            records = None
        records = [record_of(line) for line in lines] if records is None else records
        return [(starts[number], lines[number]) for number, record in enumerate(records) if test(record)]

    return pick


def _all(chunk: bytes) -> tuple[list[int], list[bytes]]:
    """All lines of a chunk, and where they begin."""
    lines = chunk.removesuffix(b"\n").split(b"\n")
    return list(accumulate((len(line) + 1 for line in lines), initial=0)), lines


def shape_of(tree: Tree) -> Shape | None:
    """What a filter looks at; None for everything.

    >>> shape_of(["and", ["=", "level", "ERROR"], ["=", "data.id", "7"]])
    {'level': None, 'data': {'id': None}, 'data.id': None}
    """
    shape: Shape = {}
    return shape if _extend(shape, tree) else None


def _extend(shape: Shape, tree: Tree) -> bool:
    match tree:
        case ["and" | "or", left, right]:
            return _extend(shape, left) and _extend(shape, right)
        case ["not", inner]:
            return _extend(shape, inner)
        case [_, str(key), _] if key.isascii() and key.count(".") <= MOST_DOTS:
            _add(shape, key.split("."))
            return True
    return False


def _add(shape: Shape, parts: list[str]) -> None:
    for count in range(1, len(parts) + 1):
        name, rest = ".".join(parts[:count]), parts[count:]
        if not rest or rest[0].isdigit():
            shape[name] = None
        elif (inner := shape.setdefault(name, {})) is not None:
            _add(inner, rest)


def _type_of(shape: Shape) -> Any:
    members = {name: Any if inner is None else _type_of(inner) for name, inner in shape.items()}
    return _typed_dict("Part", members, total=False)
