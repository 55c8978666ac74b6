"""bench/measure.py: what becomes a verdict, and that one who fails stops nobody else."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from bench import measure
from bench.measure import Contestant, Figures, Group, Measure, Outcome, Target, hold
from bench.processes import Unavailable

FEWER = Target("latency", "ms", 0.5, ("peer",))
MORE = Target("throughput", "calls/s", 2.0, ("peer",), more_is_better=True)


def outcome(rounds: dict[str, list[Figures]], absent: dict[str, str] | None = None) -> Outcome:
    absent = absent or {}
    return Outcome(Group("g", dict.fromkeys([*rounds, *absent], never), [], "ms", "ms"), rounds, absent)


def never() -> AbstractContextManager[Measure]:
    raise AssertionError("only figures are looked at")


def ms(*values: float) -> list[Figures]:
    return [{"ms": value} for value in values]


def rates(*values: float) -> list[Figures]:
    return [{"calls/s": value} for value in values]


def contestant(*values: float | Exception, seen: list[str] | None = None, name: str = "") -> Contestant:
    """Gives one value in each round, the first in the warm-up."""

    @contextmanager
    def context() -> Iterator[Measure]:
        left = list(values)

        def once() -> Figures:
            if seen is not None:
                seen.append(name)
            value = left.pop(0)
            if isinstance(value, Exception):
                raise value
            return {"ms": value}

        yield once
        if seen is not None:
            seen.append(f"end of {name}")

    return context


# ---- Verdicts ----------------------------------------------------------------------------------------------


def test_a_verdict_is_the_median_of_the_ratios_within_a_round() -> None:
    found = outcome({"ours": ms(1, 4, 3), "peer": ms(2, 40, 4)}).verdict(FEWER)
    assert found is not None
    assert (found.values, found.median, found.peer) == ([0.5, 0.1, 0.75], 0.5, "peer")
    assert FEWER.is_met(found.median)


def test_of_several_modes_the_one_beside_which_we_look_worst_counts() -> None:
    slow = outcome({"ours": ms(1, 1, 1), "peer a": ms(4, 4, 4), "peer b": ms(3, 1, 3)}).verdict(FEWER)
    assert slow is not None
    assert (slow.peer, slow.median) == ("peer b", 1 / 3)
    fast = outcome({"ours": rates(8, 8, 8), "peer a": rates(2, 2, 2), "peer b": rates(4, 9, 4)}).verdict(MORE)
    assert fast is not None
    assert (fast.peer, fast.median) == ("peer b", 2)


@pytest.mark.parametrize(("target", "best"), [(FEWER, "ours b"), (MORE, "ours a")])
def test_of_our_own_modes_the_best_counts(target: Target, best: str) -> None:
    rounds = {name: [{"ms": value, "calls/s": value}] for name, value in [("ours a", 4.0), ("ours b", 2.0)]}
    found = outcome({**rounds, "peer": [{"ms": 1.0, "calls/s": 1.0}]}).verdict(target)
    assert found is not None
    assert found.ours == best


def test_a_name_in_full_means_that_contestant_alone() -> None:
    found = outcome({"ours": ms(5), "ours, another thing": ms(1)}).verdict(Target("t", "ms", 3))
    assert found is not None
    assert (found.ours, found.values) == ("ours", [5])


def test_without_peers_the_figure_itself_is_held_against_the_limit() -> None:
    target = Target("memory", "ms", 20)
    found = outcome({"ours": ms(10, 30, 20)}).verdict(target)
    assert found is not None
    assert (found.median, found.peer, target.is_met(found.median)) == (20, None, True)


@pytest.mark.parametrize(
    ("rounds", "absent"),
    [
        ({"ours": ms(1)}, {"peer": "not there"}),
        ({"ours": ms(1), "peer slow": ms(9)}, {"peer fast": "not there"}),
        ({"ours": ms(1), "peer": ms(9)}, {"peer": "it broke in the second round"}),
        ({"peer": ms(9)}, {"ours": "not there"}),
        ({"ours": ms(1), "peer": ms(9)}, {"ours": "it broke in the second round"}),
        ({"ours": ms(1)}, {}),
        ({"ours": rates(1), "peer": ms(9)}, {}),
        ({"ours": ms(1), "peer": ms(0)}, {}),
    ],
)
def test_what_was_not_measured_gives_no_verdict(rounds: dict[str, list[Figures]], absent: dict[str, str]) -> None:
    assert outcome(rounds, absent).verdict(FEWER) is None


def test_without_figures_a_limit_has_no_verdict() -> None:
    assert outcome({"ours": rates(1)}).verdict(Target("memory", "ms", 20)) is None


def test_one_of_our_modes_may_be_absent() -> None:
    found = outcome({"ours a": ms(1), "peer": ms(4)}, {"ours b": "not there"}).verdict(FEWER)
    assert found is not None
    assert found.median == 0.25


@pytest.mark.parametrize(
    ("target", "wanted"),
    [(FEWER, "≤ 0.5 × peer"), (MORE, "≥ 2 × peer"), (Target("t", "s", 1 / 3, ("a", "b")), "≤ 0.333 × a, b")],
)
def test_a_target_says_what_is_wanted(target: Target, wanted: str) -> None:
    assert target.wanted == wanted


def test_figures_have_a_median_and_a_spread_where_there_are_any() -> None:
    there = outcome({"ours": [{"ms": 3.0}, {"ms": 1.0, "MB": 5.0}]})
    assert (there.median("ours", "ms"), there.spread("ours", "ms"), there.figures()) == (2.0, (1.0, 3.0), ["ms", "MB"])
    assert (there.median("peer", "ms"), there.spread("ours", "s")) == (None, None)


# ---- Rounds ------------------------------------------------------------------------------------------------


def test_the_warm_up_does_not_count_and_all_alternate() -> None:
    seen: list[str] = []
    contestants = {name: contestant(99, 1, 2, 3, seen=seen, name=name) for name in ("ours", "peer")}
    found = hold(Group("g", contestants, [FEWER], "ms", "ms"), 3)
    assert found.rounds == {"ours": ms(1, 2, 3), "peer": ms(1, 2, 3)}
    assert (found.absent, found.seconds > 0) == ({}, True)
    assert seen[:2] == ["ours", "peer"]
    assert all(set(seen[at : at + 2]) == {"ours", "peer"} for at in (2, 4, 6))
    assert seen[8:] == ["end of peer", "end of ours"]


def test_a_group_may_have_its_own_number_of_rounds() -> None:
    assert len(hold(Group("g", {"ours": contestant(0, 1, 2)}, [], "ms", "ms", rounds=2), 9).rounds["ours"]) == 2


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Unavailable("it is not installed"), "it is not installed"),
        (ConnectionError("it closed"), "ConnectionError: it closed"),
        (subprocess.TimeoutExpired("jq", 3), "TimeoutExpired: Command 'jq' timed out after 3 seconds"),
        (ValueError("not a number"), "ValueError: not a number"),
    ],
)
def test_who_fails_is_named_and_the_others_go_on(error: Exception, why: str) -> None:
    contestants = {
        "ours": contestant(0, 1, 2, 3),
        "never ready": contestant(error),
        "breaks": contestant(0, 1, error),
    }
    found = hold(Group("g", contestants, [], "ms", "ms"), 3)
    assert found.rounds == {"ours": ms(1, 2, 3), "breaks": ms(1)}
    assert found.absent == {"never ready": why, "breaks": why}


def test_who_cannot_be_set_up_or_ended_stops_nobody() -> None:
    @contextmanager
    def stubborn() -> Iterator[Measure]:
        yield lambda: {"ms": 1.0}
        raise OSError("it does not end")

    def missing() -> AbstractContextManager[Measure]:
        raise Unavailable("not on the PATH")

    contestants: dict[str, Contestant] = {"missing": missing, "stubborn": stubborn, "ours": contestant(0, 1)}
    found = hold(Group("g", contestants, [], "ms", "ms"), 1)
    assert found.rounds == {"ours": ms(1), "stubborn": ms(1)}
    assert found.absent == {"missing": "not on the PATH", "ending the others": "OSError: it does not end"}


@pytest.mark.parametrize("wait", [lambda: time.sleep(60), lambda: subprocess.run(["sleep", "60"], check=True)])
def test_who_hangs_is_given_up(wait: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "PATIENCE", 0.05)

    @contextmanager
    def hanging() -> Iterator[Measure]:
        yield lambda: wait() or {}

    found = hold(Group("g", {"hanging": hanging, "ours": contestant(0, 1)}, [], "ms", "ms"), 1)
    assert found.absent == {"hanging": "it was given up after 0.05 s"}
    assert found.rounds == {"ours": ms(1)}


def test_a_wish_to_stop_is_no_failure_of_a_contestant() -> None:
    @contextmanager
    def stopped() -> Iterator[Measure]:
        def once() -> Figures:
            raise KeyboardInterrupt

        yield once

    with pytest.raises(KeyboardInterrupt):
        hold(Group("g", {"stopped": stopped}, [], "ms", "ms"), 1)
