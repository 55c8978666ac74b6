"""A change in the sandbox's folder, by whomever, is announced; by the system's word or by looking."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_core.catalogue import Change
from playground.server import watching
from playground.server.sandbox import Sandbox
from playground.server.watching import Watching

URI = "playground://files/{name}"


class Heard:
    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.news = threading.Condition()

    def __call__(self, change: Change) -> None:
        with self.news:
            self.changes.append(change)
            self.news.notify_all()

    def of(self, uri: str | None) -> bool:
        with self.news:
            return self.news.wait_for(lambda: Change("resources", uri) in self.changes, 10)


@pytest.fixture(params=["told", "told by watchdog", "looking"])
def heard(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Heard]:
    heard, sandbox = Heard(), Sandbox(tmp_path)
    sandbox.write("old.txt", "old")
    watch = Watching(sandbox, URI, heard)
    if request.param == "told by watchdog":
        monkeypatch.setattr(watch, "_by_inotify", watch._by_watchdog)
    elif request.param == "looking":
        from watchdog.observers import Observer

        def no_more(self: object, *_: object, **__: object) -> None:
            raise OSError("inotify watch limit reached")

        monkeypatch.setattr(Observer, "schedule", no_more)
        monkeypatch.setattr(watch, "_by_inotify", watch._by_watchdog)
        monkeypatch.setattr(watching, "POLL", 0.02)
    watch.start()
    assert watch.is_ready.wait(10)
    yield heard
    watch.stop()


def test_a_new_file_is_news_for_the_list_and_an_old_one_is_not(heard: Heard, tmp_path: Path) -> None:
    Sandbox(tmp_path).write("old.txt", "new text")
    assert heard.of("playground://files/old.txt")
    assert Change("resources") not in heard.changes
    (tmp_path / "by hand.txt").write_text("x")
    assert heard.of("playground://files/by%20hand.txt")
    assert heard.of(None)


def test_a_file_that_goes_is_news_for_both(heard: Heard, tmp_path: Path) -> None:
    (tmp_path / "old.txt").unlink()
    assert heard.of("playground://files/old.txt")
    assert heard.of(None)


def test_what_no_tool_may_touch_is_no_news(heard: Heard, tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "aux").write_text("x")
    Sandbox(tmp_path).write("after.txt", "")
    assert heard.of("playground://files/after.txt")
    assert {change.uri for change in heard.changes if change.uri} == {"playground://files/after.txt"}


def test_what_changes_before_the_watch_is_ready_is_announced_too(tmp_path: Path) -> None:
    heard, sandbox = Heard(), Sandbox(tmp_path)
    sandbox.write("old.txt", "old")
    watch = Watching(sandbox, URI, heard)
    watch.start()
    sandbox.write("old.txt", "new text")  # at once: the library that tells is still being loaded
    sandbox.write("new.txt", "")
    assert heard.of("playground://files/old.txt")
    assert heard.of("playground://files/new.txt")
    assert heard.of(None)
    watch.stop()


if sys.platform == "linux":
    from playground import folder_events

    def test_a_folder_that_goes_and_one_that_cannot_be_watched_are_looked_at(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watching, "POLL", 0.02)
        folder = tmp_path / "files"
        heard, sandbox = Heard(), Sandbox(folder)
        sandbox.write("old.txt", "old")
        watch = Watching(sandbox, URI, heard)
        watch.start()
        assert watch.is_ready.wait(10)
        (folder / "old.txt").unlink()
        folder.rmdir()  # the system's watch ends with it
        assert heard.of("playground://files/old.txt")
        watch.stop()

        monkeypatch.setattr(folder_events, "begin", lambda path, changes: None)
        other = Watching(Sandbox(tmp_path / "more"), URI, heard)
        other.start()
        assert other.is_ready.wait(10)
        (tmp_path / "more" / "new.txt").write_text("x")
        assert heard.of("playground://files/new.txt")
        other.stop()

    def test_when_the_system_has_lost_events_one_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        heard, sandbox = Heard(), Sandbox(tmp_path)
        watch = Watching(sandbox, URI, heard)
        monkeypatch.setattr(folder_events, "events", lambda data: [(folder_events.IN_Q_OVERFLOW, "")])
        watch.start()
        assert watch.is_ready.wait(10)
        (tmp_path / "new.txt").write_text("x")
        assert heard.of("playground://files/new.txt")
        watch.stop()

    def test_a_file_that_comes_goes_and_comes_back_at_once_is_there(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        heard, sandbox = Heard(), Sandbox(tmp_path)
        watch = Watching(sandbox, URI, heard)
        came, went = (folder_events.IN_CREATE, "a.txt"), (folder_events.IN_DELETE, "a.txt")
        monkeypatch.setattr(folder_events, "events", lambda data: [came, went, came])
        watch.start()
        assert watch.is_ready.wait(10)
        (tmp_path / "a.txt").touch()
        assert heard.of("playground://files/a.txt")
        watch.stop()
        assert heard.changes.count(Change("resources")) % 2 == 1, "it came once more than it went"
