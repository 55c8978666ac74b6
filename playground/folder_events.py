"""What Linux tells of a folder by inotify(7), for whoever reads it for himself.

In:   a folder, and which changes are wanted.
Out:  a descriptor that can be read when something has happened, and what was read from it as pairs.
Here nobody knows what the files are, nor who wants to hear of them.

watchdog tells the same on all systems, and is what others use. But to load it takes longer than to answer a first
request, and what it tells passes from thread to thread three times. Two functions of the C library do without.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

assert sys.platform == "linux"

IN_MODIFY, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE = 0x2, 0x40, 0x80, 0x100, 0x200
IN_Q_OVERFLOW, IN_IGNORED = 0x4000, 0x8000  # some were lost; the folder is gone. Both come unasked, and without a name
NAMES = IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE
AWAY = IN_MOVED_FROM | IN_DELETE

_EVENT = struct.Struct("iIII")  # watch, mask, cookie, size of the name behind it
_libc = ctypes.CDLL(None)


def begin(path: Path, changes: int) -> int | None:
    """A descriptor that tells of such changes, or None if there is none to be had. Reading it never waits."""
    descriptor: int = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if _libc.inotify_add_watch(descriptor, os.fsencode(path), changes) < 0:
        os.close(descriptor)
        return None
    return descriptor


def events(data: bytes) -> Iterator[tuple[int, str]]:
    """What was read from such a descriptor: what happened, and to which name; "" for the folder itself.

    >>> list(events(_EVENT.pack(1, IN_CREATE, 0, 8) + b"new.txt" + bytes(1) + _EVENT.pack(1, IN_IGNORED, 0, 0)))
    [(256, 'new.txt'), (32768, '')]
    """
    at = 0
    while at < len(data):
        _, mask, _, size = _EVENT.unpack_from(data, at)
        at += _EVENT.size + size
        yield mask, os.fsdecode(data[at - size : at].rstrip(b"\0"))
