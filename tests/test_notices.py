"""What a client hears without being asked: only what it wanted, in the words of its revision."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import methods

from mcp_core import notices, revisions
from mcp_core.calls import Call, Memory
from mcp_core.catalogue import Catalogue, Change
from mcp_core.effects import Completed, Log, Progress
from mcp_core.messages import Notification, Request


def call(revision: str, *, token: Any = None, level: str | None = None, can_push: bool = True) -> Call:
    params = {} if token is None else {"_meta": {"progressToken": token}}
    memory = Memory(revision, level=level)
    return Call(Request(1, "tools/call", params), memory, Catalogue("shop", "1.0"), 100, can_push)


def valid(notice: Notification | None, revision: str) -> dict[str, Any]:
    assert notice is not None
    methods.parse_server_notification(notice.method, revision, notice.params)
    return notice.params


@pytest.mark.parametrize("revision", revisions.REVISIONS)
@pytest.mark.parametrize("token", ["p", "", 0, 7])
def test_progress_carries_the_token_in_its_own_type(revision: str, token: Any) -> None:
    params = valid(notices.about_work(call(revision, token=token), Progress(0, 2, "begun")), revision)
    told = {} if revision == "2024-11-05" else {"message": "begun"}
    assert params == {"progressToken": token, "progress": 0, "total": 2, **told}
    assert type(params["progressToken"]) is type(token)


@pytest.mark.parametrize("token", [None, True, 1.5, [], {}])
def test_progress_is_told_to_nobody_who_gave_no_token(token: Any) -> None:
    assert notices.about_work(call("2025-11-25", token=token), Progress(1)) is None


@pytest.mark.parametrize("effect", [Progress(1), Log("emergency", "fire")])
def test_nothing_is_told_where_only_an_answer_can_be_sent(effect: Progress | Log) -> None:
    assert notices.about_work(call("2025-11-25", token=1, level="debug", can_push=False), effect) is None


@pytest.mark.parametrize("least", revisions.LOG_LEVELS)
@pytest.mark.parametrize("level", revisions.LOG_LEVELS)
def test_log_lines_are_told_from_the_level_on_that_the_client_set(least: str, level: str) -> None:
    severe = revisions.LOG_LEVELS.index(level) >= revisions.LOG_LEVELS.index(least)
    for revision in revisions.REVISIONS:
        notice = notices.about_work(call(revision, level=least), Log(level, {"a": 1}, "shop"))
        assert (notice is not None) is severe
        if severe:
            assert valid(notice, revision) == {"level": level, "logger": "shop", "data": {"a": 1}}


@pytest.mark.parametrize("data", [None, 0, "", [], {"a": None}])
def test_a_log_line_keeps_its_data_whatever_it_is(data: Any) -> None:
    assert valid(notices.about_work(call("2025-11-25"), Log("info", data)), "2025-11-25") == {
        "level": "info",
        "data": data,
    }


def test_before_a_level_is_set_the_handshake_era_hears_info_and_the_stateless_one_nothing() -> None:
    for revision in revisions.HANDSHAKE:
        assert notices.about_work(call(revision), Log("debug", "x")) is None
        assert notices.about_work(call(revision), Log("info", "x")) is not None
    assert notices.about_work(call("2026-07-28"), Log("emergency", "x")) is None


@pytest.mark.parametrize("revision", revisions.REVISIONS)
def test_that_an_errand_is_done_is_told_in_the_one_revision_that_has_a_word_for_it(revision: str) -> None:
    notice = notices.about_work(call(revision), Completed("e1"))
    if revision == "2025-11-25":
        assert valid(notice, revision) == {"elicitationId": "e1"}
    else:
        assert notice is None


@pytest.mark.parametrize("kind", ["tools", "prompts", "resources"])
def test_a_change_of_a_list_has_its_notification_in_every_revision(kind: str) -> None:
    for revision in revisions.REVISIONS:
        notice = notices.about_change(Change(kind))
        assert valid(notice, revision) == {}
        assert notice.method == f"notifications/{kind}/list_changed"
    assert valid(notices.about_change(Change("resources", "a:b")), "2026-07-28") == {"uri": "a:b"}


@pytest.mark.parametrize(
    ("change", "wanted", "is_wanted"),
    [
        (Change("tools"), {}, False),
        (Change("tools"), {"toolsListChanged": True}, True),
        (Change("tools"), {"toolsListChanged": 1}, False),
        (Change("tools"), {"promptsListChanged": True}, False),
        (Change("resources"), {"resourceSubscriptions": ["a:b"]}, False),
        (Change("resources", "a:b"), {"resourceSubscriptions": ["a:b"]}, True),
        (Change("resources", "a:c"), {"resourceSubscriptions": ["a:b"]}, False),
        (Change("resources", "a:b"), {"resourcesListChanged": True}, False),
    ],
)
def test_a_change_is_wanted_only_where_its_kind_or_uri_was_named(change: Change, wanted: Any, is_wanted: bool) -> None:
    assert notices.is_wanted(change, wanted) is is_wanted
