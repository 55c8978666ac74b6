"""What the tests of the chat share: the script as a process with piped input, odd servers, and the log it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_core.calling import Asked
from playground.host.calls import Call
from playground.host.tools import Job, Tool
from tests.conftest import ROOT, clean_environment, unused_port

Json = dict[str, Any]
TUTORIAL = "Create a file named notes.txt with a TODO line, then count TODOs"


@dataclass
class Done:
    """A chat that has ended."""

    code: int
    out: str
    notes: str
    logs: Path

    @property
    def objects(self) -> list[Json]:
        """What --json printed."""
        return [json.loads(line) for line in self.out.splitlines()]

    def records(self, *events: str) -> list[Json]:
        return records(self.logs, *events)


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Settings for a chat that finds no server over HTTP, and keeps its files and logs in `folder`."""
    places = {"MCP_FILES": str(folder / "mcp_files"), "MCP_LOGS": str(folder / "logs"), "MCP_PORT": str(unused_port())}
    return clean_environment() | places | settings


def chat(folder: Path, *arguments: object, typed: str = "", **settings: str) -> Done:
    """Runs the script to its end; `typed` is its standard input."""
    command = [sys.executable, str(ROOT / "chat_with_tools.py"), *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder, **settings),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    return Done(done.returncode, done.stdout, done.stderr, folder / "logs")


def records(logs: Path, *events: str, component: str = "mcp-client-chat") -> list[Json]:
    """The chat's records, of these events or all."""
    lines = (logs / f"{component}.jsonl").read_text("utf-8").splitlines()
    return [record for record in map(json.loads, lines) if not events or record["event"] in events]


def tool(name: str, **more: Any) -> Json:
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **more}


def odd(folder: Path, tools: Sequence[Json], name: str = "odd", **plan: Any) -> Json:
    """An entry of servers.json for a server of tests/odd_server.py; what it ran is in `folder`/NAME.calls."""
    path = folder / f"{name}.plan.json"
    plan = {"tools": list(tools), "calls": str(folder / f"{name}.calls"), **plan}
    path.write_text(json.dumps(plan), encoding="utf-8")
    return {"command": sys.executable, "args": [str(ROOT / "tests" / "odd_server.py"), str(path)]}


def ran(folder: Path, name: str = "odd") -> list[tuple[str, Any]]:
    """The calls that an odd server really ran."""
    path = folder / f"{name}.calls"
    return [tuple(json.loads(line)) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def servers(folder: Path, **entries: Json) -> Path:
    """A servers.json."""
    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return path


def eventually(is_so: Callable[[], Any], seconds: float = 20) -> None:
    """Waits until something holds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        threading.Event().wait(0.02)


def job(tool: Tool, arguments: Mapping[str, Any] | None = None, id: str = "c1") -> Job:
    given = dict(arguments or {})
    return Job(Call.received(id, tool.name, json.dumps(given)), tool, given)


def asked(method: str, **params: Any) -> Asked:
    return Asked(method, params, "q1")
