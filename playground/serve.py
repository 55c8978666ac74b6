"""Runs a gated WSGI application on waitress until it is told to stop.

In: a ``Gate`` and the address to listen on. Out: the exit code. Refuses to know: which application it is.

The settings come from measurements: with 200 event streams open and 300 requests stalled in mid-body, calls
are still answered within a millisecond. waitress's defaults stop answering at 100 connections.

Ctrl-C and SIGTERM end it within half a second and with exit code 0: no more requests are taken, streams are
closed at once, answers under way are finished if they hurry, and no thread is waited for.
"""

import contextlib
import errno
import logging
import select
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from waitress import wasyncore
from waitress.server import TcpWSGIServer

from playground.connections import Channel
from playground.crew import TICK, Crew
from playground.gate import Gate
from playground.http_parser import Limits, Rulebook

__all__ = ["CannotListen", "Limits", "Listener", "PortTaken", "Server", "listen"]

_GRACE = 0.5
_BACKLOG = 1024
_INSPECT_EVERY = 0.5


class CannotListen(Exception):
    """A sentence for the user: this address can't be listened on, and what to do."""


class PortTaken(CannotListen):
    """Another program listens there."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that already listens, so that its port is known before the server runs."""

    socket: socket.socket
    address: str
    port: int

    @property
    def is_loopback(self) -> bool:
        return self.address.startswith("127.") or self.address == "::1"

    @property
    def url(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.address, self.address)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def warning(self) -> str | None:
        """One line for the user if others than this machine can reach the server."""
        if self.is_loopback:
            return None
        return (
            f"Warning: listening on {self.address}, so other machines on the network may reach this server, "
            "and it asks nobody for a password. 127.0.0.1 is for this machine only."
        )


def listen(host: str, port: int, *, option: str = "--port") -> Listener:
    """Open a listening socket; port 0 means any free one. Raises CannotListen, which names ``option``."""
    try:
        if not host:
            raise socket.gaierror
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CannotListen(f"{host[:60]!a} is not an address of this machine; try --host 127.0.0.1.") from None
    # For "localhost", the address that every client tries.
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    sock = socket.socket(family, kind, protocol)
    try:
        if sys.platform == "win32":  # pragma: no cover - there, reusing an address would share the port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise _cannot_listen(error, host, port, option) from None
    bound = sock.getsockname()
    return Listener(sock, bound[0], bound[1])


def _cannot_listen(error: OSError, host: str, port: int, option: str) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        hint = " (on macOS, AirPlay takes 5000)" if port == 5000 else ""
        advice = f"stop the other program, or choose another with {option}"
        return PortTaken(f"Port {port} on {host} is taken by another program{hint}; {advice}.")
    if error.errno == errno.EACCES:
        return CannotListen(f"Port {port} is for administrators only; choose one above 1023 with {option}.")
    return CannotListen(f"{host[:60]!a} is not an address of this machine; try --host 127.0.0.1.")


