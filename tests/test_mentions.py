"""playground/host/mentions.py: @name in a question."""

from __future__ import annotations

import pytest

from playground.host.mentions import named, with_contents
from playground.host.router import Listed

NOTES = Listed("files", "notes.txt", {"uri": "playground://files/notes.txt"})
A, B = (Listed(server, "both.txt", {"uri": f"{server}://both.txt"}) for server in ("a", "b"))
ALL = [NOTES, A, B]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Summarize @notes.txt", [NOTES]),
        ("Is @notes.txt, or @notes.txt. (@notes.txt) here?", [NOTES]),
        ("@files:notes.txt!", [NOTES]),
        ("@playground://files/notes.txt", [NOTES]),
        ("@both.txt", []),
        ("@a:both.txt @b://both.txt", [A, B]),
        ("mail me@notes.txt or ask @someone", []),
        ("@", []),
    ],
)
def test_what_a_question_names(text: str, found: list[Listed]) -> None:
    assert named(text, lambda: ALL) == found


def test_servers_are_not_asked_where_nothing_is_named() -> None:
    assert named("no mention", lambda: 1 // 0) == []  # type: ignore[arg-type, return-value]


def test_the_contents_follow_the_text() -> None:
    block = {"type": "resource", "resource": {"uri": "x", "text": "y"}}
    assert with_contents("look", [block]) == [{"type": "text", "text": "look"}, block]
