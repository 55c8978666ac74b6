"""bench/RESULTS.md: what was measured, where and when, and which targets it meets.

In:   the outcomes of all groups.
Out:  the text, one SVG for each group, and the count of targets met.
"""

import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import peers
from bench.measure import Outcome, Target
from bench.plot import bars, shown

HERE = Path(__file__).resolve().parent
PROC = Path("/proc")
OURS = ("flask", "waitress", "msgspec", "watchdog", "requests", "jsonschema-rs")


def write(outcomes: list[Outcome], where: Path = HERE, *, busy: str = "") -> tuple[int, int]:
    """Writes RESULTS.md and the plots; the targets met, and all. `busy`: how busy the machine was at the beginning."""
    pairs = [(outcome, target) for outcome in outcomes for target in outcome.group.targets]
    met = sum(is_met(outcome, target) for outcome, target in pairs)
    minutes = sum(outcome.seconds for outcome in outcomes) / 60
    lines = [
        "# Measured",
        "",
        *_machine(busy),
        "",
        f"{met} of {len(pairs)} targets met, in {minutes:.0f} minutes.",
        "",
        "## Targets",
        "",
        "| work | target | median (smallest…largest) | beside | |",
        "|---|---|---:|---|---|",
        *(_verdict(outcome, target) for outcome, target in pairs),
        "",
    ]
    for outcome in outcomes:
        name = f"{_file_name(outcome.group.title)}.svg"
        (where / name).write_text(_plot(outcome), encoding="utf-8")
        lines += _section(outcome, name)
    (where / "RESULTS.md").write_text("\n".join(lines), encoding="utf-8")
    return met, len(pairs)


def is_met(outcome: Outcome, target: Target) -> bool:
    """What wasn't measured is not met."""
    verdict = outcome.verdict(target)
    return verdict is not None and target.is_met(verdict.median)


def load_now() -> str:
    """How busy the machine is: processes that ran or waited for the processor, over 1 and 5 minutes."""
    try:
        one, five, _ = os.getloadavg()
    except (OSError, AttributeError):  # Windows has no such figure
        return ""
    return f"{one:.2f} (5 min: {five:.2f})"


def _verdict(outcome: Outcome, target: Target) -> str:
    verdict = outcome.verdict(target)
    if verdict is None:
        return f"| {target.what} | {target.wanted} | not measured | | **missed** |"
    found = f"{shown(verdict.median)} ({shown(min(verdict.values))}…{shown(max(verdict.values))})"
    word = "met" if target.is_met(verdict.median) else "**missed**"
    return f"| {target.what} | {target.wanted} | {found} | {verdict.peer or ''} | {word} |"


def _machine(busy: str) -> list[str]:
    packages = ", ".join(f"{name} {version(name)}" for name in OURS)
    theirs = [f"* {name}: {text}" for name, text in peers.versions().items()]
    return [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {_processor()}{_total_memory()}, {platform.system()} "
        f"{platform.release()}, Python {platform.python_version()}. Ours: {packages}."
        + (f" Load of the machine at the beginning: {busy}." if busy else ""),
        "",
        "All contestants of a group were measured in the same rounds, in an order shuffled for each, after a round "
        "that doesn't count. A figure is the median of the rounds, with the smallest and the largest behind it; a "
        "target's figure is the median of the ratios within a round, beside the fastest mode of the peer. Our log "
        "lines are on. `make bench` writes this file.",
        "",
        *theirs,
    ]


def _processor() -> str:
    try:
        text = (PROC / "cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"model name\s*:\s*(.+)", text)
    return f"{os.cpu_count()} × {found[1] if found else platform.machine()}"


def _total_memory() -> str:
    try:
        kilobytes = int((PROC / "meminfo").read_text().split("MemTotal:")[1].split()[0])
    except OSError:
        return ""
    return f", {kilobytes / 1024**2:.1f} GB"


def _file_name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _plot(outcome: Outcome) -> str:
    values = {}
    for contestant in outcome.group.contestants:
        median = outcome.median(contestant, outcome.group.plotted)
        spread = outcome.spread(contestant, outcome.group.plotted)
        if median is not None and spread is not None:
            values[contestant] = (median, *spread)
    return bars(outcome.group.title, outcome.group.unit, values)


def _section(outcome: Outcome, plot: str) -> list[str]:
    group, figures = outcome.group, outcome.figures()
    there = [name for name in group.contestants if outcome.rounds.get(name)]
    rows = [f"| {name} | {' | '.join(_cell(outcome, name, figure) for figure in figures)} |" for name in there]
    absent = [f"* {name}: not measured: {' '.join(why.split())}" for name, why in outcome.absent.items()]
    rounds = max((len(outcome.rounds[name]) for name in there), default=0)
    parts = [
        [f"## {group.title}", "", f"![{group.title}]({plot})", ""],
        [f"| | {' | '.join(figures)} |", f"|---|{'---:|' * len(figures)}", *rows, ""] if rows else [],
        [*absent, ""] if absent else [],
        [*group.notes, ""] if group.notes else [],
        [f"{rounds} rounds in {outcome.seconds:.0f} s.", ""],
    ]
    return [line for part in parts for line in part]


def _cell(outcome: Outcome, contestant: str, figure: str) -> str:
    median, spread = outcome.median(contestant, figure), outcome.spread(contestant, figure)
    if median is None or spread is None:
        return ""
    return f"{shown(median)} ({shown(spread[0])}…{shown(spread[1])})"
