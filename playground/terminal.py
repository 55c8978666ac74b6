"""Messages on a terminal: strangers' text made harmless, JSON made readable, colors only where they are wanted.

In:   text and JSON values from anywhere, also from a server that wishes us ill.
Out:  lines of a terminal. Whatever the text says, it can't move the cursor, set a title, ring, or hide what follows.
Here nobody knows what a message means.

Theory of operation
    A terminal obeys what it is shown: ESC starts commands that clear the screen, write to the clipboard or forge a
    link, CR overwrites the line it stands in, and characters that turn the direction of writing let `evil.exe` read as
    `exe.live` (CWE-150). So only this module writes to the terminal, and each of its methods escapes the text first and
    colors it afterwards; a caller can't forget. Escapes are written as JSON writes them (\\u001b), so escaped JSON is
    still JSON, and means the same.
"""

import io
import json
import re
import sys
import textwrap
from collections.abc import Mapping
from typing import Any, TextIO

# C0 but tab and newline, DEL, C1, soft hyphen; marks that turn the direction of writing or take no room; line and
# paragraph separators; the tags that spell invisible text; halves of characters, which no encoding can write.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<text>"(?:[^"\\]|\\.)*")|(?P<atom>-?\d[^\s,\]}]*|true|false|null)'
)

# Each is readable on a dark and on a light background; yellow, blue and white are not.
STYLES = {
    "": "",
    "bold": "1",
    "faint": "2",
    "bad": "1;31",
    "good": "32",
    "key": "36",
    "text": "32",
    "atom": "35",
}

LONGEST_TEXT = 2000  # characters of one JSON string that are shown
MOST_LINES = 200  # of one JSON value


def visible(text: str) -> str:
    """Text with everything a terminal would obey written out; newlines and tabs stay.

    >>> print(visible("a\\x1b[2Jb\\rc"))
    a\\u001b[2Jb\\rc
    """
    return _HOSTILE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def one_line(text: str, limit: int = 100) -> str:
    """Text for the middle of a sentence: one line, nothing a terminal would obey, at most `limit` characters.

    >>> one_line("two\\nlines"), one_line("abcdef", 3)
    ('two\\\\nlines', 'abc…')
    """
    cut = visible(text[: limit + 1]).replace("\n", "\\n").replace("\t", "\\t")
    return cut if len(cut) <= limit else cut[:limit] + "…"


def fold(value: Any, width: int = 80) -> str:
    """A JSON value as text: objects and arrays on one line where they fit, else one member a line.

    >>> print(fold({"a": [1, 2], "b": {"c": "a longer text"}}, width=25))
    {
      "a": [1, 2],
      "b": {
        "c": "a longer text"
      }
    }
    """
    return visible(_fold(value, width, 0, 0))


def _fold(value: Any, width: int, indent: int, used: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not (isinstance(value, (dict, list)) and value) or indent + used + len(flat) < width:
        return flat
    pad, parts = " " * (indent + 2), []
    if isinstance(value, dict):
        for name, child in value.items():
            key = json.dumps(name, ensure_ascii=False) + ": "
            parts.append(f"{pad}{key}{_fold(child, width, indent + 2, len(key))}")
    else:
        parts = [pad + _fold(child, width, indent + 2, 0) for child in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return f"{ends[0]}\n" + ",\n".join(parts) + f"\n{' ' * indent}{ends[1]}"


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value) - LONGEST_TEXT} more characters; the log has them all)"
    if isinstance(value, dict):
        return {name: _shortened(child) for name, child in value.items()}
    return [_shortened(child) for child in value] if isinstance(value, list) else value


def wants_color(out: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether to color what goes to `out`: only on a terminal that can, and not if NO_COLOR (no-color.org) is set."""
    return out.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def forgiving(out: TextIO) -> TextIO:
    """The same stream, which from now on escapes what its encoding can't say instead of raising an error."""
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # LC_ALL=C must not end the program at the first "é"
    return out


class Terminal:
    """Where a script writes for its user. Every method escapes its text; styles are the names in STYLES."""

    def __init__(self, out: TextIO, environ: Mapping[str, str], width: int | None = None) -> None:
        import shutil  # with it come compression libraries, which a server's one line need not wait for

        self.out = forgiving(out)
        self.has_color = wants_color(out, environ)
        # One column is left free: some terminals wrap a full line. Beyond 100, prose is hard to read.
        self.width = width or min(shutil.get_terminal_size((80, 24)).columns, 101) - 1
        rich = _can_write(out, "→←─│…")
        self.sent, self.received, self.dash, self.bar = ("→", "←", "─", "│") if rich else ("->", "<-", "-", "|")
        if self.has_color and sys.platform == "win32":
            import os

            os.system("")  # wakes up the old console's understanding of colors

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Writes text, each of its lines indented."""
        for part in visible(text).split("\n"):
            self._write(" " * indent + self._styled(part, style) if part else "")

    def rule(self, title: str) -> None:
        """Writes an empty line, and a line across the screen with a title in it."""
        self._write("")
        head = f"{self.dash * 4} {one_line(title, self.width - 10)} "
        self._write(self._styled(head + self.dash * (self.width - len(head)), "bold"))

    def paragraph(self, text: str, style: str = "", indent: int = 0, label: str = "") -> None:
        """Writes prose, wrapped to the width, behind a label in bold; each of its own lines begins anew."""
        hang = indent + (len(label) + 1 if label else 0)
        first = " " * indent + (self._styled(label, "bold") + " " if label else "")
        for wrapped in self._wrapped(text, hang):
            self._write(first + self._styled(wrapped, style))
            first = " " * hang

    def aside(self, text: str, style: str = "", indent: int = 0) -> None:
        """Writes prose, wrapped to the width, with a bar to the left of each line."""
        for wrapped in self._wrapped(text, indent + 2):
            self._write(" " * indent + self._styled(self.bar, "faint") + " " + self._styled(wrapped, style))

    def _wrapped(self, text: str, hang: int) -> list[str]:
        width = max(self.width - hang, 20)
        parts = visible(text).split("\n")
        # What is longer than a line, such as a link, stays whole: it is there to be copied.
        return [
            line
            for part in parts
            for line in textwrap.wrap(part, width, break_on_hyphens=False, break_long_words=False) or [""]
        ]

    def json(self, value: Any, indent: int = 0) -> None:
        """Writes a JSON value; long texts and very long values are cut, with a word about it."""
        lines = fold(_shortened(value), self.width - indent).split("\n")
        for text in lines[:MOST_LINES]:
            colored = _TOKEN.sub(lambda found: self._styled(found[0], found.lastgroup or ""), text)
            self._write(" " * indent + colored)
        if len(lines) > MOST_LINES:
            self.line(f"… {len(lines) - MOST_LINES} more lines; the log has them all", "faint", indent)

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.has_color and STYLES[style] else text

    def _write(self, text: str) -> None:
        print(text, file=self.out, flush=True)


class Sheet(Terminal):
    """Like a terminal, but its lines are kept, without color, to be shown beside those of another."""

    def __init__(self, terminal: Terminal, width: int) -> None:
        super().__init__(terminal.out, {"NO_COLOR": "1"}, width)
        self._lines: list[str] = []

    def take(self) -> list[str]:
        """The lines since one took them."""
        lines, self._lines = self._lines, []
        return lines

    def _write(self, text: str) -> None:
        self._lines.append(text)


def _can_write(out: TextIO, text: str) -> bool:
    try:
        text.encode(out.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
