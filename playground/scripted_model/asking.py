"""Asking a client for one thing: a call goes out, its outcome comes back sound, or `Trouble` is raised.

Goes in: a toolbox and what is wanted. Comes out: generators that yield calls and return values. Refuses to
know: why it is wanted.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Final

from playground.scripted_model import results
from playground.scripted_model.talk import Call, Outcome
from playground.scripted_model.toolbox import Toolbox

Doing = Generator[list[Call], list[Outcome], str]


MOST_AT_ONCE: Final = 8


class Trouble(Exception):
    """A step that can't go on; its text is the sentence to say."""


@dataclass
class Memory:
    """What earlier steps of the same question left behind; `value` is None when there is nothing to pass on."""

    value: str | None = None
    names: list[str] = field(default_factory=list)
    spoiled: dict[str, str] = field(default_factory=dict)


def use(box: Toolbox, role: str, doing: str, **values: str) -> Generator[list[Call], list[Outcome], Outcome]:
    """One call; raises Trouble with a sentence if there is no tool for it, or if it failed."""
    call = box.call(role, **values)
    if call is None:
        raise Trouble(f"None of the tools I was offered can {doing}.")
    (outcome,) = yield [call]
    return sound(outcome, doing)


def sound(outcome: Outcome, doing: str) -> Outcome:
    if results.was_declined(outcome):
        raise Trouble(f"I did not {doing}: the call of {outcome.call.name} was declined, so I left it at that.")
    if results.has_failed(outcome):
        raise Trouble(f"I could not {doing}: {results.reason_of(outcome)}")
    return outcome


def listing(box: Toolbox) -> Generator[list[Call], list[Outcome], list[str]]:
    outcome = yield from use(box, "list", "list the files")
    return results.names_of(outcome)


def whole_text_in(box: Toolbox, name: str) -> Generator[list[Call], list[Outcome], str]:
    """The same for a text that is to be written back: part of one would destroy the rest."""
    outcome = yield from use(box, "read", f"read {name}", file=name)
    if results.was_cut(outcome):
        raise Trouble(f"I got only a part of {name}, which is too long for me to change or copy safely.")
    return results.text_of(outcome)


def text_in(box: Toolbox, name: str) -> Generator[list[Call], list[Outcome], str]:
    outcome = yield from use(box, "read", f"read {name}", file=name)
    return results.text_of(outcome)


def texts_in(box: Toolbox, names: Sequence[str]) -> Generator[list[Call], list[Outcome], list[tuple[str, str]]]:
    """Several files, a few at a time; one that can't be read is left out."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(names), MOST_AT_ONCE):
        part = names[start : start + MOST_AT_ONCE]
        calls = [box.call("read", file=name) for name in part]
        if None in calls:
            raise Trouble("None of the tools I was offered can read files.")
        outcomes = yield [call for call in calls if call]
        found += [
            (name, results.text_of(one))
            for name, one in zip(part, outcomes, strict=True)
            if not results.has_failed(one)
        ]
    return found
