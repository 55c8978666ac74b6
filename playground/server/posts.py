"""A conversation over HTTP: each message of the client is a POST, and the answer JSON or a stream of events.

In:   decoded messages with their headers.
Out:  Answers: a status, and one text or the events of a stream.
Here nobody knows Flask. The rules are basic/transports, Streamable HTTP, of each revision.

Theory of operation
    An answer becomes a stream as soon as something other than the answer is to be sent: a notification or a question.
    A reader that leaves cancels its request in the stateless era. In the handshake era the request goes on: a thread
    takes over what is left of it, and the events wait for the reader to come back.
"""

import functools
import itertools
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mcp_core import messages, sse, strict
from mcp_core.catalogue import Change
from mcp_core.messages import Id, Message, Notification, ProtocolError, Request
from mcp_core.serving import Session
from playground.logbook import Logbook
from playground.server.live import Delivery, Live
from playground.server.streams import OnGone, Stream

RETRY_MS = 1000  # after which a client that lost a stream may come back for the rest
MATTER = ("accept", "content-type", "origin", "user-agent", "last-event-id")  # headers that the log shows
KEPT_STREAMS = 32  # of one session, besides those that are open
_EVENT_ID = re.compile(r"(s[0-9]{1,9})-([0-9]{1,9})")


class Visit(NamedTuple):
    """What HTTP tells of one request."""

    raw: bytes
    headers: Mapping[str, str]  # by their names in lower case
    http: Mapping[str, Any]  # what the log shows: what matters to MCP, and no more
    on_gone: OnGone | None  # has a function called when the client leaves (playground/connections.py)

    @classmethod
    def of(cls, environ: Mapping[str, Any]) -> "Visit":
        """From WSGI's variables (PEP 3333), of which some are headers; reads the body."""
        headers = {name: environ[key] for key in environ if (name := _header(key))}
        shown = {name.title(): value for name, value in headers.items() if _matters(name)}
        http = {"method": environ["REQUEST_METHOD"], "path": environ["PATH_INFO"], "headers": shown}
        raw = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        return cls(raw, headers, http, environ.get("playground.on_gone"))


@functools.lru_cache(maxsize=256)
def _header(variable: str) -> str | None:
    if variable == "CONTENT_TYPE" or variable.startswith("HTTP_"):
        return variable.removeprefix("HTTP_").replace("_", "-").lower()
    return None


def _matters(name: str) -> bool:
    return name in MATTER or name.startswith("mcp-")


@dataclass(frozen=True, slots=True)
class Answer:
    """How HTTP answers: one text, or a stream of events."""

    status: int
    text: str | None = None
    events: Generator[str, None, None] | None = None


