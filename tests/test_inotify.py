"""playground/viewer/inotify.py: growth is told from names, and what can't be had is not missed. More: test_watch.py.

Other systems have nothing of the kind to test.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "linux":
    from playground import folder_events
    from playground.viewer.inotify import Inotify

    @pytest.fixture
    def told(tmp_path: Path) -> Iterator[Inotify]:
        (tmp_path / "a.jsonl").touch()
        told = Inotify(tmp_path)
        told.start()
        assert told.wait(5), "what happened before"
        yield told
        told.close()

    def append(path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, b"one\n")
        os.close(descriptor)

    def test_mere_growth_is_told_from_all_else(tmp_path: Path, told: Inotify) -> None:
        append(tmp_path / "a.jsonl")
        assert told.wait(5) is False
        assert told.wait(0) is True, "the time is over"
        (tmp_path / "a.jsonl").rename(tmp_path / "b.jsonl")
        assert told.wait(5) is True
        append(tmp_path / "b.jsonl")
        told.wake()
        assert told.wait(5) is True, "whoever wakes may mean anything"

    @pytest.mark.parametrize(
        ("function", "from_call"), [("inotify_init1", 1), ("inotify_init1", 2), ("inotify_add_watch", 1)]
    )
    def test_when_the_system_has_no_more_it_is_not_live(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, from_call: int
    ) -> None:
        real, calls = getattr(folder_events._libc, function), 0

        def refuse(*args: object) -> int:
            nonlocal calls
            calls += 1
            return -1 if calls >= from_call else int(real(*args))

        monkeypatch.setattr(folder_events._libc, function, refuse)
        before = len(os.listdir("/proc/self/fd"))
        told = Inotify(tmp_path)
        told.start()
        assert not told.is_live
        told.renew()
        told.close()
        assert len(os.listdir("/proc/self/fd")) == before
