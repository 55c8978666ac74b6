"""The catalogue: what a typed function says about itself, and what is an error the moment it is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_core.catalogue import Catalogue, Change, expand
from mcp_core.effects import Progress, Steps


class Sum(TypedDict):
    total: int


def shop() -> Catalogue:
    return Catalogue("shop", "1.0")


def test_a_tool_is_listed_by_its_name_its_docstring_and_its_types() -> None:
    catalogue = shop()

    @catalogue.tool(title="Add", read_only=True, destructive=False, idempotent=True, open_world=False)
    def add(a: int, b: Annotated[int, "What to add."] = 1) -> Sum:
        """Adds two
        numbers."""
        return {"total": a + b}

    assert catalogue.tools["add"].listed == {
        "name": "add",
        "title": "Add",
        "description": "Adds two\nnumbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "integer", "description": "What to add.", "default": 1},
            },
            "additionalProperties": False,
            "required": ["a"],
        },
        "outputSchema": {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]},
        "annotations": {
            "title": "Add",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
    assert add(1, 2) == {"total": 3}  # the function itself stays what it was


def test_a_tool_that_yields_is_listed_with_what_it_returns_in_the_end() -> None:
    catalogue = shop()

    @catalogue.tool()
    def slow() -> Steps[Sum]:
        yield Progress(1)
        return {"total": 1}

    @catalogue.tool()
    def texts() -> Steps[str]:
        yield Progress(1)
        return ""

    assert catalogue.tools["slow"].listed["outputSchema"]["required"] == ["total"]
    assert "outputSchema" not in catalogue.tools["texts"].listed


def test_a_tool_without_hints_and_words_is_listed_without_them() -> None:
    catalogue = shop()

    @catalogue.tool()
    def bare() -> str:
        return ""

    assert set(catalogue.tools["bare"].listed) == {"name", "inputSchema"}
    assert catalogue.tools["bare"].needs == {}


def test_what_types_cannot_say_is_given_outright() -> None:
    catalogue = shop()
    schema = {"type": "object", "properties": {"when": {"type": "string", "format": "date"}}}

    @catalogue.tool(
        name="when-is-it",
        inputSchema=schema,
        outputSchema={"type": "array"},
        icons=[],
        _meta={"a": 1},
        needs={"roots": {}},
    )
    def when(**arguments: Any) -> Any: ...

    entry = catalogue.tools["when-is-it"]
    assert entry.listed["inputSchema"] is schema
    assert (entry.listed["outputSchema"], entry.listed["_meta"], entry.needs) == (
        {"type": "array"},
        {"a": 1},
        {"roots": {}},
    )
    assert entry.check({"when": 5}) == ["'when' must be of type string, and 5 is not"]
    assert entry.check({"when": "2026-01-01"}) == []


def untyped(a) -> None: ...  # type: ignore[no-untyped-def]
def too_free(a: Any) -> None: ...


@pytest.mark.parametrize("function", [untyped, too_free])
def test_a_tool_or_prompt_that_cannot_be_described_is_an_error_when_it_is_declared(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(TypeError):
        shop().tool()(function)
    with pytest.raises(TypeError):
        shop().prompt()(function)


def test_a_header_mark_where_none_may_stand_is_an_error_when_it_is_declared() -> None:
    with pytest.raises(ValueError, match="x-mcp-header"):

        @shop().tool()
        def call(region: Annotated[float, {"x-mcp-header": "Region"}]) -> None: ...


def test_a_resource_is_listed_by_its_uri() -> None:
    catalogue = shop()

    @catalogue.resource("shop://hours", name="hours", mimeType="text/plain", size=5)
    def hours() -> str:
        """When we are open."""
        return "9-18"

    assert catalogue.resources["shop://hours"].listed == {
        "uri": "shop://hours",
        "name": "hours",
        "description": "When we are open.",
        "mimeType": "text/plain",
        "size": 5,
    }


def template(uri: str) -> Any:
    catalogue = shop()

    @catalogue.template(uri, name="item")
    def item(**variables: str) -> str:
        return ""

    return catalogue.templates[uri]


@pytest.mark.parametrize(
    ("uri", "asked", "variables"),
    [
        ("shop://items/{id}", "shop://items/7", {"id": "7"}),
        ("shop://items/{id}", "shop://items/a%20b%2Fc", {"id": "a b/c"}),
        ("shop://items/{id}", "shop://items/%C3%A9", {"id": "é"}),
        ("shop://items/{id}", "shop://items/é", {"id": "é"}),
        ("shop://items/{id}", "shop://items/", None),
        ("shop://items/{id}", "shop://items/7/8", None),
        ("shop://items/{id}", "shop://items/7\n", {"id": "7\n"}),
        ("shop://items/{id}", "SHOP://items/7", None),
        ("shop://items/{id}", "xshop://items/7", None),
        ("shop://{kind}/{id}.json", "shop://items/7.json", {"kind": "items", "id": "7"}),
        ("shop://{kind}/{id}.json", "shop://items/7xjson", None),  # a point is a point
        ("shop://a+b?{x}", "shop://a+b?c", {"x": "c"}),
        ("shop://fixed", "shop://fixed", {}),
    ],
)
def test_a_template_matches_exactly_the_uris_it_makes(uri: str, asked: str, variables: dict[str, str] | None) -> None:
    assert template(uri).match(asked) == variables


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("../../etc/passwd")
@example("%2e%2e")
@example("{id}")
def test_what_is_expanded_matches_with_the_same_variables(value: str) -> None:
    made = expand("shop://items/{id}/{id2}", id=value, id2=value)
    assert made.isascii()
    assert template("shop://items/{id}/{id2}").match(made) == {"id": value, "id2": value}


def test_a_template_stands_for_nothing_unless_it_says_what_for() -> None:
    assert list(template("a://{b}").listing()) == []
    catalogue = shop()
    listed = [{"uri": "a://1", "name": "1"}]
    complete = {"b": lambda typed, others: ["1"]}

    @catalogue.template("a://{b}", name="b", listing=lambda: listed, complete=complete, mimeType="text/plain")
    def item(b: str) -> str:
        """One of them."""
        return b

    entry = catalogue.templates["a://{b}"]
    assert (list(entry.listing()), entry.complete) == (listed, complete)
    assert entry.listed == {
        "uriTemplate": "a://{b}",
        "name": "b",
        "description": "One of them.",
        "mimeType": "text/plain",
    }


def test_a_prompt_is_listed_with_its_arguments() -> None:
    catalogue = shop()

    @catalogue.prompt(title="Haggle", complete={"price": lambda typed, others: []})
    def haggle(price: Annotated[str, "What it costs.", {"title": "Price"}], mood: str = "calm") -> str:
        """Talks about a price."""
        return price

    @catalogue.prompt(name="say-hello")
    def hello() -> str:
        return "hello"

    assert catalogue.prompts["haggle"].listed == {
        "name": "haggle",
        "description": "Talks about a price.",
        "title": "Haggle",
        "arguments": [
            {"name": "price", "title": "Price", "description": "What it costs.", "required": True},
            {"name": "mood", "required": False},
        ],
    }
    assert catalogue.prompts["haggle"].check({"mood": "x"}) == ["'price' is missing"]
    assert catalogue.prompts["say-hello"].listed == {"name": "say-hello"}


def test_the_server_says_who_it_is() -> None:
    icons = [{"src": "https://example.com/a.png"}]
    assert shop().info == {"name": "shop", "version": "1.0"}
    assert Catalogue("a", "2", title="A", icons=icons).info == {
        "name": "a",
        "version": "2",
        "title": "A",
        "icons": icons,
    }


def test_all_watchers_hear_of_a_change() -> None:
    catalogue = shop()
    one: list[Change] = []
    two: list[Change] = []
    catalogue.watch(one.append)
    catalogue.watch(two.append)
    catalogue.announce(Change("resources", "a:b"))
    assert one == two == [Change("resources", "a:b")]
    assert shop().tools == {}  # and no two catalogues share anything
