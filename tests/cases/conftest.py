"""One server and one viewer for all cases of a file, each with a canary beside its folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.oracles import Canary, Peer

Start = Callable[..., Any]


@pytest.fixture(scope="module")
def shared_server(start_module: Start, tmp_path_factory: pytest.TempPathFactory) -> Peer:
    return serve(start_module, tmp_path_factory.mktemp("server"))


@pytest.fixture
def server(shared_server: Peer) -> Iterator[Peer]:
    """The shared server; after each case it must hold all oracles."""
    yield shared_server
    shared_server.check()


@pytest.fixture
def own_server(start: Start, tmp_path: Path) -> Peer:
    """A server that the case may ruin."""
    return serve(start, tmp_path / "own")


def serve(start: Start, folder: Path) -> Peer:
    canary = Canary(folder / "mcp_files_evil")
    files, logs = folder / "mcp_files", folder / "logs"
    files.mkdir()
    return Peer(start("server.py", "--port", 0, "--files", files, "--logs", logs), folder, canary)
