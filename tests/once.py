"""What takes long and is the same for all workers of a run: done by the first that needs it, read by the others."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """What `make` gives, which gets a folder of its own; it must survive pickling."""
    shared = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    result, folder = shared / f"{name}.pickle", shared / name
    with _alone(shared / f"{name}.lock"):
        if result.exists():
            made: T = pickle.loads(result.read_bytes())
            return made
        folder.mkdir()
        made = make(folder)
        result.write_bytes(pickle.dumps(made))
        return made


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        with contextlib.suppress(ImportError):  # Windows: then each worker does it
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
