"""What a tool may yield, checked where it is made."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from mcp_core import revisions
from mcp_core.effects import Ask, Completed, HangUp, Log, Output, Progress, ToolError
from mcp_core.messages import INTERNAL_ERROR, Failure


@pytest.mark.parametrize("level", revisions.LOG_LEVELS)
def test_a_log_line_has_one_of_the_eight_levels(level: str) -> None:
    assert Log(level, {"a": 1}).level == level


@pytest.mark.parametrize("level", ["warn", "INFO", "", "trace", None, 3, []])
def test_another_level_is_found_in_the_tool_that_wrote_it(level: Any) -> None:
    with pytest.raises(ValueError, match="is no log level; the levels are debug, info"):
        Log(level, "text")


@pytest.mark.parametrize(
    ("ask", "method", "needs", "params"),
    [
        (
            Ask.form("k", "Name?", {"type": "object"}),
            "elicitation/create",
            "elicitation.form",
            {"mode": "form", "message": "Name?", "requestedSchema": {"type": "object"}},
        ),
        (
            Ask.url("k", "Sign in.", "https://example.com/", "e1"),
            "elicitation/create",
            "elicitation.url",
            {"mode": "url", "message": "Sign in.", "url": "https://example.com/", "elicitationId": "e1"},
        ),
        (
            Ask.model("k", "Hi", 10, temperature=0.5),
            "sampling/createMessage",
            "sampling",
            {
                "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}],
                "maxTokens": 10,
                "temperature": 0.5,
            },
        ),
        (Ask.roots("k"), "roots/list", "roots", {}),
    ],
)
def test_each_question_knows_its_method_and_what_the_client_needs(
    ask: Ask, method: str, needs: str, params: dict[str, Any]
) -> None:
    assert (ask.key, ask.method, ask.needs, ask.params) == ("k", method, needs, params)


def test_a_model_that_shall_use_tools_needs_more_of_the_client() -> None:
    assert Ask.model("k", "Hi", 10, tools=[]).needs == "sampling.tools"


@pytest.mark.parametrize("effect", [Progress(1), Log("info", 1), Completed("e"), HangUp(5), Ask.roots("k"), Output([])])
def test_an_effect_does_not_change_under_way(effect: Any) -> None:
    field = dataclasses.fields(effect)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(effect, field, 2)


def test_what_a_tool_tells_the_model_is_the_text_of_its_error() -> None:
    assert str(ToolError("There is no file.")) == "There is no file."
    assert ToolError("The folder is gone.").as_failure(0) == Failure(0, INTERNAL_ERROR, "The folder is gone.")
