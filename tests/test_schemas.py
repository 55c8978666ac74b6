"""Schemas of signatures, and complaints about values, in sentences that a model can mend its arguments by."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core import schemas
from mcp_core.schemas import MAX_COMPLAINTS, checker, of_parameters, of_type, shortened


class Point(TypedDict):
    x: int
    label: NotRequired[Annotated[str, "What to call it."]]


class Loose(TypedDict, total=False):
    a: int
    b: Required[str]


class Empty(TypedDict):
    pass


TYPES: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (type(None), {"type": "null"}),
    (Annotated[str, "A city."], {"type": "string", "description": "A city."}),
    (Annotated[int, {"minimum": 1}], {"type": "integer", "minimum": 1}),
    (Annotated[int, "A.", {"minimum": 1}], {"type": "integer", "description": "A.", "minimum": 1}),
    (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
    (Literal[1, "a"], {"enum": [1, "a"]}),
    (Literal[None], {"enum": [None], "type": "null"}),
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (typing.Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045 - the old spelling too
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list[list[str]], {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    (list[Annotated[int, {"minimum": 1}]], {"type": "array", "items": {"type": "integer", "minimum": 1}}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (dict[str, Any], {"type": "object", "additionalProperties": True}),
    (
        Point,
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "label": {"type": "string", "description": "What to call it."}},
            "required": ["x"],
        },
    ),
    (
        Loose,
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"]},
    ),
    (Empty, {"type": "object", "properties": {}}),
]


@pytest.mark.parametrize(("hint", "schema"), TYPES)
def test_a_type_has_its_schema(hint: Any, schema: dict[str, Any]) -> None:
    found = of_type(hint)
    assert found == schema
    assert list(found) == list(schema)
    jsonschema_rs.meta.validate(found)
    json.dumps(found)


@pytest.mark.parametrize(
    "hint", [Any, object, list, dict, tuple[int, ...], set[str], dict[int, str], bytes, complex, "x", 5]
)
def test_a_type_that_json_schema_cannot_describe_is_an_error_and_never_empty(hint: Any) -> None:
    with pytest.raises(TypeError, match="can't be described as JSON Schema"):
        of_type(hint)


def test_two_schemas_of_one_type_share_nothing() -> None:
    of_type(str)["description"] = "changed"
    assert of_type(str) == {"type": "string"}


def test_a_signature_has_its_schema() -> None:
    def order(what: Annotated[str, "A dish."], count: int = 1, note: str | None = None) -> None: ...

    assert of_parameters(order) == {
        "type": "object",
        "properties": {
            "what": {"type": "string", "description": "A dish."},
            "count": {"type": "integer", "default": 1},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "additionalProperties": False,
        "required": ["what"],
    }


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    def nothing() -> None: ...

    assert of_parameters(nothing) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_parameter_given_only_by_name_is_like_any_other() -> None:
    def keyed(*, a: int) -> None: ...

    assert of_parameters(keyed)["required"] == ["a"]


def bare(a) -> None: ...  # type: ignore[no-untyped-def]
def several(*a: int) -> None: ...
def named(**a: int) -> None: ...
def by_position(a: int, /) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (bare, "bare: the parameter a has no annotation"),
        (several, r"several: \*a.* can't be passed by name"),
        (named, r"named: \*\*a.* can't be passed by name"),
        (by_position, "by_position: a.* can't be passed by name"),
    ],
)
def test_a_parameter_that_mcp_cannot_pass_is_an_error(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        of_parameters(function)


# ---- Values against schemas ------------------------------------------------------------------------------------------

FILE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "filename": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "inner": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "mode": {"enum": ["r", "w"]},
    },
    "required": ["filename"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "complaints"),
    [
        ({"filename": "a"}, []),
        ({"filename": "a", "count": 1.0}, []),  # JSON Schema counts 1.0 as an integer
        ({}, ["'filename' is missing"]),
        ({"filename": 5}, ["'filename' must be of type string, and 5 is not"]),
        ({"filename": None}, ["'filename' must be of type string, and null is not"]),
        ({"filename": []}, ["'filename' must be of type string, and [] is not"]),
        ({"filename": True}, ["'filename' must be of type string, and true is not"]),
        ({"filename": "a", "extra": 1}, ["'extra' is not known here"]),
        ({"filename": "a", "count": "one"}, ["'count' must be of type integer, and 'one' is not"]),
        ({"filename": "a", "count": True}, ["'count' must be of type integer, and true is not"]),
        ({"filename": "a", "tags": ["x", 5]}, ["'tags.1' must be of type string, and 5 is not"]),
        ({"filename": "a", "inner": {}}, ["'inner.a' is missing"]),
        ([], ["the value must be of type object, and [] is not"]),
        (None, ["the value must be of type object, and null is not"]),
        ({"filename": "a", "\x1b[2J\n": 1}, ["'\\x1b[2J\\n' is not known here"]),
        ({"\ud800": 1}, ["it holds half a character (a lone surrogate), which is not valid Unicode text"]),
    ],
)
def test_a_complaint_names_the_field_and_what_was_expected(value: Any, complaints: list[str]) -> None:
    assert checker(FILE)(value) == complaints


@pytest.mark.parametrize(("value", "words"), [({"count": 0}, "'count': 0 is less than"), ({"mode": "x"}, "'mode': ")])
def test_any_other_rule_is_told_in_the_words_of_the_validator(value: dict[str, Any], words: str) -> None:
    (complaint,) = checker(FILE)({"filename": "a", **value})
    assert words in complaint


def test_one_of_several_types_is_told_as_such() -> None:
    assert checker({"type": ["string", "null"]})(5) == ["the value must be of type null or string, and 5 is not"]


def test_complaints_are_few_and_short() -> None:
    check = checker({"type": "array", "items": {"type": "integer"}})
    complaints = check(["x" * 10_000] * 100)
    assert len(complaints) == MAX_COMPLAINTS
    assert max(map(len, complaints)) < 150
    many = checker(FILE)({"filename": "a"} | {f"extra{n}" * 50: n for n in range(100)})
    assert len("; ".join(many)) < 1000
    wrong = checker({"enum": ["y" * 10_000]})("x" * 10_000)
    assert len("; ".join(wrong)) < 400


@pytest.mark.parametrize("value", [10**400, -(10**400), {"filename": 10**400}, [10**400]])
def test_numbers_of_any_size_are_checked_or_complained_about(value: Any) -> None:
    for complaint in checker(FILE)(value):
        assert len(complaint) < 300


def test_a_value_too_deep_for_the_validator_is_a_complaint() -> None:
    value: Any = "core"
    for _ in range(2000):
        value = [value]
    (complaint,) = checker({"type": "object"})(value)
    assert "can't be checked" in complaint


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"type": 5},
        {"properties": []},
        {"required": "a"},
        {"pattern": "("},
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.com/other.json"},
        {"$ref": "file:///etc/hostname"},
        {"$schema": "https://example.com/dialect"},
        {"enum": ["\ud800"]},
        "x",
        5,
        None,
        [],
    ],
)
def test_a_schema_that_is_broken_or_points_elsewhere_is_refused_in_one_line(schema: Any) -> None:
    with pytest.raises(ValueError, match="not a usable JSON Schema") as refused:
        checker(schema)
    assert "\n" not in str(refused.value)


def test_references_inside_the_document_work() -> None:
    check = checker({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}})
    assert (check(1), check("1")) == ([], ["the value must be of type integer, and '1' is not"])


@pytest.mark.parametrize(("schema", "is_fine"), [(True, True), ({}, True), (False, False)])
def test_schemas_that_say_little_are_schemas(schema: Any, is_fine: bool) -> None:
    assert (checker(schema)(1) == []) is is_fine


anything = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists)
CHECK = checker(FILE)


@given(anything | st.dictionaries(st.text() | st.sampled_from(sorted(FILE["properties"])), anything))
def test_checking_any_value_gives_sentences_and_never_fails(value: Any) -> None:
    for complaint in CHECK(value):
        assert complaint
        assert "\n" not in complaint


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_a_text_is_cut_only_where_it_is_too_long(limit: int) -> None:
    assert shortened("x" * limit, limit) == "x" * limit
    assert shortened("x" * (limit + 1), limit) == "x" * limit + "…"
    assert shortened("short") == "short"
    assert len(shortened("x" * 1000)) == schemas.MAX_SHOWN + 1
