"""A turn of the host: model, tools, model, … until the model answers without calls.

In:   a Conversation that waits for the model, and the tools on offer.
Out:  a generator of steps. Whoever drives it does what the step says and sends the outcome back in:
          Think(history, tools, round)   send an Answer, or throw a NoAnswer
          Use(jobs, round)               send one Result per job, in any order
          Warn(diagnosis)                tell the user
          Capped(rounds)                 send "continue", "stop" or "summarize"
          Say(text, by_host)             show the answer
          Stopped(kind, sentence)        the turn ended without an answer; tell the user
      and in the end the new Conversation (the generator's return value), which is whole whatever happened.
Here nobody knows a provider, a server, a thread, a clock or the terminal.

Theory of operation
    A call that can't be run never reaches Use: a tool nobody has, arguments that aren't an object, a call
    that is there twice. Such a call gets its error result here, in a sentence that the model can act on. So
    for the driver each job is a real tool with an object of arguments, and all it may add is the user's
    approval.

    Ctrl-C and a failing provider are exceptions in the driver. It throws them into the generator (`drive`
    does), which repairs the history: what was done stays, what is open is marked as cancelled. Results that
    were already there come along in Interrupted.results. If the driver dies another way, it still holds the
    conversation from before the turn.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.host import budget, diagnosis
from playground.host.calls import Call, Result
from playground.host.conversation import Conversation, Said
from playground.host.diagnosis import Diagnosis
from playground.host.tools import Job, Tool, find, unknown

MAX_ROUNDS = 10
RESULT_LIMIT = 20_000  # characters of one result that the model gets; the log keeps all of it

SUMMARIZE = "[The limit of tool rounds is reached. Answer now, from what you have so far.]"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a provider made of a history. `stop`: stop, calls, length, refusal, no_choice, or the provider's
    own word.

    `usage` has the tokens as "input" and "output" where the provider tells. `request` and `response` are the
    bodies as they were on the wire.
    """

    said: Said
    stop: str = "stop"
    usage: Mapping[str, int] = field(default_factory=dict)
    request: bytes = b""
    response: bytes = b""


class NoAnswer(Exception):
    """A provider couldn't answer. `kind` is a stable word, str() one sentence for the user."""

    kind = "failed"


