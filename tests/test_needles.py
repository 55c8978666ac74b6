"""playground/viewer/needles.py: what stands in a line that passes, and where nothing can be said of it."""

from __future__ import annotations

from typing import Any

import pytest

from playground.viewer.needles import Needles, needles_of


def found(tree: list[Any]) -> set[bytes] | None:
    needles = needles_of(tree)
    return None if needles is None else set(needles.any_of)


@pytest.mark.parametrize(
    ("tree", "needles"),
    [
        (["=", "level", "ERROR"], {b'ERROR"', b"\\u"}),
        (["=", "data.message.method", "tools/call"], {b'tools/call"', b"\\u", b"\\/"}),
        (["=", "note", ""], {b'"', b"\\u"}),
        (["=", "a", "é\n"], {b"\\u"}),
        (["=", "a", 'say "x"'], {b'say \\"x\\""', b"\\u"}),
        (["=", "a", "back\\slash"], {b'back\\\\slash"', b"\\u"}),
        (["text", "Demo.txt"], {b"demo.txt", b"\\u"}),
        (["text", 'say "x'], {b'say "x', b'say \\"x', b"\\u"}),
        (["text", "Ärger"], {b"\\u"}),
        (["text", "\u212ay"], {b"ky", b"\\u"}),
        (["and", ["=", "a", "x"], ["text", "y"]], {b'x"', b"\\u"}),
        (["and", [">", "ms", 5.0], ["=", "a", "x"]], {b'x"', b"\\u"}),
        (["or", ["=", "a", "X"], ["=", "a", "y"]], {b'X"', b'y"', b"\\u"}),
        (["or", ["=", "a", "X"], ["text", "Say"]], {b'x"', b"say", b"\\u"}),
    ],
)
def test_a_text_stands_in_the_line_or_is_escaped(tree: list[Any], needles: set[bytes]) -> None:
    assert found(tree) == needles


@pytest.mark.parametrize(
    "tree",
    [
        ["=", "seq", "7"],
        ["=", "own", "true"],
        ["=", "raw", "x"],
        ["=", "a", "line\nline"],
        ["!=", "a", "x"],
        ["~", "a", "x"],
        ["not", ["=", "a", "x"]],
        ["or", ["=", "a", "x"], [">", "ms", 5.0]],
        ["or", [">", "ms", 5.0], ["=", "a", "x"]],
        ["text", ""],
        ["text", "1000"],
        ["text", "Infinity"],
        ["text", "json"],
        ["text", "fla"],
        ["text", "two\nlines"],
    ],
)
def test_what_can_be_spelled_otherwise_or_is_about_what_is_not_there_has_none(tree: list[Any]) -> None:
    assert found(tree) is None


def test_lines_are_found_once_and_in_order() -> None:
    chunk = b"b a\n\nb\nb c b\nA\na"
    assert Needles(frozenset([b"a", b"c"])).lines(chunk) == ([0, 7, 15], [b"b a", b"b c b", b"a"])
    assert Needles(frozenset([b"a"]), ignore_case=True).lines(chunk) == ([0, 13, 15], [b"b a", b"A", b"a"])
    assert Needles(frozenset([b"x"])).lines(chunk) == ([], [])
