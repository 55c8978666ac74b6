"""Every frame told twice: on the terminal, for who watches now; in the logbook, for the dashboard and for later.

In:   what chapter 1 sends and what comes back, valid or not, with its HTTP part.
Out:  readable lines, and one record per frame.
Here nobody knows how a frame travels, nor what a method does.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, TextIO

from mcp_core.messages import Message, Notification, Request, Result
from playground.carriers import Frame
from playground.editing import NotEdited, edited
from playground.explainer import explain
from playground.logbook import Logbook, exchange_of, trace_of
from playground.terminal import Terminal, one_line

Json = dict[str, Any]


@dataclass(slots=True)
class Sent:
    """A message under way: what the answers to it are logged and timed with."""

    message: Json  # empty if what was sent is no JSON object
    http: Json | None
    source: str
    exchange: str = ""
    started: float = field(default_factory=time.perf_counter)

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers to send it with."""
        return dict(self.http["headers"]) if self.http else {}

    @property
    def ms(self) -> float:
        """Milliseconds since it was sent."""
        return (time.perf_counter() - self.started) * 1000


class Narrator:
    """The one who tells; one for each connection.

    `step` is read before each message: Enter sends it, e edits it. `pace` waits so many seconds. `user` is asked what
    a server wants to know of its user; without one, every answer is yes.
    """

    def __init__(
        self,
        terminal: Terminal,
        book: Logbook,
        via: str,
        *,
        explains: bool = False,
        step: TextIO | None = None,
        pace: float = 0,
        user: TextIO | None = None,
    ) -> None:
        self.terminal, self.book, self.via, self._user = terminal, book, via, user
        self._explains, self._step, self._pace = explains, step, pace
        self._connection = token_hex(8)
        self._explained: set[tuple[str, str]] = set()
        self._count = 0

    def shows(self, sent: Sent, body: bytes, is_raw: bool = False) -> bytes:
        """Prints a message, and waits as the user wished; gives the bytes to send. EOFError: no more, please."""
        where = f"{sent.http['method']} {sent.http['path']}" if sent.http else "stdin"
        what = "" if is_raw else "  " + one_line(str(sent.message.get("method", "the answer")))
        self.terminal.line()
        self.terminal.line(f"{self.terminal.sent} {where}{what}   ({sent.source})", "bold")
        self._headers(sent.http)
        self._body(body, None if is_raw else sent.message)
        self._explain(sent.message, sent.http)
        return self._wait(body)

    def sends(self, event: str, sent: Sent, body: bytes) -> None:
        """Logs a message in the moment before it is sent, and starts its clock."""
        asker = "client" if "method" in sent.message else "server"
        sent.exchange = self._exchange(sent.message, sent.http, asker)
        sent.started = time.perf_counter()
        if body:
            self._record(event, sent, body, sent.message or None, "out", sent.http)
        else:  # a GET
            self.logs(event, {"http": sent.http}, sent)

    def hears(self, sent: Sent, frame: Frame, value: Any, kind: Message | None, is_raw: bool = False) -> None:
        """Prints what came back, as JSON or (raw) as it came, and logs it by what it is; kind None: no message."""
        ms = sent.ms
        self.terminal.line(f"{self.terminal.received} {one_line(frame.title)}   {ms:.1f} ms", "bold")
        if not frame.title.startswith("event"):
            self._headers(frame.http)
        if frame.body:
            self._body(frame.body, None if is_raw else value)
            event = {Request: "server_request", Notification: "server_notification"}.get(type(kind), "client_response")
            level = "INFO" if is_raw or isinstance(kind, (Request, Notification, Result)) else "WARNING"
            timed = ms if event == "client_response" else None
            # A question of the server's begins an exchange of its own.
            exchange = self._exchange(value, sent.http, "server") if isinstance(kind, Request) else sent.exchange
            self._record(event, sent, frame.body, value, "in", frame.http, level, timed, exchange)
        message = value if isinstance(value, dict) else {}
        self._explain(message, frame.http, sent.message.get("method"))

    def parts(self, sent: Sent, frame: Frame, quiet: bool) -> None:
        """Prints and logs the end of an HTTP session: a DELETE and its status, no message in either."""
        self.logs("client_session_end", {"http": {**(sent.http or {}), **(frame.http or {})}})
        if not quiet:
            self.terminal.line(f"\n{self.terminal.sent} DELETE {(sent.http or {})['path']}", "bold")
            self._headers(sent.http)
            self.terminal.line(f"{self.terminal.received} {one_line(frame.title)}   {sent.ms:.1f} ms", "bold")

    def notice(self, text: str) -> None:
        """Prints what to notice."""
        self.terminal.paragraph(text, indent=2, label="Notice:")

    def warns(self, text: str, sent: Sent | None = None, level: str = "WARNING") -> None:
        """Prints and logs that something is odd."""
        self.terminal.paragraph(text, "bad", indent=2, label="Warning:")
        self.logs("client_warning", {"text": text}, sent, level)

    def logs(self, event: str, data: Mapping[str, Any], sent: Sent | None = None, level: str = "INFO") -> None:
        """Logs what is no frame: a warning, a bare status, a line of a server's stderr."""
        exchange, source = (sent.exchange or None, sent.source) if sent else (None, None)
        self.book.write(event, data, level=level, via=self.via, exchange=exchange, src=source)

    def agrees(self, question: str) -> bool:
        """Puts a server's question to the user; without one to ask, says yes, and says so."""
        if self._user is None:
            self.notice(f"The server asks: {question} Nobody sits at this terminal, so we say yes.")
            return True
        self.terminal.paragraph(f"{question} Type y for yes.", indent=2, label="The server asks:")
        return self._user.readline().strip().lower() in ("y", "yes")

    def stderr(self, line: str) -> None:
        """Prints and logs a line that a stdio server wrote beside the protocol."""
        self.terminal.line(f"{self.terminal.bar} stderr: {line}", "faint", indent=2)
        self.logs("server_stderr", {"line": line})

    def _wait(self, body: bytes) -> bytes:
        while self._step is not None:
            can_edit = " e edits it," if body else ""
            self.terminal.line(f"  Enter sends it,{can_edit} Ctrl-D ends.", "faint")
            if not (said := self._step.readline()):
                raise EOFError
            if not body or said.strip().lower() != "e":
                break
            try:
                body = edited(body, os.environ, one_line_only=self.via == "stdio")
            except NotEdited as reason:
                self.terminal.paragraph(str(reason), "bad", indent=2)
            self._body(body, None)
        if self._count:  # the first message need not be waited for
            time.sleep(self._pace)
        self._count += 1
        return body

    def _record(
        self,
        event: str,
        sent: Sent,
        body: bytes,
        value: Any,
        dir: str,
        http: Json | None,
        level: str = "INFO",
        ms: float | None = None,
        exchange: str | None = None,
    ) -> None:
        self.book.frame(
            event, body, value, http=http, level=level, dir=dir, peer="server", via=self.via,
            session=_session(http) or _session(sent.http),
            trace=trace_of(sent.message), exchange=exchange or sent.exchange, ms=ms, src=sent.source,
        )  # fmt: skip

    def _exchange(self, message: Json, http: Json | None, asker: str) -> str:
        found = None
        if message:
            found = exchange_of(message, asker=asker, session=_session(http), connection=self._connection)
        # What has neither trace nor id still belongs together with what comes back.
        return found or f"{self._connection}/client/raw-{self._count}"

    def _headers(self, http: Json | None) -> None:
        for name, value in (http or {}).get("headers", {}).items():
            self.terminal.line(one_line(f"{name}: {value}", 300), "faint", indent=2)

    def _body(self, body: bytes, value: Any) -> None:
        if value is not None:
            self.terminal.json(value, indent=2)
        else:
            self.terminal.line(body.decode("utf-8", "backslashreplace"), indent=2)

    def _explain(self, message: Json, http: Json | None, answers: str | None = None) -> None:
        for found in explain(message, http=http, answers=answers) if self._explains else ():
            if (found.kind, found.name) not in self._explained:
                self._explained.add((found.kind, found.name))
                self.terminal.aside(f"{one_line(found.name)}: {found.title}", "bold", indent=2)
                self.terminal.aside(found.text, indent=2)
                if found.todo:
                    self.terminal.aside(f"What to do: {found.todo}", indent=2)
                self.terminal.aside(found.spec, "faint", indent=2)


def _session(http: Json | None) -> str | None:
    headers = (http or {}).get("headers", {})
    return next((value for name, value in headers.items() if name.lower() == "mcp-session-id"), None)
