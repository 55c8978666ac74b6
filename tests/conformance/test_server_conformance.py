"""The official conformance suite against our server, in both revisions it has requirements for."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_core import revisions
from mcp_core.messages import Request
from mcp_core.serving import Session
from tests.conformance import suite
from tests.conformance.everything import everything
from tests.conformance.suite import Verdict
from tests.conformance.wire import complaint, judged
from tests.once import once

SCORED = {"2025-11-25": 30, "2026-07-28": 37}
# Not scored, because the suite's own server can't pass them yet or because they came later; ours passes.
BESIDES = {
    "2025-11-25": {"json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"},
    "2026-07-28": {
        "json-schema-2020-12",
        "http-header-validation",
        "http-custom-header-server-validation",
    },
}


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Verdict]:
    """Runs the suite when a revision is first asked for, and never again in this run."""
    return functools.cache(
        lambda revision: once(tmp_path_factory, f"server-{revision}", functools.partial(suite.examine_server, revision))
    )


@pytest.fixture(params=suite.REVISIONS)
def verdict(request: pytest.FixtureRequest, examined: Callable[[str], Verdict]) -> Verdict:
    return examined(request.param)


def test_every_scored_scenario_passes(verdict: Verdict) -> None:
    assert [one.name for one in verdict.scored if not one.has_passed] == []
    assert len(verdict.scored) == SCORED[verdict.revision]
    assert verdict.exit_code == 0


def test_all_that_is_not_scored_passes_too_except_the_extension_for_tasks(verdict: Verdict) -> None:
    assert {one.name for one in verdict.others if one.has_passed} == BESIDES[verdict.revision]
    assert {one.name for one in verdict.others} == BESIDES[verdict.revision]


def test_nothing_earns_a_warning(verdict: Verdict) -> None:
    assert verdict.complaints == []
    assert verdict.is_good


def test_no_scenario_meets_a_fault_of_the_server(verdict: Verdict) -> None:
    lines = (verdict.folder / "mcp-server.jsonl").read_text("utf-8").splitlines()
    assert [line for line in lines if json.loads(line)["event"] in ("server_fault", "log_gap")] == []


def test_every_message_the_server_sends_is_valid_by_the_published_schema(verdict: Verdict) -> None:
    judge = judged(verdict.folder / "mcp-server.jsonl")
    assert judge.faults == []
    assert judge.seen > 70


@pytest.mark.parametrize("revision", revisions.HANDSHAKE)
def test_only_a_client_that_knows_the_way_back_is_sent_away(revision: str) -> None:
    session = Session(everything(), can_push=True)
    about = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}
    list(session.receive(Request(1, "initialize", about)))
    outgoing = list(session.receive(Request(2, "tools/call", {"name": "test_reconnection"})))
    assert [out.come_back for out in outgoing] == ([500, None] if revision == "2025-11-25" else [None])


@pytest.mark.parametrize(
    ("message", "request_", "to", "revision"),
    [
        ({"id": 1, "result": {"tools": []}}, {"method": "tools/list"}, "client", "2026-07-28"),
        ({"id": 1, "result": {}}, {"method": "tools/list"}, "client", "2025-11-25"),
        ({"id": 1, "result": {"roots": [{}]}}, {"method": "roots/list"}, "server", "2025-11-25"),
        ({"id": 1, "error": {"message": "no code"}}, {"method": "ping"}, "client", "2025-11-25"),
        ({"id": 1, "method": "roots/list"}, {"method": "roots/list"}, "client", "2026-07-28"),
    ],
)
def test_the_judge_of_messages_can_object(
    message: dict[str, object], request_: dict[str, object], to: str, revision: str
) -> None:
    assert complaint({"jsonrpc": "2.0", **message}, request_, to, revision) is not None


def test_a_run_that_does_not_pass_is_said_to_be_bad(tmp_path: Path) -> None:
    failed = {"id": "ping", "status": "FAILURE", "errorMessage": "no answer"}
    verdict = Verdict("server", "2025-11-25", 1, 0.5, [suite.Scenario("ping", True, [failed])], tmp_path)
    assert not verdict.is_good
    assert verdict.complaints == ["ping: FAILURE ping: no answer"]
    assert "0/1 scored scenarios pass, 0/0 others; 0 checks, 1 failures, 0 warnings" in str(verdict)
