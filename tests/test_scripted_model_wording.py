"""Quotations, file names and clauses."""

import pytest

from playground.scripted_model.wording import clauses, mark


@pytest.mark.parametrize(
    ("text", "marked", "quotes", "files"),
    [
        ('write "hi" to a.txt', "write ⟦q0⟧ to ⟦f0⟧", ["hi"], ["a.txt"]),
        ("write 'it's' to it", "write ⟦q0⟧ to it", ["it's"], []),
        ("don't write “a” or «b» or ‘c’ or `d`", "don't write ⟦q0⟧ or ⟦q1⟧ or ⟦q2⟧ or ⟦q3⟧", ["a", "b", "c", "d"], []),
        ("don’t", "don't", [], []),
        ("write ```py\nx = 1\n``` to x.py", "write ⟦q0⟧ to ⟦f0⟧", ["x = 1"], ["x.py"]),
        ('put {"a": "b"} in c.json', "put ⟦q0⟧ in ⟦f0⟧", ['{"a": "b"}'], ["c.json"]),
        ('say "a\\nb \\"c\\""', "say ⟦q0⟧", ['a\nb "c"'], []),
        ('open "my notes.txt"', "open ⟦f0⟧", [], ["my notes.txt"]),
        ('write "done in a.txt" to b.txt', "write ⟦q0⟧ to ⟦f0⟧", ["done in a.txt"], ["b.txt"]),
        ('a file named "shopping list"', "a file named ⟦f0⟧", [], ["shopping list"]),
        ("a file called notes please", "a file called ⟦f0⟧ please", [], ["notes"]),
        ("read /etc/passwd and ../x.txt", "read ⟦f0⟧ and ⟦f1⟧", [], ["/etc/passwd", "../x.txt"]),
        ("read README and .env", "read ⟦f0⟧ and ⟦f1⟧", [], ["README", ".env"]),
        ("e.g. 3.5 and/or me@x.com", "e.g. 3.5 and/or me@x.com", [], []),
        ("⟦f0⟧", "[f0]", [], []),
        ('say ""', "say ⟦q0⟧", [""], []),
    ],
)
def test_quotations_and_files_are_set_aside(text: str, marked: str, quotes: list[str], files: list[str]) -> None:
    found = mark(text)
    assert (found.text, list(found.quotes), list(found.files)) == (marked, quotes, files)


def test_what_was_set_aside_can_be_put_back() -> None:
    found = mark('write "x" to a.txt')
    assert found.restore(found.text) == 'write "x" to a.txt'
    assert (found.quotes_in("⟦q0⟧"), found.files_in("⟦f0⟧ ⟦f0⟧")) == (["x"], ["a.txt", "a.txt"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("create a, then read it", ["create a", "read it"]),
        ("create it and read it", ["create it", "read it"]),
        ("Create it. Read it! Done?", ["Create it.", "Read it!", "Done?"]),
        ("1. create it\n2. read it", ["create it", "read it"]),
        ("create a with milk and read the newspaper", ["create a with milk and read the newspaper"]),
        ("create a with milk and read it", ["create a with milk", "read it"]),
        ("Before reading it, delete it", ["delete it", "reading it"]),
        ("After creating it, read it", ["creating it", "read it"]),
        ("delete it but first read it", ["read it", "delete it"]),
        ("count it after adding a line", ["adding a line", "count it"]),
        ("read it before deleting it", ["read it", "deleting it"]),
        ("and read it", ["and read it"]),
        ("", []),
    ],
)
def test_clauses_come_in_the_order_of_doing(text: str, wanted: list[str]) -> None:
    assert [clause for _, clause in sorted(clauses(text))] == wanted
