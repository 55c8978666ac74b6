"""What was written before: the last lines of all logs, or those between two places.

In:   a folder, and places in its files.
Out:  lines of all files in the order of their times.
Here nobody knows about clients, or what comes after.

Theory of operation
    The last lines are read from the end of each file in blocks, so a log of a gigabyte opens as fast as a
    small one. Each file keeps its own order, which is how it was written; between files the times decide
    (heapq.merge, which never reorders within one input). Only the last N of each file can be among the last
    N of all.

    A file is found again by its inode. If it was renamed meanwhile, what lies between two places is the
    rest of the renamed file, then the files that came after it, oldest first, then the beginning of the
    present one.
"""

import heapq
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playground.viewer.filters import Filter
from playground.viewer.folder import Folder, Found, families, read_at
from playground.viewer.places import Known, Places, Spot, fingerprint
from playground.viewer.records import Entry, Key, key_of
from playground.viewer.sieve import Sieve, sieve
from playground.viewer.tail import CHUNK, HEAD, LINE_LIMIT, MEMORY, Line, Strand

BLOCK = 64 * 1024
SEARCH_LIMIT = 64 * 1024 * 1024  # bytes looked through for the beginning of one line
BUDGET = 16 * 1024 * 1024  # bytes of lines kept for one history
CATCH_UP_LIMIT = 64 * 1024 * 1024  # bytes between two places that are still read

Test = Callable[[Any], bool]


# ---- From the end ------------------------------------------------------------------------------------------


