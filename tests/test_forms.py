"""Forms of an elicitation: each kind of field, filled, typed, and checked."""

from typing import Any

import pytest

from mcp_core import forms
from mcp_core.forms import Field

OPTIONS = ["one", "two"]
TITLED = [{"const": "one", "title": "The first"}, {"const": "two", "title": "The second"}]
CHOICES = (("one", "The first"), ("two", "The second"))


def form(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def only(rules: Any) -> Field:
    (line,) = forms.fields(form(it=rules))
    return line


def complaints(rules: Any, value: Any) -> list[str]:
    return forms.fill(form(it=rules), {"it": value})[1]


@pytest.mark.parametrize(
    ("rules", "choices", "is_multiple"),
    [
        ({"type": "string", "enum": OPTIONS}, (("one", "one"), ("two", "two")), False),
        ({"type": "string", "enum": OPTIONS, "enumNames": ["The first", "The second"]}, CHOICES, False),
        ({"type": "string", "enum": OPTIONS, "enumNames": ["too few"]}, (("one", "one"), ("two", "two")), False),
        ({"type": "string", "oneOf": TITLED}, CHOICES, False),
        ({"type": "string", "oneOf": [{"const": "one"}, "odd"]}, (("one", "one"),), False),
        ({"type": "array", "items": {"type": "string", "enum": OPTIONS}}, (("one", "one"), ("two", "two")), True),
        ({"type": "array", "items": {"anyOf": TITLED}}, CHOICES, True),
        ({"type": "string"}, (), False),
        ({"type": "array"}, (), True),
    ],
)
def test_a_choice_in_each_of_its_spellings(rules: Any, choices: Any, is_multiple: bool) -> None:
    assert only(rules).choices == choices
    assert only(rules).is_multiple == is_multiple


def test_a_field_has_a_name_a_kind_and_words_for_people() -> None:
    line = only({"type": "integer", "title": "Age", "description": "In years.", "default": 3})
    assert (line.kind, line.title, line.description, line.default) == ("integer", "Age", "In years.", 3)
    odd = only({"type": "object", "title": 5})
    assert (odd.kind, odd.title, odd.description) == ("string", "it", "")


@pytest.mark.parametrize("schema", [{}, {"properties": [], "required": "all"}, {"properties": {"a": True}}])
def test_a_schema_that_is_no_form_has_no_fields(schema: Any) -> None:
    assert forms.fields(schema) == []


def test_defaults_fill_what_was_left_alone() -> None:
    schema = form(
        ("name", "color"),
        name={"type": "string"},
        color={"type": "string", "enum": ["red"], "default": "red"},
        score={"type": "number", "default": 95.5},
        sure={"type": "boolean", "default": False},
        tags={"type": "array", "items": {"type": "string", "enum": OPTIONS}, "default": ["one"]},
        note={"type": "string"},
    )
    content, faults = forms.fill(schema, {"name": "Ana", "score": 1, "note": None})
    assert content == {"name": "Ana", "color": "red", "score": 1, "sure": False, "tags": ["one"]}
    assert faults == []
    assert forms.fill(schema, {"other": 1}) == (
        {"color": "red", "score": 95.5, "sure": False, "tags": ["one"]},
        ["'other' is not in the form", "'name' is missing"],
    )


@pytest.mark.parametrize(
    ("rules", "good", "bad"),
    [
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd", 5, ["ab"]]),
        ({"type": "integer", "minimum": 1, "maximum": 9}, [1, 9, 5.0], [0, 10, 1.5, "1", True]),
        ({"type": "number"}, [1, 1.5], ["1", False]),
        ({"type": "boolean"}, [True, False], [0, "yes"]),
        ({"type": "string", "format": "email"}, ["a@b.example"], ["a", "a@", "a b@c", 5]),
        ({"type": "string", "format": "uri"}, ["http://a/", "mailto:a@b"], ["a", "http:", "http://a b", "http://[a"]),
        ({"type": "string", "format": "date"}, ["2026-02-29"], ["2026-02-30", "2026-13-01", "20260101", "today"]),
        (
            {"type": "string", "format": "date-time"},
            ["2026-01-31T23:59:60Z", "2026-01-31T10:00:00.5+01:00"],
            ["2026-01-31", "2026-01-31T10:00:00", "2026-01-31T25:00:00Z"],
        ),
        ({"type": "string", "format": "unheard-of"}, ["anything"], []),
        ({"type": "string", "enum": OPTIONS}, ["one"], ["three", 1, ["one"]]),
        ({"type": "string", "oneOf": TITLED}, ["two"], ["The second"]),
        (
            {"type": "array", "items": {"anyOf": TITLED}, "minItems": 1, "maxItems": 2},
            [["one"], ["one", "two"]],
            [[], ["one", "one", "two"], ["three"], "one", {}],
        ),
        ({"type": "array", "items": {"enum": OPTIONS}, "minItems": "odd", "maxItems": "odd"}, [[]], []),
    ],
)
def test_each_kind_is_checked(rules: Any, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if complaints(rules, value)] == []
    assert [value for value in bad if not complaints(rules, value)] == []
    assert all(complaints(rules, value)[0].startswith("'it'") for value in bad)


def test_a_rule_that_cannot_be_used_is_a_complaint() -> None:
    assert "can't be checked" in complaints({"type": "nonsense"}, 1)[0]


@pytest.mark.parametrize(
    ("rules", "typed", "value"),
    [
        ({"type": "string"}, " as it is ", " as it is "),
        ({"type": "integer"}, " 42 ", 42),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "n", False),
        ({"type": "string", "oneOf": TITLED}, "the first", "one"),
        ({"type": "array", "items": {"enum": OPTIONS}}, "two, ONE,", ["two", "one"]),
        ({"type": "array", "items": {"enum": OPTIONS}}, "", []),
    ],
)
def test_typed_text_becomes_a_value(rules: Any, typed: str, value: Any) -> None:
    assert forms.read(only(rules), typed) == value


@pytest.mark.parametrize(
    ("rules", "typed", "sentence"),
    [
        ({"type": "integer"}, "1.5", "'it' is a whole number"),
        ({"type": "number"}, "much", "'it' is a number"),
        ({"type": "boolean"}, "perhaps", "'it' is yes or no"),
        ({"type": "string", "enum": OPTIONS}, "three", "'it' is one of 'one', 'two'"),
    ],
)
def test_typed_text_that_is_no_value_is_said_so(rules: Any, typed: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        forms.read(only(rules), typed)
