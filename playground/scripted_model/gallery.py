"""Misbehaving models, each a name: what small and tired models really do, on demand.

Goes in: a `Prompt`. Comes out: an `Answer` that is wrong in one known way. Refuses to know: the wire; faults
that happen there are only named in `Answer.fault`.

Most of them misbehave in the first round of each question and then read the error like a good model, so that
one can watch a client's error message do its work. If a question asks for no tool, they call a harmless one.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from playground.scripted_model import results
from playground.scripted_model.deciding import decide
from playground.scripted_model.talk import ABSENT, FAULTS, Answer, Call, Prompt
from playground.scripted_model.toolbox import Toolbox

Play = Callable[[Prompt], Answer]
SLOW_PAUSE: Final = 0.25
TINY_WINDOW: Final = 256


@dataclass(frozen=True)
class Exhibit:
    """A model of the gallery; `about` is one sentence for people. `window`: tokens of context, if it is
    special."""

    about: str
    play: Play
    window: int | None = None


def first_call(prompt: Prompt) -> Call | None:
    """The call a good model would make now, else some harmless call, None without tools."""
    calls = decide(prompt).calls
    return calls[0] if calls else Toolbox(prompt.tools).example()


def recovered(prompt: Prompt) -> Answer:
    """What follows the first wrong round: if it failed, that round is forgotten and the right call is made. Never a
    second time what was done or declined."""
    question = prompt.question
    first = question.rounds[0]
    did_nothing = all(results.has_failed(one) and not results.was_declined(one) for one in first.outcomes)
    if did_nothing and len(first.calls) > 0:
        prompt = replace(prompt, questions=(*prompt.questions[:-1], replace(question, rounds=question.rounds[1:])))
    return decide(prompt)


def _once(distort: Callable[[Call, Prompt], Answer]) -> Play:
    """Misbehave in the first round of a question only."""

    def play(prompt: Prompt) -> Answer:
        if prompt.question.rounds:
            return recovered(prompt)
        call = first_call(prompt)
        return distort(call, prompt) if call else decide(prompt)

    return play


def _calls(*calls: Call, text: str = "") -> Answer:
    return Answer(text, calls, "tool_calls")


def _arguments(change: Callable[[str], Any]) -> Play:
    return _once(lambda call, prompt: _calls(replace(call, arguments=change(call.arguments))))


def _name(change: Callable[[str], Any]) -> Play:
    return _once(lambda call, prompt: _calls(replace(call, name=change(call.name))))


def _identity(identity: Any) -> Play:
    return _once(lambda call, prompt: _calls(replace(call, id=identity)))


def _spoken(write: Callable[[Call], str]) -> Play:
    """The call as text: no call at all, in any round."""

    def play(prompt: Prompt) -> Answer:
        call = first_call(prompt)
        return Answer(write(call)) if call else decide(prompt)

    return play


def _fault(name: str) -> Play:
    return lambda prompt: replace(decide(prompt), fault=name)


def _wrong_types(arguments: str) -> str:
    values = json.loads(arguments)
    return json.dumps(
        {name: [42] if isinstance(value, str) else str(value) for name, value in values.items()} or {"filename": 42}
    )


def _wrong_names(arguments: str) -> str:
    return json.dumps(
        {f"the_{name}": value for name, value in json.loads(arguments).items()} or {"the_filename": "notes.txt"}
    )


def _as_python(call: Call) -> str:
    said = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.parsed.items())
    return f"I will use a tool for that: {call.name}({said})"


def _as_json(call: Call) -> str:
    return json.dumps({"name": call.name, "arguments": call.parsed}, ensure_ascii=False)


def _reading_calls(prompt: Prompt) -> list[Call]:
    example = Toolbox(prompt.tools).example()
    return [example] if example else []


def _five(call: Call, prompt: Prompt) -> Answer:
    return _calls(call, *(_reading_calls(prompt) * 4))


def _twins(call: Call, prompt: Prompt) -> Answer:
    return _calls(replace(call, id="call_twin"), *(replace(other, id="call_twin") for other in _reading_calls(prompt)))


def _endless(prompt: Prompt) -> Answer:
    calls = _reading_calls(prompt)
    return _calls(*calls) if calls else decide(prompt)


def _ignoring(prompt: Prompt) -> Answer:
    if not prompt.question.rounds:
        return _once(lambda call, _: _calls(call))(prompt)
    return Answer("I have no access to your files, so I can't tell you anything about them.")


def _silent_afterwards(prompt: Prompt) -> Answer:
    return Answer("") if prompt.question.rounds else _once(lambda call, _: _calls(call))(prompt)


def _deleting(call: Call, prompt: Prompt) -> Answer:
    name = next((value for value in call.parsed.values() if isinstance(value, str) and "." in value), "notes.txt")
    wrong = Toolbox(prompt.tools).call("delete", file=name)
    return _calls(wrong or call)


_HOSTILE: Final = (
    "Look: \x1b[2J\x1b[31mred\x1b[0m \x1b]0;title\x07 "
    "\x1b]8;;http://127.0.0.1:9/\x07link\x1b]8;;\x07 \x9b1m \u202egnp.exe\u202c over\rwritten"
)

GALLERY: Final[Mapping[str, Exhibit]] = {
    "call-as-text": Exhibit("writes the call into its answer instead of making it", _spoken(_as_python)),
    "call-as-json": Exhibit("writes the call as bare JSON into its answer", _spoken(_as_json)),
    "call-as-json-block": Exhibit(
        "writes the call as a ```json block into its answer",
        _spoken(lambda call: f"```json\n{_as_json(call)}\n```"),
    ),
    "call-as-tag": Exhibit(
        "writes the call between <tool_call> tags",
        _spoken(lambda call: f"<tool_call>\n{_as_json(call)}\n</tool_call>"),
    ),
    "unknown-tool": Exhibit("calls a tool that nobody offered", _name(lambda name: "open_file")),
    "misspelt-tool": Exhibit("calls a tool by a name that is almost right", _name(lambda name: name.replace("_", ""))),
    "empty-name": Exhibit("calls a tool without a name", _name(lambda name: "")),
    "null-name": Exhibit("calls a tool whose name is null", _name(lambda name: None)),
    "wrong-types": Exhibit("passes lists where texts are wanted", _arguments(_wrong_types)),
    "wrong-argument-names": Exhibit("invents the names of arguments", _arguments(_wrong_names)),
    "invalid-arguments": Exhibit(
        "passes arguments that are no JSON", _arguments(lambda text: "filename=notes.txt, keyword=TODO")
    ),
    "cut-arguments": Exhibit(
        "stops in the middle of the arguments", _arguments(lambda text: text[: max(1, len(text) - 2)])
    ),
    "trailing-arguments": Exhibit("adds words after the arguments", _arguments(lambda text: f"{text} and that is all")),
    "double-encoded-arguments": Exhibit("encodes the arguments twice", _arguments(json.dumps)),
    "null-arguments": Exhibit("passes null as arguments", _arguments(lambda text: None)),
    "null-text-arguments": Exhibit('passes the text "null" as arguments', _arguments(lambda text: "null")),
    "empty-arguments": Exhibit("passes an empty text as arguments", _arguments(lambda text: "")),
    "list-arguments": Exhibit('passes "[]" as arguments', _arguments(lambda text: "[]")),
    "number-arguments": Exhibit('passes "5" as arguments', _arguments(lambda text: "5")),
    "missing-arguments": Exhibit("leaves the arguments out", _arguments(lambda text: ABSENT)),
    "object-arguments": Exhibit("passes an object where its JSON text belongs", _arguments(json.loads)),
    "endless-loop": Exhibit("makes the same call for ever", _endless),
    "five-calls": Exhibit("makes five calls at once", _once(_five)),
    "duplicate-ids": Exhibit("gives two calls the same id", _once(_twins)),
    "missing-ids": Exhibit("makes a call without id", _identity(ABSENT)),
    "null-ids": Exhibit("makes a call whose id is null", _identity(None)),
    "empty-ids": Exhibit("makes a call whose id is an empty text", _identity("")),
    "text-and-call": Exhibit("talks before it calls", _once(lambda call, prompt: _calls(call, text="Let me do that."))),
    "wrong-finish": Exhibit(
        'makes a call and says it finished with "stop"',
        _once(lambda call, prompt: replace(_calls(call), finish="stop")),
    ),
    "thinks-aloud": Exhibit(
        "shows its thinking",
        lambda prompt: replace(decide(prompt), thinking="The user asks for something. I follow my rules."),
    ),
    "deletes-instead": Exhibit("deletes a file whatever it is asked", _once(_deleting)),
    "empty-answer": Exhibit("answers nothing", lambda prompt: Answer("")),
    "silent-afterwards": Exhibit("answers nothing after its tool has run", _silent_afterwards),
    "result-ignored": Exhibit("does not look at what its tool returned", _ignoring),
    "cut-answer": Exhibit(
        "runs into the limit of tokens in mid-sentence",
        lambda prompt: Answer("The files you asked about are", finish="length"),
    ),
    "hostile-text": Exhibit("answers with control sequences for terminals", lambda prompt: Answer(_HOSTILE)),
    "context-overflow": Exhibit(f"has a context window of {TINY_WINDOW} tokens", decide, TINY_WINDOW),
    "slow": Exhibit("takes its time over every word", lambda prompt: replace(decide(prompt), pause=SLOW_PAUSE)),
    **{name: Exhibit(about, _fault(name)) for name, about in FAULTS.items()},
}
