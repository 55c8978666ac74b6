"""The next thing the model says: the question, the tools and the results so far become one `Answer`.

Goes in: a `Prompt`. Comes out: an `Answer`. Refuses to know: the wire.

*Theory of operation.* The model has no memory: each request brings the whole conversation, and the answer
must follow from it alone. So the question is understood anew each time, its steps are started anew, and they
are sent the outcomes that already came back, round by round. Where they stop and ask for more is the next
answer. Nothing is looked up, so nothing can get out of step, and the same conversation always gets the same
answer.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import islice

from playground.scripted_model import results, small_talk
from playground.scripted_model.asking import Doing
from playground.scripted_model.doing import carry_out
from playground.scripted_model.talk import Answer, Call, Outcome, Prompt, Round
from playground.scripted_model.toolbox import Toolbox, slot_of
from playground.scripted_model.understanding import understand


def decide(prompt: Prompt) -> Answer:
    """The answer of the plain scripted model."""
    box = Toolbox(prompt.tools if prompt.may_call else (), prompt.question.text)
    doing = _plan(prompt, box)
    answer = replayed(doing if prompt.is_parallel else singly(doing), prompt.question.rounds)
    if prompt.must_call is not None and not answer.calls:
        forced = _forced(prompt, box)
        return Answer(calls=(forced,), finish="tool_calls") if forced else answer
    return answer


def replayed(doing: Doing, rounds: Sequence[Round]) -> Answer:
    """Send a plan the outcomes there are; what it asks for next, or says in the end, is the answer."""
    try:
        wanted = next(doing)
        for one in rounds:
            wanted = doing.send(list(_aligned(wanted, one)))
    except StopIteration as stop:
        changed = [text for one in rounds for outcome in one.outcomes if (text := results.edited(outcome))]
        return Answer("".join(f"You had a call run with {text} instead.\n" for text in changed) + stop.value)
    return Answer(calls=tuple(wanted), finish="tool_calls")


def singly(doing: Doing) -> Doing:
    """The same plan with one call at a time, for clients that ask for no parallel calls."""

    def one_by_one(calls: list[Call]) -> Generator[list[Call], list[Outcome], list[Outcome]]:
        collected: list[Outcome] = []
        for call in calls:
            collected += yield [call]
        return collected

    try:
        wanted = next(doing)
        while True:
            wanted = doing.send((yield from one_by_one(wanted)))
    except StopIteration as stop:
        return str(stop.value)


def _aligned(wanted: Sequence[Call], one: Round) -> Iterator[Outcome]:
    """One outcome for each call that was asked for. Outcomes carry the call as it was really made: a user
    may have changed its arguments."""
    yield from islice(one.outcomes, len(wanted))
    for call in wanted[len(one.outcomes) :]:
        yield Outcome(call, "Error: no result came back", flagged=True)


def _plan(prompt: Prompt, box: Toolbox) -> Doing:
    text = prompt.question.text
    earlier = prompt.questions[:-1]
    tool = box.named(text)
    call = box.spelled_out(tool, text) if tool else None
    if call:
        return _one_call(call)
    known = [name for question in earlier for one in question.rounds for name in _files_of(one, prompt)]
    understood = understand(text, [question.text for question in earlier], known)
    if understood.steps and not (tool and all(step.do == "ask" for step in understood.steps)):
        return carry_out(understood.steps, box)
    if tool:
        return _say(
            f"To call {tool.name} I need a value for each of: {', '.join(tool.required)}. Say "
            f"for example: call {tool.name} {tool.required[0]}=…"
        )
    return _say(small_talk.reply(understood.talk, text, [one.name for one in box.tools]))


def _files_of(one: Round, prompt: Prompt) -> Iterator[str]:
    slots = {tool.name: slot_of(tool, "file") for tool in prompt.tools}
    for call in one.calls:
        slot = slots.get(call.name)
        if slot and isinstance(call.parsed.get(slot), str):
            yield call.parsed[slot]


def _say(text: str) -> Doing:
    yield from ()
    return text


def _one_call(call: Call) -> Doing:
    (outcome,) = yield [call]
    if results.was_declined(outcome):
        return f"The call of {call.name} was declined, so I left it at that."
    if results.has_failed(outcome):
        return f"{call.name} failed: {results.reason_of(outcome)}"
    return f"{call.name} answered:\n{results.text_of(outcome)}"


def _forced(prompt: Prompt, box: Toolbox) -> Call | None:
    """A call for a client that demands one where the plan has none."""
    named = Toolbox([tool for tool in prompt.tools if tool.name == prompt.must_call]) if prompt.must_call else box
    return named.example()
