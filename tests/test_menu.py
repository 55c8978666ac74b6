"""playground/host/menu.py: prompts of servers."""

from __future__ import annotations

from typing import Any

import pytest

from playground.host.conversation import Conversation
from playground.host.menu import asked, filled, parameters
from playground.host.router import Listed

ROWS: Any = [{"name": "filename", "required": True}, {"name": "style"}, "odd"]
REVIEW = Listed("files", "review", {"arguments": ROWS})


def test_the_parameters_of_a_prompt() -> None:
    assert parameters(REVIEW) == [("filename", True), ("style", False)]
    assert parameters(Listed("files", "plain", {"arguments": None})) == []


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["a.txt"], {"filename": "a.txt"}),
        (["a.txt", "brief"], {"filename": "a.txt", "style": "brief"}),
        (["style=brief", "a.txt"], {"filename": "a.txt", "style": "brief"}),
        (["filename=a=b"], {"filename": "a=b"}),
        (["x=y"], {"filename": "x=y"}),
    ],
)
def test_arguments_by_name_and_by_place(given: list[str], found: dict[str, str]) -> None:
    assert filled(REVIEW, given, None) == found


def test_what_is_needed_is_asked_for_or_refused() -> None:
    assert filled(REVIEW, [], lambda prompt: f"<{prompt}>") == {"filename": "<filename:>"}
    with pytest.raises(ValueError, match="needs filename="):
        filled(REVIEW, [], None)
    with pytest.raises(ValueError, match="no more than 2 arguments"):
        filled(REVIEW, ["a", "b", "c"], None)


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


def test_the_last_words_are_the_question_and_the_rest_joins_the_conversation() -> None:
    messages = [message("user", "1"), message("assistant", "2"), message("user", "3"), message("user", "4")]
    conversation, blocks = asked(Conversation(), messages)
    assert [block["text"] for block in blocks] == ["3", "4"]
    (turn,) = conversation.turns
    assert (turn.question[0]["text"], turn.steps[0].said.text) == ("1", "2")


def test_a_prompt_may_ask_nothing() -> None:
    _, blocks = asked(Conversation(), [message("assistant", "0"), message("user", "1"), message("assistant", "2")])
    assert blocks == []
    assert asked(Conversation(), [{"role": "user", "content": [5]}])[1] == [{"type": "text", "text": "5"}]
