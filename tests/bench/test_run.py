"""bench/run.py: where the results go, what is said at the end, and the exit code."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import report, run
from bench.measure import Group, Measure, Target


@contextmanager
def one_ms() -> Iterator[Measure]:
    yield lambda: {"ms": 1.0}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, bool]]:
    """Groups that take no time; which were asked for, and whether quickly."""
    seen: list[tuple[str, bool]] = []

    def module(name: str) -> SimpleNamespace:
        def groups(quick: bool) -> list[Group]:
            seen.append((name, quick))
            return [
                Group(name, {"ours": one_ms}, [Target("a latency", "ms", 1 if "page" not in name else 0)], "ms", "ms")
            ]

        return SimpleNamespace(groups=groups)

    monkeypatch.setattr(importlib, "import_module", module)
    monkeypatch.setattr(report, "HERE", tmp_path / "home")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return seen


def ran(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["bench.run", *arguments])
    return run.main()


def test_a_whole_run_measures_every_group_and_writes_the_results_into_the_project(
    asked: list[tuple[str, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch) == 1
    assert asked == [(f"bench.{name}", False) for name in run.GROUPS]
    assert (tmp_path / "home" / "RESULTS.md").exists()
    *_, last = said = capsys.readouterr().out.splitlines()
    assert last == f"{len(run.GROUPS) - 1} of {len(run.GROUPS)} targets met"
    assert "          missed: a latency, ≤ 0" in said


@pytest.mark.parametrize(
    "part",
    [["--quick"], *(pytest.param(part, marks=pytest.mark.hard) for part in (["--group", "chat"], ["--rounds", "1"]))],
)
def test_a_part_of_a_run_leaves_the_project_alone(
    part: list[str],
    asked: list[tuple[str, bool]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ran(monkeypatch, *part) == int("chat" not in part)
    assert not (tmp_path / "home").exists()
    *_, where, last = capsys.readouterr().out.splitlines()
    assert Path(where).is_file()
    assert last.endswith("targets met")
    assert {quick for _, quick in asked} == {"--quick" in part}


@pytest.mark.hard
def test_the_results_go_where_one_wishes(
    asked: list[tuple[str, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ran(monkeypatch, "--group", "logs", "--group", "chat", "--out", str(tmp_path / "a" / "b")) == 0
    assert [name for name, _ in asked] == ["bench.logs", "bench.chat"]
    assert "2 of 2 targets met" in (tmp_path / "a" / "b" / "RESULTS.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_ends_what_it_started_and_writes_nothing(number: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.run", "--quick", "--group", "startup", "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, cwd=report.HERE.parent, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # "warmed up": it is measuring
        process.send_signal(number)
        assert process.stderr.read().splitlines()[-1] == "Stopped before the end; the results are as far as it came."
        assert process.wait() == 1
    assert list((tmp_path / "out").iterdir()) == []
