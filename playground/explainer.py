"""A message -> what it is, in plain words, with a link to the specification.

In:   a message as it was on the wire (a JSON object), the HTTP part of its log record, the method it answers.
Out:  paragraphs, in the order a reader meets their subjects; the texts are data, in explanations.toml.
Here nobody knows where the message came from or where the paragraph is shown. Nothing here has a state: the same
message gets the same paragraphs.

Theory of operation
    Each rule below looks at one side of the message and names subjects, pairs like ("method", "tools/call");
    explain() asks them in turn, drops what was named before, and looks the rest up. A subject without a text is no
    error: the protocol allows anyone to add fields. What the *user* put into a message (arguments, structuredContent,
    a schema) is never looked into: a tool's argument named `id` is not the id.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).with_name("explanations.toml")

Subject = tuple[str, str]  # a table of explanations.toml and a name in it: ("code", "-32602")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One explained subject. `todo` says what to do about an error code; `spec` is a link."""

    kind: str  # method | answer | code | header | field | event
    name: str
    title: str
    text: str
    spec: str = ""
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule may look at."""

    message: Mapping[str, Any]
    headers: tuple[str, ...]
    answers: str | None  # the method of the request that this message answers
    event: str | None  # what the log calls it


@cache
def explanations() -> dict[str, dict[str, dict[str, str]]]:
    """explanations.toml as it stands: table -> name -> title, text, spec and more; read when first asked for."""
    with TEXTS.open("rb") as file:
        return tomllib.load(file)


def lookup(kind: str, name: str) -> Paragraph | None:
    """The paragraph about one subject, if there is one. Headers are found in any case, `Mcp-Param-*` by its beginning.

    >>> lookup("code", "-32700").title
    'Parse error'
    """
    if kind == "answer":
        entry = explanations()["method"].get(name, {})
        return Paragraph(kind, name, f"Answer to {name}", entry["answer"], entry["spec"]) if "answer" in entry else None
    table = explanations().get(kind, {})
    if kind == "header":
        name = next((known for known in table if _same_header(known, name)), name)
    entry = table.get(name, {})
    return Paragraph(kind, name, **_fields_of(entry)) if entry else None


def _fields_of(entry: Mapping[str, str]) -> dict[str, str]:
    # The answer to a method is a paragraph of its own.
    return {key: value for key, value in entry.items() if key != "answer"}


def _same_header(known: str, name: str) -> bool:
    known, name = known.lower(), name.lower()
    return name.startswith(known[:-1]) if known.endswith("*") else name == known


def explain(
    message: Mapping[str, Any],
    *,
    http: Mapping[str, Any] | None = None,
    answers: str | None = None,
    event: str | None = None,
) -> list[Paragraph]:
    """Explains a message: its method or what it answers, its error, its HTTP headers, its fields.

    `message` is the JSON object on the wire (empty if there was none); `http` a record's data.http, of which `headers`
    is used; `answers` the method of the request it answers, if known; `event` the record's event name.

    >>> [(p.kind, p.name) for p in explain({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})]
    [('method', 'tools/list'), ('field', 'jsonrpc'), ('field', 'id'), ('field', 'method')]
    """
    headers = (http or {}).get("headers")
    seen = Seen(message, tuple(headers) if isinstance(headers, Mapping) else (), answers, event)
    subjects = dict.fromkeys(subject for rule in RULES for subject in rule(seen))
    return [found for kind, name in subjects if (found := lookup(kind, name)) is not None]


# ---- The rules: each names subjects, most telling first --------------------------------------------------------------


def _method(seen: Seen) -> Iterator[Subject]:
    if isinstance(method := seen.message.get("method"), str):
        yield "method", method
    elif seen.answers is not None and "result" in seen.message:
        yield "answer", seen.answers


def _asked(seen: Seen) -> Iterator[Subject]:
    # 2026-07-28, multi round-trip requests: the server's questions stand inside the result, under names of its choice.
    result = seen.message.get("result")
    asked = result.get("inputRequests") if isinstance(result, Mapping) else None
    for question in asked.values() if isinstance(asked, Mapping) else ():
        if isinstance(question, Mapping) and isinstance(method := question.get("method"), str):
            yield "method", method


def _code(seen: Seen) -> Iterator[Subject]:
    error = seen.message.get("error")
    if isinstance(error, Mapping) and "code" in error:
        yield "code", str(error["code"])


def _event(seen: Seen) -> Iterator[Subject]:
    if seen.event is not None:
        yield "event", seen.event


def _headers(seen: Seen) -> Iterator[Subject]:
    for name in seen.headers:
        yield "header", name


def _fields(seen: Seen) -> Iterator[Subject]:
    yield from _names_in(seen.message, _DEPTH)


RULES: tuple[Callable[[Seen], Iterator[Subject]], ...] = (_method, _asked, _code, _event, _headers, _fields)

# Members whose insides belong to a user, a tool or a schema, not to the protocol.
_OPAQUE = {
    "arguments", "structuredContent", "inputSchema", "outputSchema", "requestedSchema", "data", "metadata", "context",
    "experimental", "extensions", "inputRequests", "inputResponses",
}  # fmt: skip
_DEPTH = 6  # deeper than any field of the protocol that we explain
_SAMPLE = 3  # entries of a list that are looked into: the hundredth tool has the fields of the first


def _names_in(value: Any, depth: int) -> Iterator[Subject]:
    if isinstance(value, Mapping):
        for name, child in value.items():
            yield "field", name
            # Inside `content`, an array is made of content blocks, an object is the answer of a user to a form.
            if depth > 0 and name not in _OPAQUE and not (name == "content" and isinstance(child, Mapping)):
                yield from _names_in(child, depth - 1)
    elif isinstance(value, list):
        for child in value[:_SAMPLE]:
            yield from _names_in(child, depth - 1)
