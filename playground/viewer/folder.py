"""The folder of the logs: which files are in it, and opening one without being led astray.

In:   names, from a URL or from the folder itself.
Out:  descriptors of regular files that lie directly in the folder.
Here nobody knows what is in a file.

A name is a single component that ends in .jsonl. The file is opened relative to the folder's descriptor,
without following a symbolic link and without waiting for the other end of a FIFO, and what was opened is
looked at, not the name. Where the system has no such descriptors (Windows), the name is looked at first.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".jsonl"
_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
    _FLAGS |= getattr(os, _flag, 0)
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file in the folder. `inode` tells a file from another that later takes its name."""

    name: str
    inode: int
    size: int  # bytes
    modified: int  # nanoseconds since 1970


class Folder:
    """The folder may be absent and may come and go."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def scan(self) -> list[Found]:
        """All regular files whose name is that of a log or of a log that was renamed (x.jsonl.1), by name."""
        try:
            with os.scandir(self.path) as entries:
                found = [seen for entry in entries if SUFFIX in entry.name and (seen := _seen(entry))]
        except OSError:
            return []
        return sorted(found, key=lambda file: file.name)

    def logs(self) -> list[Found]:
        """The logs, by name."""
        return [file for file in self.scan() if is_log(file.name)]

    def open(self, name: str) -> int:
        """A descriptor for reading. Raises OSError, also for what is no regular file or no single name."""
        if name in ("", ".", "..") or any(char in name for char in "/\\\0"):
            raise FileNotFoundError(f"{name!r} is not the name of a file in the folder")
        if _HAS_DESCRIPTORS:
            folder = os.open(self.path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            try:
                descriptor = os.open(name, _FLAGS, dir_fd=folder)
            finally:
                os.close(folder)
        else:  # pragma: no cover - Windows
            if not stat.S_ISREG(os.lstat(self.path / name).st_mode):
                raise FileNotFoundError(f"{name!r} is not a regular file")
            descriptor = os.open(self.path / name, _FLAGS)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileNotFoundError(f"{name!r} is not a regular file")
        return descriptor

    @contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """The same for the length of a `with`."""
        descriptor = self.open(name)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def is_log(name: str) -> bool:
    """Whether a name may be asked for.

    >>> is_log("mcp-server.jsonl"), is_log("../secret.jsonl"), is_log("mcp-server.jsonl.1")
    (True, False, False)
    """
    # A name that is no Unicode (a stray byte on the disk, "\\udcff" here) can't be said in JSON or in an address.
    is_single = not any(char in "/\\\0" or "\ud800" <= char <= "\udfff" for char in name)
    return is_single and name.endswith(SUFFIX) and name != SUFFIX


def families(files: Iterable[Found]) -> dict[str, list[Found]]:
    """The renamed files of each log, the one that was written to last at last.

    >>> [file.name for file in families([Found("a.jsonl", 1, 0, 9), Found("a.jsonl.1", 2, 0, 8)])["a.jsonl"]]
    ['a.jsonl.1']
    """
    found: dict[str, list[Found]] = {}
    for file in sorted(files, key=lambda file: file.modified):
        end = 0
        while (at := file.name.find(f"{SUFFIX}.", end)) >= 0:
            end = at + len(SUFFIX)
            found.setdefault(file.name[:end], []).append(file)
    return found


def read_at(descriptor: int, count: int, start: int) -> bytes:
    """Bytes from a place, fewer at the end of the file."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, start)
    os.lseek(descriptor, start, os.SEEK_SET)  # pragma: no cover - Windows
    return os.read(descriptor, count)  # pragma: no cover - Windows


def _seen(entry: "os.DirEntry[str]") -> Found | None:
    try:
        seen = entry.stat(follow_symlinks=False)
    except OSError:  # it went away meanwhile
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return Found(entry.name, seen.st_ino, seen.st_size, seen.st_mtime_ns)
