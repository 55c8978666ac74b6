"""For the tests of the tap: a server that plays a part byte by byte, a tap before it, and what the tap wrote."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playground import serve
from playground.logbook import Logbook
from playground.tapping.door import Door
from playground.tapping.story import Story
from playground.tapping.target import Target

Record = dict[str, Any]
Part = Callable[["Wire"], object]


@dataclass
class Wire:
    """One end of a connection, which remembers every byte that came."""

    sock: socket.socket
    got: bytearray = field(default_factory=bytearray)
    seen: int = 0  # bytes that the test has looked at
    ended: threading.Event = field(default_factory=threading.Event)

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.sock.sendall(piece)

    def more(self) -> bool:
        """Takes in what comes next; False at the end."""
        data = self.sock.recv(65536)
        self.got += data
        if not data:
            self.ended.set()
        return bool(data)

    def until(self, text: bytes) -> bytes:
        """Everything up to and with a text, beginning where the last call ended."""
        while text not in self.got[self.seen :] and self.more():
            pass
        if text not in self.got[self.seen :]:
            raise ConnectionError(f"{text!r} did not come, but {bytes(self.got[self.seen :])!r}")
        begin, self.seen = self.seen, self.got.index(text, self.seen) + len(text)
        return bytes(self.got[begin : self.seen])

    def rest(self) -> bytes:
        """Everything up to the end of the connection, beginning where the last call ended."""
        with contextlib.suppress(ConnectionError):
            while self.more():
                pass
        begin, self.seen = self.seen, len(self.got)
        return bytes(self.got[begin:])


class Actor:
    """A server on a loopback port; each connection is played by `part`, in a thread of its own."""

    def __init__(self, part: Part, tls: ssl.SSLContext | None = None) -> None:
        self._part, self._tls = part, tls
        self.wires: list[Wire] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.authority = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"http://{self.authority}/mcp"

    def __enter__(self) -> Actor:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept()
        self._socket.close()
        for wire in self.wires:
            wire.sock.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._socket.accept()
                sock.settimeout(20)
                sock = self._tls.wrap_socket(sock, server_side=True) if self._tls is not None else sock
                self.wires.append(Wire(sock))
                threading.Thread(target=self._play, args=(self.wires[-1],), daemon=True).start()

    def _play(self, wire: Wire) -> None:
        with wire.sock, contextlib.suppress(OSError):
            self._part(wire)


@dataclass
class Tapped:
    """A tap that runs in this process."""

    port: int
    log: Logbook
    door: Door

    @property
    def host(self) -> bytes:
        return f"Host: 127.0.0.1:{self.port}\r\n".encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @contextlib.contextmanager
    def client(self) -> Iterator[Wire]:
        with socket.create_connection(("127.0.0.1", self.port), 20) as sock:
            yield Wire(sock)

    def post(self, body: bytes, headers: bytes = b"", path: bytes = b"/mcp") -> bytes:
        """The bytes of a POST to the tap."""
        length = b"Content-Length: %d\r\n" % len(body)
        kind = b"Content-Type: application/json\r\n"
        return b"POST " + path + b" HTTP/1.1\r\n" + self.host + kind + length + headers + b"\r\n" + body

    @property
    def records(self) -> list[Record]:
        return records(self.log.path)


@contextlib.contextmanager
def tapped(url: str, folder: Path, *, secrets: tuple[str, ...] = (), hosts: tuple[str, ...] = ()) -> Iterator[Tapped]:
    listener = serve.listen("127.0.0.1", 0)
    log = Logbook(folder, "mcp-tap", secrets=secrets)
    door = Door(listener, Target(url), Story(log, "http"), allow_hosts=hosts)
    thread = threading.Thread(target=door.run)
    thread.start()
    try:
        yield Tapped(listener.port, log, door)
    finally:
        door.close()
        thread.join()
        log.close()


def records(path: Path) -> list[Record]:
    """What a log holds; its whole lines, as they stand now."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def text_of(record: Record) -> bytes:
    """A frame as it crossed the wire, made from its record alone."""
    data = record["data"]
    if "raw_base64" in data:
        return base64.b64decode(data["raw_base64"])
    if "raw" in data:
        return str(data["raw"]).encode("utf-8", "surrogatepass")
    return json.dumps(data["message"], separators=(",", ":")).encode()


def frames(found: list[Record], sender: str, dir: str = "in") -> list[bytes]:
    """The texts that a sender sent, as they came to the tap (`in`) or left it (`out`)."""
    peer = sender if dir == "in" else {"client": "server", "server": "client"}[sender]
    kinds = ("tap_request", "tap_response", "tap_notification", "tap_unreadable", "tap_batch")
    parts = [r for r in found if r["event"] in kinds and "part" not in r["data"]]
    return [text_of(r) for r in parts if (r["dir"], r["peer"]) == (dir, peer)]


def answer(body: bytes, headers: bytes = b"Content-Type: application/json\r\n", status: bytes = b"200 OK") -> bytes:
    """A whole response of known length."""
    return b"HTTP/1.1 " + status + b"\r\n" + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
