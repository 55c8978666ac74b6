"""What one client gets: history, then live, then the rest of it after any break, each record once."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core.sse import Decoder
from playground.viewer import filters, places
from playground.viewer import stream as stream_module
from playground.viewer.folder import Folder
from playground.viewer.hub import Hub
from playground.viewer.stream import OPENING, stream

HEARTBEAT = 0.05


@pytest.fixture
def hub(logs: Path) -> Iterator[Hub]:
    hub = Hub(Folder(logs), poll=0.05)
    yield hub
    hub.close()


class Reader:
    """Reads a stream as a browser does."""

    def __init__(self, hub: Hub, token: str = "", **wanted: Any) -> None:
        chosen: dict[str, Any] = {"names": None, "test": None, "history": 500, "heartbeat": HEARTBEAT}
        self.pieces = stream(hub, **(chosen | wanted), token=token)
        self.decoder = Decoder()
        self.numbers: list[int] = []
        self.notices: list[str] = []
        self.tokens: list[str] = []
        self.heartbeats = 0

    def read(self, is_enough: Any) -> Reader:
        while not is_enough(self):
            piece = next(self.pieces)
            self.heartbeats += piece.startswith(b": heartbeat")
            for event in self.decoder.feed(piece):
                if not event.data:  # a browser dispatches nothing, and remembers the id
                    continue
                self.tokens.append(event.id or "")
                data = json.loads(event.data)
                if event.event == "notice":
                    self.notices.append(data["kind"])
                else:
                    self.numbers.append(data["record"]["n"])
        return self

    def live(self) -> Reader:
        return self.read(lambda reader: "live" in reader.notices)

    def until(self, count: int) -> list[int]:
        return self.read(lambda reader: len(reader.numbers) >= count).numbers


def record(number: int, name: str = "x") -> str:
    return (
        f'{{"ts":"2026-11-29T21:20:{number // 1000:02d}.{number % 1000:03d}000+00:00","n":{number},"name":"{name}"}}\n'
    )


def append(path: Path, *numbers: int) -> None:
    with path.open("a") as file:
        file.write("".join(map(record, numbers)))


def test_the_first_bytes_come_at_once(hub: Hub) -> None:
    hub.start()
    assert next(Reader(hub).pieces) == OPENING
    assert OPENING.startswith(b"retry: 1000\n:")
    assert [event for event in Decoder().feed(OPENING) if event.data] == []


def test_history_comes_first_then_live(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", *range(0, 10, 2))
    append(logs / "b.jsonl", *range(1, 10, 2))
    hub.start()
    reader = Reader(hub, history=4).live()
    assert reader.numbers == [6, 7, 8, 9]
    append(logs / "a.jsonl", 10)
    assert reader.until(5) == [6, 7, 8, 9, 10]
    assert reader.notices == ["live"]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_broken_stream_is_resumed_at_any_record(hub: Hub, logs: Path, cut: int) -> None:
    append(logs / "a.jsonl", *range(0, 6, 2))
    append(logs / "b.jsonl", *range(1, 6, 2))
    hub.start()
    first = Reader(hub).live()
    append(logs / "a.jsonl", *range(6, 12))
    everything = first.until(12)
    assert everything == list(range(12))
    tokens = [token for token, _ in zip(first.tokens, range(14), strict=False)]
    del tokens[6]  # of the notice "live"
    again = Reader(hub, tokens[cut - 1]).live()
    assert again.numbers == everything[cut:]


def test_a_stream_is_resumed_by_another_viewer_after_a_rotation(hub: Hub, logs: Path) -> None:
    path = logs / "a.jsonl"
    append(path, 1, 2)
    hub.start()
    token = Reader(hub).live().tokens[0]
    hub.close()
    append(path, 3)
    path.rename(logs / "a.jsonl.1")
    append(path, 4, 5)
    append(logs / "b.jsonl", 6)
    second = Hub(Folder(logs), poll=0.05)
    second.start()
    try:
        assert sorted(Reader(second, token).live().numbers) == [2, 3, 4, 5, 6]
    finally:
        second.close()


@pytest.fixture
def many(logs: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Thirty logs, as if there were thousands: a token has room for three that are read to their end."""
    monkeypatch.setattr(places, "ENOUGH", 150)
    paths = [logs / f"log-{number:02}.jsonl" for number in range(30)]
    for number, path in enumerate(paths):
        append(path, number)
        os.utime(path, (0, 0))
    return paths


@pytest.mark.parametrize("cut", range(1, 36))
def test_among_very_many_logs_a_stream_is_resumed_at_any_record(hub: Hub, many: list[Path], cut: int) -> None:
    hub.start()
    first = Reader(hub).live()
    append(many[27], 30, 31)
    append(many[29], 32)
    append(many[28], 33)
    append(many[27], 34)
    everything = first.until(35)
    assert sorted(everything) == list(range(35))
    tokens = first.tokens[:30] + first.tokens[31:]  # without that of the notice "live"
    assert max(map(len, tokens[30:])) < 200
    again = Reader(hub, tokens[cut - 1]).live()
    assert (sorted(again.numbers), again.notices) == (sorted(everything[cut:]), ["live"])


