"""playground/columns.py: what is new each time is no difference, everything else is marked."""

from __future__ import annotations

import io

import pytest

from playground.columns import Comparison, aligned
from playground.terminal import Terminal

TITLES = ("old", "new")


def compared(monkeypatch: pytest.MonkeyPatch, columns: int, left: list[str], right: list[str]) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    pair = Comparison(Terminal(out, {}, min(columns, 100)), TITLES)
    for sheet, lines in zip(pair.sheets, (left, right), strict=True):
        for line in lines:
            sheet.line(line)
    pair.show()
    pair.show()  # nothing new, so nothing
    return out.getvalue().splitlines()


def test_side_by_side_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = compared(monkeypatch, 120, ["same", "left", "end"], ["same", "right", "more", "end"])
    assert lines == [
        "old" + " " * 58 + "new",
        "same" + " " * 57 + "same",
        "left" + " " * 55 + "≠ right",
        " " * 59 + "≠ more",
        "end" + " " * 58 + "end",
    ]


def test_one_under_the_other_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = compared(monkeypatch, 80, ["same", "left"], ["same", "right"])
    assert lines == ["", "old", "  same", "≠ left", "", "new", "  same", "≠ right"]


def test_a_line_that_is_too_long_for_its_column_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = compared(monkeypatch, 120, ["a" * 60, ""], ["b", ""])
    assert lines[1:] == ["a" * 58 + " ≠ b", "aa" + " " * 57 + "≠", ""]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("← 200 OK   1.5 ms", "← 200 OK   23.0 ms"),
        (f'"traceparent": "00-{"a" * 32}-{"b" * 16}-01",', f'"traceparent": "00-{"c" * 32}-{"d" * 16}-01"'),
        ("→ POST   (client.py:1 f)", "→ POST   (client.py:99 f)"),
        ("  indented", "indented"),
    ],
)
def test_what_is_new_each_time_is_the_same(left: str, right: str) -> None:
    assert [row[2] for row in aligned([left], [right])] == [True]


def test_an_ascii_terminal_has_a_mark_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    pair = Comparison(Terminal(out, {}, 80), TITLES)
    pair.sheets[0].line("only here")
    pair.show()
    out.flush()
    assert b"! only here" in out.buffer.getvalue()
