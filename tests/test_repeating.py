"""What may be sent again, when, and what a new session is told."""

import pytest

from playground.wire.repeating import MAX_PAUSE, Reminders, is_worth_a_try, pause_before
from playground.wire.transports import Busy, NotMCP, NotReachable, SessionEnded, TimedOut, TravelError, Unauthorized


@pytest.mark.parametrize("error", [NotReachable("x"), SessionEnded("x")])
def test_what_did_not_happen_may_be_tried_again(error: Exception) -> None:
    assert is_worth_a_try("tools/call", error)


@pytest.mark.parametrize("error", [TravelError("x"), Busy("x")])
def test_a_call_whose_fate_is_unknown_is_never_repeated(error: Exception) -> None:
    assert not is_worth_a_try("tools/call", error)
    assert is_worth_a_try("tools/list", error)


@pytest.mark.parametrize("error", [NotMCP("x"), TimedOut("x"), Unauthorized("x")])
def test_what_would_end_the_same_way_is_not_tried(error: Exception) -> None:
    assert not is_worth_a_try("tools/list", error)


def test_pauses_grow_unless_the_server_names_one_and_are_never_long() -> None:
    assert [pause_before(attempt, TravelError("x")) for attempt in (2, 3)] == [0.4, 0.8]
    assert pause_before(2, Busy("x", 0)) == 0
    assert pause_before(2, Busy("x", 3600)) == MAX_PAUSE


def test_a_new_session_is_told_what_to_watch_and_what_to_log() -> None:
    reminders = Reminders()
    reminders.note("logging/setLevel", {"level": "info"})
    reminders.note("logging/setLevel", {"level": "error"})
    for uri in ("test://a", "test://b"):
        reminders.note("resources/subscribe", {"uri": uri})
    reminders.note("resources/unsubscribe", {"uri": "test://a"})
    reminders.note("tools/list", {})
    assert reminders.all() == [
        ("logging/setLevel", {"level": "error"}),
        ("resources/subscribe", {"uri": "test://b"}),
    ]
