"""Two conversations compared: their lines side by side, or one under the other, with a mark where they differ.

In:   what two conversations would have printed.
Out:  lines of one terminal.
Here nobody knows what the lines say, except that some words in them are new each time: ids of a trace, milliseconds,
the line of the code. Those count as the same.
"""

import re
import shutil
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from playground.terminal import Sheet, Terminal

WIDE_ENOUGH = 120  # columns from which on two conversations fit beside each other

_ALWAYS_NEW = re.compile(r"\b[0-9a-f]{16,32}\b|[\d.]+ ms\b|\w+\.py:\d+")


class Comparison:
    """Two sheets to write on, and one terminal to show them on."""

    def __init__(self, terminal: Terminal, titles: tuple[str, str]) -> None:
        columns = shutil.get_terminal_size((80, 24)).columns
        self._terminal, self._titles, self._is_wide = terminal, titles, columns >= WIDE_ENOUGH
        self._width = (columns - 4) // 2 if self._is_wide else terminal.width - 2
        self.sheets = (Sheet(terminal, self._width), Sheet(terminal, self._width))

    def show(self) -> None:
        """Shows what has been written on the two sheets since the last time."""
        left, right = (sheet.take() for sheet in self.sheets)
        if not left and not right:
            return
        rows = list(aligned(left, right))
        if self._is_wide:
            self._terminal.line(_beside(*self._titles, self._width, " "), "bold")
            for a, b, is_same in rows:
                for part in _folded(a, b, self._width):
                    self._line(_beside(*part, self._width, " " if is_same else self._mark), is_same)
            return
        for title, side in zip(self._titles, (0, 1), strict=True):
            self._terminal.line()
            self._terminal.line(title, "bold")
            for row in rows:
                if (text := row[side]) is not None:
                    self._line(f"{' ' if row[2] else self._mark} {text}", row[2])

    @property
    def _mark(self) -> str:
        return "≠" if self._terminal.bar == "│" else "!"

    def _line(self, text: str, is_same: bool) -> None:
        self._terminal.line(text.rstrip(), "" if is_same else "key")


def aligned(left: list[str], right: list[str]) -> Iterator[tuple[str | None, str | None, bool]]:
    """The lines of both in rows: those of the left, those of the right, and whether they say the same.

    >>> list(aligned(["a", "b"], ["a", "c", "d"]))
    [('a', 'a', True), ('b', 'c', False), (None, 'd', False)]
    """
    matcher = SequenceMatcher(None, [*map(_essence, left)], [*map(_essence, right)], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        for a, b in zip_longest(left[i:j], right[k:m]):
            yield a, b, kind == "equal"


def _essence(line: str) -> str:
    return _ALWAYS_NEW.sub("", line).strip().rstrip(",")


def _folded(left: str | None, right: str | None, width: int) -> Iterator[tuple[str, str]]:
    """A row whose lines are too long for their columns, as several rows."""
    columns = ([text[at : at + width] for at in range(0, len(text), width)] for text in (left or "", right or ""))
    yield from zip_longest(*columns, fillvalue="") if left or right else [("", "")]


def _beside(left: str, right: str, width: int, mark: str) -> str:
    return f"{left:{width}} {mark} {right}"
