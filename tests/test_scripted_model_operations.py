"""Which operation a clause asks for."""

import pytest

from playground.scripted_model.operations import operation, unit_of


@pytest.mark.parametrize(
    ("clause", "name"),
    [
        ("create ⟦f0⟧", "write"),
        ("write down ⟦q0⟧ in ⟦f0⟧", "write"),
        ("write another line to ⟦f0⟧", "append"),
        ("toss in a TODO", "append"),
        ("toss ⟦f0⟧", "delete"),
        ("show me how many files there are", "count"),
        ("find out how many TODOs there are", "count"),
        ("find how many TODOs there are", "count"),
        ("find ⟦f0⟧", "search"),
        ("list the files", "list"),
        ("list it", "read"),
        ("list", "list"),
        ("make a list of all files", "list"),
        ("is there a file named ⟦f0⟧", "exists"),
        ("erase the contents of ⟦f0⟧", "clear"),
        ("make a copy of ⟦f0⟧", "copy"),
        ("what did I write in ⟦f0⟧", "read"),
        ("give ⟦f0⟧ a new name", "rename"),
    ],
)
def test_the_first_strong_words_win(clause: str, name: str) -> None:
    found = operation(clause)
    assert found is not None
    assert found.name == name
    assert found.start < found.end


@pytest.mark.parametrize(
    "clause", ["I deleted ⟦f0⟧", "should I delete ⟦f0⟧", "create a folder named ⟦f0⟧", "the sky is blue", ""]
)
def test_no_request_has_no_operation(clause: str) -> None:
    assert operation(clause) is None


@pytest.mark.parametrize(
    ("clause", "unit"),
    [
        ("how many lines are in ⟦f0⟧", "line"),
        ("count the rows of ⟦f0⟧", "line"),
        ("number of letters in ⟦f0⟧", "character"),
        ("how many documents do I have", "file"),
        ("how long is ⟦f0⟧", "byte"),
        ("count the TODO lines", ""),
        ("count the word TODO", ""),
        ("how many lines contain TODO", ""),
    ],
)
def test_units_are_told_from_keywords(clause: str, unit: str) -> None:
    assert unit_of(clause) == unit
