"""One record of a log, as the rules see it.

In:   a record: a JSON object that anybody may have written.
Out:  a Said: who spoke, which kind of thing it was, and its parts, each of the type it should have.
Here nobody knows other records, or what follows from one.

A field that has the wrong type counts as absent: a rule must be able to look anywhere without asking first.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]

NOTHING: Json = {}
OTHER = {"client": "server", "server": "client"}

# What is written down about HTTP without saying who spoke.
_SPEAKERS = {"client_listen": "client", "client_session_end": "client", "client_accepted": "server"}


def members(value: Any) -> Json:
    """A JSON object, whatever stands there.

    >>> members({"a": 1}), members([1])
    ({'a': 1}, {})
    """
    return value if isinstance(value, Mapping) else NOTHING


def text_of(value: Any) -> str:
    """A string, whatever stands there.

    >>> text_of("a"), text_of(None)
    ('a', '')
    """
    return value if isinstance(value, str) else ""


def key_of(value: Any) -> str | None:
    """An id or a token as JSON, for 1 and "1" are two; None if it is neither string nor number.

    >>> key_of(1), key_of("1"), key_of(None)
    ('1', '"1"', None)
    """
    return json.dumps(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class Said:
    """Something that crossed a wire, or that a program noted about itself."""

    sender: str = ""  # client | server | host | llm | user; "" where nobody spoke
    kind: str = "event"  # request | result | error | notification | batch | unparsed | http | model | event
    message: Json = field(default_factory=dict)
    http: Json = field(default_factory=dict)
    event: str = ""
    via: str = ""
    exchange: str = ""
    data: Json = field(default_factory=dict, compare=False)  # all that was written down about it

    @property
    def method(self) -> str:
        return text_of(self.message.get("method"))

    @property
    def id(self) -> str | None:
        return key_of(self.message.get("id"))

    @property
    def params(self) -> Json:
        return members(self.message.get("params"))

    @property
    def meta(self) -> Json:
        return members(self.params.get("_meta"))

    @property
    def result(self) -> Json:
        return members(self.message.get("result"))

    @property
    def error(self) -> Json:
        return members(self.message.get("error"))

    @property
    def code(self) -> int | None:
        code = self.error.get("code")
        return code if isinstance(code, int) else None

    @property
    def status(self) -> int | None:
        status = self.http.get("status")
        return status if isinstance(status, int) else None

    @property
    def is_answer(self) -> bool:
        return self.kind in ("result", "error")

    @property
    def sse(self) -> Json:
        """What an event of a stream says besides its data."""
        return members(self.data.get("sse"))

    @property
    def stream(self) -> str:
        """The exchange on whose stream it came, if that is not its own."""
        return text_of(self.data.get("stream"))

    @property
    def connection(self) -> str:
        """The session or connection that its exchange is named after; "" if it is named otherwise."""
        return "" if self.exchange.startswith("span:") else self.exchange.partition("/")[0]

    def header(self, name: str) -> str:
        """A header's value; "" if there is none."""
        headers = members(self.http.get("headers"))
        return next((text_of(value) for known, value in headers.items() if known.lower() == name.lower()), "")


def said(record: Json) -> Said:
    """What a record says.

    >>> said({"dir": "in", "peer": "client", "data": {"message": {"id": 1, "method": "ping"}}}).sender
    'client'
    """
    data = members(record.get("data"))
    message, event = data.get("message"), text_of(record.get("event"))
    return Said(
        sender=_sender(record, event),
        kind=_kind(record, data, message),
        message=members(message),
        http=members(data.get("http")),
        event=event,
        via=text_of(record.get("via")),
        exchange=text_of(record.get("exchange")),
        data=data,
    )


def spoken(record: Json) -> Iterator[Said]:
    """What a record says, and each message of an array that it holds; servers and taps give these their own records.

    >>> batch = {"dir": "in", "peer": "client", "data": {"message": [{"id": 1, "method": "ping"}]}}
    >>> [one.kind for one in spoken(batch)]
    ['batch', 'request']
    """
    whole = said(record)
    yield whole
    if whole.kind == "batch" and whole.event not in ("tap_batch", "rpc_batch"):
        for number, part in enumerate(parts := _array(whole.data) or [], 1):
            yield said({**record, "data": {"message": part, "part": f"{number} of {len(parts)}"}})


def _array(data: Json) -> list[Any] | None:
    """An array that crossed, parsed or raw."""
    found = data.get("message")
    if found is None and text_of(data.get("raw")).startswith("["):
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(text_of(data.get("raw")))
    return found if isinstance(found, list) else None


def _sender(record: Json, event: str) -> str:
    peer, direction = text_of(record.get("peer")), record.get("dir")
    if direction not in ("in", "out"):
        return _SPEAKERS.get(event, "")
    return peer if direction == "in" else OTHER.get(peer, "host")


def _kind(record: Json, data: Json, message: Any) -> str:
    if record.get("peer") in ("llm", "user"):
        return "model"
    if record.get("event") == "rpc_batch" or _array(data) is not None:
        return "batch"
    if isinstance(message, Mapping):
        if "method" in message:
            return "request" if "id" in message else "notification"
        return "error" if "error" in message else "result" if "result" in message else "unparsed"
    if record.get("dir") in ("in", "out") and not {"message", "raw", "raw_base64"}.isdisjoint(data):
        return "unparsed"
    return "http" if isinstance(data.get("http"), Mapping) else "event"
