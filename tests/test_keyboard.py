"""playground/host/keyboard.py: what the user types, through prompt_toolkit's own pipe in the place of a terminal."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from playground.host.keyboard import Keyboard, Lines, _completer, is_terminal

CTRL_C, CTRL_D, ESCAPE = "\x03", "\x04", "\x1b"
YES_NO = {"y": "yes", "n": "no"}


@pytest.fixture
def keys() -> Iterator[Any]:
    """What is sent here is typed."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


def test_a_question_is_a_line(keys: Any) -> None:
    keyboard = Keyboard()
    keys.send_text("one\rtwo\r")
    assert keyboard.question() == "one"
    assert keyboard.question() == "two"


def test_what_is_pasted_is_one_question(keys: Any) -> None:
    keys.send_text(f"{ESCAPE}[200~first\r\nsecond\nthird{ESCAPE}[201~\r")
    assert Keyboard().question() == "first\nsecond\nthird"


def test_alt_enter_begins_a_line(keys: Any) -> None:
    keys.send_text(f"a{ESCAPE}\rb\r")
    assert Keyboard().question() == "a\nb"


def test_ctrl_c_clears_a_line_and_leaves_an_empty_one(keys: Any) -> None:
    keyboard = Keyboard()
    keys.send_text(f"never asked{CTRL_C}asked\r")
    assert keyboard.question() == "asked"
    keys.send_text(CTRL_C)
    with pytest.raises(KeyboardInterrupt):
        keyboard.question()


def test_ctrl_d_is_the_end_of_input(keys: Any) -> None:
    keys.send_text(CTRL_D)
    with pytest.raises(EOFError):
        Keyboard().question()


def test_questions_are_kept_for_the_next_time_and_for_nobody_else(keys: Any, tmp_path: Path) -> None:
    file = tmp_path / "kept" / ".typed"
    keys.send_text("first\r")
    Keyboard(file).question()
    assert "first" in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 or os.name == "nt"


def test_a_history_that_cannot_be_kept_is_no_reason_not_to_ask(keys: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    keys.send_text("asked\r")
    assert Keyboard(tmp_path / "file" / ".typed").question() == "asked"


@pytest.mark.parametrize(("typed", "chosen"), [("y", "y"), ("N", "n"), ("xqz n", "n"), ("\ry", "y")])
def test_one_key_is_an_answer_and_any_other_is_none(keys: Any, typed: str, chosen: str) -> None:
    person = Keyboard()
    keys.send_text(typed)
    assert person.choose("Run it?", YES_NO) == chosen


def test_what_comes_behind_the_key_is_no_question(keys: Any) -> None:
    person = Keyboard()
    keys.send_text("yes\r")
    assert person.choose("Run it?", YES_NO) == "y"
    keys.send_text("next\r")
    assert person.question() == "next"


@pytest.mark.parametrize(("typed", "error"), [(CTRL_C, KeyboardInterrupt), (CTRL_D, EOFError)])
def test_a_choice_can_be_left(keys: Any, typed: str, error: type[BaseException]) -> None:
    keys.send_text(typed)
    with pytest.raises(error):
        Keyboard().choose("Run it?", YES_NO)


def test_a_line_has_a_default_that_can_be_changed(keys: Any) -> None:
    keys.send_text("\x15other\r")
    assert Keyboard().line("Name:", "default") == "other"
    keys.send_text("\r")
    assert Keyboard().line("Name:", "default") == "default"


def complete(word: str) -> Iterable[tuple[str, str]]:
    return [("/help", "this list")] if "/help".startswith(word) else [(f"@{word}.txt", "a\x1b")]


@pytest.mark.parametrize(
    ("typed", "found", "start"), [("/he", "/help", -3), ("read a", "@a.txt", -1), ("/load n", "@/load n.txt", -1)]
)
def test_the_last_word_is_completed(typed: str, found: str, start: int) -> None:
    (completion,) = _completer(complete).get_completions(Document(typed), CompleteEvent())
    assert (completion.text, completion.start_position) == (found, start)
    assert "\x1b" not in completion.display_meta_text


def test_lines_come_from_a_pipe_until_it_ends() -> None:
    lines = Lines(io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfone\r\ntwo \xff\n\nlast"), encoding="latin-1"))
    assert [lines.question() for _ in range(4)] == ["one", "two \ufffd", "", "last"]
    with pytest.raises(EOFError):
        lines.question()


def test_no_input_at_all_is_its_end() -> None:
    closed = io.StringIO("x")
    closed.close()
    for nothing in (None, closed, io.StringIO("")):
        with pytest.raises(EOFError):
            Lines(nothing).question()


def test_a_terminal_is_where_all_streams_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    closed = Tty()
    closed.close()
    assert is_terminal(Tty(), Tty())
    assert not any(is_terminal(Tty(), other) for other in (io.StringIO(), None, closed))


def test_no_terminal_needs_no_flushing(keys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    keys.send_text("y")
    assert Keyboard().choose("?", YES_NO) == "y"
