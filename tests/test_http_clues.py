"""playground/telling/http_clues.py: what is asked about how a message traveled."""

from __future__ import annotations

from typing import Any

import pytest

from playground.telling import http_clues
from playground.telling.moment import Moment
from playground.telling.said import said
from tests.talks import NEW, OLD, Log

NAMED = {"method": "POST", "path": "/mcp", "headers": {"mcp-session-id": "s"}}


def moment(records: list[dict[str, Any]]) -> Moment:
    return Moment(said(records[-1]), tuple(map(said, records[:-1])))


def test_a_lost_session_is_told_from_an_unknown_method() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list", http=NAMED)
    lost = moment(log.fail(-32001, status=404))
    assert http_clues.names_session(lost)
    assert http_clues.was_lost(moment(log.ask("initialize")))
    log = Log(NEW).hello()
    log.ask("ping")
    unknown = moment(log.fail(-32601, status=404))
    assert not http_clues.names_session(unknown)
    assert not http_clues.was_lost(moment(log.ask("initialize")))


@pytest.mark.parametrize(
    ("path", "is_it"), [("/.well-known/oauth-protected-resource", True), ("/token", True), ("/mcp", False)]
)
def test_what_is_about_keys_is_known_by_its_address(path: str, is_it: bool) -> None:
    asked = {"dir": "in", "peer": "client", "exchange": "e", "data": {"http": {"method": "GET", "path": path}}}
    got = {"dir": "in", "peer": "server", "exchange": "e", "data": {"http": {"status": 200}}}
    assert http_clues.is_for_keys(moment([asked])) is is_it
    assert http_clues.is_for_keys(moment([asked, got])) is is_it
    assert not http_clues.is_for_keys(moment([got]))


def test_who_hung_up_and_on_what_is_known() -> None:
    log = Log(OLD).hello()
    log.http("client_listen", {"method": "GET"}, "e")
    cut = moment(log.put(event="tap_cut", data={"by": "client"}, exchange="e"))
    assert http_clues.cut_by("client")(cut)
    assert not http_clues.cut_by("server")(cut)
    assert http_clues.http_answers("GET")(cut)
    assert not http_clues.http_answers("DELETE")(cut)


def test_events_without_a_message_are_known_by_what_else_they_say() -> None:
    def event(**sse: Any) -> Moment:
        return moment([{"dir": "in", "peer": "server", "data": {"http": {"status": 200}, "sse": sse}}])

    assert http_clues.is_empty_event(event(id="1"))
    assert http_clues.is_empty_event(event(retry=100))
    assert not http_clues.is_empty_event(event(event="endpoint"))
    assert http_clues.sse_event("endpoint")(event(event="endpoint"))
