"""The module `os` with a fault in it: the k-th call of the system fails, is cut short, or kills the process.

In:   which call, and what happens there. Out: a thing that can stand in the place of `os`.
"""

from __future__ import annotations

import errno
import os
import signal
from typing import Any

# What asks the system for something; the rest of `os` are names and sums.
CALLS = frozenset(
    (
        "open",
        "close",
        "read",
        "write",
        "pread",
        "fstat",
        "stat",
        "lstat",
        "lseek",
        "fsync",
        "fdatasync",
        "fchmod",
        "rename",
        "replace",
        "unlink",
        "scandir",
        "listdir",
        "mkdir",
        "ftruncate",
    )
)


class Faulty:
    """Counts system calls, and has the k-th fail with an error, or end the process as kill -9 does."""

    def __init__(self, at: int = 0, error: str | None = "EIO", piece: int = 0) -> None:
        self.at, self.error, self._piece = at, error, piece
        self.count = 0
        self.failed = ""  # the name of the call that failed

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*args: Any, **options: Any) -> Any:
            self.count += 1
            if self.count == self.at:
                self.failed = name
                self._fail(name, args)
            if name == "write" and self._piece:
                return real(args[0], args[1][: self._piece])
            if name == "read" and self._piece:
                return real(args[0], min(args[1], self._piece))
            return real(*args, **options)

        return call

    def _fail(self, name: str, args: tuple[Any, ...]) -> None:
        if self.error is None:
            if name == "write":
                os.write(args[0], args[1][: len(args[1]) // 2])  # dies in the middle of it
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "close":
            os.close(args[0])  # a failed close has closed (close(2), notes)
        number = getattr(errno, self.error or "")
        raise OSError(number, os.strerror(number))
