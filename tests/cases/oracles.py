"""What must hold after every case, whatever it sent: the oracles O1 to O5, on a script as a real process.

O1  no HTTP 5xx, no HTML from an endpoint for programs, no connection that ends without an answer
O2  each JSON-RPC body is strict JSON with "jsonrpc", the right id, and exactly one of result and error
O3  a fresh connection is served within a second; threads and descriptors come back to where they were
O4  a file outside the sandbox keeps its bytes, and they turn up nowhere
O5  each line of the log is strict JSON; one request record and one response record per request that was handled

Nothing here uses the code that is tested: the parser, the HTTP client and the counting are the tests' own.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

PATIENCE = 20.0
Json = dict[str, Any]
_UNSAID = object()


def strict(text: bytes | str) -> Any:
    """One value of strict JSON (RFC 8259): UTF-8, no bare NaN or Infinity, no name twice in one object."""

    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    def unique(pairs: list[tuple[str, Any]]) -> Json:
        assert len(dict(pairs)) == len(pairs), f"a name stands twice: {[name for name, _ in pairs]}"
        return dict(pairs)

    def number(digits: str) -> float:  # Python itself reads no more than 4,300 digits
        return int(digits) if len(digits) < 4000 else float(digits)

    decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    return json.loads(decoded, parse_constant=refuse, object_pairs_hook=unique, parse_int=number)


def eventually(is_so: Callable[[], Any], what: str, seconds: float = PATIENCE) -> None:
    """Waits until something holds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        threading.Event().wait(0.02)


@dataclass
class Answer:
    """An HTTP answer as it came, already held against O1."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes
    seconds: float
    cpu: float  # seconds of the script's own, which other work on this machine does not lengthen

    @property
    def is_soon(self) -> bool:
        """Whether it took less than a second of either."""
        return min(self.seconds, self.cpu) < 1

    @property
    def json(self) -> Any:
        return strict(self.body)

    @property
    def error(self) -> Json:
        found: Json = self.json["error"]
        return found

    def __str__(self) -> str:
        return f"{self.status} {self.body[:300]!r}"


class Canary:
    """A file that nobody may read or touch, beside the sandbox."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.text = secrets.token_hex(24)
        self.path = folder / "secret.txt"
        self.path.write_text(f"{self.text}\n", encoding="utf-8")
        self._before = self.path.stat()

    def check(self) -> None:
        now = self.path.stat()
        assert self.path.read_text(encoding="utf-8") == f"{self.text}\n"
        before = self._before
        assert (now.st_mtime_ns, now.st_size, now.st_ino) == (before.st_mtime_ns, before.st_size, before.st_ino)

    def is_in(self, data: bytes) -> bool:
        return self.text.encode() in data


