"""The two ways into a folder, and what a program that swaps links can do about them."""

import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playground.server.reasons import SandboxError
from playground.server.wall import ByDescriptor, ByPath, has_descriptors, prepared


@pytest.fixture(params=[ByDescriptor, ByPath])
def inside(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ByDescriptor | ByPath]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("inside")
    found = request.param(tmp_path / "in")
    yield found
    found.close()


def content(found: ByDescriptor | ByPath, name: str) -> bytes:
    fd = found.open(name)
    try:
        return os.read(fd, 100)
    finally:
        os.close(fd)


def test_this_system_has_descriptors_for_folders() -> None:
    assert has_descriptors()


def test_a_file_is_opened_renamed_and_removed(inside: ByDescriptor | ByPath, tmp_path: Path) -> None:
    assert content(inside, "a.txt") == b"inside"
    inside.replace("a.txt", "b.txt")
    assert stat.S_ISREG(inside.stat("b.txt").st_mode)
    assert [name for name, _ in inside.scan()] == ["b.txt"]
    inside.unlink("b.txt")
    inside.sync()
    assert not os.listdir(tmp_path / "in")


def test_a_link_is_not_followed(inside: ByDescriptor | ByPath, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(OSError, check=lambda error: error.errno == errno.ELOOP):
        inside.open("link")
    assert stat.S_ISLNK(inside.stat("link").st_mode)


def test_making_a_file_never_goes_through_a_link(inside: ByDescriptor | ByPath, tmp_path: Path) -> None:
    (tmp_path / "in" / "new").symlink_to(tmp_path / "made-outside")
    with pytest.raises(FileExistsError):
        inside.open("new", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    assert not (tmp_path / "made-outside").exists()


def test_a_descriptor_survives_a_swap_of_the_whole_folder(tmp_path: Path) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    found = ByDescriptor(tmp_path / "in")
    (tmp_path / "in").rename(tmp_path / "moved")
    (tmp_path / "in").symlink_to(tmp_path / "out")
    assert content(found, "a.txt") == b"in"
    found.close()


class Swapping:
    """The functions of ``os``; before each open, the file is replaced by another one."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Path, *rest: Any) -> int:
        if self.times:
            self.times -= 1
            (path.parent / "other").write_text("other")
            os.replace(path.parent / "other", path)
        return os.open(path, *rest)


@pytest.mark.parametrize("times", [1, 3, 10_000])
def test_a_path_looks_again_when_it_opened_another_file_than_it_saw(tmp_path: Path, times: int) -> None:
    (tmp_path / "a.txt").write_text("seen")
    found, before = ByPath(tmp_path, Swapping(times)), len(os.listdir("/proc/self/fd"))
    if times < 20:
        assert content(found, "a.txt") == b"other"
    else:
        with pytest.raises(OSError, match="not for long enough"):
            found.open("a.txt")
    assert len(os.listdir("/proc/self/fd")) == before


class Unlinking:
    """The functions of ``os``; after an open, something happens to the name."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens = happens

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Any, *rest: Any, **options: Any) -> int:
        fd = os.open(path, *rest, **options)
        if str(path).endswith("a.txt") or path == b"a.txt":
            self.happens()
        return fd


@pytest.mark.parametrize("kind", [ByDescriptor, ByPath])
def test_what_was_opened_is_what_the_name_led_to_while_it_was_open(
    kind: type[ByDescriptor | ByPath], tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("outside")
    (tmp_path / "in").mkdir()
    name, before = tmp_path / "in" / "a.txt", len(os.listdir("/proc/self/fd"))
    name.hardlink_to(tmp_path / "outside")
    found = kind(tmp_path / "in", Unlinking(name.unlink))
    with pytest.raises(FileNotFoundError):  # the descriptor would say that the file has one name: the outer one
        found.open_to_read("a.txt")
    found.close()

    def replace() -> None:
        (tmp_path / "in" / "new").write_text("new")
        os.replace(tmp_path / "in" / "new", name)

    name.write_text("old")
    found = kind(tmp_path / "in", Unlinking(replace))
    with pytest.raises(OSError, match="not the same file for long enough"):
        found.open_to_read("a.txt")
    found.close()
    found = kind(tmp_path / "in")
    fd, seen = found.open_to_read("a.txt")
    assert (os.read(fd, 9), seen.st_nlink) == (b"new", 1)
    os.close(fd)
    found.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_without_proc_the_name_is_looked_at_instead(tmp_path: Path) -> None:
    class WithoutProc(Unlinking):
        def readlink(self, path: str) -> str:
            raise FileNotFoundError

    (tmp_path / "in").mkdir()
    (tmp_path / "outside").write_text("outside")
    name = tmp_path / "in" / "a.txt"
    name.write_text("inside")
    found = ByDescriptor(tmp_path / "in", WithoutProc(lambda: None))
    fd, seen = found.open_to_read("a.txt")
    os.close(fd)
    assert seen.st_nlink == 1
    found.close()
    found = ByDescriptor(tmp_path / "in", WithoutProc(name.unlink))
    with pytest.raises(FileNotFoundError):
        found.open_to_read("a.txt")
    found.close()


def test_a_name_may_end_as_the_system_marks_deleted_ones(tmp_path: Path) -> None:
    (tmp_path / "a (deleted)").write_text("inside")
    found = ByDescriptor(tmp_path)
    fd, _ = found.open_to_read("a (deleted)")
    assert os.read(fd, 9) == b"inside"
    os.close(fd)
    found.close()


def test_a_name_like_the_mark_hides_no_link_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "outside").write_text("outside")
    name = tmp_path / "in" / "a (deleted)"
    name.hardlink_to(tmp_path / "outside")

    class Blinking(Unlinking):
        def open(self, path: Any, *rest: Any, **options: Any) -> int:
            fd = os.open(path, *rest, **options)
            if path == b"a (deleted)":
                self.happens()
            return fd

    found = ByDescriptor(tmp_path / "in", Blinking(name.unlink))
    with pytest.raises(FileNotFoundError):
        found.open_to_read(name.name)
    found.close()


def test_a_file_that_has_the_name_of_nobody_stays_where_it_is(tmp_path: Path) -> None:
    for name in ("a.txt", ".mcp-nobody"):
        (tmp_path / name).write_text("inside")
    found = ByDescriptor(tmp_path)
    fd, _ = found.open_to_read("a.txt")
    os.close(fd)
    found.close()
    assert sorted(os.listdir(tmp_path)) == [".mcp-nobody", "a.txt"]


def test_a_folder_that_is_moved_can_still_be_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("inside")
    found = ByDescriptor(tmp_path / "in")
    for place in ("in", "moved", "moved again"):
        if place != "in":
            next(tmp_path.iterdir()).rename(tmp_path / place)
        for _ in range(2):
            fd, _ = found.open_to_read("a.txt")
            assert os.read(fd, 9) == b"inside"
            os.close(fd)
    found.close()


def test_two_threads_that_list_at_once_both_see_everything(inside: ByDescriptor | ByPath, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / "in" / f"{number}.txt").touch()
    counts: list[int] = []

    def listing() -> None:
        counts.extend(sum(1 for _ in inside.scan()) for _ in range(20))

    threads = [threading.Thread(target=listing) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [301] * 60


def test_a_removed_folder_is_gone(inside: ByDescriptor | ByPath, tmp_path: Path) -> None:
    assert not inside.is_gone()
    (tmp_path / "in" / "a.txt").unlink()
    (tmp_path / "in").rmdir()
    assert inside.is_gone()


def test_only_one_thread_has_the_turn(inside: ByDescriptor | ByPath) -> None:
    def second() -> None:
        with pytest.raises(BlockingIOError), inside.alone(wait=0):
            raise AssertionError

    with inside.alone():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    with inside.alone(wait=0):
        pass


def test_only_one_process_has_the_turn(tmp_path: Path) -> None:
    # Another open of the same folder is to flock what another process is.
    mine, others = ByDescriptor(tmp_path), ByDescriptor(tmp_path)
    with mine.alone():
        began = time.monotonic()
        with pytest.raises(BlockingIOError), others.alone(wait=0.02):
            raise AssertionError
        assert time.monotonic() - began >= 0.02
    with others.alone(wait=0):
        pass
    mine.close()
    others.close()


def test_a_file_system_without_locks_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    found = ByDescriptor(tmp_path)
    with found.alone():
        pass
    found.close()


def test_a_missing_folder_is_made_and_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert prepared("new/files") == tmp_path / "new" / "files"
    assert (tmp_path / "new" / "files").is_dir()
    (tmp_path / "link").symlink_to(tmp_path / "new")
    assert prepared(tmp_path / "link") == tmp_path / "new"


@pytest.mark.parametrize(
    "folder", ["", "  ", "/", "//", "/.", "/../..", "/etc/hostname", "/etc/hostname/x", "a\0b", "/dev/null"]
)
def test_a_folder_that_cannot_be_a_sandbox_is_one_clear_line(folder: str) -> None:
    with pytest.raises(SandboxError) as said:
        prepared(folder)
    assert "folder" in str(said.value)
    assert "\n" not in str(said.value)
    assert "Errno" not in str(said.value)


def test_a_link_to_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").symlink_to("/")
    with pytest.raises(SandboxError, match="root of the disk"):
        prepared(tmp_path / "root")


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(SandboxError, match="cannot be used"):
        prepared(tmp_path / "circle")


def adversary(change: Callable[[], None], stop: threading.Event) -> threading.Thread:
    def run() -> None:
        while not stop.is_set():
            change()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_adversary_that_swaps_links_never_gets_the_outside_read(tmp_path: Path) -> None:
    folder, canary = tmp_path / "in", tmp_path / "canary"
    folder.mkdir()
    canary.write_bytes(b"CANARY")
    (folder / "honest").write_bytes(b"honest")
    os.symlink(canary, folder / "link")

    def swap() -> None:
        os.rename(folder / "link", folder / "a.txt")
        os.rename(folder / "a.txt", folder / "link")
        os.link(folder / "honest", folder / "a.txt")
        os.unlink(folder / "a.txt")

    found, stop, seen = ByDescriptor(folder), threading.Event(), set()
    thread = adversary(swap, stop)
    try:
        for _ in range(5000):
            try:
                seen.add(content(found, "a.txt"))
            except OSError as error:
                seen.add(errno.errorcode[error.errno or 0].encode())
    finally:
        stop.set()
        thread.join()
        found.close()
    assert b"CANARY" not in seen
    assert seen <= {b"honest", b"ELOOP", b"ENOENT"}
