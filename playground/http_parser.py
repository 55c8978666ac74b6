"""One HTTP request as it arrives: the gate asks early, and what waitress would choke on is refused.

In: bytes. Out: a request for the application, or a ``Refusal``. Refuses to know: sockets and time.

*Theory of operation.* waitress's parser runs in the one loop that serves all connections, so it must neither
wait nor compute for long, and what it cannot parse must still become an answer. Version 3.0.2 has gaps there:
its pattern for a header needs quadratic time for white space (16 kB: 1.2 s); a number too long for ``int``
and some addresses raise exceptions that close the connection without a word; a refused client that sent
``Expect: 100-continue`` is told to go on; and a request that gives two answers to the question where its body
ends is taken (RFC 9112 section 6.3 calls that an attack). ``Parser`` closes these.
"""

import re
from dataclasses import dataclass

from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest, Error

from mcp_core.messages import INTERNAL_ERROR
from playground.gate import DECIDING, Gate, Refusal, Rules

__all__ = ["Limits", "Parser", "Rulebook"]

_SPREAD = re.compile(rb"[ \t]{65}")
_FOLDED = re.compile(rb"\r\n[ \t]")
_CODING = re.compile(rb"\r\ntransfer-encoding[ \t]*:[ \t]*([^\r\n]*)", re.I)
_DECIDING = {name.upper().replace("-", "_"): name for name in DECIDING}  # as waitress calls them
_TLS = b"\x16\x03"  # how a TLS client begins (RFC 8446 section 5.1)
_LONGEST_CONTROL_LINE = 4096
_FRAMING_LIMIT = 64 * 1024  # bytes around chunks, besides as many as the body has itself


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may take. Times in seconds, sizes in bytes."""

    threads: int = 256
    streams: int = 240  # answers without end at one time; the other threads are for requests
    connections: int = 2000
    header_bytes: int = 64 * 1024
    header_time: float = 10.0  # from a request's first byte to the end of its headers
    body_time: float = 30.0  # from a request's first byte to its last
    idle_time: float = 60.0  # between two requests
    write_time: float = 30.0  # without taking one byte of an answer


class Rulebook(Adjustments):
    """waitress's settings, and what it doesn't know: the gate and our limits."""

    gate: Gate
    limits: Limits


class _Refused(Error):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


class Parser(HTTPRequestParser):
    """Takes in one request."""

    adj: Rulebook
    # Requests that don't parse have no first line; waitress's error paths ask for these all the same.
    path: str = ""
    query: str = ""
    request_uri: str = ""
    proxy_netloc: str = ""
    command = ""  # type: ignore[assignment]  # the stubs say bytes
    flaw = "it does not follow RFC 9112"
    was_checked = False
    passed: Rules | None = None  # by which it may go on

    def received(self, data: bytes) -> int:
        try:
            consumed = super().received(data)
        except OSError:
            self.refuse(Refusal(500, "The body could not be stored; the disk may be full.", code=INTERNAL_ERROR))
            return len(data)
        except ValueError:  # more digits than int() takes, an address that is none
            self.refuse(self._malformed())
            return len(data)
        if not self.headers_finished and not self.completed:
            self._look_ahead(self.header_plus.lstrip())
        if self.error is None and not self.empty:
            self._check()
        if self.completed:
            # waitress would ask a refused client to go on, and wait for the body of a request without one.
            self.expect_continue = False
        return consumed

    def refuse(self, refusal: Refusal) -> None:
        self.error = _Refused(refusal)
        self.completed = True
        self.expect_continue = False

    def _look_ahead(self, begun: bytes) -> None:
        """Refuse what will never be a header; its client would wait for an answer until its time is over."""
        if begun.startswith(_TLS):
            self.refuse(Refusal(400, "This is TLS, and here is plain HTTP; write http:// instead of https://."))
        elif b"\n\n" in begun:
            self.flaw = "its lines end in LF alone, and must end in CR and LF"
            self.refuse(self._malformed())

    def parse_header(self, header_plus: bytes) -> None:
        codings = [value.strip().lower() for value in _CODING.findall(header_plus)]
        if _SPREAD.search(header_plus):
            self._fail("a header holds too much white space")
        if _FOLDED.search(header_plus):
            self._fail("a header goes on in the next line")
        if codings not in ([], [b"chunked"]):
            self._fail("its Transfer-Encoding is not just 'chunked'")
        super().parse_header(header_plus)
        if self.version not in ("1.0", "1.1"):
            self._fail("it is neither HTTP/1.0 nor HTTP/1.1")
        if codings and (self.version == "1.0" or "CONTENT_LENGTH" in self.headers):
            self._fail("it has a Transfer-Encoding and should not")
        if self.proxy_netloc and self.proxy_netloc.lower() != self.headers.get("HOST", "").lower():
            self._fail("its address names another host than its Host header")

    def _fail(self, flaw: str) -> None:
        self.flaw = flaw
        raise ParsingError(flaw)

    def _malformed(self) -> Refusal:
        return Refusal(400, f"This is not a well-formed HTTP request: {self.flaw}.")

    def _check(self) -> None:
        if self.headers_finished and not self.was_checked:
            self.was_checked = True
            gate = self.adj.gate
            headers = {name: self.headers[key] for key, name in _DECIDING.items() if key in self.headers}
            if refusal := gate.refuse(self.command, self.place(), headers):
                self.refuse(refusal)
            else:
                self.passed = gate.rules
        elif isinstance(body := self.body_rcv, ChunkedReceiver):
            limit = self.adj.gate.rules.max_body
            if len(body) + body.chunk_remainder > limit:  # also of what is only announced
                self.refuse(Refusal(413, f"The body is too large; the limit is {limit} bytes."))
            elif self.body_bytes_received > 2 * len(body) + _FRAMING_LIMIT:
                # Each chunk costs the one loop more time than its bytes do: of one byte, a hundred times more.
                self.refuse(Refusal(413, "The body comes in too many small chunks; send larger ones."))
            elif max(len(body.control_line), len(body.trailer)) > _LONGEST_CONTROL_LINE:
                self.flaw = "the line before or after a chunk is too long"
                self.refuse(self._malformed())

    def place(self) -> str:
        """Return the path as the application will see it: waitress drops all leading slashes but one."""
        return "/" + self.path.lstrip("/") if self.path.startswith("/") else self.path

    def refusal(self) -> Refusal:
        """Say what is wrong with this request, whoever found it."""
        if isinstance(self.error, _Refused):
            return self.error.refusal
        if self.error is None or not isinstance(self.error, BadRequest):
            return Refusal(
                500, "The server failed while it handled the request; its log says why.", code=INTERNAL_ERROR
            )
        if self.error.code == 431:
            limit = self.adj.limits.header_bytes
            return Refusal(431, f"The headers are too large; the limit is {limit} bytes.")
        # waitress's own words, up to where it quotes what it got.
        self.flaw = str(self.error.body).partition('"')[0].strip()
        return self._malformed()
