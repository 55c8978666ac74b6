"""What one client of the event stream gets, from its first byte on.

In:   the hub, which files and which records the client wants, and the token of the last event it has seen.
Out:  pieces of text/event-stream (WHATWG HTML, 9.2), for as long as the client takes them.
Here nobody knows HTTP, or who else listens.

Theory of operation
    One loop serves four occasions: the first visit, a resumed one, one after a restart of the viewer, and a
    client that was too slow. Each time the client joins the hub at some moment, gets from the files what
    lies before that moment (the last N records, or all since its place), and then what comes after it. Each
    event carries the token of the place behind it, so it doesn't matter where the connection breaks.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from playground.viewer import places
from playground.viewer.history import CATCH_UP_LIMIT, between, last, remembered
from playground.viewer.hub import Closed, Event, Hub, Overflow, notice
from playground.viewer.places import Bookmark, Known, Places, Spot
from playground.viewer.records import Entry

OPENING = b"retry: 1000\n: This stream tells what is written in the logs.\n\n"
PIECE = 64 * 1024  # bytes sent at once

Test = Callable[[Any], bool]
OnGone = Callable[[Callable[[], None]], None]


def stream(
    hub: Hub,
    *,
    names: Collection[str] | None,
    test: Test | None,
    history: int,
    token: str,
    heartbeat: float,
    on_gone: OnGone = lambda leave: None,
) -> Iterator[bytes]:
    """The stream. `names` None means all logs, also those made later; `heartbeat` is in seconds.

    `on_gone` has its argument called when the client has left: the thread that waits here is needed for others.
    """
    has_left = threading.Event()

    def leave() -> None:
        has_left.set()
        hub.wake()

    on_gone(leave)
    yield OPENING
    since = places.read(token) if token else None
    if token and since is None:
        yield notice("gap", "The place to resume from can't be read; these are the newest records.")
    while True:
        number, here, seen = hub.join()
        if names is not None:
            here = {name: spot for name, spot in here.items() if name in names}
        yield from _before(hub, since, here, seen, history, test)
        token = Bookmark(here, seen).token
        yield notice("live", "These were the records so far; what follows is live.", token=token)
        try:
            for place, piece in _live(
                hub, number, token, lambda event: _wants(event, names, test), heartbeat, has_left
            ):
                token = place
                if piece:
                    yield piece
        except Overflow:
            yield notice("gap", "The log grew faster than this stream was read; the files tell what is missing.")
            since = places.read(token)
        except Closed:
            return


def _live(
    hub: Hub, number: int, token: str, wants: Callable[[Event], bool], heartbeat: float, has_left: threading.Event
) -> Iterator[tuple[str, bytes]]:
    """What is written from now on: the place after it, and what of it the client wants, or a sign of life."""
    due = time.monotonic() + heartbeat
    while True:
        events = hub.since(number, max(0.0, due - time.monotonic()), has_left.is_set)
        number += len(events)
        token = events[-1].token if events else token
        piece = b"".join([event.frame for event in events if wants(event)])
        if not piece and time.monotonic() >= due:
            piece = b": heartbeat\nid: %b\n\n" % token.encode()
        if piece:
            due = time.monotonic() + heartbeat
        yield token, piece


def _before(hub: Hub, known: Known | None, here: Places, seen: int, history: int, test: Test | None) -> Iterator[bytes]:
    """What the client hasn't seen of what lies before a place."""
    if known is not None:
        since, forgotten = remembered(hub.folder, known, here)
        entries, lost, size = between(hub.folder, since, here, test)
        if size <= CATCH_UP_LIMIT:
            for name in lost:
                text = f"{name} was cut, rewritten or removed meanwhile; here is all that it holds now."
                yield notice("gap", text, name)
            if forgotten:
                text = f"There are too many logs to remember a place in each; {len(forgotten)} begin anew here"
                yield notice("gap", f"{text}, {forgotten[0]} among them.")
            begin = {n: Spot(s.inode, 0) if n in lost else since.get(n, Spot(s.inode, 0)) for n, s in here.items()}
            yield from _pieces(entries, Bookmark(begin, seen, here))
            return
        yield notice("gap", f"{size} bytes were written meanwhile; these are the newest records.")
    newest, begin = last(hub.folder, here, history, test)
    yield from _pieces(newest, Bookmark(begin, seen, here))


def _pieces(entries: Iterable[Entry], place: Bookmark) -> Iterator[bytes]:
    """Entries as events, several at a time."""
    frames, size = [], 0
    for entry in entries:
        place.move(entry.name, entry.spot)
        frames.append(Event(place.token, entry.name, entry).frame)
        size += len(frames[-1])
        if size > PIECE:
            yield b"".join(frames)
            frames, size = [], 0
    if frames:
        yield b"".join(frames)


def _wants(event: Event, names: Collection[str] | None, test: Test | None) -> bool:
    if names is not None and event.name not in names:
        return False
    return event.entry is None or test is None or test(event.entry.subject)
