"""Who gets which message, where all of them arrive on one stream."""

import threading
from typing import Any

import pytest

from mcp_core.messages import Failure, Message, Notification, Request, Result
from mcp_core.revisions import SUBSCRIPTION_KEY
from playground.wire.inboxes import Inboxes
from playground.wire.transports import Deadline, TimedOut, TravelError


@pytest.fixture
def unasked() -> list[Message]:
    return []


@pytest.fixture
def inboxes(unasked: list[Message]) -> Inboxes:
    return Inboxes(unasked.append)


def exchange(inboxes: Inboxes, request: Request, *arriving: Message, patience: float = 5) -> Any:
    def send() -> None:
        for message in arriving:
            inboxes.put(message)

    return inboxes.exchange(request, send, Deadline(patience, patience), "the server")


def progress(token: object) -> Notification:
    return Notification("notifications/progress", {"progressToken": token, "progress": 1})


def of_subscription(id: object) -> Notification:
    return Notification("notifications/tools/list_changed", {"_meta": {SUBSCRIPTION_KEY: id}})


def test_an_answer_reaches_who_asked_and_ends_the_exchange(inboxes: Inboxes) -> None:
    log = Notification("notifications/message", {"data": "x"})
    got = list(exchange(inboxes, Request(1, "tools/call"), log, Result(1, {}), log))
    assert got == [log, Result(1, {})]


def test_an_answer_that_nobody_waits_for_is_dropped_and_news_are_passed_on(
    inboxes: Inboxes, unasked: list[Message]
) -> None:
    inboxes.put(Result(7, {}))
    inboxes.put(Failure(None, -32700, "x"))
    inboxes.put(Request("s1", "ping"))
    inboxes.put(of_subscription(9))
    assert unasked == [Request("s1", "ping"), of_subscription(9)]


def test_progress_goes_to_its_request_and_news_to_their_subscription(inboxes: Inboxes, unasked: list[Message]) -> None:
    listening = exchange(inboxes, Request(1, "subscriptions/listen"), of_subscription(1))
    assert next(listening) == of_subscription(1)
    slow = exchange(inboxes, Request(2, "tools/call", {"_meta": {"progressToken": "a"}}), progress("a"))
    assert next(slow) == progress("a")
    fast = exchange(inboxes, Request(3, "tools/call", {"_meta": {"progressToken": "b"}}), progress("b"), Result(3, {}))
    assert list(fast) == [progress("b"), Result(3, {})]
    assert inboxes.about(progress("c")) is None
    assert inboxes.about(of_subscription({"no": "id"})) is None
    assert inboxes.about(Notification("notifications/message")) == 2, "never the subscription"
    assert inboxes.about(Notification("notifications/message", {"_meta": "odd"})) == 2
    assert inboxes.about(Request("s", "roots/list")) == 2
    assert unasked == []


def test_a_request_without_meta_has_no_token(inboxes: Inboxes) -> None:
    got = exchange(inboxes, Request(1, "ping"), progress("a"), Result(1, {}))
    assert list(got) == [Result(1, {})]


def test_an_error_without_an_id_answers_the_only_request_there_is(inboxes: Inboxes) -> None:
    error = Failure(None, -32700, "unreadable")
    assert list(exchange(inboxes, Request(1, "tools/list"), error)) == [error]
    first = exchange(inboxes, Request(2, "tools/list"), Notification("notifications/message"))
    next(first)
    second = exchange(inboxes, Request(3, "tools/list"), error, Result(3, {}))
    assert list(second) == [Result(3, {})], "with two, nobody knows whose it is"


def test_no_answer_in_time_is_said_so(inboxes: Inboxes) -> None:
    with pytest.raises(TimedOut, match="the server took ping and did not answer"):
        list(exchange(inboxes, Request(1, "ping"), patience=0.01))


def test_a_deadline_that_is_put_off_meanwhile_is_kept(inboxes: Inboxes) -> None:
    class Once(Deadline):
        asked = 0

        @property
        def left(self) -> float:
            self.asked += 1
            return (0.001, 0.001, 5)[min(self.asked - 1, 2)]

    waiting = threading.Thread(target=inboxes.put, args=[Result(1, {})])

    def send() -> None:
        threading.Timer(0.05, waiting.start).start()

    assert list(inboxes.exchange(Request(1, "ping"), send, Once(1, 1), "the server")) == [Result(1, {})]


def test_the_end_is_told_to_all_who_wait_and_to_all_who_come_later(inboxes: Inboxes) -> None:
    waiting = exchange(inboxes, Request(1, "tools/call"), Notification("notifications/message"))
    next(waiting)
    inboxes.end("exit code 3")
    with pytest.raises(TravelError, match=r"the server ended before it answered tools/call \(exit code 3\)"):
        next(waiting)
    with pytest.raises(TravelError):
        next(exchange(inboxes, Request(2, "ping")))
    assert inboxes.has_ended


def test_by_default_nobody_hears_of_what_was_not_asked() -> None:
    Inboxes().put(Request("s1", "ping"))
