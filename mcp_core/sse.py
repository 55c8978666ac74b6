"""Server-sent events: how HTTP carries several messages in one response.

In:   a message's text, or the bytes of a stream in pieces of any size.
Out:  the text of one event, or the events that have become complete.
Here nobody knows what the data means. The format is the WHATWG HTML standard's, section 9.2.
"""

import codecs
from dataclasses import dataclass

MAX_EVENT = 8 * 1024 * 1024  # characters one event may hold before a reader gives up on it


class StreamError(Exception):
    """The stream can't be read on: an event is larger than MAX_EVENT."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `id` is the last one seen (it stays until changed), `retry` is in milliseconds."""

    data: str
    event: str = "message"
    id: str | None = None
    retry: int | None = None


def encode(data: str, event: str | None = None, id: str | None = None, retry: int | None = None) -> str:
    """Writes one event.

    >>> encode('{"jsonrpc":"2.0"}', event="message", id="7")
    'event: message\\nid: 7\\ndata: {"jsonrpc":"2.0"}\\n\\n'
    """
    lines = [] if event is None else [f"event: {event}"]
    if id is not None:
        lines.append(f"id: {id}")
    if retry is not None:
        lines.append(f"retry: {retry}")
    # CR, LF and CRLF all end a line (9.2.5), so each must begin a new data field or it would forge one.
    lines += [f"data: {line}" for line in data.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return "\n".join(lines) + "\n\n"


def comment(text: str = "") -> str:
    """Writes a line that says nothing: it keeps the connection alive and finds out whether anyone is still there.

    >>> comment("still here")
    ': still here\\n\\n'
    """
    return f": {text}\n\n"


class Decoder:
    """Reads a stream that arrives in pieces; a piece may end anywhere, even inside a character or between CR and LF.

    >>> decoder = Decoder()
    >>> decoder.feed(b'id: 1\\r\\ndata: a\\r')
    []
    >>> decoder.feed(b'\\ndata: b\\n\\n')
    [Event(data='a\\nb', event='message', id='1', retry=None)]
    """

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun: list[str] = []  # the pieces of a line whose end has not come, joined only when it comes
        self._skip_lf = False  # the last piece ended in CR; an LF now belongs to it
        self._at_start = True
        self._held = 0  # characters of the event so far
        self._data: list[str] = []
        self._event = ""
        self._retry: int | None = None
        self.last_id: str | None = None

    def feed(self, piece: bytes | str) -> list[Event]:
        """Takes the next piece of the stream; gives the events it completes. Raises StreamError past MAX_EVENT."""
        text = self._text.decode(piece) if isinstance(piece, bytes) else piece
        if text and self._at_start:
            self._at_start = False
            text = text.removeprefix("\ufeff")
        if self._skip_lf and text:
            self._skip_lf = False
            text = text.removeprefix("\n")
        self._skip_lf = self._skip_lf or text.endswith("\r")
        first, *more = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._begun.append(first)
        self._held += len(first)
        events: list[Event] = []
        for line in more:
            event, self._begun = self._line("".join(self._begun)), [line]
            self._held += len(line)
            events += [] if event is None else [event]
        if self._held > MAX_EVENT:
            raise StreamError(f"One event of the stream is longer than {MAX_EVENT} characters.")
        return events

    def _line(self, line: str) -> Event | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self._retry = int(value[:9])
        return None

    def _dispatch(self) -> Event | None:
        data, event, retry = self._data, self._event, self._retry
        self._data, self._event, self._retry, self._held = [], "", None, 0
        if not data and retry is None:
            return None
        # A stream may begin with an id and empty data, only to tell where it can be resumed (2025-11-25, transports):
        # such an event is handed on, empty, because its id and its retry matter to the transport.
        return Event("\n".join(data), event or "message", self.last_id, retry)
