"""Any value becomes strict ASCII JSON."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.anyjson import DEPTH_LIMIT, encode


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, True]}, '{"a":[1,null,true]}'),
        ("\ud800\u2028", '"\\ud800\\u2028"'),
        ([float("nan"), float("inf"), float("-inf")], '["NaN","Infinity","-Infinity"]'),
        ({float("inf"): 1, None: 2, 3: {"n": float("nan")}}, '{"inf":1,"None":2,"3":{"n":"NaN"}}'),
        (PurePosixPath("a/b"), '"a/b"'),
        ((1, 2), "[1,2]"),
        ({(1, 2): 3}, '{"(1, 2)":3}'),
    ],
)
def test_a_value_is_written_or_described(value: Any, text: str) -> None:
    assert encode(value) == text


def test_a_huge_integer_is_written_in_hexadecimal() -> None:
    assert encode([16**5000]) == '["0x1' + "0" * 5000 + '"]'


def test_a_value_nested_too_deeply_is_cut() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value, {"a": value}] if value == 1 else [value]
    text = encode(value)
    assert text.count("[") == DEPTH_LIMIT + 1
    assert "nested deeper" in text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_comes_is_strict_ascii_json_on_one_line(value: Any) -> None:
    text = encode(value)
    assert text.isascii()
    assert "\n" not in text
    json.loads(text, parse_constant=refuse)
