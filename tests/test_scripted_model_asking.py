"""Asking a client for one thing."""

from collections.abc import Generator
from typing import Any

import pytest

from playground.scripted_model.asking import Trouble, listing, text_in, texts_in, use, whole_text_in
from playground.scripted_model.talk import Call, Outcome
from playground.scripted_model.toolbox import Toolbox
from tests.scripted_files import TOOLS

BOX = Toolbox(TOOLS)


def answered(asking: Generator[list[Call], list[Outcome], Any], *texts: str) -> Any:
    """What the generator returns when its calls get these results, round by round."""
    left = list(texts)
    try:
        calls = next(asking)
        while True:
            calls = asking.send([Outcome(call, left.pop(0)) for call in calls])
    except StopIteration as stop:
        return stop.value


def test_sound_results_come_back() -> None:
    assert answered(listing(BOX), '{"files": ["a"]}') == ["a"]
    assert answered(text_in(BOX, "a"), '{"content": "x"}') == "x"
    assert answered(whole_text_in(BOX, "a"), '{"content": "x"}') == "x"
    assert answered(use(BOX, "delete", "delete a", file="a"), "ok").text == "ok"


def test_many_files_are_read_a_few_at_a_time_and_bad_ones_left_out() -> None:
    names = [str(number) for number in range(10)]
    texts = ['{"content": "x"}'] * 9 + ["Error: no"]
    assert answered(texts_in(BOX, names), *texts) == [(name, "x") for name in names[:9]]
    assert len(next(texts_in(BOX, names))) == 8


@pytest.mark.parametrize(
    ("asking", "texts", "sentence"),
    [
        (use(Toolbox([]), "read", "read a", file="a"), [], "None of the tools I was offered can read a."),
        (texts_in(Toolbox([]), ["a"]), [], "None of the tools I was offered can read files."),
        (text_in(BOX, "a"), ["Error: gone"], "I could not read a: gone"),
        (
            text_in(BOX, "a"),
            ["The user declined."],
            "I did not read a: the call of files__read_file was declined, so I left it at that.",
        ),
        (whole_text_in(BOX, "a"), ["x\n[Cut here: 9 characters left out.]"], "I got only a part of a"),
    ],
)
def test_trouble_is_a_sentence(
    asking: Generator[list[Call], list[Outcome], Any], texts: list[str], sentence: str
) -> None:
    with pytest.raises(Trouble, match=sentence):
        answered(asking, *texts)
