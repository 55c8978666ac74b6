"""playground/viewer/keys.py: what a dotted key finds."""

from typing import Any

import pytest

from playground.viewer.keys import MISSING, finder


@pytest.mark.parametrize(
    ("key", "record", "value"),
    [
        ("a", {"a": 1}, 1),
        ("a", {"a": None}, None),
        ("a", {"b": 1}, MISSING),
        ("a", "a", MISSING),
        ("a.b", {"a": {"b": 1}}, 1),
        ("a.b", {"a.b": 2, "a": {"b": 1}}, 2),
        ("a.b.c", {"a.b": {"x": 1}, "a": {"b.c": 3}}, 3),
        ("a.b.c", {"a": {"b": {"c": 1}, "b.c": 3}}, 3),
        ("a.b", {"a": "text"}, MISSING),
        ("a.0", {"a": [5]}, 5),
        ("a.1", {"a": [5]}, MISSING),
        ("a.0", {"a": {"0": 6}}, 6),
        ("a.00", {"a": [5]}, MISSING),
        ("a.0.b", {"a": [{"b": 7}]}, 7),
        ("a.x", {"a": [5]}, MISSING),
    ],
)
def test_the_longest_name_that_leads_somewhere_wins(key: str, record: Any, value: Any) -> None:
    assert finder(key)(record) is value
