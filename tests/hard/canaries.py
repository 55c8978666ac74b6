"""Looking for a secret in everything that a run has left behind.

In:   folders, and the part that all secrets of the run have in common. Out: the files that hold it, in any writing.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path

PIECE = 16 * 1024 * 1024  # bytes
GIB = 1024**3


def writings(secret: str) -> set[bytes]:
    """A secret as it is, reversed, in upper case, in hexadecimal, UTF-16 and base64 at each of three alignments."""
    data = secret.encode()
    found = {data, data[::-1], data.upper(), data.hex().encode(), secret.encode("utf-16-le")}
    for before in range(3):
        sure = base64.b64encode(bytes(before) + data)[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        found.add(sure)
    return found


def files(folder: Path) -> Iterator[Path]:
    """The regular files of a tree; one that is mostly a hole (gigabytes that nobody wrote) is left out."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if path.is_symlink() or not path.is_file():
                continue
            seen = path.stat()
            if seen.st_size < GIB or seen.st_blocks * 512 * 2 > seen.st_size:
                yield path


def holds(path: Path, needles: set[bytes]) -> bool:
    longest, tail = max(map(len, needles)), b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            tail += piece
            if any(needle in tail for needle in needles):
                return True
            tail = tail[-longest:]
    return False


def search(folder: Path, secret: str) -> tuple[list[Path], int, int]:
    """The files that hold it, how many files were looked through, and their bytes."""
    needles, hits, count, size = writings(secret), [], 0, 0
    for path in files(folder):
        count, size = count + 1, size + path.stat().st_size
        if any(needle in os.fsencode(path.name) for needle in needles) or holds(path, needles):
            hits.append(path)
    return hits, count, size
