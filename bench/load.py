"""The load: MCP calls over HTTP from one thread, without a client library.

In:   an address, and how a client of that server begins.
Out:  how long each call took.
Here nobody knows who answers.

Theory of operation
    A client library would be the slowest part of the chain. Here a call is bytes that were made before, sent by
    sendall(); the answer is whole when as many bytes as Content-Length says have come, or the last chunk, and its JSON
    is looked at once in the warm-up, not in each call. All connections share one poll(). What the generator itself
    needs per call is measured in each round (CPU seconds of this process) and stands in the results beside the servers;
    `ceiling` is how many calls a second it makes against a server that answers with ready-made bytes.
"""

import json
import select
import socket
import threading
import time
from typing import Any
from urllib.parse import urlsplit

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "read_file", "arguments": {"filename": "notes.txt"}}


class Client:
    """One connection that is kept open. `revision` decides how it begins."""

    def __init__(self, url: str, revision: str) -> None:
        parts = urlsplit(url)
        self._host, self._path = parts.netloc, parts.path
        self.socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        extra = {"MCP-Protocol-Version": revision}
        if revision == "2026-07-28":
            extra |= {"Mcp-Method": "tools/call", "Mcp-Name": "read_file"}
            self.call = self.post("tools/call", {**CALL, "_meta": META}, extra, id=1)
            return
        hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        head, _ = self.ask(self.post("initialize", hello, {}, id=0))
        for line in head.split("\r\n"):
            if line.lower().startswith("mcp-session-id:"):
                extra["Mcp-Session-Id"] = line.split(":", 1)[1].strip()
        self.ask(self.post("notifications/initialized", None, extra))
        self.call = self.post("tools/call", CALL, extra, id=1)

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
        return self.take()

    def take(self) -> tuple[str, bytes]:
        data = self.socket.recv(65536)
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        head = data[:end].decode("latin-1")
        lower = head.lower()
        if "transfer-encoding: chunked" in lower:
            while not data.endswith(b"0\r\n\r\n"):
                data += self._more()
        elif (at := lower.find("content-length:")) >= 0:
            size = end + 4 + int(lower[at + 15 :].split("\r\n", 1)[0])
            while len(data) < size:
                data += self._more()
        return head, data[end + 4 :]

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data

    def check(self) -> None:
        """One call whose answer is looked at."""
        head, body = self.ask(self.call)
        if " 200 " not in head.split("\r\n", 1)[0] + " " or b"line of notes" not in body or b'"isError":true' in body:
            raise ConnectionError(f"not the answer to read_file: {head[:80]} {body[:200]!r}")


def drive(clients: list[Client], calls: int) -> list[float]:
    """Makes so many calls, each client one after the other; the seconds that each took."""
    poll, sent, took = select.poll(), {}, []
    by_number = {client.socket.fileno(): client for client in clients}
    for number, client in by_number.items():
        poll.register(number, select.POLLIN)
        sent[number] = time.perf_counter()
        client.socket.sendall(client.call)
    left = calls - len(clients)
    while sent:
        for number, _ in poll.poll():
            client = by_number[number]
            client.take()
            now = time.perf_counter()
            took.append(now - sent.pop(number))
            if left > 0:
                left -= 1
                sent[number] = time.perf_counter()
                client.socket.sendall(client.call)
    return took


def ceiling(calls: int) -> float:
    """Calls a second that the generator makes, 8 at a time, against a thread that answers ready-made bytes.

    Both ends share this process, so alone it is faster still.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    body = b'{"jsonrpc":"2.0","id":1,"result":{"content":"line of notes"}}' + b" " * 800
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def serve(connection: socket.socket) -> None:
        with connection:
            while connection.recv(65536):
                connection.sendall(answer)

    def accept() -> None:
        for _ in range(8):
            threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    clients = [Client(url, "2026-07-28") for _ in range(8)]
    drive(clients, calls // 10)
    began = time.perf_counter()
    drive(clients, calls)
    rate = calls / (time.perf_counter() - began)
    for client in clients:
        client.socket.close()
    listener.close()
    return rate
