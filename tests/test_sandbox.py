"""The sandbox as its tools use it: what it does, what it refuses, and what is left when something fails."""

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.server.sandbox import Entry, Sandbox, SandboxError

ROOT = Path(__file__).resolve().parent.parent
OLD, NEW = "the old text\n", "the new text, which is longer\n"


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    found = Sandbox(tmp_path / "files", by_descriptor=request.param)
    yield found
    found.close()


def everything(sandbox: Sandbox, name: str) -> list[Callable[[], object]]:
    """Each operation that takes a name."""
    return [
        lambda: sandbox.read(name),
        lambda: sandbox.read_bytes(name),
        lambda: sandbox.write(name, "x"),
        lambda: sandbox.append_line(name, "x"),
        lambda: sandbox.delete(name),
        lambda: sandbox.count(name, "x"),
        lambda: sandbox.entry(name),
    ]


def refused(operation: Callable[[], object]) -> str:
    with pytest.raises(SandboxError) as said:
        operation()
    sentence = str(said.value)
    assert sentence.isprintable()
    assert "Errno" not in sentence
    assert len(sentence) < 1000
    return sentence


def outcome(operation: Callable[[], object]) -> str:
    """Return what an operation returned or said, as a text."""
    try:
        return str(operation())
    except SandboxError as error:
        return str(error)


# ---- 1. What it does ---------------------------------------------------------------------------------------


def test_a_text_comes_back_as_it_was_written_and_is_counted_in_bytes(sandbox: Sandbox) -> None:
    assert sandbox.write("a.txt", "héé€") == 8
    assert sandbox.read("a.txt") == "héé€"
    assert sandbox.entry("a.txt").bytes == 8


@pytest.mark.parametrize("text", ["", "a\r\nb\rc\n", "\ufeffwith a mark", "nul \0", "\u2028", "🙂" * 1000])
def test_nothing_is_translated(sandbox: Sandbox, text: str) -> None:
    sandbox.write("a.txt", text)
    assert (sandbox.path / "a.txt").read_bytes() == text.encode()
    assert sandbox.read("a.txt") == text


def test_a_line_is_appended_with_its_end_and_the_new_size_comes_back(sandbox: Sandbox) -> None:
    assert sandbox.append_line("a.txt", "é") == 3
    assert sandbox.append_line("a.txt", "b") == 5
    assert sandbox.read("a.txt") == "é\nb\n"


def test_a_line_stands_alone_also_after_an_unfinished_one(sandbox: Sandbox) -> None:
    sandbox.write("a.txt", "unfinished")
    sandbox.append_line("a.txt", "mine")
    assert sandbox.read("a.txt") == "unfinished\nmine\n"


@pytest.mark.parametrize("line", ["a\nb", "a\n", "a\rb"])
def test_a_line_with_a_break_is_refused(sandbox: Sandbox, line: str) -> None:
    assert "line break" in refused(lambda: sandbox.append_line("a.txt", line))
    assert sandbox.names() == []


def test_deleting_says_whether_there_was_something(sandbox: Sandbox) -> None:
    sandbox.write("a.txt", "x")
    assert sandbox.delete("a.txt") is True
    assert sandbox.delete("a.txt") is False


@pytest.mark.parametrize(
    ("text", "keyword", "times"),
    [("TODO TODO\nTODO", "TODO", 3), ("aaaa", "aa", 2), ("a\nb a\nb", "a\nb", 2), ("todo", "TODO", 0), ("héé", "é", 2)],
)
def test_occurrences_are_counted_without_overlap_in_their_case_over_line_ends(
    sandbox: Sandbox, text: str, keyword: str, times: int
) -> None:
    sandbox.write("a.txt", text)
    assert sandbox.count("a.txt", keyword) == times


def test_an_empty_keyword_is_refused(sandbox: Sandbox) -> None:
    assert "keyword is empty" in refused(lambda: sandbox.count("a.txt", ""))


def test_a_replaced_file_keeps_its_permissions(sandbox: Sandbox) -> None:
    sandbox.write("a.txt", OLD)
    (sandbox.path / "a.txt").chmod(0o640)
    sandbox.write("a.txt", NEW)
    assert stat.S_IMODE((sandbox.path / "a.txt").stat().st_mode) == 0o640


