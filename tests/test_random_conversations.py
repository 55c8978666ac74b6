"""A thousand random conversations: models that do everything wrong, users that interrupt, windows that are too small.

In all of them, with every dialect, streamed and not: no request is refused by the strict model, and an independent
judge finds every call in them answered exactly once; no call is run twice; no turn has more rounds than the cap; and
after each turn the next question can be asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.host.approval import Approval, Question, Reply
from playground.host.calls import Result
from playground.host.conversation import Conversation
from playground.host.loop import Capped, Interrupted, Limits, Think, Use, drive, turn
from playground.host.providers import Provider, provider
from playground.host.tools import Tool
from playground.scripted_model import DIALECTS, Recorded, ScriptedModel
from playground.scripted_model.talk import ABSENT, Answer, Call, Prompt

KIND = {"ollama": "ollama", "ollama-old": "ollama", "openai": "openai", "anthropic": "anthropic"}
CAP = 3
# Faults of the wire, and errors that a provider may send at any time; the second kind is recorded as refused.
CUTS = ("cut-stream", "empty-choices", "missing-choices", "html", "error-with-200", "error-in-stream")
ERRORS = {
    "rate-limit": "Rate limit reached for requests. Please try again in 20s.",
    "refused-key": "Incorrect API key provided.",
    "overloaded": "The server is overloaded or not ready yet.",
    "server-error": "The server had an error while processing your request.",
    "context-exceeded": "The prompt is too long for the context window of this model.",
}


def schema(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


TOOLS = (
    Tool("files__list_files", "Lists.", schema(), "files", "list_files", {"annotations": {"readOnlyHint": True}}, True),
    Tool("files__write_file", "Writes.", schema("filename", "text"), "files", "write_file", {}, True),
    Tool("docs.search/all things", "Searches.", {"oneOf": [schema("q"), schema("p")]}, "docs", "search/all things"),
)

# ---- What may happen -------------------------------------------------------------------------------------------------

names = st.sampled_from([*(tool.name for tool in TOOLS), "list_files", "write_file", "open file!", "", None])
texts = st.sampled_from(
    [
        "", "{}", "[]", "null", "5", '{"cut', "x=1", '"{}"', '{"filename":"a.txt","text":"x"}', '{"q":"\\ud800"}',
        '{"a":1,"a":2}', '{"filename":5}', '{"n":NaN}',
    ]
)  # fmt: skip
ids = st.sampled_from(["same", "", None, ABSENT, "functions.read:0", "x" * 100])
calls = st.lists(st.builds(Call, names, texts, ids), max_size=5)
answers = st.builds(
    lambda text, calls, thinking, fault: Answer(
        text, tuple(calls), "tool_calls" if calls else "stop", thinking=thinking, fault=fault
    ),
    st.sampled_from(["", " ", "hello", "half \ud800 x".encode("utf-16", "surrogatepass").decode("utf-16", "replace")]),
    calls,
    st.sampled_from(["", "hm"]),
    st.sampled_from([""] * 12 + [*CUTS, *ERRORS]),
)
approvals = st.sampled_from(["yes", "no", "always", "edit", "stop"])


@dataclass(frozen=True)
class Turn:
    """What happens in one turn. `stop`: in which step Ctrl-C comes, and after how many finished calls."""

    replies: list[str]
    stop: tuple[int, int] | None
    capped: str
    size: int  # characters of each result


turns = st.builds(
    Turn,
    st.lists(approvals, min_size=1, max_size=4),
    st.none() | st.none() | st.tuples(st.integers(0, 5), st.integers(0, 3)),
    st.sampled_from(["continue", "stop", "summarize"]),
    st.sampled_from([5, 50, 3000]),
)


# ---- The host --------------------------------------------------------------------------------------------------------


def show(kind: str, piece: str) -> None: ...


@dataclass
class Host:
    """Runs turns as chat_with_tools.py does, with counting tools."""

    model: Provider
    streaming: bool
    limits: Limits
    conversation: Conversation = field(default_factory=lambda: Conversation("You help with files."))
    ran: Counter[str] = field(default_factory=Counter)
    rounds: int = 0

    def ask(self, number: int, how: Turn) -> None:
        self.how, self.step, self.rounds, self.extra = how, 0, 0, 0
        replies = iter(how.replies * 20)

        def reply(question: Question) -> Reply:
            choice: Any = next(replies)
            return Reply(choice, {"filename": "edited.txt", "text": "x"} if choice == "edit" else None)

        self.approval = Approval(ask=reply)
        steps = turn(self.conversation.ask(f"question {number}"), TOOLS, self.limits)
        self.conversation = drive(steps, self.handle)

    def handle(self, step: Any) -> Any:
        match step:
            case Think(history, tools):
                self._interrupt(step)
                return self.model.complete(history, tools, stream=show if self.streaming else None)
            case Use(jobs):
                self.rounds += 1
                review = self.approval.review(jobs)
                if review.stopped:
                    raise Interrupted(review.refused)
                results: list[Result] = []
                for done, job in enumerate(review.jobs):
                    if self.how.stop is not None and self.how.stop == (self.step, done):
                        raise Interrupted([*results, *review.refused])
                    self.ran[job.call.id] += 1
                    results.append(Result.of_text(job.call.id, "y" * self.how.size))
                self._interrupt(step, [*results, *review.refused])
                return [*reversed(results), *review.refused]
            case Capped():
                if self.how.capped == "continue":
                    self.extra += 1
                return self.how.capped if self.extra < 3 else "stop"
        return None

    def _interrupt(self, step: Any, results: Any = ()) -> None:
        """Ctrl-C, if it is to come in this step; a bare one, or with the results that are there."""
        self.step += 1
        if self.how.stop is not None and self.how.stop[0] == self.step - 1:
            if results:
                raise Interrupted(results)
            raise KeyboardInterrupt


# ---- The judge -------------------------------------------------------------------------------------------------------


def judge(request: Recorded) -> None:
    """Holds a request's messages against the providers' published rules; knows nothing of the project's code."""
    body = request.body
    roles = [message["role"] for message in body["messages"]]
    seen: list[str] = []
    waiting: list[str] = []
    if "system" in roles:
        assert roles.index("system") == 0
        assert roles.count("system") == 1
    for message in body["messages"]:
        content, blocks = message.get("content"), message.get("content")
        blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
        if message["role"] == "tool":
            assert waiting.pop(0) == message["tool_call_id"]
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                assert waiting.pop(0) == block["tool_use_id"]
            assert block["type"] != "text" or block["text"].strip()
        assert waiting == []
        if message["role"] == "assistant":
            made = [call["id"] for call in message.get("tool_calls", ())]
            made += [block["id"] for block in blocks if block["type"] == "tool_use"]
            assert made or content
            assert all(made)
            waiting, seen = made, seen + made
    assert waiting == []
    assert len(set(seen)) == len(seen)
    talk = [role for role in roles if role in ("user", "assistant")]
    assert talk[0] == "user"
    assert roles[-1] in ("user", "tool")
    if "max_tokens" in body:  # Anthropic's roles alternate
        assert all(one != other for one, other in pairwise(talk))


