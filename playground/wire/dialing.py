"""A connection to one address, on which every wait ends when a deadline has come.

In:   an address; bytes to send.
Out:  a Wire that http.client can read a response from; TimeoutError when the deadline has come; OSError as sockets do.
Here nobody knows what travels.

Theory of operation
    A socket's own timeout is for one step: a server that sends a byte a second, of its headers even, is never late. So
    each step is given what is left of the whole, and where somebody may say stop (Deadline.glance), it is taken in
    short waits, between which that is looked at. Nothing is lost by a step that is tried again.

    To give up from another thread means to shut the socket: that wakes who waits, and tells the server that nobody
    listens any more.

    Nothing goes through a proxy, whatever the environment says: what is called is usually this machine.
"""

import contextlib
import io
import socket
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from playground.trust import why_unsafe
from playground.wire.transports import Deadline

CONNECT = 5.0  # seconds until somebody must have picked up
_SAFE = "!#$%&'()*+,/:;=?@[]~"  # what may stand in a path or a query as it is (RFC 3986 section 2.2)


@dataclass(frozen=True, slots=True)
class Address:
    """What a URL says about the way to it. `authorization` is the header that a name and password in it stand for."""

    host: str
    port: int
    is_tls: bool
    target: str
    host_header: str
    authorization: str | None = None

    @classmethod
    def of(cls, url: str) -> "Address":
        """ValueError where there is no way to it.

        >>> Address.of("http://127.0.0.1:5000/mcp?a=b c")
        Address(host='127.0.0.1', port=5000, is_tls=False, target='/mcp?a=b%20c', host_header='127.0.0.1:5000', \
authorization=None)
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it is no address that begins with http:// or https:// and names a host")
        is_tls = parts.scheme == "https"
        target = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")
        host, header = (name.encode("idna").decode() for name in (parts.hostname, parts.netloc.rpartition("@")[2]))
        port = (443 if is_tls else 80) if parts.port is None else parts.port
        return cls(host, port, is_tls, target, header, _basic(parts))


class Wire:
    """A connected socket. One thread at a time sends and reads; any may hang up."""

    def __init__(self, connected: socket.socket, nothing_yet: tuple[type[Exception], ...]) -> None:
        self._socket, self._nothing_yet = connected, nothing_yet
        self.deadline = Deadline(CONNECT, CONNECT)

    def sendall(self, data: bytes) -> None:
        """Sends all of it."""
        left = memoryview(data)
        while left:
            left = left[self._patiently(self._socket.send, left) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """What arrives, as http.client wants to read it; to close it leaves the wire as it is."""
        return io.BufferedReader(_Reader(self))

    def receive(self, buffer: Any) -> int:
        """Fills a buffer with what has come, once something has; 0 is the end."""
        return self._patiently(self._socket.recv_into, buffer)

    def is_idle(self) -> bool:
        """Whether the other end still listens, and has said nothing unasked (the end is what it usually says)."""
        self._socket.settimeout(0)
        try:
            self._socket.recv(1)
        except self._nothing_yet:
            return True
        except OSError:
            return False
        return False

    def hang_up(self) -> None:
        """Ends it, from any thread: who waits is woken, and the server sees us go."""
        with contextlib.suppress(OSError):  # it has ended already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Gives it back. Nobody may be reading."""
        self._socket.close()

    def _patiently(self, step: Callable[[Any], int], buffer: Any) -> int:
        while (wait := self.deadline.glance) > 0:
            self._socket.settimeout(wait)
            try:
                return step(buffer)
            except TimeoutError:
                continue  # unless the deadline was put off meanwhile, the loop ends
        raise TimeoutError


class _Reader(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._wire.receive(buffer)


class NotTrusted(Exception):
    """Somebody is there, and TLS with them can't be had."""


def dial(address: Address, deadline: Deadline) -> Wire:
    """A new connection. Raises OSError where nobody picks up, NotTrusted."""
    place = address.host, address.port
    connected = socket.create_connection(place, timeout=max(0.001, min(CONNECT, deadline.left)))
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a message goes out at once, whatever its size
    return _secured(connected, address.host) if address.is_tls else Wire(connected, (BlockingIOError,))


def _secured(connected: socket.socket, host: str) -> Wire:
    import ssl  # with its certificates, more than all the rest; most servers are on this machine, and need none

    import certifi

    trusted = ssl.create_default_context()  # whom the system trusts; some systems' Python finds nobody, hence:
    trusted.load_verify_locations(certifi.where())
    try:
        return Wire(trusted.wrap_socket(connected, server_hostname=host), (ssl.SSLWantReadError,))
    except OSError as error:
        connected.close()
        raise NotTrusted(why_unsafe(error) or str(error)) from None


def _basic(parts: Any) -> str | None:
    """RFC 7617."""
    if parts.username is None:
        return None
    name, password = unquote(parts.username), unquote(parts.password or "")
    return "Basic " + b64encode(f"{name}:{password}".encode()).decode()
