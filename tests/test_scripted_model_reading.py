"""Which files a clause is about."""

import pytest

from playground.scripted_model.reading import Reading
from playground.scripted_model.wording import mark


def reading(text: str = "", *earlier: str) -> Reading:
    return Reading(mark(text), list(earlier), lambda clause, one: [])


@pytest.mark.parametrize(
    ("clause", "mentioned", "files"),
    [
        ("delete it", ["a.txt", "b.txt"], ["b.txt"]),
        ("read both", ["a.txt", "b.txt", "a.txt"], ["a.txt", "b.txt"]),
        ("read them", ["a.txt", "b.txt"], ["a.txt", "b.txt"]),
        ("read all files", ["a.txt"], ["*"]),
        ("count TODOs everywhere", ["a.txt"], ["*"]),
        ("read the first one", ["a.txt", "b.txt"], ["a.txt"]),
        ("read the third one", ["a.txt", "b.txt"], ["b.txt"]),
        ("read the other file", ["a.txt", "b.txt"], ["a.txt"]),
        ("delete the copy", ["a.txt", "b.txt"], ["b.txt"]),
        ("read the first one", ["a.txt"], ["a.txt"]),
        ("show me the poem", ["poem.txt", "b.txt"], ["poem.txt"]),
        ("read it", [], []),
    ],
)
def test_what_was_mentioned_decides(clause: str, mentioned: list[str], files: list[str]) -> None:
    one = reading()
    one.mentioned = mentioned
    assert one.files(clause) == files


def test_named_files_come_first_and_are_remembered() -> None:
    one = reading("read a.txt and b.txt", "old.txt")
    assert one.files(one.marked.text) == ["a.txt", "b.txt"]
    assert one.mentioned == ["a.txt", "b.txt"]


def test_earlier_files_are_meant_when_no_other_is() -> None:
    assert reading("", "x.txt", "y.txt").files("delete it") == ["y.txt"]
    assert reading("", "x.txt", "y.txt").files("compare both") == ["x.txt", "y.txt"]
    assert reading("", "x.txt").files("create a file", is_new=True) == []


def test_a_list_that_is_still_to_come_is_counted_through() -> None:
    one = reading()
    one.has_list = True
    assert one.files("read the last one") == ["#0"]


def test_a_file_that_is_named_later_is_better_than_none() -> None:
    assert reading("how long is it, I mean a.txt").files("how long is it") == ["a.txt"]
