"""playground/telling/clues.py: the small questions that the tables of situations are made of."""

from __future__ import annotations

import pytest

from playground.telling import clues
from playground.telling.moment import Moment
from playground.telling.said import said
from playground.telling.situations import PARTS
from tests.talks import OLD, Log
from tests.test_situations import STORIES


def moment(log: Log) -> Moment:
    return Moment(said(log.records[-1]), tuple(map(said, log.records[:-1])))


def test_questions_are_put_together() -> None:
    log = Log(OLD).hello()
    log.ask("ping")
    it = moment(log)
    assert clues.both(clues.always, clues.method("ping", "x"))(it)
    assert not clues.both(clues.always, clues.method("x"))(it)
    assert clues.no(clues.method("x"))(it)
    assert clues.asked_before("initialize")(it)
    assert not clues.answers("ping")(it)


def test_a_cursor_is_followed_only_if_it_is_the_last_one_given() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list")
    log.get({"nextCursor": "a"})
    log.ask("tools/list", {"cursor": "a"})
    assert clues.follows_cursor(moment(log))
    log.get({"nextCursor": "b"})
    log.ask("tools/list", {"cursor": "a"})
    assert not clues.follows_cursor(moment(log))


def test_an_id_is_free_again_once_it_was_answered() -> None:
    log = Log(OLD).hello()
    log.ask("tools/list", id=9)
    log.ask("tools/list", id=9)
    assert clues.asks_with_open_id(moment(log))
    log.get({}, id=9)
    log.get({}, id=9)
    log.ask("tools/list", id=9)
    assert not clues.asks_with_open_id(moment(log))


def test_a_word_has_a_side_and_a_revision() -> None:
    log = Log(OLD).hello()
    log.ask("roots/list")
    assert clues.is_known(moment(log))
    assert not clues.is_of_revision(moment(log))  # that is the server's word


@pytest.mark.parametrize("name", STORIES)
def test_any_question_can_be_asked_about_any_message(name: str) -> None:
    records = STORIES[name]()
    it = Moment(said(records[-1]), tuple(map(said, records[:-1])))
    for rows in PARTS.values():
        for _, test in rows:
            assert isinstance(test(it), bool)
