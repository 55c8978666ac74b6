"""The slots of each operation, in clauses that are hard for it."""

import pytest

from playground.scripted_model.reading import Reading
from playground.scripted_model.slots import steps_of
from playground.scripted_model.steps import Step
from playground.scripted_model.wording import mark


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("without deleting a.txt", []),
        ("read a.txt without changing it", [Step("read", "a.txt")]),
        ("write don't panic to a.txt", [Step("write", "a.txt", text="don't panic")]),
        ("create a.txt saying do not enter", [Step("write", "a.txt", text="do not enter")]),
        ("create a.txt without any text", [Step("write", "a.txt")]),
        ("a nice day", []),
        ("how many lines", [Step("ask", keyword="count")]),
        ("how many", [Step("list", unit="file")]),
        ("how many are in a.txt", [Step("measure", "a.txt", unit="line")]),
        ("how many of the files mention bread", [Step("search", "*", keyword="bread", unit="file")]),
        ("find a.txt", [Step("exists", "a.txt")]),
        ("look for files", [Step("list")]),
        ("search", []),
        ("is there anything in a.txt", [Step("read", "a.txt")]),
        ("list lines with milk", [Step("lines", "*", keyword="milk")]),
        ("list a.txt", [Step("read", "a.txt")]),
        ("read every file", [Step("read", "*")]),
        ("see all files", [Step("list")]),
        ("read the file", [Step("ask", keyword="read")]),
        ("tell me the news", []),
        ("what is the time", []),
        ("show the first two lines of a.txt", [Step("read", "a.txt", unit="first 2")]),
        ("delete nothing of value", []),
        ("delete the word milk from a.txt", [Step("cut", "a.txt", keyword="milk")]),
        ("remove all TODOs from a.txt", [Step("cut", "a.txt", keyword="TODO", unit="line")]),
        ("clear the mind", []),
        ("clear a.txt", [Step("write", "a.txt")]),
        ("clear it", [Step("ask", keyword="clear")]),
        ("copy a.txt", [Step("ask", keyword="copy")]),
        ("save a copy of a.txt as b.txt", [Step("copy", "a.txt", to="b.txt")]),
        ("create b.txt as a copy of a.txt", [Step("copy", "a.txt", to="b.txt")]),
        ("merge a.txt and b.txt", [Step("merge", to="b.txt", files=("a.txt", "b.txt"))]),
        ("merge a.txt, b.txt into c.txt", [Step("merge", to="c.txt", files=("a.txt", "b.txt"))]),
        ("change a.txt to say hello", [Step("write", "a.txt", text="hello")]),
        ("change the contents of a.txt to hello", [Step("write", "a.txt", text="hello")]),
        ("change a.txt", []),
        ("replace cat by dog", [Step("ask", keyword="replace")]),
        ("replace 'cat' by dog in a.txt", [Step("replace", "a.txt", keyword="cat", text="dog")]),
        ("is a.txt still there", [Step("exists", "a.txt")]),
    ],
)
def test_a_clause_becomes_steps(text: str, steps: list[Step]) -> None:
    marked = mark(text)
    assert steps_of(marked.text, Reading(marked, [], steps_of)) == steps


def test_two_files_may_have_been_mentioned_before() -> None:
    marked = mark("rename it to c.txt")
    assert steps_of(marked.text, Reading(marked, ["a.txt"], steps_of)) == [Step("rename", "a.txt", to="c.txt")]
