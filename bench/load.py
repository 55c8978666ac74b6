"""The load: MCP calls over HTTP from one thread, without a client library.

In:   an address, and the revision that a client of that server speaks.
Out:  how long each call took.
Here nobody knows who answers.

Theory of operation
    A client library would be the slowest part of the chain. Here a call is bytes that were made before; only its id
    changes, which has the same number of digits in all. It is sent by one system call and its answer taken by one; the
    answer is whole when as many bytes as Content-Length says have come, or the last chunk. Its JSON is looked at once,
    by `check`; afterwards it must be a 200 of that length. All connections share one poll(). A silent server is given
    up by the kernel's own time limit (SO_RCVTIMEO), because Python's costs one more system call each time.
    That the generator isn't the bottleneck is measured, not believed: in each round it also drives a server that
    answers with ready-made bytes (programs/ready_made.py), and how much of a core it used stands beside each server.
"""

import json
import re
import select
import socket
import struct
import time
from typing import Any
from urllib.parse import urlsplit

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "read_file", "arguments": {"filename": "notes.txt"}}
FIRST_ID = 1_000_000  # ids of seven digits: no call repeats one, and all calls are equally long
PATIENCE = 30  # seconds until a silent server is given up
ENOUGH = 16_384  # bytes that one recv() takes: more than an answer has
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Client:
    """One connection that is kept open. `revision` decides how it begins."""

    def __init__(self, url: str, revision: str) -> None:
        parts = urlsplit(url)
        self._host, self._path = parts.netloc, parts.path
        self.socket = socket.create_connection((parts.hostname or "", parts.port or 80))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", PATIENCE, 0))
        extra = {"MCP-Protocol-Version": revision}
        call: dict[str, Any] = CALL
        if revision == "2026-07-28":
            extra |= {"Mcp-Method": "tools/call", "Mcp-Name": "read_file"}
            call = {**CALL, "_meta": META}
        else:
            self._greet(revision, extra)
        before, self._after = self.post("tools/call", call, extra, id=FIRST_ID).split(b"%d" % FIRST_ID)
        self._before, self._id, self._shortest = before, FIRST_ID, 0

    def _greet(self, revision: str, extra: dict[str, str]) -> None:
        """The handshake of the revisions that have one; a session it names is kept in `extra`."""
        hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        head, _ = self.ask(self.post("initialize", hello, {}, id=0))
        for line in head.split("\r\n"):
            if line.lower().startswith("mcp-session-id:"):
                extra["Mcp-Session-Id"] = line.split(":", 1)[1].strip()
        self.ask(self.post("notifications/initialized", None, extra))

    def post(self, method: str, params: Any, headers: dict[str, str], *, id: int | None = None) -> bytes:
        """The bytes of one POST."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        message |= {} if id is None else {"id": id}
        message |= {} if params is None else {"params": params}
        body = json.dumps(message).encode()
        fixed = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        lines = [f"{k}: {v}" for k, v in (fixed | headers).items()]
        first = f"POST {self._path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {len(body)}\r\n"
        return (first + "\r\n".join(lines) + "\r\n\r\n").encode() + body

    def ask(self, request: bytes) -> tuple[str, bytes]:
        """Sends one request and takes its answer: head and body."""
        self.socket.sendall(request)
        data = self._whole()
        head, _, body = data.partition(b"\r\n\r\n")
        return head.decode("latin-1"), body

    def send(self) -> None:
        """The next call."""
        self._id += 1
        self.socket.sendall(b"%b%d%b" % (self._before, self._id, self._after))

    def take(self) -> None:
        """Its answer, which must be like the one that was checked."""
        data = self._whole()
        if len(data) < self._shortest or not data.startswith(b"HTTP/1.1 200"):
            raise ConnectionError(f"not the answer to read_file: {data[:200]!r}")

    def check(self) -> None:
        """One call whose answer is looked at."""
        self.send()
        data = self._whole()
        if not data.startswith(b"HTTP/1.1 200") or b"line of notes" not in data or b'"isError":true' in data:
            raise ConnectionError(f"not the answer to read_file: {data[:300]!r}")
        self._shortest = len(data) - 16  # the ids of SSE events may grow and shrink

    def _whole(self) -> bytes:
        data = self.socket.recv(ENOUGH)
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        length = LENGTH.search(data, 0, end)
        if length:
            size = end + 4 + int(length[1])
            while len(data) < size:
                data += self._more()
        elif b"chunked" in data[:end].lower():
            while not data.endswith(b"\r\n0\r\n\r\n"):
                data += self._more()
        return data

    def _more(self) -> bytes:
        data = self.socket.recv(ENOUGH)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


def drive(clients: list[Client], calls: int) -> list[float]:
    """Makes so many calls, each client one after the other; the seconds that each took."""
    poll, sent, took = select.poll(), {}, []
    by_number = {client.socket.fileno(): client for client in clients}
    for number, client in by_number.items():
        poll.register(number, select.POLLIN)
        sent[number] = time.perf_counter()
        client.send()
    left = calls - len(clients)
    while sent:
        for number, _ in _ready(poll):
            client = by_number[number]
            client.take()
            now = time.perf_counter()
            took.append(now - sent.pop(number))
            if left > 0:
                left -= 1
                sent[number] = time.perf_counter()
                client.send()
    return took


def _ready(poll: select.poll) -> list[tuple[int, int]]:
    found = poll.poll(PATIENCE * 1000)
    if not found:
        raise TimeoutError(f"no answer within {PATIENCE} s")
    return found
