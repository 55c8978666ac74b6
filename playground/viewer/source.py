"""The code behind a record: the function around the line that its `src` names.

In:   "server.py:88 read_file", as a log says it, and the project's folder.
Out:  the lines of that function, cut into pieces with the classes of the highlighter.
Here nobody knows records. A log may have been written by anybody, so its `src` is an order to read a file that somebody
else wrote down: only Python files of this project are ever read, by their names below the project's folder, and no link
leads out of it.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("playground", "mcp_core", "tour")  # and the chapters, which stand at the top
LONGEST = 80  # lines of a function that are shown; of a longer one, those around the line
AROUND = 12  # lines before and after a line that stands in no function
_SRC = re.compile(r"((?:[\w-]+/)*[\w-]+\.py):([0-9]{1,6})(?: .*)?", re.ASCII | re.DOTALL)

Piece = tuple[str, str]  # a class of pygments ("k" for a keyword; "" for none), and the text


class NoSource(Exception):
    """A sentence for whoever asked: why there is nothing to show."""


@dataclass(frozen=True, slots=True)
class Source:
    """A stretch of a file. `first` is the number of its first line, `line` the one that was named."""

    path: str
    name: str  # of the function, or ""
    first: int
    line: int
    lines: list[list[Piece]]


def source(src: str, root: Path) -> Source:
    """The code that a record's `src` names. Raises NoSource."""
    found = _SRC.fullmatch(src)
    path = _allowed(found[1], root) if found else None
    if found is None or path is None:
        raise NoSource(f"{src[:80]!a} names no Python file of this project.")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise NoSource(f"{found[1]!a} is not there; the record was written by another version.") from None
    line, count = int(found[2]), len(text.splitlines())
    if not 1 <= line <= count:
        raise NoSource(f"{found[1]!a} has {count} lines and no line {line}; it has changed since.")
    name, first, last = _around(text, line, count)
    return Source(found[1], name, first, line, _pieces(text)[first - 1 : last])


def _allowed(name: str, root: Path) -> Path | None:
    """The file, if it is one of this project's own."""
    parts = name.split("/")
    if parts[0] not in FOLDERS and len(parts) > 1:
        return None
    base = root.resolve()
    path = base / name
    return path if path.resolve() == path and path.is_relative_to(base) else None


def _around(text: str, line: int, count: int) -> tuple[str, int, int]:
    """The innermost function or class around a line: its name, its first and its last line."""
    name, first, last = "", max(1, line - AROUND), min(count, line + AROUND)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return name, first, last
    for node in ast.walk(tree):  # from outside to inside
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            end = node.end_lineno or start
            if start <= line <= end:
                name, first, last = node.name, start, end
    if last - first >= LONGEST:
        half = LONGEST // 2
        first = max(first, line - half)
        last = min(last, first + LONGEST - 1)
    return name, first, last


def _pieces(text: str) -> list[list[Piece]]:
    """The lines of a text, each in pieces."""
    from pygments.lexers import PythonLexer
    from pygments.token import STANDARD_TYPES

    lines: list[list[Piece]] = [[]]
    for kind, value in PythonLexer(stripnl=False).get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((STANDARD_TYPES.get(kind, ""), part))
    return lines
