"""Patterns in the common spelling of both engines. More cases stand in filter_cases.json."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.viewer.patterns import PATTERN_LIMIT, PatternError, portable


@pytest.mark.parametrize(
    ("pattern", "spelled"),
    [
        ("abc", "abc"),
        (".", r"[^\n\r\u2028\u2029]"),
        ("a$", r"a$(?!\n)"),
        (r"\d\D\w\W\s\S", r"[0-9][^0-9][A-Za-z0-9_][^A-Za-z0-9_][\t-\r ][^\t-\r ]"),
        (r"[\w.]", "[A-Za-z0-9_.]"),
        (r"[^-a]", r"[^\-a]"),
        ("[a-]", r"[a\-]"),
        ("(a)(?:b)", "(?:a)(?:b)"),
        ("a{2}b{2,}c{2,3}?", "a{2}b{2,}c{2,3}?"),
        (r"\n\t\r\f\v", r"\n\t\r\f\v"),
        (r"[\n-\r]", r"[\n-\r]"),
        ("a/b", r"a\/b"),
        (r"\-\@", "-@"),
        (r"[\]\-\^]", r"[\]\-\^]"),
        ("a|", "a|"),
        ("(a|b)??", "(?:a|b)??"),
        (r"\B", r"\B"),
    ],
)
def test_a_pattern_is_spelled_for_both_engines(pattern: str, spelled: str) -> None:
    assert portable(pattern) == spelled
    re.compile(spelled)


@pytest.mark.parametrize(
    ("pattern", "at"),
    [
        ("a" * (PATTERN_LIMIT + 1), 0),
        ("a)", 1),
        ("(a", 0),
        ("[", 0),
        ("[^", 0),
        ("[^]]", 0),
        ("[a-z-9]", 4),
        ("[b-a]", 3),
        ("[a-\\d]", 3),
        ("[\\d-a]", 3),
        ("?", 0),
        ("a{", 1),
        ("a{x}", 1),
        ("a{2,1}", 1),
        ("a{999}", 1),
        ("a**", 2),
        ("$?", 0),
        (r"\b+", 0),
        (r"\1", 0),
        (r"\u0041", 0),
        ("[\\q]", 1),
        ("[\\", 1),
        ("\\", 0),
        ("(?!a)", 0),
        ("(a*)*", 0),
        ("((a|b))+", 0),
        ("a+b+c+d+", 6),
        ("(" * 22, 20),
    ],
)
def test_what_only_one_engine_knows_or_could_take_for_ever_is_refused(pattern: str, at: int) -> None:
    with pytest.raises(PatternError) as caught:
        portable(pattern)
    assert caught.value.at == at


@given(st.text(alphabet=r"ab01.\dwsbn[]^-(){},|*+?$: /" + "é\u2028", max_size=25))
def test_what_is_spelled_compiles(pattern: str) -> None:
    try:
        re.compile(portable(pattern), re.ASCII)
        at = 0
    except PatternError as error:
        at = error.at
    assert 0 <= at <= len(pattern)
