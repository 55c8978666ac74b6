"""bench/report.py: the text and the plots that a run leaves."""

from __future__ import annotations

import os
import platform
import re
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bench import report
from bench.measure import Group, Measure, Outcome, Target

THROUGHPUT = Target("throughput", "calls/s", 2, ("peer",), more_is_better=True)
MEMORY = Target("memory, MB", "MB", 20)
LATENCY = Target("latency", "ms", 0.5, ("gone",))


def never() -> AbstractContextManager[Measure]:
    raise AssertionError("only figures are looked at")


def some() -> Outcome:
    names = ("ours", "peer fast", "peer slow", "gone")
    group = Group("Calls, 8 at a time!", dict.fromkeys(names, never), [THROUGHPUT, MEMORY, LATENCY], "calls/s", "/s")
    group.notes.append("A note.")
    rounds = {
        "peer slow": [{"calls/s": 10.0}] * 3,
        "ours": [{"calls/s": 100.0, "MB": 30.0, "ms": 1.0}, {"calls/s": 2000.0, "MB": 31.0}, {"calls/s": 300.0}],
        "peer fast": [{"calls/s": 100.0}] * 3,
    }
    return Outcome(group, rounds, {"gone": "it is not\ninstalled"}, seconds=90)


@pytest.fixture
def text(tmp_path: Path) -> str:
    assert report.write([some()], tmp_path, busy="0.10 (5 min: 0.20)") == (1, 3)
    return (tmp_path / "RESULTS.md").read_text(encoding="utf-8")


def test_each_target_has_its_ratio_its_peer_and_its_verdict(text: str) -> None:
    assert "| throughput | ≥ 2 × peer | 3 (1…20) | peer fast | met |" in text
    assert "| memory, MB | ≤ 20 | 30.5 (30…31) |  | **missed** |" in text
    assert "| latency | ≤ 0.5 × gone | not measured | | **missed** |" in text
    assert "1 of 3 targets met, in 2 minutes." in text


def test_figures_stand_in_the_order_of_the_group_with_their_spread(text: str) -> None:
    rows = re.findall(r"^\| (ours|peer \w+) \| (.+) \|$", text, re.MULTILINE)
    assert rows == [
        ("ours", "300 (100…2,000) | 30.5 (30…31) | 1 (1…1)"),
        ("peer fast", "100 (100…100) |  | "),
        ("peer slow", "10 (10…10) |  | "),
    ]


def test_what_was_not_measured_says_why_in_one_line(text: str) -> None:
    assert "* gone: not measured: it is not installed\n" in text
    assert "A note.\n" in text
    assert "3 rounds in 90 s." in text


def test_machine_versions_and_its_load_are_named(text: str) -> None:
    assert re.search(r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC, .+, Python 3\.\d+\.\d+\. Ours: flask \d", text, re.MULTILINE)
    assert "Load of the machine at the beginning: 0.10 (5 min: 0.20)." in text


def test_each_group_has_its_plot_beside_the_text(tmp_path: Path, text: str) -> None:
    (name,) = re.findall(r"!\[[^]]+\]\((.+)\)", text)
    assert name == "calls-8-at-a-time.svg"
    assert sorted(os.listdir(tmp_path)) == ["RESULTS.md", name]
    plot = (tmp_path / name).read_text(encoding="utf-8")
    assert plot.index(">ours<") < plot.index(">peer fast<") < plot.index(">peer slow<")
    assert ">gone<" not in plot


def test_a_group_that_could_not_be_measured_at_all_is_no_trouble(tmp_path: Path) -> None:
    nothing = Outcome(Group("g", {"ours": never}, [MEMORY], "MB", "MB"), {}, {"ours": "no memory"})
    assert report.write([nothing], tmp_path) == (0, 1)
    assert "* ours: not measured: no memory" in (tmp_path / "RESULTS.md").read_text(encoding="utf-8")


def test_the_load_of_the_machine_is_told_where_it_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (1.234, 0.5, 0.1), raising=False)
    assert report.load_now() == "1.23 (5 min: 0.50)"
    monkeypatch.delattr(os, "getloadavg")
    assert report.load_now() == ""


def test_a_machine_that_tells_nothing_of_itself_is_described_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "PROC", tmp_path / "nowhere")
    monkeypatch.setattr(platform, "processor", lambda: "a processor")
    report.write([], tmp_path)
    assert " UTC, a processor, " in (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
