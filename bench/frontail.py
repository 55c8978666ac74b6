"""frontail, which shows a growing file in browsers: started, and its stream as a browser would hold it.

In:   the file.
Out:  sockets out of which each new line comes.
Here nobody knows what is measured. It speaks socket.io 2 over WebSocket (RFC 6455), of which this is what a listener
needs: the handshake, joining the room of the file (named by the MD5 of its path), and nothing ever after.
"""

import hashlib
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import peers
from bench.processes import PATIENCE, Unavailable, running


@contextmanager
def frontail(path: Path) -> Iterator[int]:
    """It follows the file; its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    options = ["--host", "127.0.0.1", "--port", str(port), "--number", "0", "--disable-usage-stats"]
    with running(peers.package("frontail", "frontail/bin/frontail", *options, str(path))):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise Unavailable("frontail does not listen") from None
                time.sleep(0.05)
        yield port


@contextmanager
def listeners(port: int, path: Path, count: int) -> Iterator[list[socket.socket]]:
    """So many browsers that listen. frontail drops those that say nothing for half a minute."""
    with ExitStack() as stack:
        yield [stack.enter_context(_listener(port, path)) for _ in range(count)]


def _listener(port: int, path: Path) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    request = (
        "GET /socket.io/?EIO=3&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    connection.sendall(request.encode())
    _take_until(connection, b"40")  # socket.io: you are connected
    room = f"40/{hashlib.md5(str(path).encode(), usedforsecurity=False).hexdigest()},".encode()
    connection.sendall(bytes([0x81, 0x80 | len(room)]) + bytes(4) + room)  # one text frame; the mask of a client is 0
    _take_until(connection, room[:-1])
    return connection


def _take_until(connection: socket.socket, word: bytes) -> None:
    seen = b""
    while word not in seen:
        more = connection.recv(65536)
        if not more:
            raise Unavailable(f"frontail ended the stream: {seen[-100:]!r}")
        seen += more
