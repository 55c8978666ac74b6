"""What all providers over HTTP share: one request at a time, limits of time, and an end that is an end.

In:   a Conversation, tools, and a subclass that knows its vendor's SDK and format.
Out:  an Answer; or a Failure, or Interrupted; the bodies as sent and received.
Here nobody knows a provider's format.

Theory of operation
    The SDK's call runs in a thread of its own, and the caller's thread waits for what comes out of it: pieces
    of the answer, the exchange, the end. So the three things that must work at any moment do: the limit for
    the whole answer (a peer that sends one byte a second never runs into a timeout of reads), `cancel`, and
    Ctrl-C, which Python delivers to the main thread only while that isn't blocked in a read it can't leave
    (Windows). Callbacks are called by the caller's thread too, so they need no locks.

    When a call ends early its line is cut, which ends the thread, and the next call gets a new line.
"""

import contextlib
import json
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from playground.host.conversation import Conversation, Said
from playground.host.loop import Answer, Interrupted
from playground.host.providers import failure, offer
from playground.host.providers.failure import About, Failure
from playground.host.providers.line import Exchange, Line
from playground.host.providers.offer import Offer
from playground.host.tools import Tool

Emit = Callable[[str, str], None]
Reply = tuple[Said, str, dict[str, int]]
"""What was said, how it ended (see loop.Answer), and the tokens that it took."""

POLL = 0.1  # seconds between looks at `cancel`


class Remote(ABC):
    """A provider over HTTP. Subclasses know the format: `body`, `client`, `ask`."""

    strict_names = False

    def __init__(
        self,
        kind: str,
        label: str,
        model: str,
        base_url: str,
        api_key: str,
        *,
        key_setting: str = "",
        temperature: float | None = None,
        images: bool = False,
        total: float = 300.0,
        connect: float = 5.0,
    ) -> None:
        self.kind, self.label, self.model, self.base_url = kind, label, model, base_url.rstrip("/")
        self.temperature, self.images = temperature, images
        self.total, self.connect = total, connect
        self._key, self._key_setting = api_key, key_setting
        self._ready: tuple[Line, Any] | None = None  # a line and the SDK's client on it
        self._offered: tuple[tuple[Tool, ...], Offer] | None = None  # the last
        self._one_at_a_time = threading.Lock()

    @abstractmethod
    def body(self, history: Conversation, offered: Offer, streaming: bool) -> dict[str, Any]:
        """The request as the provider's API wants it."""

    @abstractmethod
    def client(self, http: Any, key: str) -> Any:
        """The vendor's SDK on this HTTP client; without retries, since each try should be seen."""

    @abstractmethod
    def ask(self, client: Any, body: dict[str, Any], offered: Offer, emit: Emit, exchange: Exchange) -> Reply:
        """Send the body, call `emit` for each piece of a stream, and give the whole."""

    def prepare(self) -> None:
        """Load the SDK before the first question needs it, which takes a second; for a thread of its own."""
        with self._one_at_a_time, contextlib.suppress(Exception):  # the question will say what is wrong
            if self._ready is None and self._key.isascii():
                line = Line(self.base_url, self.connect, self.total)
                self._ready = line, self.client(line.http, self._key)

    def close(self) -> None:
        """Close the connection; the next question opens one again."""
        ready, self._ready = self._ready, None
        if ready:
            ready[0].cut()

    def unstreamed(self, exchange: Exchange) -> Any:
        """The body as one JSON value, where a server didn't stream although it was asked to; None if it did."""
        if exchange.response.lstrip().startswith((b"data:", b"event:", b":", b"id:", b"retry:")):
            return None
        if not exchange.response.strip():
            raise Failure("cut", self.about, exchange)
        return json.loads(exchange.response)

    @property
    def about(self) -> About:
        base, key = self.base_url, self._key
        return About(self.kind, self.label, base, self.model, self._key_setting, key, self.total)

    def offer(self, tools: Sequence[Tool]) -> Offer:
        """The tools as they will be sent, and what was changed for it; worked out anew only when they change."""
        asked = tuple(tools)
        if self._offered is None or self._offered[0] != asked:
            self._offered = asked, offer.offer(asked, self.strict_names)
        return self._offered[1]

    def complete(
        self,
        history: Conversation,
        tools: Sequence[Tool],
        *,
        stream: Emit | None = None,
        cancel: threading.Event | None = None,
        wire: Callable[[str, Exchange], None] | None = None,
    ) -> Answer:
        """See providers.Provider. ValueError unless the history waits for the model."""
        if history.state != "model":
            raise ValueError("Only a history that waits for the model can be sent to it.")
        if self._key_setting and not self._key:
            raise Failure("no_key", self.about)
        if not (self._key.isascii() and self._key.isprintable()):
            raise Failure("bad_key", self.about)
        offered = self.offer(tools)
        body = self.body(history, offered, stream is not None)
        with self._one_at_a_time:
            (said, stop, usage), exchange = self._run(body, offered, stream, cancel, wire)
        return Answer(said, stop, usage, exchange.request, exchange.response)

    def _run(self, body: Any, offered: Offer, stream: Any, cancel: Any, wire: Any) -> tuple[Reply, Exchange]:
        line, ready = self._ready or (Line(self.base_url, self.connect, self.total), None)
        self._ready = None  # only what ends well is used again
        exchange = line.begin()
        events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        line.on_sent = lambda: events.put(("sent", None))

        def emit(kind: str, piece: str) -> None:
            events.put(("piece", (kind, piece)))

        def work() -> None:
            try:
                client = ready or self.client(line.http, self._key)
                reply = self.ask(client, body, offered, emit, exchange)
                events.put(("done", (client, reply)))
            except BaseException as error:
                events.put(("failed", error))

        threading.Thread(target=work, name=f"ask-{self.kind}", daemon=True).start()
        try:
            client, reply = self._wait(events, exchange, stream, cancel, wire)
            self._ready = line, client
            return reply, exchange
        finally:
            if self._ready is None:
                line.cut()
            if wire and exchange.status is not None:
                wire("received", exchange)

    def _wait(self, events: Any, exchange: Exchange, stream: Any, cancel: Any, wire: Any) -> Any:
        deadline = time.monotonic() + self.total
        while True:
            if cancel is not None and cancel.is_set():
                raise Interrupted
            left = deadline - time.monotonic()
            if left <= 0:
                raise Failure("timeout", self.about, exchange)
            try:
                event, value = events.get(timeout=min(left, POLL))
            except queue.Empty:
                continue
            if event == "done":
                return value
            if event == "piece" and stream:
                stream(*value)
            elif event == "sent" and wire:
                wire("sent", exchange)
            elif event == "failed":
                raise failure.explain(value, self.about, exchange) or value from None
