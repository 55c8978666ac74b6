"""playground/talk.py: what surrounds a method and its params, in both eras; questions, news, and giving up."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, LATEST, VERSION_KEY
from playground.carriers import Pipe, Post, Trouble
from playground.logbook import Logbook
from playground.narrator import Narrator
from playground.talk import Replies, Talk
from playground.terminal import Terminal
from tests.impostors import STREAM, Answer, Impostor, Seen, event, http, polite, records, result, script

Json = dict[str, Any]
Converse = Callable[..., Talk]


@pytest.fixture
def converse(logs: Path) -> Converse:
    """Makes a Talk with an address, or through a pipe with a command."""

    def make(where: str, revision: str = "2025-11-25", **more: Any) -> Talk:
        wire = Post(where) if where.startswith("http") else Pipe(where)
        teller = Narrator(Terminal(io.StringIO(), {}, 80), Logbook(logs, "mcp-client-simple"), wire.via)
        return Talk(wire, teller, revision, more.pop("able", {}), more.pop("replies", {}), limit=5)

    return make


def modern(seen: Seen) -> bytes:
    """A decent stateless server."""
    return result(seen, {"resultType": "complete", "supportedVersions": [LATEST]})


def test_a_handshake_and_its_headers(converse: Converse) -> None:
    with Impostor(polite) as server, converse(server.url, able={"roots": {}}) as talk:
        assert talk.server["serverInfo"] == {"name": "p", "version": "1"}
        talk.tell("notifications/roots/list_changed")
    assert server.methods == ["initialize", "notifications/initialized", "notifications/roots/list_changed", "DELETE"]
    first, *later = server.seen
    assert first.message["params"]["capabilities"] == {"roots": {}}
    assert "mcp-protocol-version" not in first.headers
    assert {seen.headers["mcp-session-id"] for seen in later} == {"s-1"}
    assert {seen.headers["mcp-protocol-version"] for seen in later} == {"2025-11-25"}


def test_an_old_handshake_has_no_header_for_its_revision(converse: Converse) -> None:
    with Impostor(polite) as server, converse(server.url, "2025-03-26"):
        pass
    assert all("mcp-protocol-version" not in seen.headers for seen in server.seen)


def test_the_stateless_era_introduces_itself_each_time(converse: Converse) -> None:
    with Impostor(modern) as server, converse(server.url, LATEST, able={"sampling": {}}) as talk:
        talk.able = {}
        talk.ask("tools/call", {"name": "ü"}, meta={"progressToken": 7})
    assert server.methods == ["server/discover", "tools/call"]
    first, second = (seen.message["params"]["_meta"] for seen in server.seen)
    assert (first[CLIENT_CAPABILITIES_KEY], second[CLIENT_CAPABILITIES_KEY]) == ({"sampling": {}}, {})
    assert second[VERSION_KEY] == LATEST
    assert second["progressToken"] == 7
    assert (server.seen[1].headers["mcp-method"], server.seen[1].headers["mcp-name"]) == (
        "tools/call",
        "=?base64?w7w=?=",
    )


def test_headers_can_be_replaced_and_left_out_for_one_message(converse: Converse) -> None:
    with Impostor(modern) as server, converse(server.url, LATEST) as talk:
        talk.ask("tools/list", headers={"Mcp-Method": "lie", "Accept": None})
        talk.ask("tools/list")
    assert server.seen[1].headers["mcp-method"] == "lie"
    assert server.seen[1].headers.get("accept") != "application/json, text/event-stream"
    assert server.seen[2].headers["mcp-method"] == "tools/list"


def test_a_refusal_is_an_answer_to_ask_and_trouble_to_result(converse: Converse) -> None:
    with Impostor(polite) as server, converse(server.url) as talk:
        assert talk.ask("no/such")["error"]["code"] == -32601
        with pytest.raises(Trouble, match=r"refused no/such: no \(-32601\)"):
            talk.result("no/such")


def test_a_tool_that_asks_is_called_again_with_the_answers(converse: Converse) -> None:
    def answer(seen: Seen) -> bytes:
        params = seen.message["params"]
        if seen.message["method"] == "server/discover" or "inputResponses" in params:
            return modern(seen)
        asked = {"a": {"method": "roots/list"}, "b": {"method": "no/such"}}
        return result(seen, {"resultType": "input_required", "inputRequests": asked, "requestState": "s"})

    replies: Replies = {"roots/list": lambda params: {"roots": [params]}}
    with Impostor(answer) as server, converse(server.url, LATEST, replies=replies) as talk:
        assert talk.call("t", {"x": 1})["resultType"] == "complete"
    params = server.seen[2].message["params"]
    assert params["inputResponses"] == {"a": {"roots": [{}]}, "b": None}
    assert (params["arguments"], params["requestState"]) == ({"x": 1}, "s")


def test_a_tool_that_only_asks_is_left_after_ten_times(converse: Converse) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.message["method"] == "server/discover":
            return modern(seen)
        return result(seen, {"resultType": "input_required"})

    with (
        Impostor(answer) as server,
        converse(server.url, LATEST) as talk,
        pytest.raises(Trouble, match="asked ten times"),
    ):
        talk.call("t")
    assert server.methods.count("tools/call") == 11


def test_questions_in_mid_call_are_answered_too(converse: Converse) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.message.get("method") != "tools/call":
            return polite(seen)
        ask = [event({"jsonrpc": "2.0", "id": n, "method": m}) for n, m in enumerate(("ping", "roots/list", "x"))]
        return [STREAM, *ask, event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {}})]

    replies: Replies = {"roots/list": lambda params: {"roots": []}}
    with Impostor(answer) as server, converse(server.url, replies=replies) as talk:
        talk.call("t")
    answers = [seen.message for seen in server.seen if "method" not in seen.message and seen.method == "POST"]
    assert [message.get("result") for message in answers] == [{}, {"roots": []}, None]


def test_news_is_heard_on_a_stream_of_its_own_and_in_order(converse: Converse, logs: Path) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.method != "GET":
            return polite(seen)
        notes = ({"jsonrpc": "2.0", "method": f"notifications/{name}", "params": {"n": name}} for name in "abc")
        return [STREAM, *map(event, notes)]

    with Impostor(answer) as server, converse(server.url) as talk:
        news = talk.listen()
        assert talk.heard("notifications/b", news) == {"n": "b"}
        assert talk.heard("notifications/a") == {"n": "a"}
        with pytest.raises(Trouble, match="none came"):
            talk.heard("notifications/d", news)
        with pytest.raises(Trouble, match="none came"):
            talk.heard("notifications/d")
    (get,) = [seen for seen in server.seen if seen.method == "GET"]
    assert (get.headers["accept"], get.headers["mcp-session-id"]) == ("text/event-stream", "s-1")
    assert "last-event-id" not in get.headers
    assert "client_listen" in [record["event"] for record in records(logs)]


@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
def test_giving_up_over_http_says_so_or_only_leaves(converse: Converse, revision: str) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.message.get("method") != "tools/call":
            return modern(seen) if revision == LATEST else polite(seen)
        return endless()

    def endless() -> Iterator[bytes]:
        yield STREAM + event({"jsonrpc": "2.0", "method": "notifications/progress"})
        while not server.is_over.wait(0.02):
            yield b": still here\n\n"

    with Impostor(answer) as server:
        with converse(server.url, revision) as talk:
            news = talk.stream("tools/call", {"name": "t"})
            assert next(news)["method"] == "notifications/progress"
            talk.give_up(news)
            assert server.left.wait(5)
            id = talk.last_id
        cancelled = [seen.message["params"] for seen in server.seen if seen.message.get("params", {}).get("requestId")]
    assert [params["requestId"] for params in cancelled] == ([] if revision == LATEST else [id])


def test_through_a_pipe_giving_up_is_a_notification_and_news_are_lines(converse: Converse, tmp_path: Path) -> None:
    code = (
        "m = ask(); good(m, {'resultType': 'complete', 'supportedVersions': []})\n"
        "m = ask(); say({'jsonrpc': '2.0', 'method': 'notifications/progress'})\n"
        "c = ask(); say({'jsonrpc': '2.0', 'method': 'notifications/message', 'params': c['params']})\nask()"
    )
    with converse(script(tmp_path, code), LATEST) as talk:
        news = talk.stream("tools/call", {"name": "t"})
        next(news)
        talk.give_up(news)
        assert talk.heard("notifications/message", talk.listen())["requestId"] == talk.last_id


def test_a_stream_that_broke_is_taken_up_where_it_broke(converse: Converse, logs: Path) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.method == "GET":
            return [STREAM, event({"jsonrpc": "2.0", "id": 2, "result": {"late": True}})]
        if seen.message.get("method") == "tools/call":
            return [STREAM, b"id: s-9\ndata: \n\n"]
        return polite(seen)

    with Impostor(answer) as server, converse(server.url) as talk:
        with pytest.raises(Trouble, match="before it had answered"):
            talk.call("t")
        assert next(talk.listen(resume=True)) == {"jsonrpc": "2.0", "id": 2, "result": {"late": True}}
    (get,) = [seen for seen in server.seen if seen.method == "GET"]
    assert get.headers["last-event-id"] == "s-9"
    asked, answered = (
        record["exchange"]
        for record in records(logs)
        if record["data"].get("message", {}).get("id") == 2 and record.get("dir")
    )
    assert asked == answered


def test_a_second_stream_that_is_refused_is_trouble(converse: Converse) -> None:
    def answer(seen: Seen) -> bytes:
        return http("409 Conflict", kind="") if seen.method == "GET" else polite(seen)

    with Impostor(answer) as server, converse(server.url) as talk, pytest.raises(Trouble, match="409"):
        talk.listen()


def test_the_log_says_which_line_spoke(converse: Converse, logs: Path) -> None:
    with Impostor(polite) as server, converse(server.url) as talk:
        talk.ask("x")
    sources = {record["src"] for record in records(logs) if record.get("dir") == "out"}
    assert all(source.startswith("tests/test_talk.py:") for source in sources)
