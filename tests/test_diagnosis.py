"""Models' mistakes, and what is none."""

import pytest

from playground.host import diagnosis
from playground.host.calls import Call, Result
from playground.host.conversation import Said

NAMES = ["files__read_file", "files__write_file"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"name": "read_file", "arguments": {"filename": "a.txt"}}', "read_file"),
        ('```json\n{"name": "files__write_file", "parameters": {}}\n```', "files__write_file"),
        ('I will call it: {"tool": "open_file", "args": {"path": "x"}}', "open_file"),
        ('{"function": "read_file"}', "read_file"),
        ("{'name': 'read_file', 'arguments': {'filename':", "read_file"),
        ('<tool_call>{"filename": "a"}</tool_call> for read_file', "read_file"),
        ("<|tool_call|>[]", "a tool"),
        ("<function=read_file>", "read_file"),
        ('<invoke name="list_files">', "list_files"),
        ('read_file(filename="a.txt")', "read_file"),
        ('```\nfiles__read_file("a.txt")\n```', "files__read_file"),
        ('I will use a tool: files__read_file(filename="a.txt")', "files__read_file"),
        ("`read_file()`", "read_file"),
    ],
)
def test_a_call_written_as_text_is_recognized(text: str, name: str) -> None:
    assert diagnosis.written_call(text, NAMES) == name


@pytest.mark.parametrize(
    "text",
    [
        "There are 3 TODOs in notes.txt.",
        'The file holds {"name": "Ada", "age": 36}.',
        "You could use read_file to look at it.",
        "You could use read_file() to look at it, or read_file(2).",
        'Or unread_file("a.txt").',
        "```python\nprint(open('a.txt').read())\n```",
        "print(1)",
        "",
    ],
)
def test_ordinary_answers_are_no_calls(text: str) -> None:
    assert diagnosis.written_call(text, NAMES) is None


def results(*texts: str, is_error: bool = False) -> list[Result]:
    return [Result.of_text(str(number), text, is_error) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("answer", "given", "ignored"),
    [
        ("I cannot access files.", results('{"content":"x"}'), True),
        ("I don't have the ability to read files.", results("x"), True),
        ("There are 5 TODOs.", results('{"count":3}'), True),
        ("I have no access to your files, so I can't tell.", results("x"), True),
        ("There are 3 TODOs.", results('{"count":3}'), False),
        ("There are several.", results('{"count":3}'), False),
        ("I cannot read it.", results("no such file", is_error=True), False),
        ("There are 5.", [], False),
        ("Version 2.5 it is.", results("2.5"), False),
        ("There are 2 files.", results('{"files":["a1.txt","b"],"limit":9}'), False),
        ("I wrote 7.", results("1 2"), False),
    ],
)
def test_an_answer_that_seems_to_ignore_the_result(answer: str, given: list[Result], ignored: bool) -> None:
    assert diagnosis.ignored(answer, given) is ignored


def test_each_fault_of_a_call_is_named() -> None:
    fine = Call.received("a", "read", "{}")
    assert diagnosis.of_call(fine) == []
    doubled = Call("call_2", "read", "", {}, None, "a")
    assert "twice" in diagnosis.of_call(doubled)[0].sentence
    nameless = Call("call_2", "read", "", {}, None, "")
    assert "without an id" in diagnosis.of_call(nameless)[0].sentence
    assert diagnosis.of_call(Call.received("a", "read", "["))[0].kind == "cut_json"
    assert "without a name" in diagnosis.unknown_tool(Call.received("a", "", "{}")).sentence


def test_a_repeated_call_is_told_of_once() -> None:
    call = Call.received("a", "read", "{}")
    other = Call.received("b", "read", '{"a":1}')
    found = [diagnosis.repeated(call, [[call, call, other]] * earlier) for earlier in range(5)]
    assert [len(one) for one in found] == [0, 0, 1, 0, 0]
    assert diagnosis.repeated(call, [[other], [other]]) == []


def test_many_calls_at_once_are_worth_a_word() -> None:
    call = Call.received("a", "read", "{}")
    assert [one.kind for one in diagnosis.of_round([call] * 5)] == ["many_calls"]
    assert diagnosis.of_round([call] * 4) == []


@pytest.mark.parametrize(
    ("text", "stop", "given", "kinds"),
    [
        ('{"tool": "read_file", "args": {}}', "stop", [], ["call_as_text"]),
        ("I have no access to files.", "stop", results("x"), ["result_ignored"]),
        ("half of an", "length", [], ["cut_answer"]),
        ("", "no_choice", [], ["no_choice"]),
        ("I won't.", "refusal", [], ["refusal"]),
    ],
)
def test_an_answer_gets_its_diagnosis(text: str, stop: str, given: list[Result], kinds: list[str]) -> None:
    assert [one.kind for one in diagnosis.of_answer(Said(text), stop, NAMES, given)] == kinds


def test_a_call_that_does_not_fit_its_schema_says_where() -> None:
    found = diagnosis.wrong_arguments(Call.received("a", "read", "{}"), "'filename' is missing")
    assert found.sentence == "The arguments for 'read' don't fit its schema: 'filename' is missing"


def test_an_empty_answer_after_a_result_says_so() -> None:
    (before,) = diagnosis.of_answer(Said(""), "stop", NAMES, [])
    (after,) = diagnosis.of_answer(Said(""), "stop", NAMES, results("x"))
    assert before.kind == after.kind == "empty_answer"
    assert "after the tool's result" in after.sentence
    assert diagnosis.of_answer(Said("fine"), "stop", NAMES, []) == []
