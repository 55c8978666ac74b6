"""Tools as providers take them; the scripted model's strict judge reads the schemas."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.host.providers.offer import Offer, adapted, alias, offer
from playground.host.tools import Tool
from playground.scripted_model.strict import schema_complaint

FINE = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def test_a_name_that_is_fine_is_its_own_alias() -> None:
    assert alias("files__read-file_2") == "files__read-file_2"


@pytest.mark.parametrize("name", ["a.b", "a/b", "a b", "x" * 80, "größe", "", "日本", "\ud800", "a\n"])
def test_a_name_that_providers_refuse_gets_an_alias_of_its_own(name: str) -> None:
    assert FINE.fullmatch(alias(name))
    assert alias(name) == alias(name) != name


@given(st.lists(st.text(max_size=100), unique=True, max_size=30))
def test_aliases_keep_names_apart_and_lead_back(names: list[str]) -> None:
    offered = offer([Tool(name) for name in names], strict_names=False)
    assert len({tool.alias for tool in offered.tools}) == len(names)
    assert [offered.name_of(tool.alias) for tool in offered.tools] == names
    assert all(FINE.fullmatch(tool.alias) for tool in offered.tools)


def test_changes_are_told_and_a_made_up_name_is_its_own() -> None:
    offered = offer([Tool("a.b", schema={"type": "object", "anyOf": []}), Tool("fine")], strict_names=False)
    assert offered.changes == (
        f"'a.b' is called '{alias('a.b')}' here: providers refuse its own name.",
        "The schema of 'a.b' was changed: 'anyOf' at its top is merged.",
    )
    assert offered.name_of("invented") == "invented"
    assert offer([], strict_names=True) == Offer((), (), {})


def test_of_more_than_128_tools_the_first_128_are_offered_and_that_is_told() -> None:
    offered = offer([Tool(f"t{number}") for number in range(200)], strict_names=False)
    assert [tool.alias for tool in offered.tools] == [f"t{number}" for number in range(128)]
    assert offered.changes == (
        "Only the first 128 of 200 tools are offered; left out: t128, t129, t130, t131, t132, ….",
    )
    assert "left out: t128." in offer([Tool(f"t{number}") for number in range(129)], strict_names=False).changes[0]


PATH = {"type": "object", "properties": {"path": {"type": "string"}, "x": {}}, "required": ["path", "x"]}
URL = {"type": "object", "properties": {"url": {"type": "string"}, "x": {}}, "required": ["url", "x"]}


@pytest.mark.parametrize(
    ("schema", "expected", "fault"),
    [
        ({}, {"type": "object", "properties": {}}, "its type is an object"),
        ({"type": ["object", "null"]}, {"type": "object", "properties": {}}, "its type is an object"),
        ({"type": "object", "properties": 5}, {"type": "object", "properties": {}}, ""),
        (
            {"oneOf": [PATH, URL, 5]},
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "url": {"type": "string"}, "x": {}},
                "required": ["x"],
            },
            "'oneOf' at its top is merged",
        ),
        (
            {"type": "object", "required": ["a"], "allOf": [PATH, URL]},
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "url": {"type": "string"}, "x": {}},
                "required": ["a", "path", "url", "x"],
            },
            "'allOf' at its top is merged",
        ),
        ({"type": "object", "not": {}}, {"type": "object", "properties": {}}, "'not' at its top is left out"),
        (
            {"$ref": "#/$defs/a~1b", "$defs": {"a/b": PATH}},
            {**PATH, "$defs": {"a/b": PATH}},
            "the reference at its top is resolved",
        ),
        (
            {"$ref": "https://example.org/x.json"},
            {"type": "object", "properties": {}},
            "its type is an object",
        ),
        ({"$ref": "#/$defs/no/where", "$defs": {"no": 5}}, {"$defs": {"no": {}}}, "its type is an object"),
        (
            {
                "type": "object",
                "properties": {
                    "far": {"$ref": "https://example.org/x.json"},
                    "near": {"$ref": "#/$defs/a"},
                    "old": {"type": "string", "required": True},
                    "empty": {"type": "any", "enum": []},
                    "pair": {"type": "array", "prefixItems": [True]},
                    "odd": {"properties": 5, "anyOf": 5},
                },
                "$defs": {"a": {"type": "array"}},
            },
            {
                "properties": {
                    "far": {},
                    "near": {"$ref": "#/$defs/a"},
                    "old": {"type": "string"},
                    "empty": {},
                    "pair": {"type": "array", "prefixItems": [{}]},
                    "odd": {"properties": {}, "anyOf": []},
                },
                "$defs": {"a": {"type": "array", "items": {}}},
            },
            "a '$ref' that can't be understood",
        ),
        (
            {"type": "object", "properties": {"list": {"type": "array"}}},
            {"properties": {"list": {"type": "array", "items": {}}}},
            "an array without 'items'",
        ),
        (
            {"type": "object", "properties": {"any": True, "none": False, "odd": 5}},
            {"properties": {"any": {}, "none": {"not": {}}, "odd": {}}},
            "'true' as a schema",
        ),
        (
            {
                "type": "object",
                "properties": {
                    "deep": {"type": "object", "properties": {"a": True}, "additionalProperties": {"type": "array"}},
                    "list": {"type": "array", "items": {"anyOf": [True, {"type": "array"}]}},
                },
            },
            {
                "properties": {
                    "deep": {
                        "type": "object",
                        "properties": {"a": {}},
                        "additionalProperties": {"type": "array", "items": {}},
                    },
                    "list": {"type": "array", "items": {"anyOf": [{}, {"type": "array", "items": {}}]}},
                }
            },
            "an array without 'items'",
        ),
    ],
)
def test_a_schema_is_changed_only_where_providers_refuse_it(
    schema: dict[str, Any], expected: dict[str, Any], fault: str
) -> None:
    before = repr(schema)
    changed, faults = adapted(schema, strict_names=False)
    assert expected.items() <= changed.items()
    assert any(fault in told for told in faults) or not fault
    assert repr(schema) == before
    assert schema_complaint(changed) is None


def test_a_schema_that_is_fine_stays_as_it_is() -> None:
    schema = {"type": "object", "properties": {"a b": {"type": "string"}}, "required": ["a b"], "$schema": "x"}
    assert adapted(schema, strict_names=False) == (schema, [])


def test_anthropic_refuses_some_names_of_properties() -> None:
    schema = {"type": "object", "properties": {"a b": {}, "fine.name": {}}, "required": ["a b", "fine.name"]}
    changed, faults = adapted(schema, strict_names=True)
    assert changed == {"type": "object", "properties": {"fine.name": {}}, "required": ["fine.name"]}
    assert faults == ["the property 'a b' is left out, its name is refused"]
    assert adapted({"type": "object", "properties": {"ä": {}}}, strict_names=True)[0]["properties"] == {}


a_schema: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers() | st.sampled_from([{}, {"type": "array"}, {"type": "any"}, {"$ref": "#/x"}]),
    lambda inner: st.dictionaries(
        st.sampled_from(["properties", "items", "anyOf", "allOf", "not", "enum", "required", "$ref", "$defs", "type"]),
        inner | st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
        max_size=4,
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "anyOf", "$ref", "$defs", "required"]), a_schema))
def test_whatever_a_server_calls_a_schema_can_be_sent(schema: dict[str, Any]) -> None:
    changed, _ = adapted(schema, strict_names=True)
    assert schema_complaint(changed) is None
