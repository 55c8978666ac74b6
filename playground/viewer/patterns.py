"""Regular expressions that mean the same in Python and in a browser.

In:   a pattern as a person typed it into the filter box.
Out:  the same pattern, spelled so that Python's `re` and JavaScript's `RegExp` (flag "u") agree on every
      text.
Here nobody knows what the pattern will be matched against.

Theory of operation
    The server filters the history and the page filters the live records, with two regex engines. They agree
    on the heart of the language and differ at its edges: `.` and `\\s` stand for different characters, `$`
    may or may not match before a last line feed, and each has constructs the other lacks. So the pattern is
    read here once, what only one engine knows is refused with a sentence, and the edges are spelled out:
    `.` becomes a class that names the four line ends, `\\s` the six ASCII blanks, `$` the very end.

    Both engines backtrack, so some patterns take exponential time on the wrong text. The usual cause is a
    repeat around a repeat or a choice, like (a+)+ or (a|aa)*; these are refused. Without them the time is a
    polynomial whose degree is the number of open-ended repeats, and that number, the pattern's length and
    the text's (TEXT_LIMIT) are bounded.
"""

import re

PATTERN_LIMIT = 200  # characters
REPEAT_LIMIT = 3  # open-ended repeats in one pattern
COUNT_LIMIT = 100  # the largest number inside {m,n}
TEXT_LIMIT = 2000  # a pattern sees this many characters of a value, here and in the page

_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": r"\t-\r "}
_CONTROLS = "nrtfv"
_SYNTAX = set(r"^$\.*+?()[]{}|/")  # what may, and here must, be escaped under the flag "u"
_COUNTED = re.compile(r"\{(\d{1,4})(?:(,)(\d{0,4}))?\}", re.ASCII)


class PatternError(ValueError):
    """What is wrong, as a sentence, and at which character of the pattern."""

    def __init__(self, sentence: str, at: int) -> None:
        super().__init__(sentence)
        self.sentence, self.at = sentence, at


def portable(pattern: str) -> str:
    """The pattern in its common spelling. Raises PatternError.

    >>> portable(r"^tool_.*\\s$")
    '^tool_[^\\\\n\\\\r\\\\u2028\\\\u2029]*[\\\\t-\\\\r ]$(?!\\\\n)'
    """
    if len(pattern) > PATTERN_LIMIT:
        raise PatternError(f"A regular expression may have {PATTERN_LIMIT} characters, and this has more.", 0)
    reader = _Reader(pattern)
    text, _ = reader.choice(0)
    if reader.at < len(pattern):
        raise PatternError(
            "This ')' closes no group of the regular expression; write \\) for the character.", reader.at
        )
    return text


