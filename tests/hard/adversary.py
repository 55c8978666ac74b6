"""A process that wants a file tool to touch what lies outside: it swaps links, pipes and folders under its hands.

    python adversary.py FOLDER CANARY [NAME ...]

It works on the names it is given (a.txt, b.txt) until its standard input ends, as fast as it can, and then prints how
many things it has done. It never changes the canary itself; it only makes other names lead there.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LONGEST = 3600.0  # seconds, should whoever started it never end it


class Adversary:
    def __init__(self, folder: Path, canary: Path, names: list[str], chance: random.Random) -> None:
        self._folder, self._canary, self._chance = folder, canary, chance
        self._paths = [str(folder / name) for name in names]
        self._aside = f"{folder}.aside"
        self._outside = str(canary.parent)
        self.count = 0

    def step(self) -> None:
        """One dirty trick."""
        one, other = self._chance.sample(self._paths, 2)
        tricks: list[Callable[[], object]] = [
            lambda: self._lay(one, lambda: os.symlink(self._canary, one)),
            lambda: self._lay(one, lambda: os.symlink(f"../{self._canary.parent.name}/{self._canary.name}", one)),
            lambda: self._lay(one, lambda: os.symlink(self._outside, one)),
            lambda: self._lay(one, lambda: os.symlink("/dev/zero", one)),
            lambda: self._lay(one, lambda: os.link(self._canary, one)),
            lambda: self._lay(one, lambda: os.mkfifo(one)),
            lambda: self._lay(one, lambda: os.mkdir(one)),
            lambda: self._lay(one, lambda: Path(one).write_text("plain\n", encoding="utf-8")),
            lambda: os.rename(one, other),
            lambda: self._blink(one),
            lambda: self._flicker(one, other),
            self._swap_the_folder,
        ]
        with suppress(OSError):
            self._chance.choice(tricks)()
        self.count += 1

    def _lay(self, path: str, make: Callable[[], object]) -> None:
        self._clear(path)
        make()

    def _clear(self, path: str) -> None:
        with suppress(OSError):
            os.unlink(path)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)

    def _blink(self, path: str) -> None:
        """A hard link that is there only for a moment: opened while it was, looked at when it is not."""
        self._clear(path)
        for _ in range(100):
            with suppress(OSError):
                os.link(self._canary, path)
            with suppress(OSError):
                os.unlink(path)

    def _flicker(self, path: str, spare: str) -> None:
        """An honest file and a link take turns under one name."""
        self._clear(path)
        self._clear(spare)
        for _ in range(50):
            with suppress(OSError):
                os.symlink(self._canary, spare)
                os.rename(spare, path)
            Path(spare).write_text("plain\n", encoding="utf-8")
            os.rename(spare, path)

    def _swap_the_folder(self) -> None:
        """The folder itself is somewhere else for a moment, and its name leads outside."""
        os.rename(self._folder, self._aside)
        try:
            os.symlink(self._outside, self._folder)
            os.unlink(self._folder)
        finally:
            os.rename(self._aside, self._folder)


def main() -> None:
    folder, canary, *names = sys.argv[1:]
    adversary = Adversary(Path(folder), Path(canary), names or ["a.txt", "b.txt"], random.Random())
    is_over = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        is_over.set()

    threading.Thread(target=listen, daemon=True).start()
    timer = threading.Timer(LONGEST, is_over.set)
    timer.daemon = True
    timer.start()
    print("ready", flush=True)
    while not is_over.is_set():
        adversary.step()
    print(adversary.count, flush=True)


if __name__ == "__main__":
    main()