class HttpLive(Live):
    """A conversation over HTTP: a session of the handshake era, or one request of the stateless era."""

    def __init__(self, session: Session, log: Logbook, *, connection: str, id: str | None = None) -> None:
        super().__init__(session, log, via="http", connection=connection, id=id)
        self.last_used = time.monotonic()
        self._names = itertools.count(1)
        self._streams: dict[Id, Stream] = {}  # by the request each answers
        self._kept: OrderedDict[str, Stream] = OrderedDict()  # by name, also those that have ended
        self._general: Stream | None = None
        self._lock = threading.Lock()

    @property
    def has_begun(self) -> bool:
        """Whether an `initialize` has opened this session."""
        return self.session.memory.introduced

    @property
    def general(self) -> Stream:
        """The stream for what belongs to no request, read by GET. Most conversations never need it."""
        with self._lock:
            if self._general is None:
                self._general = self._open_stream()
            return self._general

    @property
    def is_in_use(self) -> bool:
        return bool(self._streams) or (self._general is not None and self._general.is_read)

    def deliver(self, delivery: Delivery, otherwise: Stream | None = None) -> None:
        """Puts a message on the stream of the request it belongs to, else on `otherwise`, else on the general one."""
        own = self._streams.get(delivery.about) if delivery.about is not None else None
        stream = own or otherwise or self.general
        if delivery.text is not None:
            stream.put(delivery.text)
        if delivery.is_last and delivery.about is not None and own is not None:
            self._streams.pop(delivery.about, None)
            if stream not in self._streams.values():  # a batch has several answers on one stream
                stream.end()

    def post(
        self,
        message: Message,
        raw: bytes,
        headers: Mapping[str, str] | None,
        http: Any,
        on_gone: OnGone | None = None,
    ) -> Answer:
        """Answers the message of one POST: a request with JSON if that is all there is to send, else with a stream."""
        deliveries = self.take(message, raw, headers=headers, http=http)
        if isinstance(message, Request):
            first = next(deliveries, None)
            if first is not None and first.is_last:
                # 202 where it was cancelled: the client has told us that it wants to hear nothing more of it.
                return Answer(first.status if first.text is not None else 202, first.text)
            rest = deliveries if first is None else itertools.chain([first], deliveries)
            return self._stream([message.id], rest, on_gone)
        if isinstance(message, Notification):
            deque(map(self.deliver, deliveries), maxlen=0)
        else:  # the answer to a question: the tool runs on, and its client need not wait here for it
            threading.Thread(target=lambda: deque(map(self.deliver, deliveries), maxlen=0), daemon=True).start()
        return Answer(202)

    def post_batch(
        self,
        batch: list[Any],
        raw: bytes,
        headers: Mapping[str, str] | None,
        http: Any,
        on_gone: OnGone | None = None,
    ) -> Answer:
        """Answers an array of messages (2025-03-26 only): one stream for all the answers, none if nothing is asked."""
        self._log.write("rpc_batch", {"raw": raw.decode("utf-8"), "count": len(batch)}, session=self.id)
        parts: list[Iterator[Delivery]] = []
        ids: list[Id] = []
        for part in batch:
            text = strict.dumps(part)
            try:
                message = messages.read(part)
            except ProtocolError as error:
                parts.append(iter([self.refuse(text, error, http=http)]))
                continue
            parts.append(self.take(message, text, headers=headers, http=http, streamed=True))
            ids += [message.id] if isinstance(message, Request) else []
        deliveries = itertools.chain.from_iterable(parts)
        if ids:
            return self._stream(ids, deliveries, on_gone)
        failures = [delivery.text for delivery in deliveries if delivery.text is not None]
        return Answer(400, f"[{','.join(failures)}]") if failures else Answer(202)

    def resume(self, last_event_id: str | None, on_gone: OnGone | None = None) -> Generator[str, None, None] | None:
        """The events of a GET: the rest of the stream that an event id names, else the general one; None if taken."""
        found = _EVENT_ID.fullmatch(last_event_id or "")
        known = self._kept.get(found[1]) if found else None
        stream = known or self.general
        after = int(found[2]) if found and known else stream.delivered
        if stream is self.general and last_event_id is None and stream.is_read:
            return None
        return stream.read(after, beginning=self._beginning(stream, after), on_gone=on_gone)

    def _beginning(self, stream: Stream, after: int = 0) -> str:
        """What opens a stream: since 2025-11-25 an event with an id and no data, so that it can always be resumed."""
        if stream.is_numbered and self.session.memory.revision >= "2025-11-25":
            return f"id: {stream.name}-{after}\nretry: {RETRY_MS}\ndata: \n\n"
        return sse.comment("the stream is open")

    def tell(self, change: Change) -> None:
        """Tells the client of a change in the catalogue, if it wants to hear."""
        for delivery in self.deliveries(self.session.announce(change), over_http=True):
            self.deliver(delivery)

    def end(self) -> None:
        """Ends every stream and every request of this conversation."""
        for delivery in self.deliveries(self.session.close(), over_http=True):
            self.deliver(delivery)
        for id in list(self._streams):
            for delivery in self.deliveries(self.session.cancel(id), over_http=True):
                self.deliver(delivery)
        for stream in [*self._streams.values(), self.general]:
            stream.end()

    def _stream(self, ids: list[Id], deliveries: Iterator[Delivery], on_gone: OnGone | None) -> Answer:
        stream = self._open_stream()
        self._streams.update(dict.fromkeys(ids, stream))
        return Answer(200, events=self._events(ids, stream, deliveries, on_gone))

    def _events(
        self, ids: list[Id], stream: Stream, deliveries: Iterator[Delivery], on_gone: OnGone | None
    ) -> Generator[str, None, None]:
        def feed() -> Iterator[Delivery]:
            for delivery in deliveries:
                self.deliver(delivery, otherwise=stream)  # a batch holds answers to what was no request
                yield delivery

        rest = feed()
        try:
            yield from stream.read(beginning=self._beginning(stream), feed=rest, on_gone=on_gone)
        finally:
            if not stream.has_ended:  # the reader has left before the answer
                for id in ids:
                    deque(
                        map(self.deliver, self.deliveries(self.session.reader_gone(id), over_http=True)),
                        maxlen=0,
                    )
                # The handshake era goes on without a reader; the stateless one stops at the tool's next step.
                threading.Thread(target=lambda: deque(rest, maxlen=0), name="finish", daemon=True).start()

    def _open_stream(self) -> Stream:
        can_resume = self.id is not None and self.session.memory.revision >= "2025-03-26"
        stream = Stream(f"s{next(self._names)}", is_numbered=can_resume)
        self._kept[stream.name] = stream
        while len(self._kept) > KEPT_STREAMS + len(self._streams):
            self._kept.popitem(last=False)
        return stream
