"""One end of a relay: a connection that is never waited for.

In:   a socket, plain or TLS, and the bytes that shall go out on it.
Out:  the bytes that came in, and whether more can come.
Here nobody knows the other end.
"""

import selectors
import socket
import ssl

__all__ = ["PIECE", "End", "watch"]

PIECE = 64 * 1024
HIGH_WATER = 256 * 1024  # bytes of one end that may wait for the other


class End:
    """One connection: what waits to be written to it, and whether it has more to say."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock, self.pending, self.has_ended = sock, bytearray(), False
        self.will_close = False  # our side, once everything is written

    def read(self) -> bytes:
        """What has come; b"" if nothing has, or its end, which `has_ended` tells apart. Raises OSError."""
        try:
            data = self.sock.recv(PIECE)  # more than a record of TLS, so that none of it stays behind unseen
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return b""
        self.has_ended = not data
        return data

    def flush(self) -> None:
        """Writes what can be written now. Raises OSError."""
        try:
            while self.pending:
                del self.pending[: self.sock.send(self.pending)]
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        if self.will_close:
            self.will_close = False
            self.sock.shutdown(socket.SHUT_WR)


def watch(selector: selectors.BaseSelector, end: End, waiting: int) -> None:
    """Tells the selector what is wanted of an end. `waiting` bytes of it have not been taken yet."""
    wanted = 0 if end.has_ended or waiting > HIGH_WATER else selectors.EVENT_READ
    wanted |= selectors.EVENT_WRITE if end.pending or end.will_close else 0
    current = selector.get_map().get(end.sock)
    if current is None:
        if wanted:
            selector.register(end.sock, wanted, end)
    elif not wanted:
        selector.unregister(end.sock)
    elif current.events != wanted:
        selector.modify(end.sock, wanted, end)
