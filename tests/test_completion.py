"""playground/host/completion.py: what the last word may become."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from playground.host.commands import COMMANDS
from playground.host.completion import complete
from playground.host.conversation import Conversation
from playground.host.router import Listed
from playground.host.saved import Shelf


@pytest.fixture
def chat(tmp_path: Path) -> Any:
    shelf = Shelf(tmp_path)
    shelf.save("monday", Conversation())
    router = SimpleNamespace(
        resources=lambda: [Listed("files", "notes.txt", {}), Listed("files", "todo.txt", {})],
        prompts=lambda: [Listed("files", "review_file", {})],
        members=[SimpleNamespace(name="files")],
    )
    return SimpleNamespace(shelf=shelf, router=router)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("/pro", ["/provider", "/prompt"]),
        ("/load ", ["monday"]),
        ("/load x", []),
        ("/save m", ["monday"]),
        ("/prompt rev", ["review_file"]),
        ("/provider o", ["ollama", "openai"]),
        ("/approve n", ["never"]),
        ("/tools f", ["files"]),
        ("/clear x", []),
        ("@no", ["@notes.txt"]),
        ("@files:t", ["@todo.txt"]),
        ("words", []),
    ],
)
def test_what_is_offered(chat: Any, typed: str, found: list[str]) -> None:
    assert [text for text, _ in complete(chat, typed)] == found


def test_each_command_comes_with_what_it_does(chat: Any) -> None:
    assert dict(complete(chat, "/")) == {name: command.__doc__ for name, command in COMMANDS.items()}
