"""The server that a tap stands before: where it is, and how a request is addressed to it.

In:   the address that the user gave.
Out:  connections, and heads of requests that name the target where the client named the tap.
Here nobody knows what is asked. No proxy is ever used, whatever the environment says.
"""

import socket
import ssl
from functools import cached_property
from urllib.parse import urlsplit

from playground.tapping.heads import Head
from playground.terminal import one_line
from playground.trust import why_unsafe

__all__ = ["BadAddress", "Target", "Unreachable"]

CONNECT = 10.0  # seconds until somebody must have picked up


class BadAddress(ValueError):
    """A sentence for the user: what was given is no address of a server."""


class Unreachable(Exception):
    """A sentence for the client: nobody answers at the target."""


class Target:
    """One server over HTTP or HTTPS. Raises BadAddress."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:  # a port that is no number, half a pair of brackets
            parts, host, port = urlsplit(""), None, None
        if parts.scheme not in ("http", "https") or not host or not url.isascii() or parts.fragment:
            raise BadAddress(f"{one_line(url)} is no address of a server; try --to http://127.0.0.1:5000/mcp.")
        if "@" in parts.netloc:
            raise BadAddress("--to holds a name or a password; let the client send it in an Authorization header.")
        self.host, self._is_tls = host, parts.scheme == "https"
        self.port = port or (443 if self._is_tls else 80)
        self.authority = parts.netloc
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.url = self.origin + (parts.path or "/")  # without a key that the query may hold

    def addressed(self, head: Head) -> Head:
        """The head of a request that the client addressed to the tap, addressed to the target."""
        host, origin = head.get("host"), head.get("origin")
        if origin is not None and origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower()):
            head = head.replacing("origin", self.origin)  # a page that came through the tap
        return head.replacing("host", self.authority)

    def connect(self) -> socket.socket:
        """A connection of its own. Raises Unreachable."""
        try:
            sock = socket.create_connection((self.host, self.port), CONNECT)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Unreachable(
                f"The tap could not reach {self.url} ({reason}): start that server, or give the tap another --to."
            ) from None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._is_tls:
            return sock
        try:
            return self._tls.wrap_socket(sock, server_hostname=self.host)
        except OSError as error:
            sock.close()
            flaw = why_unsafe(error) or one_line(str(error), 200)
            raise Unreachable(f"No safe connection to {self.url} came about: {flaw}.") from None

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()
