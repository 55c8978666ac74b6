"""bench/RESULTS.md: what was measured, where and when, and which targets it meets.

In:   the outcomes of all groups.
Out:  the text, one SVG for each group, and the count of targets met.
"""

import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import peers
from bench.measure import Outcome
from bench.plot import bars, shown
from bench.processes import ROOT

HERE = Path(__file__).resolve().parent
OURS = ("flask", "waitress", "msgspec", "watchdog", "requests", "jsonschema-rs")


def write(outcomes: list[Outcome], where: Path = HERE) -> tuple[int, int]:
    """Writes RESULTS.md and the plots; the targets met, and all."""
    met = total = 0
    verdicts, details = [], []
    for outcome in outcomes:
        details += _group(outcome, where)
        for target in outcome.group.targets:
            value = outcome.verdict(target)
            is_met = value is not None and target.is_met(value)
            met, total = met + is_met, total + 1
            found = "not measured" if value is None else shown(value)
            verdicts.append(f"| {target.what} | {target.wanted} | {found} | {'met' if is_met else '**missed**'} |")
    head = ["# Measured", "", *_machine(), "", f"{met} of {total} targets met.", "", "## Targets", ""]
    table = ["| work | target | median | |", "|---|---|---:|---|", *verdicts, ""]
    (where / "RESULTS.md").write_text("\n".join([*head, *table, *details]), encoding="utf-8")
    return met, total


def _machine() -> list[str]:
    packages = ", ".join(f"{name} {version(name)}" for name in OURS)
    theirs = [f"* {name}: {text}" for name, text in peers.versions().items()]
    return [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {_processor()}, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}. Ours: {packages}. `make bench` writes this file.",
        "",
        "All contestants of a group were measured in the same rounds, in an order shuffled for each, after a round "
        "that doesn't count. A figure is the median of the rounds, with the smallest and the largest behind it; a "
        "target's figure is the median of the ratios within a round. Our log lines are on.",
        "",
        *theirs,
    ]


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        count = Path("/proc/cpuinfo").read_text().count("processor\t")
    except OSError:
        return platform.processor() or platform.machine()
    return f"{count} × {found[1] if found else platform.machine()}"


def _group(outcome: Outcome, where: Path) -> list[str]:
    group, figures = outcome.group, outcome.figures()
    name = re.sub(r"[^a-z0-9]+", "-", group.title.lower()).strip("-")
    values = {}
    for contestant in outcome.rounds:
        median, spread = outcome.median(contestant, group.plotted), outcome.spread(contestant, group.plotted)
        if median is not None and spread is not None:
            values[contestant] = (median, *spread)
    (where / f"{name}.svg").write_text(bars(group.title, group.unit, values), encoding="utf-8")
    rows = [f"| {contestant} | {' | '.join(_cell(outcome, contestant, f) for f in figures)} |" for contestant in values]
    absent = [f"* {contestant}: not measured. {why}." for contestant, why in outcome.absent.items()]
    head = [f"## {group.title}", "", f"![{group.title}]({name}.svg)", ""]
    table = [f"| | {' | '.join(figures)} |", f"|---|{'---:|' * len(figures)}", *rows, ""]
    return [*head, *table, *group.notes, *([""] if group.notes else []), *absent, *([""] if absent else [])]


def _cell(outcome: Outcome, contestant: str, figure: str) -> str:
    median, spread = outcome.median(contestant, figure), outcome.spread(contestant, figure)
    if median is None or spread is None:
        return ""
    return f"{shown(median)} ({shown(spread[0])}…{shown(spread[1])})"


assert ROOT in HERE.parents  # results lie beside the programs
