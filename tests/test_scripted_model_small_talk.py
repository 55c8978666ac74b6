"""What is said when there is nothing to do."""

import pytest

from playground.scripted_model.small_talk import is_about_ability, kind, reply


@pytest.mark.parametrize(
    ("text", "talk"),
    [
        ("Hi", "greeting"),
        ("good evening", "greeting"),
        ("How are you?", "feelings"),
        ("thank you so much", "thanks"),
        ("bye", "goodbye"),
        ("ok", "agreement"),
        ("help", "help"),
        ("What can you do?", "help"),
        ("which tools do you have?", "tools"),
        ("Are you an AI?", "identity"),
        ("explain the model context protocol", "model context protocol"),
        ("what is JSON-RPC", "json-rpc"),
        ("What is function calling?", "function calling"),
        ("what is 2 + 3?", "sum"),
        ("12 * (3 - 1)", "sum"),
        ("The weather is nice", ""),
        ("", ""),
    ],
)
def test_kinds_of_talk(text: str, talk: str) -> None:
    assert kind(text) == talk
    assert reply(talk, text, ["f"])


def test_tools_are_named() -> None:
    assert reply("tools", "", ["a", "b"]) == "I was offered 2 tools: a, b."
    assert reply("tools", "", []) == "I was offered no tools."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what is 2 + 3 * 4?", "That is 14."),
        ("7 / 2", "That is 3.5."),
        ("-(3 - 5)", "That is 2."),
        ("3 × 4", "That is 12."),
        ("1 / 0", "I did not understand"),
        ("2 ** 9", "I did not understand"),
        ("(((", "I did not understand"),
    ],
)
def test_sums_are_worked_out(text: str, said: str) -> None:
    assert reply("sum", text, []).startswith(said)


def test_who_it_is_and_what_it_can_not_do() -> None:
    assert "not a language model" in reply("identity", "", [])
    assert reply("unknown", "", []) == reply("nonsense", "", [])


def test_questions_about_abilities_are_no_requests() -> None:
    assert is_about_ability("Can you delete files?")
    assert is_about_ability("How do I create a file?")
    assert not is_about_ability("Can you delete a.txt?")