class _Reader:
    """Recursive descent: choice -> sequence -> piece -> class. Each returns its common spelling."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.open_ended = pattern, 0, 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def choice(self, depth: int) -> tuple[str, bool]:
        """Alternatives up to the end or a ')'; and whether repeating them could take exponential time."""
        text, risky = self.sequence(depth)
        while self.peek() == "|":
            self.at += 1
            more, _ = self.sequence(depth)
            text, risky = f"{text}|{more}", True
        return text, risky

    def sequence(self, depth: int) -> tuple[str, bool]:
        pieces, risky = [], False
        while self.peek() not in ("", "|", ")"):
            start = self.at
            piece, repeatable, inner_risk = self.piece(depth)
            repeat, is_open = self.repeat(repeatable, start)
            if inner_risk and repeat not in ("", "?", "??"):
                raise PatternError("A repeat around a repeat or a choice can take for ever; write it flat.", start)
            self.open_ended += is_open
            if self.open_ended > REPEAT_LIMIT:
                raise PatternError(
                    f"More than {REPEAT_LIMIT} open-ended repeats (* or +) could take for ever; use fewer.",
                    start,
                )
            pieces.append(piece + repeat)
            risky = risky or inner_risk or bool(repeat)
        return "".join(pieces), risky

    def piece(self, depth: int) -> tuple[str, bool, bool]:
        """One item: its spelling, whether it may be repeated, and whether repeating it is a risk."""
        char, start = self.peek(), self.at
        self.at += 1
        match char:
            case "(":
                return self.group(start, depth)
            case "[":
                return self.char_class(start), True, False
            case ".":
                return r"[^\n\r\u2028\u2029]", True, False
            case "^":
                return "^", False, False
            case "$":
                return r"$(?!\n)", False, False
            case "\\":
                return self.escape(start)
            case "*" | "+" | "?" | "{":
                raise PatternError(f"There is nothing for '{char}' to repeat; write \\{char} for the character.", start)
            case _:
                return ("\\" + char if char in _SYNTAX else char), True, False

    def group(self, start: int, depth: int) -> tuple[str, bool, bool]:
        if depth >= 20:
            raise PatternError("The groups of this regular expression are nested too deeply.", start)
        if self.peek() == "?":
            if self.pattern[self.at : self.at + 2] != "?:":
                raise PatternError("Of the groups that begin with '(?' only '(?:' is supported.", start)
            self.at += 2
        inner, risky = self.choice(depth + 1)
        if self.peek() != ")":
            raise PatternError("This group of the regular expression is never closed with ')'.", start)
        self.at += 1
        return f"(?:{inner})", True, risky

    def escape(self, start: int) -> tuple[str, bool, bool]:
        char = self.peek()
        self.at += 1
        if char in ("b", "B"):
            return "\\" + char, False, False
        if char and char in "dws":
            return f"[{_CLASSES[char]}]", True, False
        if char and char in "DWS":
            return f"[^{_CLASSES[char.lower()]}]", True, False
        return self.character(char, start, _SYNTAX), True, False

    def character(self, char: str, start: int, escaped: set[str]) -> str:
        """An escaped single character, in the spelling both engines take."""
        if not char:
            raise PatternError("A regular expression can't end with a single backslash.", start)
        if char in _CONTROLS:
            return "\\" + char
        if char.isalnum() or char == "_":
            raise PatternError(f"The escape \\{char} is not supported in a regular expression here.", start)
        return "\\" + char if char in escaped else char

    def char_class(self, start: int) -> str:
        special = {"\\", "]", "[", "^", "-"}
        out = ["["]
        if self.peek() == "^":
            self.at += 1
            out.append("^")
        first, low = True, ""  # low: the beginning of a range that a '-' has announced
        while (char := self.peek()) != "]" or first:
            if not char or (char == "]" and first):
                raise PatternError("This character class is empty or never closed with ']'.", start)
            here, first = self.at, False
            item, value = self.class_item(special)
            if low and (not value or low > value):
                raise PatternError("This range of characters runs backwards or has no single end.", here)
            out.append(item)
            low = ""
            if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                if not value or out[-2:-1] == ["-"]:
                    raise PatternError("A range needs one character on each side of '-'.", self.at)
                self.at += 1
                out.append("-")
                low = value
        self.at += 1
        return "".join(out) + "]"

    def class_item(self, special: set[str]) -> tuple[str, str]:
        """One member of a class: its spelling, and the character it stands for ("" for a set like \\d)."""
        char, start = self.peek(), self.at
        self.at += 1
        if char != "\\":
            return ("\\" + char if char in special else char), char
        char = self.peek()
        self.at += 1
        if char and char in "dws":
            return _CLASSES[char], ""
        spelled = self.character(char, start, special | _SYNTAX)
        return spelled, dict(zip(_CONTROLS, "\n\r\t\f\v", strict=True)).get(char, char)

    def repeat(self, repeatable: bool, start: int) -> tuple[str, bool]:
        """The repeat that follows a piece ("" if none), and whether it has no upper bound."""
        sign = self.peek()
        if sign not in ("*", "+", "?", "{"):
            return "", False
        if not repeatable:
            raise PatternError("An anchor can't be repeated.", start)
        is_open = sign in "*+"
        if sign == "{":
            counted = _COUNTED.match(self.pattern, self.at)
            if not counted:
                raise PatternError("After '{' comes a count like {2} or {2,5}; write \\{ for the character.", self.at)
            low, comma, high = counted.groups()
            if max(int(low), int(high or low)) > COUNT_LIMIT or (high and int(high) < int(low)):
                raise PatternError(f"A count goes from a smaller to a larger number, at most {COUNT_LIMIT}.", self.at)
            sign, is_open = counted.group(), bool(comma and not high)
        self.at += len(sign)
        if self.peek() == "?":
            self.at += 1
            sign += "?"
        if self.peek() in ("*", "+", "?", "{"):
            raise PatternError("A repeat can't be repeated.", self.at)
        return sign, is_open
