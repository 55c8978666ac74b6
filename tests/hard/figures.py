"""How much is tried, and what came out: every hard test takes its size from here, and leaves one figure here.

A figure is one line: a property, what was measured, the limit, and whether it holds. `scripts/hard` collects them
(HARD_FIGURES names the file) and prints them as a table at the end of the run. HARD names the scale: "small" while
one works on a test, "normal" for `make test-hard`, "soak" before a release.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Scale:
    """The size of every row. Times are in seconds."""

    fuzz: int  # messages, three fifths of them in process
    paths: int
    races: int  # calls while the adversary runs, a tenth of them over HTTP
    torn: float
    kills: int
    errnos: tuple[str, ...]
    histories: int
    changes: int  # rotations, and as many truncations
    viewer_kills: int
    listeners: int
    listening: float
    pace: float  # records a second for the listeners
    rounds: int  # of connecting and resetting
    stalled: int  # request bodies
    at_once: int  # oversized things
    payloads: int


# Every error that this system has, but one: that there is no such file is an answer, and is believed.
ERRNOS = tuple(errno.errorcode[number] for number in sorted(errno.errorcode) if number != errno.ENOENT)
SCALES = {
    "small": Scale(1000, 500, 1000, 1.5, 3, ("EIO",), 50, 3, 1, 8, 4.0, 20.0, 30, 8, 2, 10),
    "normal": Scale(20_000, 10_000, 20_000, 10.0, 40, ("EIO",), 2000, 20, 0, 50, 30.0, 20.0, 200, 30, 2, 60),
    "soak": Scale(
        1_000_000, 200_000, 500_000, 300.0, 200, ERRNOS, 100_000, 100, 5, 200, 600.0, 2.0, 2000, 300, 20, 500
    ),
}  # fmt: skip
SCALE = SCALES[os.environ.get("HARD", "normal")]

# In the order of the table; a property that is not among them comes last.
ORDER = (
    "envelope fuzz",
    "JSON corpus",
    "sandbox: paths",
    "sandbox: adversary",
    "torn reads",
    "kill -9",
    "death at the k-th system call",
    "k-th system call fails",
    "tailer against the model",
    "rotation and truncation",
    "SSE clients",
    "after clients leave",
    "stalled",
    "size limits",
    "hostile text",
    "secrets",
    "branch coverage",
    "canary search",
)


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str  # of the property
    figure: str
    limit: str
    is_good: bool

    def __str__(self) -> str:
        return f"{self.name:<44}  {self.figure:<64}  {self.limit:<38}  {'ok' if self.is_good else 'BROKEN'}"

    @property
    def rank(self) -> int:
        return next((at for at, start in enumerate(ORDER) if self.name.startswith(start)), len(ORDER))


def note(name: str, figure: str, limit: str, is_good: bool) -> None:
    """Leaves a figure, and fails if it does not hold."""
    found = Figure(name, figure, limit, is_good)
    print(found)
    if path := os.environ.get("HARD_FIGURES"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found)) + "\n")
    assert is_good, f"{name}: {figure} (limit: {limit})"


def noted(path: Path) -> list[Figure]:
    """All figures of a run, in the order of the table."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return sorted((Figure(**json.loads(line)) for line in lines), key=lambda figure: (figure.rank, figure.name))


def percentile(values: list[float], part: float) -> float:
    """The value below which that part of all values lies."""
    assert values
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
