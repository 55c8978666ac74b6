"""The hub on real files: every line once, whatever happens to the file, for every client."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playground.viewer import hub as following
from playground.viewer import tail
from playground.viewer.folder import Folder
from playground.viewer.hub import Closed, Event, Hub, Overflow
from playground.viewer.places import read as read_token


class Client:
    """Takes events until it has what it waits for."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.number, self.places, _ = hub.join()
        self.events: list[Event] = []

    def take(self, is_enough: Callable[[], bool], seconds: float = 10) -> None:
        deadline = time.monotonic() + seconds
        while not is_enough():
            assert time.monotonic() < deadline, self.told
            new = self.hub.since(self.number, 0.2)
            self.number += len(new)
            self.events += new

    def lines(self, count: int) -> list[str]:
        """The lines so far, when there are this many."""
        self.take(lambda: len(self.told) >= count)
        return self.told

    @property
    def told(self) -> list[str]:
        return [event.entry.line.data.decode("utf-8", "replace") for event in self.events if event.entry]

    @property
    def notices(self) -> list[str]:
        return [event.kind for event in self.events if event.entry is None]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def hub(logs: Path) -> Iterator[Hub]:
    hub = Hub(Folder(logs), poll=0.05)
    yield hub
    hub.close()


def append(path: Path, text: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def started(hub: Hub) -> Client:
    hub.start()
    return Client(hub)


def test_what_was_there_is_history_and_what_comes_is_live(hub: Hub, logs: Path) -> None:
    path = logs / "a.jsonl"
    append(path, "old\nhal")
    client = started(hub)
    assert client.places["a.jsonl"].at == 4
    append(path, "f\nnew\n")
    assert client.lines(2) == ["half", "new"]


def test_a_file_made_later_appears(hub: Hub, logs: Path) -> None:
    client = started(hub)
    append(logs / "b.jsonl", "one\n")
    assert client.lines(1) == ["one"]
    assert client.events[0].name == "b.jsonl"


def test_a_folder_made_later_appears(hub: Hub, logs: Path) -> None:
    logs.rmdir()
    client = started(hub)
    logs.mkdir()
    append(logs / "a.jsonl", "one\n")
    assert client.lines(1) == ["one"]


def test_a_folder_deleted_and_made_again_is_followed(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", "old\n")
    client = started(hub)
    shutil.rmtree(logs)
    logs.mkdir()
    append(logs / "a.jsonl", "new\n")
    assert client.lines(1) == ["new"]


def test_a_truncated_file_is_read_from_its_beginning(hub: Hub, logs: Path) -> None:
    path = logs / "a.jsonl"
    append(path, "1\n2\n3\n")
    client = started(hub)
    os.truncate(path, 0)
    append(path, "4\n")
    client.lines(1)
    append(path, "5\n")
    assert client.lines(2) == ["4", "5"]
    assert client.notices == ["truncated"]


def test_rotation_loses_and_doubles_nothing(hub: Hub, logs: Path) -> None:
    """Case D05, without waiting in between."""
    path = logs / "a.jsonl"
    append(path, "start\n")
    client = started(hub)
    expected = []
    for number in range(10):
        old = logs / f"a.jsonl.{number + 1}"
        path.rename(old)
        append(old, f"late {number}\n")
        append(path, f"first {number}\nsecond {number}\n")
        expected += [f"late {number}", f"first {number}", f"second {number}"]
    assert sorted(client.lines(30)) == sorted(expected)
    assert "rotated" in client.notices


def test_a_line_for_a_renamed_file_comes_also_after_the_new_one(hub: Hub, logs: Path) -> None:
    path = logs / "a.jsonl"
    append(path, "one\n")
    client = started(hub)
    path.rename(logs / "a.jsonl.1")
    append(path, "three\n")
    client.lines(1)
    append(logs / "a.jsonl.1", "two\n")
    assert client.lines(2) == ["three", "two"]
    assert client.events[-1].token == client.events[-2].token


def test_the_torn_end_of_a_renamed_file_comes_when_its_time_is_over(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "GRACE", 0.1)
    path = logs / "a.jsonl"
    append(path, "one\n")
    client = started(hub)
    append(path, "torn")
    path.rename(logs / "a.jsonl.1")
    append(path, "two\n")
    assert sorted(client.lines(2)) == ["torn", "two"]
    count = len(os.listdir("/proc/self/fd"))
    assert count > 0


def test_a_deleted_file_is_told_and_the_next_is_read(hub: Hub, logs: Path) -> None:
    path = logs / "a.jsonl"
    append(path, "one\n")
    client = started(hub)
    path.unlink()
    append(path, "two\n")
    assert client.lines(1) == ["two"]


def test_a_file_replaced_by_another_is_read_from_its_beginning(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", "one\n")
    client = started(hub)
    append(logs / "new", "two\nthree\n")
    (logs / "new").rename(logs / "a.jsonl")
    assert client.lines(2) == ["two", "three"]
    assert client.notices == ["deleted"]


def test_what_is_no_file_is_left_alone(hub: Hub, logs: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary\n")
    (logs / "link.jsonl").symlink_to(tmp_path / "secret")
    os.mkfifo(logs / "fifo.jsonl")
    client = started(hub)
    append(logs / "a.jsonl", "one\n")
    assert client.lines(1) == ["one"]


def test_a_giant_line_costs_little_memory_and_the_next_comes(hub: Hub, logs: Path) -> None:
    client = started(hub)
    path = logs / "a.jsonl"
    for _ in range(50):
        append(path, b"x" * 1_000_000)
    append(path, '\n{"good":1}\n')
    client.lines(2)
    giant, good = (json.loads(event.entry.envelope) for event in client.events if event.entry)
    assert giant["flaw"] == "too long: 50000000 bytes"
    assert len(giant["raw"]) == tail.HEAD
    assert good["record"] == {"good": 1}


def test_a_log_that_grew_by_far_too_much_keeps_no_other_waiting(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty gigabytes were once read to their end before anybody else had a turn."""
    monkeypatch.setattr(following, "TURN", tail.CHUNK)
    client = started(hub)
    append(logs / "a.jsonl", "")
    with (logs / "a.jsonl").open("r+b") as file:
        file.truncate(400 * tail.CHUNK)
    append(logs / "b.jsonl", "one\n")
    append(logs / "a.jsonl", "\ntwo\n")
    assert client.lines(1)[0] == "one"
    assert client.lines(3)[-1] == "two"


def test_the_files_of_one_name_are_read_in_their_order_also_turn_by_turn(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "TURN", 1)
    append(logs / "a.jsonl", "")
    client = started(hub)
    rows = [f"{number:06} {'x' * 100}" for number in range(9000)]
    for part in range(3):
        append(logs / "a.jsonl", "".join(f"{row}\n" for row in rows[part * 3000 : (part + 1) * 3000]))
        if part < 2:
            (logs / "a.jsonl").rename(logs / f"a.jsonl.{part + 1}")
    assert client.lines(9000) == rows


def test_invalid_text_is_flagged_and_the_next_line_follows(hub: Hub, logs: Path) -> None:
    client = started(hub)
    append(logs / "a.jsonl", b"\xff bad\n{}\n\n \n")
    client.lines(2)
    assert [json.loads(event.entry.envelope).get("flaw") for event in client.events if event.entry] == [
        "not UTF-8",
        None,
    ]


def test_each_event_has_the_token_of_its_place(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", "old\n")
    client = started(hub)
    append(logs / "a.jsonl", "one\ntwo\n")
    client.lines(2)
    places = [read_token(event.token) for event in client.events]
    assert [place and place.places["a.jsonl"].at for place in places] == [8, 12]
    assert client.events[0].frame.startswith(b"id: a.jsonl:")
    assert client.events[0].frame.endswith(b"\n\n")


def test_a_notice_is_an_event_of_its_own(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", "one\ntwo\n")
    client = started(hub)
    os.truncate(logs / "a.jsonl", 0)
    client.take(lambda: client.notices != [])
    lines = client.events[0].frame.decode().splitlines()
    assert lines[0] == "event: notice"
    notice: dict[str, Any] = json.loads(lines[2].removeprefix("data: "))
    assert (notice["kind"], notice["file"]) == ("truncated", "a.jsonl")
    assert notice["text"].endswith(".")


def test_many_clients_get_the_same_events(hub: Hub, logs: Path) -> None:
    hub.start()
    clients = [Client(hub) for _ in range(20)]
    got: list[list[str]] = []
    threads = [threading.Thread(target=lambda c=client: got.append(c.lines(100))) for client in clients]
    for thread in threads:
        thread.start()
    for number in range(100):
        append(logs / "a.jsonl", f"{number}\n")
    for thread in threads:
        thread.join()
    assert got == [[str(number) for number in range(100)]] * 20


@pytest.mark.parametrize(("window", "window_bytes"), [(10, 1 << 20), (1000, 100)])
def test_a_client_that_is_too_slow_is_told(logs: Path, window: int, window_bytes: int) -> None:
    hub = Hub(Folder(logs), poll=0.05, window=window, window_bytes=window_bytes)
    try:
        slow, quick = started(hub), Client(hub)
        for number in range(50):
            append(logs / "a.jsonl", f"a line of some length, number {number}\n")
            quick.lines(number + 1)
        with pytest.raises(Overflow):
            hub.since(slow.number, 0)
        assert len(hub._events) <= window
    finally:
        hub.close()


def test_silence_ends_with_the_timeout(hub: Hub) -> None:
    client = started(hub)
    assert hub.since(client.number, 0.01) == []


def test_a_closed_hub_wakes_its_clients(logs: Path) -> None:
    hub = Hub(Folder(logs))
    client = started(hub)
    ended = threading.Event()

    def wait() -> None:
        with pytest.raises(Closed):
            hub.since(client.number, 60)
        ended.set()

    thread = threading.Thread(target=wait)
    thread.start()
    hub.close()
    assert ended.wait(5)
    thread.join()


def test_closing_gives_back_all_descriptors(logs: Path) -> None:
    append(logs / "a.jsonl", "one\n")
    before = len(os.listdir("/proc/self/fd"))
    hub = Hub(Folder(logs))
    client = started(hub)
    append(logs / "b.jsonl", "two\n")
    client.lines(1)
    hub.close()
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_file_that_can_not_be_opened_at_the_start_is_tried_again(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(logs / "a.jsonl", "one\n")

    def refuse(folder: Folder, name: str) -> int:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "open", refuse)
        client = started(hub)
    assert client.lines(1) == ["one"]


def test_a_file_that_is_gone_before_it_could_be_opened_is_passed_over(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Folder.open

    def open_or_not(folder: Folder, name: str) -> int:
        if name == "gone.jsonl":
            raise FileNotFoundError
        return real(folder, name)

    monkeypatch.setattr(Folder, "open", open_or_not)
    client = started(hub)
    append(logs / "gone.jsonl", "never\n")
    append(logs / "here.jsonl", "one\n")
    assert client.lines(1) == ["one"]


def test_a_hub_that_never_began_can_be_closed(logs: Path) -> None:
    Hub(Folder(logs)).close()


def test_while_a_disk_fails_not_all_until_now_counts_as_seen(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_at(descriptor: int, count: int, start: int) -> bytes:
        raise OSError(5, "Input/output error")

    append(logs / "a.jsonl", "one\n")
    monkeypatch.setattr(following, "read_at", read_at)
    hub._look(0.0, hub.folder.scan())
    assert hub.join()[2] == 0
    monkeypatch.undo()
    hub._look(0.0, hub.folder.scan())
    assert hub.join()[2] > 0


def test_a_disk_that_fails_ends_the_following_of_nothing(hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.viewer import hub as module

    failures = [OSError(5, "Input/output error")] * 2

    def read_at(descriptor: int, count: int, start: int) -> bytes:
        if failures:
            raise failures.pop()
        return os.pread(descriptor, count, start)

    monkeypatch.setattr(module, "read_at", read_at)
    client = started(hub)
    (logs / "a.jsonl").write_text('{"n":1}\n')
    client.take(lambda: len(client.events) == 1)
    assert not failures
