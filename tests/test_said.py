"""playground/telling/said.py: one record, whoever wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from playground.telling.said import Said, key_of, said, spoken


def record(message: Any = None, **more: Any) -> dict[str, Any]:
    return {"dir": "in", "peer": "client", "data": {"message": message}, **more}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"id": 1, "method": "ping"}, "request"),
        ({"method": "ping"}, "notification"),
        ({"id": 1, "result": {}}, "result"),
        ({"id": 1, "error": {}}, "error"),
        ({"id": 1}, "unparsed"),
        ([{}], "batch"),
        (5, "unparsed"),
    ],
)
def test_a_message_is_of_one_kind(message: Any, kind: str) -> None:
    assert said(record(message)).kind == kind


@pytest.mark.parametrize(
    ("direction", "peer", "sender"),
    [("in", "client", "client"), ("out", "client", "server"), ("in", "server", "server"), ("out", "server", "client"),
     ("out", "llm", "host"), ("in", "llm", "llm"), ("in", "user", "user"), ("in", 5, ""), (None, "client", "")],
)  # fmt: skip
def test_who_spoke_follows_from_who_wrote_and_which_way(direction: Any, peer: Any, sender: str) -> None:
    assert said({"dir": direction, "peer": peer}).sender == sender


def test_what_is_no_message_has_a_kind_too() -> None:
    assert said({"data": {}}).kind == "event"
    assert said({"data": {"http": {"status": 202}}, "event": "client_accepted"}) == Said(
        "server", "http", {}, {"status": 202}, "client_accepted"
    )
    assert said({"event": "rpc_batch", "data": {"raw": "[]"}}).kind == "batch"
    assert said({"dir": "in", "peer": "client", "data": {"raw": "{"}}).kind == "unparsed"
    assert said({"dir": "in", "peer": "llm", "data": {"message": {}}}).kind == "model"


def test_parts_of_the_wrong_type_count_as_absent() -> None:
    odd = said(
        record(
            {"id": [1], "method": 5, "params": [], "result": 5, "error": {"code": "x"}}, event=5, exchange={}, via=[]
        )
    )
    assert (odd.id, odd.method, odd.params, odd.meta, odd.result, odd.code) == (None, "", {}, {}, {}, None)
    assert (odd.event, odd.exchange, odd.via, odd.status) == ("", "", "", None)
    assert said({"data": []}).message == {}


def test_headers_are_found_in_any_case() -> None:
    it = said({"data": {"http": {"status": 200, "headers": {"mcp-session-id": "s", "X": 5}}}})
    assert (it.header("Mcp-Session-Id"), it.header("X"), it.header("Y"), it.status) == ("s", "", "", 200)
    assert not it.is_answer


def test_two_ids_that_look_alike_are_two() -> None:
    assert key_of(1) != key_of("1")
    assert key_of(True) is None


def test_an_array_is_read_message_by_message_unless_each_has_a_record_of_its_own() -> None:
    batch = record([{"id": 1, "method": "ping"}, {"method": "x"}, 5], exchange="c1/client/raw-1")
    assert [(one.kind, one.sender, one.id) for one in spoken(batch)] == [
        ("batch", "client", None),
        ("request", "client", "1"),
        ("notification", "client", None),
        ("unparsed", "client", None),
    ]
    assert [one.kind for one in spoken({**batch, "event": "tap_batch"})] == ["batch"]
    raw = {"dir": "out", "peer": "server", "data": {"raw": '[{"id":1,"method":"ping"}]'}}
    assert [one.kind for one in spoken(raw)] == ["batch", "request"]
    assert [one.kind for one in spoken({**raw, "data": {"raw": "[1"}})] == ["unparsed"]
    assert [one.kind for one in spoken(record({"id": 1, "method": "ping"}))] == ["request"]


def test_an_exchange_names_the_connection_unless_it_is_a_span() -> None:
    assert said(record({}, exchange="c1/client/1")).connection == "c1"
    assert said(record({}, exchange="span:abc")).connection == ""
    odd = said({"data": {"sse": 5, "stream": 5}})
    assert (odd.sse, odd.stream) == ({}, "")
