"""playground/folder_events.py: what happened in a folder, in its order. More: test_inotify.py, test_watching.py.

Other systems have nothing of the kind to test.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "linux":
    from playground import folder_events as told

    def test_each_change_is_told_with_its_name(tmp_path: Path) -> None:
        descriptor = told.begin(tmp_path, told.IN_MODIFY | told.NAMES)
        assert descriptor is not None
        (tmp_path / "ä b.txt").write_text("x")
        (tmp_path / "ä b.txt").rename(tmp_path / "c.txt")
        (tmp_path / "c.txt").unlink()
        tmp_path.rmdir()
        assert list(told.events(os.read(descriptor, 65536))) == [
            (told.IN_CREATE, "ä b.txt"),
            (told.IN_MODIFY, "ä b.txt"),
            (told.IN_MOVED_FROM, "ä b.txt"),
            (told.IN_MOVED_TO, "c.txt"),
            (told.IN_DELETE, "c.txt"),
            (told.IN_IGNORED, ""),
        ]
        os.close(descriptor)

    def test_what_is_no_folder_can_not_be_watched(tmp_path: Path) -> None:
        before = len(os.listdir("/proc/self/fd"))
        assert told.begin(tmp_path / "nobody", told.NAMES) is None
        assert len(os.listdir("/proc/self/fd")) == before
