"""The logbook: the one record of what happened, a JSON object a line, written by every script.

In:   events, and the frames that crossed a wire, from any thread.
Out:  logs/<component>.jsonl, strict ASCII JSON. How a record becomes text is in entries.py, what is safe about the
      file in logfile.py, about secrets in redaction.py.
Here nobody knows what an event means, or who will read it (playground/viewer does).

Theory of operation
    A log that can't be written never breaks a call: neither write() nor frame() raises for disk, permission
    or JSON troubles. A lost record still takes its number, so `seq` jumps, and as soon as writing works
    again a `log_gap` record says how many are missing and why.

    The order of the fields is fixed, "ts" is first and of fixed width: lines sort by time as bytes. Time,
    number and write happen under one lock, so a process's records stand in the order of all three. Records that
    are born together can be written together, which spares the system half of the work.
"""

import contextlib
import functools
import inspect
import os
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from playground import anyjson
from playground.anyjson import quote
from playground.entries import Entry, Writer
from playground.logfile import ROTATE_AT, LogFile
from playground.redaction import Redactor

ROOT = Path(__file__).resolve().parent.parent
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")


class Logbook(Writer):
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
        super().__init__(quote(component), Redactor(secrets))
        self._file = LogFile(Path(folder) / f"{component}.jsonl", rotate_at)
        self._host = quote(socket.gethostname())
        self._begin()
        with contextlib.suppress(OSError):  # the first record will say why
            self._file.append(b"")  # makes folder and file, and closes a torn tail

    @property
    def path(self) -> Path:
        return self._file.path

    def kept(self) -> "Kept":
        """A writer whose records wait until they can be written in one piece."""
        return Kept(self)

    def close(self) -> None:
        """Closes the file. A later record opens it again."""
        with self._lock:
            self._file.close()

    def take(self, entry: Entry) -> None:
        self.put(deque([entry]))

    def put(self, entries: deque[Entry]) -> None:
        """Takes all entries out of a deque, and writes them in one piece."""
        if self._pid != os.getpid():
            self._begin()  # a forked child counts for itself; the lock it inherited may never be released
        with self._lock:
            records = [entries.popleft() for _ in range(len(entries))]
            if records and self._lost and not self._admit_gap():
                self._seq += len(records)
                self._lost += len(records)
            elif records:
                self._lost += self._append(records)

    def _admit_gap(self) -> bool:
        """Whether it could be written down how many records are lost."""
        data = f'{{"lost":{self._lost},"reason":{quote(self._reason)}}}'
        head = f'"level":"WARNING","component":{self._component},"event":"log_gap","data":{data}'
        if self._append([(head, "", "")]):
            return False
        self._lost = 0
        return True

    def _append(self, records: list[Entry]) -> int:
        """How many of the records could not be written; the reason is kept."""
        try:
            self._file.append(self._lines(records))
        except OSError as error:
            self._reason = error.strerror or str(error)
            return self._file.missing.count(b"\n")
        return 0

    def _lines(self, records: list[Entry]) -> bytes:
        """Entries with the time of now and the next numbers."""
        second, nanos = divmod(time.time_ns(), 1_000_000_000)
        if second != self._second:
            self._second = second
            self._until_second = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        ts = f'{{"ts":"{self._until_second}.{nanos // 1000:06d}+00:00",'
        seq = f',"pid":{self._pid},"host":{self._host},"seq":'
        mono = f',"mono":{time.monotonic_ns()}'
        first = self._seq + 1
        self._seq += len(records)
        lines = [
            f"{ts}{head}{seq}{number}{known}{mono}{rest}}}\n"
            for number, (head, known, rest) in enumerate(records, first)
        ]
        return "".join(lines).encode("ascii")

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._seq = 0
        self._lost = 0
        self._reason = ""
        self._second = 0
        self._until_second = ""
        self._file.close()  # a lock belongs to the descriptor, which a child shares with its parent


class Kept(Writer):
    """Keeps records until put() has them written in one piece. Several threads may share one.

    When put() returns, all that was kept before is in the log, whichever thread has put it there.
    """

    def __init__(self, log: Logbook) -> None:
        super().__init__(log._component, log._redactor)
        self._log = log
        self._entries: deque[Entry] = deque()

    def take(self, entry: Entry) -> None:
        self._entries.append(entry)

    @property
    def is_empty(self) -> bool:
        return not self._entries

    def put(self) -> None:
        self._log.put(self._entries)


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
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    value = meta.get("traceparent") if isinstance(meta, dict) else None
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
