"""playground/host/screen.py: what the user sees, and what a machine gets."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from mcp_core.messages import Notification
from playground.host.approval import Question
from playground.host.calls import Result
from playground.host.conversation import NO_ANSWER
from playground.host.diagnosis import Diagnosis
from playground.host.running import News
from playground.host.screen import Screen
from playground.host.tools import Tool
from tests.chats import job

READ = Tool("files__read", server="files", original="read")
HOSTILE = "a\x1b[2Jb\x9b1m\rc\u202ed\x07"
SHOWN = "a\\u001b[2Jb\\u009b1m\\rc\\u202ed\\u0007"


class Both:
    """A screen, and what was written to it."""

    def __init__(self, **how: Any) -> None:
        self.out, self.notes = io.StringIO(), io.StringIO()
        self.screen = Screen(self.out, self.notes, **{"is_terminal": False, **how})

    @property
    def written(self) -> tuple[str, str]:
        return self.out.getvalue(), self.notes.getvalue()


def test_elsewhere_than_on_a_terminal_the_answer_alone_goes_to_stdout() -> None:
    both = Both()
    both.screen.thinks("model")
    both.screen.piece("text", "He")
    both.screen.runs([job(READ, {"a": "é"})])
    both.screen.results([job(READ)], [Result.of_text("c1", "found"), Result.of_text("c1", "no", is_error=True)])
    both.screen.diagnosed(Diagnosis("loop", "It loops."))
    both.screen.says("Here.", by_host=False)
    both.screen.ends()
    assert both.written[0] == "Here.\n"
    assert both.written[1] == '→ files__read {"a": "é"}\n  found\n  ✗ no\n! It loops.\n'


def test_a_secret_is_never_shown() -> None:
    both = Both(secrets=["open-sesame"])
    both.screen.note("Nothing answers at http://ann:open-sesame@host/.")
    both.screen.text("at http://ann:open-sesame@host/")
    assert both.written == ("at http://ann:***@host/\n", "Nothing answers at http://ann:***@host/.\n")


def test_on_a_terminal_pieces_are_shown_as_they_come_and_not_twice() -> None:
    both = Both(is_terminal=True)
    both.screen.thinks("model")
    for kind, piece in [("thought", "Hm. "), ("text", "Here "), ("call", "files__read"), ("text", "it is.")]:
        both.screen.piece(kind, piece)
    both.screen.says("Here it is.", by_host=False)
    both.screen.ends()
    shown = both.written[0]
    assert shown.endswith("Hm. Here it is.\n")
    assert shown.count("Here") == 1
    both.screen.thinks("model")
    both.screen.says("Unstreamed.", by_host=False)
    assert both.written[0].endswith("Unstreamed.\n")


def test_a_note_begins_a_line_of_its_own() -> None:
    both = Both(is_terminal=True)
    both.screen.piece("text", "half")
    both.screen.note("note")
    both.screen.piece("text", "line\n")
    both.screen.text("text")
    assert both.written[0] == "half\nnote\nline\ntext\n"


def test_nothing_a_terminal_would_obey_is_shown() -> None:
    both = Both(is_terminal=True)
    screen = both.screen
    screen.begins(HOSTILE)
    screen.piece("text", HOSTILE)
    screen.runs([job(Tool(HOSTILE, server=HOSTILE), {HOSTILE: HOSTILE})])
    screen.results([], [Result.of_text("c1", HOSTILE)])
    screen.diagnosed(Diagnosis("x", HOSTILE))
    screen.says(HOSTILE, by_host=True)
    screen.stopped("x", HOSTILE, HOSTILE)
    screen.approvable(Question(Tool(HOSTILE, server=HOSTILE), {HOSTILE: HOSTILE}, (HOSTILE,), True))
    for level in ("info", "error"):
        screen.hears(News(HOSTILE, Notification("notifications/message", {"level": level, "data": HOSTILE})))
    screen.text(HOSTILE)
    screen.settle()
    shown = both.written[0]
    assert not set(shown) & set("\x07\x9b\u202e")
    assert "\x1b[2J" not in shown
    assert "\rc" not in shown
    assert shown.count(SHOWN) >= 10


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ({"progress": 1, "total": 3, "message": "a.txt"}, "files: 1/3 a.txt"),
        ({"progress": 0.5}, "files: 0.5"),
        ({"progress": "x", "total": None}, "files: ?"),
    ],
)
def test_progress_is_shown_while_one_waits(params: dict[str, Any], shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(is_terminal=True)
    busy: list[str] = []
    monkeypatch.setattr(both.screen, "_busy", busy.append)
    both.screen.hears(News("files", Notification("notifications/progress", params)))
    both.screen.hears(News("files", Notification("notifications/cancelled", {})))
    assert [text.strip() for text in busy] == [shown]


def is_moving(both: Both) -> bool:
    return both.screen._status is not None


def test_something_moves_only_on_a_terminal_and_stops() -> None:
    both = Both(is_terminal=True)
    both.screen.thinks("model")
    assert is_moving(both)
    both.screen.hears(News("files", Notification("notifications/progress", {"progress": 1})))
    both.screen.piece("thought", "…")
    assert not is_moving(both)
    both.screen.hears(News("files", Notification("notifications/progress", {"progress": 1})))
    assert not is_moving(both)  # not over a line that has begun


def test_what_waits_for_approval_is_shown_in_full() -> None:
    both = Both(is_terminal=True)
    long = {"text": "x" * 3000}
    both.screen.approvable(Question(READ, long, ("read-only",), True))
    shown = both.written[0]
    assert "x" * 3000 in shown
    assert "which you have not marked as trusted says of it: read-only" in shown
    assert "has changed this tool" in shown
    trusted = Both(is_terminal=True)
    trusted.screen.approvable(Question(Tool("t", trusted=True), {}, ("destructive",), False))
    assert "not marked" not in trusted.written[0]


def test_a_quiet_screen_says_one_line_where_there_is_no_answer() -> None:
    both = Both(is_quiet=True)
    both.screen.note("hello")
    both.screen.warn("something odd")
    both.screen.stopped("not_running", "Ollama is not running.", "ollama serve")
    both.screen.ends()
    assert both.written == ("", "Ollama is not running. Try: ollama serve\n")


def test_a_quiet_screen_keeps_warnings_for_an_answer() -> None:
    both = Both(is_quiet=True)
    both.screen.warn("something odd")
    both.screen.says("Here.", by_host=False)
    both.screen.ends()
    assert both.written == ("Here.\n", "! something odd\n")


def test_where_the_model_said_nothing_the_reason_is_the_line() -> None:
    both = Both(is_quiet=True)
    both.screen.diagnosed(Diagnosis("empty_answer", "The model returned nothing. Ask again."))
    both.screen.says(NO_ANSWER, by_host=True)
    assert both.written == ("", "The model returned nothing. Ask again.\n")


def test_a_command_is_not_named_twice() -> None:
    both = Both()
    both.screen.stopped("x", "Start it with: ollama serve", "ollama serve")
    assert both.written[1] == "Start it with: ollama serve\n"


def test_a_machine_gets_one_object_a_question() -> None:
    both = Both(as_json=True, is_quiet=True)
    both.screen.begins("Question?")
    both.screen.results([job(READ, {"a": 1})], [Result.of_text("c1", HOSTILE), Result.of_text("c9", "unknown")])
    both.screen.diagnosed(Diagnosis("loop", "It loops."))
    both.screen.says(HOSTILE, by_host=False)
    both.screen.ends(model="m")
    both.screen.begins("Again?")
    both.screen.stopped("timeout", "Too late.", "")
    both.screen.ends(model="m")
    both.screen.begins("Third?")
    both.screen.says("The limit.", by_host=True)
    both.screen.ends()
    first, second, third = map(json.loads, both.written[0].splitlines())
    call = {"server": "files", "tool": "read", "arguments": {"a": 1}, "is_error": False, "result": HOSTILE}
    notices = [{"kind": "loop", "sentence": "It loops."}]
    assert first == {"answer": HOSTILE, "question": "Question?", "calls": [call], "notices": notices, "model": "m"}
    assert second["error"] == {"kind": "timeout", "sentence": "Too late.", "command": ""}
    assert second["answer"] is None
    assert third["stopped"] == "The limit."
    assert "\x1b" not in both.written[0]


def test_a_terminal_that_knows_few_letters_gets_few() -> None:
    raw = io.BytesIO()
    notes = io.TextIOWrapper(raw, encoding="ascii")
    screen = Screen(io.StringIO(), notes, is_terminal=False)
    screen.runs([job(READ, {"a": "é"})])
    screen.results([], [Result.of_text("c1", "no", is_error=True)])
    notes.flush()
    assert raw.getvalue() == b'-> files__read {"a": "\\xe9"}\n  x no\n'
