"""A conversation over HTTP: what becomes JSON, what becomes a stream, and what happens when the reader leaves."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import sse
from mcp_core.catalogue import Change
from mcp_core.messages import Notification, Request, Result, encode
from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, VERSION_KEY
from playground.server import posts
from playground.server.posts import Answer, HttpLive, Visit
from tests.shells import Stage, call, logbook

STATELESS = {VERSION_KEY: "2026-07-28", CLIENT_CAPABILITIES_KEY: {}}
HEADERS = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "slow"}


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.may_go_on.set()


def live_of(stage: Stage, folder: Path, revision: str | None = "2025-11-25", **capabilities: Any) -> HttpLive:
    id = "session" if revision is not None else None
    return HttpLive(stage.session(revision, **capabilities), logbook(folder), connection="c", id=id)


def post(live: HttpLive, message: Any, headers: dict[str, str] | None = None) -> Answer:
    return live.post(message, encode(message).encode(), headers, {"method": "POST"})


def events(reading: Iterator[str]) -> list[sse.Event]:
    decoder = sse.Decoder()
    return [event for text in reading for event in decoder.feed(text)]


def test_a_visit_is_the_body_the_headers_and_of_them_to_the_log_only_what_matters() -> None:
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/mcp",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": "2",
        "HTTP_MCP_SESSION_ID": "abc",
        "HTTP_AUTHORIZATION": "Bearer x",
        "wsgi.input": io.BytesIO(b"{} and what belongs to the next"),
        "playground.on_gone": print,
    }
    visit = Visit.of(environ)
    assert (visit.raw, visit.on_gone) == (b"{}", print)
    headers = {"content-type": "application/json", "mcp-session-id": "abc"}
    assert visit.headers == headers | {"authorization": "Bearer x"}
    shown = {"Content-Type": "application/json", "Mcp-Session-Id": "abc"}
    assert visit.http == {"method": "POST", "path": "/mcp", "headers": shown}


def test_a_visit_without_a_body_is_one_too() -> None:
    visit = Visit.of({"REQUEST_METHOD": "GET", "PATH_INFO": "/events", "wsgi.input": io.BytesIO(b"x")})
    assert visit == Visit(b"", {}, {"method": "GET", "path": "/events", "headers": {}}, None)


def test_an_answer_alone_is_json(stage: Stage, tmp_path: Path) -> None:
    answer = post(live_of(stage, tmp_path), call("quick"))
    assert (answer.status, answer.events) == (200, None)
    assert json.loads(answer.text or "")["result"]["content"][0]["text"] == "done"


def test_more_than_an_answer_is_a_stream_that_ends_with_it(stage: Stage, tmp_path: Path) -> None:
    stage.may_go_on.set()
    answer = post(live_of(stage, tmp_path), call("slow", 1, progressToken="p"))
    assert answer.events is not None
    found = [json.loads(event.data) for event in events(answer.events) if event.data]
    assert [message.get("method", "answer") for message in found] == [
        "notifications/progress", "notifications/message", "notifications/progress", "answer",
    ]  # fmt: skip


def test_a_client_that_takes_only_json_gets_only_that(stage: Stage, tmp_path: Path) -> None:
    stage.may_go_on.set()
    answer = post(live_of(stage, tmp_path), call("slow", 1, progressToken="p"), {"accept": "application/json"})
    assert json.loads(answer.text or "")["result"]["content"][0]["text"] == "done"


@pytest.mark.parametrize(("revision", "begins_with_an_id"), [("2025-06-18", False), ("2025-11-25", True)])
def test_a_stream_begins_with_an_id_where_the_revision_has_that(
    stage: Stage, tmp_path: Path, revision: str, begins_with_an_id: bool
) -> None:
    stage.may_go_on.set()
    answer = post(live_of(stage, tmp_path, revision), call("slow", 1, progressToken="p"))
    assert answer.events is not None
    first, *rest = events(answer.events)
    assert (first.data == "") == begins_with_an_id
    assert all(event.id for event in rest)


def test_in_the_handshake_era_a_reader_that_leaves_can_come_back(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path)
    answer = post(live, call("slow", 1, progressToken="p"))
    assert answer.events is not None
    seen = events(iter([next(answer.events), next(answer.events)]))
    answer.events.close()  # the connection is lost; the tool works on
    stage.may_go_on.set()
    reading = live.resume(seen[-1].id)
    assert reading is not None
    rest = [json.loads(event.data) for event in events(reading) if event.data]
    assert "result" in rest[-1]
    assert len(rest) == 3
    assert stage.was_closed.is_set()


def test_in_the_stateless_era_a_reader_that_leaves_cancels(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, None)
    answer = post(live, call("slow", 1, progressToken="p", **STATELESS), HEADERS)
    assert answer.events is not None
    next(answer.events), next(answer.events)
    answer.events.close()
    stage.may_go_on.set()
    assert stage.was_closed.wait(10), "the tool is closed at its next step"


def test_the_answer_to_a_question_arrives_in_another_post(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, elicitation={})
    answer = post(live, call("ask"))
    assert answer.events is not None
    reading = answer.events
    next(reading)
    question = json.loads(events(iter([next(reading)]))[0].data)
    assert question["method"] == "elicitation/create"
    reply = Result(question["id"], {"action": "accept", "content": {"name": "Ana"}})
    assert post(live, reply).status == 202
    [last] = events(reading)
    assert json.loads(last.data)["result"]["content"][0]["text"] == "Ana"
    assert not live.is_in_use
    answered = [json.loads(line) for line in (tmp_path / "mcp-server.jsonl").read_text().splitlines()][-1]
    kind = answered["data"]["http"]["headers"]["Content-Type"]
    assert kind == "text/event-stream", "the log says how the answer really left"


def test_a_client_may_be_sent_away_and_fetches_the_rest(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path)
    answer = post(live, call("away"))
    assert answer.events is not None
    beginning, hint = events(answer.events)
    assert (beginning.id, hint.retry) == ("s1-0", 20)
    stage.may_go_on.set()
    reading = live.resume(beginning.id)
    assert reading is not None
    assert "welcome back" in events(reading)[-1].data


def test_a_notification_is_taken_without_a_word(stage: Stage, tmp_path: Path) -> None:
    answer = post(live_of(stage, tmp_path), Notification("notifications/unknown"))
    assert (answer.status, answer.text, answer.events) == (202, None, None)


def test_cancelling_ends_the_stream_without_an_answer(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, elicitation={})
    answer = post(live, call("ask", 9))
    assert answer.events is not None
    next(answer.events), next(answer.events)
    post(live, Notification("notifications/cancelled", {"requestId": 9}))
    assert events(answer.events) == []


def test_a_change_reaches_the_general_stream(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path)
    reading = live.resume(None)
    assert reading is not None
    next(reading)
    live.tell(Change("tools"))
    assert json.loads(events(iter([next(reading)]))[0].data) == {
        "jsonrpc": "2.0", "method": "notifications/tools/list_changed",
    }  # fmt: skip
    assert live.resume(None) is None, "it has one reader at a time"
    reading.close()
    assert live.resume(None) is not None


def test_the_end_of_a_session_ends_its_streams(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, elicitation={})
    general, answer = live.resume(None), post(live, call("ask"))
    assert general is not None
    assert answer.events is not None
    next(general), next(answer.events), next(answer.events)
    live.end()
    assert list(general) == []
    assert events(answer.events) == []


def test_a_listen_stream_ends_with_a_result(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, None)
    wanted = {"notifications": {"toolsListChanged": True}, "_meta": STATELESS}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen"}
    answer = post(live, Request("l", "subscriptions/listen", wanted), headers)
    assert answer.events is not None
    next(answer.events), next(answer.events)
    live.tell(Change("tools"))
    live.end()
    changed, ended = (json.loads(event.data) for event in events(answer.events))
    assert changed["method"] == "notifications/tools/list_changed"
    assert ended["id"] == "l"


def test_a_batch_of_what_asks_nothing_is_accepted_and_of_what_is_nothing_refused(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path, "2025-03-26")
    note = {"jsonrpc": "2.0", "method": "notifications/x"}
    assert live.post_batch([note], b"[]", None, {}) == Answer(202)
    refused = live.post_batch([note, 1], b"[]", None, {})
    assert refused.status == 400
    assert [error["error"]["code"] for error in json.loads(refused.text or "")] == [-32600]


def test_whoever_has_read_the_beginning_of_the_general_stream_has_it(stage: Stage, tmp_path: Path) -> None:
    live = live_of(stage, tmp_path)
    reading = live.resume(None)
    assert reading is not None
    next(reading)
    assert live.is_in_use
    assert live.resume(None) is None
    reading.close()
    assert not live.is_in_use


def test_only_so_many_streams_are_kept(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posts, "KEPT_STREAMS", 2)
    stage.may_go_on.set()
    live = live_of(stage, tmp_path)
    for number in range(5):
        answer = post(live, call("slow", number, progressToken="p"))
        assert answer.events is not None
        list(answer.events)
    reading = live.resume("s2-0")  # long gone: what is left is the general stream
    assert reading is not None
    assert live.general.name in next(reading)
    reading.close()
