"""The tap's records: each message twice, as it came from one end and as it left for the other.

In:   the texts that crossed, who sent them, and what HTTP said around them.
Out:  records in the log, with the exchange, the trace and the time that the two ends would have written down.
Here nobody knows how the texts travel. playground/tap.py says why there are two records, and what each event means.

Theory of operation
    An id means something only within a Scope (scope.py): a session, or a connection if there is none, or a pipe. A
    Talk is what is said on one HTTP request and its response (or on a pipe); it knows its scope, so that the answer to
    a question asked on one stream is recognized in a POST of its own, and a stream that was taken up again with GET
    still answers what an earlier POST had asked.

    What belongs to a request carries its exchange: progress by its token, a cancellation by the id it names, a
    subscription's news by the id of the `subscriptions/listen`; anything else on the stream of one POST belongs to what
    that POST asked. The names of exchanges are made as playground/logbook.py makes them, so a playground program at
    either end writes the same ones. What those programs give none (a notification by itself, a GET and what it gets)
    has one here that only the tap knows: it holds a notification and its 202 together, and names the connection.
"""

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_core import messages
from mcp_core.messages import ProtocolError
from playground import anyjson
from playground.logbook import Logbook, exchange_of, trace_of
from playground.redaction import without_keys
from playground.tapping.bodies import Heard, Kept
from playground.tapping.scope import OTHER, Asked, Scope

__all__ = ["Crossing", "Scope", "Story", "Talk"]

MOST_SCOPES = 2000  # sessions that are remembered


@dataclass(frozen=True, slots=True)
class Crossing:
    """How something crossed. `came` and `left` are what HTTP said around it on the two sides of the tap."""

    sender: str  # client | server
    came: Mapping[str, Any] | None = None
    left: Mapping[str, Any] | None = None
    goes_on: bool = True  # False: it came and could not be passed on


class Story:
    """All that one tap sees. Safe for threads."""

    def __init__(self, log: Logbook, via: str) -> None:
        self.log, self.via, self.lock = log, via, threading.Lock()
        self._scopes: OrderedDict[str, Scope] = OrderedDict()
        self._posting: OrderedDict[str, Scope] = OrderedDict()
        self._numbers = itertools.count(1)

    def talk(self, connection: str, session: str | None = None, target: str = "", *, is_pipe: bool = False) -> "Talk":
        """What is about to be said on a connection; `target` is the address of an HTTP request."""
        with self.lock:
            posting = self._posting.get(target) if session is None else None
            if session is None:
                return Talk(self, posting or Scope(connection), None, is_pipe=is_pipe)
            scope = self._scopes.setdefault(session, Scope(session))
            self._scopes.move_to_end(session)
            _trim(self._scopes)
            return Talk(self, scope, session)

    def will_post_to(self, target: str, scope: Scope) -> None:
        """Revision 2024-11-05: the first event of a GET names the address of the POSTs that belong to its stream."""
        with self.lock:
            self._posting[target] = scope
            _trim(self._posting)

    def own_exchange(self, place: str, speaker: str) -> str:
        """A name for what has no id."""
        return f"{place}/{speaker}/raw-{next(self._numbers)}"

    def note(self, event: str, data: Mapping[str, Any], *, level: str = "WARNING", **place: Any) -> None:
        """Something worth a line that is no message."""
        self.log.write(event, data, level=level, via=self.via, **place)


