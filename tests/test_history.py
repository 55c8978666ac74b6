"""What was written before: from the end in blocks, merged by time, found again after a rename."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.viewer import history
from playground.viewer.folder import Folder
from playground.viewer.history import backward, between, forward, last, line_start, open_inode, spot_at
from playground.viewer.places import Spot
from playground.viewer.records import Entry
from playground.viewer.tail import HEAD, LINE_LIMIT, Line


@contextmanager
def opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def record(second: int, text: str = "") -> bytes:
    return b'{"ts":"2026-11-29T21:20:%02d.000000+00:00","text":"%b"}\n' % (second, text.encode())


def spots(folder: Path) -> dict[str, Spot]:
    """The places at the ends of all logs."""
    found = {}
    for file in Folder(folder).logs():
        with opened(folder / file.name) as descriptor:
            found[file.name] = spot_at(descriptor, file.inode, line_start(descriptor, file.size))
    return found


def seconds(entries: list[Entry]) -> list[int]:
    return [int(entry.line.data[24:26]) for entry in entries]


# ---- One file ----------------------------------------------------------------------------------------------


@given(
    content=st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=12),
    tail=st.binary(max_size=10),
    block=st.integers(1, 40),
)
@settings(deadline=None, max_examples=150)
def test_backward_and_forward_find_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, content: list[bytes], tail: bytes, block: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines"
    text = b"".join(line + b"\n" for line in content)
    path.write_bytes(text + tail.replace(b"\n", b""))
    with pytest.MonkeyPatch.context() as patched, opened(path) as descriptor:
        patched.setattr(history, "BLOCK", block)
        end = line_start(descriptor, path.stat().st_size)
        assert end == len(text)
        found = list(backward(descriptor, end))[::-1]
        assert found == list(forward(descriptor, 0, end))
        assert [line.data for line in found] == content


def test_a_giant_line_is_cut_in_both_directions(tmp_path: Path) -> None:
    size = LINE_LIMIT + 100_000
    (tmp_path / "a").write_bytes(b"one\n" + b"<" + b"x" * size + b"\ntwo\n")
    with opened(tmp_path / "a") as descriptor:
        end = size + 10
        two, giant, one = backward(descriptor, end)
        assert (one.data, two.data) == (b"one", b"two")
        assert (giant.at, giant.size, giant.end, len(giant.data)) == (4, size + 1, size + 6, HEAD)
        assert giant.data.startswith(b"<x")
        assert list(forward(descriptor, 0, end)) == [one, giant, two]


def test_a_line_without_beginning_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "SEARCH_LIMIT", 100_000)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(20_000_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    with opened(tmp_path / "sparse") as descriptor:
        found = list(backward(descriptor, 20_000_000_006))
        assert found[0].data == b"last"
        assert len(found) == 2
        assert found[1].size >= 100_000
        assert line_start(descriptor, 20_000_000_000) < 20_000_000_000


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with opened(tmp_path / "a") as descriptor:
        assert list(backward(descriptor, 0)) == []
        assert list(forward(descriptor, 0, None)) == []
        assert line_start(descriptor, 0) == 0


def test_to_the_end_means_also_the_unfinished_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo")
    with opened(tmp_path / "a") as descriptor:
        assert list(forward(descriptor, 4, None)) == [Line(4, b"two", 3, 7)]


def test_a_file_cut_while_it_is_read_ends_the_reading(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    with opened(tmp_path / "a") as descriptor:
        assert [line.data for line in forward(descriptor, 0, 800)] == [b"one", b"two"]


# ---- The last of all ---------------------------------------------------------------------------------------


def test_the_last_of_all_files_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(record(second) for second in range(0, 40, 2)))
    (tmp_path / "b.jsonl").write_bytes(b"".join(record(second) for second in range(1, 40, 4)))
    found, begin = last(Folder(tmp_path), spots(tmp_path), 6)
    assert seconds(found) == [32, 33, 34, 36, 37, 38]
    again, lost, size = between(Folder(tmp_path), begin, spots(tmp_path))
    assert [entry.line for entry in again] == [entry.line for entry in found]
    assert lost == []
    assert size == sum(len(entry.line.data) + 1 for entry in found)


def test_each_file_keeps_its_order(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(record(5) + b"plain\n" + record(3) + b"\n" + record(9))
    (tmp_path / "b.jsonl").write_bytes(record(4))
    found, _ = last(Folder(tmp_path), spots(tmp_path), 100)
    assert [entry.line.data[24:26] for entry in found if entry.name == "a.jsonl"] == [b"05", b"", b"03", b"09"]
    assert len(found) == 5


def test_records_of_one_microsecond_are_ordered_by_mono(tmp_path: Path) -> None:
    for name, mono in (("a.jsonl", 2), ("b.jsonl", 1)):
        text = {"ts": "2026-11-29T21:20:21.123456+00:00", "mono": mono}
        (tmp_path / name).write_text(json.dumps(text, separators=(",", ":")) + "\n")
    found, _ = last(Folder(tmp_path), spots(tmp_path), 100)
    assert [entry.name for entry in found] == ["b.jsonl", "a.jsonl"]


def test_a_test_chooses_and_the_search_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(record(second) for second in range(50)))
    found, begin = last(Folder(tmp_path), spots(tmp_path), 2, lambda value: value["ts"].endswith("0.000000+00:00"))
    assert seconds(found) == [30, 40]
    assert begin["a.jsonl"].at == found[0].line.at


@pytest.mark.parametrize("count", [0, 3])
def test_no_more_than_was_asked_for(tmp_path: Path, count: int) -> None:
    (tmp_path / "a.jsonl").write_bytes(record(1) * 5)
    assert len(last(Folder(tmp_path), spots(tmp_path), count)[0]) == count


def test_where_nothing_was_asked_for_the_place_is_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(record(1) * 5)
    here = spots(tmp_path)
    assert last(Folder(tmp_path), here, 0) == ([], here)


def test_an_old_file_without_share_begins_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_bytes(record(1) * 5)
    (tmp_path / "new.jsonl").write_bytes(record(2) * 5)
    here = spots(tmp_path)
    found, begin = last(Folder(tmp_path), here, 3)
    assert {entry.name for entry in found} == {"new.jsonl"}
    assert begin["old.jsonl"] == here["old.jsonl"]


def test_a_history_is_bounded_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "BUDGET", 1000)
    (tmp_path / "a.jsonl").write_bytes(record(1, "x" * 300) * 50)
    assert len(last(Folder(tmp_path), spots(tmp_path), 40)[0]) == 3


def test_a_file_that_has_gone_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(record(1))
    here = spots(tmp_path)
    (tmp_path / "a.jsonl").unlink()
    (tmp_path / "a.jsonl").mkdir()
    assert last(Folder(tmp_path), here, 5)[0] == []


# ---- Between two places ------------------------------------------------------------------------------------


def texts(found: Iterator[Entry]) -> list[bytes]:
    return [entry.line.data for entry in found]


def test_what_was_appended_lies_between(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\n")
    since = spots(tmp_path)
    with path.open("ab") as file:
        file.write(b"three\n\nfo")
    found, lost, size = between(Folder(tmp_path), since, spots(tmp_path))
    assert (texts(found), lost, size) == ([b"three"], [], 7)


def test_a_file_made_since_counts_whole(tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_bytes(b"one\n")
    found, lost, _ = between(Folder(tmp_path), {}, spots(tmp_path))
    assert (texts(found), lost) == ([b"one"], [])


def test_renamed_files_are_read_on_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    (tmp_path / "a.jsonl.0").write_bytes(b"older\n")
    os.utime(tmp_path / "a.jsonl.0", (1, 1))
    path.write_bytes(b"one\n")
    since = spots(tmp_path)
    with path.open("ab") as file:
        file.write(b"two\nhalf")
    for number, content in ((1, b"three\n"), (2, b"four\n")):
        path.rename(tmp_path / f"a.jsonl.{number}")
        os.utime(tmp_path / f"a.jsonl.{number}", (number + 1, number + 1))
        path.write_bytes(content)
    found, lost, _ = between(Folder(tmp_path), since, spots(tmp_path))
    assert (texts(found), lost) == ([b"two", b"half", b"three", b"four"], [])


@pytest.mark.parametrize("content", [b"", b"new\n", b"rewritten with as much and more\nnew\n"])
def test_a_place_that_is_gone_is_told_and_all_is_given(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nthree\n")
    since = spots(tmp_path)
    path.write_bytes(content)
    found, lost, _ = between(Folder(tmp_path), since, spots(tmp_path))
    assert (texts(found), lost) == (content.splitlines(), ["a.jsonl"])


def test_a_place_in_a_file_that_was_replaced_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n")
    since = spots(tmp_path)
    (tmp_path / "b").write_bytes(b"two\n")
    (tmp_path / "b").rename(path)
    found, lost, _ = between(Folder(tmp_path), since, spots(tmp_path))
    assert (texts(found), lost) == ([b"two"], ["a.jsonl"])


def test_a_test_chooses_what_lies_between(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a":1}\n{"a":2}\n')
    found, _, _ = between(Folder(tmp_path), {}, spots(tmp_path), lambda value: value["a"] == 2)
    assert texts(found) == [b'{"a":2}']


def test_a_file_that_goes_while_it_is_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"one\n")
    here = spots(tmp_path)
    found, lost, _ = between(Folder(tmp_path), {}, here)
    (tmp_path / "a.jsonl").unlink()
    assert (texts(found), lost) == ([], [])


def test_a_file_that_can_not_be_opened_has_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"one\n")
    here = spots(tmp_path)

    class Shut(Folder):
        def open(self, name: str) -> int:
            raise PermissionError

    found, lost, _ = between(Shut(tmp_path), here, here)
    assert (texts(found), lost) == ([], ["a.jsonl"])


def test_closing_a_search_closes_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"one\ntwo\n" * 10)
    count = len(os.listdir("/proc/self/fd"))
    found, _, _ = between(Folder(tmp_path), {}, spots(tmp_path))
    with closing(found):  # type: ignore[type-var]
        next(found)
    assert len(os.listdir("/proc/self/fd")) == count


def test_a_file_is_found_by_its_inode(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n")
    inode = path.stat().st_ino
    path.rename(tmp_path / "a.jsonl.1")
    path.write_bytes(b"two\n")
    descriptor = open_inode(Folder(tmp_path), "a.jsonl", inode)
    assert descriptor is not None
    assert os.read(descriptor, 9) == b"one\n"
    os.close(descriptor)
    assert open_inode(Folder(tmp_path), "a.jsonl", 1) is None
