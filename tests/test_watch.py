"""Being told by the system: soon, and again after the folder came or was replaced."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.viewer.watch import Watch


class Bell:
    """Counts its rings, and waits for the next."""

    def __init__(self) -> None:
        self.rung = threading.Event()

    def heard(self, seconds: float = 5) -> bool:
        heard = self.rung.wait(seconds)
        self.rung.clear()
        return heard


@pytest.fixture
def bell() -> Bell:
    return Bell()


@pytest.fixture
def watch(tmp_path: Path, bell: Bell) -> Iterator[Watch]:
    watch = Watch(tmp_path / "logs", bell.rung.set)
    yield watch
    watch.stop()


def test_growth_and_new_files_are_told(tmp_path: Path, watch: Watch, bell: Bell) -> None:
    (tmp_path / "logs").mkdir()
    watch.start()
    assert watch.is_live
    assert bell.heard()
    path = tmp_path / "logs" / "a.jsonl"
    path.write_text("one\n")
    assert bell.heard()
    path.rename(tmp_path / "logs" / "b.jsonl")
    assert bell.heard()


def test_a_folder_made_later_is_watched(tmp_path: Path, watch: Watch, bell: Bell) -> None:
    watch.start()
    assert (watch.is_live,) == (False,)
    (tmp_path / "logs").mkdir()
    watch.renew()
    watch.renew()
    assert (watch.is_live,) == (True,)
    assert bell.heard()
    (tmp_path / "logs" / "a.jsonl").write_text("one\n")
    assert bell.heard()


def test_a_folder_made_anew_is_watched(tmp_path: Path, watch: Watch, bell: Bell) -> None:
    (tmp_path / "logs").mkdir()
    watch.start()
    shutil.rmtree(tmp_path / "logs")
    watch.renew()
    assert (watch.is_live,) == (False,)
    (tmp_path / "logs").mkdir()
    watch.renew()
    while bell.heard(0.1):
        pass
    (tmp_path / "logs" / "a.jsonl").write_text("one\n")
    assert bell.heard()


def test_without_watches_it_is_not_live(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    from watchdog.observers import Observer

    def refuse(*args: object, **more: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "schedule", refuse)
    (tmp_path / "logs").mkdir()
    watch.start()
    assert not watch.is_live


def test_what_was_never_started_can_be_renewed_and_stopped(tmp_path: Path, bell: Bell) -> None:
    watch = Watch(tmp_path, bell.rung.set)
    watch.renew()
    watch.stop()
    assert not bell.heard(0)
