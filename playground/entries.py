"""What a logbook writes down, as JSON text: events, and the frames that crossed a wire.

In:   an event or a frame, with what is known of it.
Out:  Entries: records that have no time and no number yet.
Here nobody knows where a record goes. About secrets, see redaction.py; about the order of the fields, logbook.py.

A frame that our own encoder made is embedded as the text that traveled: it is encoded once, and what the log shows is
what was sent.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from playground import anyjson
from playground.anyjson import quote
from playground.redaction import Redactor, without_keys

# The members of a record's object, but those that it gets when it is written: "level" to "data"; "dir" to "exchange",
# each with a comma before it; "ms" to "redacted", likewise.
Entry = tuple[str, str, str]


class Writer(ABC):
    """Makes entries, and has them taken one by one."""

    def __init__(self, component: str, redactor: Redactor) -> None:
        self._component, self._redactor = component, redactor

    @abstractmethod
    def take(self, entry: Entry) -> None:
        """Does with an entry what is to be done."""

    def write(
        self,
        event: str,
        data: Mapping[str, Any],
        *,
        level: str = "INFO",
        dir: str | None = None,
        peer: str | None = None,
        via: str | None = None,
        session: str | None = None,
        trace: str | None = None,
        exchange: str | None = None,
        ms: float | None = None,
        src: str | None = None,
    ) -> None:
        """One record. `ms` is a time in milliseconds; fields that are None are left out."""
        known = _known(dir, peer, via, session, trace, exchange)
        self._make(level, event, anyjson.encode(data), False, known, ms, src)

    def frame(
        self,
        event: str,
        text: str | bytes,
        message: Any | None,
        *,
        own: bool = False,
        http: Mapping[str, Any] | None = None,
        level: str = "INFO",
        dir: str | None = None,
        peer: str | None = None,
        via: str | None = None,
        session: str | None = None,
        trace: str | None = None,
        exchange: str | None = None,
        ms: float | None = None,
        src: str | None = None,
        **more: Any,
    ) -> None:
        """One frame that crossed a wire; its data is {"message", "http", "raw", **more}.

        `text` is what traveled, `message` the JSON value in it, None if it did not parse. With `own` the
        text is mcp_core.messages.encode's output and is embedded as it stands. Otherwise data.raw holds it
        (data.raw_base64 if it is not UTF-8), unless it is exactly our encoding of the message.
        """
        if own and isinstance(text, str) and text.isascii():
            body, raw, redacted = text, "", False
        else:
            body, raw, redacted = self._wire(text, message)
        parts = [f'"message":{body}'] if body else []
        if http is not None:
            http, dropped = without_keys(http)
            redacted = redacted or dropped
            parts.append(f'"http":{anyjson.encode(http)}')
        if raw:
            parts.append(raw)
        parts += [f"{quote(name)}:{anyjson.encode(value)}" for name, value in more.items()]
        known = _known(dir, peer, via, session, trace, exchange)
        self._make(level, event, f"{{{','.join(parts)}}}", redacted, known, ms, src)

    def _wire(self, text: str | bytes, message: Any | None) -> tuple[str, str, bool]:
        """A frame from elsewhere: its message as JSON, the member that holds its text, and whether that was masked.

        Empty where there is none.
        """
        body = "" if message is None else anyjson.encode(message)
        if isinstance(text, bytes):
            data = text
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                safe = self._redactor.mask_bytes(data)
                return body, f'"raw_base64":"{base64.b64encode(safe).decode("ascii")}"', safe != data
        return body, "" if text == body and body else f'"raw":{quote(text)}', False

    def _make(
        self,
        level: str,
        event: str,
        data: str,
        redacted: bool,
        known: str,
        ms: float | None,
        src: str | None,
    ) -> None:
        if self._redactor.knows_any and self._redactor.finds(data + known):
            redacted = True
            data = self._redactor.mask(data) if self._redactor.finds(data) else data
            known = "," + self._redactor.mask(f"{{{known[1:]}}}")[1:-1] if self._redactor.finds(known) else known
        rest = "" if ms is None else f',"ms":{round(ms, 3)}'
        if src is not None:
            rest += f',"src":{quote(src)}'
        if redacted:
            rest += ',"redacted":true'
        head = f'"level":"{level}","component":{self._component},"event":{quote(event)},"data":{data}'
        self.take((head, known, rest))


def _known(
    dir: str | None, peer: str | None, via: str | None, session: str | None, trace: str | None, exchange: str | None
) -> str:
    known = f',"dir":{quote(dir)}' if dir is not None else ""
    if peer is not None:
        known += f',"peer":{quote(peer)}'
    if via is not None:
        known += f',"via":{quote(via)}'
    if session is not None:
        known += f',"session":{quote(session)}'
    if trace is not None:
        known += f',"trace":{quote(trace)}'
    if exchange is not None:
        known += f',"exchange":{quote(exchange)}'
    return known
