"""Official clients of other versions and languages, unmodified, against server.py: each does one round and tells."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interop import peers

HERE = Path(__file__).resolve().parent
SERVER = HERE.parent.parent / "server.py"
OLD, NEW = "2025-11-25", "2026-07-28"


@pytest.fixture(scope="module")
def url(start_module: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("interop")
    running = start_module("server.py", "--port", "0", "--files", folder / "files", "--logs", folder / "logs")
    return str(running.url) + "/mcp"


def where(way: str, request: pytest.FixtureRequest, folder: Path) -> list[str]:
    """How a client of a script is told where our server is."""
    if way == "http":
        return ["http", request.getfixturevalue("url")]
    folders = ["--files", str(folder / "files"), "--logs", str(folder / "logs")]
    return ["stdio", sys.executable, str(SERVER), "--stdio", *folders]


def seen_by(command: list[str], cwd: Path | None = None) -> Any:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(seen: dict[str, Any], name: str) -> None:
    """What every client must have seen; that it came to the end shows that it heard of both changes."""
    assert seen["tools"] == [
        *("append_line", "delete_file", "list_files", "read_file"),
        *("search_all", "search_file", "summarize_file", "write_file"),
    ]
    assert seen["written"] == {"message": f"Wrote 9 bytes to {name}"}
    assert seen["content"] == seen["resource"] == "one TODO\ntwo TODO €\n"
    assert seen["total"] >= 2
    assert seen["summary"] == "A short text."
    assert (seen["prompts"], seen["prompt"], seen["completion"]) == (["review_file", "todo_report"], 1, ["brief"])
    assert (seen["asked"], seen["deleted"]) == ([f"Delete the file {name}?"], True)
    assert seen["refusal"] == -32602


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_the_python_sdk_of_the_first_era(way: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    script = str(HERE / "client_python_1.py")
    seen = seen_by([peers.python("python-1"), script, *where(way, request, tmp_path)])
    check(seen, "one.txt")
    assert seen["revision"] == OLD
    # Not asked of the TypeScript SDKs: they drop a progress that arrives in one piece with the result.
    assert seen["progress"] >= 1


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_the_typescript_sdk_of_the_first_era(way: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    arguments = ["default", *where(way, request, tmp_path)]
    check(seen_by(peers.node("typescript-1", "client_typescript_1.mjs", *arguments)), "default.txt")


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize(("mode", "revision"), [("default", OLD), ("auto", NEW), (NEW, NEW)])
def test_the_typescript_sdk_of_both_eras(
    way: str, mode: str, revision: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    arguments = [mode, *where(way, request, tmp_path)]
    seen = seen_by(peers.node("typescript-2", "client_typescript_2.mjs", *arguments))
    check(seen, f"{mode}.txt")
    assert seen["revision"] == revision
