"""A record in a log, and those before it that belong to the same conversation.

In:   the folder of the logs, the name of one and the offset of a line in it.
Out:  the record, and before it the records of its conversation, oldest first.
Here nobody knows what any of them means (playground/telling does).

Theory of operation
    A conversation is what one writer saw of one client and one server. Nothing in a record names it, but records that
    belong together share something: the session, the trace, the exchange, or the connection that an exchange is named
    after. So the log is read backward from the line, and what shares anything with what was taken before is taken too.
    The answer to `initialize` is the first to know the session and shares its exchange with the request, which does
    not; a trace joins what the stateless era leaves unjoined, and where strangers send none, that each request says who
    asks: such a client uses several connections at once. A process with a pipe has one conversation, and a client
    that noted nothing but HTTP (a GET, a DELETE) has to be found by its process.

    The window is bounded in lines and bytes, because a log has no bounds. A conversation that may begin before it is
    reported as not whole.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_core.revisions import CLIENT_INFO_KEY
from playground.viewer.folder import Folder
from playground.viewer.history import backward, forward
from playground.viewer.records import Entry

WINDOW = 4000  # lines looked through
WINDOW_BYTES = 16 * 1024 * 1024
MOST = 600  # records of one conversation

Record = Mapping[str, Any]


class NotFound(Exception):
    """A sentence for whoever asked: there is no such record."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The records of one conversation up to one of them, oldest first."""

    records: list[Record]
    is_whole: bool


def scene(folder: Folder, name: str, at: int) -> Scene:
    """The record at an offset and what came before it in its conversation. Raises NotFound."""
    try:
        with folder.opened(name) as descriptor:
            record = _line_at(descriptor, name, at)
            lines, is_whole = _before(descriptor, name, at)
    except OSError:
        raise NotFound(f"There is no log named {name[:60]!a}; /files lists them.") from None
    return gathered([record, *lines], is_whole=is_whole)


def gathered(newest_first: Sequence[Record], *, is_whole: bool) -> Scene:
    """Of these records, those that belong to the conversation of the first."""
    record = newest_first[0]
    keys, taken = set(_keys(record)), [record]
    known: set[int] = {0}
    others = [(place, set(_keys(other))) for place, other in enumerate(newest_first) if place]
    # A key may be learned from a record that stands before one already passed: so once more, with all keys.
    for _ in range(2):
        for place, own in others:
            if place in known or len(known) > MOST or keys.isdisjoint(own):
                continue
            known.add(place)
            keys |= own
    taken = [newest_first[place] for place in sorted(known, reverse=True)]
    return Scene(_without_echo(taken), is_whole and len(known) <= MOST)


def _line_at(descriptor: int, name: str, at: int) -> Record:
    line = next(forward(descriptor, at, None), None) if 0 <= at < os.fstat(descriptor).st_size else None
    record = Entry(name, 0, line).value if line is not None else None
    if not isinstance(record, dict):
        raise NotFound(f"At {at} in {name[:60]!a} there is no record; the log may have been emptied or renamed.")
    return record


def _before(descriptor: int, name: str, at: int) -> tuple[list[Record], bool]:
    found: list[Record] = []
    size = 0
    for line in backward(descriptor, at):
        size += line.size
        if len(found) == WINDOW or size > WINDOW_BYTES:
            return found, False
        record = Entry(name, 0, line).value
        found.append(record if isinstance(record, dict) else {})
    return found, True


def _keys(record: Record) -> Iterator[tuple[str, str]]:
    """What a record may share with others of its conversation."""
    for kind in ("session", "trace", "exchange"):
        if isinstance(value := record.get(kind), str):
            yield kind, value
            if kind == "exchange" and not value.startswith("span:") and "/" in value:
                yield "connection", value.partition("/")[0]  # playground/logbook.py names them so
    data = record.get("data")
    if isinstance(record.get("exchange"), str) and "trace" not in record and (who := _introduced(data)) is not None:
        yield "client", f"{record.get('component')} {record.get('pid')} {who}"
    http = data.get("http") if isinstance(data, dict) else None
    headers = http.get("headers") if isinstance(http, dict) else None
    for header, value in headers.items() if isinstance(headers, dict) else ():
        if header.lower() == "mcp-session-id" and isinstance(value, str):
            yield "session", value
    is_server = str(record.get("component", "")).startswith("mcp-server")
    if record.get("via") == "stdio" and is_server:
        yield "pipe", f"{record.get('host')} {record.get('pid')}"


def _introduced(data: Any) -> str | None:
    """Who a request of the stateless era says that it comes from."""
    for name in ("message", "params", "_meta", CLIENT_INFO_KEY):
        data = data.get(name) if isinstance(data, dict) else None
    return json.dumps(data, sort_keys=True) if isinstance(data, dict) else None


def _without_echo(records: list[Record]) -> list[Record]:
    """A tap writes each frame twice, as it came and as it left; one of the two is enough for a story."""
    last = records[-1]
    kept = [one for one in records[:-1] if not _is_echo(one)]
    if _is_echo(last):
        kept = [one for one in kept if not _is_same_frame(one, last)]
    return [*kept, last]


def _is_echo(record: Record) -> bool:
    return str(record.get("event", "")).startswith("tap_") and record.get("dir") == "out"


def _is_same_frame(one: Record, other: Record) -> bool:
    frames = [
        record["data"].get("message") if isinstance(record.get("data"), dict) else None for record in (one, other)
    ]
    return one.get("exchange") == other.get("exchange") and frames[0] is not None and frames[0] == frames[1]
