"""The filter box: one table of cases for this parser and for the page, and what the table can't say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.viewer import filters
from playground.viewer.filters import FilterError, compile, matches, parse

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "filter_cases.json").read_text("utf-8"))
GOOD = [case for case in CASES if "tree" in case]
BAD = [case for case in CASES if "at" in case]


def name(case: dict[str, Any]) -> str:
    return str(case["about"])


def test_the_table_is_large_and_holds_errors() -> None:
    assert len(CASES) >= 80
    assert len(BAD) >= 40


@pytest.mark.parametrize("case", GOOD, ids=name)
def test_a_filter_becomes_its_tree(case: dict[str, Any]) -> None:
    assert parse(case["filter"]) == case["tree"]


@pytest.mark.parametrize("case", GOOD, ids=name)
def test_a_tree_tells_its_records(case: dict[str, Any]) -> None:
    test = compile(case["tree"])
    assert [record for record in case["match"] if not test(record)] == []
    assert [record for record in case["miss"] if test(record)] == []


@pytest.mark.parametrize("case", BAD, ids=name)
def test_a_wrong_filter_says_what_and_where(case: dict[str, Any]) -> None:
    with pytest.raises(FilterError) as caught:
        parse(case["filter"])
    assert caught.value.at == case["at"]
    assert case["says"] in caught.value.sentence
    assert caught.value.sentence.endswith((".", ")"))


def test_a_tree_is_evaluated_without_compiling_first() -> None:
    assert matches(["=", "a", "1"], {"a": 1})


@pytest.mark.parametrize("tree", [[], ["="], ["xor", ["text", "a"], ["text", "b"]], ["?", "a", "b"]])
def test_what_is_no_tree_is_refused(tree: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"tree|operator"):
        compile(tree)


@given(st.text(alphabet="ab.=!~<>()[]{}\"'\\, |*+?^$-&%andort0159\n\u2028\U0001f600", max_size=60))
def test_any_text_is_a_filter_or_an_error_within_the_text(text: str) -> None:
    try:
        tree = parse(text)
    except FilterError as error:
        at = error.at
    else:
        at = 0
        assert json.loads(json.dumps(tree, allow_nan=False)) == tree
        compile(tree)({"a": "b", "b": [1, None, {"ab": True}]})
    assert 0 <= at <= len(text)


def test_the_hardest_patterns_that_pass_are_quick() -> None:
    """Polynomial, and bounded by what a pattern may hold and see."""
    test = compile(parse('a~"x*x*x*y"'))
    assert not test({"a": "x" * 300})


def test_a_record_nested_deeply_is_searched() -> None:
    record: Any = "needle"
    for _ in range(200):
        record = {"a": record}
    assert matches(["text", "NEEDLE"], record)


def test_keys_that_fit_in_many_ways_are_found() -> None:
    key = ".".join("a" * 20)
    assert matches(["=", key, "1"], {"a.a": {".".join("a" * 18): 1}})
    assert not matches(["=", key, "1"], {"a.a": {"a.a.a": {"b": 1}}})
    assert filters.PART_LIMIT < 40
