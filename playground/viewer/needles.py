r"""What must stand in a line for a filter to let it pass: bytes to look for before anything is parsed.

In:   a filter's tree.
Out:  needles, of which at least one stands in each line that passes; or None where that can't be said.
Here nobody knows where lines come from, or what else makes a line pass (sieve.py parses those that hold a needle).

Theory of operation
    Looking for bytes is many times faster than parsing. A value that equals ERROR is written `"ERROR"`, unless a letter
    is written by its number, and then `\u` stands in the line; a slash may also be written `\/`. JSON has no further
    way to write a character. So these are the needles of `level=ERROR`; which value of which key it was, and all the
    rest, is decided by whoever parses the few lines that are left. Only lines of ASCII are looked at in this way, and
    in them what isn't ASCII can but be a number.

    A bare word is looked for in the same way, in small letters and without the quotation marks. In a line that is no
    record it stands as it is. But such a line also has the words that say so (records.py), which don't stand in it; so
    what is among those has no needles. Nor has what a number may spell (1000 may be written 1e3), and what is about
    what is not there.
"""

import re
from dataclasses import dataclass

from playground.viewer.filters import Tree, is_literal

FLAWED = ("raw", "flaw", "not json", "not utf-8")  # what a filter finds of a line that is no record
SPELLS_NUMBERS = frozenset("0123456789.+-einfty")  # as JavaScript shows them, Infinity included


@dataclass(frozen=True, slots=True)
class Needles:
    """Any of these bytes. `ignore_case`: they are in small letters, and a line is to be looked at in small letters."""

    any_of: frozenset[bytes]
    ignore_case: bool = False

    def lines(self, chunk: bytes) -> tuple[list[int], list[bytes]]:
        """The lines of a chunk that hold a needle, and where they begin. The chunk is ASCII.

        >>> needles_of(["=", "level", "ERROR"]).lines(b'{"level":"INFO"}\\n{"level":"ERROR"}\\n')
        ([17], [b'{"level":"ERROR"}'])
        """
        searched, ends = chunk.lower() if self.ignore_case else chunk, {}
        for needle in self.any_of:
            search = re.compile(re.escape(needle)).search  # two to three times faster than bytes.find()
            found = search(searched)
            while found:
                at = found.start()
                end = searched.find(b"\n", at)
                end = end if end >= 0 else len(chunk)
                ends[searched.rfind(b"\n", 0, at) + 1] = end
                found = search(searched, end)
        starts = sorted(ends)
        return starts, [chunk[start : ends[start]] for start in starts]


def needles_of(tree: Tree) -> Needles | None:
    """What stands in each line that a filter lets pass.

    >>> sorted(needles_of(["and", [">", "ms", 500.0], ["=", "level", "ERROR"]]).any_of)
    [b'ERROR"', b'\\\\u']
    """
    match tree:
        case ["and", left, right]:
            return needles_of(left) or needles_of(right)
        case ["or", left, right]:
            one, other = needles_of(left), needles_of(right)
            return _either(one, other) if one and other else None
        case ["=", str(key), str(operand)] if key not in FLAWED and _can_be_spelled(operand):
            return None if is_literal(operand) else Needles(_spelled(operand, b'"'))
        case ["text", str(word)] if _can_be_spelled(small := word.lower()):
            if SPELLS_NUMBERS.issuperset(small) or any(small in said for said in FLAWED):
                return None
            return Needles(_spelled(small) | _spelled_raw(small), ignore_case=True)
    return None


def _can_be_spelled(text: str) -> bool:
    return text.isprintable() or not text.isascii()


def _spelled(text: str, end: bytes = b"") -> frozenset[bytes]:
    """How JSON may write a text in ASCII: any letter by its number, and so must be what isn't ASCII."""
    if not text.isascii():
        return frozenset([b"\\u"])
    plain = text.replace("\\", "\\\\").replace('"', '\\"').encode()
    return frozenset([plain + end, b"\\u", *([b"\\/"] if "/" in text else [])])


def _spelled_raw(text: str) -> frozenset[bytes]:
    """How it stands in a line that is no JSON."""
    return frozenset([text.encode()] if text.isascii() else [])


def _either(one: Needles, other: Needles) -> Needles:
    both, ignore_case = one.any_of | other.any_of, one.ignore_case or other.ignore_case
    return Needles(frozenset(map(bytes.lower, both)) if ignore_case else both, ignore_case)
