"""Questions of the server get one answer each; news are passed on in order; no fault of the host's stops either."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from mcp_core.calling import Asked, Noted, Session
from mcp_core.messages import Failure, Message, Notification, Request, Result
from playground.wire import answering
from playground.wire.answering import Answering, Declined, Unoffered
from playground.wire.transports import Deadline

ROOTS: dict[str, Any] = {"roots": []}
PROGRESS = "notifications/progress"


class Host:
    """Answers as told, and keeps what was said and told."""

    def __init__(self, offered: dict[str, Any] | None = None) -> None:
        self.said: list[Message] = []
        self.heard: list[str] = []
        self.warnings: list[str] = []
        self.news = threading.Condition()
        self.reply: Callable[[Asked], Any] = lambda asked: ROOTS
        self.session = Session({"name": "x", "version": "1"}, revision="2025-11-25")
        able = {"roots": {}, "elicitation": {}} if offered is None else offered
        self.answering = Answering(able, lambda asked: self.reply(asked), self._hear, self._say, self.warnings.append)

    def _hear(self, noted: Noted) -> None:
        with self.news:
            self.heard.append(noted.note.method)
            self.news.notify_all()
        if noted.note.method == "bad":
            raise RuntimeError("a fault of the host's")

    def _say(self, message: Message) -> None:
        with self.news:
            self.said.append(message)
            self.news.notify_all()

    def has(self, condition: Callable[[], bool]) -> bool:
        with self.news:
            return self.news.wait_for(condition, 10)

    def ask(self, method: str = "roots/list", **params: Any) -> Message:
        """The answer to a question that came on a request's own stream."""
        for event in self.session.receive(Request("q", method, params)):
            assert isinstance(event, Asked)
            assert self.answering.reply(self.session, event) is None
        return self.said.pop()

    def ask_by_result(self, method: str = "roots/list") -> Any:
        self.session.revision = "2026-07-28"
        request = self.session.request("tools/call", {"name": "t"})
        required = {"resultType": "input_required", "inputRequests": {"k": {"method": method}}, "requestState": "s"}
        (asked,) = self.session.receive(Result(request.id, required))
        assert isinstance(asked, Asked)
        return self.answering.reply(self.session, asked)


def no(asked: Asked) -> Any:
    raise Declined("The user said no.")


def broken(asked: Asked) -> Any:
    raise RuntimeError("a fault of the host's")


@pytest.fixture
def host() -> Host:
    return Host()


def test_a_question_gets_its_answer_and_a_ping_needs_nobody(host: Host) -> None:
    assert host.ask() == Result("q", ROOTS)
    host.reply = broken
    assert host.ask("ping") == Result("q", {})


def test_a_no_is_an_error_with_the_users_code(host: Host) -> None:
    host.reply = no
    assert host.ask() == Failure("q", -1, "The user said no.")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("sampling/createMessage", {}),
        ("elicitation/create", {"mode": "url"}),
        ("tools/list", {}),
        ("server/dance", {}),
    ],
)
def test_what_was_not_offered_is_not_known(host: Host, method: str, params: dict[str, Any]) -> None:
    answer = host.ask(method, **params)
    assert isinstance(answer, Failure)
    assert answer.code == -32601


@pytest.mark.parametrize("params", [{}, {"mode": "form"}])
def test_a_form_may_be_asked_with_and_without_its_name(host: Host, params: dict[str, Any]) -> None:
    assert host.ask("elicitation/create", **params) == Result("q", ROOTS)


def test_a_host_that_fails_says_so_to_the_server_too(host: Host) -> None:
    host.reply = broken
    assert host.ask() == Failure("q", -32603, "This client failed to answer.")
    assert host.warnings == ["roots/list could not be answered (RuntimeError: a fault of the host's)."]


def test_an_answer_to_a_result_is_the_request_again(host: Host) -> None:
    again = host.ask_by_result()
    assert again.params["inputResponses"] == {"k": ROOTS}
    assert again.params["requestState"] == "s"
    assert host.said == []


@pytest.mark.parametrize(("reply", "raised"), [(no, Declined), (broken, RuntimeError), (lambda _: None, Unoffered)])
def test_where_there_is_no_way_to_say_no_the_request_is_given_up(host: Host, reply: Any, raised: Any) -> None:
    host.reply = reply
    with pytest.raises(raised):
        host.ask_by_result()


def test_a_result_that_asks_for_what_was_not_offered_is_given_up(host: Host) -> None:
    with pytest.raises(Unoffered, match="'sampling/createMessage', which this client does not offer"):
        host.ask_by_result("sampling/createMessage")


def test_a_question_that_belongs_nowhere_holds_nobody_up(host: Host) -> None:
    may_answer, deadline = threading.Event(), Deadline(0.05, 0.05)

    def slow(asked: Asked) -> Any:
        may_answer.wait(10)
        return ROOTS

    host.reply = slow
    with host.answering.waiting(deadline, None):
        host.answering.take(host.session, Request("q", "roots/list"))
        assert host.has(lambda: deadline._holds == 1) or deadline._holds == 1
        assert deadline.left == 0.05, "while the server waits for us, its time stands still"
        may_answer.set()
        assert host.has(lambda: host.said == [Result("q", ROOTS)])


def test_so_many_questions_at_a_time_and_no_more(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer = threading.Event()

    def slow(asked: Asked) -> Any:
        may_answer.wait(10)
        return ROOTS

    host.reply = slow
    for number in range(answering.MOST_QUESTIONS + 2):
        host.answering.take(host.session, Request(number, "roots/list"))
    assert host.has(lambda: len(host.said) == 2)
    assert all(isinstance(message, Failure) and message.code == -32603 for message in host.said)
    assert len(host.warnings) == 2
    may_answer.set()
    assert host.has(lambda: len(host.said) == answering.MOST_QUESTIONS + 2)


def test_news_are_passed_on_in_order_whatever_the_host_does_with_them(host: Host) -> None:
    for method in ("one", "bad", "two"):
        host.answering.take(host.session, Notification(method))
    assert host.has(lambda: host.heard == ["one", "bad", "two"])
    assert host.warnings == ["bad was not taken (RuntimeError: a fault of the host's)."]
    host.answering.close()


def test_progress_by_another_way_puts_off_its_own_request(host: Host) -> None:
    time = [0.0]
    mine, other = (Deadline(10, 100, lambda: time[0]) for _ in range(2))
    with host.answering.waiting(mine, "a"), host.answering.waiting(other, None):
        time[0] = 5
        host.answering.take(host.session, Notification(PROGRESS, {"progressToken": "a", "progress": 1}))
        host.answering.take(host.session, Notification(PROGRESS, {"progressToken": "z", "progress": 1}))
        host.answering.take(host.session, Notification(PROGRESS, {}))
        assert (mine.left, other.left) == (10, 5)


def test_an_answer_that_nobody_waits_for_is_nothing(host: Host) -> None:
    host.answering.take(host.session, Result(99, {}))
    host.answering.take(host.session, Failure(99, -1, "x"))
    assert (host.said, host.heard) == ([], [])
