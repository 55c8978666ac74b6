"""The wall around the files that tools may touch.

In: one folder at start, then names and texts from a model nobody has checked. Out: texts, sizes and counts.
Refuses to know: HTTP and JSON. Every failure is a ``SandboxError`` whose text is a sentence that a model
can act on; no other exception leaves this module for anything a caller or the disk may do.

*Theory of operation.* The folder is flat, so a name is one component (``names`` decides which), and what keeps a tool
inside is how files are opened (``wall``), not a comparison of paths.

A change is whole or does not happen: the new content goes into a temporary file of the same folder, reaches the disk
(fsync) and takes the name in one step (rename). A reader sees the old file or the new one, never a half, at any moment
of a crash. ``append_line`` goes the same way, reading first; that costs a copy of at most 1 MiB, and buys that nobody
sees half a line. All changes take turns, between threads and between processes, so no acknowledged change is undone by
another's old copy. Of two whole writes the last wins; nothing guards against a client that writes back old text.

What a crash leaves behind is a temporary file. Its name starts with a dot, so no tool can see it, and the next start
removes it while it has everyone's turn. A file with a second name (a hard link) is not read: that name may be outside.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playground.server.names import flaw_of, shown
from playground.server.reasons import SandboxError, reason_of
from playground.server.wall import ByDescriptor, ByPath, has_descriptors, prepared

__all__ = ["MAX_BYTES", "Entry", "Sandbox", "SandboxError"]

MAX_BYTES = 1024 * 1024
_TEMPORARY = re.compile(r"\.mcp-[0-9a-f]{16}\.tmp")
_READ_AHEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its name, its size in bytes and when it was last changed, in seconds since 1970."""

    name: str
    bytes: int
    modified: float


