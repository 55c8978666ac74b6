"""The filter box: from what a person types to a test on a record.

In:   text like `level=ERROR, data.message.method~^tools/ and not (ms<500 or demo.txt)`.
Out:  a tree of nested lists, which is JSON, and from the tree a function record -> bool.
Here nobody knows where records come from. The page gets the tree from /filter and evaluates it with
web/match.js; tests/filter_cases.json holds both to the same answers.

Theory of operation
    filter    = either                  (an empty filter is ["text", ""], which every record matches)
    either    = both { "or" both }
    both      = one { [ "," | "and" ] one }
    one       = "not" one | "(" either ")" | key operator value | word
    operator  = "=" | "!=" | "~" | ">" | "<"

    A word or value ends at a blank or a comma; brackets inside a value belong to it as long as they
    balance, so `event~^tool_(call|list)` needs no quotes. Quotes, single or double, keep everything; inside
    them a backslash protects a quote or a backslash. A key descends by its dots, also into arrays
    (`content.0.text`); where a name itself holds dots (`io.modelcontextprotocol/clientInfo`) the longest
    name that fits is tried first. Nothing is inherited: `constructor` is a key like any other.

    Strings are compared as text; true, false and null with those words; numbers as the doubles they are,
    because that is all a browser can see of them. A missing key, an object or an array equals nothing, so
    `=` is false and `!=` true. `>` and `<` hold for numbers only. A bare word is looked for, whatever its
    case, in every key and value.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from playground.viewer.keys import MISSING, finder
from playground.viewer.patterns import TEXT_LIMIT, PatternError, portable
from playground.viewer.scalars import double, is_number, text_of

Tree = list[Any]
Test = Callable[[Any], bool]

LENGTH_LIMIT = 2000  # characters of one filter
TERM_LIMIT = 100
DEPTH_LIMIT = 50
PART_LIMIT = 32  # dots of one key

_KEYWORD = re.compile(r"(and|or|not)(?=[\s(),]|$)", re.IGNORECASE)
_NAME = re.compile(r"(?:[^\s,()=~<>!]|!(?!=))+")
_OPERATOR = re.compile(r"\s*(!=|=|~|>|<)")
_BLANK = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class FilterError(ValueError):
    """What is wrong with a filter, as a sentence, and at which character it is."""

    def __init__(self, sentence: str, at: int) -> None:
        super().__init__(sentence)
        self.sentence, self.at = sentence, at


# ---- From text to tree -------------------------------------------------------------------------------------


def parse(text: str) -> Tree:
    """The tree of a filter. Raises FilterError.

    >>> parse("level=ERROR, ms>500")
    ['and', ['=', 'level', 'ERROR'], ['>', 'ms', 500.0]]
    """
    if len(text) > LENGTH_LIMIT:
        raise FilterError(f"A filter may have {LENGTH_LIMIT} characters, and this has {len(text)}.", LENGTH_LIMIT)
    reader = _Reader(text)
    if reader.rest() == "":
        return ["text", ""]
    tree = reader.either(0)
    if reader.rest():
        raise FilterError("This ')' closes nothing.", reader.at)
    return tree


class _Reader:
    """Recursive descent over the text; `at` is where it stands."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.terms = text, 0, 0

    def rest(self) -> str:
        """The character after any blanks, "" at the end."""
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches the empty text too
        return self.text[self.at : self.at + 1]

    def keyword(self) -> str:
        self.rest()
        found = _KEYWORD.match(self.text, self.at)
        return found.group().lower() if found else ""

    def either(self, depth: int) -> Tree:
        tree = self.both(depth)
        while self.keyword() == "or":
            self.at += 2
            tree = ["or", tree, self.both(depth)]
        return tree

    def both(self, depth: int) -> Tree:
        tree = self.one(depth)
        while (char := self.rest()) not in ("", ")") and (word := self.keyword()) != "or":
            self.at += 1 if char == "," else 3 if word == "and" else 0
            tree = ["and", tree, self.one(depth)]
        return tree

    def one(self, depth: int) -> Tree:
        char, word, start = self.rest(), self.keyword(), self.at
        if depth > DEPTH_LIMIT:
            raise FilterError(f"A filter may be nested {DEPTH_LIMIT} deep.", start)
        if char in ("", ",", ")") or word in ("and", "or"):
            raise FilterError("A condition is missing here, like level=ERROR or a word to look for.", start)
        if word == "not":
            self.at += 3
            return ["not", self.one(depth + 1)]
        if char == "(":
            self.at += 1
            tree = self.either(depth + 1)
            if self.rest() != ")":
                raise FilterError("This '(' is never closed.", start)
            self.at += 1
            return tree
        return self.term(start)

    def term(self, start: int) -> Tree:
        self.terms += 1
        if self.terms > TERM_LIMIT:
            raise FilterError(f"A filter may have {TERM_LIMIT} conditions.", start)
        if self.text[start] in "\"'":
            name = self.quoted()
        else:
            found = _NAME.match(self.text, start)
            if not found:
                raise FilterError(f"A key is missing before '{self.text[start]}'.", start)
            name, self.at = found.group(), found.end()
        operator = _OPERATOR.match(self.text, self.at)
        if not operator:
            return ["text", name]
        if name.count(".") > PART_LIMIT:
            raise FilterError(f"A key may have {PART_LIMIT} dots.", start)
        self.at = operator.end()
        return self.comparison(operator.group(1), name)

    def comparison(self, operator: str, key: str) -> Tree:
        if self.text[self.at : self.at + 1] == "=":
            raise FilterError("The operators are = != ~ > < and nothing longer.", self.at - 1)
        self.rest()
        start = self.at
        value = self.value(f"{key[:40]}{operator}")
        if operator in "><":
            if not _NUMBER.fullmatch(value) or math.isinf(float(value)):
                raise FilterError(f"After '{operator}' comes a number, like ms>500.", start)
            return [operator, key, float(value)]
        if operator == "~":
            try:
                value = portable(value)
            except PatternError as error:
                quote = self.text[start] in "\"'"
                raise FilterError(error.sentence, min(start + quote + error.at, len(self.text))) from None
        return [operator, key, value]

    def value(self, before: str) -> str:
        if self.rest() in ('"', "'") and self.rest():
            return self.quoted()
        start, depth = self.at, 0
        while self.at < len(self.text) and not (char := self.text[self.at]).isspace():
            if depth == 0 and char in ",)":
                break
            depth = max(0, depth + (char in "([") - (char in ")]"))
            self.at += 1
        if self.at == start:
            raise FilterError(f'A value is missing after {before} (write "" for an empty one).', start)
        return self.text[start : self.at]

    def quoted(self) -> str:
        start, quote, out = self.at, self.text[self.at], []
        self.at += 1
        while (char := self.text[self.at : self.at + 1]) != quote:
            if not char:
                raise FilterError("This quotation mark is never closed.", start)
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in (quote, "\\"):
                self.at += 1
            out.append(self.text[self.at : self.at + 1])
            self.at += 1
        self.at += 1
        return "".join(out)


