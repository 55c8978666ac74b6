"""The sessions of a server: found by their id until they end, are idle too long, or must make room."""

from pathlib import Path

import pytest

from mcp_core.catalogue import Change
from playground.server import sessions as module
from playground.server.posts import HttpLive
from playground.server.sessions import Sessions
from tests.shells import Stage, logbook


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def live(folder: Path, id: str) -> HttpLive:
    return HttpLive(Stage().session(), logbook(folder), connection="c", id=id)


def test_an_id_can_not_be_guessed_and_fits_into_a_header() -> None:
    ids = {Sessions.new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(id.isascii() and id.isalnum() and len(id) >= 32 for id in ids)


def test_a_session_is_found_until_it_is_ended(tmp_path: Path) -> None:
    sessions = Sessions()
    sessions.add(one := live(tmp_path, "a"))
    assert sessions.find("a") is one
    assert sessions.end("a")
    assert sessions.find("a") is None
    assert not sessions.end("a")
    assert one.general.has_ended


def test_a_session_that_nobody_uses_is_forgotten(tmp_path: Path, clock: list[float]) -> None:
    sessions = Sessions(idle=60)
    sessions.add(live(tmp_path, "a"))
    clock[0] += 59
    assert sessions.find("a") is not None, "being found is being used"
    clock[0] += 59
    assert sessions.find("a") is not None
    clock[0] += 61
    assert sessions.find("a") is None


def test_a_new_session_sweeps_out_the_idle_but_not_those_that_are_read(tmp_path: Path, clock: list[float]) -> None:
    sessions = Sessions(idle=60)
    idle, read = live(tmp_path, "idle"), live(tmp_path, "read")
    sessions.add(idle)
    sessions.add(read)
    reading = read.resume(None)
    assert reading is not None
    next(reading)
    read.tell(Change("tools"))
    next(reading)
    clock[0] += 100
    sessions.add(live(tmp_path, "new"))
    assert idle.general.has_ended
    assert sessions.find("read") is read
    reading.close()


def test_at_the_limit_the_idlest_makes_room(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SESSIONS", 2)
    sessions = Sessions()
    for id in "abc":
        sessions.add(live(tmp_path, id))
        clock[0] += 1
    assert [id for id in "abc" if sessions.find(id) is not None] == ["b", "c"]


def test_a_change_reaches_sessions_and_listeners_and_the_end_ends_all(tmp_path: Path) -> None:
    sessions = Sessions()
    one, listener = live(tmp_path, "a"), live(tmp_path, "b")
    sessions.add(one)
    reading = listener.resume(None)
    assert reading is not None
    hearing = sessions.listening(listener, reading)
    next(hearing)
    sessions.tell(Change("tools"))
    assert "list_changed" in next(hearing)
    own = one.resume(None)
    assert own is not None
    next(own)
    assert "list_changed" in next(own)
    sessions.close()
    assert list(hearing) == []
    assert sessions.find("a") is None
    sessions.tell(Change("tools"))
