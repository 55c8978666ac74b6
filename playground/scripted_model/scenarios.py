"""Scenarios: what the model says, written down by a teacher in a plain text file.

Goes in: the text of a file, or a `Prompt` to play. Comes out: a `Scenario`, or an `Answer`. Refuses to know:
the wire.

The format, line by line. Blank lines and lines that start with `#` are skipped; a line that starts with a
space goes on with the line before it.

    about: One sentence about this scenario.

    user: create * with a TODO line*        a question, `*` stands for anything; or /a regular expression/
    call: write_file filename={1} text="TODO: try it\\n"
    wait                                    the results come back; what follows is the next answer
    call: search_file filename={1} keyword=TODO
    call: list_files                        two calls in a row are made at once
    wait
    say: I counted {result.count}.

    user: *                                 the last rule catches all the rest
    say: I only know one trick.

`user:` opens a rule; the first rule that fits the question plays. `say:` is text (also before a call, for
models that talk first). `call:` names a tool, as offered or without its server's prefix, with `name=value`
arguments (in quotation marks if there are spaces; `\\n` is a new line; bare numbers, true, false and null
are JSON) or with one JSON object. `gallery: NAME` answers like that model of the gallery; `fault: NAME` lets
the answer go wrong on the wire; `raw: TEXT` is the whole body of the response, as it stands; `think: TEXT`
is thinking. In all texts `{0}` is the question, `{1}` what the first `*` stood for, `{result}` the last
result and `{result.count}` a field of it. A question that fits no rule is answered by the rules of the
scripted model.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from playground.scripted_model import results
from playground.scripted_model.deciding import decide
from playground.scripted_model.gallery import GALLERY
from playground.scripted_model.talk import FAULTS, Answer, Call, Prompt, Question
from playground.scripted_model.toolbox import bare_name

FOLDER: Final = Path(__file__).parent / "scenarios"
_WORDS: Final = ("about", "user", "say", "call", "wait", "gallery", "fault", "raw", "think")
_ARGUMENT: Final = re.compile(r"""([\w.-]+)=(?:"((?:\\.|[^"\\])*)"|'([^']*)'|(\S*))(?:\s+|$)""")


class ScenarioError(ValueError):
    """A scenario file that can't be read; its text says where and why."""


@dataclass
class _Reply:
    """One answer as it stands in the file."""

    say: str = ""
    think: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    gallery: str = ""
    fault: str = ""
    raw: str | None = None


@dataclass
class _Rule:
    pattern: re.Pattern[str]
    replies: list[_Reply] = field(default_factory=lambda: [_Reply()])


@dataclass(frozen=True)
class Scenario:
    """A scenario that is ready to play."""

    name: str
    about: str
    rules: Sequence[_Rule]

    def play(self, prompt: Prompt) -> Answer:
        """The answer to a prompt: that of the first rule that fits, at the round the question has reached."""
        question = prompt.question
        for rule in self.rules:
            match = rule.pattern.fullmatch(question.text.strip())
            if match:
                return _answer(rule, match, prompt)
        return decide(prompt)


def load(name: str) -> Scenario:
    """A scenario by the name of a shipped one or by the path of a file; raises ScenarioError."""
    shipped = FOLDER / f"{name}.txt"
    path = shipped if re.fullmatch(r"[\w-]+", name) and shipped.is_file() else Path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        known = ", ".join(sorted(one.stem for one in FOLDER.glob("*.txt")))
        raise ScenarioError(
            f"The scenario {name!r} can't be read ({error}); shipped with the playground are: {known}."
        ) from None
    return parse(text, path.stem, str(path))


def parse(text: str, name: str = "scenario", path: str = "scenario") -> Scenario:
    """Read the text of a scenario file; `path` is used in error messages."""
    about = ""
    rules: list[_Rule] = []
    for number, line in _lines(text):
        word, _, value = line.partition(":")
        word, value = word.strip().lower(), value.strip()
        if word not in _WORDS:
            raise ScenarioError(
                f"{path}:{number}: a line starts with one of {', '.join(_WORDS)}; this one with {word[:20]!r}."
            )
        if word == "about":
            about = value
        elif word == "user":
            rules.append(_Rule(_pattern(value, f"{path}:{number}")))
        elif not rules:
            raise ScenarioError(
                f"{path}:{number}: {word!r} stands before the first 'user:' line, so nothing leads to it."
            )
        else:
            _add(rules[-1], word, value, f"{path}:{number}")
    if not rules:
        raise ScenarioError(f"{path}: there is no 'user:' line, so nothing would ever be said.")
    return Scenario(name, about, rules)


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines with their numbers; continued lines are put together."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t" and found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line.strip()}")
        else:
            found.append((number, line.strip()))
    return found