# ---- From tree to test -------------------------------------------------------------------------------------


def matches(tree: Tree, record: Any) -> bool:
    """Whether a record passes a filter.

    >>> matches(parse("data.message.id=7"), {"data": {"message": {"id": 7}}})
    True
    """
    return compile(tree)(record)


@dataclass(frozen=True)
class Filter:
    """A test on records that knows what it is made of: who has lines need not read all of them (sieve.py)."""

    tree: Tree
    test: Test

    def __call__(self, record: Any) -> bool:
        return self.test(record)


def compile(tree: Tree) -> Filter:
    """The tree as one function of a record; build it once and use it on many."""
    return Filter(tree, _compiled(tree))


def _compiled(tree: Tree) -> Test:
    match tree:
        case ["and", left, right]:
            first, second = _compiled(left), _compiled(right)
            return lambda record: first(record) and second(record)
        case ["or", left, right]:
            first, second = _compiled(left), _compiled(right)
            return lambda record: first(record) or second(record)
        case ["not", inner]:
            test = _compiled(inner)
            return lambda record: not test(record)
        case ["text", word]:
            needle = word.lower()
            return (lambda record: _holds(record, needle)) if needle else lambda record: True
        case [str(operator), str(key), operand]:
            look, test = finder(key), _comparison(operator.removeprefix("!"), operand)
            if operator == "!=":
                return lambda record: not test(look(record))
            return lambda record: test(look(record))
    raise ValueError(f"This is not a filter's tree: {tree!r:.80}")


def _comparison(operator: str, operand: Any) -> Test:
    match operator:
        case "=":
            return _equality(operand)
        case "~":
            search = re.compile(operand, re.ASCII).search
            return lambda value: (text := text_of(value)) is not None and bool(search(text[:TEXT_LIMIT]))
        case ">":
            return lambda value: is_number(value) and double(value) > operand
        case "<":
            return lambda value: is_number(value) and double(value) < operand
    raise ValueError(f"{operator!r} is not an operator of a filter.")


def is_literal(text: str) -> bool:
    """Whether a value that is no text may equal this: a number, true, false or null."""
    return text in _WORDS or bool(_NUMBER.fullmatch(text))


def _equality(text: str) -> Test:
    number = double(Decimal(text)) if _NUMBER.fullmatch(text) else None
    word = _WORDS.get(text, MISSING)

    def equals(value: Any) -> bool:
        if isinstance(value, str):
            return value == text
        if value is None or isinstance(value, bool):
            return value is word
        return number is not None and is_number(value) and double(value) == number

    return equals


def _holds(value: Any, needle: str) -> bool:
    """Whether any key or value inside holds the lower-case needle."""
    if isinstance(value, dict):
        return any(needle in key.lower() or _holds(inner, needle) for key, inner in value.items())
    if isinstance(value, list):
        return any(_holds(inner, needle) for inner in value)
    return needle in (text_of(value) or "").lower()