class Talk:
    """What is said on one HTTP request and its response, or on a pipe."""

    def __init__(self, story: Story, scope: Scope, session: str | None, *, is_pipe: bool = False) -> None:
        self._story, self.scope, self.session, self._is_pipe = story, scope, session, is_pipe
        self._first: Asked | None = None  # what was asked here; None as well if it was more than one thing
        self._count = 0
        self._told: str | None = None  # the exchange of what was said here without being a question
        self.id: Any = None  # of the last request

    @property
    def exchange(self) -> str | None:
        """The exchange of the one thing that was asked here, or told."""
        if self._first is not None:
            return self._first.exchange
        return self._told if self._count == 0 else None

    def begin(self) -> None:
        """HTTP alone asks for something: a stream to listen to, the end of a session."""
        self._ask(Asked(self._own_exchange("client"), None, time.perf_counter()))

    # ---- What crossed ------------------------------------------------------------------------------------------------

    def text(self, kept: Kept, crossing: Crossing, **more: Any) -> None:
        """A text crossed: a message, several in an array, or something that is none."""
        if not kept.is_whole:
            reason = f"It is {kept.size} bytes long; it was passed on whole, and its beginning is kept."
            beginning = kept.data.decode("utf-8", "ignore") if _is_utf8(kept.data) else kept.data
            self.unreadable(beginning, reason, crossing, bytes=kept.size, **more)
            return
        try:
            value = messages.parse(kept.data)
        except ProtocolError as error:
            self.unreadable(kept.data, str(error), crossing, **more)
            return
        if isinstance(value, list) and value:
            self._batch(kept.data, value, crossing, more)
        elif _holds_keys(value):
            stripped, _ = without_keys(value)
            self.http(crossing, body=stripped, left_out="members that hold keys", **more)
        else:
            self._message(kept.data, value, crossing, more)

    def event(self, heard: Heard, crossing: Crossing) -> None:
        """An event of a stream crossed."""
        more = {"sse": shown} if (shown := heard.shown()) else {}
        if heard.flaw is not None:
            self._story.note("tap_unreadable", {"reason": heard.flaw}, exchange=self.exchange, session=self.session)
        elif not heard.data or heard.event != "message":
            text = heard.data.decode("utf-8", "replace")
            self.http(crossing, **({"data": text} if text else {}), **more)
        else:
            kept = Kept()
            kept.add(heard.data)
            self.text(kept, crossing, **more)

    def http(self, crossing: Crossing, **more: Any) -> None:
        """HTTP said something that holds no message: a GET, a 202, the id of an empty event."""
        for dir, peer, http in _sides(crossing):
            shown, dropped = without_keys(http or {})
            data = {"http": shown, **more} | ({"left_out": "headers that hold keys"} if dropped else {})
            self._story.log.write("tap_http", data, dir=dir, peer=peer, **self._place())

    def unreadable(self, text: bytes | str, reason: str, crossing: Crossing, **more: Any) -> None:
        """A text crossed that is no message."""
        if crossing.sender == "client" and not self._is_pipe:  # the error that will answer it belongs to it
            self._ask(Asked(f"{self.session or self.scope.name}/client/null", None, time.perf_counter()))
        self._write(
            "tap_unreadable", text, None, crossing, level="WARNING", exchange=self.exchange, reason=reason, **more
        )

    def note(self, event: str, **data: Any) -> None:
        """Something happened on the way that is worth a line."""
        self._story.note(event, data, session=self.session, exchange=self.exchange)

    # ---- Where it belongs --------------------------------------------------------------------------------------------

    def _batch(self, raw: bytes, values: list[Any], crossing: Crossing, more: dict[str, Any]) -> None:
        self._write("tap_batch", raw, values, crossing, **more)
        for number, value in enumerate(values, 1):
            self._message(anyjson.encode(value).encode(), value, crossing, {"part": f"{number} of {len(values)}"})

    def _message(self, raw: bytes, value: Any, crossing: Crossing, more: dict[str, Any]) -> None:
        flaw: dict[str, Any] = {}
        try:
            messages.read(value)
        except ProtocolError as error:
            flaw = {"reason": str(error), "level": "WARNING"}
        place: dict[str, Any] = {"level": "WARNING"} if isinstance(value, dict) and "error" in value else {}
        with self._story.lock:
            event = self._find(value, crossing.sender, place)
        if crossing.sender == "client" and not self._is_pipe:
            self._told = place.get("exchange")
        elif self.exchange not in (None, place.get("exchange")):
            more = {"stream": self.exchange, **more}
        if event == "tap_unreadable":
            self.unreadable(raw, flaw["reason"], crossing, **more)
        else:
            self._write(event, raw, value, crossing, **(place | flaw | more))

    def _find(self, value: Any, sender: str, place: dict[str, Any]) -> str:
        """Says what a value is, and puts the exchange, the trace and the time of what it belongs to into `place`."""
        now, found = time.perf_counter(), None
        if not isinstance(value, dict) or not {"method", "result", "error"} & set(value):
            return "tap_unreadable"
        if "method" in value and "id" in value:
            found = Asked(self._named(value, sender), trace_of(value), now)
            self.scope.ask(sender, value, found)
            if sender == "client":
                self.id = value["id"]
                self._ask(found)
            event = "tap_request"
        elif "method" in value:
            found = self._related(value, sender)
            event = "tap_notification"
        else:
            asker, event = OTHER[sender], "tap_response"
            known = self.scope.answer(asker, value.get("id"))
            if known is None and sender == "server" and value.get("id") is None:
                known = self._first
            place |= {"ms": (now - known.at) * 1000} if known is not None else {}
            found = known or Asked(self._named(value, asker), None, now)
        place |= {"exchange": found.exchange, "trace": found.trace} if found is not None else {}
        return event

    def _related(self, value: Mapping[str, Any], sender: str) -> Asked | None:
        own = Asked(self._named(value, sender), trace_of(value), 0.0)
        if sender == "client" and own.exchange is not None:  # as the two ends do it
            return own
        known = self.scope.about(sender, value)
        known = known or (self._first if sender == "server" else None)
        return known or (own if own.exchange else Asked(self._own_exchange(sender), None, 0.0))

    def _named(self, value: Mapping[str, Any], asker: str) -> str | None:
        return exchange_of(value, asker=asker, session=self.session, connection=self.scope.name)

    def _own_exchange(self, speaker: str) -> str:
        return self._story.own_exchange(self.session or self.scope.name, speaker)

    def _ask(self, asked: Asked) -> None:
        self._count += 1
        self._first = asked if self._count == 1 and not self._is_pipe else None

    # ---- Writing -----------------------------------------------------------------------------------------------------

    def _place(self) -> dict[str, Any]:
        return {"via": self._story.via, "session": self.session, "exchange": self.exchange}

    def _write(self, event: str, text: bytes | str, value: Any, crossing: Crossing, **more: Any) -> None:
        more = {"via": self._story.via, "session": self.session, **more}
        for dir, peer, http in _sides(crossing):
            self._story.log.frame(event, text, value, dir=dir, peer=peer, http=http, **more)


def _sides(crossing: Crossing) -> list[tuple[str, str, Mapping[str, Any] | None]]:
    came = ("in", crossing.sender, crossing.came)
    return [came, ("out", OTHER[crossing.sender], crossing.left)] if crossing.goes_on else [came]


def _holds_keys(value: Any) -> bool:
    """Whether this is no message but the answer of an authorization server, with tokens in it."""
    is_message = isinstance(value, dict) and not {"jsonrpc", "method", "result"}.isdisjoint(value)
    return isinstance(value, dict) and not is_message and without_keys(value)[1]


def _is_utf8(beginning: bytes) -> bool:
    """Whether a text that was cut somewhere is UTF-8 but for the character at the cut."""
    try:
        beginning.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(beginning) and error.reason == "unexpected end of data"
    return True


def _trim(kept: OrderedDict[str, Scope]) -> None:
    while len(kept) > MOST_SCOPES:
        kept.popitem(last=False)
