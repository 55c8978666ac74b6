"""What we are measured against, each in an environment of its own under .tools/bench. `make bench-peers` makes them.

In:   the name of a peer.
Out:  commands that start its programs; or Unavailable.
Here nobody knows what is measured. Versions are exact; what those depend on is held still by a date.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.processes import ROOT, Unavailable

sys.path.insert(0, str(ROOT / "scripts"))

import equipment

HERE = Path(__file__).resolve().parent
HOME = equipment.PRIVATE / "bench"
AS_OF = "2026-11-28"

PYTHON = {
    "python-sdk": ("mcp==2.3.0",),
    "fastmcp": ("fastmcp==4.1.6",),
    "langchain": ("langchain-mcp-adapters==0.3.2",),
}
NPM = {
    "typescript-1": ("@modelcontextprotocol/sdk@1.32.2",),
    "typescript-2": ("@modelcontextprotocol/server@2.4.0",),
    "reference": (
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
    ),
    "frontail": ("frontail@4.9.2",),
}
DEBIAN = ("lnav", "jq")
QUIET = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


def python(name: str, program: str, *arguments: str) -> list[str]:
    """A command: the Python of a peer running one of programs/."""
    return [str(equipment.environment(_made(name))[1]), str(HERE / "programs" / program), *arguments]


def node(name: str, program: str, *arguments: str) -> list[str]:
    """A command: Node running one of programs/ as if it lay beside the peer's packages, where Node looks for them."""
    beside = _made(name) / program
    shutil.copyfile(HERE / "programs" / program, beside)
    return [str(equipment.node()), str(beside), *arguments]


def package(name: str, path: str, *arguments: str) -> list[str]:
    """A command: Node running a file of an installed package."""
    return [str(equipment.node()), str(_made(name) / "node_modules" / path), *arguments]


def program(name: str) -> str:
    """The path of a program of the system."""
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"{name} is not on the PATH (on Debian: apt-get install {name})")
    return found


def versions() -> dict[str, str]:
    """What is pinned, and what the system has."""
    pinned = {name: ", ".join(packages) for name, packages in (PYTHON | NPM).items() if (HOME / name).exists()}
    found = {name: (equipment.answer(name, "--version") or "").strip() for name in DEBIAN}
    return pinned | {name: text.splitlines()[0] for name, text in found.items() if text}


def _made(name: str) -> Path:
    if not (HOME / name).exists():
        raise Unavailable("it is not installed; `make bench-peers` does that")
    return HOME / name


def make() -> int:
    """Installs what is missing; returns the exit code."""
    HOME.mkdir(parents=True, exist_ok=True)
    missing = [name for name in (*PYTHON, *NPM) if not (HOME / name).exists()]
    failed = [name for name in missing if not _make(name)]
    if lacking := [name for name in DEBIAN if shutil.which(name) is None]:
        print(f"Not on the PATH: {', '.join(lacking)}. On Debian: apt-get install {' '.join(lacking)}")
    return 1 if failed else 0


def _make(name: str) -> bool:
    """Makes one in a folder beside, and renames it when it is complete."""
    print(f"Installing {name}: {', '.join((PYTHON | NPM)[name])}", flush=True)
    new = Path(tempfile.mkdtemp(dir=HOME, prefix=f"new-{name}-"))
    try:
        if name in PYTHON:
            uv, inside = str(equipment.uv()), str(equipment.environment(new)[1])
            venv = [uv, "venv", "--quiet", "--clear", "--relocatable", "--python", sys.executable, str(new)]
            install = [uv, "pip", "install", "--quiet", "--exclude-newer", AS_OF, "--python", inside, *PYTHON[name]]
            done = _runs(venv) and _runs(install)
        else:
            npm = [str(equipment.node()), str(_npm()), "install", "--prefix", str(new), f"--before={AS_OF}", *QUIET]
            done = _runs([*npm, *NPM[name]], cwd=new)
        if done:
            os.rename(new, HOME / name)
        return done
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _npm() -> Path:
    node = equipment.node()
    assert node is not None, "make bench-peers sets it up first"
    return node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _runs(command: list[str], cwd: Path | None = None) -> bool:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode != 0:
        print(f"  failed: {done.stderr.strip()[-300:]}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(make())
