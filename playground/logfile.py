"""A file that several processes append to, a record at a time.

In:   whole records, each ending in LF, one or several at a time.
Out:  a file in which every record stands alone on its line, whatever happened to its writers.
Here nobody knows what a record says.

Theory of operation
    The descriptor is in append mode and each append is one os.write, so records can't overwrite each other.
    But a process killed in the middle of a write leaves half a record, and the next one would be glued to
    it. So each writer locks the file for the microseconds of its write (the system releases the lock if the
    process dies) and looks whether the file ends in LF; if not, it begins with one, and the torn record
    stays alone. Nothing is ever cut off again: a follower may have seen it.

    The same look tells whether the name still leads to the open file; after a rotation or a deletion the
    writer opens the new one. Rotation, under the same lock, renames x.jsonl to x.jsonl.1, then .2: the
    highest is the newest.

    The lock is a courtesy between writers. If its holder was stopped in the middle of a write, we wait
    LOCK_WAIT once and from then on write without the lock, until it is free again: a log must not hold up a
    call.
"""

import os
import re
import stat
import sys
import time
from pathlib import Path

ROTATE_AT = 256 * 1024 * 1024  # bytes
LOCK_WAIT = 0.25  # seconds

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # a byte that no record reaches: here locks forbid reading too
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 40, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class LogFile:
    """One file by its name. Not safe for threads: the owner has a lock for that."""

    def __init__(self, path: Path, rotate_at: int = ROTATE_AT) -> None:
        self.path, self._name, self._rotate_at = path, str(path), rotate_at
        self._descriptor = -1
        self._identity = (0, 0)
        self._end = -1  # where the file ended after our last whole record; -1 if that is unknown
        self._is_patient = True
        self.missing = b""  # of what was to be appended last, the end that is not in the file

    def append(self, records: bytes) -> None:
        """Appends records, or nothing but a closing LF for b"". Raises OSError if not all of it was written."""
        self.missing = records
        size, is_locked = self._take()
        try:
            if size >= self._rotate_at and records and self._rotate():
                self._release(is_locked)
                size, is_locked = self._take()
            if size and size != self._end and is_locked and not self._ends_in_lf(size):
                size += os.write(self._descriptor, b"\n")
            self._end = -1
            while self.missing:  # once, but for a disk that is filling up; Python itself repeats after EINTR (PEP 475)
                self.missing = self.missing[os.write(self._descriptor, self.missing) :]
            self._end = size + len(records)
        finally:
            self._release(is_locked)

    def close(self) -> None:
        """Closes the descriptor, and with it any lock. A later append opens the file again."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def _take(self) -> tuple[int, bool]:
        """Opens the file if need be, and locks it. Returns its size, and whether the lock is ours."""
        while True:
            if self._descriptor < 0:
                self._open()
            is_locked = self._lock()
            try:
                found = os.stat(self._name)
            except FileNotFoundError:
                found = None
            except OSError:
                self._release(is_locked)
                raise
            if found and (found.st_dev, found.st_ino) == self._identity:
                return found.st_size, is_locked
            self.close()  # renamed or deleted: the name leads elsewhere now

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self.path, flags, 0o644)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, flags, 0o644)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):  # writing to a FIFO could wait for ever
                raise OSError(f"{self.path.name} is not a regular file")
        except OSError:
            os.close(descriptor)
            raise
        self._descriptor, self._identity, self._end = descriptor, (found.st_dev, found.st_ino), -1

    def _lock(self) -> bool:
        """Whether we may write as if alone. A file system without locks counts as yes."""
        deadline = 0.0
        while True:
            try:
                _try_lock(self._descriptor)
            except BlockingIOError:
                now = time.monotonic()
                deadline = deadline or now + LOCK_WAIT
                if now > deadline:
                    self._is_patient = False
                if not self._is_patient:
                    return False
                time.sleep(0.0001)
                continue
            except OSError:
                return True
            self._is_patient = True
            return True

    def _release(self, is_locked: bool) -> None:
        if is_locked and self._descriptor >= 0:
            try:
                _unlock(self._descriptor)
            except OSError:
                return  # it goes with the descriptor

    def _ends_in_lf(self, size: int) -> bool:
        os.lseek(self._descriptor, size - 1, os.SEEK_SET)  # append mode: writing still goes to the end
        return os.read(self._descriptor, 1) == b"\n"

    def _rotate(self) -> bool:
        used = re.compile(re.escape(self.path.name) + r"\.([0-9]{1,9})")
        try:
            numbers = [int(found[1]) for name in os.listdir(self.path.parent) if (found := used.fullmatch(name))]
            os.rename(self.path, f"{self.path}.{max(numbers, default=0) + 1}")
        except OSError:
            self._rotate_at *= 2  # not now (Windows refuses while others have it open): later
            return False
        return True
