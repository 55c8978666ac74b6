"""One conversation with its log: what is written down, in which order, and what becomes of unanswered questions."""

import threading
from pathlib import Path

import pytest

from mcp_core.messages import INTERNAL_ERROR, Failure, Notification, ProtocolError, Request, Result, encode
from playground.server.live import Delivery, Live
from tests.shells import Stage, call, logbook, records


@pytest.fixture
def stage() -> Stage:
    return Stage()


def take(live: Live, message: Request | Notification | Result | Failure) -> list[Delivery]:
    return list(live.take(message, encode(message)))


def test_a_frame_is_in_the_log_before_it_leaves(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="stdio", connection="c")
    for delivery in live.take(call("quick"), encode(call("quick"))):
        assert records(tmp_path)[-1]["event"] == "rpc_response"
        assert delivery.is_last
    assert [record["event"] for record in records(tmp_path)] == [
        "rpc_request", "tool_call_request", "tool_call_success", "rpc_response",
    ]  # fmt: skip


def test_the_records_of_a_request_share_its_exchange_and_name_the_tools_own_line(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="http", connection="c", id="s1")
    take(live, call("quick", 7))
    found = records(tmp_path)
    assert {record["exchange"] for record in found} == {"s1/client/7"}
    assert {record["session"] for record in found} == {"s1"}
    assert found[-1]["src"].startswith("tests/shells.py:")
    assert found[-1]["src"].endswith("quick")
    assert found[-1]["ms"] >= 0


@pytest.mark.parametrize(
    ("request_", "event"),
    [
        (call("fail"), "tool_call_error"),
        (call("nosuch"), "tool_not_found"),
        (call("burst"), "tool_call_error"),
        (Request(1, "tools/dance"), "rpc_method_not_found"),
    ],
)
def test_what_went_wrong_has_a_record_of_its_own(stage: Stage, tmp_path: Path, request_: Request, event: str) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="stdio", connection="c")
    take(live, request_)
    assert [record["level"] for record in records(tmp_path, event)] == ["WARNING"]


def test_a_bug_is_logged_whole_and_sent_without_details(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="stdio", connection="c")
    [delivery] = take(live, call("burst"))
    assert isinstance(delivery.message, Failure)
    assert delivery.message.code == INTERNAL_ERROR
    assert "secret detail" not in str(delivery.text)
    assert "a secret detail" in records(tmp_path, "server_fault")[0]["data"]["traceback"]


def test_what_was_no_message_is_logged_as_it_came(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="http", connection="c")
    delivery = live.refuse(b"{oops", ProtocolError(-32700, "This is not JSON."), http={"method": "POST"})
    assert delivery.status == 400
    first, second = records(tmp_path)
    assert (first["event"], first["data"]["raw"]) == ("rpc_parse_error", "{oops")
    assert second["data"]["http"]["status"] == 400


def test_a_message_that_came_to_nobody_has_a_request_and_a_response_record(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="http", connection="c")
    message = Request(3, "tools/list")
    live.refuse(encode(message), ProtocolError(-32600, "No session.", id=3), message=message, http={}, status=404)
    first, second = records(tmp_path)
    assert (first["event"], second["event"]) == ("rpc_request", "rpc_response")
    assert first["exchange"] == second["exchange"]


def test_a_cancelled_request_leaves_a_record_instead_of_an_answer(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(elicitation={}), logbook(tmp_path), via="stdio", connection="c")
    [question] = take(live, call("ask", 5))
    assert isinstance(question.message, Request)
    [ended] = take(live, Notification("notifications/cancelled", {"requestId": 5}))
    assert (ended.text, ended.is_last) == (None, True)
    assert records(tmp_path, "rpc_cancelled")[0]["data"] == {"method": "tools/call", "id": 5}


class Patient(Live):
    """One that keeps what it is given to deliver."""

    def __init__(self, stage: Stage, folder: Path, patience: float) -> None:
        session = stage.session(elicitation={})
        super().__init__(session, logbook(folder), via="http", connection="c", patience=patience)
        self.delivered: list[Delivery] = []
        self.news = threading.Event()

    def deliver(self, delivery: Delivery) -> None:
        self.delivered.append(delivery)
        if delivery.is_last:
            self.news.set()


def test_a_question_that_nobody_answers_ends_as_an_error_the_model_can_read(stage: Stage, tmp_path: Path) -> None:
    live = Patient(stage, tmp_path, patience=0.01)
    [question] = take(live, call("ask", 5))
    assert isinstance(question.message, Request)
    assert live.news.wait(10)
    told, answer = (delivery.message for delivery in live.delivered)
    assert isinstance(told, Notification), "the client may stop asking its user"
    assert isinstance(answer, Result)
    assert answer.result["isError"]
    assert "in time" in answer.result["content"][0]["text"]
    assert take(live, Result(question.message.id, {"action": "cancel"})) == [], "too late"


def test_an_answer_in_time_stops_the_clock(stage: Stage, tmp_path: Path) -> None:
    live = Patient(stage, tmp_path, patience=30)
    [question] = take(live, call("ask", 5))
    assert isinstance(question.message, Request)
    before = threading.active_count()
    reply = Result(question.message.id, {"action": "accept", "content": {"name": "Ana"}})
    [delivery] = take(live, reply)
    assert isinstance(delivery.message, Result)
    assert delivery.message.result["content"][0]["text"] == "Ana"
    assert threading.active_count() <= before
    assert [record["event"] for record in records(tmp_path)][1:] == [
        "tool_call_request", "server_request", "rpc_answer", "tool_call_success", "rpc_response",
    ]  # fmt: skip


def test_a_live_that_can_only_answer_delivers_nothing_else(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(), logbook(tmp_path), via="http", connection="c")
    live.deliver(Delivery("{}", None, None))
    assert records(tmp_path) == []


@pytest.mark.parametrize("what", ["result", "progress", "question"])
def test_what_is_no_json_is_a_fault_in_the_log_and_never_on_the_wire(stage: Stage, tmp_path: Path, what: str) -> None:
    live = Patient(stage, tmp_path, patience=30)
    arguments = {"name": "no_json", "arguments": {"what": what}, "_meta": {"progressToken": "p"}}
    delivered = take(live, Request(1, "tools/call", arguments))
    if what == "question":
        assert live.news.wait(10)
        delivered += live.delivered
    assert records(tmp_path, "server_fault")
    answer = delivered[-1].message
    if what == "result":
        assert isinstance(answer, Failure)
        assert answer.code == INTERNAL_ERROR
    else:
        assert isinstance(answer, Result)
        assert answer.result["isError"] is (what == "question")


def test_an_id_that_is_in_use_is_refused_and_the_first_request_keeps_its_story(stage: Stage, tmp_path: Path) -> None:
    live = Live(stage.session(elicitation={}), logbook(tmp_path), via="stdio", connection="c", patience=30)
    [question] = take(live, call("ask", 1, traceparent=f"00-{'a' * 32}-{'b' * 16}-01"))
    [refused] = take(live, call("quick", 1))
    assert isinstance(refused.message, Failure)
    assert isinstance(question.message, Request)
    [answered] = take(live, Result(question.message.id, {"action": "decline"}))
    assert answered.is_last
    assert records(tmp_path)[-1]["exchange"] == "span:" + "b" * 16
