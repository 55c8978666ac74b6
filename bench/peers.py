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
PINS = "pins.txt"  # in each environment: what it was made of

PYTHON = {
    "python-sdk": ("mcp==2.3.0",),
    "python-uvloop": ("mcp==2.3.0", "uvloop==0.23.0", "httptools==0.9.0"),  # uvicorn finds and uses them
    "fastmcp": ("fastmcp==4.1.6",),
    "langchain": ("langchain-mcp-adapters==0.3.2",),
}
NPM = {
    "typescript-1": ("@modelcontextprotocol/sdk@1.32.2",),
    "typescript-2": ("@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2"),
    "reference": (
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
    ),
    "frontail": ("frontail@4.9.2",),
}
DEBIAN = ("lnav", "jq")
PATIENCE = 600  # seconds for one installation
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
    pinned = {name: ", ".join(packages) for name, packages in (PYTHON | NPM).items() if _is_made(name)}
    system = {"node": str(equipment.node()), "chromium": str(equipment.chromium())}
    system |= {name: name for name in (*DEBIAN, "tail")}
    found = {name: (equipment.answer(path, "--version") or "").strip() for name, path in system.items()}
    return pinned | {name: text.splitlines()[0] for name, text in found.items() if text}


def _made(name: str) -> Path:
    if not _is_made(name):
        raise Unavailable("it is not installed; `make bench-peers` does that")
    return HOME / name


def _is_made(name: str) -> bool:
    """Whether it is there in exactly the versions that are asked for."""
    try:
        return (HOME / name / PINS).read_text() == _pins(name)
    except OSError:
        return False


def _pins(name: str) -> str:
    return "\n".join((*(PYTHON | NPM)[name], f"as of {AS_OF}", ""))


def make() -> int:
    """Installs what is missing; returns the exit code."""
    if equipment.uv() is None or equipment.node() is None:
        print("This needs the project's own uv and Node: `make bench-peers` sets them up first.")
        return 1
    HOME.mkdir(parents=True, exist_ok=True)
    failed = [name for name in (*PYTHON, *NPM) if not _is_made(name) and not _make(name)]
    if lacking := [name for name in DEBIAN if shutil.which(name) is None]:
        print(f"Not on the PATH: {', '.join(lacking)}. On Debian: apt-get install {' '.join(lacking)}")
    print(f"Not installed: {', '.join(failed)}" if failed else "The peers are ready.")
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
            (new / PINS).write_text(_pins(name))
            shutil.rmtree(HOME / name, ignore_errors=True)  # of other versions
            os.rename(new, HOME / name)
        return done
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _npm() -> Path:
    node = equipment.node()
    assert node is not None  # make() has looked
    return node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _runs(command: list[str], cwd: Path | None = None) -> bool:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=cwd, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        print(f"  failed: it was not done after {PATIENCE} s")
        return False
    if done.returncode != 0:
        print(f"  failed: {done.stderr.strip()[-300:]}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(make())