class Server(TcpWSGIServer):
    """Serves a gate's application. ``run`` blocks; ``stop`` ends it from a signal handler or any thread."""

    channel_class = Channel
    adj: Rulebook
    # The stubs give these another type.
    _map: dict[int, Any]
    socket: Any
    active_channels: Any
    trigger: Any

    def __init__(self, gate: Gate, listener: Listener, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a busy moment is no news
        book = Rulebook(
            sockets=[listener.socket],
            ident=None,
            threads=limits.threads,
            connection_limit=min(limits.connections, _descriptors_left()),
            backlog=_BACKLOG,
            max_request_header_size=limits.header_bytes,
            max_request_body_size=sys.maxsize,  # the gate knows the limit, and answers in JSON
            outbuf_overflow=64 * 1024 * 1024,  # answers stay in memory: the disk may be full
            outbuf_high_watermark=256 * 1024,
            asyncore_loop_timeout=1,
            asyncore_use_poll=True,
            # Also listen while a request is being answered, to notice that its client has left.
            channel_request_lookahead=1,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=False,
        )
        book.gate, book.limits = gate, limits
        self.crew = Crew(self._go_on, self._wake, limits.threads)
        dispatcher: Any = self.crew  # waitress asks it for no more than add_task
        sock = listener.socket
        info = (sock.family, sock.type, sock.proto, sock.getsockname())
        self._is_stopping = False
        self._inspected = 0.0
        self._poll: Any = select.poll() if hasattr(select, "poll") else None
        self._asked: set[int] = set()  # the descriptors of which the system tells
        self.stirred: deque[int] = deque()  # those whose owners may wait for something else than before
        super().__init__(gate, map={}, _sock=sock, dispatcher=dispatcher, adj=book, sockinfo=info, bind_socket=False)

    def run(self) -> int:  # type: ignore[override]  # waitress returns nothing
        """Serve until stopped; return the exit code, which is 0: to be stopped is how a server ends."""
        with _on_signals(self.stop):
            self.crew.watch(lambda: self._is_stopping)
            deadline = time.monotonic() + _GRACE
            self.crew.watch(lambda: not self.active_channels or time.monotonic() > deadline, sleep=TICK)
            self.crew.end(deadline)
            self._wind_down()
            for channel in self._channels():
                channel.handle_close()
            self.trigger.close()
        return 0

    def stop(self) -> None:
        """End ``run``. May be called at any time and more than once."""
        self._is_stopping = True
        self.crew.ring()
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError, IndexError):  # it has ended already
            self.pull_trigger()

    def maintenance(self, now: float) -> None:
        """Leave it to ``_inspect``: waitress calls this in the middle of its poll.

        A connection closed there is still polled, as a bad descriptor; and a client accepted in the same turn gets
        the descriptor's number, and would be closed for it. (Between two polls, ``handle_close`` sees to that.)
        """

    def _inspect(self) -> None:
        """Look after the deadlines of all connections, between two polls."""
        clock = time.monotonic()
        if clock - self._inspected < _INSPECT_EVERY:
            return
        self._inspected = clock
        channels = self._channels()
        for channel in channels:
            channel.inspect(clock)
        self.stirred.extend(list(self._map))
        if self.in_connection_overflow:
            # Full: those who only keep a connection in reserve make room for those who wait.
            for channel in channels:
                if channel.is_idle() and not channel.has_something_to_read():
                    channel.handle_close()

    def _go_on(self) -> None:
        """What the crew's leader does between answers."""
        if self._is_stopping:
            self._wind_down()
        else:
            self._inspect()
        self._turn(_INSPECT_EVERY if not self._is_stopping else TICK)

    def set_reuse_addr(self) -> None:
        """``listen`` has decided on that."""

    def _channels(self) -> list[Channel]:
        return list(self.active_channels.values())

    def _turn(self, timeout: float) -> None:
        """Wait for the system to tell of any socket, and let each do what it can: wasyncore's loop, once around.

        wasyncore asks every connection in every turn what it waits for, which with hundreds of streams costs more than
        a request. Here the system keeps what it was asked, and only those are asked again that had something to do.
        """
        if self._poll is None:  # pragma: no cover - Windows
            wasyncore.loop(timeout=timeout, map=self._map, count=1)
            return
        if self.accepting:  # which depends on how many there are
            self.stirred.append(self.socket.fileno())
        while self.stirred:
            self._ask(self.stirred.popleft())
        for number, flags in self._poll.poll(timeout * 1000):
            if (part := self._map.get(number)) is not None:
                wasyncore.readwrite(part, flags)
            self.stirred.append(number)

    def _ask(self, number: int) -> None:
        """Have the system tell of what the owner of a descriptor waits for; of nothing, if nobody owns it any more."""
        part, flags = self._map.get(number), 0
        if part is not None:
            # Writing first: what a worker sends meanwhile may make a part readable, never writable.
            flags = select.POLLOUT if part.writable() and not part.accepting else 0
            flags |= (select.POLLIN | select.POLLPRI) if part.readable() else 0
        if flags:
            self._poll.register(number, flags)
        elif number in self._asked:
            self._poll.unregister(number)
        (self._asked.add if flags else self._asked.discard)(number)

    def _wind_down(self) -> None:
        """Take no more connections, and let go of those that owe nobody an answer."""
        is_first = self.accepting
        if is_first:
            self.accepting = False
            self.del_channel()
            self.socket.close()
        for channel in self._channels():
            if (is_first and (channel.is_streaming or not channel.requests)) or channel.is_idle():
                channel.handle_close()


@contextlib.contextmanager
def _on_signals(stop: Any) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM call ``stop`` instead of raising an exception wherever the program stands."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: stop()) for number in map(signal.Signals.__getitem__, names)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _descriptors_left() -> int:
    """Return how many connections fit, so that tools always have a descriptor left to open a file."""
    if not hasattr(select, "poll"):  # pragma: no cover - Windows: select() takes 512
        return 480
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 10**6
    if soft < 4096:
        more = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
    return max(soft - 512, 64)
