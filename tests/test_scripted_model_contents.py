"""Phrases and the texts they stand for."""

import pytest

from playground.scripted_model.contents import as_line, compose, is_description, items_of, repeated

TODO = "TODO: try out the file tools\n"


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("", ""),
        ("nothing", ""),
        ("an empty string", ""),
        ("hello world", "hello world"),
        ("the text hello", "hello"),
        ("the line TODO: buy milk", "TODO: buy milk"),
        ("exactly: a b", "a b"),
        ("the number 42", "42"),
        ("about the budget", "the budget"),
        ("hello in it, please", "hello"),
        ("some text", "Some text.\n"),
        ("anything", "Some text.\n"),
        ("a TODO line", TODO),
        ("one TODO", TODO),
        ("TODO", TODO),
        ("a FIXME", "FIXME: try out the file tools\n"),
        ("a TODO line saying buy milk", "TODO: buy milk\n"),
        ("a TODO to buy milk", "TODO: buy milk\n"),
        ("a reminder: call Bob", "call Bob\n"),
        ("a line with TODO", TODO),
        ("a line with the word TODO", TODO),
        ("two TODO lines", "TODO: task 1\nTODO: task 2\n"),
        ("TODOs", "TODO: task 1\nTODO: task 2\n"),
        ("3 todos", "TODO: task 1\nTODO: task 2\nTODO: task 3\n"),
        ("two lines", "line 1\nline 2\n"),
        ("a couple of lines of text", "line 1\nline 2\n"),
        ("two lines: milk and eggs", "milk\neggs\n"),
        ("three lines: milk and eggs", "milk\neggs\nline 3\n"),
        ("two lines saying hi", "hi\nhi\n"),
        ("three lines, one of them with TODO", f"line 1\n{TODO}line 3\n"),
        ("a TODO line and a FIXME line", f"{TODO}FIXME: try out the file tools\n"),
        ("the lines a, b and c", "a\nb\nc\n"),
        ("a shopping list of milk and eggs", "milk\neggs\n"),
        ("two sugars", "two sugars"),
        ("TODO list of Bob", "TODO list of Bob"),
    ],
)
def test_a_phrase_becomes_a_text(phrase: str, text: str) -> None:
    assert compose(phrase) == text


def test_a_line_has_no_end() -> None:
    assert as_line("a TODO line") == TODO.rstrip()


def test_the_number_of_lines_has_a_limit() -> None:
    assert compose("999 lines").count("\n") == 200


def test_small_parts() -> None:
    assert items_of("a, b and c; d\ne") == ["a", "b", "c", "d", "e"]
    assert repeated("x twice") == ("x", 2)
    assert repeated("x three times") == ("x", 3)
    assert repeated("x") == ("x", 1)
    assert is_description("a TODO line")
    assert not is_description("milk")
