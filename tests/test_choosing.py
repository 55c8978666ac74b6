"""playground/host/choosing.py: flags over environment over .env, and which provider comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.host.choosing import Choice
from playground.settings import load


def choice(tmp_path: Path, started: list[int] | None = None, **environ: str) -> Choice:
    def start() -> str:
        (started if started is not None else []).append(1)
        return "http://127.0.0.1:5/v1"

    return Choice(load(environ=environ, root=tmp_path), start)


def test_without_any_setting_it_is_ollama_with_its_usual_model(tmp_path: Path) -> None:
    made = choice(tmp_path).provider()
    assert (made.kind, made.model, made.base_url) == ("ollama", "granite3.3", "http://127.0.0.1:11434/v1")


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PROVIDER=openai\nOPENAI_MODEL=of-file\nOLLAMA_MODEL=small\n", encoding="utf-8")
    assert choice(tmp_path).provider().model == "of-file"
    assert choice(tmp_path, OPENAI_MODEL="of-environment").provider().model == "of-environment"
    assert choice(tmp_path, OPENAI_MODEL="of-environment").provider(model="of-flag").model == "of-flag"
    assert choice(tmp_path, PROVIDER="anthropic").provider("ollama").model == "small"
    assert choice(tmp_path, PROVIDER=" Anthropic ").provider().kind == "anthropic"


def test_address_and_key_are_the_providers_own(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "k-openai", "ANTHROPIC_API_KEY": "k-other"}
    made = choice(tmp_path, None, OPENAI_BASE_URL="http://127.0.0.1:1/v1", **keys).provider("openai")
    assert made.base_url == "http://127.0.0.1:1/v1"
    assert made.about.key == "k-openai"  # type: ignore[attr-defined]


def test_the_scripted_model_is_started_once(tmp_path: Path) -> None:
    started: list[int] = []
    made = choice(tmp_path, started)
    assert made.provider("scripted").base_url == "http://127.0.0.1:5/v1"
    assert made.provider("scripted", "endless-loop").model == "endless-loop"
    assert started == [1]


def test_a_provider_nobody_knows_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="There is no provider 'gemini'; there are ollama, openai, anthropic, scripted"
    ):
        choice(tmp_path, PROVIDER="gemini").provider()
