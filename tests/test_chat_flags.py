"""playground/chat_flags.py: the command line of chapter 3."""

from __future__ import annotations

import pytest

from playground.chat_flags import PROVIDERS, parse
from playground.host.providers import KNOWN


def test_without_flags_everything_has_its_usual_value() -> None:
    options = parse([])
    assert vars(options) == {
        "provider": None, "model": None, "system": "", "temperature": None, "servers": None, "logs": None,
        "approve": "ask", "max_rounds": 10, "once": None, "json": False, "no_stream": False,
    }  # fmt: skip


def test_the_providers_of_the_flag_are_those_that_there_are() -> None:
    assert set(PROVIDERS) == set(KNOWN)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--temperature", "3"],
        ["--temperature", "-0.1"],
        ["--temperature", "nan"],
        ["--max-rounds", "0"],
        ["--max-rounds", "101"],
        ["--once", "  "],
        ["--approve", "sometimes"],
        ["--provider", "gemini"],
        ["--prov", "ollama"],
    ],
)
def test_what_makes_no_sense_ends_the_program_with_a_word(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(wrong)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_limits_are_allowed() -> None:
    options = parse(["--temperature", "0", "--max-rounds", "1", "--once", "-"])
    assert (options.temperature, options.max_rounds, options.once) == (0.0, 1, "-")