def line_start(descriptor: int, size: int) -> int:
    """Where the unfinished last line of a file of this size begins; `size` if there is none."""
    end = size
    while end > 0 and size - end < SEARCH_LIMIT:
        start = max(0, end - BLOCK)
        found = read_at(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return end


def backward(descriptor: int, end: int) -> Iterator[Line]:
    """The lines before a place behind a line, the last one first. One longer than SEARCH_LIMIT is the first."""
    low = stop = end - 1  # stop: the LF that ends the line in progress; low: how far down has been read
    pieces: list[bytes] = []  # of that line, the last one first
    while low >= 0:
        start = max(0, low - BLOCK)
        parts = read_at(descriptor, low - start, start).split(b"\n")
        for part in reversed(parts[1:]):
            low -= len(part)
            yield _joined([*pieces, part], low, stop)
            pieces, stop, low = [], low - 1, low - 1
        pieces.append(parts[0])
        low = start
        if low == 0 or stop - low > SEARCH_LIMIT:
            yield _joined(pieces, low, stop)
            return
        if stop - low > LINE_LIMIT:
            pieces = pieces[-2:]  # its beginning is what will be shown, and this is more than HEAD


def sifted(descriptor: int, end: int, pick: Sieve) -> Iterator[Line]:
    """Of the same lines those that a sieve lets pass, and all that are longer than a chunk."""
    while end > 0:
        start = max(0, end - CHUNK)
        data = read_at(descriptor, end - start, start)
        first = data.find(b"\n", 0, -1) + 1 if start else 0  # where the first whole line begins
        if start and not first:
            line = next(backward(descriptor, end))
            yield line
            if line.size > SEARCH_LIMIT:
                return
            end = line.at
            continue
        end = start + first
        for at, text in reversed(pick(data[first:])):
            yield Line(end + at, text, len(text), end + at + len(text) + 1)


def _joined(pieces: list[bytes], at: int, stop: int) -> Line:
    size = stop - at
    data = b"".join(reversed(pieces))
    return Line(at, data[:HEAD] if size > LINE_LIMIT else data, size, stop + 1)


def last(folder: Folder, places: Places, count: int, test: Test | None = None) -> tuple[list[Entry], dict[str, Spot]]:
    """The last lines before the places that pass the test, in order, and the places where they begin."""
    begin = dict(places)
    inputs = []
    for name, spot in sorted(places.items()):  # by name, where the times are equal
        descriptor = open_inode(folder, name, spot.inode)
        if descriptor is None:
            continue
        try:
            inputs.append(_keyed(_last_of(descriptor, name, spot, count, test, BUDGET // len(places))))
            begin[name] = spot_at(descriptor, spot.inode, inputs[-1][0][1].line.at) if inputs[-1] else spot
        finally:
            os.close(descriptor)
    merged = [entry for _, entry in heapq.merge(*inputs, key=lambda pair: pair[0])]
    for early in merged[:-count] if count else merged:
        begin[early.name] = early.spot
    return merged[-count:] if count else [], begin


def _last_of(descriptor: int, name: str, spot: Spot, count: int, test: Test | None, budget: int) -> list[Entry]:
    found: list[Entry] = []
    lines = sifted(descriptor, spot.at, sieve(test)) if isinstance(test, Filter) else backward(descriptor, spot.at)
    for line in lines:
        entry = Entry(name, spot.inode, line)
        if len(found) == count or budget <= 0:
            break
        if not entry.is_blank and (test is None or test(entry.subject)):
            found.append(entry)
            budget -= len(line.data)
    return found[::-1]


def _keyed(entries: list[Entry]) -> list[tuple[Key, Entry]]:
    return list(_with_keys(iter(entries)))


def _with_keys(entries: Iterator[Entry]) -> Iterator[tuple[Key, Entry]]:
    key: Key = ("", 0)
    for entry in entries:
        key = key_of(entry.line.data, key)
        yield key, entry


# ---- From a place on ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a file; `end` None reaches to its end."""

    inode: int
    start: int
    end: int | None
    size: int


def remembered(folder: Folder, known: Known, until: Places) -> tuple[Places, list[str]]:
    """The places that a token tells of, in the files of today; and the files of which it tells nothing."""
    times = {file.name: file.modified for file in folder.scan()}
    spots = {name: known.of(name, end, times.get(name, 0)) for name, end in until.items()}
    return {name: spot for name, spot in spots.items() if spot}, [name for name, spot in spots.items() if not spot]


def between(
    folder: Folder, since: Places, until: Places, test: Test | None = None
) -> tuple[Iterator[Entry], list[str], int]:
    """What lies between two places: its lines in order, the files whose earlier place is gone, and its bytes.

    A file without an earlier place is new, and all of it counts; so it is where the earlier place is gone.
    """
    inputs, lost, size = [], [], 0
    files = folder.scan()
    named, renamed = {file.name: file for file in files}, families(files)
    for name, spot in sorted(until.items()):
        family = [*renamed.get(name, ()), *([named[name]] if name in named else ())]
        segments = _segments(folder, family, since.get(name, Spot(spot.inode, 0)), spot)
        if segments is None:
            lost.append(name)
            segments = [Segment(spot.inode, 0, spot.at, spot.at)]
        size += sum(segment.size for segment in segments)
        inputs.append(_with_keys(_read(folder, name, segments)))
    merged = (entry for _, entry in heapq.merge(*inputs, key=lambda pair: pair[0]))
    return (entry for entry in merged if test is None or test(entry.subject)), lost, size


def _segments(folder: Folder, family: list[Found], since: Spot, until: Spot) -> list[Segment] | None:
    """The stretches of a log's files from one place to another, or None if the first is gone."""
    family.sort(key=lambda file: (file.inode == until.inode, file.modified))
    at = next((i for i, file in enumerate(family) if file.inode == since.inode), None)
    if at is None or not _fits(folder, family[at], since):
        return None
    if since.inode == until.inode:
        return [Segment(until.inode, since.at, until.at, until.at - since.at)]
    first, *later = family[at:]
    segments = [Segment(first.inode, since.at, None, first.size - since.at)]
    segments += [Segment(file.inode, 0, None, file.size) for file in later if file.inode != until.inode]
    return [*segments, Segment(until.inode, 0, until.at, until.at)]


def _fits(folder: Folder, file: Found, spot: Spot) -> bool:
    if file.size < spot.at:
        return False
    try:
        with folder.opened(file.name) as descriptor:
            return spot.fits(_before(descriptor, spot.at))
    except OSError:
        return False


def _read(folder: Folder, name: str, segments: list[Segment]) -> Iterator[Entry]:
    for segment in segments:
        descriptor = open_inode(folder, name, segment.inode)
        if descriptor is None:
            continue
        try:
            for line in forward(descriptor, segment.start, segment.end):
                entry = Entry(name, segment.inode, line)
                if not entry.is_blank:
                    yield entry
        finally:
            os.close(descriptor)


def forward(descriptor: int, start: int, end: int | None) -> Iterator[Line]:
    """The lines from one place to another; with None to the end of the file, an unfinished line included."""
    strand = Strand(start)
    size = os.fstat(descriptor).st_size if end is None else end
    while ask := strand.wants(size):
        data = read_at(descriptor, ask[1], ask[0])
        if len(data) <= len(strand.memory) or not data.startswith(strand.memory):
            return  # it was cut while we read it
        yield from strand.takes(data)
    if end is None:
        yield from strand.finish()


# ---- Finding a file again ----------------------------------------------------------------------------------


def open_inode(folder: Folder, name: str, inode: int) -> int | None:
    """A descriptor of the file that had this name, also if it has been renamed to name.1 or the like."""
    for candidate in _names(folder, name, inode):
        try:
            descriptor = folder.open(candidate)
        except OSError:
            continue
        if os.fstat(descriptor).st_ino == inode:
            return descriptor
        os.close(descriptor)
    return None


def _names(folder: Folder, name: str, inode: int) -> Iterator[str]:
    yield name  # nearly always; so the folder is not looked at
    yield from (file.name for file in folder.scan() if file.inode == inode)


def spot_at(descriptor: int, inode: int, at: int) -> Spot:
    """The place at an offset behind a line."""
    return Spot(inode, at, fingerprint(_before(descriptor, at)) if at else 0)


def _before(descriptor: int, at: int) -> bytes:
    start = max(0, at - MEMORY)
    return read_at(descriptor, at - start, start)