class Interrupted(Exception):
    """The user stopped the turn; `results` are of the calls that were finished by then."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        super().__init__("The turn was stopped.")
        self.results = tuple(results)


@dataclass(frozen=True, slots=True)
class Think:
    history: Conversation
    tools: tuple[Tool, ...]
    round: int


@dataclass(frozen=True, slots=True)
class Use:
    jobs: tuple[Job, ...]
    round: int


@dataclass(frozen=True, slots=True)
class Warn:
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Capped:
    rounds: int


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    by_host: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    kind: str
    sentence: str


Step = Think | Use | Warn | Capped | Say | Stopped
Check = Callable[[Tool, Mapping[str, Any]], str | None]
Tools = Sequence[Tool] | Callable[[], Sequence[Tool]]


@dataclass(frozen=True, slots=True)
class Limits:
    """`budget`: tokens that the history may take, None for no limit; `result`: characters of one result."""

    rounds: int = MAX_ROUNDS
    result: int = RESULT_LIMIT
    budget: int | None = None

    def per_result(self, calls: int) -> int:
        """What one of several results may take: those of a round together at most half of the budget."""
        if self.budget is None:
            return self.result
        return max(200, min(self.result, self.budget * budget.BYTES_PER_TOKEN // 2 // max(1, calls)))


def turn(
    conversation: Conversation, tools: Tools, limits: Limits | None = None, check: Check | None = None
) -> Generator[Step, Any, Conversation]:
    """One turn, see the top of this file. ValueError (at the first step) unless the conversation waits for
    the model.

    `tools` may be a function: it is asked anew each round, so that a changed list is used in mid-turn.
    `check` gives a complaint about a tool's arguments, or None.
    """
    running = _Turn(conversation, tools, limits or Limits(), check)
    try:
        yield from running.rounds()
    except (Interrupted, KeyboardInterrupt) as stop:
        running.keep(stop.results if isinstance(stop, Interrupted) else ())
        running.conversation = running.conversation.settle()
        yield Stopped("interrupted", "Stopped. What was done so far stays in the conversation.")
    except NoAnswer as failure:
        running.conversation = running.conversation.withdraw()
        yield Stopped(failure.kind, str(failure))
    return running.conversation


def drive(steps: Generator[Step, Any, Conversation], handle: Callable[[Step], Any]) -> Conversation:
    """Run a turn: hand each step to `handle`, send back what it returns or throw in what stops the turn."""
    try:
        step = next(steps)
        while True:
            try:
                outcome = handle(step)
            except (Interrupted, KeyboardInterrupt, NoAnswer) as stop:
                step = steps.throw(stop)
            else:
                step = steps.send(outcome)
    except StopIteration as end:
        finished: Conversation = end.value
        return finished


class _Turn:
    """The state of one running turn."""

    def __init__(self, conversation: Conversation, tools: Tools, limits: Limits, check: Check | None) -> None:
        if conversation.state != "model":
            raise ValueError("A turn needs a conversation that waits for the model: ask something first.")
        self.conversation = conversation
        self._tools = tools
        self._limits = limits
        self._check = check
        self._earlier: list[Sequence[Call]] = []
        self._results: tuple[Result, ...] = ()

    def rounds(self) -> Generator[Step, Any, None]:
        number = 0
        allowed = self._limits.rounds
        while True:
            number += 1
            tools = tuple(self._tools() if callable(self._tools) else self._tools)
            answer = yield from self._think(tools, number)
            if not self.conversation.open_calls:
                yield from self._say(answer, tools)
                return
            yield from self._use(tools, number)
            if number < allowed:
                continue
            choice = yield Capped(number)
            if choice == "continue":
                allowed += self._limits.rounds
            elif choice == "summarize":
                yield from self._summarize(number + 1)
                return
            else:
                yield from self._end(f"Stopped: the limit of {number} rounds of tool calls is reached.")
                return

    def keep(self, results: Iterable[Result]) -> list[Diagnosis]:
        """Take the results of open calls into the conversation, cut to what the model may get."""
        waiting = {call.id: call for call in self.conversation.open_calls}
        limit, cut = self._limits.per_result(len(waiting)), []
        for result in results:
            if call := waiting.pop(result.call_id, None):
                short, left_out = result.shortened(limit)
                self.conversation = self.conversation.give([short])
                if left_out:
                    told = f"The result of '{call.name}' was cut for the model: {left_out:,} characters less."
                    cut.append(Diagnosis("result_cut", told, call))
        return cut

    def _think(self, tools: tuple[Tool, ...], number: int) -> Generator[Step, Any, Answer]:
        view = self.conversation
        if self._limits.budget is not None:
            view, trim = budget.fitted(view, self._limits.budget)
            if trim:
                yield Warn(Diagnosis("trimmed", trim.sentence))
        try:
            answer: Answer = yield Think(view, tools, number)
        except NoAnswer as failure:
            # The window was smaller than anybody knew: once more with half of it, where something can be left
            # out.
            view, trim = budget.fitted(view, budget.tokens(view) // 2)
            if failure.kind != "too_long" or trim is None or not (trim.turns or trim.results):
                raise
            yield Warn(Diagnosis("trimmed", f"{failure} {trim.sentence}"))
            answer = yield Think(view, tools, number)
        self.conversation = self.conversation.say(answer.said)
        return answer

    def _say(self, answer: Answer, tools: Sequence[Tool]) -> Generator[Step, Any, None]:
        names = [tool.name for tool in tools]
        for found in diagnosis.of_answer(answer.said, answer.stop, names, self._results):
            yield Warn(found)
        said = self.conversation.turns[-1].steps[-1].said
        yield Say(said.text, said.by_host)

    def _use(self, tools: Sequence[Tool], number: int) -> Generator[Step, Any, None]:
        calls = self.conversation.open_calls
        jobs: list[Job] = []
        for found in diagnosis.of_round(calls):
            yield Warn(found)
        for call in calls:
            for found in [*diagnosis.of_call(call), *diagnosis.repeated(call, self._earlier)]:
                yield Warn(found)
            job = yield from self._job(call, tools, calls)
            if isinstance(job, Job):
                jobs.append(job)
            else:
                self.conversation = self.conversation.give([Result.of_text(call.id, job, is_error=True)])
        self._earlier.append(calls)
        if jobs:
            given: Iterable[Result] = yield Use(tuple(jobs), number)
            for cut in self.keep(given):
                yield Warn(cut)
            lost = "The host has no result for this call."
            self.keep(Result.of_text(call.id, lost, is_error=True) for call in self.conversation.open_calls)
        self._results = self.conversation.turns[-1].steps[-1].results

    def _job(self, call: Call, tools: Sequence[Tool], calls: Sequence[Call]) -> Generator[Step, Any, Job | str]:
        """A job, or the sentence for the model that says why there is none."""
        if (first := _same(call, calls)) is not call:
            return f"This is the call '{first.id}' a second time; it was run once, and its result stands there."
        tool = find(call.name, tools)
        if tool is None:
            yield Warn(diagnosis.unknown_tool(call))
            return unknown(call.name, tools)
        if call.complaint:
            return call.complaint.sentence
        arguments = call.arguments or {}
        if self._check and (complaint := self._check(tool, arguments)):
            yield Warn(diagnosis.wrong_arguments(call, complaint))
            return f"The tool was not run: {complaint}"
        return Job(call, tool, arguments)

    def _summarize(self, number: int) -> Generator[Step, Any, None]:
        self.conversation = self.conversation.noting(SUMMARIZE)
        answer = yield from self._think((), number)
        if self.conversation.open_calls:
            yield from self._end("Stopped: the model asks for more tools instead of answering.")
        else:
            yield from self._say(answer, ())

    def _end(self, sentence: str) -> Generator[Step, Any, None]:
        self.conversation = self.conversation.settle(f"({sentence})", "Not run: the limit of tool rounds is reached.")
        yield Say(sentence, by_host=True)


def _same(call: Call, calls: Sequence[Call]) -> Call:
    """The first of these calls that is `call` itself: some providers send one call twice, id and all."""
    told = call.received_id or call.id
    return next(
        other
        for other in calls
        if other.id == call.id
        or (bool(call.received_id) and (other.id, other.name, other.text) == (told, call.name, call.text))
    )
