"""Being told by the system: soon, and again after the folder came or was replaced; by every way there is."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.viewer.watch import Observed, Watch, watch

if sys.platform == "linux":
    from playground.viewer.inotify import Inotify

    WAYS = [Observed, Inotify]
else:
    WAYS = [Observed]


@pytest.fixture(params=WAYS)
def told(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watch]:
    told = request.param(tmp_path / "logs")
    yield told
    told.close()


def is_told(told: Watch, seconds: float = 5) -> bool:
    began = time.monotonic()
    told.wait(seconds)
    return time.monotonic() - began < seconds


def test_growth_and_new_files_are_told(tmp_path: Path, told: Watch) -> None:
    (tmp_path / "logs").mkdir()
    told.start()
    assert told.is_live
    assert is_told(told), "what happened before"
    path = tmp_path / "logs" / "a.jsonl"
    path.write_text("one\n")
    assert is_told(told)
    path.rename(tmp_path / "logs" / "b.jsonl")
    assert is_told(told)


def test_a_folder_made_later_is_watched(tmp_path: Path, told: Watch) -> None:
    told.start()
    assert (told.is_live,) == (False,)
    (tmp_path / "logs").mkdir()
    told.renew()
    told.renew()
    assert (told.is_live,) == (True,)
    assert is_told(told)
    (tmp_path / "logs" / "a.jsonl").write_text("one\n")
    assert is_told(told)


def test_a_folder_made_anew_is_watched(tmp_path: Path, told: Watch) -> None:
    (tmp_path / "logs").mkdir()
    told.start()
    shutil.rmtree(tmp_path / "logs")
    told.renew()
    assert (told.is_live,) == (False,)
    (tmp_path / "logs").mkdir()
    told.renew()
    while is_told(told, 0.1):
        pass
    (tmp_path / "logs" / "a.jsonl").write_text("one\n")
    assert is_told(told)


def test_any_thread_can_end_a_wait(told: Watch) -> None:
    told.start()
    told.wait(0)
    threading.Timer(0.05, told.wake).start()
    assert is_told(told)
    assert not is_told(told, 0.05)


def test_what_was_never_started_can_be_woken_and_closed(told: Watch) -> None:
    told.wake()
    assert is_told(told)


def test_without_watches_watchdog_is_not_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from watchdog.observers import Observer

    def refuse(*args: object, **more: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "schedule", refuse)
    told = Observed(tmp_path)
    told.start()
    assert not told.is_live
    told.close()


def test_the_best_way_of_this_system_is_taken(tmp_path: Path) -> None:
    told = watch(tmp_path)
    assert type(told) is WAYS[-1]
    told.close()
