"""The logbook: the one record of what happened, a JSON object a line, written by every script.

In:   events, and the frames that crossed a wire, from any thread.
Out:  logs/<component>.jsonl, strict ASCII JSON. What is safe about the file is in logfile.py, about secrets
      in redaction.py.
Here nobody knows what an event means, or who will read it (playground/viewer does).

Theory of operation
    A log that can't be written never breaks a call: neither write() nor frame() raises for disk, permission
    or JSON troubles. A lost record still takes its number, so `seq` jumps, and as soon as writing works
    again a `log_gap` record says how many are missing and why.

    The order of the fields is fixed, "ts" is first and of fixed width: lines sort by time as bytes. Time,
    number and write happen under one lock, so a process's records stand in the order of all three. A frame
    that our own encoder made is embedded as the text that traveled: it is encoded once, and what the log
    shows is what was sent.
"""

import base64
import contextlib
import functools
import inspect
import os
import re
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from playground import anyjson
from playground.anyjson import quote
from playground.logfile import ROTATE_AT, LogFile
from playground.redaction import Redactor, without_keys

ROOT = Path(__file__).resolve().parent.parent
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")


class Logbook:
    """One component's log. Safe for threads, for several processes, and across a fork."""

    _lock: threading.Lock
    _pid: int  # whose numbers these are
    _seq: int  # the number of the last record, written or lost
    _lost: int  # records since the last that was written
    _reason: str  # why they were lost
    _second: int  # of the last record, since 1970
    _until_second: str  # that as text

    def __init__(
        self, folder: Path, component: str, *, secrets: Iterable[str] = (), rotate_at: int = ROTATE_AT
    ) -> None:
        self._file = LogFile(Path(folder) / f"{component}.jsonl", rotate_at)
        self._redactor = Redactor(secrets)
        self._component, self._host = quote(component), quote(socket.gethostname())
        self._begin()
        with contextlib.suppress(OSError):  # the first record will say why
            self._file.append(b"")  # makes folder and file, and closes a torn tail

    @property
    def path(self) -> Path:
        return self._file.path

    def write(
        self,
        event: str,
        data: Mapping[str, Any],
        *,
        level: str = "INFO",
        dir: str | None = None,
        peer: str | None = None,
        via: str | None = None,
        session: str | None = None,
        trace: str | None = None,
        exchange: str | None = None,
        ms: float | None = None,
        src: str | None = None,
    ) -> None:
        """One record. `ms` is a time in milliseconds; fields that are None are left out."""
        fields = {
            "dir": dir,
            "peer": peer,
            "via": via,
            "session": session,
            "trace": trace,
            "exchange": exchange,
        }
        self._record(level, event, anyjson.encode(data), False, fields, ms, src)

    def frame(
        self,
        event: str,
        text: str | bytes,
        message: Any | None,
        *,
        own: bool = False,
        http: Mapping[str, Any] | None = None,
        level: str = "INFO",
        dir: str | None = None,
        peer: str | None = None,
        via: str | None = None,
        session: str | None = None,
        trace: str | None = None,
        exchange: str | None = None,
        ms: float | None = None,
        src: str | None = None,
        **more: Any,
    ) -> None:
        """One frame that crossed a wire; its data is {"message", "http", "raw", **more}.

        `text` is what traveled, `message` the JSON value in it, None if it did not parse. With `own` the
        text is mcp_core.messages.encode's output and is embedded as it stands. Otherwise data.raw holds it
        (data.raw_base64 if it is not UTF-8), unless it is exactly our encoding of the message.
        """
        fields = {
            "dir": dir,
            "peer": peer,
            "via": via,
            "session": session,
            "trace": trace,
            "exchange": exchange,
        }
        if own and isinstance(text, str) and text.isascii():
            parts, redacted = [f'"message":{text}'], False
        else:
            parts, redacted = self._wire(text, message)
        if http is not None:
            http, dropped = without_keys(http)
            redacted = redacted or dropped
            parts.insert(1 if parts[0].startswith('"message":') else 0, f'"http":{anyjson.encode(http)}')
        parts += [f"{quote(name)}:{anyjson.encode(value)}" for name, value in more.items()]
        self._record(level, event, f"{{{','.join(parts)}}}", redacted, fields, ms, src)

    def close(self) -> None:
        """Closes the file. A later record opens it again."""
        with self._lock:
            self._file.close()

    def _wire(self, text: str | bytes, message: Any | None) -> tuple[list[str], bool]:
        """A frame from elsewhere as members of the data, and whether something was masked."""
        body = None if message is None else anyjson.encode(message)
        parts = [] if body is None else [f'"message":{body}']
        if isinstance(text, bytes):
            data = text
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                safe = self._redactor.mask_bytes(data)
                return [*parts, f'"raw_base64":"{base64.b64encode(safe).decode("ascii")}"'], safe != data
        return (parts if text == body else [*parts, f'"raw":{quote(text)}']), False

    def _record(
        self,
        level: str,
        event: str,
        data: str,
        redacted: bool,
        fields: Mapping[str, str | None],
        ms: float | None,
        src: str | None,
    ) -> None:
        known = "".join([f',"{name}":{quote(value)}' for name, value in fields.items() if value is not None])
        if self._redactor.finds(data + known):
            redacted = True
            data = self._redactor.mask(data) if self._redactor.finds(data) else data
            known = "," + self._redactor.mask(f"{{{known[1:]}}}")[1:-1] if self._redactor.finds(known) else known
        rest = "" if ms is None else f',"ms":{round(ms, 3)}'
        if src is not None:
            rest += f',"src":{quote(src)}'
        if redacted:
            rest += ',"redacted":true'
        head = f'"level":{quote(level)},"component":{self._component},"event":{quote(event)},"data":{data}'
        if self._pid != os.getpid():
            self._begin()  # a forked child counts for itself; the lock it inherited may never be released
        with self._lock:
            self._put(head, known, rest)

    def _put(self, head: str, known: str, rest: str) -> None:
        gap = b""
        if self._lost:
            data = f'{{"lost":{self._lost},"reason":{quote(self._reason)}}}'
            gap = self._line(f'"level":"WARNING","component":{self._component},"event":"log_gap","data":{data}')
        record = self._line(head, known, rest)
        try:
            if gap:
                self._file.append(gap)
                self._lost = 0
            self._file.append(record)
        except OSError as error:
            self._lost += 1
            self._reason = _reason(error)

    def _line(self, head: str, known: str = "", rest: str = "") -> bytes:
        self._seq += 1
        second, nanos = divmod(time.time_ns(), 1_000_000_000)
        if second != self._second:
            self._second = second
            self._until_second = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return (
            f'{{"ts":"{self._until_second}.{nanos // 1000:06d}+00:00",{head},"pid":{self._pid}'
            f',"host":{self._host},"seq":{self._seq}{known},"mono":{time.monotonic_ns()}{rest}}}\n'
        ).encode("ascii")

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._seq = 0
        self._lost = 0
        self._reason = ""
        self._second = 0
        self._until_second = ""
        self._file.close()  # a lock belongs to the descriptor, which a child shares with its parent


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


