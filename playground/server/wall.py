"""One flat folder, reached in the safest way the system has.

In: names that ``names.flaw_of`` let pass. Out: descriptors and stat results; a failure is an ``OSError``.
Knows nothing of text and limits: that is ``sandbox``.

*Theory of operation.* A path is looked up anew at every call, so whoever can rename things may swap a link
into it between a check and its use. ``ByDescriptor`` has no such moment: the folder is opened once, each
name is one component looked up in *that* folder (``openat(2)`` and its family), ``O_NOFOLLOW`` makes the
kernel refuse a link in the same step, and what was opened is asked (``fstat``) what it is. Renaming the
folder or its parents changes nothing. Windows has neither; ``ByPath`` looks, opens, and looks again whether
it opened what it had seen. That stops links that lie there, not one swapped in and out between two looks,
which is why ``guard`` tells the user which of the two is at work.

A hard link is no link to the kernel: it is the file. How many names a file has can be asked, but not "is one of them
ours" at the same time: a link that was there when we opened it, and is gone when we count, leaves the outer file open,
with its one outer name. So the order is this. *Open* by our name; *count*; *wait* until whoever changes the folder is
through; *see* whether the name that we opened by is still in the folder (Linux remembers it with the descriptor, and
says so when it is removed). If it is, it was there when we counted, and was counted. Elsewhere we look at the name
instead, which an adversary that links and unlinks in step with us may deceive.
"""

import errno
import os
import stat
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

from playground.server.names import shown
from playground.server.reasons import SandboxError, reason_of

__all__ = ["ByDescriptor", "ByPath", "has_descriptors", "prepared"]

# O_NONBLOCK: opening a FIFO must not wait for its other end. O_NOCTTY: a terminal must not become ours.
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")
_SAFE = sum(getattr(os, flag, 0) for flag in _FLAGS)
# Seconds until a change gives up its turn: another process may have been stopped while it had it.
_LOCK_WAIT = 10.0
_LOCK_PAUSE = 0.002
_LOOKS = 20
_NOBODY = b".mcp-nobody"
_DELETED = " (deleted)"


def has_descriptors() -> bool:
    """Say whether this system can look a name up in an open folder."""
    needed = {os.open, os.stat, os.unlink, os.rename}
    return needed <= os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")


class _Folder(ABC):
    """What both kinds do alike."""

    _os: Any

    @abstractmethod
    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int: ...

    @abstractmethod
    def stat(self, name: str) -> os.stat_result: ...

    def open_to_read(self, name: str) -> tuple[int, os.stat_result]:
        """Open a file; return what it was while it had this name."""
        for _ in range(_LOOKS):
            fd = self.open(name)
            try:
                seen = self._os.fstat(fd)
                if self._still_leads(name, fd, seen):
                    return fd, seen
            except OSError:
                self._os.close(fd)
                raise
            self._os.close(fd)  # replaced in between, as an honest writer may: look again
        raise OSError(errno.ELOOP, "not the same file for long enough")

    def _still_leads(self, name: str, fd: int, seen: os.stat_result) -> bool:
        """Say whether the name that a file was opened by leads to it, and has done so since."""
        now = self.stat(name)
        return os.path.samestat(now, seen) and now.st_nlink == seen.st_nlink


