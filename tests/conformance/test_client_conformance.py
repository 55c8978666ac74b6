"""The official conformance suite against our client, in both revisions it has requirements for."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import pytest

from mcp_core.calling import Asked
from tests.conformance import suite
from tests.conformance.client import answer
from tests.conformance.suite import Verdict
from tests.conformance.wire import Judge
from tests.once import once

SCORED = {
    "2025-11-25": {"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"},
    "2026-07-28": {
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
    },
}


@pytest.fixture(scope="session")
def examined(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Verdict]:
    """Runs the suite when a revision is first asked for, and never again in this run."""
    return functools.cache(
        lambda revision: once(tmp_path_factory, f"client-{revision}", functools.partial(suite.examine_client, revision))
    )


@pytest.fixture(params=suite.REVISIONS)
def verdict(request: pytest.FixtureRequest, examined: Callable[[str], Verdict]) -> Verdict:
    return examined(request.param)


def test_every_scored_scenario_without_authorization_passes(verdict: Verdict) -> None:
    assert {one.name for one in verdict.scored if one.has_passed} == SCORED[verdict.revision]
    assert {one.name for one in verdict.scored} == SCORED[verdict.revision]
    assert verdict.exit_code == 0


def test_schemas_are_handed_on_as_they_came(verdict: Verdict) -> None:
    assert [one.name for one in verdict.others if one.has_passed] == ["json-schema-2020-12-preservation"]


def test_nothing_earns_a_warning(verdict: Verdict) -> None:
    assert verdict.complaints == []
    assert verdict.is_good


def test_every_message_the_client_sends_is_valid_by_the_published_schema(verdict: Verdict) -> None:
    judge = Judge()
    for log in sorted(verdict.folder.glob("mcp-client-*.jsonl")):
        for line in log.read_text("utf-8").splitlines():
            judge.read(json.loads(line))
    assert judge.faults == []
    assert judge.seen > 15


def test_the_client_under_test_says_no_to_a_form_it_cannot_fill() -> None:
    odd = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 5}}, "required": ["n"]}
    assert answer(Asked("elicitation/create", {"requestedSchema": odd}, "1")) == {"action": "decline"}
    assert answer(Asked("sampling/createMessage", {}, "1")) is None
