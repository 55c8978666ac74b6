"""playground/host/story.py: the log of a turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playground.host.approval import Approval
from playground.host.calls import Call, Result
from playground.host.conversation import Said
from playground.host.diagnosis import Diagnosis
from playground.host.loop import Answer
from playground.host.member import Member
from playground.host.providers import provider
from playground.host.providers.line import Exchange
from playground.host.running import Question
from playground.host.servers import Entry
from playground.host.story import SHOWN, Story
from playground.host.tools import Tool
from playground.logbook import Logbook
from playground.wire.connecting import Way
from tests.chats import asked, job, records

READ = Tool("files__read", server="files", original="read")


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(Logbook(tmp_path, "mcp-client-chat", secrets=["key-123456789"]))


def test_the_start_names_provider_model_address_and_servers(story: Story, tmp_path: Path) -> None:
    log = Logbook(tmp_path / "other", "x")
    entries = [Entry("files", Way("http", url="http://127.0.0.1:1/mcp")), Entry("bad", None, problem="It is wrong.")]
    members = [Member(entry, log, {}, lambda *a: None, lambda *a: None, str) for entry in entries]
    story.begins(provider("ollama"), members)
    story.ends()
    start, end = records(tmp_path)
    assert (start["event"], end["event"]) == ("chat_start", "chat_end")
    assert start["data"] == {
        "provider": "ollama",
        "model": "granite3.3",
        "base_url": "http://127.0.0.1:11434/v1",
        "servers": [
            {"name": "files", "at": "http://127.0.0.1:1/mcp", "via": "", "trusted": False},
            {"name": "bad", "at": "", "via": "", "trusted": False, "problem": "It is wrong."},
        ],
    }


def test_each_question_begins_a_trace_that_all_its_records_share(story: Story, tmp_path: Path) -> None:
    story.question([{"type": "text", "text": "one"}])
    first = story.trace
    story.told("answer", by_host=False)
    story.question([{"type": "text", "text": "two"}])
    story.stopped("timeout", "Too late.")
    traces = [record["trace"] for record in records(tmp_path)]
    assert traces == [first, first, story.trace, story.trace]
    assert first != story.trace
    question, answer = records(tmp_path)[:2]
    assert (question["dir"], question["peer"], answer["dir"], answer["peer"]) == ("in", "user", "out", "user")


def test_the_tools_are_written_when_they_are_other_than_before(story: Story, tmp_path: Path) -> None:
    offers = provider("openai", base_url="http://127.0.0.1:1/v1")
    dotted = Tool("files__read.all", server="files")
    for tools in ([READ], [READ], [READ, dotted]):
        story.offers(offers.offer(tools))
    first, second = records(tmp_path, "tools_mapped_for_llm")
    assert [tool["name"] for tool in first["data"]["tools"]] == ["files__read"]
    assert second["data"]["tools"][1]["name"] == "files__read.all"
    assert second["data"]["tools"][1]["sent_as"].startswith("files__read_all_")
    assert "is called" in second["data"]["changes"][0]


@pytest.mark.parametrize(("round", "prefix"), [(0, "chat_"), (1, "chat_"), (2, "chat_followup_")])
def test_bodies_stand_in_the_log_as_they_were_on_the_wire(
    story: Story, tmp_path: Path, round: int, prefix: str
) -> None:
    seen = Exchange("POST", "http://127.0.0.1:1/v1/chat/completions", b'{ "model":"m" }')
    note = story.wire(round)
    note("sent", seen)
    seen.status, seen.ms, seen.headers = 200, 12.5, {"content-type": "text/event-stream"}
    seen.received += b'data: {"a":1}\n\ndata: [DONE]\n\n'
    note("received", seen)
    sent, received = records(tmp_path)
    assert (sent["event"], received["event"]) == (f"{prefix}request", f"{prefix}response")
    assert sent["data"]["message"] == {"model": "m"}
    assert sent["data"]["raw"] == '{ "model":"m" }'
    assert received["data"]["raw"] == 'data: {"a":1}\n\ndata: [DONE]\n\n'
    assert received["data"]["http"]["status"] == 200
    assert (sent["dir"], sent["peer"], received["dir"], received["ms"]) == ("out", "llm", "in", 12.5)
    assert sent["exchange"] == received["exchange"]
    assert sent["trace"] == received["trace"] == story.trace


def test_keys_never_reach_the_log_and_a_refusal_is_a_warning(story: Story, tmp_path: Path) -> None:
    seen = Exchange("POST", "http://h/", b'{"k":"key-123456789"}', 401, received=bytearray(b"no key-123456789"))
    note = story.wire(1)
    note("sent", seen)
    note("received", seen)
    assert "key-123456789" not in (tmp_path / "mcp-client-chat.jsonl").read_text("utf-8")
    assert [record["level"] for record in records(tmp_path)] == ["INFO", "WARNING"]


def test_a_round_leaves_its_answer_calls_approvals_and_results(story: Story, tmp_path: Path) -> None:
    call = Call.received("c1", "read", '{"a":1}')
    story.answered(Answer(Said("Hm.", (call,)), "calls", {"input": 3}), 1)
    story.called([job(READ, {"a": 1}), job(Tool("read", server="x"), {})], 1)
    story.reviewed(Approval().review([job(READ, {"a": 1})]), 1)
    long = Result.of_text("c1", "x" * (SHOWN + 10))
    story.resulted([long, Result.of_text("c2", "no", is_error=True)], 1, {"c1": 5.0})
    answer, first, _, approval, result, error = records(tmp_path)
    assert answer["data"]["calls"] == [{"id": "c1", "name": "read", "arguments": '{"a":1}'}]
    assert answer["data"]["usage"] == {"input": 3}
    assert "routed_to" not in first["data"]
    assert approval["data"]["why"] == "there is nobody to ask"
    assert approval["data"]["runs"] is False
    assert (len(result["data"]["text"]), result["data"]["characters"], result["ms"]) == (SHOWN, SHOWN + 10, 5.0)
    assert (error["event"], error["level"]) == ("llm_tool_error", "WARNING")


def test_a_name_without_its_prefix_is_logged_as_routed(story: Story, tmp_path: Path) -> None:
    from dataclasses import replace

    one = job(READ)
    story.called([replace(one, call=Call.received("c1", "read", "{}"))], 2)
    (record,) = records(tmp_path, "llm_tool_call")
    assert (record["data"]["name"], record["data"]["routed_to"], record["data"]["round"]) == ("read", "files__read", 2)


def test_diagnoses_are_written_and_a_call_that_never_ran_is_an_error(story: Story, tmp_path: Path) -> None:
    story.noticed(Diagnosis("trimmed", "Left out."))
    story.noticed(Diagnosis("cut_json", "Cut.", Call.received("c1", "x", '{"a')))
    story.noticed(Diagnosis("call_id", "Twice.", Call.received("c1", "x", "{}")))
    trimmed, cut, twice = records(tmp_path)
    assert [trimmed["event"], cut["event"], twice["event"]] == ["chat_diagnosis", "llm_tool_error", "chat_diagnosis"]
    assert cut["data"]["arguments"] == '{"a'  # the original text


def test_questions_of_servers_commands_and_faults_are_written(story: Story, tmp_path: Path) -> None:
    reply: dict[str, Any] = {"action": "accept"}
    story.asked(Question("files", asked("elicitation/create", message="?")), reply, "approval")
    story.command("/clear")
    story.crashed(ValueError("odd"))
    question, command, crash = records(tmp_path)
    assert (question["data"]["by"], question["data"]["method"]) == ("approval", "elicitation/create")
    assert command["data"] == {"line": "/clear"}
    assert (crash["event"], crash["level"]) == ("chat_crash", "ERROR")