def test_a_log_of_very_many_that_wakes_while_nobody_listens_is_told_as_a_whole(hub: Hub, many: list[Path]) -> None:
    hub.start()
    first = Reader(hub).live()
    append(many[7], 30)
    first.until(31)
    append(many[7], 31)
    append(many[20], 32)
    first.until(33)  # so that the hub has seen them
    again = Reader(hub, first.tokens[-3]).live()
    assert again.notices == ["gap", "live"]
    assert sorted(again.numbers) == [20, 31, 32]


def test_more_than_a_token_can_hold_is_told_again_and_never_lost(
    hub: Hub, many: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MOST", 300)
    hub.start()
    token = Reader(hub).live().tokens[4]
    assert len(token) < 500
    again = Reader(hub, token).live()
    assert set(again.numbers) >= set(range(5, 30))
    assert "gap" in again.notices


def test_a_place_that_is_gone_is_told(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", 1, 2, 3)
    hub.start()
    token = Reader(hub).live().tokens[-1]
    (logs / "a.jsonl").write_text(record(7))
    reader = Reader(hub, token).read(lambda reader: 7 in reader.numbers)
    assert "gap" in reader.notices or "truncated" in reader.notices
    assert reader.numbers == [7]


def test_a_token_that_is_none_gets_the_history_and_is_told(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", 1)
    hub.start()
    reader = Reader(hub, "rubbish").live()
    assert (reader.numbers, reader.notices) == ([1], ["gap", "live"])


def test_too_much_to_catch_up_with_is_told_and_the_newest_come(
    hub: Hub, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "CATCH_UP_LIMIT", 200)
    append(logs / "a.jsonl", 0)
    hub.start()
    first = Reader(hub)
    token = first.live().tokens[0]
    append(logs / "a.jsonl", *range(1, 30))
    first.until(30)
    reader = Reader(hub, token, history=3).live()
    assert (reader.numbers, reader.notices) == ([27, 28, 29], ["gap", "live"])


def test_a_client_too_slow_for_the_window_misses_nothing(logs: Path) -> None:
    hub = Hub(Folder(logs), poll=0.05, window=20)
    hub.start()
    try:
        slow, quick = Reader(hub).live(), Reader(hub).live()
        for number in range(0, 200, 10):
            append(logs / "a.jsonl", *range(number, number + 10))
            quick.until(number + 10)
        assert slow.until(200) == list(range(200))
        assert slow.notices == ["live", "gap", "live"] or slow.notices == ["live", "gap"]
    finally:
        hub.close()


def test_a_filter_chooses_in_history_and_live(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", 1, 20, 3)
    hub.start()
    reader = Reader(hub, test=filters.compile(filters.parse("n>9"))).live()
    append(logs / "a.jsonl", 4, 50)
    assert reader.until(2) == [20, 50]


def test_files_are_chosen(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", 1)
    append(logs / "b.jsonl", 2)
    hub.start()
    reader = Reader(hub, names={"b.jsonl", "later.jsonl"}).live()
    append(logs / "a.jsonl", 3)
    append(logs / "later.jsonl", 4)
    assert reader.until(2) == [2, 4]


def test_silence_is_broken_by_heartbeats_that_carry_the_place(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", 1)
    hub.start()
    reader = Reader(hub, test=filters.compile(filters.parse("n=9"))).live()
    before = reader.decoder.last_id
    append(logs / "a.jsonl", 2)
    reader.read(lambda reader: reader.heartbeats >= 2 and reader.decoder.last_id != before)
    assert reader.numbers == []
    assert Reader(hub, reader.decoder.last_id or "").live().numbers == []


def test_the_end_of_the_hub_ends_the_stream(logs: Path) -> None:
    hub = Hub(Folder(logs))
    hub.start()
    reader = Reader(hub).live()
    hub.close()
    assert list(reader.pieces) == []


def test_a_large_history_comes_in_pieces(hub: Hub, logs: Path) -> None:
    append(logs / "a.jsonl", *range(2000))
    hub.start()
    reader = Reader(hub, history=2000)
    sizes = []
    for piece in reader.pieces:
        sizes.append(len(piece))
        if b'"kind":"live"' in piece:
            break
    assert len(sizes) > 4
    assert max(sizes) < 2 * stream_module.PIECE


def test_a_client_that_has_left_is_waited_for_no_longer(logs: Path) -> None:
    hub = Hub(Folder(logs))
    hub.start()
    gone: list[Callable[[], None]] = []
    reader = Reader(hub, heartbeat=60, on_gone=gone.append).live()
    waiting = threading.Thread(target=lambda: list(reader.pieces), daemon=True)
    waiting.start()
    gone[0]()
    waiting.join(10)
    assert not waiting.is_alive()
    hub.close()
