"""playground/tapping/story.py: two records for each message, tied to what it belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_core.revisions import SUBSCRIPTION_KEY
from playground.logbook import Logbook
from playground.tapping import scope as tapping_scope
from playground.tapping import story as tapping_story
from playground.tapping.bodies import KEEP, Heard, Kept
from playground.tapping.story import Crossing, Story, Talk
from tests.taps import Record, records, text_of

SPAN = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"


class Tale:
    """A story whose records can be read."""

    def __init__(self, folder: Path, via: str = "http") -> None:
        self.log = Logbook(folder, "mcp-tap")
        self.story = Story(self.log, via)
        self.read = 0

    def say(self, talk: Talk, sender: str, value: Any, **more: Any) -> Record:
        """Lets a message cross, and gives the record of its coming; the one of its leaving must say the same."""
        kept = Kept()
        kept.add(value if isinstance(value, bytes) else json.dumps(value).encode())
        talk.text(kept, Crossing(sender, **more))
        came, left = self.new()
        assert (came["dir"], left["dir"], came["peer"], left["peer"]) == (
            "in",
            "out",
            sender,
            tapping_scope.OTHER[sender],
        )
        assert {**came, "dir": 0, "peer": 0, "seq": 0, "mono": 0, "ts": 0} == {
            **left, "dir": 0, "peer": 0, "seq": 0, "mono": 0, "ts": 0,
        }  # fmt: skip
        return came

    def new(self) -> list[Record]:
        found = records(self.log.path)[self.read :]
        self.read += len(found)
        return found


@pytest.fixture
def tale(logs: Path) -> Tale:
    return Tale(logs)


def request(id: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def told(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {}}


def test_a_request_and_its_answer_share_their_exchange_and_the_answer_has_its_time(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    asked = tale.say(talk, "client", request(1))
    answered = tale.say(talk, "server", result(1))
    assert (asked["event"], answered["event"]) == ("tap_request", "tap_response")
    assert asked["exchange"] == answered["exchange"] == "http-1/client/1"
    assert answered["ms"] >= 0
    assert asked["via"] == "http"
    assert talk.id == 1


def test_an_id_is_its_json_and_means_something_in_its_own_talk_only(tale: Tale) -> None:
    one, other = tale.story.talk("http-1"), tale.story.talk("http-2")
    found = [tale.say(talk, "client", request(id))["exchange"] for talk in (one, other) for id in (1, "1")]
    assert found == ["http-1/client/1", 'http-1/client/"1"', "http-2/client/1", 'http-2/client/"1"']


def test_a_traceparent_names_exchange_and_trace_of_both(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    asked = tale.say(talk, "client", request(1, _meta={"traceparent": SPAN}))
    answered = tale.say(talk, "server", result(1))
    assert asked["exchange"] == answered["exchange"] == "span:" + "b" * 16
    assert asked["trace"] == answered["trace"] == "a" * 32


def test_a_question_of_the_server_is_answered_in_another_post_of_its_session(tale: Tale) -> None:
    stream, post = tale.story.talk("http-1", "s"), tale.story.talk("http-2", "s")
    asked = tale.say(stream, "server", request("q", "elicitation/create"))
    answered = tale.say(post, "client", result("q"))
    assert asked["exchange"] == answered["exchange"] == 's/server/"q"'
    assert asked["session"] == answered["session"] == "s"
    assert "ms" in answered
    # Both sides count for themselves: the client's "q" is another one.
    assert tale.say(post, "client", request("q"))["exchange"] == 's/client/"q"'


def test_an_answer_may_come_on_a_stream_that_was_taken_up_again(tale: Tale) -> None:
    tale.say(tale.story.talk("http-1", "s"), "client", request(1, "tools/call", _meta={"progressToken": 7}))
    again = tale.story.talk("http-2", "s")
    progress = tale.say(again, "server", told("notifications/progress", progressToken=7, progress=1))
    answered = tale.say(again, "server", result(1))
    assert progress["exchange"] == answered["exchange"] == "s/client/1"
    assert "ms" in answered


def test_what_comes_on_the_stream_of_one_request_belongs_to_it(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    tale.say(talk, "client", request(1))
    assert tale.say(talk, "server", told("notifications/message"))["exchange"] == "http-1/client/1"
    silent = tale.story.talk("http-2", "s")
    assert tale.say(silent, "server", told("notifications/message"))["exchange"] == "s/server/raw-1"


def test_what_has_no_id_shares_its_exchange_with_what_http_says_to_it(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    sent = tale.say(talk, "client", told("notifications/initialized"))
    talk.http(Crossing("server", {"status": 202}))
    assert sent["exchange"] == tale.new()[0]["exchange"] == "http-1/client/raw-1"
    answer = tale.story.talk("http-2", "s")
    replied = tale.say(answer, "client", result("q"))
    answer.http(Crossing("server", {"status": 202}))
    assert replied["exchange"] == tale.new()[0]["exchange"] == 's/server/"q"'


def test_what_comes_on_a_stream_without_belonging_to_its_request_names_the_stream(tale: Tale) -> None:
    listening, calling = tale.story.talk("http-1", "s"), tale.story.talk("http-2", "s")
    listening.begin()
    called = tale.say(calling, "client", request(1, "tools/call"))
    news = tale.say(listening, "server", told("notifications/tools/list_changed"))
    assert news["exchange"] == listening.exchange == "s/client/raw-1"
    assert "stream" not in news["data"]
    asked = tale.say(calling, "server", request("q", "roots/list"))
    assert (asked["exchange"], asked["data"]["stream"]) == ('s/server/"q"', called["exchange"])
    late = tale.say(listening, "server", result(1))  # a stream that was taken up again
    assert (late["exchange"], late["data"]["stream"]) == (called["exchange"], "s/client/raw-1")


def test_on_a_pipe_news_belong_to_what_they_name(logs: Path) -> None:
    tale = Tale(logs, "stdio")
    talk = tale.story.talk("pipe-9", is_pipe=True)
    tale.say(talk, "client", request(1, "subscriptions/listen"))
    tale.say(talk, "client", request(2, "tools/call", _meta={"progressToken": "p"}))
    news = told("notifications/tools/list_changed", _meta={SUBSCRIPTION_KEY: 1})
    assert tale.say(talk, "server", news)["exchange"] == "pipe-9/client/1"
    progress = told("notifications/progress", progressToken="p")
    assert tale.say(talk, "server", progress)["exchange"] == "pipe-9/client/2"
    assert tale.say(talk, "client", told("notifications/cancelled", requestId=2))["exchange"] == "pipe-9/client/2"
    assert tale.say(talk, "server", told("notifications/message"))["exchange"] == "pipe-9/server/raw-1"
    lost = tale.say(talk, "server", told("notifications/progress", progressToken="?"))
    assert lost["exchange"] == "pipe-9/server/raw-2"
    assert "exchange" not in tale.say(talk, "server", b"no json")
    own = told("notifications/cancelled", requestId=2, _meta={"traceparent": SPAN})
    assert tale.say(talk, "client", own)["exchange"] == "span:" + "b" * 16


def test_what_can_not_be_read_and_the_error_that_answers_it_belong_together(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    odd = tale.say(talk, "client", b'{"id":1,')
    failed = tale.say(talk, "server", {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no"}})
    assert odd["event"] == "tap_unreadable"
    assert odd["data"]["reason"].startswith("This is not JSON")
    assert odd["data"]["raw"] == '{"id":1,'
    assert odd["exchange"] == failed["exchange"] == "http-1/client/null"
    assert odd["level"] == failed["level"] == "WARNING"
    assert "ms" in failed


def test_an_answer_to_nothing_is_named_by_what_it_says_it_answers(tale: Tale) -> None:
    answered = tale.say(tale.story.talk("http-1"), "server", result(5))
    assert answered["exchange"] == "http-1/client/5"
    assert "ms" not in answered


@pytest.mark.parametrize(
    "text", [b"\xff\xfe", b'{"a": NaN}', b'{"a":1,"a":2}', b"[]", b"7", b'{"jsonrpc":"2.0"}', b"\xef\xbb\xbf{}"]
)
def test_what_is_no_message_is_kept_byte_for_byte(tale: Tale, text: bytes) -> None:
    record = tale.say(tale.story.talk("http-1"), "server", text)
    assert record["event"] == "tap_unreadable"
    assert text_of(record) == text


@pytest.mark.parametrize(
    "value", [{"id": 1.5, "method": "x"}, {"jsonrpc": "1.0", "id": 1, "result": {}}, {"method": 5}]
)
def test_a_message_that_breaks_a_rule_is_one_all_the_same(tale: Tale, value: dict[str, Any]) -> None:
    record = tale.say(tale.story.talk("http-1"), "client", value)
    assert record["event"] != "tap_unreadable"
    assert record["level"] == "WARNING"
    assert record["data"]["reason"]
    assert record["data"]["message"] == value


def test_each_message_of_an_array_has_its_own_records(tale: Tale) -> None:
    talk, kept = tale.story.talk("http-1", "s"), Kept()
    kept.add(json.dumps([request(1), told("x"), request(2), 7]).encode())
    talk.text(kept, Crossing("client"))
    came = [record for record in tale.new() if record["dir"] == "in"]
    assert [r["event"] for r in came] == [
        "tap_batch",
        "tap_request",
        "tap_notification",
        "tap_request",
        "tap_unreadable",
    ]
    assert text_of(came[0]) == kept.data
    assert [r["data"]["part"] for r in came[1:]] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert tale.say(talk, "server", result(2))["exchange"] == "s/client/2"
    assert tale.say(talk, "server", told("x"))["exchange"] == "s/server/raw-2"  # it could belong to either
    assert talk.exchange is None


def test_what_could_not_be_passed_on_has_only_come(tale: Tale) -> None:
    kept = Kept()
    kept.add(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    tale.story.talk("http-1").text(kept, Crossing("client", {"method": "POST"}, None, False))
    (came,) = tale.new()
    assert (came["dir"], came["data"]["http"]) == ("in", {"method": "POST"})


def test_http_without_a_message_shows_both_sides_and_no_keys(tale: Tale) -> None:
    came, left = {"method": "GET", "headers": {"Authorization": "Bearer x", "Host": "a"}}, {"method": "GET"}
    tale.story.talk("http-1", "s").http(Crossing("client", came, left))
    first, second = tale.new()
    assert first["data"] == {"http": {"method": "GET", "headers": {"Host": "a"}}, "left_out": "headers that hold keys"}
    assert second["data"] == {"http": {"method": "GET"}}
    assert (first["event"], first["dir"], second["peer"], first["session"]) == ("tap_http", "in", "server", "s")


def test_tokens_of_an_authorization_server_are_left_out(tale: Tale) -> None:
    record = tale.say(tale.story.talk("http-1"), "server", {"access_token": "abc", "expires_in": 5})
    assert record["data"]["body"] == {"expires_in": 5}
    assert "abc" not in json.dumps(record)
    message = tale.say(tale.story.talk("http-1"), "client", request(1, _meta={"progressToken": "abc"}))
    assert message["data"]["message"]["params"]["_meta"] == {"progressToken": "abc"}


def test_an_event_without_a_message_shows_what_it_says(tale: Tale) -> None:
    talk = tale.story.talk("http-1")
    for heard in (Heard(b"", id="7", retry=5), Heard(b"/post?id=1", "endpoint"), Heard(b"", flaw="too long")):
        talk.event(heard, Crossing("server"))
    first, _, second, _, third = tale.new()
    assert first["data"]["sse"] == {"id": "7", "retry": 5}
    assert (second["data"]["data"], second["data"]["sse"]) == ("/post?id=1", {"event": "endpoint"})
    assert (third["event"], third["data"]["reason"]) == ("tap_unreadable", "too long")
    talk.event(Heard(b"{}", id="8"), Crossing("server"))
    assert tale.new()[0]["data"]["sse"] == {"id": "8"}


@pytest.mark.parametrize(("text", "is_text"), [("é".encode() * KEEP, True), (b"\xff" * (KEEP + 1), False)])
def test_what_is_too_long_has_its_beginning_and_its_size(tale: Tale, text: bytes, is_text: bool) -> None:
    record = tale.say(tale.story.talk("http-1"), "client", b"x" + text)
    assert record["data"]["bytes"] == len(text) + 1
    assert (b"x" + text).startswith(text_of(record))
    assert len(text_of(record)) >= 65_535
    assert ("raw" in record["data"]) is is_text


def test_posts_of_the_first_revision_belong_to_the_stream_that_named_their_address(tale: Tale) -> None:
    stream = tale.story.talk("http-1")
    tale.story.will_post_to("/post?id=1", stream.scope)
    tale.say(tale.story.talk("http-2", None, "/post?id=1"), "client", request(1))
    assert tale.say(stream, "server", result(1))["exchange"] == "http-1/client/1"


def test_what_is_remembered_has_an_end(tale: Tale, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapping_story, "MOST_SCOPES", 2)
    monkeypatch.setattr(tapping_scope, "MOST_ASKED", 2)
    for session in "abc":
        talk = tale.story.talk("http-1", session)
        for id in (1, 2, 3):
            tale.say(talk, "client", request(id))
    assert "ms" in tale.say(tale.story.talk("http-1", "b"), "server", result(3))
    assert "ms" not in tale.say(tale.story.talk("http-1", "c"), "server", result(1))
    assert "ms" not in tale.say(tale.story.talk("http-1", "a"), "server", result(3))
