"""A conversation that cannot become invalid.

In:   what the user asked, what the model said, what the tools gave back.
Out:  a new Conversation each time (nothing here changes in place), ready to be put into any provider's
      format.
Here nobody knows a provider's format, a server, a clock, a file or the terminal.

Theory of operation
    Providers refuse a whole request when one message is out of place: a tool result must follow the call it
    answers, every call needs exactly one result, ids must be unique, user and assistant must alternate. Code
    that keeps a flat list of messages breaks one of these sooner or later: when the user presses Ctrl-C
    between a call and its result, or when the oldest messages are cut off and a result loses its call.

    So the list is not flat. A Conversation is a row of Turns; a Turn is one question and its Steps; a Step is
    what the model said together with the results of the calls in it. A result lives inside the step of its
    call, so nothing can separate them, and what is left out to save space is always a whole turn. The last
    turn may be open: it waits for the model (state "model") or for results (state "tools"). `settle` closes
    it whatever its state is: each open call gets a result that says it was cancelled, and the host writes the
    missing last word, marked as the host's own. The constructors refuse every other shape with a ValueError,
    also when a saved file asks for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal

from playground.host.calls import Block, Call, Result, as_block, text_block

NO_ANSWER = "(The model returned nothing.)"
STOPPED = "(This turn was stopped before the answer.)"
CANCELLED = "Cancelled: the user stopped this turn before the tool's result arrived."


@dataclass(frozen=True, slots=True)
class Said:
    """One assistant message. `extras` (such as signed reasoning) mean something only to the provider in
    `origin`."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    by_host: bool = False  # not the model's words: the host closed the turn


@dataclass(frozen=True, slots=True)
class Step:
    """What the model said, with the results of its calls in the order of the calls."""

    said: Said
    results: tuple[Result, ...] = ()

    def __post_init__(self) -> None:
        if not self.said.calls and not self.said.text.strip():
            raise ValueError("An assistant message needs text or a call.")
        given = [result.call_id for result in self.results]
        asked = [call.id for call in self.said.calls]
        if len(set(asked)) != len(asked) or not all(asked):
            raise ValueError("Each call of a message needs an id of its own.")
        if given != [id for id in asked if id in given]:
            raise ValueError("Results must answer calls of their own message, each once and in order.")

    @property
    def open_calls(self) -> tuple[Call, ...]:
        if len(self.results) == len(self.said.calls):
            return ()
        given = {result.call_id for result in self.results}
        return tuple(call for call in self.said.calls if call.id not in given)


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and everything up to its answer."""

    question: tuple[Block, ...]
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if not any(block.get("type") != "text" or block["text"].strip() for block in self.question):
            raise ValueError("A question can't be empty.")
        if any(not step.said.calls or step.open_calls for step in self.steps[:-1]):
            raise ValueError("Only the last step of a turn may be unanswered or without calls.")

    @property
    def closed(self) -> bool:
        return bool(self.steps) and not self.steps[-1].said.calls

    @property
    def open_calls(self) -> tuple[Call, ...]:
        return self.steps[-1].open_calls if self.steps else ()

    def ending(self, step: Step) -> "Turn":
        """This turn with `step` in place of its last one."""
        return replace(self, steps=(*self.steps[:-1], step))


@dataclass(frozen=True, slots=True)
class Conversation:
    """The system prompt and whole turns; only the last may be open."""

    system: str = ""
    turns: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        if not all(turn.closed for turn in self.turns[:-1]):
            raise ValueError("Only the last turn of a conversation may be open.")
        ids = [call.id for call in self.calls()]
        if len(set(ids)) != len(ids):
            raise ValueError("Two calls of a conversation have one id.")

    def calls(self) -> Iterator[Call]:
        return chain.from_iterable(step.said.calls for turn in self.turns for step in turn.steps)

    @property
    def state(self) -> Literal["idle", "model", "tools"]:
        """Who is waited for: nobody (the user may ask), the model, or tools."""
        if not self.turns or self.turns[-1].closed:
            return "idle"
        return "tools" if self.open_calls else "model"

    @property
    def open_calls(self) -> tuple[Call, ...]:
        return self.turns[-1].open_calls if self.turns else ()

    # Each of the following gives a new conversation.

    def ask(self, question: str | Iterable[Block]) -> "Conversation":
        """Begin a turn; an open one is settled first. ValueError if there is nothing in the question."""
        blocks = (text_block(question),) if isinstance(question, str) else tuple(as_block(block) for block in question)
        return replace(self, turns=(*self.settle().turns, Turn(blocks)))

    def say(self, said: Said) -> "Conversation":
        """Add the model's message: ids made unique, and a word of the host's where the model said nothing."""
        if self.state != "model":
            raise ValueError("The model can't speak now: no question or result waits for it.")
        if not said.calls and not said.text.strip():
            said = replace(said, text=NO_ANSWER, by_host=True)
        last = self.turns[-1]
        step = Step(replace(said, calls=self._with_unique_ids(said.calls)))
        return self._with_last(replace(last, steps=(*last.steps, step)))

    def give(self, results: Iterable[Result]) -> "Conversation":
        """Add results of open calls, in any order; ValueError for one that answers no open call."""
        told = tuple(results)
        given = {result.call_id: result for result in told}
        if len(given) != len(told) or not given.keys() <= {call.id for call in self.open_calls}:
            raise ValueError("A result must answer an open call, and only once.")
        if not given:
            return self
        step = self.turns[-1].steps[-1]
        given |= {result.call_id: result for result in step.results}
        in_order = tuple(given[call.id] for call in step.said.calls if call.id in given)
        return self._with_last(self.turns[-1].ending(replace(step, results=in_order)))

    def settle(self, note: str = STOPPED, result: str = CANCELLED) -> "Conversation":
        """Close the last turn if it is open: a result for each open call, then the host's note as the last
        word."""
        if self.state == "idle":
            return self
        repaired = self.give(Result.of_text(call.id, result, is_error=True) for call in self.open_calls)
        return repaired.say(Said(text=note, by_host=True))

    def withdraw(self) -> "Conversation":
        """Take back a question to which nothing was said yet; a turn that got further is settled instead."""
        if self.turns and not self.turns[-1].steps:
            return replace(self, turns=self.turns[:-1])
        return self.settle()

    def cleared(self) -> "Conversation":
        return replace(self, turns=())

    def with_system(self, text: str) -> "Conversation":
        return replace(self, system=text.strip())

    def noting(self, text: str) -> "Conversation":
        """Add a word of the host's to the newest result, where the model reads it next."""
        if self.state != "model" or not self.turns[-1].steps:
            raise ValueError("There is no new result to which a note could be added.")
        step = self.turns[-1].steps[-1]
        last = replace(step.results[-1], content=(*step.results[-1].content, text_block(text)))
        return self._with_last(self.turns[-1].ending(replace(step, results=(*step.results[:-1], last))))

    def _with_last(self, turn: Turn) -> "Conversation":
        return replace(self, turns=(*self.turns[:-1], turn))

    def _with_unique_ids(self, calls: Sequence[Call]) -> tuple[Call, ...]:
        """Providers send no id, an empty one, or one twice; both messages must then use an id of ours."""
        taken = {call.id for call in self.calls()}
        wanted = {call.id for call in calls}
        number, unique = len(taken), list[Call]()
        for call in calls:
            if not call.id or call.id in taken:
                while (made := f"call_{(number := number + 1)}") in taken | wanted:
                    pass
                call = replace(call, id=made, received_id=call.id)
            taken.add(call.id)
            unique.append(call)
        return tuple(unique)
