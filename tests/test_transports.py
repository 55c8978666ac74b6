"""The deadline that every transport keeps, and how a message is called in a sentence."""

import threading

import pytest

from mcp_core.messages import Notification, Request, Result
from playground.wire import transports
from playground.wire.transports import Busy, Deadline, NotMCP, TravelError, Unauthorized


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_deadline_comes_nearer(clock: Clock) -> None:
    deadline = Deadline(10, 30, clock)
    assert deadline.left == 10
    clock.time += 12
    assert deadline.left == -2


def test_each_sign_of_life_puts_it_off_up_to_a_limit(clock: Clock) -> None:
    deadline = Deadline(10, 30, clock)
    for _ in range(3):
        clock.time += 9
        deadline.put_off()
    assert deadline.left == 3, "27 of at most 30 seconds have passed"


def test_a_sign_of_life_never_brings_it_nearer(clock: Clock) -> None:
    deadline = Deadline(10, 5, clock)
    deadline.put_off()
    assert deadline.left == 10


def test_no_time_passes_for_a_server_that_waits_for_us(clock: Clock) -> None:
    deadline = Deadline(10, 30, clock)
    clock.time += 4
    with deadline.held():
        clock.time += 100
        assert deadline.left == 10
        with deadline.held():  # a second question at the same time
            clock.time += 100
    assert deadline.left == 6
    clock.time += 5
    deadline.put_off()
    assert deadline.left == 10, "nor does it count for the limit"


def test_when_somebody_says_stop_the_time_is_over_and_one_looks_often(clock: Clock) -> None:
    stop = threading.Event()
    deadline = Deadline(10, 30, clock, stop)
    assert (deadline.left, deadline.glance) == (10, transports.GLANCE)
    assert Deadline(10, 30, clock).glance == 10
    stop.set()
    with deadline.held():
        assert deadline.left == 0


def test_what_a_message_is_called() -> None:
    assert transports.about(Request(1, "tools/list")) == "tools/list"
    assert transports.about(Notification("notifications/cancelled")) == "notifications/cancelled"
    assert transports.about(Result(1, {})) == "an answer"


def test_every_failure_is_one_of_travel_and_keeps_what_it_knows() -> None:
    for failure in (NotMCP("x", 404), Unauthorized("x", "Bearer"), Busy("x", 3.0)):
        assert isinstance(failure, TravelError)
        assert str(failure) == "x"
    assert NotMCP("x", 404).status == 404
    assert Unauthorized("x", "Bearer").challenge == "Bearer"
    assert Busy("x", 3.0).pause == 3.0
