"""playground/telling/tell.py and why.toml: sentences that are whole, true to the message, and safe to show."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core.revisions import WORDS, is_stateless, spec_url, word
from playground.telling.tell import LONGEST, tell, texts
from playground.viewer.moments import gathered
from tests.talks import NEW, OLD, Log

PLACES = {
    "method",
    "id",
    "asked",
    "asked_id",
    "name",
    "wanted",
    "revision",
    "code",
    "token",
    "status",
    "said",
    "part",
    "sake",
    "verb",
}


def test_three_lists_three_reasons() -> None:
    log = Log(OLD).hello()
    first = tell(log.ask("tools/list"))
    log.get({"tools": [], "nextCursor": "x"})
    second = tell(log.ask("tools/list", {"cursor": "x"}))
    log.get({"tools": []})
    log.news("notifications/tools/list_changed")
    third = tell(log.ask("tools/list"))
    assert len({first.why, second.why, third.why}) == 3
    assert (first.situation, second.situation, third.situation) == (
        "list-first",
        "list-next-page",
        "list-after-a-change",
    )


def test_every_text_is_made_of_whole_sentences_and_known_places() -> None:
    everything = texts()
    for table in ("situation", "part", "twin"):
        for name, entry in everything[table].items():
            for text in entry.values():
                assert re.fullmatch(r"[A-Z0-9`].*[.]", text), (name, text)
                assert set(re.findall(r"\{(\w+)\}", text)) <= PLACES, name
    assert all(set(entry) <= {"why", "next", "never"} and "why" in entry for entry in everything["situation"].values())
    assert all(set(entry) == {"next", "never"} for entry in everything["part"].values())
    assert all(set(entry) == {"handshake", "stateless"} for entry in everything["twin"].values())


def test_every_word_has_its_counterpart_in_the_other_era() -> None:
    assert {row.method for row in WORDS} <= set(texts()["twin"])


def test_the_link_is_that_of_the_revision_spoken() -> None:
    for revision in (OLD, NEW, "2024-11-05"):
        row = word("tools/list", revision)
        assert row is not None
        assert tell(Log(revision).hello().ask("tools/list")).spec == spec_url(row, revision)
    log = Log(OLD).hello()
    log.ask("x/y")
    assert tell(log.records).spec.endswith("/2025-11-25/basic")
    assert "#" not in tell(log.http("client_listen", {"method": "GET"})).spec
    assert tell(log.fail(-32601)).spec.startswith("https://modelcontextprotocol.io/specification/")
    assert tell(Log(NEW).http("client_listen", {"method": "GET"})).spec
    assert tell(Log(NEW).hello().ask("ping")).spec.endswith("2025-11-25/basic/utilities/ping")
    assert tell([{"event": "server_start", "data": {}}]).spec == ""


def test_an_answer_is_explained_by_what_it_answers() -> None:
    log = Log(OLD).hello()
    log.ask("tools/call", {"name": "read_file", "arguments": {}})
    told = tell(log.get({"content": []}))
    assert "`read_file`" in told.why
    assert ("answer", "tools/call") in [(text.kind, text.name) for text in told.paragraphs]
    assert told.before == len(log.records) - 1
    assert told.era == "handshake"
    assert told.twin == texts()["twin"]["tools/call"]["stateless"]


@pytest.mark.parametrize(
    ("log", "ways"),
    [
        (Log(OLD, "stdio").hello().ask("ping"), ("pipe",)),
        (Log(OLD).hello().ask("ping"), ()),
        (Log(OLD).hello().news("notifications/message"), ("stream",)),
    ],
)
def test_how_it_travels_is_said(log: list[dict[str, object]], ways: tuple[str, ...]) -> None:
    assert tell(log).carried == tuple(texts()["carried"][way] for way in ways)


def test_streams_are_told_apart() -> None:
    log = Log(OLD).hello()
    named = {"status": 200, "headers": {"Content-Type": "application/json", "Mcp-Session-Id": "s"}}
    log.ask("initialize", {"protocolVersion": OLD})
    assert [text[:20] for text in tell(log.get({"protocolVersion": OLD}, http=named)).carried] == [
        text[:20] for text in (texts()["carried"]["json"], texts()["carried"]["named"])
    ]
    for headers, way in (({}, "listened"), ({"Last-Event-ID": "1"}, "resumed")):
        log.http("client_listen", {"method": "GET", "headers": headers}, "c1/client/raw-9")
        news = {"dir": "in", "peer": "server", "exchange": "c1/client/raw-9", "data": {"message": {"method": "x"}}}
        assert tell([*log.records, news]).carried == (texts()["carried"][way],)
    log.ask("ping")
    assert "HTTP says 400" in tell(log.fail(-32600, status=400)).carried[0]


def test_what_was_asked_in_an_array_is_found() -> None:
    log = Log("2025-03-26").hello()
    calls = [{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "x"}}]
    log.say("client", calls, about="raw-1")
    told = tell(log.get({"content": []}, id="a"))
    assert (told.situation, told.before) == ("done", len(log.records) - 1)
    part = {"dir": "in", "peer": "client", "data": {"message": {"method": "x"}, "part": "2 of 3"}}
    assert "as number 2 of 3" in tell([*log.records, part]).carried[0]


def test_a_question_is_told_by_the_stream_it_came_on() -> None:
    log = Log(OLD).hello()
    for name in ("one", "two"):
        log.ask("tools/call", {"name": name})
    question = {"jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage"}
    place = {"dir": "in", "peer": "server", "exchange": "c1/server/q"}
    assert "one of several open requests" in tell([*log.records, {**place, "data": {"message": question}}]).why
    told = tell([*log.records, {**place, "data": {"message": question, "stream": "c1/client/2"}}])
    assert "working on tools/call (id 2)" in told.why


def test_the_same_records_get_the_same_sentences() -> None:
    records = Log(OLD).hello().ask("tools/list")
    assert asdict(tell(records)) == asdict(tell(records))
    with pytest.raises(ValueError, match="nothing"):
        tell([])


def test_what_came_over_the_wire_stays_what_it_is() -> None:
    name = "`{id}`<b>" + "x" * 500
    told = tell(Log(OLD).hello().ask("tools/call", {"name": name}))
    assert "'{id}'<b>x" in told.why
    assert len(told.why) < 300 + LONGEST
    assert told.why.count("`") % 2 == 0


def test_revisions_decide_the_era() -> None:
    for revision in ("2024-11-05", OLD, NEW):
        told = tell(Log(revision).hello().ask("tools/list"))
        assert told.era == ("stateless" if is_stateless(revision) else "handshake")


# ---- Whatever a log holds --------------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
NAMES = st.sampled_from(
    [
        "id",
        "method",
        "params",
        "result",
        "error",
        "code",
        "_meta",
        "progressToken",
        "cursor",
        "nextCursor",
        "requestId",
        "name",
    ]
)
VALUES = st.recursive(  # any JSON, with names that mean something
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=8
)
WORDS_OR_ANY = st.sampled_from([row.method for row in WORDS]) | VALUES
MESSAGES = st.fixed_dictionaries(
    {}, optional={"id": VALUES, "method": WORDS_OR_ANY, "params": VALUES, "result": VALUES, "error": VALUES}
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "dir": st.sampled_from(["in", "out"]) | VALUES,
        "peer": st.sampled_from(["client", "server", "llm", "user"]) | VALUES,
        "via": st.sampled_from(["http", "stdio"]) | VALUES,
        "event": st.sampled_from(["client_listen", "client_accepted", "tap_http"]) | VALUES,
        "exchange": st.sampled_from(["a", "b/client/1"]) | VALUES,
        "session": VALUES,
        "data": st.fixed_dictionaries({}, optional={"message": MESSAGES | VALUES, "http": VALUES, "raw": VALUES})
        | VALUES,
    },
)


@given(st.lists(RECORDS, min_size=1, max_size=6))
def test_any_record_at_all_is_told_and_nothing_is_raised(records: list[dict[str, Any]]) -> None:
    told = tell(gathered(records[::-1], is_whole=True).records)
    assert told.why
    assert told.next
    assert told.never
    assert "{" + "method}" not in told.why