class Sandbox:
    """The files of one flat folder, as UTF-8 text of at most ``max_bytes`` bytes each.

    ``system`` offers the functions of ``os``; tests pass one that fails. ``by_descriptor`` is for them too.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        max_bytes: int = MAX_BYTES,
        system: Any = os,
        by_descriptor: bool = has_descriptors(),
    ) -> None:
        self.path = prepared(folder)
        self.max_bytes = max_bytes
        self._os = system
        try:
            self._folder = (ByDescriptor if by_descriptor else ByPath)(self.path, system)
        except OSError as error:
            raise SandboxError(f"The folder {shown(str(folder))} cannot be used: {reason_of(error)}.") from None
        self.guard = self._folder.guard
        self._sweep()

    def close(self) -> None:
        """Let go of the folder."""
        self._folder.close()

    def read_bytes(self, name: str) -> bytes:
        """Return a file's bytes as they are on the disk."""
        self._admit(name)
        try:  # not the context manager below, whose cost would be a quarter of the whole
            return self._load(name)
        except OSError as error:
            raise self._explained(error, "read", name) from None

    def read(self, name: str) -> str:
        """Return a file's text; carriage returns and a byte-order mark stay where they are."""
        return _decoded(self.read_bytes(name), name)

    def write(self, name: str, text: str) -> int:
        """Make or replace a file, whole or not at all; return its size in bytes."""
        data = _encoded(text, "text")
        with self._explaining("written", name), self._folder.alone():
            self._put(name, data)
        return len(data)

    def append_line(self, name: str, line: str) -> int:
        """Add a line and its LF, making the file if there is none; return the new size in bytes.

        The line stands alone: a last line without LF gets one first. ``line`` itself holds no line break.
        """
        if "\n" in line or "\r" in line:
            raise SandboxError("A line holds no line break; append lines one by one, each without its end.")
        data = _encoded(line, "line") + b"\n"
        with self._explaining("appended to", name), self._folder.alone():
            try:
                old = self._load(name)
            except FileNotFoundError:
                old = b""
            _decoded(old, name)
            new = old + (b"" if not old or old.endswith(b"\n") else b"\n") + data
            self._put(name, new)
        return len(new)

    def delete(self, name: str) -> bool:
        """Remove a file; return False if there was none."""
        with self._explaining("deleted", name), self._folder.alone():
            try:
                self._require_regular(self._folder.stat(name))
            except FileNotFoundError:
                return False
            self._folder.unlink(name)
            self._settle(name, "is deleted")
        return True

    def count(self, name: str, keyword: str) -> int:
        """Count ``keyword`` in a file: occurrences that do not overlap, case-sensitive, also across line ends."""
        self.check_keyword(keyword)
        return self.read(name).count(keyword)

    def check_keyword(self, keyword: str) -> None:
        """Refuse what no file can hold; for whoever looks through several and skips those that fail."""
        if not keyword:
            raise SandboxError("The keyword is empty; give at least one character to look for.")
        _encoded(keyword, "keyword")

    def entry(self, name: str) -> Entry:
        """Look at a file without opening it; any size and content will do."""
        with self._explaining("looked at", name):
            about = self._folder.stat(name)
            self._require_regular(about)
        return Entry(name, about.st_size, about.st_mtime)

    def names(self) -> list[str]:
        """Return the names of all files that the other methods would take, sorted by their characters."""
        with self._explaining_listing():
            return sorted(name for name, _ in self._files())

    def entries(self) -> list[Entry]:
        """Like ``names``, with sizes and times; a file that vanishes meanwhile is left out."""
        found = []
        with self._explaining_listing():
            for name, entry in self._files():
                with suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)
                    found.append(Entry(name, about.st_size, about.st_mtime))
        return sorted(found, key=lambda entry: entry.name)

    # ---- how it is done ----------------------------------------------------------------------------

    def _load(self, name: str) -> bytes:
        fd, about = self._folder.open_to_read(name)
        try:
            self._require_regular(about)
            if about.st_nlink > 1:
                raise SandboxError(f"{shown(name)} has a second name (a hard link), so it is not read.")
            self._require_size(name, about.st_size)
            # One byte more than there should be: a file may grow while it is read.
            left, parts, want = self.max_bytes + 1, [], about.st_size + 1
            while left and (part := self._os.read(fd, min(left, want))):
                parts.append(part)
                left -= len(part)
                want = _READ_AHEAD
        finally:
            self._os.close(fd)
        data = b"".join(parts)
        self._require_size(name, len(data))
        return data

    def _put(self, name: str, data: bytes) -> None:
        """Give a file new content. The caller holds the turn."""
        self._require_size(name, len(data))
        mode = self._mode_of(name)
        temporary = f".mcp-{os.urandom(8).hex()}.tmp"
        fd = self._folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            try:
                if mode is not None and hasattr(os, "fchmod"):
                    self._os.fchmod(fd, mode)
                rest = memoryview(data)
                while rest:
                    rest = rest[self._os.write(fd, rest) :]
                self._os.fsync(fd)
            finally:
                self._os.close(fd)  # may be the first to tell of an error, so before the rename
            self._folder.replace(temporary, name)
        except BaseException:
            with suppress(OSError):
                self._folder.unlink(temporary)
            raise
        self._settle(name, "holds the new text")

    def _mode_of(self, name: str) -> int | None:
        """Return the permissions that a file has and its successor gets, or None if there is no file."""
        try:
            about = self._folder.stat(name)
        except FileNotFoundError:
            return None
        self._require_regular(about)
        mode = stat.S_IMODE(about.st_mode) & 0o777
        # A rename asks the folder for permission, never the file.
        if not mode & 0o222:
            raise SandboxError(f"{shown(name)} is read-only, so it was not changed.")
        return mode

    def _settle(self, name: str, state: str) -> None:
        try:
            self._folder.sync()
        except OSError as error:
            if error.errno != errno.EINVAL:  # a file system that cannot sync a folder does so by itself
                raise SandboxError(
                    f"{shown(name)} {state}, but the disk did not confirm it ({reason_of(error)}); "
                    "it may be undone by a power failure."
                ) from None

    def _files(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        if self._folder.is_gone():
            raise FileNotFoundError
        for name, entry in self._folder.scan():
            if flaw_of(name) is None and entry.is_file(follow_symlinks=False):
                yield name, entry

    def _sweep(self) -> None:
        with suppress(OSError), self._folder.alone(wait=0):
            for name, entry in list(self._folder.scan()):
                if _TEMPORARY.fullmatch(name) and entry.is_file(follow_symlinks=False):
                    self._folder.unlink(name)

    # ---- what is refused, and how it is said ---------------------------------------------------------

    def _require_regular(self, about: os.stat_result) -> None:
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.ELOOP, "not a regular file")

    def _require_size(self, name: str, size: int) -> None:
        if size > self.max_bytes:
            raise SandboxError(f"{shown(name)} is too large: {size} bytes, and the limit is {self.max_bytes} bytes.")

    def _admit(self, name: str) -> None:
        if flaw := flaw_of(name):
            raise SandboxError(f"The name {shown(name)} is not allowed: {flaw}.")

    def _explained(self, error: OSError, verb: str, name: str) -> SandboxError:
        if not isinstance(error, FileNotFoundError):
            return SandboxError(f"{shown(name)} could not be {verb}: {reason_of(error)}.")
        if self._is_gone():
            return SandboxError(_GONE)
        return SandboxError(f"There is no file named {shown(name)}; list_files shows what there is.")

    @contextmanager
    def _explaining(self, verb: str, name: str) -> Iterator[None]:
        self._admit(name)
        try:
            yield
        except OSError as error:
            raise self._explained(error, verb, name) from None

    @contextmanager
    def _explaining_listing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if self._is_gone():
                raise SandboxError(_GONE) from None
            raise SandboxError(f"The files could not be listed: {reason_of(error)}.") from None

    def _is_gone(self) -> bool:
        with suppress(OSError):
            return self._folder.is_gone()
        return False


_GONE = "The folder of the files was removed while the server was running; start the server again."


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = f"half of a surrogate pair at {error.start}"
        raise SandboxError(f"The {what} is not valid Unicode ({half}); nothing was changed.") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        text = f"{shown(name)} is not UTF-8 text (see its byte {error.start}); only text files can be used here."
        raise SandboxError(text) from None
