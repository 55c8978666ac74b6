"""One client's connection and one to the target, tied together: every byte of the one goes to the other.

In:   the client's socket, the target, and which requests may go on.
Out:  bytes, as they come; what they say is overheard on the way (listening.py).
Here nobody knows MCP.

Theory of operation
    The two connections are one: opened, half closed, broken and ended together. So neither end can tell that it is not
    talking to the other, keep-alive, silence and hang-ups included; a head is read before it goes on, and of a body no
    more than the piece that is being passed. One thread waits for whichever of the two has something to say. What one
    doesn't take waits in `pending`; when that is long, the other is not read: a slow reader slows its writer down, as
    on one connection.

    A client that closes its side may have left, or be done talking and listen. Only the target can know what that
    means to it, so it is told in the same way; if the client has left, the next byte written to it will say so.
"""

import contextlib
import selectors
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any

from mcp_core.messages import INTERNAL_ERROR
from playground import anyjson
from playground.gate import Refusal
from playground.tapping import heads
from playground.tapping.ends import PIECE, End, watch
from playground.tapping.heads import Body, Endless, Head, Malformed
from playground.tapping.listening import Overheard
from playground.tapping.story import Story
from playground.tapping.target import Target, Unreachable

__all__ = ["Relay"]

FIRST_REQUEST = 60.0  # seconds that a client may take for a head before there is a target
PATIENCE = 30.0  # seconds without taking one byte of what is left to be written
LINGER = 2.0  # seconds that the client may take to stop talking


