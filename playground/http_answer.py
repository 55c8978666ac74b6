"""One HTTP answer as it leaves: made by the application, or by the gate where something is wrong.

In: a request that is complete. Out: head and body, written to the request's connection. Refuses to know: sockets,
time, and what the application does.

*Theory of operation.* waitress asks the application and frames what it says (RFC 9112 section 6). Here is what it
lacks: every error is rendered as the gate does, and none that a client can cause is 5xx; head and body travel in one
packet; there is a limit to streams; and where a stream begins, the thread gives way, for it will be busy for long.
"""

import functools
from typing import TYPE_CHECKING, Any, cast

from waitress.task import ErrorTask as PlainErrorTask
from waitress.task import WSGITask
from waitress.utilities import build_http_date

from playground.gate import PASSED, Refusal
from playground.http_parser import Parser

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from playground.connections import Channel

__all__ = ["ErrorTask", "Task"]


class ErrorTask(PlainErrorTask):
    """Answers a request that the application never sees, or that it failed on."""

    def execute(self) -> None:
        request, channel = cast(Parser, self.request), cast("Channel", self.channel)
        gate, refusal = request.adj.gate, request.refusal()
        path = request.place() if request.path else None
        gate.on_refusal(refusal, _environ_of(request))
        status, headers, body = gate.answer(refusal, path)
        self.status = status
        self.response_headers = headers
        self.set_close_on_finish()
        channel.is_polite = True
        self.content_length = len(body)
        self.write(b"" if request.command == "HEAD" else body)


class _TooManyStreams(Exception):
    """Raised through the application's answer, which is then closed and replaced."""


class Task(WSGITask):
    """Lets the application answer."""

    def execute(self) -> None:
        try:
            super().execute()
        except _TooManyStreams:
            refusal = Refusal(429, "Too many streams are open; close one, and try again.", (("Retry-After", "1"),))
            channel = cast("Channel", self.channel)
            environ = self.get_environment()
            channel.adj.gate.on_refusal(refusal, environ)
            self.status, self.response_headers, body = channel.adj.gate.answer(refusal, environ["PATH_INFO"])
            self.content_length = len(body)
            self.write(body)

    def write(self, data: bytes) -> None:
        """Send a part of the answer; the first together with the head, which waitress would send by itself."""
        if not self.wrote_header and self.complete and data and self.has_body and self.content_length != 0:
            cast("Channel", self.channel).head = self.build_response_header()
            self.wrote_header = True
        super().write(data)

    def get_environment(self) -> "WSGIEnvironment":
        if self.environ is None:
            environ = super().get_environment()
            environ["playground.on_gone"] = cast("Channel", self.channel).on_gone
            environ[PASSED] = cast(Parser, self.request).passed
        return cast("WSGIEnvironment", self.environ)

    def build_response_header(self) -> bytes:
        channel = cast("Channel", self.channel)
        if self.has_body and self.content_length is None:
            # Only GET: a POST may have done its work already, and its stream ends by itself.
            if channel.are_streams_full() and self.get_environment()["REQUEST_METHOD"] == "GET":
                raise _TooManyStreams
            channel.is_streaming = True
            channel.give_way()
        return self._plain_head() or super().build_response_header()

    def _plain_head(self) -> bytes | None:
        """The head of most answers, for which waitress would look into each header's name; None if it has to."""
        names = {name for name, _ in self.response_headers}
        if "Content-Length" not in names or "Date" in names or "Server" in names:
            return None
        asked = cast(Parser, self.request).headers
        if self.version != "1.1" or self.close_on_finish or "CONNECTION" in asked or not self.has_body:
            return None
        lines = [f"{name}: {value}" for name, value in self.response_headers]
        return "\r\n".join([f"HTTP/1.1 {self.status}", *lines, _date(int(self.start_time)), "", ""]).encode("latin-1")


@functools.lru_cache(maxsize=2)
def _date(second: int) -> str:
    """The header of RFC 9110 section 6.6.1; it changes once a second."""
    return f"Date: {build_http_date(second)}"


def _environ_of(request: Parser) -> dict[str, Any]:
    environ = {"REQUEST_METHOD": request.command, "PATH_INFO": request.place(), "QUERY_STRING": request.query}
    return environ | {f"HTTP_{name}": value for name, value in request.headers.items()}
