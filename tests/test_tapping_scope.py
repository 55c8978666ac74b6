"""playground/tapping/scope.py: what an id or a token means, and for how long."""

from __future__ import annotations

from typing import Any

from mcp_core.revisions import SUBSCRIPTION_KEY
from playground.tapping import scope
from playground.tapping.scope import Asked, Scope


def request(id: Any, **meta: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "x", "params": {"_meta": meta}}


def told(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def test_an_id_is_answered_once_and_both_ends_count_for_themselves() -> None:
    kept, mine, yours = Scope("c"), Asked("c/client/1", None, 0.0), Asked("c/server/1", None, 0.0)
    kept.ask("client", request(1), mine)
    kept.ask("server", request(1), yours)
    assert kept.answer("client", "1") is None, "1 and '1' are two ids"
    assert kept.answer("server", 1) is yours
    assert (kept.answer("client", 1), kept.answer("client", 1)) == (mine, None)


def test_a_notification_names_what_it_is_about() -> None:
    kept, asked = Scope("c"), Asked("c/client/1", None, 0.0)
    kept.ask("client", request(1, progressToken="p"), asked)
    assert kept.about("server", told("notifications/progress", progressToken="p")) is asked
    assert kept.about("client", told("notifications/progress", progressToken="p")) is None
    assert kept.about("server", told("x", _meta={SUBSCRIPTION_KEY: 1})) is asked
    assert kept.about("client", told("notifications/cancelled", requestId=1)) is asked
    assert kept.about("server", told("notifications/cancelled", requestId=1)) is None
    assert kept.about("server", told("x")) is None
    assert kept.about("server", {"method": "x", "params": [1]}) is None


def test_what_is_never_answered_is_forgotten_some_day(monkeypatch: Any) -> None:
    monkeypatch.setattr(scope, "MOST_ASKED", 2)
    kept = Scope("c")
    for id in (1, 2, 3):
        kept.ask("client", request(id, progressToken=id), Asked(f"c/client/{id}", None, 0.0))
    assert kept.answer("client", 1) is None
    assert kept.about("server", told("notifications/progress", progressToken=1)) is None
    assert kept.answer("client", 3) is not None
