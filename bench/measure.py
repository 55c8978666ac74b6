"""Rounds, ratios and targets: how what was measured becomes a verdict.

In:   contestants, each a function that measures once and gives its figures by name.
Out:  the figures of all rounds, and for each target whether it is met.
Here nobody knows what is measured.

Theory of operation
    A machine drifts: what was measured an hour apart can't be compared. So in each round every contestant is measured
    once, in an order that is shuffled anew, after one round that doesn't count. Two contestants are compared by the
    median of their ratios within a round. Where the others have several modes, what counts is the mode beside which we
    look worst, their fastest; of our own modes, the best. So "≤ 1 ×" says "no more than any of theirs". What can't be
    measured, because it isn't there, fails or hangs, is said so, and a target that needs it is not met: beside a
    peer's slower modes alone nothing is proved.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from bench.processes import Unavailable, limited

PATIENCE = 300.0  # seconds that one contestant may take to get ready, or for one round

Figures = dict[str, float]
Measure = Callable[[], Figures]
Contestant = Callable[[], AbstractContextManager[Measure]]


@dataclass(frozen=True)
class Target:
    """`ours` against each of `peers` (names, or how several begin; none: against the limit itself)."""

    what: str
    figure: str
    limit: float
    peers: tuple[str, ...] = ()
    more_is_better: bool = False
    ours: str = "ours"

    @property
    def wanted(self) -> str:
        sign = "≥" if self.more_is_better else "≤"
        return f"{sign} {self.limit:.3g}" + (f" × {', '.join(self.peers)}" if self.peers else "")

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


@dataclass(frozen=True)
class Verdict:
    """The ratios of all rounds, or the figures themselves, of the two that were compared."""

    ours: str
    peer: str | None
    values: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


@dataclass
class Outcome:
    """The figures of a group: contestant -> one for each round."""

    group: Group
    rounds: dict[str, list[Figures]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)  # why
    seconds: float = 0.0  # that it all took

    def median(self, name: str, figure: str) -> float | None:
        values = self._values(name, figure)
        return statistics.median(values) if values else None

    def spread(self, name: str, figure: str) -> tuple[float, float] | None:
        values = self._values(name, figure)
        return (min(values), max(values)) if values else None

    def figures(self) -> list[str]:
        return list(dict.fromkeys(name for rounds in self.rounds.values() for round in rounds for name in round))

    def verdict(self, target: Target) -> Verdict | None:
        """What was found beside the strongest peer; None if something that this needs wasn't measured."""
        best, worst = (max, min) if target.more_is_better else (min, max)
        ours = [name for name in self._named(target.ours) if name not in self.absent]
        if not target.peers:
            alone = [Verdict(name, None, self._values(name, target.figure)) for name in ours]
            return best((one for one in alone if one.values), key=lambda verdict: verdict.median, default=None)
        peers = [name for beginning in target.peers for name in self._named(beginning)]
        if not peers or any(name in self.absent for name in peers):
            return None
        pairs = [[self._compared(mine, theirs, target.figure) for theirs in peers] for mine in ours]
        complete = [[verdict for verdict in verdicts if verdict.values] for verdicts in pairs]
        strongest = [worst(verdicts, key=lambda verdict: verdict.median) for verdicts in complete if verdicts]
        return best(strongest, key=lambda verdict: verdict.median, default=None)

    def _compared(self, mine: str, theirs: str, figure: str) -> Verdict:
        rounds = zip(self.rounds.get(mine, []), self.rounds.get(theirs, []), strict=False)
        ratios = [one[figure] / other[figure] for one, other in rounds if figure in one and other.get(figure)]
        return Verdict(mine, theirs, ratios)

    def _named(self, beginning: str) -> list[str]:
        """The contestant of that name; if there is none, all whose names begin so."""
        names = list(self.group.contestants)
        return [beginning] if beginning in names else [name for name in names if name.startswith(beginning)]

    def _values(self, name: str, figure: str) -> list[float]:
        return [figures[figure] for figures in self.rounds.get(name, []) if figure in figures]


def hold(group: Group, rounds: int) -> Outcome:
    """Measures all contestants of a group, alternating. Whatever goes wrong with one of them stops that one only."""
    outcome, began = Outcome(group), time.monotonic()
    with ExitStack() as stack:
        ready: dict[str, Measure] = {}
        for name, contestant in group.contestants.items():
            with _excluding(name, ready, outcome), limited(PATIENCE):
                ready[name] = stack.enter_context(contestant())
                ready[name]()  # the warm-up
        print(f"  {group.title}: warmed up", file=sys.stderr, flush=True)
        for number in range(group.rounds or rounds):
            for name in random.sample(list(ready), len(ready)):
                with _excluding(name, ready, outcome), limited(PATIENCE):
                    outcome.rounds.setdefault(name, []).append(ready[name]())
            print(f"  {group.title}: round {number + 1}", file=sys.stderr, flush=True)
        with _excluding("ending the others", ready, outcome), limited(PATIENCE):
            stack.close()
    outcome.seconds = time.monotonic() - began
    return outcome


class _excluding(AbstractContextManager[None]):
    """Who fails takes part no more, and it is noted why. The others go on, whatever it was."""

    def __init__(self, name: str, ready: dict[str, Measure], outcome: Outcome) -> None:
        self._name, self._ready, self._outcome = name, ready, outcome

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        self._ready.pop(self._name, None)
        self._outcome.absent[self._name] = (
            str(error) if isinstance(error, Unavailable) else f"{type(error).__name__}: {error}"
        )
        print(f"  {self._name}: not measured: {self._outcome.absent[self._name]}", file=sys.stderr, flush=True)
        return True
