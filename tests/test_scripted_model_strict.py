"""What is refused before a provider's own rules: bodies, tools, schemas, types."""

from typing import Any

import pytest

from playground.scripted_model import strict
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Tool


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b"{'a':1}",
        b'{"a":1,}',
        b"{} {}",
        b"\xff",
        b'{"a":NaN}',
        b"[" * 20_000,
        b'{"a":"\\ud800"}',
        b"1" * 5000,
    ],
    ids=range(11),
)
def test_a_body_that_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(Refused, match="could not parse"):
        strict.parsed(body)


def test_a_body_that_is_json_is_read() -> None:
    assert strict.parsed('{"a":[1,"é"]}'.encode()) == {"a": [1, "é"]}


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "object"}, None),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": True}}, None),
        ({"type": "object", "$defs": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/x"}}}, None),
        ({"type": "object", "properties": {"a": {"anyOf": [{"type": "array", "items": {}}]}}}, None),
        ([], "not of type"),
        ({}, "got 'type: \"None\"'"),
        ({"type": "string"}, "schema must be a JSON Schema"),
        ({"type": "object", "oneOf": []}, "top level"),
        ({"type": "object", "properties": []}, "must be an object"),
        ({"type": "object", "properties": {"a": []}}, "is not of type"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "not valid under any"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "missing items"),
        ({"type": "object", "properties": {"a": {"enum": []}}}, "'enum'"),
        ({"type": "object", "required": "a"}, "'required'"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}, "reference"),
        ({"type": "object", "properties": {"a": {"$ref": "http://x.example/y"}}}, "reference"),
        ({"type": "object", "properties": {"a": {"items": {"type": "x"}}}}, "items"),
        ({"type": "object", "properties": {"a": {"anyOf": {}}}}, "must be an array"),
        ({"type": "object", "properties": {"a": {"anyOf": [{"type": "x"}]}}}, "anyOf"),
    ],
)
def test_schemas_are_checked(schema: Any, complaint: str | None) -> None:
    found = strict.schema_complaint(schema)
    assert found is None if complaint is None else complaint in str(found)


def test_a_schema_that_is_nested_too_deeply_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(50):
        schema = {"type": "object", "properties": {"a": schema}}
    assert "too deeply" in str(strict.schema_complaint(schema))


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a/b", "ä", "x" * 65, 5, None])
def test_a_bad_tool_name_is_refused(name: Any) -> None:
    with pytest.raises(Refused, match="'name'"):
        strict.tool_name(name, "name")


def test_a_good_tool_name_is_taken() -> None:
    assert strict.tool_name("files__read-file_1", "name") == "files__read-file_1"


def test_the_number_of_tools_has_limits_and_their_names_differ() -> None:
    strict.tools_number([0] * 128)
    for tools in ([], [0] * 129):
        with pytest.raises(Refused, match="'tools'"):
            strict.tools_number(tools)
    strict.distinct([Tool("a"), Tool("b")])
    with pytest.raises(Refused, match="unique"):
        strict.distinct([Tool("a"), Tool("a")])


@pytest.mark.parametrize(
    ("value", "types", "words"),
    [
        (True, int, "expected an integer, but got a boolean"),
        (1, str, "expected a string, but got an integer"),
        ([], dict, "an array"),
        (None, (int, float), "an integer or a decimal, but got null"),
        (1.5, bool, "a decimal"),
        ({}, list, "an object"),
    ],
)
def test_a_wrong_type_is_named(value: Any, types: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        strict.demand(value, types, "x")


@pytest.mark.parametrize(
    ("value", "is_whole", "code"),
    [
        (3, False, "decimal_above_maximum_value"),
        (-1, False, "decimal_below_minimum_value"),
        (9, True, "integer_above_maximum_value"),
    ],
)
def test_a_number_out_of_range_is_refused(value: int, is_whole: bool, code: str) -> None:
    with pytest.raises(Refused) as caught:
        strict.number({"t": value}, "t", 0, 2, is_whole=is_whole)
    assert caught.value.code == code


def test_sound_values_pass() -> None:
    strict.number({"t": 1.5}, "t", 0, 2)
    strict.number({}, "t", 0, 2)
    strict.only({"a": 1}, ["a"], "")
    assert strict.demand(True, bool, "x") is True
    assert strict.is_object_text("{}")
    assert not strict.is_object_text("[]")
    assert not strict.is_object_text("{")
    assert strict.missing("a").code == "missing_required_parameter"
    with pytest.raises(Refused, match=r"'x\.b'"):
        strict.only({"b": 1}, ["a"], "x")
