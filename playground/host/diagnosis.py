"""What a model did wrong, in a plain sentence.

In:   what the model said, the calls and results of the turn so far, the names of the tools.
Out:  Diagnosis objects for the user to read. Nothing is mended and nothing is run here.
Here nobody knows providers, servers or the terminal.

Small models write calls as text, repeat them, invent tools, and answer past the result in front of them. Each
of these looks like a broken program to somebody who sees it for the first time; so it gets a name and an
explanation. The checks that read natural language can only guess, and their sentences say "seems".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from playground.host.calls import Call, Result
from playground.host.conversation import Said

REPEATS = 3  # the same call in this many rounds of a turn is worth a word
MANY = 5  # so many calls at once, too
MAX_SEARCHED = 50_000  # characters of an answer that are searched for a call written as text


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`kind` is a stable word for programs and tests, `sentence` is for people."""

    kind: str
    sentence: str
    call: Call | None = None


# ---- Calls -------------------------------------------------------------------------------------------------

_EXPLAINED = {
    "invalid_json": "The model wrote arguments for '{name}' that are not valid JSON",
    "cut_json": "The model's arguments for '{name}' stop in the middle",
    "double_encoded": "The model encoded the arguments for '{name}' twice",
    "not_object": "The model's arguments for '{name}' are not an object",
}


def of_call(call: Call) -> list[Diagnosis]:
    """What is wrong with one call as it was written: its id and its arguments."""
    found = []
    if call.received_id is not None:
        why = "used a call id twice" if call.received_id else "sent a call without an id"
        found.append(Diagnosis("call_id", f"The model {why}; the host calls it '{call.id}' in both messages.", call))
    if call.complaint:
        told = _EXPLAINED[call.complaint.kind].format(name=call.name) + "; it was told so, and nothing was run."
        found.append(Diagnosis(call.complaint.kind, told, call))
    return found


def unknown_tool(call: Call) -> Diagnosis:
    named = f"a tool that doesn't exist, '{call.name}'" if call.name else "a tool without a name"
    return Diagnosis("unknown_tool", f"The model called {named}; it was told which tools there are.", call)


def wrong_arguments(call: Call, complaint: str) -> Diagnosis:
    return Diagnosis("wrong_arguments", f"The arguments for '{call.name}' don't fit its schema: {complaint}", call)


def of_round(calls: Sequence[Call]) -> list[Diagnosis]:
    """A word about a round of many calls."""
    if len(calls) < MANY:
        return []
    return [Diagnosis("many_calls", f"The model makes {len(calls)} calls at once; they run side by side.")]


def repeated(call: Call, earlier: Sequence[Sequence[Call]]) -> list[Diagnosis]:
    """One diagnosis in the third round (not the fourth) of a turn that makes exactly this call."""
    same = [any((other.name, other.text) == (call.name, call.text) for other in calls) for calls in earlier]
    if 1 + sum(same) != REPEATS:
        return []
    told = f"The model makes the same call of '{call.name}' for the third time; it seems to be in a loop."
    return [Diagnosis("repeated_call", told, call)]


# ---- Answers -----------------------------------------------------------------------------------------------

_ENDINGS = {
    "length": ("cut_answer", "The answer was cut off: it reached the model's limit of length."),
    "refusal": ("refusal", "The model, or a filter of its provider, declined to answer."),
    "no_choice": (
        "no_choice",
        "The provider answered without any message (no choices). Ask again or try another model.",
    ),
}
_EMPTY = "The model returned nothing. Ask again, perhaps in other words; small models do this with many tools."
_EMPTY_AFTER = "The model returned nothing after the tool's result. Ask it to go on, or try another model."


def of_answer(said: Said, stop: str, names: Iterable[str], results: Sequence[Result]) -> list[Diagnosis]:
    """What is wrong with a message without calls, the last of its turn."""
    found = [Diagnosis(*_ENDINGS[stop])] if stop in _ENDINGS else []
    if not said.text.strip():
        return found or [Diagnosis("empty_answer", _EMPTY_AFTER if results else _EMPTY)]
    if name := written_call(said.text, names):
        told = f"The model wrote a call of '{name}' as text instead of making it, so nothing was run."
        advice = "Models that are trained to call tools don't do this; a shorter question may help too."
        found.append(Diagnosis("call_as_text", f"{told} {advice}"))
    elif ignored(said.text, results):
        told = "The answer seems to ignore what the tool returned; compare it with the result."
        found.append(Diagnosis("result_ignored", told))
    return found


_NAMED = re.compile(r"""["'](?:name|tool|tool_name|function|action)["']\s*:\s*["']([^"'\n]{1,200})["']""")
_HAS_ARGUMENTS = re.compile(r"""["'](?:arguments|parameters|args|input|action_input|tool_input)["']\s*:""")
_TAGGED = re.compile(
    r"""(?:<\|?tool_calls?\|?>|\[TOOL_CALLS\]|<function_call>|<\|python_tag\|>)|<(?:function=|invoke\s+name=")([\w.-]+)"""
)


# name(argument…) anywhere, or name() alone in its line: a sentence may mention "read_file()".
_WRITTEN = re.compile(
    r"""(?<![\w.-])([\w.-]{1,100})\((?=\s*(?:\w+\s*=|["'{]))|^[\s`]*([\w.-]{1,100})\(\)[\s`;]*$""", re.MULTILINE
)


def written_call(text: str, names: Iterable[str]) -> str | None:
    """The name of the tool whose call stands in the text as JSON, in tags or as `name(...)`; else None."""
    text = text[:MAX_SEARCHED]
    known = {short for name in names for short in (name, name.rpartition("__")[2])}
    for named in _NAMED.finditer(text):
        if named[1] in known or _HAS_ARGUMENTS.search(text):
            return named[1]
    if tagged := _TAGGED.search(text):
        return tagged[1] or next((name for name in sorted(known) if name in text), "a tool")
    return next((written[1] or written[2] for written in _WRITTEN.finditer(text) if known & {*written.groups()}), None)


_HELPLESS = re.compile(
    r"\b(?:can(?:no|['’])t|cannot|unable to|not able to|(?:don['’]t|do not) have|have no)\b[^.\n]{0,40}"
    r"\b(?:access|read|open|see|view|browse|run|execute|files?|tools?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")


def ignored(answer: str, results: Sequence[Result]) -> bool:
    """Whether the answer seems to be made without the last results of the turn.

    Two signs: all tools succeeded and yet the model says it can't; or the tools returned a single number and the
    model gives others only. (Of a list it may well have counted the items.)
    """
    if not results or any(result.is_error for result in results):
        return False
    if _HELPLESS.search(answer):
        return True
    texts = [block["text"] for result in results for block in result.content if block["type"] == "text"]
    returned, given = set(_NUMBER.findall("\n".join(texts))), set(_NUMBER.findall(answer))
    return bool(given) and len(returned) == 1 and not given & returned and "[" not in "".join(texts)
