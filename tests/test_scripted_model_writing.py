"""What is to be written, and where."""

import pytest

from playground.scripted_model.steps import Step
from playground.scripted_model.understanding import understand
from playground.scripted_model.writing import phrase_of, quoted_text


@pytest.mark.parametrize(
    ("body", "phrase", "target"),
    [
        (" hello to ⟦f0⟧", "hello", "to ⟦f0⟧"),
        (" ⟦f0⟧ with a TODO line", "a TODO line", "⟦f0⟧"),
        (" a file named ⟦f0⟧ that says hi", "hi", "a file named ⟦f0⟧"),
        (" ⟦f0⟧ (content: x)", "x", "⟦f0⟧"),
        (" ⟦f0⟧ please", "", "⟦f0⟧"),
        (" two lines to ⟦f0⟧: a and b", "two lines: a and b", "to ⟦f0⟧"),
        (" this to ⟦f0⟧:\na", "a", "this to ⟦f0⟧"),
        (" wait... into ⟦f0⟧", "wait...", "into ⟦f0⟧"),
        (" a file with hello", "hello", ""),
        (" hello to it", "hello", ""),
    ],
)
def test_the_text_is_what_is_not_about_the_place(body: str, phrase: str, target: str) -> None:
    assert phrase_of(body) == (phrase, target)


@pytest.mark.parametrize(
    ("quotes", "phrase", "text"),
    [
        (["a"], "⟦q0⟧", "a"),
        (["a", "b"], "", "a\nb\n"),
        (["a"], "the line ⟦q0⟧", "a\n"),
        (["a"], "a TODO ⟦q0⟧", "TODO: a\n"),
        (["TODO a"], "a TODO ⟦q0⟧", "TODO a\n"),
    ],
)
def test_quotations_become_texts(quotes: list[str], phrase: str, text: str) -> None:
    assert quoted_text(quotes, phrase) == text


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("write 'a' to a.txt and save it", [Step("write", "a.txt", text="a")]),
        ("write to a.txt", [Step("ask", "a.txt", keyword="text")]),
        ("write an empty a.txt", [Step("write", "a.txt")]),
        ("save the list of files to index.txt", [Step("list"), Step("write", "index.txt", uses_result=True)]),
        ("write the number of hellos", [Step("count", "*", keyword="hello"), Step("ask", keyword="write")]),
        ("create a recipe with flour", [Step("write", "recipe.txt", text="flour")]),
        ("create a budget file saying 5", [Step("write", "budget.txt", text="5")]),
        (
            "'A' goes in a.txt; put 'B' in b.txt and 'C' in c.txt",
            [Step("write", "b.txt", text="B"), Step("write", "c.txt", text="C")],
        ),
        ("add two lines to a.txt", [Step("append", "a.txt", text="line 1"), Step("append", "a.txt", text="line 2")]),
    ],
)
def test_clauses_about_writing(text: str, steps: list[Step]) -> None:
    assert list(understand(text).steps) == steps
