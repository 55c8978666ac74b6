"""One HTTP connection: how long each thing may take, and who is told when its client leaves.

In: a client's socket. Out: complete requests, and what answers them on its way back. Refuses to know: what is asked,
and what is answered (http_parser.py and http_answer.py do).

*Theory of operation.* waitress reads all connections in one loop; the thread that runs it, or another of the crew,
answers a request that is complete. ``Channel`` adds what it lacks: a request has a deadline as a whole, because a
client that sends one byte a second is never idle; a reader that takes nothing any more is closed on; the reader of a
stream that leaves is noticed at once, not at the second write after; and a refused client may finish talking for a
moment, since closing earlier would reset the connection and destroy the answer on its way (RFC 9112 section 9.6).

When a client stops sending while its answer is awaited, that may be a client that left or one that is done
talking and listens. Before the answer has begun we take it for the second; once a stream runs, for the first.
"""

import socket
import time
from collections.abc import Callable
from typing import Any, cast

from waitress.channel import HTTPChannel

from playground.gate import Refusal
from playground.http_answer import ErrorTask, Task
from playground.http_parser import Parser, Rulebook

__all__ = ["Channel"]

_LINGER = 2.0  # seconds


class _WakesIfNeeded:
    """The server as its channels see it.

    waitress wakes the loop after each request, which costs as much as reading the next one; mostly for nothing.
    """

    def __init__(self, channel: "Channel", server: Any) -> None:
        self._channel, self._server = channel, server
        self.adj, self.application = server.adj, server.application  # what each answer asks for

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    def pull_trigger(self) -> None:
        channel = self._channel
        if channel.requests or channel.total_outbufs_len or channel.will_close or channel.close_when_flushed:
            if (number := channel._fileno) is not None:  # else the loop has closed it meanwhile
                self._server.stirred.append(number)
            self._server.pull_trigger()


