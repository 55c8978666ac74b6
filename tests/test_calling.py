"""The client's session in memory: what it sends is valid in every revision, what it hears becomes four events."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core import messages, revisions
from mcp_core.calling import MAX_ROUNDS, Asked, Done, Event, Failed, Noted, Session
from mcp_core.messages import METHOD_NOT_FOUND, Failure, Message, Notification, Request, Result
from tests.conformance.wire import complaint

LATEST, REVISIONS = revisions.LATEST, revisions.REVISIONS
INFO = {"name": "me", "version": "1.0"}
ABLE: dict[str, Any] = {"elicitation": {}, "roots": {}}
FORM: dict[str, Any] = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Name?", "requestedSchema": {}},
}
ROOTS = {"method": "roots/list"}
ANA = {"action": "accept", "content": {"name": "Ana"}}


def session(revision: str | None = LATEST, **more: Any) -> Session:
    return Session(INFO, ABLE, revision=revision, **more)


def valid(message: Message, revision: str) -> Any:
    said = messages.as_json(message)
    assert complaint(said, said, "server", revision) is None
    assert messages.decode(messages.encode(message)) == message
    return said


def heard(session: Session, message: Message, about: Any = None) -> list[Event]:
    return list(session.receive(message, about))


def needs(requests: Any = None, state: Any = None, **more: Any) -> dict[str, Any]:
    result = {"resultType": "input_required", "inputRequests": requests, "requestState": state, **more}
    return {name: value for name, value in result.items() if value is not None}


def questions(session: Session, id: Any, requests: Any, state: Any = "s") -> list[Asked]:
    events = heard(session, Result(id, needs(requests, state)))
    found = [event for event in events if isinstance(event, Asked)]
    assert len(found) == len(events)
    return found


# ---- Sending ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("tools/list", {"cursor": "x"}),
        ("tools/call", {"name": "add", "arguments": {"a": 1}}),
        ("resources/list", {}),
        ("resources/read", {"uri": "a:b"}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "p", "arguments": {"a": "b"}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
    ],
)
def test_every_request_is_valid_and_introduces_itself_where_the_era_wants_it(
    method: str, params: dict[str, Any], revision: str
) -> None:
    sent = valid(session(revision).request(method, params, progress_token="p"), revision)
    meta = sent["params"].pop("_meta")
    assert sent["params"] == params
    assert meta.pop("progressToken") == "p"
    own = {
        revisions.VERSION_KEY: LATEST,
        revisions.CLIENT_INFO_KEY: INFO,
        revisions.CLIENT_CAPABILITIES_KEY: ABLE,
    }
    assert meta == (own if revision == LATEST else {})


def test_a_request_before_the_revision_is_settled_says_nothing_of_itself() -> None:
    assert session(None).request("ping") == Request(1, "ping", {})


def test_every_request_has_an_id_of_its_own() -> None:
    speaking = session()
    assert len({speaking.request("tools/list").id for _ in range(100)}) == 100


def test_the_params_that_were_given_stay_as_they_were() -> None:
    params = {"name": "add", "_meta": {"own": 1}}
    sent = session(stamp=lambda: {"traceparent": "00-1"}).request("tools/call", params, progress_token=0)
    assert params == {"name": "add", "_meta": {"own": 1}}
    assert sent.params["_meta"] | {"own": 1, "traceparent": "00-1", "progressToken": 0} == sent.params["_meta"]


def test_each_message_gets_a_stamp_of_its_own() -> None:
    count = itertools.count()
    speaking = session("2025-11-25", stamp=lambda: {"traceparent": next(count)})
    sent: list[Request | Notification] = [speaking.request("ping"), speaking.notify("notifications/initialized")]
    sent.append(speaking.request("ping"))
    assert [message.params["_meta"]["traceparent"] for message in sent] == [0, 1, 2]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_request_can_be_given_up_and_its_late_answer_is_nothing(revision: str) -> None:
    speaking = session(revision)
    request = speaking.request("tools/list")
    note = speaking.cancel(request.id, "It took too long.")
    valid(note, revision)
    assert (note.method, note.params["requestId"]) == ("notifications/cancelled", request.id)
    assert heard(speaking, Result(request.id, {})) == []
    assert speaking.cancel("never", "Why not.").params["requestId"] == "never"


# ---- Receiving -------------------------------------------------------------------------------------------------------


def test_answers_in_any_order_find_their_requests() -> None:
    speaking = session()
    sent = [speaking.request("tools/list") for _ in range(3)]
    for request in reversed(sent):
        assert heard(speaking, Result(request.id, {"n": request.id})) == [Done(request.id, {"n": request.id})]
    assert heard(speaking, Result(sent[0].id, {})) == []


def test_an_answer_whose_id_has_another_type_answers_nothing() -> None:
    speaking = session()
    request = speaking.request("tools/list")
    assert heard(speaking, Result(str(request.id), {})) == []
    assert heard(speaking, Result(request.id, {})) == [Done(request.id, {})]


def test_an_error_is_the_end_of_its_request() -> None:
    speaking = session()
    request = speaking.request("tools/list")
    assert heard(speaking, Failure(request.id, -1, "No.", {"a": 1})) == [Failed(request.id, -1, "No.", {"a": 1})]
    assert heard(speaking, Result(request.id, {})) == []


def test_an_error_without_an_id_belongs_to_the_request_on_whose_stream_it_came() -> None:
    speaking = session()
    one, two = speaking.request("tools/list"), speaking.request("tools/list")
    assert heard(speaking, Failure(None, -32700, "What?"), two.id) == [Failed(two.id, -32700, "What?")]
    assert heard(speaking, Result(two.id, {})) == []
    assert heard(speaking, Failure(None, -32700, "What?")) == [Failed(None, -32700, "What?")]
    assert heard(speaking, Result(one.id, {})) == [Done(one.id, {})]


def test_notifications_and_requests_of_the_server_are_handed_on() -> None:
    speaking = session("2025-11-25")
    note = Notification("notifications/progress", {"progress": 1})
    assert heard(speaking, note) == [Noted(note)]
    assert heard(speaking, note, 7) == [Noted(note, 7)]
    assert heard(speaking, Request("s1", "roots/list", {"a": 1}), 7) == [Asked("roots/list", {"a": 1}, "s1", 7)]


@pytest.mark.parametrize("kind", ["task", "", None, 5, True, ["complete"], {"a": 1}, "Complete"])
def test_a_result_of_an_unknown_kind_is_a_failure(kind: Any) -> None:
    speaking = session()
    request = speaking.request("tools/call")
    (event,) = heard(speaking, Result(request.id, {"resultType": kind}))
    assert isinstance(event, Failed)
    assert (event.id, event.code) == (request.id, None)
    assert repr(kind) in event.message


@pytest.mark.parametrize("result", [{}, {"resultType": "complete"}, {"content": []}])
def test_a_result_that_does_not_say_its_kind_is_complete(result: dict[str, Any]) -> None:
    speaking = session()
    assert heard(speaking, Result(speaking.request("tools/call").id, result)) == [Done(1, result)]


# ---- Questions of the handshake era ----------------------------------------------------------------------------------


def test_a_question_of_the_server_is_answered_with_its_id() -> None:
    speaking = session("2025-11-25")
    (asked,) = heard(speaking, Request("s1", "elicitation/create", {}))
    assert isinstance(asked, Asked)
    assert speaking.answer(asked, ANA) == Result("s1", ANA)
    refusal = speaking.answer(asked, None)
    assert isinstance(refusal, Failure)
    assert (refusal.id, refusal.code) == ("s1", METHOD_NOT_FOUND)
    assert "elicitation/create" in refusal.message


# ---- Questions of the stateless era ----------------------------------------------------------------------------------


def test_a_call_is_repeated_with_its_answers_under_a_new_id() -> None:
    speaking = session(stamp=lambda: {"traceparent": "t"})
    first = speaking.request("tools/call", {"name": "greet", "arguments": {"a": 1}}, progress_token="p")
    (asked,) = questions(speaking, first.id, {"name": FORM}, "v1.abc é")
    assert asked == Asked("elicitation/create", FORM["params"], "name", first.id, by_result=True)
    again = speaking.answer(asked, ANA)
    assert isinstance(again, Request)
    valid(again, LATEST)
    assert again.id != first.id
    assert again.method == "tools/call"
    params = dict(again.params)
    assert params.pop("inputResponses") == {"name": ANA}
    assert params.pop("requestState") == "v1.abc é"  # to the byte
    assert params == first.params
    assert heard(speaking, Result(first.id, {})) == []  # nobody waits under the old id
    assert heard(speaking, Result(again.id, {"a": 1})) == [Done(first.id, {"a": 1})]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_several_questions_are_answered_in_any_order_and_the_call_is_repeated_once(order: tuple[int, ...]) -> None:
    speaking = session()
    first = speaking.request("tools/call", {"name": "many"})
    asked = questions(speaking, first.id, {"a": FORM, "b": ROOTS, "c": FORM})
    assert [one.params for one in asked] == [FORM["params"], {}, FORM["params"]]
    sent = [speaking.answer(asked[place], {"n": place}) for place in order]
    assert sent[:2] == [None, None]
    assert isinstance(sent[2], Request)
    assert sent[2].params["inputResponses"] == {"a": {"n": 0}, "b": {"n": 1}, "c": {"n": 2}}


def test_a_state_is_left_out_where_none_was_given_and_never_outlives_its_round() -> None:
    speaking = session()
    first = speaking.request("tools/call", {"name": "greet"})
    (asked,) = questions(speaking, first.id, {"name": FORM}, "one")
    second = speaking.answer(asked, ANA)
    assert isinstance(second, Request)
    (asked,) = questions(speaking, second.id, {"other": ROOTS}, None)
    third = speaking.answer(asked, {"roots": []})
    assert isinstance(third, Request)
    assert "requestState" not in third.params
    assert third.params["inputResponses"] == {"other": {"roots": []}}
    assert heard(speaking, Failure(third.id, -1, "No.")) == [Failed(first.id, -1, "No.")]


def test_a_question_nobody_knows_is_left_unanswered() -> None:
    speaking = session()
    first = speaking.request("tools/call", {"name": "greet"})
    one, two = questions(speaking, first.id, {"a": {"method": "dance"}, "b": ROOTS})
    assert speaking.answer(one, None) is None
    again = speaking.answer(two, {"roots": []})
    assert isinstance(again, Request)
    assert again.params["inputResponses"] == {"b": {"roots": []}}
    (one,) = questions(speaking, again.id, {"a": {"method": "dance"}})
    again = speaking.answer(one, None)
    assert isinstance(again, Request)
    assert "inputResponses" not in again.params


@pytest.mark.parametrize(
    "question",
    [5, None, "x", [], {}, {"method": 5}, {"method": None, "params": {}}],
)
def test_a_question_that_is_none_is_handed_on_without_a_method(question: Any) -> None:
    speaking = session()
    (asked,) = questions(speaking, speaking.request("tools/call").id, {"a": question})
    assert (asked.method, asked.params, asked.key) == ("", {}, "a")


@pytest.mark.parametrize("params", [None, 5, "x", []])
def test_params_of_a_question_that_are_none_are_empty(params: Any) -> None:
    speaking = session()
    (asked,) = questions(speaking, speaking.request("tools/call").id, {"a": {"method": "roots/list", "params": params}})
    assert asked.params == {}


@pytest.mark.parametrize("requests", [5, "x", [], [FORM], True])
def test_questions_that_are_no_object_are_a_failure(requests: Any) -> None:
    speaking = session()
    (event,) = heard(speaking, Result(speaking.request("tools/call").id, needs(requests, "s")))
    assert isinstance(event, Failed)
    assert event.code is None


def test_an_answer_that_comes_after_its_call_was_given_up_is_not_sent() -> None:
    speaking = session()
    first = speaking.request("tools/call")
    one, two = questions(speaking, first.id, {"a": FORM, "b": ROOTS})
    assert speaking.cancel(first.id, "Enough.").params["requestId"] == first.id
    assert speaking.answer(one, ANA) is None
    assert speaking.answer(two, None) is None


def test_an_answer_is_not_sent_twice() -> None:
    speaking = session()
    (asked,) = questions(speaking, speaking.request("tools/call").id, {"a": FORM})
    assert isinstance(speaking.answer(asked, ANA), Request)
    assert speaking.answer(asked, ANA) is None


def test_a_repeated_call_is_given_up_under_its_newest_id() -> None:
    speaking = session()
    first = speaking.request("tools/call")
    (asked,) = questions(speaking, first.id, {"a": FORM})
    again = speaking.answer(asked, ANA)
    assert isinstance(again, Request)
    assert speaking.cancel(first.id, "Enough.").params["requestId"] == again.id
    assert heard(speaking, Result(again.id, {})) == []


def test_a_server_that_never_stops_asking_is_left() -> None:
    speaking = session()
    first = speaking.request("tools/call")
    request: Message | None = first
    for _ in range(MAX_ROUNDS):
        assert isinstance(request, Request)
        (asked,) = questions(speaking, request.id, {"a": FORM})
        request = speaking.answer(asked, ANA)
    assert isinstance(request, Request)
    (event,) = heard(speaking, Result(request.id, needs({"a": FORM})))
    assert isinstance(event, Failed)
    assert (event.id, event.code) == (first.id, None)
    assert "still has no answer" in event.message
    assert heard(speaking, Result(request.id, {})) == []


def test_a_state_without_questions_means_the_same_call_again_later() -> None:
    speaking = session()
    first, other = speaking.request("tools/call", {"name": "slow"}), speaking.request("tools/list")
    assert heard(speaking, Result(first.id, needs(None, "later"))) == []
    (held,) = speaking.waiting_for_another_try()
    assert held.first_id == first.id
    again = speaking.repeat(held)
    valid(again, LATEST)
    assert (again.params["requestState"], "inputResponses" in again.params) == ("later", False)
    assert speaking.waiting_for_another_try() == []  # it is under way
    assert heard(speaking, Result(again.id, {})) == [Done(first.id, {})]
    assert heard(speaking, Result(other.id, {})) == [Done(other.id, {})]


def test_a_call_that_was_repeated_with_answers_does_not_wait_for_another_try() -> None:
    speaking = session()
    (asked,) = questions(speaking, speaking.request("tools/call").id, {"a": FORM})
    assert speaking.waiting_for_another_try() == []
    speaking.answer(asked, ANA)
    assert speaking.waiting_for_another_try() == []


def test_two_calls_with_questions_of_one_name_are_kept_apart() -> None:
    speaking = session()
    one, two = speaking.request("tools/call", {"name": "one"}), speaking.request("tools/call", {"name": "two"})
    (of_one,) = questions(speaking, one.id, {"name": FORM}, "1")
    (of_two,) = questions(speaking, two.id, {"name": FORM}, "2")
    again = speaking.answer(of_two, ANA)
    assert isinstance(again, Request)
    assert (again.params["name"], again.params["requestState"]) == ("two", "2")
    again = speaking.answer(of_one, ANA)
    assert isinstance(again, Request)
    assert (again.params["name"], again.params["requestState"]) == ("one", "1")


# ---- Whatever comes --------------------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
results = st.fixed_dictionaries(
    {}, optional={"resultType": st.just("input_required") | values, "inputRequests": values, "requestState": values}
)


@given(results)
def test_any_result_is_one_end_or_questions_that_can_be_answered(result: dict[str, Any]) -> None:
    speaking = session()
    request = speaking.request("tools/call")

    def sent() -> Iterator[Message]:
        for event in heard(speaking, Result(request.id, result)):
            if isinstance(event, Asked):
                message = speaking.answer(event, ANA)
                if message is not None:
                    yield message
            else:
                assert isinstance(event, Done | Failed)
                assert event.id == request.id

    for message in sent():
        assert isinstance(message, Request)
        messages.encode(message)
