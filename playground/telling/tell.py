"""A message and what was said before it -> why now, what must come next, what would be illegal, and the other era.

In:   records of one conversation, oldest first; the last is the one to be explained.
Out:  a Telling: sentences from why.toml, with what the message and its conversation say put in, and the paragraphs of
      explainer.py about its parts.
Here nobody knows where records come from or how a Telling is shown. Nothing has a state: the same records get the same
sentences.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcp_core import revisions
from playground.explainer import Paragraph, explain, lookup
from playground.telling.moment import Moment
from playground.telling.said import Said, key_of, said, spoken, text_of
from playground.telling.situations import part_of, situation

TEXTS = Path(__file__).with_name("why.toml")
SITE = "https://modelcontextprotocol.io/specification"
LONGEST = 60  # characters of something put into a sentence


@dataclass(frozen=True, slots=True)
class Telling:
    """What there is to say about one message."""

    situation: str
    revision: str
    era: str  # handshake | stateless
    why: str
    carried: tuple[str, ...]  # how it travels
    next: str
    never: str
    twin: str  # how the other era does it
    spec: str  # the section of this revision
    paragraphs: tuple[Paragraph, ...]
    before: int  # how many records of the conversation the answer rests on
    is_whole: bool  # whether they begin where the conversation began


@cache
def texts() -> dict[str, dict[str, Any]]:
    """why.toml as it stands; read when first asked for."""
    with TEXTS.open("rb") as file:
        return tomllib.load(file)


def tell(records: Sequence[Mapping[str, Any]], *, is_whole: bool = True) -> Telling:
    """Explains the last of these records by those before it. Raises ValueError without any.

    >>> tell([{"dir": "out", "peer": "server", "data": {"message": {"id": 1, "method": "initialize"}}}]).situation
    'initialize-first'
    """
    if not records:
        raise ValueError("there is nothing to explain")
    past = tuple(one for record in records[:-1] for one in spoken(record))
    moment = Moment(said(records[-1]), past, is_whole)
    now, name = moment.now, situation(moment)
    words = _words(moment)
    entry, part = texts()["situation"][name], texts()["part"][part_of(now)]
    answers = moment.request.method if now.is_answer and moment.request else None
    return Telling(
        situation=name,
        revision=moment.revision,
        era="stateless" if moment.is_stateless else "handshake",
        why=_filled(entry["why"], words),
        carried=tuple(_filled(texts()["carried"][way], words) for way in _ways(moment)),
        next=_filled(entry.get("next", part["next"]), words),
        never=_filled(entry.get("never", part["never"]), words),
        twin=_twin(moment),
        spec=_spec(moment),
        paragraphs=tuple(explain(now.message, http=now.http, answers=answers, event=now.event or None)),
        before=len(records) - 1,
        is_whole=is_whole,
    )


def _words(moment: Moment) -> dict[str, str]:
    """What may be put into a sentence."""
    now, asked = moment.now, moment.request
    named = asked if now.is_answer and asked else now
    wanted = (asked if now.is_answer and asked else now).params.get("protocolVersion")
    token = now.params.get("progressToken", now.meta.get("progressToken"))
    return {
        "method": now.method,
        "id": now.id or "null",
        "asked": asked.method if asked else "a request",
        "asked_id": (asked.id if asked else key_of(now.params.get("requestId"))) or "?",
        "name": text_of(named.params.get("name")) or text_of(named.params.get("uri")) or "it",
        "wanted": text_of(wanted) or "no revision",
        "revision": moment.revision,
        "code": str(now.code),
        "token": key_of(token) or "?",
        "status": str(now.status),
        "said": text_of(now.error.get("message")) or "nothing",
        "part": text_of(now.data.get("part")),
        "sake": f"working on {asked.method} (id {asked.id})" if asked else "working on one of several open requests",
        "verb": text_of((now.http if now.kind == "http" else now.data).get("method")) or "a request",
    }


def _filled(text: str, words: Mapping[str, str]) -> str:
    """A sentence with the words put in. What came over the wire is cut, and can't end the marks around code."""

    def shown(found: re.Match[str]) -> str:
        word = words[found[1]]
        return (word if len(word) <= LONGEST else f"{word[:LONGEST]}…").replace("`", "'")

    return re.sub(r"\{(\w+)\}", shown, text)


def _ways(moment: Moment) -> Iterator[str]:
    now = moment.now
    if now.via == "stdio" and now.kind != "event":
        yield "pipe"
    if now.data.get("part"):
        yield "batched"
    if now.sender != "server" or now.kind == "http":
        return
    kind = now.header("Content-Type").partition(";")[0].strip().lower()
    if (ears := moment.ears) is not None and now.kind != "http":
        yield "resumed" if ears.header("Last-Event-ID") else "listened"
    elif kind == "text/event-stream":
        yield "stream"
    elif kind == "application/json" and now.kind == "result":
        yield "json"
    if now.header("Mcp-Session-Id") and moment.request and moment.request.method == "initialize":
        yield "named"
    if now.kind == "error" and (now.status or 200) >= 400:
        yield "status"


def _subject(moment: Moment) -> str:
    """The method that a message is about: its own, or that of what it answers."""
    now, asked = moment.now, moment.request
    return now.method or (asked.method if asked is not None else "")


def _twin(moment: Moment) -> str:
    now, other = moment.now, "handshake" if moment.is_stateless else "stateless"
    if now.kind in ("model", "event"):
        return ""
    http = "POST" if now.kind != "http" else text_of(now.http.get("method")) or "POST"
    table = texts()["twin"]
    entry = table.get(_subject(moment)) or table.get(http) or table["POST"]
    return str(entry[other])


def _spec(moment: Moment) -> str:
    now, revision = moment.now, moment.revision
    if now.code is not None and (known := lookup("code", str(now.code))) is not None:
        return known.spec
    if (word := revisions.word(_subject(moment), revision)) is not None:
        return revisions.spec_url(word, revision)
    if (known := lookup("method", _subject(moment))) is not None:
        return known.spec
    if now.kind in ("model", "event"):
        return ""
    page = "basic/transports/streamable-http" if moment.is_stateless else "basic/transports"
    return f"{SITE}/{revision}/{page if now.kind == 'http' else 'basic'}"


__all__ = ["LONGEST", "Said", "Telling", "tell", "texts"]
