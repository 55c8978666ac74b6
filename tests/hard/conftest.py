"""Real processes for the hard tests, each with secrets in its environment that must never come out of it.

What a process printed is kept beside its logs: the canary search of `scripts/hard` looks through all of it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.oracles import Canary, Peer

Start = Callable[..., Any]
SEED = os.environ.get("HARD_CANARY") or secrets.token_hex(16)
# Values as providers make them, and some that every encoding writes differently.
KEYS = {
    "OPENAI_API_KEY": f"sk-proj-{SEED}",
    "ANTHROPIC_API_KEY": f"sk-ant/{SEED}+~",
    "OLLAMA_API_KEY": f'{SEED}"\\=&',
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder takes its time."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.hard)


@pytest.fixture
def launch(start: Start, tmp_path: Path) -> Iterator[Start]:
    """`start`, with secrets in the environment; what was printed is left in the folder of the test."""
    running: list[tuple[str, Any]] = []

    def run(script: str, *arguments: object, **settings: Any) -> Any:
        one = start(script, *arguments, **KEYS, **settings)
        running.append((script, one))
        return one

    yield run
    for number, (script, one) in enumerate(running):
        one.stop()
        (tmp_path / f"printed-{number}-{script}.txt").write_text(one.text, encoding="utf-8")


@pytest.fixture
def peer(launch: Start, tmp_path: Path) -> Peer:
    """A server of this test's own, with a canary beside its folder."""
    return serving(launch, tmp_path / "peer")


def serving(launch: Start, folder: Path, port: int = 0) -> Peer:
    (folder / "mcp_files").mkdir(parents=True, exist_ok=True)
    canary = Canary(folder / "mcp_files_evil")
    running = launch("server.py", "--port", port, "--files", folder / "mcp_files", "--logs", folder / "logs")
    return Peer(running, folder, canary)


@pytest.fixture
def viewer(launch: Start, logs: Path) -> Any:
    """A viewer over the folder `logs`; it says every half second that it lives."""
    running = launch("log_viewer.py", "--port", 0, "--logs", logs, "--heartbeat", "0.5")
    assert running.url
    return running