@dataclass
class Peer:
    """A script under test: asks it, keeps what came back, and holds it against the oracles."""

    running: Any
    folder: Path  # the sandbox is folder/mcp_files, the logs are folder/logs
    canary: Canary
    answered: Counter[str] = field(default_factory=Counter)
    _port: int = 0

    def __post_init__(self) -> None:
        self._port = int(self.running.url.rpartition(":")[2])
        self._lock = threading.Lock()
        self._read: dict[int, int] = {}  # bytes of the log that were looked at, by inode: it may be renamed
        self._start = self._settled()

    @property
    def port(self) -> int:
        return self._port

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._port}"

    @property
    def files(self) -> Path:
        return self.folder / "mcp_files"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def log(self) -> Path:
        return self.logs / "mcp-server.jsonl"

    def log_files(self) -> list[Path]:
        """The log and what it was renamed to when it had become too large, oldest first."""
        renamed = [path for path in self.logs.glob("mcp-server.jsonl.*") if path.suffix[1:].isdigit()]
        return [*sorted(renamed, key=lambda path: int(path.suffix[1:])), *([self.log] if self.log.exists() else [])]

    # ---- asking ----------------------------------------------------------------------------------------------------

    def raw(self, data: bytes, *, path: str = "", rest: Callable[[socket.socket], None] | None = None) -> Answer:
        """Bytes in, one HTTP answer out; `rest` may go on sending while the answer is awaited."""
        began, worked = time.monotonic(), self.cpu()
        with socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE) as sock:
            with contextlib.suppress(ConnectionError):  # it may have answered before it had heard all
                sock.sendall(data)
                if rest is not None:
                    rest(sock)
            answer = http.client.HTTPResponse(sock, method=data.partition(b" ")[0].decode("latin-1"))
            answer.begin()
            body = answer.read()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            took = time.monotonic() - began
            found = Answer(answer.status, headers, body, took, self.cpu() - worked)
        self._check_o1(found, path)
        return found

    def send(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, **more: Any
    ) -> Answer:
        """A request with these headers and no others; Host and Content-Length are filled in unless they are given."""
        given = {name.lower() for name in headers or {}}
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [] if "host" in given else [f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if body and not given & {"content-length", "transfer-encoding"}:
            lines.append(f"Content-Length: {len(body)}")
        lines += ["Connection: close", "", ""]
        return self.raw("\r\n".join(lines).encode("latin-1") + body, path=path, **more)

    def post(self, path: str, message: Any, **headers: str) -> Answer:
        """A JSON-RPC message, or bytes in its place; underscores in header names become hyphens."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        named = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        answer = self.send("POST", path, body, named)
        with self._lock:
            self.answered["body" if answer.body else "empty"] += 1
        self._check_o2(answer, message)
        return answer

    def rpc(self, method: str, params: Any = None, id: Any = 1, path: str = "/rpc") -> Json:
        """One call of a method, and the whole answer."""
        message: Json = {"jsonrpc": "2.0", "id": id, "method": method}
        found: Json = self.post(path, message if params is None else {**message, "params": params}).json
        return found

    def tool(self, name: str, **arguments: Any) -> Json:
        """One call of a tool: its result."""
        answer = self.rpc("tools/call", {"name": name, "arguments": arguments})
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def value(self, name: str, **arguments: Any) -> Any:
        """One call of a tool that must work: its structured content."""
        result = self.tool(name, **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def complaint(self, name: str, **arguments: Any) -> str:
        """One call of a tool that must not work: the sentence, which is none of Python's."""
        result = self.tool(name, **arguments)
        assert result["isError"], (name, arguments, result)
        text: str = result["content"][0]["text"]
        assert len(text) < 600, text
        for word in ("Traceback", "Errno", "codec", "Error:", "NoneType", "embedded null"):
            assert word not in text, text
        return text

    # ---- the oracles -----------------------------------------------------------------------------------------------

    def _check_o1(self, answer: Answer, path: str) -> None:
        assert answer.status < 500, answer
        assert not self.canary.is_in(answer.body), answer
        if path.startswith(("/rpc", "/mcp", "/healthz", "/files", "/history", "/filter")) or answer.status >= 400:
            kind = answer.headers.get("content-type", "")
            assert "html" not in kind, (kind, answer)
            assert not answer.body.lstrip().startswith(b"<"), answer
        for name in answer.headers:
            assert not name.startswith("access-control"), answer.headers

    def _check_o2(self, answer: Answer, sent: Any) -> None:
        if not answer.body:
            assert answer.status in (202, 204), answer
            return
        assert answer.headers["content-type"] == "application/json", answer.headers
        said = answer.json
        assert set(said) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), said
        assert said["jsonrpc"] == "2.0"
        if "error" in said:
            assert {"code", "message"} <= set(said["error"]) <= {"code", "message", "data"}, said
            assert type(said["error"]["code"]) is int
            assert said["error"]["code"] != -32603, said
            assert type(said["error"]["message"]) is str
        id = sent.get("id", _UNSAID) if isinstance(sent, dict) else None
        may_be_null = "error" in said and said["error"]["code"] in (-32700, -32600)
        is_same = said["id"] == id and type(said["id"]) is type(id)
        assert is_same or (may_be_null and said["id"] is None), (id, said)

    def check_alive(self) -> None:
        """O3, first half."""
        answer = self.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.is_soon, answer.seconds
        assert len(answer.json["result"]["tools"]) >= 5

    def resources(self) -> tuple[int, int]:
        """Threads and descriptors of the process."""
        return tuple(len(os.listdir(f"/proc/{self.running.pid}/{what}")) for what in ("task", "fd"))  # type: ignore[return-value]

    def _settled(self) -> tuple[int, int]:
        """The same once the script has started all that it starts later than it answers."""
        seen: list[tuple[int, int]] = []

        def is_settled() -> bool:
            seen.append(self.resources())
            return len(seen) > 15 and len(set(seen[-15:])) == 1

        eventually(is_settled, "as many threads as before")
        return seen[-1]

    def memory(self, what: str = "VmRSS") -> int:
        """Bytes of memory: VmRSS now, VmHWM at most."""
        lines = Path(f"/proc/{self.running.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) * 1024

    def cpu(self) -> float:
        """Seconds of processor time that the script has used."""
        behind_name = Path(f"/proc/{self.running.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(behind_name[11]) + int(behind_name[12])) / os.sysconf("SC_CLK_TCK")

    def forget_memory_peak(self) -> None:
        Path(f"/proc/{self.running.pid}/clear_refs").write_text("5", encoding="ascii")

    def check_resources(self, seconds: float = 5) -> None:
        """O3, second half."""

        def are_back() -> bool:
            return all(now <= then + 5 for now, then in zip(self.resources(), self._start, strict=True))

        eventually(are_back, f"threads and descriptors are back (now {self.resources()}, once {self._start})", seconds)

    def fresh_records(self) -> Iterator[Json]:
        """O5, the lines: all that were written since this was last asked, each strict; one by one, for a soak writes
        gigabytes."""
        for path in self.log_files():
            with path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                file.seek(self._read.get(inode, 0))
                for line in file:
                    assert line.endswith(b"\n"), line[-100:]
                    assert not self.canary.is_in(line)
                    record = strict(line[:-1])
                    assert isinstance(record, dict)
                    assert "ts" in record
                    yield record
                self._read[inode] = file.tell()

    def new_records(self) -> list[Json]:
        """The same, at once."""
        return list(self.fresh_records())

    def check_log(self) -> list[Json]:
        """O5, the counts. To be called when no request is under way."""
        with self._lock:
            answered, self.answered = self.answered, Counter()
        records = self.new_records()
        events = Counter(record["event"] for record in records)
        assert events["rpc_request"] + events["rpc_parse_error"] == events["rpc_response"], events
        assert answered["body"] == events["rpc_response"] + events["http_refused"], (answered, events)
        assert events["rpc_notification"] + events["rpc_answer"] >= answered["empty"], (answered, events)
        assert not events["server_fault"], [r for r in records if r["event"] == "server_fault"]
        return records

    def check(self) -> None:
        """All of them."""
        self.check_alive()
        self.check_log()
        self.canary.check()
        self.check_resources()
        assert "Traceback" not in self.running.text, self.running.text
