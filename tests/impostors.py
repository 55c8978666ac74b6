"""Broken and hostile MCP servers, for the tests of the client: HTTP on a loopback port, stdio as a small script.

They play the peers that no honest server can play: silent, slow, cut off, lying. An answer is bytes, sent as they
are, or an iterable of pieces; whatever follows is the end of the connection.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

Json = dict[str, Any]


@dataclass
class Seen:
    """One request that an impostor got; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Json:
        value = json.loads(self.body or b"{}")
        return value if isinstance(value, dict) else {}


Answer = bytes | Iterable[bytes]


class Impostor:
    """An HTTP server that says what the test wants. Use it as a context manager."""

    def __init__(self, answer: Callable[[Seen], Answer]) -> None:
        self._answer = answer
        self.seen: list[Seen] = []
        self.is_over = threading.Event()  # set when the test ends: what waits for it plays dead until then
        self.left = threading.Event()  # set when a client has gone before the answer was complete
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Impostor:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self._socket.close()

    @property
    def methods(self) -> list[str]:
        """What was asked, in order: HTTP methods but POST, and the methods of the messages."""
        return [s.method if s.method != "POST" else s.message.get("method", "(an answer)") for s in self.seen]

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # The end of the connection is no request line: ValueError.
        with connection, connection.makefile("rb") as stream, contextlib.suppress(ValueError, OSError):
            if connection.recv(1, socket.MSG_PEEK) == b"\x16":  # TLS
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return
            while self._exchange(connection, stream):
                pass

    def _exchange(self, connection: socket.socket, stream: BinaryIO) -> bool:
        method, path, _ = stream.readline().decode("latin-1").split(" ", 2)
        headers = {}
        while line := stream.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        seen = Seen(method, path, headers, stream.read(int(headers.get("content-length", "0"))))
        self.seen.append(seen)
        answer = self._answer(seen)
        try:
            for piece in [answer] if isinstance(answer, bytes) else answer:
                connection.sendall(piece)
        except OSError:
            self.left.set()
        return isinstance(answer, bytes) and b"\r\nContent-Length:" in answer and b"\r\nConnection: close" not in answer


def http(status: str = "200 OK", body: bytes = b"", kind: str = "application/json", **headers: str) -> bytes:
    """A whole HTTP response; `_` in a header's name stands for `-`."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def result(seen: Seen, value: Json, **headers: str) -> bytes:
    """A good answer to the request."""
    return http(body=json.dumps({"jsonrpc": "2.0", "id": seen.message["id"], "result": value}).encode(), **headers)


def error(seen: Seen, code: int, text: str = "no", status: str = "200 OK", data: Any = None) -> bytes:
    """A bad answer to the request."""
    fault = {"code": code, "message": text} | ({} if data is None else {"data": data})
    body = {"jsonrpc": "2.0", "id": seen.message.get("id"), "error": fault}
    return http(status, json.dumps(body).encode())


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def event(message: Json) -> bytes:
    """One event of a stream."""
    return b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n"


def polite(seen: Seen) -> bytes:
    """What a decent handshake-era server with a session answers."""
    method = seen.message.get("method")
    if seen.method == "DELETE":
        return http("204 No Content", kind="")
    if method == "initialize":
        version = seen.message["params"]["protocolVersion"]
        value = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
        return result(seen, value, Mcp_Session_Id="s-1")
    if "id" not in seen.message or method is None:
        return http("202 Accepted", kind="")
    if method == "tools/list":
        return result(seen, {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
    return error(seen, -32601)


def script(folder: Path, code: str) -> str:
    """The command that runs a stdio impostor. `ask()` reads, `say(value)` writes a message, `polite()` shakes hands."""
    path = folder / "impostor.py"
    path.write_text(
        "import json, sys, time\n"
        "def ask():\n    line = sys.stdin.readline()\n    return json.loads(line) if line else sys.exit(0)\n"
        "def say(value):\n    print(json.dumps(value), flush=True)\n"
        "def good(m, value): say({'jsonrpc': '2.0', 'id': m['id'], 'result': value})\n"
        "def polite():\n    m = ask()\n"
        "    good(m, {'protocolVersion': m['params']['protocolVersion'], 'capabilities': {},"
        " 'serverInfo': {'name': 'p', 'version': '1'}})\n    ask()\n" + code,
        encoding="utf-8",
    )
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def records(logs: Path) -> Iterator[Json]:
    """The records of the client's log."""
    for line in (logs / "mcp-client-simple.jsonl").read_text(encoding="ascii").splitlines():
        yield json.loads(line)
