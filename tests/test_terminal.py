"""playground/terminal.py: nothing that a stranger writes moves the cursor, and JSON reads well at any width."""

from __future__ import annotations

import io
import json
import re
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground import terminal
from playground.terminal import Sheet, Terminal, fold, one_line, visible, wants_color

OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]")


class Screen(io.StringIO):
    """A terminal that keeps what it shows."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\u001b[2J"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("one\rtwo", "one\\rtwo"),
        ("\x9b31m", "\\u009b31m"),
        ("\x7f", "\\u007f"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2066b\u200bc", "a\\u2066b\\u200bc"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("one\n\ttwo é € 😀 中", "one\n\ttwo é € 😀 中"),
    ],
)
def test_what_a_terminal_obeys_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters()))
def test_no_text_gets_through_as_a_command(text: str) -> None:
    assert not OBEYED.search(visible(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_folded_json_is_the_same_json(value: object) -> None:
    folded = fold(value, 40)
    assert json.loads(folded) == value
    assert not OBEYED.search(folded)


def test_one_line_is_one_line_and_short() -> None:
    assert one_line("a\nb\tc") == "a\\nb\\tc"
    assert one_line("x" * 101) == "x" * 100 + "…"
    assert one_line("\x1b" * 30, 20) == "\\u001b\\u001b\\u001b\\u" + "…"


def test_what_fits_stays_on_one_line() -> None:
    assert fold({"a": [1, {"b": None}]}) == '{"a": [1, {"b": null}]}'
    assert fold([], 1) == "[]"
    assert fold(["aaaa", "bbbb"], 10) == '[\n  "aaaa",\n  "bbbb"\n]'


@pytest.mark.parametrize(
    ("environ", "is_colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_color_is_for_terminals_that_want_it(environ: dict[str, str], is_colored: bool) -> None:
    assert wants_color(Screen(), environ) is is_colored
    assert wants_color(io.StringIO(), environ) is False


def test_json_is_colored_by_what_it_is() -> None:
    screen = Screen()
    Terminal(screen, {}, 80).json({"k": ["text", 1, True, None, -2.5]}, indent=2)
    assert screen.getvalue() == (
        '  {\x1b[36m"k"\x1b[0m: [\x1b[32m"text"\x1b[0m, \x1b[35m1\x1b[0m, \x1b[35mtrue\x1b[0m, '
        "\x1b[35mnull\x1b[0m, \x1b[35m-2.5\x1b[0m]}\n"
    )


def test_colors_are_added_after_the_text_was_made_harmless() -> None:
    screen = Screen()
    view = Terminal(screen, {}, 80)
    for write in (view.line, view.rule, view.paragraph, view.aside):
        write("a\x1b[31mb")
    view.json({"\x1b[31m": "\u202e"})
    assert not re.search("\x1b\\[31m|\u202e", screen.getvalue())


def test_without_color_there_is_no_escape_at_all() -> None:
    out = io.StringIO()
    view = Terminal(out, {}, 40)
    view.rule("a title that is far too long for a line of forty")
    view.line("one\n\ntwo", "bold", 2)
    view.paragraph("some words that do not fit on one line of forty", "faint", 2, "Note:")
    view.aside(
        "and an aside that is too long as well, with\na line of its own and a https://example.org/long-long-long-link",
        "faint",
        2,
    )
    assert out.getvalue().split("\n") == [
        "",
        "──── a title that is far too long f… ───",
        "  one",
        "",
        "  two",
        "  Note: some words that do not fit on",
        "        one line of forty",
        "  │ and an aside that is too long as",
        "  │ well, with",
        "  │ a line of its own and a",
        "  │ https://example.org/long-long-long-link",
        "",
    ]  # fmt: skip


def test_long_values_are_cut_with_a_word() -> None:
    out = io.StringIO()
    Terminal(out, {}, 80).json({"text": "x" * 3000, "list": [["y" * 70]] * 300})
    assert "… (1000 more characters; the log has them all)" in out.getvalue()
    assert "more lines; the log has them all" in out.getvalue()
    assert out.getvalue().count("\n") == terminal.MOST_LINES + 1


def test_the_encoding_of_the_terminal_is_respected() -> None:
    raw = io.BytesIO()
    ascii_out = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    view = Terminal(ascii_out, {}, 40)
    view.rule("café")
    view.line(f"{view.sent} {view.bar}")
    assert raw.getvalue().decode("ascii").splitlines()[1:] == ["---- caf\\xe9 ------------------------------", "-> |"]


def test_an_unknown_encoding_counts_as_plain() -> None:
    screen = Screen()
    screen.encoding = "no-such-code"
    assert Terminal(screen, {}).sent == "->"


def test_the_width_is_the_terminals_but_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert Terminal(io.StringIO(), {}).width == 100
    monkeypatch.setenv("COLUMNS", "60")
    assert Terminal(io.StringIO(), {}).width == 59


def test_an_old_windows_console_is_woken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[str] = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("os.system", woken.append)
    Terminal(Screen(), {})
    Terminal(io.StringIO(), {})
    assert woken == [""]


def test_a_sheet_keeps_its_lines_without_color_until_they_are_taken() -> None:
    sheet = Sheet(Terminal(io.StringIO(), {}, 80), 40)
    sheet.line("bold\x1b", "bold")
    sheet.paragraph("word " * 12)
    assert sheet.take() == ["bold\\u001b", *textwrap.wrap("word " * 12, 40)]
    assert sheet.take() == []
