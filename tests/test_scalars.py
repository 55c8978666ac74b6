"""Numbers and other scalars as a browser shows them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from playground.viewer.scalars import double, is_number, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5.0, "5"),
        (-1.25, "-1.25"),
        (1e16, "10000000000000000"),
        (123456789012345680000, "123456789012345680000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-1.5e-9, "-1.5e-9"),
        (12345678901234567890.5, "12345678901234567000"),
        (1234567.125, "1234567.125"),
        (2**53 + 1, "9007199254740992"),
        (10**400, "Infinity"),
        (-(10**400), "-Infinity"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ("naïve", "naïve"),
        ([], None),
        ({}, None),
    ],
)
def test_a_scalar_is_shown_as_javascript_does(value: Any, text: str | None) -> None:
    assert text_of(value) == text


def test_true_is_no_number() -> None:
    assert [is_number(value) for value in (True, 1, 1.5, "1", None)] == [False, True, True, False, False]


def test_a_number_beyond_a_double_is_infinite() -> None:
    assert double(10**400) == math.inf
    assert double(-(10**400)) == -math.inf