def test_the_listing_shows_what_the_other_tools_would_take(sandbox: Sandbox, tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "ä.txt", "Z"):
        sandbox.write(name, name)
    outside = tmp_path / "outside"
    outside.write_text("x")
    os.mkfifo(sandbox.path / "pipe")
    (sandbox.path / "folder").mkdir()
    (sandbox.path / "link").symlink_to(outside)
    for odd in (b".hidden", b"line\nbreak", b"not-utf8-\xff", b"a:b", b".mcp-0123456789abcdef.tmp", b"e\xcc\x81"):
        (Path(os.fsdecode(os.fsencode(sandbox.path) + b"/" + odd))).touch()
    assert sandbox.names() == ["Z", "a.txt", "b.txt", "ä.txt"]
    assert [(entry.name, entry.bytes) for entry in sandbox.entries()] == [
        ("Z", 1),
        ("a.txt", 5),
        ("b.txt", 5),
        ("ä.txt", 6),
    ]
    assert isinstance(sandbox.entries()[0], Entry)


def test_ten_thousand_files_are_listed(tmp_path: Path) -> None:
    for number in range(10_000):
        os.close(os.open(tmp_path / f"file {number}.txt", os.O_CREAT | os.O_WRONLY))
    sandbox = Sandbox(tmp_path)
    assert len(sandbox.names()) == len(sandbox.entries()) == 10_000
    sandbox.close()