class Relay:
    """The life of a client's connection; `run` blocks until it is over."""

    def __init__(
        self, client: socket.socket, target: Target, story: Story, refuse: Callable[[Head], Refusal | None]
    ) -> None:
        self._client = End(client)
        self._server: End | None = None
        self._target, self._story, self._refuse = target, story, refuse
        self._heard = bytearray()  # of the client, not yet passed on
        self._said = bytearray()  # of the server: a head that is not complete
        self._overheard: Overheard | None = None
        self._request: Body | None = None  # None: between two requests
        self._answer: Body | None = None  # None: before the head of the response
        self._is_over = self._is_stopped = False
        self._reason = ""  # why the target can't be reached
        self._connection = f"http-{client.getpeername()[1]}"

    def run(self) -> None:
        began = time.monotonic()
        with selectors.DefaultSelector() as selector:
            try:
                while not self._is_over:
                    left = None if self._server is not None else began + FIRST_REQUEST - time.monotonic()
                    if left is not None and left <= 0:
                        break
                    self._turn(selector, left)
                self._linger()
            finally:
                self._client.sock.close()
                if self._server is not None:
                    self._server.sock.close()

    def stop(self) -> None:
        """From another thread: the tap ends, and what `run` is in the middle of is written down as cut by it."""
        self._is_stopped = not self._client.has_ended
        for end, how in ((self._client, socket.SHUT_RD), (self._server, socket.SHUT_RDWR)):
            with contextlib.suppress(OSError):
                if end is not None:
                    socket.socket.shutdown(end.sock, how)  # of TLS too: it wakes whoever waits for the socket

    def _turn(self, selector: selectors.BaseSelector, timeout: float | None) -> None:
        """Waits for one of the two ends, and passes on what it has to say."""
        watch(selector, self._client, len(self._heard) + (len(self._server.pending) if self._server else 0))
        if self._server is not None:
            watch(selector, self._server, len(self._said) + len(self._client.pending))
        for key, events in selector.select(timeout):
            if events & selectors.EVENT_READ and not self._is_over:
                self._read(key.data)
            self._flush()

    def _read(self, end: End) -> None:
        is_client = end is self._client
        try:
            data = end.read()
            if is_client:
                self._from_client(data)
            else:
                self._from_server(data)
        except Malformed as flaw:
            self._give_up(is_client, str(flaw))
        except OSError:
            self._end("client" if is_client else "server")

    def _flush(self) -> None:
        for end, name in ((self._client, "client"), (self._server, "server")):
            try:
                if end is not None:
                    end.flush()
            except OSError:
                self._end(name)

    # ---- From the client ---------------------------------------------------------------------------------------------

    def _from_client(self, data: bytes) -> None:
        self._heard += data
        if self._client.has_ended:
            if self._overheard is None or self._server is None or isinstance(self._server.sock, ssl.SSLSocket):
                self._end("client")  # TLS has no half of a connection that could be closed
            else:
                self._server.will_close = True
        while self._heard and not self._is_over:
            if self._request is None and not self._begin():
                return
            assert self._request is not None
            if self._request.is_over:
                return  # a request that was sent before the last was answered waits
            self._pass_request()

    def _begin(self) -> bool:
        """Reads the head of the next request, and passes it on. False: it is not complete, or goes no further."""
        while self._heard.startswith(b"\r\n"):  # RFC 9112 section 2.2
            del self._heard[:2]
        if (end := heads.end_of_head(self._heard)) is None:
            return False
        head = Head.parse(bytes(self._heard[:end]))
        del self._heard[:end]
        method, path = head.request
        if (refusal := self._refuse(head)) is not None:
            http = {"method": method, "path": path.partition("?")[0], "status": refusal.status}
            self._story.note("tap_refused", {"http": http, "reason": refusal.sentence}, peer="client")
            self._reply(refusal.status, {"error": refusal.sentence})
            return False
        self._request, self._answer = heads.body_of_request(head), None
        sent = self._target.addressed(heads.for_next_hop(head))
        try:
            self._connect()
        except Unreachable as reason:
            self._overheard, self._reason = Overheard(self._story, head, None, self._connection), str(reason)
        else:
            self._overheard = Overheard(self._story, head, sent, self._connection)
            self._to_server(sent.encode())
        if self._request.is_over:
            self._pass_request()
        return not self._is_over

    def _connect(self) -> None:
        if self._server is None:
            self._server = End(self._target.connect())
            # The playground's server names a connection by this port: so both logs name the exchange alike.
            self._connection = f"http-{self._server.sock.getsockname()[1]}"

    def _pass_request(self) -> None:
        assert self._request is not None
        assert self._overheard is not None
        payload, taken = self._request.take(bytes(self._heard))
        self._overheard.asked(payload, self._request.is_over)
        self._to_server(self._heard[:taken])
        del self._heard[:taken]
        if self._request.is_over and self._server is None:
            self._overheard.failed("tap_unreachable", self._reason, target=self._target.url)
            error = {"code": INTERNAL_ERROR, "message": self._reason}
            value = {"jsonrpc": "2.0", "id": self._overheard.id, "error": error}
            self._reply(502, value if self._overheard.method == "POST" else {"error": self._reason})
        self._next_if_complete()

    def _to_server(self, data: bytes | bytearray) -> None:
        if self._server is not None:
            self._server.pending += data

    # ---- From the server ---------------------------------------------------------------------------------------------

    def _from_server(self, data: bytes) -> None:
        assert self._server is not None
        if self._server.has_ended:
            if isinstance(self._answer, Endless) and self._overheard is not None:
                self._overheard.answered(b"", True)
            self._end("server")
        elif self._overheard is None:  # a server that says something without being asked is about to hang up
            self._client.pending += data
        else:
            self._said += data
            while self._said and self._overheard is not None and not (self._answer and self._answer.is_over):
                if self._answer is None and not self._head():
                    return
                self._pass_answer()

    def _head(self) -> bool:
        """Reads the head of the response, and passes it on. False: it is not complete."""
        assert self._overheard is not None
        if (end := heads.end_of_head(self._said)) is None:
            return False
        head = Head.parse(bytes(self._said[:end]))
        del self._said[:end]
        if 100 <= head.status < 200 and head.status != 101:  # the real one follows
            self._client.pending += head.encode()
            return bool(self._said) and self._head()
        self._answer = heads.body_of_answer(head, self._overheard.method)
        left = heads.for_next_hop(head)
        if head.get("transfer-encoding") is not None:
            left = left.without({"content-length"})  # RFC 9112 section 6.3
        self._overheard.answers(head, left)
        self._client.pending += left.encode()
        return True

    def _pass_answer(self) -> None:
        assert self._overheard is not None
        assert self._answer is not None
        payload, taken = self._answer.take(bytes(self._said))
        self._overheard.answered(payload, self._answer.is_over)
        self._client.pending += self._said[:taken]
        del self._said[:taken]
        self._next_if_complete()

    def _next_if_complete(self) -> None:
        if self._request and self._request.is_over and self._answer and self._answer.is_over:
            self._overheard = self._request = self._answer = None
            self._from_client(b"")  # the next request may be here already

    # ---- The end -----------------------------------------------------------------------------------------------------

    def _reply(self, status: int, value: Mapping[str, Any]) -> None:
        """Answers in the target's place, and hangs up."""
        body = anyjson.encode(value).encode()
        head = Head(f"HTTP/1.1 {status} {_PHRASES.get(status, 'Refused')}".encode(), (
            b"Content-Type: application/json", b"Content-Length: %d" % len(body), b"Connection: close",
        ))  # fmt: skip
        self._client.pending += head.encode() + body
        self._is_over = True

    def _give_up(self, is_client: bool, flaw: str) -> None:
        """One of the ends does not speak HTTP."""
        reason = f"This is not well-formed HTTP: {flaw}."
        if is_client:
            self._story.note("tap_refused", {"http": {"status": 400}, "reason": reason}, peer="client")
        else:
            reason = f"{self._target.url} did not answer in HTTP that the tap can follow: {flaw}."
            if self._overheard is not None:
                self._overheard.failed("tap_cut", reason, by="tap")
        if self._answer is None:
            self._reply(400 if is_client else 502, {"error": reason})
        self._is_over = True

    def _end(self, by: str) -> None:
        self._is_over = True
        if self._overheard is not None:
            self._overheard.cut("tap" if self._is_stopped else "client" if self._client.has_ended else by)

    def _linger(self) -> None:
        """Lets the client read what it has been sent: closing at once could destroy it on its way (RFC 9112 9.6)."""
        sock = self._client.sock
        try:
            sock.settimeout(PATIENCE)
            while self._client.pending:
                del self._client.pending[: sock.send(self._client.pending)]
            sock.shutdown(socket.SHUT_WR)
            until = time.monotonic() + LINGER
            while not self._client.has_ended and (left := until - time.monotonic()) > 0:
                sock.settimeout(left)
                self._client.has_ended = not sock.recv(PIECE)
        except OSError:
            return


_PHRASES = {400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway"}
