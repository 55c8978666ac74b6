"""What was seen of a file becomes lines, each once: the two machines alone, and against a model of a file system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from playground.viewer import tail
from playground.viewer.tail import CHUNK, GRACE, HEAD, LINE_LIMIT, MEMORY, WAITING, Line, Notice, Strand, Tail


def read(strand: Strand, content: bytes, touched: bool = False) -> list[Line]:
    """All that a strand finds in a file with this content."""
    found: list[Line] = []
    while ask := strand.wants(len(content), touched):
        touched = False
        found += strand.takes(content[ask[0] : ask[0] + ask[1]])
    return found


def texts(lines: list[Line]) -> list[bytes]:
    return [line.data for line in lines]


# ---- One file ----------------------------------------------------------------------------------------------


def test_each_line_is_told_once_with_its_place() -> None:
    strand = Strand()
    assert read(strand, b"one\ntwo\n") == [Line(0, b"one", 3, 4), Line(4, b"two", 3, 8)]
    assert read(strand, b"one\ntwo\n") == []
    assert read(strand, b"one\ntwo\nthree\n") == [Line(8, b"three", 5, 14)]


def test_an_unfinished_line_waits_for_its_end() -> None:
    strand = Strand()
    assert read(strand, b"one\nha") == [Line(0, b"one", 3, 4)]
    assert read(strand, b"one\nhal") == []
    assert (strand.at, strand.offset) == (4, 7)
    assert texts(read(strand, b"one\nhalf\n")) == [b"half"]


@pytest.mark.parametrize("separator", ["\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x00"])
def test_only_lf_ends_a_line(separator: str) -> None:
    line = f"a{separator}b".encode()
    assert texts(read(Strand(), line + b"\n")) == [line]


def test_a_file_cut_to_nothing_is_read_from_its_beginning() -> None:
    strand = Strand()
    read(strand, b"one\ntwo\n")
    assert read(strand, b"") == []
    assert strand.news() == [Notice("truncated")]
    assert strand.news() == []
    assert texts(read(strand, b"three\n")) == [b"three"]


def test_a_file_that_was_cut_and_has_grown_beyond_is_noticed_by_its_bytes() -> None:
    strand = Strand()
    read(strand, b"one\ntwo\n")
    assert texts(read(strand, b"three\nfour\nfive\n")) == [b"three", b"four", b"five"]
    assert strand.news() == [Notice("truncated")]


def test_a_file_rewritten_to_the_same_size_is_noticed_when_it_was_touched() -> None:
    strand = Strand()
    read(strand, b"one\ntwo\n")
    assert read(strand, b"six\nten\n") == []
    assert texts(read(strand, b"six\nten\n", touched=True)) == [b"six", b"ten"]
    assert strand.news() == [Notice("truncated")]
    assert read(strand, b"six\nten\n", touched=True) == []
    assert strand.news() == []


def test_the_unfinished_line_of_a_cut_file_is_forgotten() -> None:
    strand = Strand()
    read(strand, b"one\nhal")
    assert texts(read(strand, b"f\n")) == [b"f"]


def test_a_finished_file_gives_its_unfinished_line() -> None:
    strand = Strand()
    read(strand, b"one\nhalf")
    assert strand.finish() == [Line(4, b"half", 4, 8)]
    assert strand.finish() == []


def test_a_long_line_is_cut_and_its_size_is_true() -> None:
    strand = Strand()
    size = LINE_LIMIT + 3 * CHUNK + 5
    content = b"x" * size + b"\ngood\n"
    long, good = read(strand, content)
    assert (long.size, len(long.data), long.is_cut, long.end) == (size, HEAD, True, size + 1)
    assert (good.data, good.is_cut, good.at) == (b"good", False, size + 1)


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    (line,) = read(Strand(), b"x" * LINE_LIMIT + b"\n")
    assert not line.is_cut
    assert len(line.data) == LINE_LIMIT


def test_a_line_too_long_to_be_kept_while_it_waits_is_whole_in_the_end() -> None:
    strand, content = Strand(), b"a\n" + b"x" * (3 * WAITING) + b"\nb\n"
    assert texts(read(strand, content[:WAITING])) == [b"a"]
    assert texts(read(strand, content)) == [b"x" * (3 * WAITING), b"b"]


def test_such_a_line_may_have_been_cut_away_before_it_is_read_again() -> None:
    strand, content = Strand(), b"x" * (3 * WAITING) + b"\n"
    while ask := strand.wants(len(content)):
        if ask[1] > 2 * WAITING:  # now it is to be read as a whole
            break
        assert strand.takes(content[ask[0] : ask[0] + ask[1]]) == []
    assert strand.takes(b"new\n") == []
    assert strand.news() == [Notice("truncated")]
    assert texts(read(strand, b"new\n")) == [b"new"]


def test_of_such_a_line_that_never_ends_the_beginning_is_told() -> None:
    strand = Strand()
    read(strand, b"x" * (3 * WAITING))
    (line,) = strand.finish()
    assert (line.size, len(line.data), line.is_cut) == (3 * WAITING, HEAD, True)


def test_a_long_line_takes_no_more_memory_than_the_limit() -> None:
    strand = Strand()
    piece = b"x" * CHUNK
    for count in range(2 * LINE_LIMIT // CHUNK):
        ask = strand.wants((count + 1) * CHUNK)
        assert ask is not None
        strand.takes(strand.memory + piece)
        assert sum(map(len, strand._pieces)) <= WAITING


def test_a_long_line_in_one_piece_is_cut_too() -> None:
    (line,) = Strand().takes(b"x" * (LINE_LIMIT + 1) + b"\n")
    assert (line.size, len(line.data)) == (LINE_LIMIT + 1, HEAD)


def test_a_strand_can_begin_in_the_middle() -> None:
    strand = Strand(4, b"one\n")
    assert texts(read(strand, b"one\ntwo\n")) == [b"two"]
    assert texts(read(Strand(4, b"ONE\n"), b"one\ntwo\n")) == [b"one", b"two"]


def test_the_memory_is_short() -> None:
    strand = Strand()
    read(strand, b"y" * 1000)
    assert len(strand.memory) == MEMORY


# ---- One name ----------------------------------------------------------------------------------------------


def test_a_renamed_file_is_read_on_beside_the_new_one() -> None:
    named = Tail(1, Strand())
    assert named.observe(2, [1], 0) == [Notice("rotated")]
    assert list(named.strands) == [1, 2]


def test_a_deleted_file_is_told_from_a_renamed_one() -> None:
    assert Tail(1, Strand()).observe(2, [], 0) == [Notice("deleted")]


def test_a_first_file_is_no_news() -> None:
    named = Tail(None, Strand())
    assert named.observe(1, [], 0) == []
    assert list(named.strands) == [1]


def test_a_copy_beside_the_file_is_not_read() -> None:
    named = Tail(1, Strand())
    assert named.observe(1, [2], 0) == []
    assert named.observe(3, [2, 1], 0) == [Notice("rotated")]
    assert list(named.strands) == [1, 3]


def test_a_file_that_came_and_went_between_two_looks_is_read() -> None:
    named = Tail(1, Strand())
    named.observe(3, [1, 2], 0)
    assert list(named.strands) == [1, 2, 3]


def test_files_that_were_there_before_are_not_read() -> None:
    named = Tail(1, Strand(), {8, 9})
    named.observe(2, [8, 9, 1], 0)
    assert list(named.strands) == [1, 2]


def test_a_file_that_gets_its_name_back_is_the_same() -> None:
    named = Tail(1, Strand())
    strand = named.strands[1]
    assert named.observe(None, [1], 0) == []
    assert named.observe(1, [], 1) == []
    assert named.strands == {1: strand}
    assert named.retire(GRACE * 9) == []


def test_an_old_file_ends_when_it_has_been_quiet_for_long() -> None:
    named = Tail(1, Strand())
    read(named.strands[1], b"half")
    named.observe(2, [1], 0)
    named.grew(2, 1)
    named.grew(1, GRACE)
    assert named.retire(GRACE * 1.5) == []
    assert named.retire(GRACE * 2.5) == [(1, [Line(0, b"half", 4, 4)])]
    assert list(named.strands) == [2]
    assert named.observe(2, [1], 0) == []


# ---- Against a model ---------------------------------------------------------------------------------------


class FileSystem(RuleBasedStateMachine):
    """A name in a little file system; now and then the tail looks. Each line that could be seen must be told once.

    What may be lost: what was written and cut away again between two looks, and a file that was made and deleted
    between two looks. Everything else must come, whatever happens to the name.
    """

    @initialize(start=st.booleans())
    def begin(self, start: bool) -> None:
        self.now, self.count, self.inodes = 0.0, 0, 0
        self.content: dict[int, bytes] = {}
        self.seen: dict[int, int] = {}  # bytes that were there at a look, or will be found for sure
        self.expected: list[bytes] = []
        self.told: list[bytes] = []
        self.siblings: list[int] = []
        self.free: list[int] = []
        self.named: int | None = None
        self.copies: set[int] = set()
        if start:
            self.create(False)
        self.tail = Tail(self.named, Strand())
        self.look()

    def new(self, content: bytes, reuse: bool = False) -> int:
        usable = [inode for inode in self.free if inode not in self.tail.strands] if reuse else []
        if usable:
            inode = usable[0]
            self.free.remove(inode)
            self.close_epoch(inode)
            self.copies.discard(inode)
        else:
            self.inodes += 1
            inode = self.inodes
        self.content[inode] = content
        return inode

    def text(self) -> bytes:
        self.count += 1
        return b"line %d" % self.count

    def lines_of(self, content: bytes) -> list[bytes]:
        return content.split(b"\n")[:-1]

    @precondition(lambda self: self.named is None)
    @rule(reuse=st.booleans())
    def create(self, reuse: bool) -> None:
        self.named = self.new(b"", reuse)

    @precondition(lambda self: self.named is not None)
    @rule(count=st.integers(1, 3))
    def append(self, count: int) -> None:
        for _ in range(count):
            self.content[self.named or 0] += self.text() + b"\n"

    @precondition(lambda self: self.named is not None)
    @rule()
    def append_half(self) -> None:
        self.content[self.named or 0] += self.text()

    @precondition(lambda self: self.siblings)
    @rule(which=st.integers(0, 99), half=st.booleans())
    def append_late(self, which: int, half: bool) -> None:
        inode = self.siblings[which % len(self.siblings)]
        if inode in self.tail.strands and inode not in self.copies:  # else its grace is over
            self.content[inode] += self.text() + (b"" if half else b"\n")

    @precondition(lambda self: self.named is not None)
    @rule()
    def rotate(self) -> None:
        assert self.named is not None
        self.siblings.append(self.named)
        self.named = None

    @precondition(lambda self: self.named is not None)
    @rule()
    def truncate(self) -> None:
        assert self.named is not None
        self.close_epoch(self.named)
        self.content[self.named] = b""

    @rule(which=st.integers(0, 99))
    def delete(self, which: int) -> None:
        if which % 2 and self.siblings:
            inode = self.siblings.pop(which % len(self.siblings))
        elif self.named is not None:
            inode, self.named = self.named, None
        else:
            return
        self.free.append(inode)
        if inode not in self.tail.strands:  # nobody holds it open
            self.close_epoch(inode)
            self.content[inode] = b""

    @rule()
    def replace(self) -> None:
        if self.named is not None:
            self.delete(0)
        self.named = self.new(self.text() + b"\n" + self.text() + b"\n")

    @precondition(lambda self: self.named is not None)
    @rule()
    def copy(self) -> None:
        assert self.named is not None
        self.look()
        inode = self.new(self.content[self.named])
        self.siblings.append(inode)
        self.copies.add(inode)
        self.look()

    @rule(seconds=st.sampled_from([0.0, 1.0, GRACE + 1]))
    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.look()

    def close_epoch(self, inode: int) -> None:
        """Content that is about to vanish: what a look has found of it must have been told."""
        if inode not in self.copies:
            self.expected += self.lines_of(self.content[inode][: self.seen.get(inode, 0)])
        self.seen[inode] = 0

    def look(self) -> None:
        self.tail.observe(self.named, self.siblings, self.now)
        for inode, strand in list(self.tail.strands.items()):
            before = len(self.told)
            self.told += texts(read(strand, self.content[inode], touched=True))
            self.seen[inode] = len(self.content[inode])
            if len(self.told) > before:
                self.tail.grew(inode, self.now)
        for inode, lines in self.tail.retire(self.now):
            for line in lines:  # its last line ends now; one that was too long to wait is told by its beginning
                whole = self.content[inode][line.at : line.at + line.size]
                assert whole.startswith(line.data)
                self.told.append(whole)
                self.content[inode] += b"\n"
                self.seen[inode] += 1

    def teardown(self) -> None:
        if not hasattr(self, "tail"):
            return
        self.look()
        for inode in self.content:
            self.close_epoch(inode)
        assert sorted(self.told) == sorted(self.expected)


FileSystem.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
TestAgainstTheModel: Any = FileSystem.TestCase


def test_the_model_agrees_where_lines_are_too_long_to_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    monkeypatch.setattr(tail, "WAITING", 4)
    monkeypatch.setattr(tail, "HEAD", 2)
    run_state_machine_as_test(
        FileSystem, settings=settings(max_examples=100, stateful_step_count=30, database=None, deadline=None)
    )


@pytest.mark.hard
def test_the_model_would_notice_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tail that forgets to compare what it has seen loses lines, and the model says so."""
    from hypothesis.stateful import run_state_machine_as_test

    monkeypatch.setattr(tail, "MEMORY", 0)
    takes: Callable[[Strand, bytes], list[Line]] = Strand.takes

    def forgetful(strand: Strand, data: bytes) -> list[Line]:
        lines = takes(strand, data)
        strand.memory = b""
        return lines

    monkeypatch.setattr(Strand, "takes", forgetful)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(
            FileSystem, settings=settings(max_examples=500, database=None, deadline=None, report_multiple_bugs=False)
        )
