"""playground/telling/moment.py: what a message belongs to, and what was said before it."""

from __future__ import annotations

from typing import Any

import pytest

from playground.telling.moment import Moment
from playground.telling.said import said
from tests.talks import NEW, OLD, Log


def moment(records: list[dict[str, Any]], *, is_whole: bool = True) -> Moment:
    return Moment(said(records[-1]), tuple(map(said, records[:-1])), is_whole)


@pytest.mark.parametrize(
    ("records", "revision"),
    [
        (Log(OLD).ask("initialize", {"protocolVersion": "2025-03-26"}), "2025-03-26"),
        (Log(OLD).ask("initialize", {"protocolVersion": "2099-01-01"}), OLD),
        (Log("2025-06-18").hello().ask("tools/list"), "2025-06-18"),
        (Log(NEW).ask("tools/list"), NEW),
        (Log(OLD).ask("tools/list", http={"headers": {"MCP-Protocol-Version": "2024-11-05"}}), "2024-11-05"),
        (Log(OLD).ask("server/discover"), NEW),
        (Log(OLD).ask("tools/list"), OLD),
        (Log(NEW).hello().news("notifications/message"), NEW),
    ],
)
def test_the_revision_is_the_messages_own_or_its_sessions(records: list[dict[str, Any]], revision: str) -> None:
    assert moment(records).revision == revision
    assert moment(records).is_stateless == (revision == NEW)


def test_an_answer_finds_its_request_by_exchange_and_id() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list")
    log.ask("tools/call", {"name": "x"})
    asked = moment(log.get(id=2)).request
    assert asked is not None
    assert asked.method == "tools/list"
    assert moment(log.get(id="2")).request is None


def test_an_answer_without_an_exchange_is_found_by_its_id() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list")
    for record in log.records:
        record.pop("exchange", None)
    answer = {"dir": "in", "peer": "server", "data": {"message": {"id": 2, "result": {}}}}
    asked = moment([*log.records, answer]).request
    assert asked is not None
    assert asked.method == "tools/list"


def test_an_error_without_id_belongs_to_what_was_sent_in_its_exchange() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list")
    error = {"jsonrpc": "2.0", "error": {"code": -32600}}
    asked = moment(log.say("server", error, about=2)).request
    assert asked is not None
    assert asked.id == "2"


def test_answers_to_the_server_are_told_from_answers_to_the_client() -> None:
    log = Log(OLD).hello()
    log.ask("tools/call", {"name": "x"}, id="s1")
    log.asked("roots/list")
    asked = moment(log.reply({"result": {}})).request
    assert asked is not None
    assert asked.method == "roots/list"


def test_what_was_answered_is_known() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list")
    log.get({"tools": []})
    log.ask("tools/list")
    it = moment(log.records)
    assert it.like is not None
    assert it.like_answer is not None
    assert it.answer_to(None) is None
    assert it.answer_to(it.now) is None
    assert [one.kind for one in it.since(it.like)] == ["result"]
    assert len(list(it.since(None))) == len(log.records) - 1


def test_a_client_is_ready_when_the_handshake_is_over() -> None:
    log = Log(OLD)
    log.ask("initialize")
    assert not moment(log.records).is_ready
    log.get({})
    log.tell("notifications/initialized")
    assert moment(log.ask("ping")).is_ready
    assert moment(Log(NEW).ask("tools/list")).is_ready
    assert moment(Log(OLD).ask("tools/list"), is_whole=False).is_ready
