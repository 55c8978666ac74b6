"""How a client finds the revision: a table of what servers answer, and what is said next."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_core import messages, revisions
from mcp_core.calling import Done, Failed, Session
from mcp_core.messages import Message, Request
from mcp_core.opening import Opening
from tests.conformance.wire import complaint

LATEST, NEWEST = revisions.LATEST, revisions.LATEST_HANDSHAKE
ABLE: dict[str, Any] = {"roots": {}}
INFO = {"name": "me", "version": "1.0"}
DISCOVERED = {"supportedVersions": [LATEST], "capabilities": {"tools": {}}}
GREETED = {"protocolVersion": NEWEST, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}


def opening(mode: str = "auto") -> Opening:
    return Opening(Session(INFO, ABLE), mode)


def valid(message: Message | None, revision: str) -> Any:
    assert message is not None
    said = messages.as_json(message)
    assert complaint(said, said, "server", revision) is None
    return said


def refusal(code: int | None, supported: Any = None) -> Failed:
    data = None if supported is None else {"supported": supported, "requested": LATEST}
    return Failed(1, code, "No.", data)


# ---- The first word --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", LATEST])
def test_the_newest_revision_is_tried_first_by_asking_what_there_is(mode: str) -> None:
    said = valid(opening(mode).first(), LATEST)
    assert said["method"] == "server/discover"
    assert said["params"]["_meta"][revisions.VERSION_KEY] == LATEST
    assert said["params"]["_meta"][revisions.CLIENT_CAPABILITIES_KEY] == ABLE


@pytest.mark.parametrize("mode", revisions.HANDSHAKE)
def test_a_revision_with_a_handshake_begins_with_it(mode: str) -> None:
    said = valid(opening(mode).first(), mode)
    assert said["method"] == "initialize"
    assert said["params"] == {"protocolVersion": mode, "capabilities": ABLE, "clientInfo": INFO}


# ---- After server/discover -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", LATEST])
@pytest.mark.parametrize("offered", [[LATEST], ["2024-11-05", LATEST], [LATEST, "2099-01-01"], [LATEST, 5, None]])
def test_a_server_that_offers_the_revision_is_taken_at_its_word(mode: str, offered: list[Any]) -> None:
    begun, result = opening(mode), {**DISCOVERED, "supportedVersions": offered}
    begun.first()
    assert begun.next(Done(1, result)) is None
    assert (begun.session.revision, begun.server) == (LATEST, result)


AFTER_DISCOVER: list[tuple[Done | Failed, str | None]] = [
    # what the server answers -> the revision that is asked for by `initialize`; None: nothing is left
    (refusal(-32601), NEWEST),
    (refusal(-32600), NEWEST),
    (refusal(-32602), NEWEST),
    (refusal(-32603), NEWEST),
    (refusal(-32000), NEWEST),
    (refusal(-32001), NEWEST),
    (refusal(-32700), NEWEST),
    (refusal(0), NEWEST),
    (refusal(404), NEWEST),
    (refusal(None), NEWEST),  # silence, or an answer that broke the protocol
    (refusal(-32020), NEWEST),
    (refusal(-32022), NEWEST),  # without the list it must have
    (refusal(-32022, "2025-11-25"), NEWEST),
    (refusal(-32022, {}), NEWEST),
    (Failed(1, -32022, "No.", "2025-11-25"), NEWEST),
    (Failed(1, -32022, "No.", [NEWEST]), NEWEST),
    (refusal(-32601, ["2024-11-05"]), NEWEST),  # a list counts only with its code
    (refusal(-32022, ["2025-11-25"]), "2025-11-25"),
    (refusal(-32022, ["2024-11-05"]), "2024-11-05"),
    (refusal(-32022, ["2024-11-05", "2025-06-18", "2025-03-26"]), "2025-06-18"),
    (refusal(-32022, ["2099-01-01", "2025-03-26", 7]), "2025-03-26"),
    (refusal(-32022, []), None),
    (refusal(-32022, ["2099-01-01"]), None),
    (refusal(-32022, [7, None]), None),
    (Done(1, {}), NEWEST),
    (Done(1, {"supportedVersions": []}), NEWEST),
    (Done(1, {"supportedVersions": LATEST}), NEWEST),
    (Done(1, {"supportedVersions": None}), NEWEST),
    (Done(1, {"supportedVersions": ["2025-11-25"]}), NEWEST),
    (Done(1, {"supportedVersions": ["2099-01-01"]}), NEWEST),
    (Done(1, {"protocolVersion": "2025-11-25"}), NEWEST),
]


@pytest.mark.parametrize(("event", "revision"), AFTER_DISCOVER)
def test_any_other_answer_leads_to_a_handshake_or_to_a_clear_end(event: Done | Failed, revision: str | None) -> None:
    begun = opening()
    begun.first()
    if revision is None:
        with pytest.raises(ValueError, match="none of which is left to try"):
            begun.next(event)
        return
    said = valid(begun.next(event), revision)
    assert (said["method"], said["params"]["protocolVersion"]) == ("initialize", revision)
    assert "_meta" not in said["params"]
    told = valid(begun.next(Done(2, {**GREETED, "protocolVersion": revision})), revision)
    assert told["method"] == "notifications/initialized"
    assert begun.session.revision == revision


def test_a_server_that_refuses_one_request_but_offers_its_revision_is_asked_once_more() -> None:
    begun = opening()
    first = begun.first()
    again = begun.next(refusal(-32022, [LATEST]))
    assert isinstance(again, Request)
    assert (again.method, again.id == first.id) == ("server/discover", False)
    assert begun.next(Done(2, DISCOVERED)) is None
    assert begun.session.revision == LATEST


def test_a_server_that_keeps_refusing_what_it_offers_is_not_asked_for_ever() -> None:
    begun = opening()
    begun.first()
    assert begun.next(refusal(-32022, [LATEST])) is not None
    with pytest.raises(ValueError, match="none of which is left"):
        begun.next(refusal(-32022, [LATEST]))
    begun = opening()
    begun.first()
    both = [LATEST, "2025-06-18"]
    said = [begun.next(refusal(-32022, both)) for _ in range(3)]
    assert [message.method for message in said if isinstance(message, Request)] == [
        "server/discover",
        "initialize",
        "initialize",
    ]
    with pytest.raises(ValueError, match="none of which is left"):
        begun.next(refusal(-32022, both))


@pytest.mark.parametrize(
    "event",
    [
        refusal(-32601),
        refusal(None),
        refusal(-32022, ["2025-11-25"]),
        refusal(-32022, []),
        Done(1, {}),
        Done(1, {"supportedVersions": ["2025-11-25"]}),
    ],
)
def test_who_wants_the_stateless_revision_and_no_other_gets_no_other(event: Done | Failed) -> None:
    begun = opening(LATEST)
    begun.first()
    with pytest.raises(ValueError, match=r"\.|\)$"):
        begun.next(event)


# ---- After initialize ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answered", revisions.HANDSHAKE)
def test_the_server_chooses_among_the_revisions_with_a_handshake(answered: str) -> None:
    begun = opening(NEWEST)
    begun.first()
    result = {**GREETED, "protocolVersion": answered}
    assert valid(begun.next(Done(1, result)), answered) == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (begun.session.revision, begun.server) == (answered, result)


@pytest.mark.parametrize("answered", [LATEST, "2099-01-01", "2024-10-07", "", None, 7, [NEWEST]])
def test_a_revision_this_client_does_not_know_is_the_end(answered: Any) -> None:
    begun = opening(NEWEST)
    begun.first()
    with pytest.raises(ValueError, match="which this client does not know"):
        begun.next(Done(1, {"protocolVersion": answered}))
    assert begun.session.revision is None


@pytest.mark.parametrize(("code", "words"), [(-32602, r"No\. \(code -32602\)"), (None, r"No\. \(no answer\)")])
def test_a_handshake_that_is_refused_is_the_end(code: int | None, words: str) -> None:
    for mode in ("auto", NEWEST):
        begun = opening(mode)
        begun.first()
        if mode == "auto":
            begun.next(refusal(-32601))
        with pytest.raises(ValueError, match=words):
            begun.next(refusal(code))


def test_who_wants_one_handshake_is_not_led_to_another_revision() -> None:
    begun = opening("2025-06-18")
    begun.first()
    with pytest.raises(ValueError, match="none of which is left"):
        begun.next(refusal(-32022, [LATEST, "2025-11-25"]))
