"""Tools are found by name, by suffix and by schema."""

from typing import Any

import pytest

from playground.scripted_model.talk import Call, Tool
from playground.scripted_model.toolbox import Toolbox, bare_name, sample, slot_of, words_of
from tests.scripted_files import TOOLS, schema


def tool(name: str, *required: str, **more: Any) -> Tool:
    made = schema(required)
    made["properties"] |= more
    return Tool(name, "", made)


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("list", "list_files"),
        ("read", "read_file"),
        ("write", "write_file"),
        ("append", "append_line"),
        ("delete", "delete_file"),
        ("search", "search_file"),
        ("search_all", "search_all"),
    ],
)
def test_our_own_tools_play_their_roles(role: str, name: str) -> None:
    box = Toolbox(TOOLS)
    found = box.find(role)
    assert found is not None
    assert found.name == f"files__{name}"
    assert box.role_of(found.name) == role


THIRD_PARTY = (
    tool("fs__read_media_file", "path"),
    tool("fs__read_text_file", "path"),
    tool("fs__read_multiple_files", "paths"),
    tool("fs__write_file", "path", "content"),
    tool("fs__create_directory", "path"),
    tool("fs__list_directory", "path"),
    tool("fs__list_directory_with_sizes", "path"),
    tool("fs__list_allowed_directories"),
    tool("fs__search_files", "path", "pattern"),
    tool("fs__get_file_info", "path"),
)


def test_other_peoples_tools_are_found_too() -> None:
    box = Toolbox(THIRD_PARTY)
    assert box.call("read", file="a") == Call.of("fs__read_text_file", {"path": "a"})
    assert box.call("write", file="a", text="b") == Call.of("fs__write_file", {"path": "a", "content": "b"})
    assert box.call("list") == Call.of("fs__list_directory", {"path": "."})
    assert box.call("search_all", keyword="x") is None
    assert box.call("delete", file="a") is None
    assert box.role_of("fs__create_directory") == ""


def test_aliases_and_other_spellings_are_found() -> None:
    assert Toolbox([tool("saveDocument", "fileName", "body")]).call("write", file="a", text="b") is not None
    assert Toolbox([tool("cat", "file")]).call("read", file="a") == Call.of("cat", {"file": "a"})
    assert Toolbox([tool("read_everything", "file")]).find("read") is None


def test_what_else_is_required_is_filled_or_the_tool_is_left_alone() -> None:
    extra = tool(
        "write_file", "path", "content", "overwrite", "mode", overwrite={"type": "boolean"}, mode={"default": "w"}
    )
    call = Toolbox([extra]).call("write", file="a", text="b")
    assert call is not None
    assert call.parsed == {"path": "a", "content": "b", "overwrite": False, "mode": "w"}
    assert Toolbox([tool("write_file", "path", "content", "password")]).call("write", file="a", text="b") is None
    assert Toolbox([tool("read_file", "path", path={"type": "integer"})]).find("read") is None
    assert Toolbox([tool("read_file", "path", path={"type": ["string", "null"]})]).find("read") is not None
    assert Toolbox([tool("read_file", "path", path=True)]).find("read") is not None


def test_a_server_that_is_named_is_preferred() -> None:
    both = (*TOOLS, tool("other__read_file", "path"))
    assert Toolbox(both).find("read") == TOOLS[1]
    assert Toolbox(both, "Read a.txt with other please").find("read") == both[-1]


ECHO = tool("demo__echo", "message")
ADD = tool("demo__get-sum", "a", "b", a={"type": "number"}, b={"type": "number"})
FLAG = tool("demo__set_flag", "name", "on", on={"type": "boolean"})


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('call echo with message "hi there"', "demo__echo", {"message": "hi there"}),
        ("call echo 'hi'", "demo__echo", {"message": "hi"}),
        ("echo hello you", "demo__echo", {"message": "hello you"}),
        ("use the echo tool", "demo__echo", None),
        ('use demo__echo {"message": "x"}', "demo__echo", {"message": "x"}),
        ("use demo__echo {oops}", "demo__echo", {"message": "{oops}"}),
        ("run get-sum with a=2 and b=3.5", "demo__get-sum", {"a": 2, "b": 3.5}),
        ("get-sum of 4 and 5", "demo__get-sum", {"a": 4, "b": 5}),
        ("get-sum of many things", "demo__get-sum", None),
        ("set_flag name=x on=TRUE", "demo__set_flag", {"name": "x", "on": True}),
        ("set_flag name=x on=maybe", "demo__set_flag", {"name": "x", "on": "maybe"}),
    ],
)
def test_a_tool_that_is_named_is_called_as_told(text: str, name: str, arguments: dict[str, Any] | None) -> None:
    box = Toolbox([ECHO, ADD, FLAG])
    found = box.named(text)
    assert found is not None
    assert found.name == name
    call = box.spelled_out(found, text)
    assert (call.parsed if call else None) == arguments


def test_a_word_is_not_a_tool() -> None:
    assert Toolbox([ECHO]).named("I heard an echo in the hall") is None


def test_an_example_is_harmless_and_fits_its_schema() -> None:
    assert Toolbox(TOOLS).example() == Call.of("files__list_files", {})
    assert Toolbox([TOOLS[4], tool("frobnicate", "x")]).example() == Call.of("frobnicate", {"x": "example"})
    assert Toolbox([]).example() is None
    kinds = {
        "i": {"type": "integer", "minimum": 3},
        "b": {"type": "boolean"},
        "l": {"type": "array"},
        "o": {"type": "object"},
        "n": {"type": ["number", "null"]},
        "e": {"enum": ["x"]},
        "d": {"default": 7},
        "z": {"type": "null"},
        "s": True,
    }
    made = sample(Tool("f", "", {"properties": kinds, "required": [*kinds, "filename"]}))
    assert made == {
        "i": 3,
        "b": False,
        "l": [],
        "o": {},
        "n": 1,
        "e": "x",
        "d": 7,
        "z": None,
        "s": "example",
        "filename": "notes.txt",
    }


def test_small_parts() -> None:
    assert bare_name("a.b/c__d") == "d"
    assert bare_name("x__") == "x__"
    assert words_of("readHTTPFile2") == ["read", "http", "file", "2"]
    assert slot_of(TOOLS[1], "keyword") is None
