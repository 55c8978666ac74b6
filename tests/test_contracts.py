"""What tools promise: which may be called, and whether their results keep the promise."""

from typing import Any

import pytest

from playground.wire.contracts import BadResult, Contracts

OBJECT = {"type": "object"}
COUNT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def contracts(warnings: list[str]) -> Contracts:
    return Contracts(warnings.append)


def tool(name: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": OBJECT, **more}


def test_tools_are_known_once_they_are_listed(contracts: Contracts) -> None:
    assert contracts.input_schema("a") is None
    assert contracts.learn([tool("a"), tool("b")], are_mirrored=True) == [tool("a"), tool("b")]
    assert contracts.is_fresh
    assert contracts.input_schema("a") == OBJECT


def test_a_tool_without_a_name_is_left_out(contracts: Contracts, warnings: list[str]) -> None:
    assert contracts.learn([tool(None), tool(5)], are_mirrored=False) == []
    assert len(warnings) == 2


def test_a_tool_that_wants_an_impossible_header_is_left_out_where_there_are_headers(
    contracts: Contracts, warnings: list[str]
) -> None:
    bad = tool("bad", inputSchema={"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}})
    odd = tool("odd", inputSchema="no schema")
    assert contracts.learn([bad, odd], are_mirrored=True) == [odd]
    assert "'bad' is left out" in warnings[0]
    assert contracts.learn([bad, odd], are_mirrored=False) == [bad, odd]


def test_a_result_is_held_to_what_was_promised(contracts: Contracts) -> None:
    contracts.learn([tool("count", outputSchema=COUNT), tool("free")], are_mirrored=False)
    contracts.check("count", {"structuredContent": {"n": 1}, "content": []})
    contracts.check("count", {"isError": True, "content": []})
    contracts.check("free", {"content": []})
    contracts.check("unknown", {"content": []})
    with pytest.raises(BadResult, match="'n' must be of type integer") as bad:
        contracts.check("count", {"structuredContent": {"n": "one"}})
    assert bad.value.result == {"structuredContent": {"n": "one"}}
    with pytest.raises(BadResult, match="no structuredContent"):
        contracts.check("count", {"content": []})


def test_a_schema_that_refers_elsewhere_is_never_fetched(contracts: Contracts, warnings: list[str]) -> None:
    elsewhere = {"$ref": "http://127.0.0.1:9/schema.json"}
    contracts.learn([tool("far", outputSchema=elsewhere)], are_mirrored=False)
    for _ in range(2):
        contracts.check("far", {"structuredContent": {"anything": True}})
    assert len(warnings) == 1
    assert "can't be used" in warnings[0]
