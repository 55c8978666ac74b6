"""How long each script takes up to its first line of output, which is mostly its imports; also as a multiple of what
Python itself takes to start and do nothing, measured beside it.

Python keeps what it has compiled, as it does on a learner's machine, whatever the environment here says.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import ROOT, folder, running, some_files

FIRST, MULTIPLE = "first line, s", "× python -c pass"


def _server(place: Path) -> list[str]:
    return ["server.py", "--port", "0", "--files", str(some_files(place / "files")), "--logs", str(place / "logs")]


SCRIPTS: dict[str, Callable[[Path], list[str]]] = {
    "ours: client.py": lambda place: ["client.py", "--url", "http://127.0.0.1:9/mcp", "--logs", str(place)],
    "ours: server.py": _server,
    "ours: log_viewer.py": lambda place: ["log_viewer.py", "--port", "0", "--logs", str(place)],
    "ours: chat_with_tools.py --help": lambda place: ["chat_with_tools.py", "--help"],
}


def _bare() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=ROOT)
    return time.perf_counter() - began


def _script(name: str) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            command = [sys.executable, *SCRIPTS[name](place)]

            def measure() -> Figures:
                began = time.perf_counter()
                with running(command) as (process, _):
                    assert process.stdout is not None
                    process.stdout.read(1)
                    took = time.perf_counter() - began
                return {FIRST: took, MULTIPLE: took / _bare()}

            yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    limits = {"client.py": 0.25, "server.py": 0.35, "log_viewer.py": 0.35, "chat_with_tools.py --help": 0.4}
    targets = [Target(f"{name}, up to its first line", FIRST, s, ours=f"ours: {name}") for name, s in limits.items()]
    return [Group("start of each script", {name: _script(name) for name in SCRIPTS}, targets, FIRST, "s")]
