"""The table of words: against the published schema, and what it says of fields, content and capabilities."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import methods

from mcp_core import revisions
from mcp_core.revisions import (
    HANDSHAKE,
    LATEST,
    REVISIONS,
    STATELESS,
    WORDS,
    Word,
    has_capability,
    trim,
    trim_content,
    word,
)


def test_two_eras_make_all_revisions_in_the_order_of_time() -> None:
    assert HANDSHAKE + STATELESS == REVISIONS
    assert list(REVISIONS) == sorted(REVISIONS)
    assert [revisions.is_stateless(revision) for revision in REVISIONS] == [False, False, False, False, True]
    assert not revisions.is_stateless("2099-01-01")


def test_every_method_has_one_row() -> None:
    assert len({row.method for row in WORDS}) == len(WORDS)
    for row in WORDS:
        assert row.kind == ("notification" if row.method.startswith("notifications/") else "request")
        assert row.is_request is (row.kind == "request")
        assert row.by in ("client", "server", "both")
        assert row.since in REVISIONS
        assert row.until in REVISIONS
        assert row.since <= row.until


def published(by: str, kind: str, revision: str) -> set[str]:
    """The methods that the published schema of a revision has."""
    table = getattr(methods, f"{by.upper()}_{kind.upper()}S")
    return {method for method, version in table if version == revision}


def spoken(by: str, kind: str, revision: str) -> set[str]:
    rows = [row for row in WORDS if row.kind == kind and row.by in (by, "both")]
    return {row.method for row in rows if row.since <= revision <= row.until}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("kind", ["request", "notification"])
@pytest.mark.parametrize("by", ["client", "server"])
def test_the_table_holds_exactly_the_words_of_the_published_schema(by: str, kind: str, revision: str) -> None:
    ours, theirs = spoken(by, kind, revision), published(by, kind, revision)
    if revision in STATELESS and by == "client":
        # A client has no progress to tell there; the row is shared with the server's, who has.
        ours -= {"notifications/progress"}
    if revision in STATELESS and (by, kind) == ("server", "request"):
        # These three travel inside an `input_required` result, not as requests.
        assert ours == {"sampling/createMessage", "roots/list", "elicitation/create"}
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    ("method", "first", "last"),
    [("ping", 0, 3), ("server/discover", 4, 4), ("elicitation/create", 2, 4), ("tools/call", 0, 4)],
)
def test_a_word_is_found_in_its_revisions_alone(method: str, first: int, last: int) -> None:
    for place, revision in enumerate(REVISIONS):
        found = word(method, revision)
        assert (found is not None) is (first <= place <= last)
    assert word("tools/dance", LATEST) is None
    assert word("__class__", LATEST) is None


def test_every_row_has_a_page_of_its_revision() -> None:
    for row in WORDS:
        url = revisions.spec_url(row, row.until)
        assert url.startswith(f"https://modelcontextprotocol.io/specification/{row.until}/")


@pytest.mark.parametrize("asked", [*HANDSHAKE, LATEST, "2099-01-01", "1999-01-01", "", "latest", "2024-10-07"])
def test_initialize_gets_the_revision_it_asks_for_or_the_newest_with_a_handshake(asked: str) -> None:
    assert revisions.negotiate(asked) == (asked if asked in HANDSHAKE else "2025-11-25")


@pytest.mark.parametrize(
    ("declared", "path", "has"),
    [
        ({}, "sampling", False),
        ({"sampling": {}}, "sampling", True),
        ({"sampling": None}, "sampling", False),
        ({"sampling": False}, "sampling", False),
        ({"sampling": True}, "sampling", True),
        ({"sampling": {}}, "sampling.tools", False),
        ({"sampling": {"tools": {}}}, "sampling.tools", True),
        ({"sampling": "yes"}, "sampling.tools", False),
        ({"roots": {"listChanged": True}}, "roots.listChanged", True),
        ({"roots": {"listChanged": False}}, "roots.listChanged", False),
        ({"elicitation": {}}, "elicitation", True),
        ({"elicitation": {}}, "elicitation.form", True),
        ({"elicitation": {}}, "elicitation.url", False),
        ({"elicitation": {"form": {}}}, "elicitation.form", True),
        ({"elicitation": {"url": {}}}, "elicitation.form", False),
        ({"elicitation": {"url": {}}}, "elicitation.url", True),
        ({"elicitation": {"form": {}, "url": {}}}, "elicitation.form", True),
        ({"elicitation": None}, "elicitation.form", False),
        ({"elicitation": []}, "elicitation.form", False),
    ],
)
def test_a_capability_is_there_only_where_it_was_declared(declared: dict[str, Any], path: str, has: bool) -> None:
    assert has_capability(declared, path) is has


def test_a_revision_is_shown_only_the_fields_it_knows() -> None:
    tool = {"name": "n", "title": "t", "icons": [], "annotations": {}, "outputSchema": {}, "_meta": {}, "own": 1}
    assert [sorted(trim("tool", tool, revision)) for revision in REVISIONS] == [
        ["name", "own"],
        ["annotations", "name", "own"],
        ["_meta", "annotations", "name", "outputSchema", "own", "title"],
        sorted(tool),
        sorted(tool),
    ]
    assert "title" in tool


@pytest.mark.parametrize(
    ("block", "since", "told"),
    [
        ({"type": "text", "text": "x"}, "2024-11-05", ""),
        ({"type": "image", "data": "", "mimeType": "image/png"}, "2024-11-05", ""),
        ({"type": "resource", "resource": {"uri": "a:b", "text": ""}}, "2024-11-05", ""),
        ({"type": "audio", "data": "", "mimeType": "audio/wav"}, "2025-03-26", "audio audio/wav"),
        ({"type": "resource_link", "uri": "a:b", "name": "b"}, "2025-06-18", "resource_link a:b"),
        ({"type": "audio", "data": ""}, "2025-03-26", "audio"),
    ],
)
def test_content_a_revision_does_not_know_becomes_a_sentence(block: dict[str, Any], since: str, told: str) -> None:
    for revision in REVISIONS:
        (found,) = trim_content([block], revision)
        if revision >= since:
            assert found == block
        else:
            assert found == {"type": "text", "text": f"[{told}, which revision {revision} cannot carry]"}


def test_a_row_can_be_told_from_its_like() -> None:
    row = word("ping", "2024-11-05")
    assert row == Word("ping", "request", "both", "2024-11-05", "2025-11-25", None, "basic/utilities/ping")