def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from playground.server.sandbox import Sandbox
        sandbox = Sandbox(sys.argv[1])
        sandbox.write("na\\u00efve.txt", "na\\u00efve \\u20ac")
        assert sandbox.read("na\\u00efve.txt") == "na\\u00efve \\u20ac" and sandbox.names() == ["na\\u00efve.txt"]
    """
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=os.environ | ascii_only, cwd=ROOT, check=False
    )
    assert done.returncode == 0
    assert (tmp_path / "naïve.txt").read_bytes() == "naïve €".encode()


# ---- 2. What it refuses --------------------------------------------------------------------------------------

OUTSIDE = [
    "../x",
    "a/../../x",
    "/etc/hostname",
    "..\\x",
    "C:\\x",
    "%2e%2e/x",
    "....//x",
    "~/x",
    "./ok.txt",
    "a\0b",
    "\0",
]
OUTSIDE += ["../files_evil/secret.txt", "file:///etc/hostname", "CON", "a.txt:s", "", ".", "..", "\ud800", "x" * 5000]


@pytest.mark.parametrize("name", OUTSIDE, ids=ascii)
def test_no_operation_takes_a_name_that_is_not_plain(sandbox: Sandbox, name: str) -> None:
    for operation in everything(sandbox, name):
        assert "is not allowed" in refused(operation)
    assert os.listdir(sandbox.path.parent) == ["files"]


@given(name=st.text(max_size=40) | st.text(alphabet="./\\ab:%2e~", max_size=12))
def test_no_name_whatever_changes_or_shows_anything_outside(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    base = tmp_path_factory.mktemp("walled")
    (base / "files_evil").mkdir()
    for canary in (base / "canary", base / "files_evil" / "canary"):
        canary.write_text("CANARY")
    sandbox = Sandbox(base / "files")
    for operation in everything(sandbox, name):
        assert "CANARY" not in outcome(operation)
    sandbox.close()
    assert sorted(os.listdir(base)) == ["canary", "files", "files_evil"]
    assert (base / "canary").read_text() == (base / "files_evil" / "canary").read_text() == "CANARY"


def test_what_is_not_there_is_said_with_the_way_out(sandbox: Sandbox) -> None:
    assert refused(lambda: sandbox.read("x.txt")) == "There is no file named 'x.txt'; list_files shows what there is."


def test_links_pipes_folders_and_sockets_are_refused_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("CANARY")
    (sandbox.path / "link").symlink_to(target)
    (sandbox.path / "dangling").symlink_to(tmp_path / "made")
    (sandbox.path / "folder").mkdir()
    os.mkfifo(sandbox.path / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(sandbox.path / "socket"))
    for name in ("link", "dangling", "folder", "pipe", "socket"):
        for operation in everything(sandbox, name):
            assert "not a regular file" in refused(operation)
    listener.close()
    assert target.read_text() == "CANARY"
    assert not (tmp_path / "made").exists()
    assert sorted(os.listdir(sandbox.path)) == ["dangling", "folder", "link", "pipe", "socket"]


def test_a_file_with_a_second_name_is_not_read(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("CANARY")
    os.link(tmp_path / "outside", sandbox.path / "a.txt")
    for operation in (lambda: sandbox.read("a.txt"), lambda: sandbox.append_line("a.txt", "x")):
        assert "hard link" in refused(operation)
    sandbox.write("a.txt", NEW)
    assert ((tmp_path / "outside").read_text(), sandbox.read("a.txt")) == ("CANARY", NEW)


def test_a_read_only_file_is_not_replaced(sandbox: Sandbox) -> None:
    sandbox.write("a.txt", OLD)
    (sandbox.path / "a.txt").chmod(0o444)
    for operation in (lambda: sandbox.write("a.txt", NEW), lambda: sandbox.append_line("a.txt", "x")):
        assert "read-only" in refused(operation)
    assert sandbox.read("a.txt") == OLD


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n", "naïve".encode("latin-1"), "a".encode("utf-16"), b"\xed\xa0\x80"]
)
def test_what_is_not_text_is_said_in_plain_words(sandbox: Sandbox, data: bytes) -> None:
    (sandbox.path / "a.png").write_bytes(data)
    for operation in (
        lambda: sandbox.read("a.png"),
        lambda: sandbox.count("a.png", "a"),
        lambda: sandbox.append_line("a.png", "a"),
    ):
        assert "not UTF-8 text" in refused(operation)
    assert sandbox.read_bytes("a.png") == data
    assert sandbox.names() == ["a.png"]


def test_text_that_is_not_unicode_leaves_the_file_alone(sandbox: Sandbox) -> None:
    sandbox.write("a.txt", OLD)
    for operation in (
        lambda: sandbox.write("a.txt", "a\ud800"),
        lambda: sandbox.append_line("a.txt", "\udc00"),
        lambda: sandbox.count("a.txt", "\ud800"),
    ):
        assert "not valid Unicode" in refused(operation)
    assert sandbox.read("a.txt") == OLD


@pytest.mark.parametrize("size", [200 * 2**20, 20 * 2**30])
def test_a_huge_file_is_refused_without_being_read(sandbox: Sandbox, size: int) -> None:
    with open(sandbox.path / "huge", "wb") as file:
        file.truncate(size)
    for operation in everything(sandbox, "huge")[:2] + everything(sandbox, "huge")[3:4]:
        assert "the limit is 1048576 bytes" in refused(operation)
    assert sandbox.entries()[0].bytes == size
    assert sandbox.delete("huge")


def test_the_limit_itself_is_allowed_and_one_byte_more_is_not(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path, max_bytes=10)
    assert sandbox.write("a.txt", "x" * 10) == 10
    assert "too large: 11 bytes" in refused(lambda: sandbox.write("a.txt", "y" * 11))
    assert sandbox.write("b.txt", "x" * 8) == 8
    assert "too large: 11 bytes" in refused(lambda: sandbox.append_line("b.txt", "y"))
    assert (sandbox.read("a.txt"), sandbox.read("b.txt")) == ("x" * 10, "x" * 8)
    sandbox.close()


# ---- 3. What is left when something fails ------------------------------------------------------------------------


class Faulty:
    """The functions of ``os``; the k-th call raises, and reading and writing are done in small pieces."""

    def __init__(self, fails_at: int = 0, number: int = errno.EIO, piece: int = 3) -> None:
        self.fails_at, self.number, self.piece, self.calls = fails_at, number, piece, 0
        self.names: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            self.calls += 1
            self.names.append(name)
            if self.calls == self.fails_at:
                if name == "close":
                    os.close(args[0])  # a failed close has closed (close(2), notes)
                raise OSError(self.number, "FAULT", "/secret")
            if name == "write":
                return os.write(args[0], args[1][: self.piece])
            if name == "read":
                return os.read(args[0], min(args[1], self.piece))
            return getattr(os, name)(*args, **options)

        return call


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


CHANGES: dict[str, tuple[Callable[[Sandbox], object], list[str | None]]] = {
    "write": (lambda sandbox: sandbox.write("a.txt", NEW), [OLD, NEW]),
    "append": (lambda sandbox: sandbox.append_line("a.txt", "more"), [OLD, OLD + "more\n"]),
    "delete": (lambda sandbox: sandbox.delete("a.txt"), [OLD, None]),
    "read": (lambda sandbox: sandbox.read("a.txt"), [OLD]),
    "read what is not there": (lambda sandbox: outcome(lambda: sandbox.read("x.txt")), [OLD]),
    "names": (lambda sandbox: sandbox.names(), [OLD]),
    "entry": (lambda sandbox: sandbox.entry("a.txt"), [OLD]),
}
ERRORS = [errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EMFILE, errno.ENOMEM]


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("change", CHANGES)
def test_whichever_call_fails_the_file_is_whole_and_the_caller_is_told(
    change: str, number: int, sandbox: Sandbox
) -> None:
    act, outcomes = CHANGES[change]
    before = descriptors()
    for fails_at in range(1, 200):
        (sandbox.path / "a.txt").write_text(OLD)
        faulty = Faulty()
        tried = Sandbox(sandbox.path, system=faulty, by_descriptor="descriptor" in sandbox.guard[:15])
        faulty.calls, faulty.fails_at, faulty.number = 0, fails_at, number
        told = ""
        try:
            act(tried)
        except SandboxError as error:
            told = str(error)
        assert "FAULT" not in told
        assert "/secret" not in told
        done = faulty.calls < fails_at
        faulty.fails_at = 0
        tried.close()
        left = (sandbox.path / "a.txt").read_text() if (sandbox.path / "a.txt").exists() else None
        assert left in outcomes
        assert told or left == outcomes[-1]
        assert sandbox.names() == ([] if left is None else ["a.txt"])
        if done:
            break
    else:
        pytest.fail("it never succeeded")
    assert descriptors() == before
    # Nothing is left but what a failing unlink left, and the next start removes that.
    Sandbox(sandbox.path).close()
    assert [name for name in os.listdir(sandbox.path) if name != "a.txt"] == []


def test_short_writes_and_reads_are_carried_on(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path, system=Faulty(piece=1))
    assert sandbox.write("a.txt", NEW) == len(NEW)
    assert sandbox.read("a.txt") == NEW
    sandbox.close()


def test_a_file_that_grows_while_it_is_read_is_cut_off_at_the_limit(tmp_path: Path) -> None:
    class Growing(Faulty):
        def read(self, fd: int, size: int) -> bytes:
            return b"x" * size

    (tmp_path / "a.txt").write_text("x")
    sandbox = Sandbox(tmp_path, system=Growing(), max_bytes=100_000)
    assert "too large" in refused(lambda: sandbox.read("a.txt"))
    sandbox.close()


def test_a_hard_link_that_is_gone_when_we_look_is_not_read(tmp_path: Path, sandbox: Sandbox) -> None:
    """Opened while the link was there: by then the file has one name, and that is the outer one."""
    (tmp_path / "canary").write_text("CANARY")

    class Blinking(Faulty):
        def open(self, path: Any, *args: Any, **options: Any) -> int:
            fd = os.open(path, *args, **options)
            (sandbox.path / "a.txt").unlink(missing_ok=True)
            return fd

    tried = Sandbox(sandbox.path, system=Blinking(), by_descriptor="descriptor" in sandbox.guard[:15])
    for operation in everything(tried, "a.txt"):
        (sandbox.path / "a.txt").unlink(missing_ok=True)
        os.link(tmp_path / "canary", sandbox.path / "a.txt")
        assert "CANARY" not in outcome(operation)
    assert (tmp_path / "canary").read_text() == "CANARY"
    tried.close()


def test_a_disk_that_does_not_confirm_is_told_apart_from_one_that_cannot(tmp_path: Path) -> None:
    class Unsure(Faulty):
        def fsync(self, fd: int) -> None:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                raise OSError(self.number, "")

    sandbox = Sandbox(tmp_path, system=Unsure(number=errno.EIO))
    assert "holds the new text, but the disk did not confirm it" in refused(lambda: sandbox.write("a.txt", NEW))
    assert sandbox.read("a.txt") == NEW
    assert "is deleted, but" in refused(lambda: sandbox.delete("a.txt"))
    sandbox.close()
    sandbox = Sandbox(tmp_path, system=Unsure(number=errno.EINVAL))
    assert sandbox.write("a.txt", NEW) == len(NEW)
    sandbox.close()


def test_a_file_that_vanishes_from_a_listing_is_left_out(tmp_path: Path, sandbox: Sandbox) -> None:
    class Vanishing(Faulty):
        def fstat(self, fd: int) -> os.stat_result:
            return os.fstat(fd)

        def scandir(self, where: Any) -> Any:
            found = os.scandir(where)
            (sandbox.path / "a.txt").unlink(missing_ok=True)
            return found

    watched = Sandbox(sandbox.path, system=Vanishing())
    sandbox.write("a.txt", "x")
    sandbox.write("b.txt", "x")
    assert [entry.name for entry in watched.entries()] == ["b.txt"]
    watched.close()


def test_a_removed_folder_is_said_by_every_operation(sandbox: Sandbox) -> None:
    sandbox.path.rmdir()
    for operation in [
        lambda: sandbox.read("a.txt"),
        lambda: sandbox.write("a.txt", "x"),
        sandbox.names,
        sandbox.entries,
    ]:
        assert "folder of the files was removed" in refused(operation)


def test_a_folder_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    assert "cannot be used: the disk reported an error" in refused(lambda: Sandbox(tmp_path, system=Faulty(fails_at=1)))


def test_litter_is_removed_at_the_start_but_not_while_another_writes(tmp_path: Path) -> None:
    litter = tmp_path / ".mcp-0123456789abcdef.tmp"
    others = Sandbox(tmp_path)
    litter.write_text("half a te")
    (tmp_path / ".mcp-mine").touch()
    with others._folder.alone():
        Sandbox(tmp_path).close()
        assert litter.exists()
    Sandbox(tmp_path).close()
    assert os.listdir(tmp_path) == [".mcp-mine"]
    others.close()


# ---- 4. Many at once -----------------------------------------------------------------------------------------------


def together(*works: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_no_read_is_torn_by_two_writers(sandbox: Sandbox) -> None:
    texts = ["a" * 400_000, "b" * 300_000]
    sandbox.write("a.txt", texts[0])
    stop, seen = threading.Event(), set()

    def write(text: str) -> None:
        for _ in range(15):
            sandbox.write("a.txt", text)
        stop.set()

    def read() -> None:
        while not stop.is_set():
            seen.add(sandbox.read("a.txt"))

    together(lambda: write(texts[0]), lambda: write(texts[1]), read, read)
    assert seen <= set(texts)


def test_no_line_is_lost_between_threads_and_processes(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from playground.server.sandbox import Sandbox
        sandbox = Sandbox(sys.argv[1])
        for number in range(30):
            sandbox.append_line("a.txt", f"{sys.argv[2]} {number} " + "x" * 200)
    """
    others = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], cwd=ROOT) for name in ("p", "q")]
    sandbox = Sandbox(tmp_path)
    stop = threading.Event()

    def append(name: str) -> None:
        for number in range(30):
            sandbox.append_line("a.txt", f"{name} {number} " + "x" * 200)

    def read() -> None:
        while not stop.is_set():
            if "a.txt" in sandbox.names():
                assert sandbox.read("a.txt").endswith("x\n")

    def wait() -> None:
        together(lambda: append("s"), lambda: append("t"))
        assert [other.wait(30) for other in others] == [0, 0]
        stop.set()

    together(wait, read)
    lines = sandbox.read("a.txt").splitlines()
    assert len(lines) == 120
    for name in "pqst":
        assert [line.split()[1] for line in lines if line[0] == name] == [str(number) for number in range(30)]
    sandbox.close()


