"""The word to count or to look for."""

import pytest

from playground.scripted_model.keywords import cleaned, keyword_of


@pytest.mark.parametrize(
    ("clause", "keyword"),
    [
        ("count the TODOs in ⟦f0⟧", "TODO"),
        ("how many TODO's are there in ⟦f0⟧", "TODO"),
        ("how many times does milk appear in ⟦f0⟧", "milk"),
        ("how often is the word milk used", "milk"),
        ("how many times does ⟦f0⟧ mention cheese", "cheese"),
        ("number of occurrences of foo in it", "foo"),
        ("give me the count of FIXME in ⟦f0⟧", "FIXME"),
        ("tally up the apples in ⟦f0⟧", "apple"),
        ("search ⟦f0⟧ for the phrase red car", "red car"),
        ("look for errors in ⟦f0⟧", "error"),
        ("how many files contain bread?", "bread"),
        ("show all lines with TODO in ⟦f0⟧", "TODO"),
        ("does ⟦f0⟧ contain cheese", "cheese"),
        ("where is cheese mentioned", "cheese"),
        ("is cheese in ⟦f0⟧", "cheese"),
        ("are there any TODOs left", "TODO"),
        ("find everything", ""),
        ("count it", ""),
        ("the todo thing", "TODO"),
        ("hello", ""),
    ],
)
def test_a_keyword_is_found(clause: str, keyword: str) -> None:
    assert keyword_of(clause) == keyword


def test_a_quotation_is_the_keyword() -> None:
    assert keyword_of("count the TODOs", "two words") == "two words"


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("BUGs", "BUG"),
        ("classes", "classe"),
        ("bus", "bus"),
        ("the TODO entries", "TODO"),
        ("all of my apples", "apple"),
        ("this", ""),
        ("to-dos", "TODO"),
    ],
)
def test_plurals_and_articles_go(word: str, bare: str) -> None:
    assert cleaned(word) == bare
