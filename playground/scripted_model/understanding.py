"""Text in, steps out: what a user's question asks to do with files.

Goes in: the text of a question and the texts of earlier ones. Comes out: `Understood`: steps in the order of
doing, or the kind of talk it is. Refuses to know: tools, results, providers; it looks at nothing but words.

*Theory of operation.* `wording` cuts the question into clauses, `operations` says which operation each
clause asks for, and the functions here fill its slots (file, text, keyword). Nobody can list all wordings,
so nothing here is a full sentence: an operation is recognized by its verb wherever it stands, files by their
look, keywords and texts by the small words around them. What a clause leaves out is taken from what was said
before: *it* is the file mentioned last, in this question or in an earlier one. Two rules keep guesses
harmless. A clause that is negated, about the past or about a possibility asks for nothing; and nothing is
ever deleted without a file or *it*.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from playground.scripted_model import small_talk
from playground.scripted_model.operations import NEGATED, NO_REQUEST, operation
from playground.scripted_model.reading import Reading
from playground.scripted_model.slots import steps_of
from playground.scripted_model.steps import Step
from playground.scripted_model.wording import clauses, mark


@dataclass(frozen=True)
class Understood:
    """`steps` in the order of doing; `talk` is set only when there are none."""

    steps: tuple[Step, ...] = ()
    talk: str = ""


_MISSPELT: Final = [
    "create",
    "write",
    "append",
    "delete",
    "remove",
    "erase",
    "rename",
    "replace",
    "search",
    "count",
    "read",
    "show",
    "display",
    "list",
    "print",
    "copy",
    "open",
    "find",
    "insert",
    "overwrite",
]


def understand(text: str, earlier: Sequence[str] = (), known: Iterable[str] = ()) -> Understood:
    """What a question asks for; `earlier` are the texts before it, oldest first; `known` files used since.

    >>> [step.described() for step in understand("Put 'hello' into a.txt, then count the TODOs").steps]
    ['write a.txt', 'count TODO in a.txt']
    """
    text = text.strip()
    before = [*(name for one in earlier for name in mark(one).files), *known]
    if earlier and (
        only := re.fullmatch(
            r"(?:(?:call|name) it|it'?s|in|use|the file is|i mean)?\s*(\S+?)[.!]?", text, re.IGNORECASE
        )
    ):
        asked = understand(earlier[-1], earlier[:-1])
        if any(step.do == "ask" for step in asked.steps):
            return understand(f"{earlier[-1].rstrip(' .!?')}, called {only[1]}", earlier[:-1])
    if (
        re.fullmatch(
            r"(?:please )?(?:do (?:it|that) |once more|one more time|again)+(?:again|once more|please)*[.!]?",
            text,
            re.IGNORECASE,
        )
        and earlier
    ):
        return understand(earlier[-1], earlier[:-1])
    steps = _steps(text, before)
    talk = "help" if small_talk.is_about_ability(text) else small_talk.kind(text)
    if not steps and not talk and not NEGATED.search(text) and not NO_REQUEST.search(text):
        corrected = _corrected(text)
        steps = _steps(corrected, before) if corrected != text else ()
    if steps and not small_talk.is_about_ability(text):
        return Understood(steps)
    return Understood((), talk or "unknown")


def _corrected(text: str) -> str:
    """Mistyped verbs put right: `creat`, `delte`."""

    def right(match: re.Match[str]) -> str:
        near = difflib.get_close_matches(match[0].lower(), _MISSPELT, n=1, cutoff=0.75)
        return near[0] if near else match[0]

    marked = mark(text)
    return marked.restore(re.sub(r"(?<![\w⟦])[A-Za-z]{4,9}\b(?!⟧)", right, marked.text))


def _steps(text: str, before: Iterable[str]) -> tuple[Step, ...]:
    marked = mark(text)
    reading = Reading(marked, list(before), steps_of)
    placed: list[tuple[int, Step]] = []
    pieces = _with_blocks(
        clauses(re.sub(rf"^(?={_LABEL}.*{_LABEL[18:]})", "create ", marked.text, count=1, flags=re.I | re.S))
    )
    for place, clause in pieces:
        condition = re.match(r"^(?:only )?(?:if|when|in case|unless)\b(.*)", clause, re.IGNORECASE | re.DOTALL)
        if condition:
            clause = _conditional(clause, reading)
        late = re.search(r"\s+(?:only )?(?:if|unless|in case) (?=.*(?:exist|there|missing))", clause, re.IGNORECASE)
        if late:
            _conditional(clause[late.start() :].strip(), reading)
            clause = clause[: late.start()]
        placed += [(place, replace(step, when=reading.when)) for step in steps_of(clause, reading)]
        if not condition:
            reading.when = ""
    placed.sort(key=lambda one: one[0])
    if (
        not placed
        and len(text.split()) < 5
        and re.search(r"^(?:(?:and|the|file|please|now)\s+)*⟦f\d+⟧", marked.text, re.I)
    ):
        return (Step("read", marked.files[0]),)
    return _merged([step for _, step in placed])


def _conditional(clause: str, reading: Reading) -> str:
    """Note the condition; give back what stands behind it."""
    head, _, rest = clause.partition(",")
    reading.files(head)
    is_missing = bool(re.search(r"\b(?:not|n't|no|missing|unless|gone)\b|n't\b", head, re.IGNORECASE))
    reading.when = "missing" if is_missing else "exists"
    return rest.strip()


def _with_blocks(pieces: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """A clause that ends with a colon takes the lines below it as its text, up to the next request."""
    found: list[tuple[int, str]] = []
    for place, clause in pieces:
        if found and re.match(r"(?:with|containing|using)\b", found[-1][1], re.I) and not _acts(found[-1][1]):
            found[-1] = (place, f"{clause} {found[-1][1]}")
        elif found and re.match(_LABEL, clause, re.I):
            found[-1] = (found[-1][0], f"{found[-1][1].rstrip('.')}, {clause}")
        elif found and ":" in found[-1][1] and _takes_block(found[-1][1]) and not _stands_alone(clause):
            line = re.sub(r"^[-*•]\s+", "", clause)
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
        else:
            found.append((place, clause))
    return found


def _acts(clause: str) -> bool:
    head = operation(clause)
    return head is not None and head.name != "read"


_LABEL: Final = r"(?:file ?)?name\s*[:=]|(?:contents?|text|body)\s*[:=]"


def _takes_block(clause: str) -> bool:
    head = operation(clause)
    return head is not None and head.name in ("write", "append") and re.search(r":\s*(?:\n|$)", clause) is not None


def _stands_alone(clause: str) -> bool:
    head = operation(clause)
    return (
        head is not None
        and head.start < 12
        and re.search(r"⟦f|\b(?:it|file|files|how many|todos?)\b", clause, re.I) is not None
    )


def _merged(steps: list[Step]) -> tuple[Step, ...]:
    """`Create a file` and `write hello in it called a.txt` are one write; an empty write before a full one
    is none."""
    kept: list[Step] = []
    for index, step in enumerate(steps):
        later = steps[index + 1 :]
        follow = next((one for one in later if one.do in ("write", "ask") or one.file == step.file), None)
        is_first_half = (
            step.do in ("write", "ask")
            and not (step.text or step.uses_result)
            and step.keyword in ("", "write", "text")
        )
        if is_first_half and follow and follow.do == "write" and follow.file and step.file in ("", follow.file):
            continue
        kept.append(step)
    twice = ("append", "prepend")  # these do something new each time
    pairs = pairwise([Step("nothing"), *kept])
    repeats = [step == before and step.do not in twice for before, step in pairs]
    return tuple(step for step, is_repeat in zip(kept, repeats, strict=True) if not is_repeat)