class ByDescriptor(_Folder):
    """The folder as an open descriptor. ``system`` offers os's functions; tests pass one that fails.

    Names are UTF-8 on the disk whatever the locale says, so they go to the system as bytes.
    """

    guard = "by descriptor: a swapped link cannot lead out of it"

    def __init__(self, path: Path, system: Any = os) -> None:
        self._os = system
        self._fd: int = system.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._place = b""  # where the folder lay when somebody last looked
        self._turn = threading.Lock()

    def close(self) -> None:
        self._os.close(self._fd)

    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        return int(self._os.open(name.encode(), flags | _SAFE, mode, dir_fd=self._fd))

    def stat(self, name: str) -> os.stat_result:
        result: os.stat_result = self._os.stat(name.encode(), dir_fd=self._fd, follow_symlinks=False)
        return result

    def unlink(self, name: str) -> None:
        self._os.unlink(name.encode(), dir_fd=self._fd)

    def replace(self, source: str, target: str) -> None:
        self._os.rename(source.encode(), target.encode(), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def _still_leads(self, name: str, fd: int, seen: os.stat_result) -> bool:
        # Renaming what isn't there changes nothing, but the kernel does it only when no other change is under way.
        try:  # noqa: SIM105 - contextlib.suppress would cost as much as the call
            self._os.rename(_NOBODY, _NOBODY, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError:
            pass
        if name.endswith(_DELETED):  # Linux's mark would not tell such a file from another one that is gone
            return super()._still_leads(name, fd, seen)
        ending = b"/" + name.encode()
        try:
            place = self._place_of(fd)
            if place != self._place + ending:
                self._place = self._place_of(self._fd)  # the folder may have been moved
        except FileNotFoundError:  # not Linux, or one without /proc
            return super()._still_leads(name, fd, seen)
        return place == self._place + ending

    def _place_of(self, fd: int) -> bytes:
        """Where what is open lies now; marked if it was removed."""
        return bytes(self._os.readlink(b"/proc/self/fd/%d" % fd))

    def scan(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        # A descriptor of its own: copies of one descriptor share one reading position, and two threads
        # that list at the same time would each get a part.
        fd = self._os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._fd)
        try:
            with self._os.scandir(fd) as entries:
                for entry in entries:
                    yield os.fsencode(entry.name).decode(errors="surrogateescape"), entry
        finally:
            self._os.close(fd)

    def sync(self) -> None:
        """Make the folder's own list of names durable."""
        self._os.fsync(self._fd)

    def is_gone(self) -> bool:
        """Say whether the folder itself was removed."""
        return bool(self._os.fstat(self._fd).st_nlink == 0)

    @contextmanager
    def alone(self, wait: float = _LOCK_WAIT) -> Iterator[None]:
        """Change the folder while no other thread, and no other process that asks, does."""
        # flock belongs to the descriptor, which all threads share: they need a lock of their own.
        deadline = time.monotonic() + wait
        if not self._turn.acquire(timeout=wait):
            raise BlockingIOError(errno.EAGAIN, "busy")
        try:
            self._flock(deadline)
            try:
                yield
            finally:
                with suppress(OSError):
                    fcntl.flock(self._fd, fcntl.LOCK_UN)
        finally:
            self._turn.release()

    def _flock(self, deadline: float) -> None:
        while True:
            try:
                return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_LOCK_PAUSE)
            except OSError:
                return None  # a file system without locks (some network ones): threads are still in order


class ByPath(_Folder):
    """The folder as a resolved path, for systems that have no descriptors for folders."""

    guard = "by path: no descriptors for folders here, so a link swapped in at the right moment could win"

    def __init__(self, path: Path, system: Any = os) -> None:
        self._os = system
        self._path = path
        self._turn = threading.Lock()

    def close(self) -> None:
        """Nothing is held open."""

    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        path = self._path / name
        if flags & os.O_CREAT:
            return int(self._os.open(path, flags | _SAFE, mode))
        for _ in range(_LOOKS):
            seen = self._os.lstat(path)
            if not stat.S_ISREG(seen.st_mode):
                break
            fd = int(self._os.open(path, flags | _SAFE, mode))
            try:
                if os.path.samestat(seen, self._os.fstat(fd)):
                    return fd
            except OSError:
                self._os.close(fd)
                raise
            self._os.close(fd)  # replaced in between, as an honest writer may: look again
        raise OSError(errno.ELOOP, "not a regular file, or not for long enough")

    def stat(self, name: str) -> os.stat_result:
        result: os.stat_result = self._os.lstat(self._path / name)
        return result

    def unlink(self, name: str) -> None:
        self._os.unlink(self._path / name)

    def replace(self, source: str, target: str) -> None:
        self._os.replace(self._path / source, self._path / target)

    def scan(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        with self._os.scandir(self._path) as entries:
            for entry in entries:
                yield entry.name, entry

    def sync(self) -> None:
        """Windows has no way to ask for it; NTFS writes its own journal."""

    def is_gone(self) -> bool:
        return not self._path.is_dir()

    @contextmanager
    def alone(self, wait: float = _LOCK_WAIT) -> Iterator[None]:
        """Change the folder while no other thread of this process does."""
        if not self._turn.acquire(timeout=wait):
            raise BlockingIOError(errno.EAGAIN, "busy")
        try:
            yield
        finally:
            self._turn.release()


def prepared(folder: str | Path) -> Path:
    """Resolve the folder once, and make it if there is none."""
    said = f"The folder {shown(str(folder))} cannot be used"
    if not str(folder).strip():
        raise SandboxError("The name of the folder for the files is empty; give one or leave it out.")
    try:
        path = Path(folder).resolve()
        path.mkdir(parents=True, exist_ok=True)
        if path.samefile(path.anchor):
            raise SandboxError(f"{said}: it is the root of the disk, and would open all of it to the tools.")
    except FileExistsError:
        raise SandboxError(f"{said}: it is a file.") from None
    except OSError as error:
        raise SandboxError(f"{said}: {reason_of(error)}.") from None
    except (ValueError, RuntimeError):  # a NUL in the path; a circle of links
        raise SandboxError(f"{said}: it is not a path that can be followed.") from None
    return path
