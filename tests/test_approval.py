"""Who may run what."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from playground.host.approval import (
    FORBIDDEN,
    NOT_ASKED,
    REFUSED,
    STOPPED,
    Approval,
    Question,
    Reply,
    Review,
    claims,
    fingerprint,
    is_read_only,
    noted,
)
from playground.host.calls import Call, Result
from playground.host.tools import Job, Tool

READING = {"annotations": {"readOnlyHint": True}}
READ = Tool("files__read", server="files", definition=READING, trusted=True)
WRITE = Tool("files__write", server="files", trusted=True)
STRANGE = Tool("far__read", server="far", definition=READING)


def job(tool: Tool = WRITE, id: str = "a") -> Job:
    return Job(Call.received(id, tool.name, '{"x":1}'), tool, {"x": 1})


class User:
    def __init__(self, *replies: str | Reply) -> None:
        self.replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]  # type: ignore[arg-type]
        self.questions: list[Question] = []

    def __call__(self, question: Question) -> Reply:
        self.questions.append(question)
        return self.replies.pop(0)


def ran(review: Review) -> list[str]:
    return [job.call.id for job in review.jobs]


def sentences(review: Review) -> list[str]:
    assert all(result.is_error for result in review.refused)
    return [result.content[0]["text"] for result in review.refused]


def test_a_reading_tool_of_a_trusted_server_runs_unasked_in_every_mode() -> None:
    for approval in (Approval("ask"), Approval("never"), Approval("always"), Approval(ask=User())):
        assert ran(approval.review([job(READ)])) == ["a"]


def test_annotations_of_an_untrusted_server_inform_and_do_not_decide() -> None:
    user = User("no")
    review = Approval(ask=user).review([job(STRANGE)])
    assert (ran(review), sentences(review)) == ([], [REFUSED])
    assert user.questions[0].claims == ("read-only",)
    assert not is_read_only(STRANGE)


def test_a_tool_that_claims_nothing_counts_as_changing() -> None:
    assert not is_read_only(WRITE)
    assert not is_read_only(replace(WRITE, definition={"annotations": {"readOnlyHint": "yes"}}))
    assert not is_read_only(replace(WRITE, definition={"annotations": "read-only"}))


def test_yes_counts_once() -> None:
    user = User("yes", "no")
    approval = Approval(ask=user)
    assert ran(approval.review([job(id="a")])) == ["a"]
    assert approval.just_approved("a")
    assert not approval.just_approved("b")
    assert ran(approval.review([job(id="b")])) == []
    assert not approval.just_approved("a")
    assert dict(user.questions[0].arguments) == {"x": 1}


def test_always_counts_for_this_tool_in_this_session() -> None:
    user = User("always", "no")
    approval = Approval(ask=user)
    assert ran(approval.review([job(id="a"), job(id="b"), job(STRANGE, id="c")])) == ["a", "b"]
    assert approval.allowed == ("files__write",)
    assert approval.just_approved("a")
    assert not approval.just_approved("b")
    approval.forget()
    assert not approval.allowed


def test_a_changed_definition_asks_again_and_says_so() -> None:
    user = User("always", "no", "yes")
    approval = Approval(ask=user)
    approval.review([job()])
    changed = replace(WRITE, description="also sends it away")
    assert sentences(approval.review([job(changed)])) == [REFUSED]
    assert [question.changed for question in user.questions] == [False, True]
    assert approval.allowed == ()
    assert ran(approval.review([job()])) == ["a"]
    assert not user.questions[-1].changed


def test_edited_arguments_run_and_the_model_is_told() -> None:
    approval = Approval(ask=User(Reply("edit", {"x": 2})))
    (edited,) = approval.review([job()]).jobs
    assert edited.arguments == {"x": 2}
    told = noted(edited, Result.of_text("a", "done"))
    assert [block["text"] for block in told.content] == [
        '[The user changed the arguments before the tool ran: {"x":2}]',
        "done",
    ]
    assert noted(job(), Result.of_text("a", "done")) == Result.of_text("a", "done")
    assert Approval(ask=User(Reply("edit"))).review([job()]).jobs == (job(),)


def test_stop_refuses_this_call_and_all_that_follow() -> None:
    review = Approval(ask=User("yes", "stop")).review([job(id="a"), job(id="b"), job(READ, id="c")])
    assert review.stopped
    assert ran(review) == ["a"]
    assert sentences(review) == [STOPPED, STOPPED]
    assert [decision.runs for decision in review.decisions] == [True, False, False]
    assert all(decision.why for decision in review.decisions)


def test_the_end_of_input_is_a_no() -> None:
    def closed(question: Question) -> Reply:
        raise EOFError

    assert sentences(Approval(ask=closed).review([job()])) == [REFUSED]


def test_where_nobody_can_be_asked_the_answer_is_no_unless_everything_is_allowed() -> None:
    assert sentences(Approval("ask").review([job()])) == [NOT_ASKED]
    assert sentences(Approval("never", User()).review([job()])) == [FORBIDDEN]
    assert ran(Approval("always").review([job(), job(STRANGE, id="b")])) == ["a", "b"]


def test_questions_come_one_at_a_time() -> None:
    asking = threading.Lock()
    go = threading.Barrier(3)

    def ask(question: Question) -> Reply:
        assert asking.acquire(blocking=False), "two questions at once"
        try:
            return Reply("yes")
        finally:
            asking.release()

    approval = Approval(ask=ask)
    seen: list[int] = []

    def review() -> None:
        go.wait(10)
        seen.extend(len(approval.review([job()]).jobs) for _ in range(200))

    threads = [threading.Thread(target=review) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sum(seen) == 600


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        ({}, ("destructive",)),
        ({"destructiveHint": False, "idempotentHint": True}, ("only adds", "safe to repeat")),
        ({"readOnlyHint": True, "openWorldHint": True}, ("read-only", "reaches beyond this machine")),
    ],
)
def test_claims_are_told_in_words(annotations: dict[str, bool], words: tuple[str, ...]) -> None:
    assert claims(replace(WRITE, definition={"annotations": annotations})) == words


@pytest.mark.parametrize(
    "change",
    [
        lambda tool: replace(tool, description="y"),
        lambda tool: replace(tool, schema={"type": "object", "properties": {}}),
        lambda tool: replace(tool, server="other"),
        lambda tool: replace(tool, definition=READING),
    ],
)
def test_whatever_a_server_changes_changes_the_fingerprint(change: Callable[[Tool], Tool]) -> None:
    assert fingerprint(change(WRITE)) != fingerprint(WRITE)


def test_the_order_of_members_does_not_change_the_fingerprint() -> None:
    def of(schema: dict[str, Any]) -> str:
        return fingerprint(replace(WRITE, schema=schema))

    assert of({"type": "object", "a": 1}) == of({"a": 1, "type": "object"})
