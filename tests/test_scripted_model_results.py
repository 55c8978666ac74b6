"""What a tool's result says."""

import pytest

from playground.scripted_model import results
from playground.scripted_model.talk import Call, Outcome


def outcome(text: str, *, flagged: bool = False) -> Outcome:
    return Outcome(Call.of("f", {}), text, flagged)


@pytest.mark.parametrize(
    ("text", "has_failed", "was_declined"),
    [
        ('{"count": 1}', False, False),
        ('{"error": "x"}', True, False),
        ('{"error": "", "count": 1}', False, False),
        ('{"isError": true, "content": "x"}', True, False),
        ("Error: no", True, False),
        ("There is no file named 'x'; list_files shows what there is.", True, False),
        ("The arguments are not valid JSON, so the tool was not run. Send the call again", True, False),
        ("[This earlier result was left out to save space.]", True, False),
        ("'x.txt' does not exist", True, False),
        ("Error: The user did not allow this call. Don't repeat it.", True, True),
        ("Not run: the user stopped this turn.", True, True),
        ("Cancelled: the user stopped this turn", True, True),
        ("Dear diary,\nan error occurred", False, False),
        ("", False, False),
    ],
)
def test_errors_are_told_from_texts(text: str, has_failed: bool, was_declined: bool) -> None:
    assert results.has_failed(outcome(text)) == has_failed
    assert results.was_declined(outcome(text)) == was_declined


def test_a_flag_makes_an_error_of_any_text() -> None:
    assert results.has_failed(outcome("fine", flagged=True))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Error: it broke", "it broke"),
        ("Tool error (5): it broke", "it broke"),
        ('{"error": {"message": "it  broke"}}', "it broke"),
        ('{"isError": true, "content": [{"type": "text", "text": "it"}, "broke"]}', "it broke"),
        ("", "no reason was given"),
        ("x" * 999, "x" * 300),
    ],
)
def test_reasons_are_unwrapped(text: str, reason: str) -> None:
    assert results.reason_of(outcome(text)) == reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"content": "a"}', "a"),
        ('{"content": [{"type": "text", "text": "a"}, 5]}', "a"),
        ('{"structuredContent": {"content": "a"}}', "a"),
        ('[The user changed the arguments before the tool ran: {"a":1}]\n{"content": "a"}', "a"),
        ("plain", "plain"),
        ('{"other": 1}', '{"other": 1}'),
    ],
)
def test_texts_are_found(text: str, value: str) -> None:
    assert results.text_of(outcome(text)) == value


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"count": 3}', 3),
        ('{"matches": [1, 2]}', 2),
        ("found 4 times", 4),
        ("v1.5", None),
        ('{"count": true}', None),
        ("none", None),
    ],
)
def test_counts_are_found(text: str, count: int | None) -> None:
    assert results.count_of(outcome(text)) == count


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"files": ["a", "b"]}', ["a", "b"]),
        ('{"files": [{"name": "a"}, {"x": 1}]}', ["a"]),
        ("[FILE] a.txt\n[DIR] x\n- b.txt\n", ["a.txt", "b.txt"]),
        ('{"other": 1}', []),
    ],
)
def test_names_are_found(text: str, names: list[str]) -> None:
    assert results.names_of(outcome(text)) == names


def test_hits_are_found() -> None:
    assert results.hits_of(outcome('{"files": [{"name": "a", "count": 2}, "b", {"filename": "c"}]}')) == [
        ("a", 2),
        ("b", 1),
        ("c", 1),
    ]
    assert results.hits_of(outcome("nothing")) == []


@pytest.mark.parametrize(
    ("text", "was_cut"),
    [
        ('{"content": "a', True),
        ("abc\n[Cut here: 5,000 characters in all, the last 10 left out.]", True),
        ('{"content": "[cut]"}', False),
        ("abc", False),
    ],
)
def test_a_part_is_told_from_a_whole(text: str, was_cut: bool) -> None:
    assert results.was_cut(outcome(text)) == was_cut


def test_changed_arguments_are_noticed() -> None:
    assert results.edited(outcome('[The user changed the arguments before the tool ran: {"a":1}]\nx')) == '{"a":1}'
    assert results.edited(outcome("x")) == ""