# ---- Which records belong together, and which code made them -----------------------------------------------


def exchange_of(message: Mapping[str, Any], *, asker: str, session: str | None, connection: str) -> str | None:
    """What the records of one exchange have in common. `asker` ("client" or "server") is who sent the request.

    The span of the message's traceparent if it has one; else who asked, over which session or connection,
    and the id as JSON: the id alone would pair strangers, as every client counts from 1. None for a
    notification without traceparent.

    >>> exchange_of({"id": 7, "method": "ping"}, asker="client", session=None, connection="c1")
    'c1/client/7'
    """
    if found := _traceparent(message):
        return f"span:{found[2]}"
    if message.get("id") is None:
        return None
    return f"{session or connection}/{asker}/{anyjson.encode(message['id'])}"


def trace_of(message: Any) -> str | None:
    """The 32 hex digits of the trace that a message's traceparent names (W3C Trace Context), or None."""
    found = _traceparent(message)
    return found[1] if found else None


def _traceparent(message: Any) -> re.Match[str] | None:
    value = message
    for name in ("params", "_meta", "traceparent"):
        value = value.get(name) if isinstance(value, dict) else None
    return _TRACEPARENT.fullmatch(value) if isinstance(value, str) else None


def source_of(thing: Any) -> str:
    """The place of a function, a code object or a frame (where that stands now): "server.py:88 read_file"."""
    if isinstance(thing, FrameType):
        return _place(thing.f_code, thing.f_lineno)
    while isinstance(thing, functools.partial):
        thing = thing.func
    return _source(thing)


@functools.lru_cache(maxsize=256)
def _source(thing: Any) -> str:
    code = thing if isinstance(thing, CodeType) else inspect.unwrap(thing).__code__
    return _place(code, code.co_firstlineno)


@functools.lru_cache(maxsize=4096)
def _place(code: CodeType, line: int) -> str:
    path = Path(code.co_filename)
    inside = path.is_absolute() and path.is_relative_to(ROOT)
    return f"{path.relative_to(ROOT).as_posix() if inside else path.name}:{line} {code.co_qualname}"