class Channel(HTTPChannel):
    """Holds one connection and its deadlines. Everything but ``service`` and ``on_gone`` runs in the loop."""

    parser_class = Parser
    task_class = Task
    error_task_class = ErrorTask
    adj: Rulebook
    # The stubs leave these out, or give them another type.
    socket: Any
    _fileno: int | None
    requests: list[Parser]
    requests_lock: Any
    _flush_some: Any
    _flush_exception: Any

    head = b""  # of the running answer, until its first part follows
    is_streaming = False  # the running answer has no end in sight
    is_half_closed = False  # the client will send no more, but may wait for its answer
    is_polite = False  # let the client finish before closing
    is_closed = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.server = cast(Any, _WakesIfNeeded(self, self.server))
        self.server.stirred.append(self.socket.fileno())  # type: ignore[attr-defined]
        self._idle_since = time.monotonic()
        self._request_since: float | None = None
        self._linger_until: float | None = None
        self._mark, self._stuck_since = self.last_activity, self._idle_since
        self._when_gone: list[Callable[[], None]] = []

    # ---- in the loop -------------------------------------------------------------------------------

    def readable(self) -> bool:
        # As in waitress but for the first condition and the last; asked of every connection in each turn of the loop.
        return not (
            self.is_half_closed
            or self.will_close
            or self.close_when_flushed
            or len(self.requests) > 1
            or (self.total_outbufs_len and self._is_waiting_to_send())
        )

    def writable(self) -> bool:
        return bool(
            self.will_close or self.close_when_flushed or (self.total_outbufs_len and self._is_waiting_to_send())
        )

    def _is_waiting_to_send(self) -> bool:
        # Whoever has the lock is sending at this moment, and wakes the loop if it can't send all. Without this
        # look the loop would ask the system again and again whether the client can take what is on its way already.
        if not self.outbuf_lock.acquire(False):
            return False
        self.outbuf_lock.release()
        return bool(self.total_outbufs_len)

    def handle_read(self) -> None:
        try:
            data = self.socket.recv(self.adj.recv_bytes)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.handle_close()
            return
        if self._linger_until is not None:
            if not data:
                self.handle_close()
        elif data:
            self.last_activity = time.time()
            self.received(data)
        elif self.requests and not self.is_streaming:
            self.is_half_closed = True
        else:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        if self.requests and self.requests[-1].error is not None:
            return False  # what follows a refused request is not a request
        before = self.request
        taken = super().received(data)
        if self.request is None:
            self._request_since = None
        elif self.request is not before:
            self._request_since = time.monotonic()
        return taken

    def handle_write(self) -> None:
        if self.is_polite and self.close_when_flushed:
            self._flush_exception(self._flush_some)
            if not self.total_outbufs_len and not self.will_close and not self.is_closed:
                self.close_when_flushed = False
                self._linger_until = time.monotonic() + _LINGER
                try:
                    self.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    self.handle_close()
                return
        super().handle_write()

    def handle_expt(self) -> None:
        # Urgent data, which HTTP has no use for and which would wake the loop for ever.
        self.handle_close()

    def handle_close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            # Whoever comes next is given the same descriptor, and must not hear what is still told of this one.
            cast(Any, self.server).stirred.append(self._fileno)
            super().handle_close()
            self._tell_gone()

    def inspect(self, now: float) -> None:
        """Close or answer if a deadline has passed. ``now`` is monotonic."""
        limits = self.adj.limits
        if self.is_half_closed:
            self._look_for_reset()
        if self._linger_until is not None:
            if now > self._linger_until:
                self.handle_close()
        elif self.total_outbufs_len:
            # A moment of the wall clock, taken as a mere mark: it changes whenever bytes move.
            if self.last_activity != self._mark:
                self._mark, self._stuck_since = self.last_activity, now
            elif now - self._stuck_since > limits.write_time:
                self.handle_close()
        elif self.requests:
            return
        elif self.request is not None and self._request_since is not None:
            took = now - self._request_since
            if took > (limits.body_time if self.request.headers_finished else limits.header_time):
                self._expire(cast(Parser, self.request))
        elif now - self._idle_since > limits.idle_time and not self.has_something_to_read():
            self.handle_close()

    def are_streams_full(self) -> bool:
        """Say whether as many streams are open as there may be."""
        channels: dict[int, Channel] = cast(Any, self.server).active_channels
        return sum(other.is_streaming for other in list(channels.values())) >= self.adj.limits.streams

    def is_idle(self) -> bool:
        return not self.requests and self.request is None and not self.total_outbufs_len

    def has_something_to_read(self) -> bool:
        """Say whether more has come, as it may while this process or its machine sleeps; closing now would reset it."""
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _look_for_reset(self) -> None:
        # A client that left answers our next packet with a reset, which shows up only in a read.
        try:
            self.socket.recv(1)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()

    def _expire(self, request: Parser) -> None:
        request.refuse(Refusal(408, "The request took too long to arrive; send it again in one go."))
        with self.requests_lock:
            self.request = None
            self.requests.append(request)
        self.server.add_task(self)  # type: ignore[arg-type]  # the stubs say Task

    # ---- in the thread that answers ----------------------------------------------------------------

    def give_way(self) -> None:
        """Say that the answer will take long."""
        cast(Any, self.server).crew.give_way()

    def write_soon(self, data: Any) -> int:
        if self.head:
            data, self.head = self.head + data, b""
        if self.total_outbufs_len > self.adj.outbuf_high_watermark:
            self.give_way()  # waitress waits until the client has taken some of it
        return super().write_soon(data)

    def service(self) -> None:
        super().service()
        self.is_streaming = False
        self._idle_since = time.monotonic()
        self._when_gone.clear()
        if self.is_half_closed and not self.requests:
            self.close_when_flushed = True
            self.server.pull_trigger()

    def on_gone(self, call: Callable[[], None]) -> None:
        """Have ``call`` called, once and from the loop, when the client has left; it must not wait."""
        self._when_gone.append(call)
        if self.is_closed:
            self._tell_gone()

    def _tell_gone(self) -> None:
        while self._when_gone:
            self._when_gone.pop()()
