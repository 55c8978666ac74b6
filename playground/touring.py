"""The tour: the files in tour/, one feature each, found and run.

In:   nothing; the folder says what there is.
Out:  the name of each file with its first line; its exit code, when it has run in a process of its own.
Here nobody knows what a file shows.
"""

import ast
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "tour"
NOT_A_SCENE = ("stage.py",)  # what the others stand on


def tours() -> dict[str, str]:
    """The names of all files of the tour ("tour/ping") with their first lines, in alphabetical order."""
    return {
        f"tour/{path.stem}": (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
        for path in sorted(FOLDER.glob("*.py"))
        if path.name not in NOT_A_SCENE
    }


def run(name: str, options: Namespace) -> int:
    """Runs one of them with the options of chapter 1 that it knows; gives its exit code."""
    words = [str(FOLDER / f"{name.removeprefix('tour/')}.py")]
    for flag in ("url", "stdio", "logs"):
        if (value := getattr(options, flag)) is not None:
            words += [f"--{flag}", value]
    words += [f"--{flag}" for flag in ("step", "explain") if getattr(options, flag)]
    sys.stdout.flush()  # what was printed here stands before what is printed there
    return subprocess.run([sys.executable, *words], check=False).returncode
