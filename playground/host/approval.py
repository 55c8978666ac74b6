"""Who may run what.

In:   the jobs of a round, what the user said before, and a function that asks the user.
Out:  the jobs that may run (perhaps with edited arguments), an error result for each of the others, and a
      Decision for each, to be logged.
Here nobody knows the terminal: asking is a seam, so tests and machines answer too.

Theory of operation
    A tool's annotations come from its server, and a hostile server may call its deleting tool read-only. So
    they decide only for a server that the user trusts; of any other they are shown as what they are, a claim
    (https://modelcontextprotocol.io/specification/2025-11-25/server/tools, "Tool Annotations").

    "Always in this session" holds for one tool as it was when the user said so. Its definition is remembered
    as a fingerprint, and when the server changes the description, the schema or the annotations, the question
    comes again: a tool that was harmless on Monday may not be on Tuesday.

    Questions come one at a time, also when servers ask from other threads.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from playground.host.calls import Result, compact, text_block
from playground.host.tools import Job, Tool

Mode = Literal["ask", "always", "never"]

REFUSED = "The user did not allow this call. Don't repeat it; say what you wanted to do, or go on without it."
STOPPED = "Not run: the user stopped this turn."
NOT_ASKED = "Not run: nobody is there to allow it, and without that only reading tools run."
FORBIDDEN = "Not run: in this session only tools that read may run."


@dataclass(frozen=True, slots=True)
class Question:
    """What the user is asked. The texts come from a server and a model: show them escaped."""

    tool: Tool
    arguments: Mapping[str, Any]
    claims: tuple[str, ...]  # what the server says of its tool: "read-only", "destructive", …
    changed: bool  # whether the definition changed since the user allowed this tool


@dataclass(frozen=True, slots=True)
class Reply:
    """The user's word; "edit" brings the arguments that shall be used instead."""

    choice: Literal["yes", "no", "always", "edit", "stop"]
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one job, and why, in words for the log."""

    job: Job
    runs: bool
    why: str


@dataclass(frozen=True, slots=True)
class Review:
    """What came of the jobs of one round. `stopped`: the user wants the whole turn to end."""

    jobs: tuple[Job, ...]
    refused: tuple[Result, ...]
    decisions: tuple[Decision, ...]
    stopped: bool


Ask = Callable[[Question], Reply]


class Approval:
    """The policy of one session and what the user has allowed in it."""

    def __init__(self, mode: Mode = "ask", ask: Ask | None = None) -> None:
        """`ask` is None where nobody can be asked (no terminal)."""
        self.mode: Mode = mode
        self._ask = ask
        self._allowed: dict[str, str] = {}  # tool name -> fingerprint of its definition
        self._just_approved: set[str] = set()
        self._one_at_a_time = threading.Lock()

    def review(self, jobs: Sequence[Job]) -> Review:
        """Decide about each job in order; after "stop" all that follow are refused too."""
        decisions: list[Decision] = []
        refused: list[Result] = []
        stopped = False
        self._just_approved = set()
        for job in jobs:
            if stopped:
                decision, sentence = Decision(job, False, "the user stopped the turn"), STOPPED
            else:
                decision, sentence = self._decide(job)
                stopped = sentence == STOPPED
            decisions.append(decision)
            if not decision.runs:
                refused.append(Result.of_text(job.call.id, sentence, is_error=True))
        running = tuple(decision.job for decision in decisions if decision.runs)
        return Review(running, tuple(refused), tuple(decisions), stopped)

    def just_approved(self, call_id: str) -> bool:
        """Whether the user said yes to this very call in the last review: a server needn't ask the same again."""
        return call_id in self._just_approved

    def forget(self) -> None:
        """Take back every "always in this session"."""
        self._allowed.clear()

    @property
    def allowed(self) -> tuple[str, ...]:
        return tuple(sorted(self._allowed))

    def _decide(self, job: Job) -> tuple[Decision, str]:
        """The decision, and the sentence for the model if it is a no."""
        tool = job.tool
        if is_read_only(tool):
            return Decision(job, True, "reads only, says a trusted server"), ""
        if self.mode == "always":
            return Decision(job, True, "everything is allowed in this session"), ""
        if self.mode == "never":
            return Decision(job, False, "nothing that changes is allowed in this session"), FORBIDDEN
        told = fingerprint(tool)
        if self._allowed.get(tool.name) == told:
            return Decision(job, True, "the user allowed this tool for the session"), ""
        if self._ask is None:
            return Decision(job, False, "there is nobody to ask"), NOT_ASKED
        question = Question(tool, job.arguments, claims(tool), tool.name in self._allowed)
        with self._one_at_a_time:
            reply = _answer(self._ask, question)
        return self._heed(job, told, reply)

    def _heed(self, job: Job, told: str, reply: Reply) -> tuple[Decision, str]:
        match reply.choice:
            case "yes" | "always" | "edit":
                self._just_approved.add(job.call.id)
                if reply.choice == "always":
                    self._allowed[job.tool.name] = told
                    return Decision(job, True, "the user allowed this tool for the session"), ""
                if reply.choice == "edit" and reply.arguments is not None:
                    edited = replace(job, arguments=dict(reply.arguments))
                    return Decision(edited, True, "the user edited the arguments"), ""
                return Decision(job, True, "the user said yes"), ""
            case "stop":
                return Decision(job, False, "the user stopped the turn"), STOPPED
            case _:
                self._allowed.pop(job.tool.name, None)
                return Decision(job, False, "the user said no"), REFUSED


def _answer(ask: Ask, question: Question) -> Reply:
    """The end of input is a no."""
    try:
        return ask(question)
    except EOFError:
        return Reply("no")


def noted(job: Job, result: Result) -> Result:
    """The result, opened by a line about edited arguments: the model must know what really ran."""
    if job.arguments == job.call.arguments:
        return result
    note = f"[The user changed the arguments before the tool ran: {compact(job.arguments)}]"
    return replace(result, content=(text_block(note), *result.content))


def is_read_only(tool: Tool) -> bool:
    """Whether this tool may run unasked: its server is trusted and says that it only reads."""
    return tool.trusted and _annotations(tool).get("readOnlyHint") is True


def claims(tool: Tool) -> tuple[str, ...]:
    """What a server says about its tool, in words; the defaults are the specification's (the worst case)."""
    hints = _annotations(tool)
    if hints.get("readOnlyHint") is True:
        said = ["read-only"]
    else:
        said = ["destructive" if hints.get("destructiveHint") is not False else "only adds"]
        said += ["safe to repeat"] if hints.get("idempotentHint") is True else []
    return (*said, *(["reaches beyond this machine"] if hints.get("openWorldHint") is True else []))


def fingerprint(tool: Tool) -> str:
    """A digest of all that a server said about the tool; the order of members doesn't matter."""
    said = [tool.name, tool.server, tool.description, tool.schema, tool.definition]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=dict).encode()).hexdigest()


def _annotations(tool: Tool) -> Mapping[str, Any]:
    found = tool.definition.get("annotations")
    return found if isinstance(found, Mapping) else {}
