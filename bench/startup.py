"""How long each script takes up to its first line of output, which is mostly its imports."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import ROOT, folder, running, some_files

FIRST = "first line, s"


def _server(place: Path) -> list[str]:
    return ["server.py", "--port", "0", "--files", str(some_files(place / "files")), "--logs", str(place / "logs")]


SCRIPTS = {
    "ours: client.py": lambda place: ["client.py", "--url", "http://127.0.0.1:9/mcp", "--logs", str(place)],
    "ours: server.py": _server,
    "ours: log_viewer.py": lambda place: ["log_viewer.py", "--port", "0", "--logs", str(place)],
    "ours: chat_with_tools.py --help": lambda place: ["chat_with_tools.py", "--help"],
    "python -c pass": None,
}


def _script(name: str) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            make = SCRIPTS[name]

            def measure() -> Figures:
                began = time.perf_counter()
                if make is None:
                    subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=ROOT)
                    return {FIRST: time.perf_counter() - began}
                command: Sequence[str] = [sys.executable, *make(place)]
                with running(command) as (process, _):
                    assert process.stdout is not None
                    process.stdout.read(1)
                    return {FIRST: time.perf_counter() - began}

            yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    limits = {"client.py": 0.25, "server.py": 0.35, "log_viewer.py": 0.35, "chat_with_tools.py --help": 0.4}
    targets = [Target(f"{name}, up to its first line", FIRST, s, ours=f"ours: {name}") for name, s in limits.items()]
    return [Group("start of each script", {name: _script(name) for name in SCRIPTS}, targets, FIRST, "s")]
