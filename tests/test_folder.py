"""Only regular files directly in the folder are seen and opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from playground.viewer.folder import Folder, is_log, read_at


def test_logs_and_their_renamed_files_are_found(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "a.jsonl.1", "notes.txt", ".gitkeep"):
        (tmp_path / name).write_text("x")
    assert [file.name for file in Folder(tmp_path).scan()] == ["a.jsonl", "a.jsonl.1", "b.jsonl"]
    assert [file.name for file in Folder(tmp_path).logs()] == ["a.jsonl", "b.jsonl"]


def test_what_is_no_regular_file_is_not_seen(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary")
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "link.jsonl").symlink_to(tmp_path / "secret")
    (logs / "folder.jsonl").mkdir()
    os.mkfifo(logs / "fifo.jsonl")
    folder = Folder(logs)
    assert folder.scan() == []
    for name in ("link.jsonl", "folder.jsonl", "fifo.jsonl", "absent.jsonl"):
        with pytest.raises(OSError, match=r"."):
            folder.open(name)


@pytest.mark.parametrize("name", ["../secret", "..", ".", "", "/etc/hostname", "a/b.jsonl", "a\\b.jsonl", "a\0.jsonl"])
def test_a_name_is_one_component(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("canary")
    (tmp_path / "logs").mkdir()
    with pytest.raises(FileNotFoundError):
        Folder(tmp_path / "logs").open(name)
    assert not is_log(name)


@pytest.mark.parametrize("name", [".jsonl", "a.jsonl.1", "a.JSONL", "a.txt"])
def test_a_log_has_a_name_and_the_ending(name: str) -> None:
    assert not is_log(name)


def test_an_absent_folder_is_empty(tmp_path: Path) -> None:
    assert Folder(tmp_path / "absent").scan() == []


def test_a_file_is_read_from_a_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"0123456789")
    with Folder(tmp_path).opened("a.jsonl") as descriptor:
        assert read_at(descriptor, 3, 4) == b"456"
        assert read_at(descriptor, 30, 8) == b"89"
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(descriptor)


def test_a_file_that_goes_while_we_look_is_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.viewer import folder

    class Gone:
        name = "a.jsonl"

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise FileNotFoundError

    assert folder._seen(Gone()) is None  # type: ignore[arg-type]