def test_a_killed_writer_leaves_the_file_whole(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from playground.server.sandbox import Sandbox
        sandbox = Sandbox(sys.argv[1])
        print("ready", flush=True)
        while True:
            sandbox.write("a.txt", "a" * 400_000)
            sandbox.write("a.txt", "b" * 300_000)
    """
    for round_ in range(5):
        command = [sys.executable, "-c", code, str(tmp_path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            sandbox = Sandbox(tmp_path)
            for _ in range(round_ * 20):
                sandbox.names()
            writer.kill()
        sandbox.close()
        sandbox = Sandbox(tmp_path)
        assert sandbox.names() in ([], ["a.txt"])
        assert set(os.listdir(tmp_path)) <= {"a.txt"}
        if sandbox.names():
            assert sandbox.read("a.txt") in ("a" * 400_000, "b" * 300_000)
        sandbox.close()


def test_an_adversary_that_swaps_links_and_renames_never_wins(tmp_path: Path) -> None:
    folder, canary = tmp_path / "files", tmp_path / "canary"
    canary.write_text("CANARY" * 10)
    sandbox = Sandbox(folder)
    stop = threading.Event()

    def swap() -> None:
        steps: list[Callable[[], None]] = [
            lambda: os.symlink(canary, folder / "a.txt"),
            lambda: os.rename(folder / "a.txt", folder / "b.txt"),
            lambda: os.link(canary, folder / "a.txt"),
            lambda: os.unlink(folder / "a.txt"),
            lambda: os.mkdir(folder / "a.txt"),
            lambda: os.rmdir(folder / "a.txt"),
            lambda: os.unlink(folder / "b.txt"),
            lambda: os.mkfifo(folder / "a.txt"),
            lambda: os.rename(folder / "a.txt", folder / "b.txt"),
        ]
        while not stop.is_set():
            for step in steps:
                try:
                    step()
                except OSError:
                    continue

    def play() -> None:
        try:
            for _ in range(150):
                for operation in everything(sandbox, "a.txt"):
                    assert "CANARY" not in outcome(operation)
        finally:
            stop.set()

    together(swap, play)
    assert canary.read_text() == "CANARY" * 10
    sandbox.close()
