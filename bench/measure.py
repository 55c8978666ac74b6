"""Rounds, ratios and targets: how what was measured becomes a verdict.

In:   contestants, each a function that measures once and gives its figures by name.
Out:  the figures of all rounds, and for each target whether it is met.
Here nobody knows what is measured.

Theory of operation
    A machine drifts: what was measured an hour apart can't be compared. So in each round every contestant is measured
    once, in an order that is shuffled anew, after one round that doesn't count. A target compares two contestants by
    the median of their ratios within a round. Where a contestant has several modes, its best of the round counts. A
    contestant that can't be measured is said so; a target that needs it is not met.
"""

import random
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from bench.processes import Unavailable

Figures = dict[str, float]
Measure = Callable[[], Figures]
Contestant = Callable[[], AbstractContextManager[Measure]]


@dataclass(frozen=True)
class Target:
    """`ours` against the best of `peers` (beginnings of names; none: against the limit itself)."""

    what: str
    figure: str
    limit: float
    peers: tuple[str, ...] = ()
    more_is_better: bool = False
    ours: str = "ours"

    @property
    def wanted(self) -> str:
        sign = "≥" if self.more_is_better else "≤"
        return f"{sign} {self.limit:g}" + (f" × {', '.join(self.peers)}" if self.peers else "")

    def is_met(self, value: float) -> bool:
        return value >= self.limit if self.more_is_better else value <= self.limit


@dataclass
class Group:
    """What is measured together, and what is asked of it. `rounds` when the full number takes too long."""

    title: str
    contestants: dict[str, Contestant]
    targets: list[Target]
    plotted: str  # the figure of the plot
    unit: str
    rounds: int | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    """The figures of a group: contestant -> one for each round."""

    group: Group
    rounds: dict[str, list[Figures]]
    absent: dict[str, str]  # why

    def median(self, name: str, figure: str) -> float | None:
        values = [figures[figure] for figures in self.rounds.get(name, []) if figure in figures]
        return statistics.median(values) if values else None

    def spread(self, name: str, figure: str) -> tuple[float, float] | None:
        values = [figures[figure] for figures in self.rounds.get(name, []) if figure in figures]
        return (min(values), max(values)) if values else None

    def figures(self) -> list[str]:
        return list(dict.fromkeys(name for rounds in self.rounds.values() for round in rounds for name in round))

    def verdict(self, target: Target) -> float | None:
        """The median of the ratios, or of the figure itself where there is no peer; None if it wasn't measured."""
        ours = self._best(target, (target.ours,))
        if not target.peers:
            return statistics.median(ours) if ours else None
        peers = self._best(target, target.peers)
        ratios = [mine / theirs for mine, theirs in zip(ours, peers, strict=False) if theirs]
        return statistics.median(ratios) if ratios else None

    def _best(self, target: Target, beginnings: tuple[str, ...]) -> list[float]:
        names = [name for name in self.rounds if name.startswith(beginnings)]
        best = max if target.more_is_better else min
        count = max((len(self.rounds[name]) for name in names), default=0)
        found: list[float] = []
        for number in range(count):
            values = [
                self.rounds[name][number][target.figure]
                for name in names
                if number < len(self.rounds[name]) and target.figure in self.rounds[name][number]
            ]
            found += [best(values)] if values else []
        return found


def hold(group: Group, rounds: int) -> Outcome:
    """Measures all contestants of a group, alternating."""
    outcome = Outcome(group, {}, {})
    with ExitStack() as stack:
        ready: dict[str, Measure] = {}
        for name, contestant in group.contestants.items():
            try:
                ready[name] = stack.enter_context(contestant())
                _quietly(ready[name])  # the warm-up
            except (Unavailable, OSError) as error:
                ready.pop(name, None)
                outcome.absent[name] = str(error)
        for number in range(group.rounds or rounds):
            for name in _shuffled(ready):
                try:
                    outcome.rounds.setdefault(name, []).append(ready[name]())
                except (Unavailable, OSError) as error:
                    outcome.absent[name] = str(error)
                    ready.pop(name)
            print(f"  {group.title}: round {number + 1}", file=sys.stderr, flush=True)
    return outcome


def _quietly(measure: Measure) -> None:
    measure()


def _shuffled(names: Iterable[str]) -> Iterator[str]:
    order = list(names)
    random.shuffle(order)
    yield from order
