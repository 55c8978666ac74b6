"""A Run: one request while it is being answered, and its end."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from mcp_core.calls import Call, Memory
from mcp_core.catalogue import Catalogue
from mcp_core.messages import Request
from mcp_core.runs import Outgoing, Run


def run(steps: Generator[Any, Any, dict[str, Any]]) -> Run:
    call = Call(Request("seven", "tools/call"), Memory("2025-11-25"), Catalogue("shop", "1.0"), 100, True)
    return Run(call, steps, {})


def test_a_run_has_the_id_of_its_request() -> None:
    def steps() -> Generator[Any, Any, dict[str, Any]]:
        yield
        return {}

    assert run(steps()).id == "seven"


def test_closing_a_run_lets_its_tool_clean_up_wherever_it_stands() -> None:
    cleaned: list[str] = []

    def steps() -> Generator[Any, Any, dict[str, Any]]:
        try:
            yield
        finally:
            cleaned.append("yes")
        return {}

    fresh, begun, ended = run(steps()), run(steps()), run(steps())
    next(begun.steps)
    list(ended.steps)
    assert cleaned == ["yes"]
    assert [one.close() for one in (fresh, begun, ended)] == [None, None, None]
    assert cleaned == ["yes", "yes"]


def test_a_tool_that_fails_while_it_cleans_up_is_found_out_and_breaks_nothing() -> None:
    def failing() -> Generator[Any, Any, dict[str, Any]]:
        try:
            yield
        finally:
            raise OSError("disk full")

    def stubborn() -> Generator[Any, Any, dict[str, Any]]:
        try:
            yield
        finally:
            yield "not yet"
        return {}

    for steps, words in ((failing(), "disk full"), (stubborn(), "ignored GeneratorExit")):
        broken = run(steps)
        next(broken.steps)
        assert words in str(broken.close())


def test_runs_share_nothing() -> None:
    def steps() -> Generator[Any, Any, dict[str, Any]]:
        yield
        return {}

    assert run(steps()).waiting is not run(steps()).waiting


def test_what_goes_out_can_say_nothing_but_that_it_is_over() -> None:
    assert Outgoing(None, 7) == Outgoing(message=None, about=7, fault=None, come_back=None)