def _pattern(value: str, where: str) -> re.Pattern[str]:
    source = (
        value[1:-1]
        if len(value) > 1 and value[0] == value[-1] == "/"
        else "(.*?)".join(re.escape(part) for part in value.split("*"))
    )
    try:
        return re.compile(source, re.IGNORECASE | re.DOTALL)
    except re.error as error:
        raise ScenarioError(f"{where}: {value} is no regular expression: {error}.") from None


def _add(rule: _Rule, word: str, value: str, where: str) -> None:
    reply = rule.replies[-1]
    if word == "wait":
        if not reply.calls and not reply.gallery:
            raise ScenarioError(f"{where}: 'wait' waits for the results of calls, but no 'call:' stands before it.")
        rule.replies.append(_Reply())
    elif word == "call":
        name, _, arguments = value.partition(" ")
        if not name:
            raise ScenarioError(f"{where}: 'call:' needs the name of a tool.")
        _checked(arguments.strip(), where)
        reply.calls.append((name, arguments.strip()))
    elif word == "gallery":
        reply.gallery = _known(value, GALLERY, "gallery", where)
    elif word == "fault":
        reply.fault = _known(value, FAULTS, "list of faults", where)
    elif word == "raw":
        reply.raw = value
    elif word == "think":
        reply.think = value
    else:
        reply.say = f"{reply.say}\n{value}" if reply.say else value


def _known(value: str, known: Mapping[str, Any], what: str, where: str) -> str:
    if value not in known:
        raise ScenarioError(f"{where}: {value!r} is not in the {what}; there are: {', '.join(known)}.")
    return value


def _checked(arguments: str, where: str) -> None:
    rest = (
        ""
        if arguments.startswith("{") and not re.match(r"\{\w+\}", arguments)
        else _ARGUMENT.sub("", arguments).strip()
    )
    if rest:
        raise ScenarioError(
            f"{where}: {rest[:40]!r} is no argument; write name=value, with quotation marks around spaces."
        )


# ---- Playing ------------------------------------------------------------------------------------------------


def _answer(rule: _Rule, match: re.Match[str], prompt: Prompt) -> Answer:
    question = prompt.question
    place = len(question.rounds)
    if place >= len(rule.replies):
        return Answer(_last_result(question))
    reply = rule.replies[place]
    if reply.gallery:
        return GALLERY[reply.gallery].play(
            replace(prompt, questions=(*prompt.questions[:-1], replace(question, rounds=())))
        )
    filled = _Filler(match, question)
    calls = tuple(Call.of(_tool(name, prompt), filled.arguments(arguments)) for name, arguments in reply.calls)
    return Answer(
        filled.text(reply.say),
        calls,
        "tool_calls" if calls else "stop",
        fault=reply.fault,
        raw=filled.text(reply.raw) if reply.raw is not None else None,
        thinking=filled.text(reply.think),
    )


def _last_result(question: Question) -> str:
    outcomes = [outcome for one in question.rounds for outcome in one.outcomes]
    return results.text_of(outcomes[-1]) if outcomes else ""


def _tool(name: str, prompt: Prompt) -> str:
    """The name as it was offered; a name that fits none is called as it stands."""
    return next((tool.name for tool in prompt.tools if name in (tool.name, bare_name(tool.name))), name)


@dataclass(frozen=True)
class _Filler:
    """Puts the question's parts and the results into a text."""

    match: re.Match[str]
    question: Question

    def text(self, text: str) -> str:
        return re.sub(r"\{(\d+|result(?:\.\w+)?)\}", lambda hole: self._value(hole[1], hole[0]), text)

    def arguments(self, written: str) -> dict[str, Any]:
        if written.startswith("{") and not _ARGUMENT.match(written) and (whole := _object(written)) is not None:
            return {name: self.text(value) if isinstance(value, str) else value for name, value in whole.items()}
        found: dict[str, Any] = {}
        for name, double, single, bare in _ARGUMENT.findall(written):
            found[name] = (
                self._bare(bare) if bare else self.text(double.replace("\\n", "\n").replace('\\"', '"') or single)
            )
        return found

    def _bare(self, value: str) -> Any:
        try:
            return json.loads(value)
        except ValueError:
            return self.text(value)

    def _value(self, name: str, whole: str) -> str:
        if name.isdigit():
            parts = (self.question.text, *self.match.groups(""))
            return str(parts[int(name)]) if int(name) < len(parts) else whole
        outcomes = [outcome for one in self.question.rounds for outcome in one.outcomes]
        if not outcomes:
            return whole
        if name == "result":
            return results.text_of(outcomes[-1])
        return str(results.value_of(outcomes[-1]).get(name.partition(".")[2], whole))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
