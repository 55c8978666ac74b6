"""playground/telling/unspoken.py: what HTTP, a pipe or a hang-up says without a message is explained as that."""

from __future__ import annotations

from typing import Any

import pytest

from playground.telling.moment import Moment
from playground.telling.said import said
from playground.telling.tell import tell
from playground.telling.unspoken import HTTP, MODEL, OTHERS, UNPARSED
from tests.talks import OLD, Log


def test_each_table_takes_whatever_comes() -> None:
    assert all(table[-1][1](Moment(said({}))) for table in (HTTP, MODEL, OTHERS, UNPARSED))


@pytest.mark.parametrize(
    ("verb", "status", "name"),
    [
        ("GET", 200, "listening-begins"),
        ("GET", 405, "listening-declined"),
        ("DELETE", 204, "session-forgotten"),
        ("DELETE", 405, "session-kept"),
        ("GET", 401, "key-wanted"),
        ("GET", 500, "bare-status"),
    ],
)
def test_a_status_is_explained_by_what_it_answers(verb: str, status: int, name: str) -> None:
    log = Log(OLD).hello()
    place: dict[str, Any] = {"event": "tap_http", "peer": "server", "exchange": "c1/client/raw-1"}
    log.put(**place, dir="out", data={"http": {"method": verb, "path": "/mcp"}})
    told = tell(log.put(**place, dir="in", data={"http": {"status": status}}))
    assert told.situation == name
    assert str(status) in told.why or name != "bare-status"


def test_the_transport_of_2024_is_told_step_by_step() -> None:
    log = Log("2024-11-05")
    stream: dict[str, Any] = {"event": "tap_http", "peer": "server", "exchange": "c1/client/raw-1"}
    assert tell(log.put(**stream, dir="out", data={"http": {"method": "GET", "path": "/sse"}})).situation == "listening"
    http = {"status": 200}
    assert tell(log.put(**stream, dir="in", data={"http": http})).situation == "listening-begins"
    place = {"http": http, "sse": {"event": "endpoint"}, "data": "/messages?s=1"}
    assert tell(log.put(**stream, dir="in", data=place)).situation == "posting-place"
    log.ask("initialize", {"protocolVersion": "2024-11-05"})
    accepted = {**stream, "exchange": "c1/client/1", "data": {"http": {"status": 202}}}
    assert tell(log.put(**accepted, dir="in")).situation == "accepted-question"
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2024-11-05"}}
    data = {"message": answer, "http": http, "stream": "c1/client/raw-1"}
    told = tell(log.put(dir="in", peer="server", exchange="c1/client/1", event="tap_response", data=data))
    assert told.situation == "agreed"
    assert "holds open" in told.carried[0]