def run(dialect: str, streaming: bool, script: list[Answer], plan: list[Turn], budget: int | None) -> None:
    lines: Iterator[Answer] = iter(script)

    def play(prompt: Prompt) -> Answer:
        return next(lines, Answer("The end."))

    with ScriptedModel(play=play) as scripted:
        made = provider(KIND[dialect], model="scripted", base_url=scripted.start(dialect), api_key="k", total=20)
        host = Host(made, streaming, Limits(CAP, result=1000, budget=budget))
        for number, how in enumerate(plan):
            host.ask(number, how)
            assert host.conversation.state == "idle"
            assert host.rounds <= CAP * (1 + host.extra)
        made.close()
        requests = [one for one in scripted.requests if one.body is not None]
        refused = [one.refusal for one in scripted.refused if one.refusal not in ERRORS.values()]
    assert refused == []
    for request in requests:
        judge(request)
    assert all(count == 1 for count in host.ran.values())
    for last in host.conversation.turns:
        for step in last.steps:
            assert [result.call_id for result in step.results] == [call.id for call in step.said.calls]


EVERY = pytest.mark.parametrize(
    ("dialect", "streaming"), [(dialect, streaming) for dialect in DIALECTS for streaming in (False, True)]
)
PLANS = {
    "script": st.lists(answers, min_size=1, max_size=15),
    "plan": st.lists(turns, min_size=1, max_size=5),
    "budget": st.none() | st.integers(60, 1500),
}
UNHURRIED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@EVERY
@settings(max_examples=10, suppress_health_check=UNHURRIED)
@given(**PLANS)
def test_ten_random_conversations(
    dialect: str, streaming: bool, script: list[Answer], plan: list[Turn], budget: int | None
) -> None:
    run(dialect, streaming, script, plan, budget)


@pytest.mark.hard
@EVERY
@settings(max_examples=125, suppress_health_check=UNHURRIED)
@given(**PLANS)
def test_a_thousand_random_conversations(
    dialect: str, streaming: bool, script: list[Answer], plan: list[Turn], budget: int | None
) -> None:
    run(dialect, streaming, script, plan, budget)


def sent(*messages: dict[str, Any], **more: Any) -> Recorded:
    return Recorded("POST", "/", {}, {"messages": list(messages), **more}, 200)


CALL = {"role": "assistant", "tool_calls": [{"id": "a"}]}
USER = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    "wrong",
    [
        sent(USER, CALL, USER),
        sent(USER, CALL, {"role": "tool", "tool_call_id": "b"}),
        sent(USER, CALL, {"role": "tool", "tool_call_id": "a"}, CALL, {"role": "tool", "tool_call_id": "a"}),
        sent(USER, {"role": "assistant", "content": ""}, USER),
        sent({"role": "assistant", "content": "hi"}, USER),
        sent(USER, {"role": "system", "content": "x"}),
        sent(USER, USER, max_tokens=1),
        sent(USER, {"role": "user", "content": [{"type": "text", "text": " "}]}),
    ],
)
def test_the_judge_can_say_no(wrong: Recorded) -> None:
    with pytest.raises((AssertionError, IndexError)):
        judge(wrong)
