"""Section C: the file tools and the wall around their folder, as a hostile model and a hostile disk try them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.oracles import Peer, eventually

Start = Callable[..., Any]
MIB = 1024 * 1024


def refused_everywhere(peer: Peer, name: str) -> list[str]:
    """The sentences with which every tool refuses a name."""
    return [
        peer.complaint("read_file", filename=name),
        peer.complaint("search_file", filename=name, keyword="a"),
        peer.complaint("write_file", filename=name, text="overwritten"),
        peer.complaint("append_line", filename=name, line="overwritten"),
        peer.complaint("delete_file", filename=name),
        str(peer.rpc("resources/read", {"uri": f"playground://files/{name}"})["error"]),
        str(peer.rpc("prompts/get", {"name": "review_file", "arguments": {"filename": name}})["error"]),
    ]


def quickly(peer: Peer, name: str, **arguments: Any) -> dict[str, Any]:
    began, worked = time.monotonic(), peer.cpu()
    result = peer.tool(name, **arguments)
    assert min(time.monotonic() - began, peer.cpu() - worked) < 1
    return result


# ---- C01, C02, C03: ways out -----------------------------------------------------------------------------------------

OUT = [
    "../mcp_files_evil/secret.txt", "./../mcp_files_evil/secret.txt", "{parent}/mcp_files_evil/secret.txt",
    "{parent}/mcp_files/../mcp_files_evil/secret.txt", "{parent}/mcp_files", "{parent}/mcp_files/", "/etc/hostname",
    "a/../../mcp_files_evil/secret.txt", "../x", "..", ".", "../", "./", "/", "//", "", " ", "..\\x", "C:\\x", "C:x",
    "\\\\server\\share\\x", "\\\\?\\C:\\x", "//etc/hostname", "....//x", "....//....//etc/passwd", "..;/x", "..%2fx/",
    "./ok.txt", "sub/ok.txt", "sub\\ok.txt", "ok.txt/", "ok.txt/.", "/dev/stdin", "/proc/self/environ", "~/x",
    "~root/x",
    "file:///etc/hostname", "http://127.0.0.1/x", "\u2215etc\u2215hostname/", "\uff0e\uff0e/x", "..\u2044x", "%2e%2e/x",
    "..\x00/x", "\n../x", "../x\n", ".. /x", ". ./x", "...", ".hidden", ".mcp-0123456789abcdef.tmp", "$HOME/x", "a//b",
]  # fmt: skip


@pytest.mark.parametrize("name", OUT, ids=ascii)
def test_c01_c03_no_name_leads_out(server: Peer, name: str) -> None:
    outside = sorted(str(path) for path in server.folder.rglob("*") if "logs" not in path.parts)
    name = name.format(parent=server.folder) if "{parent}" in name else name
    if name != "..\u2044x":  # a character that only looks like a slash is a plain name
        refused_everywhere(server, name)
        assert outside == sorted(str(path) for path in server.folder.rglob("*") if "logs" not in path.parts)


LITERAL = ["%2e%2e", "~", "%2e%2e%2fx", "~root", "$HOME", "`x`", "-rf", "--help", "a b", "a'b", "a;b", "&amp;", "naïve",
           "日本語.txt", "🙂.md", "\u2215etc", "\uff0e\uff0e", "..\u2044x"[2:], "a" * 255, "é" * 127, "README",
           "x.tar.gz"]  # fmt: skip


@pytest.mark.parametrize("name", LITERAL, ids=ascii)
def test_c03_a_name_is_taken_as_it_stands_and_never_decoded(server: Peer, name: str) -> None:
    server.value("write_file", filename=name, text=name)
    try:
        assert os.fsencode(server.files / name) in [os.fsencode(p) for p in server.files.iterdir()]
        assert server.value("read_file", filename=name) == {"content": name}
        assert name in server.value("list_files")["files"]
        assert server.value("append_line", filename=name, line="x")["length"] > len(name)
    finally:
        assert server.value("delete_file", filename=name) == {"deleted": True}


@pytest.fixture
def links(server: Peer) -> Iterator[dict[str, Path]]:
    """Links of all kinds in the sandbox, and where each leads."""
    inside = server.files / "inside.txt"
    inside.write_text("inside", encoding="utf-8")
    outer = server.folder / "outer.txt"
    targets = {
        "link": server.canary.path,
        "system": Path("/etc/hostname"),
        "relative": Path("../mcp_files_evil/secret.txt"),
        "dangling": server.folder / "not-yet-there.txt",
        "folder": server.canary.path.parent,
        "itself": Path("itself"),
        "within": Path("inside.txt"),
        "chain": Path("link"),
        "up": Path(".."),
        "process": Path("/proc/self/environ"),
        "descriptor": Path("/dev/fd/0"),
        "zero": Path("/dev/zero"),
    }
    for name, target in targets.items():
        (server.files / name).symlink_to(target)
    yield targets
    for name in targets:
        (server.files / name).unlink()
    inside.unlink()
    assert not outer.exists()
    assert not targets["dangling"].exists()


def test_c02_no_link_is_followed(server: Peer, links: dict[str, Path]) -> None:
    for name in links:
        for sentence in refused_everywhere(server, name):
            assert "not a regular file" in sentence, (name, sentence)
        assert (server.files / name).is_symlink()
    refused_everywhere(server, "folder/secret.txt")
    listed = server.rpc("resources/list")
    assert "secret" not in str(listed)
    assert server.value("search_all", keyword=server.canary.text[:12])["total"] == 0


def test_c02_a_hard_link_is_neither_read_nor_written_through(server: Peer) -> None:
    os.link(server.canary.path, server.files / "hard.txt")
    try:
        assert "hard link" in server.complaint("read_file", filename="hard.txt")
        assert "hard link" in server.complaint("search_file", filename="hard.txt", keyword="a")
        assert "hard link" in server.complaint("append_line", filename="hard.txt", line="a")
        assert server.value("search_all", keyword=server.canary.text[:12])["total"] == 0
        server.tool("write_file", filename="hard.txt", text="new")  # a new file takes the name
        server.canary.check()
    finally:
        (server.files / "hard.txt").unlink()
        os.utime(server.canary.path, ns=(server.canary.path.stat().st_atime_ns, server.canary.path.stat().st_mtime_ns))


def swap(peer: Peer, turns: int) -> tuple[int, set[str]]:
    """Calls while somebody swaps a file and a link that leads out; how many got the file, and what else was said."""
    plain, link, spare = peer.files / "swap.txt", peer.files / "a-link", peer.files / "a-file"
    over = threading.Event()

    def adversary() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError):
                spare.write_text("honest", encoding="utf-8")
                os.replace(spare, plain)
                link.symlink_to(peer.canary.path)
                os.replace(link, plain)

    thread = threading.Thread(target=adversary)
    thread.start()
    good, said = 0, set()
    try:
        for turn in range(turns):
            name, more = [
                ("read_file", {}), ("search_file", {"keyword": "e"}), ("append_line", {"line": "more"}),
                ("write_file", {"text": "honest"}),
            ][turn % 4]  # fmt: skip
            result = peer.tool(name, filename="swap.txt", **more)
            text = result["content"][0]["text"]
            assert not peer.canary.is_in(text.encode())
            good += not result["isError"]
            said |= {text} if result["isError"] else set()
    finally:
        over.set()
        thread.join()
        for path in (plain, link, spare):
            path.unlink(missing_ok=True)
    return good, said


def test_c02_whoever_swaps_a_link_in_never_wins(server: Peer) -> None:
    good, said = swap(server, 100)
    assert good
    assert all("regular file" in text or "no file named" in text for text in said), said


@pytest.mark.hard
def test_c02_whoever_swaps_a_link_in_never_wins_in_many_calls(server: Peer) -> None:
    good, _ = swap(server, 3000)
    print(f"{good} of 3,000 calls met the file, none the canary")


# ---- C07: what is no file --------------------------------------------------------------------------------------------


@pytest.fixture(params=["fifo", "socket", "folder", "device"])
def thing(server: Peer, request: pytest.FixtureRequest) -> Iterator[str]:
    path, kind = server.files / "thing", request.param
    bound = socket.socket(socket.AF_UNIX)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.open(server.files, os.O_RDONLY)
        bound.bind(f"/proc/self/fd/{here}/thing")  # the path itself may be too long
        os.close(here)
    elif kind == "folder":
        path.mkdir()
        (path / "below.txt").write_text("below", encoding="utf-8")
    else:
        try:
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero: reading it never ends
        except PermissionError:
            os.mkfifo(path)  # only an administrator makes devices
    yield kind
    bound.close()
    shutil.rmtree(path) if kind == "folder" else path.unlink()


def test_c07_what_is_no_file_is_refused_at_once_and_stays(server: Peer, thing: str) -> None:
    for name, more in (
        ("read_file", {}),
        ("search_file", {"keyword": "a"}),
        ("write_file", {"text": "a"}),
        ("append_line", {"line": "a"}),
        ("delete_file", {}),
    ):
        result = quickly(server, name, filename="thing", **more)
        assert result["isError"]
        assert "not a regular file" in result["content"][0]["text"]
    assert "thing" not in quickly(server, "list_files")["structuredContent"]["files"]
    assert not quickly(server, "search_all", keyword="below")["structuredContent"]["total"]
    assert (server.files / "thing").exists()


# ---- C09, C10, C22: names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\x00b", "\x00", "a\x00", "a.txt\x00.png", "\x00../x", "\x01", "a\nb", "a\rb",
    "\x1b[2J", "\x7f",
                                  "a\x85b", "a\u2028b", "\u202etxt.exe", "\u200fa", "\x9b2J"], ids=ascii)  # fmt: skip
def test_c09_a_control_character_is_not_allowed_in_a_name(server: Peer, name: str) -> None:
    for sentence in refused_everywhere(server, name):
        # A URI that holds a slash leads to no file in the first place.
        assert "not allowed" in sentence or "no resource" in sentence
        assert sentence.isprintable()


@pytest.mark.parametrize(
    "name", ["a" * 256, "a" * 300, "a" * 5000, "é" * 128, "🙂" * 64, "a/" * 200, "a" * 1_000_000], ids=len
)
def test_c10_a_name_that_is_too_long_is_refused_in_a_short_sentence(server: Peer, name: str) -> None:
    for sentence in refused_everywhere(server, name):
        assert len(sentence) < 400 or "'data'" in sentence


DEVICES = ["CON", "con", "nul.txt", "NUL", "com1", "com1 ", "COM9.log", "lpt1.tar.gz", "a.txt:stream", "a.", "a ", " a",
           "aux/b", "AUX.", "prn.", "CONIN$", "conout$", "com\u00b9", "a<b", "a>b",
           'a"b', "a|b", "a?b", "a*b", "::$DATA",
           "a.txt::$DATA", "nul .txt", "CLOCK$"]  # fmt: skip


@pytest.mark.parametrize("name", DEVICES, ids=ascii)
def test_c22_what_windows_reserves_is_refused_everywhere(server: Peer, name: str) -> None:
    refused_everywhere(server, name)


@pytest.mark.parametrize(
    "name", ["console", "com0x", "com10", "null", "auxiliary.txt", "a.b.c", "lpt", "con-1", "icon"]
)
def test_c22_what_only_looks_reserved_is_a_plain_name(server: Peer, name: str) -> None:
    server.value("write_file", filename=name, text="x")
    assert server.value("delete_file", filename=name) == {"deleted": True}


def test_c22_two_names_that_look_alike_are_never_one_file(server: Peer) -> None:
    composed, decomposed = "caf\u00e9.txt", unicodedata.normalize("NFD", "caf\u00e9.txt")
    server.value("write_file", filename=composed, text="composed")
    refused_everywhere(server, decomposed)
    (server.files / decomposed).write_text("by hand", encoding="utf-8")
    assert decomposed not in server.value("list_files")["files"]
    server.value("write_file", filename="Twin.txt", text="upper")
    server.tool("write_file", filename="twin.txt", text="lower")
    names = {path.name for path in server.files.iterdir()}
    texts = {server.value("read_file", filename=name)["content"] for name in ("Twin.txt", "twin.txt") if name in names}
    assert texts == ({"upper", "lower"} if {"Twin.txt", "twin.txt"} <= names else {"lower"})
    for name in (composed, decomposed, "Twin.txt", "twin.txt"):
        (server.files / name).unlink(missing_ok=True)


def test_c22_names_on_the_disk_that_no_tool_takes_disturb_no_list(server: Peer) -> None:
    strange = [b"\xff\xfe.txt", b"a\nb", b"con", b".hidden", b"a:b", b" x", b"\xed\xa0\x80", b"\x1b[2J", b"-"]
    for name in strange:
        (Path(os.fsdecode(os.fsencode(server.files) + b"/" + name))).write_text("x", encoding="utf-8")
    listed = server.value("list_files")["files"]
    assert listed == ["-"]
    assert len(server.rpc("resources/list")["result"]["resources"]) == 1
    assert server.value("search_all", keyword="x")["total"] == 1
    completed = {"ref": {"type": "ref/prompt", "name": "review_file"}, "argument": {"name": "filename", "value": ""}}
    assert server.rpc("completion/complete", completed)["result"]["completion"]["values"] == ["-"]
    for name in strange:
        os.unlink(os.fsencode(server.files) + b"/" + name)


# ---- C12: whole or not at all ----------------------------------------------------------------------------------------


def torn_reads(peer: Peer, seconds: float) -> tuple[int, int]:
    """Two writers alternate two texts, two readers read: reads, and those that were neither text."""
    texts = ["a" * 400_000, "b" * 400_000]
    peer.value("write_file", filename="torn.txt", text=texts[0])
    deadline = time.monotonic() + seconds
    reads: list[bool] = []
    failures: list[BaseException] = []

    def guarded(work: Callable[[int], None], number: int) -> None:
        turn = number
        try:
            while time.monotonic() < deadline:
                work(turn)
                turn += 1
        except BaseException as failure:
            failures.append(failure)

    def write(turn: int) -> None:
        peer.value("write_file", filename="torn.txt", text=texts[turn % 2])

    def read(turn: int) -> None:
        reads.append(peer.value("read_file", filename="torn.txt")["content"] in texts)

    threads = [threading.Thread(target=guarded, args=pair) for pair in ((write, 0), (write, 1), (read, 0), (read, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert peer.value("list_files")["files"] == ["torn.txt"]
    (peer.files / "torn.txt").unlink()
    return len(reads), reads.count(False)


def test_c12_a_reader_sees_one_text_or_the_other(server: Peer) -> None:
    reads, torn = torn_reads(server, 1)
    assert reads > 5
    assert torn == 0


@pytest.mark.hard
def test_c12_a_reader_sees_one_text_or_the_other_for_ten_seconds(server: Peer) -> None:
    reads, torn = torn_reads(server, 10)
    print(f"{torn} of {reads} reads were torn")
    assert torn == 0


def killed_in_mid_write(start: Start, folder: Path, times: int) -> int:
    """Kills the server while it writes, and starts it again: each time the file is one of the texts. Calls answered."""
    from tests.cases.conftest import serve

    texts, answered = ["a" * 400_000, "b" * 400_000], 0
    peer = serve(start, folder)
    chance = random.Random(times)
    for _ in range(times):
        peer.value("write_file", filename="torn.txt", text=texts[0])
        # Some come before the text has all arrived, some while it is written, some between two writes.
        timer = threading.Timer(chance.uniform(0.0005, 0.1), os.kill, (peer.running.pid, signal.SIGKILL))
        timer.start()
        turn = 0
        try:
            while True:
                turn += 1
                peer.value("write_file", filename="torn.txt", text=texts[turn % 2])
                answered += 1
        except (OSError, __import__("http.client").client.HTTPException):
            timer.join()
        assert peer.running.wait() == -signal.SIGKILL
        assert (peer.files / "torn.txt").read_text(encoding="utf-8") in texts
        logged = peer.log.read_bytes().split(b"\n")
        running = start("server.py", "--port", 0, "--files", peer.files, "--logs", peer.logs)
        peer = Peer(running, peer.folder, peer.canary)
        assert peer.value("list_files")["files"] == ["torn.txt"]
        assert [path.name for path in peer.files.iterdir()] == ["torn.txt"], "the next start removes what was left"
        now = peer.log.read_bytes().split(b"\n")
        assert now[: len(logged) - 1] == logged[:-1]
    lines = peer.log.read_bytes().split(b"\n")
    torn = [line for line in lines if line and not line.endswith(b"}")]
    assert len(torn) <= times
    acknowledged = sum(b'"rpc_response"' in line and b"Wrote 400000 bytes" in line for line in lines)
    assert acknowledged >= answered + times
    return answered


def test_c12_a_kill_in_mid_write_leaves_a_whole_file(start: Start, tmp_path: Path) -> None:
    killed_in_mid_write(start, tmp_path / "killed", 2)


@pytest.mark.hard
def test_c12_forty_kills_leave_a_whole_file_each_time(start: Start, tmp_path: Path) -> None:
    answered = killed_in_mid_write(start, tmp_path / "killed", 40)
    print(f"40 kills: 0 torn, {answered} acknowledged writes, all in the log")


# ---- C15: two writers ------------------------------------------------------------------------------------------------


def test_c15_the_last_writer_wins_and_the_tool_says_so(server: Peer) -> None:
    server.value("write_file", filename="lost.txt", text="old")
    mine = server.value("read_file", filename="lost.txt")["content"]
    server.value("write_file", filename="lost.txt", text="theirs, longer")
    server.value("write_file", filename="lost.txt", text=mine)
    assert (server.files / "lost.txt").read_bytes() == b"old"
    tools = {tool["name"]: tool for tool in server.rpc("tools/list")["result"]["tools"]}
    assert "last writer wins" in tools["write_file"]["description"]


def test_c15_no_appended_line_is_lost_to_another(server: Peer) -> None:
    def append(who: int) -> None:
        for n in range(20):
            server.value("append_line", filename="lines.txt", line=f"{who}-{n}")

    threads = [threading.Thread(target=append, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (server.files / "lines.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"{who}-{n}" for who in range(4) for n in range(20))
    (server.files / "lines.txt").unlink()
    (server.files / "lost.txt").unlink(missing_ok=True)


# ---- C16, C17, C18: bytes --------------------------------------------------------------------------------------------

TEXTS = ["", "\n", "\r", "a\r\nb\rc\n", "\r\r\n\n", "naïve € 🙂", "\x00\x01\x1a\x7f", "\ufeffmark",
    "a\u2028b\u2029c\x85d\x0b\x0c",
         "no end", "\ufffe\uffff", "\U0010ffff", " \t ", "\x1b[2J\x1b]0;x\x07", "e\u0301 \u00e9", "'\"\\`${x}<!--",
         "\x1a"]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_c16_bytes_on_the_disk_are_the_text_and_no_others(server: Peer, text: str) -> None:
    server.value("write_file", filename="bytes.txt", text=text)
    assert (server.files / "bytes.txt").read_bytes() == text.encode()
    assert server.value("read_file", filename="bytes.txt") == {"content": text}
    (server.files / "bytes.txt").write_bytes(text.encode())
    assert server.value("read_file", filename="bytes.txt") == {"content": text}
    (read,) = server.rpc("resources/read", {"uri": "playground://files/bytes.txt"})["result"]["contents"]
    assert read["text"] == text
    (server.files / "bytes.txt").unlink()


@pytest.mark.parametrize("line", ["a\nb", "a\r\nb", "\r", "\n"])
def test_c16_a_line_to_append_is_one_line(server: Peer, line: str) -> None:
    before = sorted(server.files.iterdir())
    assert "line break" in server.complaint("append_line", filename="appended.txt", line=line)
    assert sorted(server.files.iterdir()) == before


@pytest.mark.parametrize("settings", [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "POSIX", "LANG": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
])  # fmt: skip
def test_c17_no_locale_changes_anything(start: Start, tmp_path: Path, settings: dict[str, str]) -> None:
    from tests.cases.conftest import serve

    def start_so(*arguments: Any) -> Any:
        return start(*arguments, **settings)

    peer = serve(start_so, tmp_path / "naïve €")
    peer.value("write_file", filename="naïve €.txt", text="naïve € 🙂")
    assert peer.value("read_file", filename="naïve €.txt") == {"content": "naïve € 🙂"}
    assert peer.value("search_file", filename="naïve €.txt", keyword="€") == {"count": 1}
    assert peer.value("list_files") == {"files": ["naïve €.txt"]}
    (path,) = os.listdir(os.fsencode(peer.files))
    assert path == "naïve €.txt".encode()
    assert (peer.files / "naïve €.txt").read_bytes() == "naïve € 🙂".encode()
    peer.check()


BINARY = {
    "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "latin.txt": "naïve".encode("latin-1"),
    "wide.txt": "wide".encode("utf-16"),
    "surrogate.txt": b"\xed\xa0\x80",
    "overlong.txt": b"\xc0\xaf",
    "cut.txt": "€".encode()[:2],
    "beyond.txt": b"\xf4\x90\x80\x80",
}


def test_c18_what_is_no_text_is_refused_in_plain_words(server: Peer) -> None:
    for name, data in BINARY.items():
        (server.files / name).write_bytes(data)
        for tool, more in (("read_file", {}), ("search_file", {"keyword": "a"}), ("append_line", {"line": "a"})):
            assert "not UTF-8 text" in server.complaint(tool, filename=name, **more)
        assert (server.files / name).read_bytes() == data
        (read,) = server.rpc("resources/read", {"uri": f"playground://files/{name}"})["result"]["contents"]
        assert "blob" in read
    assert set(BINARY) <= set(server.value("list_files")["files"])
    assert server.value("search_all", keyword="IHDR")["total"] == 0
    for name in BINARY:
        assert server.value("delete_file", filename=name) == {"deleted": True}


# ---- C26, C28, C30: sizes and counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [MIB + 1, 200 * MIB, 20 * 1024 * MIB])
def test_c26_a_huge_file_is_too_large_at_once(server: Peer, size: int) -> None:
    with (server.files / "huge.txt").open("wb") as file:
        try:
            file.truncate(size)
        except OSError:
            file.truncate(2 * 1024 * MIB)
    server.forget_memory_peak()
    before = server.memory()
    for name, more in (("read_file", {}), ("search_file", {"keyword": "a"}), ("append_line", {"line": "a"})):
        result = quickly(server, name, filename="huge.txt", **more)
        assert "too large" in result["content"][0]["text"]
        assert str(MIB) in result["content"][0]["text"]
    assert "huge.txt" in server.value("list_files")["files"]
    assert any(r.get("size", 0) > MIB for r in server.rpc("resources/list")["result"]["resources"])
    assert not quickly(server, "search_all", keyword="a")["isError"]
    assert server.memory("VmHWM") - before <= 32 * MIB
    assert server.value("delete_file", filename="huge.txt") == {"deleted": True}


def test_c26_a_text_of_exactly_the_limit_is_written_and_one_byte_more_is_not(server: Peer) -> None:
    server.value("write_file", filename="limit.txt", text="x" * MIB)
    assert len(server.value("read_file", filename="limit.txt")["content"]) == MIB
    for name, more in (("write_file", {"text": "x" * (MIB + 1)}), ("append_line", {"line": ""})):
        assert "too large" in server.complaint(name, filename="limit.txt", **more)
    assert "too large" in server.complaint("write_file", filename="limit.txt", text="€" * (MIB // 3 + 1))
    assert (server.files / "limit.txt").stat().st_size == MIB
    (server.files / "limit.txt").unlink()


def test_c26_many_files_are_listed(server: Peer) -> None:
    names = [f"many-{n:04}.txt" for n in range(2000)]
    for name in names:
        (server.files / name).write_bytes(b"x")
    assert quickly(server, "list_files")["structuredContent"]["files"] == names
    first = server.rpc("resources/list")["result"]
    second = server.rpc("resources/list", {"cursor": first["nextCursor"]})["result"]
    assert [entry["name"] for page in (first, second) for entry in page["resources"]] == names[:200]
    assert server.value("search_all", keyword="x")["total"] == 2000
    for name in names:
        (server.files / name).unlink()


COUNTS = [
    ("TODO TODO\nTODO", "TODO", 3), ("aaaa", "aa", 2), ("aaaaa", "aa", 2), ("a\nb\na\nb", "a\nb", 2),
    ("todo Todo TODO", "TODO", 1),
    ("", "a", 0), ("a.c abc", "a.c", 1), ("x\r\ny\r\n", "\r\n", 2), ("naïve naïve", "ï", 2), ("e\u0301", "\u00e9",
    0), ("ababab", "abab", 1),
    ("(a)(a)", "(a)", 2), ("\x00\x00", "\x00", 2), ("\ufeffa", "\ufeff", 1), ("ß SS", "ss", 0), ("a" * 1000,
    "a" * 1001, 0), ("  ", " ", 2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "keyword", "count"), COUNTS, ids=ascii)
def test_c28_occurrences_are_counted(server: Peer, text: str, keyword: str, count: int) -> None:
    server.value("write_file", filename="count.txt", text=text)
    assert server.value("search_file", filename="count.txt", keyword=keyword) == {"count": count}
    assert server.value("delete_file", filename="count.txt") == {"deleted": True}


def test_c28_the_rule_is_stated_and_an_empty_keyword_is_none(server: Peer) -> None:
    tools = {tool["name"]: tool for tool in server.rpc("tools/list")["result"]["tools"]}
    for word in ("don't overlap", "case-sensitive", "line ends"):
        assert word in tools["search_file"]["description"]
    server.value("write_file", filename="count.txt", text="x")
    assert "empty" in server.complaint("search_file", filename="count.txt", keyword="")
    assert "empty" in server.complaint("search_all", keyword="")
    (server.files / "count.txt").unlink()


@pytest.mark.parametrize("text", ["héé€", "", "🙂", "\r\n", "e\u0301", "x" * 4096 + "€"], ids=ascii)
def test_c30_bytes_are_counted_in_bytes(server: Peer, text: str) -> None:
    message = server.value("write_file", filename="héé.txt", text=text)["message"]
    size = (server.files / "héé.txt").stat().st_size
    assert size == len(text.encode())
    assert message == f"Wrote {size} bytes to héé.txt"
    length = server.value("append_line", filename="héé.txt", line="é")["length"]
    assert length == (server.files / "héé.txt").stat().st_size
    (server.files / "héé.txt").unlink()


# ---- What happens to the folder itself -------------------------------------------------------------------------------


def test_c_a_read_only_file_stays_as_it_is(server: Peer) -> None:
    path = server.files / "fixed.txt"
    path.write_text("fixed", encoding="utf-8")
    path.chmod(0o444)
    assert "read-only" in server.complaint("write_file", filename="fixed.txt", text="new")
    assert "read-only" in server.complaint("append_line", filename="fixed.txt", line="new")
    assert path.read_text(encoding="utf-8") == "fixed"
    path.unlink()


def test_c_permissions_of_a_file_stay(server: Peer) -> None:
    path = server.files / "mode.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    server.value("write_file", filename="mode.txt", text="new")
    assert path.stat().st_mode & 0o7777 == 0o640
    path.unlink()


def test_c_a_folder_that_is_removed_is_told_about_and_nothing_is_made_elsewhere(own_server: Peer) -> None:
    peer = own_server
    peer.value("write_file", filename="a.txt", text="x")
    shutil.rmtree(peer.files)
    for name, arguments in (
        ("list_files", {}),
        ("read_file", {"filename": "a.txt"}),
        ("write_file", {"filename": "a.txt", "text": "x"}),
        ("append_line", {"filename": "a.txt", "line": "x"}),
        ("search_all", {"keyword": "x"}),
    ):
        assert "removed" in peer.complaint(name, **arguments)
    answer = peer.send("POST", "/rpc", b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
                       {"Content-Type": "application/json"})  # fmt: skip
    assert "removed" in answer.error["message"]
    peer.files.mkdir()
    (peer.files / "foreign.txt").write_text("x", encoding="utf-8")
    assert "removed" in peer.complaint("list_files")
    assert not [r for r in peer.new_records() if r["event"] == "server_fault"]
    assert "Traceback" not in peer.running.text


def test_c_a_folder_that_is_renamed_is_still_the_same_folder(own_server: Peer) -> None:
    peer = own_server
    peer.files.rename(peer.folder / "renamed")
    peer.files.symlink_to(peer.canary.path.parent)
    assert peer.value("list_files") == {"files": []}
    peer.value("write_file", filename="secret.txt", text="x")
    assert (peer.folder / "renamed" / "secret.txt").read_bytes() == b"x"
    peer.check()


def test_c_a_full_disk_is_told_and_the_old_file_stays(start: Start, tmp_path: Path) -> None:
    small = tmp_path / "small"
    (small / "mcp_files").mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(small / "mcp_files")], capture_output=True
    )
    try:
        peer = Peer(
            start("server.py", "--port", 0, "--files", small / "mcp_files", "--logs", tmp_path / "logs"),
            tmp_path, __import__("tests.cases.oracles", fromlist=["Canary"]).Canary(tmp_path / "c"),
        )  # fmt: skip
        peer.value("write_file", filename="a.txt", text="old")
        if mounted.returncode == 0:  # an administrator's right, and not everywhere
            assert "disk is full" in peer.complaint("write_file", filename="a.txt", text="x" * 500_000)
            assert "disk is full" in peer.complaint("write_file", filename="b.txt", text="x" * 500_000)
        assert peer.value("read_file", filename="a.txt") == {"content": "old"}
        assert peer.value("list_files") == {"files": ["a.txt"]}
        assert [path.name for path in (small / "mcp_files").iterdir()] == ["a.txt"]
        peer.value("write_file", filename="a.txt", text="new")
        peer.check_alive()
        peer.running.stop()
    finally:
        if mounted.returncode == 0:
            eventually(lambda: subprocess.run(["umount", str(small / "mcp_files")]).returncode == 0, "unmounted")
