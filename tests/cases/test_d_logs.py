"""Section D: logs, the viewer that follows them, and its stream, as hostile writers and readers try them.

What needs a browser (D01, D16, D20, D25) is in tests/browser; here is what HTTP shows of it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cases.oracles import PATIENCE, Canary, Peer, eventually, strict

ROOT = Path(__file__).resolve().parent.parent.parent
HEARTBEAT = 0.1
Start = Callable[..., Any]
Envelope = dict[str, Any]


class Stream:
    """An event stream, read by the rules of WHATWG HTML 9.2 and by the tests' own code."""

    def __init__(self, port: int, query: str = "", headers: dict[str, str] | None = None) -> None:
        self.began = time.monotonic()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request("GET", f"/stream{query}", headers=headers or {})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.text = ""
        self.first_byte = 0.0
        self.events: list[tuple[str, str, str]] = []  # kind, data, id
        self.envelopes: list[Envelope] = []
        self.notices: list[str] = []
        self._buffer, self._id = "", ""
        self._data: list[str] = []
        self._kind = ""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.answer.close()
        self.connection.close()

    def until(self, is_enough: Callable[[], Any], seconds: float = PATIENCE) -> Stream:
        deadline = time.monotonic() + seconds
        while not is_enough():
            assert time.monotonic() < deadline, f"not within {seconds} s: {self.text[-1500:]}"
            piece = self.answer.read1(1 << 20)
            assert piece, f"the stream ended: {self.text[-500:]}"
            self.first_byte = self.first_byte or time.monotonic() - self.began
            self._take(piece.decode("utf-8"))
        return self

    def _take(self, text: str) -> None:
        self.text += text
        self._buffer += text
        *lines, self._buffer = re.split("\r\n|\r|\n", self._buffer)
        for line in lines:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                if self._data:
                    self._dispatch(self._kind or "message", "\n".join(self._data))
                self._data, self._kind = [], ""
            elif name == "data":
                self._data.append(value)
            elif name == "event":
                self._kind = value
            elif name == "id":
                self._id = value
            else:
                assert name in ("", "retry"), line

    def _dispatch(self, kind: str, data: str) -> None:
        self.events.append((kind, data, self._id))
        if kind == "message":
            self.envelopes.append(strict(data))
        elif kind == "notice":
            self.notices.append(strict(data)["kind"])

    @property
    def numbers(self) -> list[Any]:
        return [envelope["record"].get("n") if "record" in envelope else None for envelope in self.envelopes]

    def live(self) -> Stream:
        return self.until(lambda: "live" in self.notices)

    def records(self, count: int, seconds: float = PATIENCE) -> list[Envelope]:
        self.until(lambda: len(self.envelopes) >= count, seconds)
        return self.envelopes

    def has_come(self, *numbers: int) -> Stream:
        """Waits for these records and then for a sign of life, so that nothing else is on its way."""
        self.until(lambda: len(self.envelopes) >= len(numbers))
        beats = self.text.count(": heartbeat")
        self.until(lambda: self.text.count(": heartbeat") > beats + 1)
        assert self.numbers == list(numbers)
        return self


class Viewer(Peer):
    """A viewer and the logs that it follows."""

    def stream(self, query: str = "", headers: dict[str, str] | None = None) -> Stream:
        return Stream(self.port, query, headers)

    def get(self, path: str) -> Any:
        return self.send("GET", path)

    def resources(self) -> tuple[int, int]:
        """Without one descriptor per log, which stays for a minute when the log is gone: someone may still write."""
        threads, descriptors = super().resources()
        for link in Path(f"/proc/{self.running.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                descriptors -= os.readlink(link).startswith(str(self.logs))
        return threads, descriptors

    def check_alive(self) -> None:
        assert self.send("GET", "/files").is_soon

    def check(self) -> None:
        self.check_alive()
        self.canary.check()
        self.check_resources()
        assert "Traceback" not in self.running.text, self.running.text


def watch(start: Start, folder: Path, *arguments: Any) -> Viewer:
    canary = Canary(folder / "outside")
    (folder / "logs").mkdir(exist_ok=True)
    running = start("log_viewer.py", "--port", 0, "--logs", folder / "logs", "--heartbeat", HEARTBEAT, *arguments)
    return Viewer(running, folder, canary)


@pytest.fixture(scope="module")
def shared_viewer(start_module: Start, tmp_path_factory: pytest.TempPathFactory) -> Viewer:
    return watch(start_module, tmp_path_factory.mktemp("viewer"))


@pytest.fixture
def viewer(shared_viewer: Viewer) -> Iterator[Viewer]:
    yield shared_viewer
    shared_viewer.check()


@pytest.fixture
def log(viewer: Viewer) -> Iterator[Path]:
    """A log of its own for each case; the others are not asked for."""
    path = viewer.logs / f"case-{secrets.token_hex(6)}.jsonl"
    yield path
    for file in viewer.logs.glob(f"{path.name}*"):
        file.unlink()


def record(number: int, size: int = 0) -> bytes:
    pad = f',"pad":"{"x" * size}"' if size else ""
    return f'{{"ts":"2026-11-29T21:{number // 60 % 60:02}:{number % 60:02}.000000+00:00","n":{number}{pad}}}\n'.encode()


def append(path: Path, *pieces: int | bytes) -> None:
    with path.open("ab", buffering=0) as file:
        for piece in pieces:
            file.write(record(piece) if isinstance(piece, int) else piece)


# ---- D01, D02, D25: what is shown, and what never --------------------------------------------------------------------

MARKUP = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>', "' onmouseover='x",
          "javascript:alert(1)", "{{7*7}}", "${7*7}", "<!--", "]]>", "\x00<b>", "&lt;b&gt;",
          "<iframe src=//evil.example>"]  # fmt: skip


class Scripts(HTMLParser):
    """Finds what a page would run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in ("script", "iframe", "object", "embed", "base", "form", "link", "style"):
            source = named.get("src") or named.get("href")
            if source is None or source.startswith(("http", "//", "data", "javascript")):
                self.found.append(f"{tag} {source}")
        for name, value in named.items():
            if name.startswith("on") or (value or "").strip().lower().startswith(
                ("javascript:", "data:text", "vbscript:")
            ):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("text", MARKUP, ids=ascii)
def test_d01_markup_in_a_query_is_never_repeated_as_markup(viewer: Viewer, text: str) -> None:
    for path in ("/", "/dashboard", "/filter?q=", "/stream?files=", "/history?files=", "/history?before=",
    "/nothing/", "/web/",
                 "/raw/", "/readme?x=", "/stream?filter=(", "/docs/", "/stream?history="):  # fmt: skip
        answer = viewer.get(path + quote(text, safe="")) if path != "/" else viewer.get("/?" + quote(text))
        if "text/html" in answer.headers["content-type"]:
            assert text not in answer.body.decode()
            assert Scripts(answer.body.decode()).found == []


def test_d01_every_answer_forbids_what_a_page_should_not_do(viewer: Viewer) -> None:
    for path in (
        "/",
        "/dashboard",
        "/readme",
        "/raw/README.md",
        "/files",
        "/history",
        "/nothing",
        "/web/app.js",
        "/filter?q=(",
    ):
        answer = viewer.get(path)
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert re.search(r"(default|script)-src '(self|none)'(;|$| )", policy)
        assert answer.headers["x-content-type-options"] == "nosniff"
        if "text/html" in answer.headers["content-type"]:
            assert Scripts(answer.body.decode()).found == []


def test_d01_markup_in_records_and_names_travels_as_data(viewer: Viewer, log: Path) -> None:
    hostile = {text: {text: [text]} for text in MARKUP}
    append(log, json.dumps(hostile).encode() + b"\n", *(f"{text}\n".encode() for text in MARKUP))
    named = viewer.logs / "<img src=x onerror=alert(1)>.jsonl"
    append(named, 1)
    try:
        with viewer.stream(f"?files={log.name}") as stream:
            first, *others = stream.records(1 + len(MARKUP))
            assert first["record"] == hostile
            assert [other["raw"] for other in others] == MARKUP
        eventually(lambda: named.name in {f["name"] for f in viewer.get("/files").json["files"]}, "it is listed")
        with viewer.stream(f"?files={quote(named.name)}") as stream:
            assert stream.records(1)[0]["file"] == named.name
    finally:
        named.unlink()


OUTSIDE = [
    "../outside/secret.txt", "../outside/secret.jsonl", "/etc/hostname", "..%2Foutside%2Fsecret.txt",
    "..%5Coutside%5Csecret.txt",
    "%2e%2e%2foutside%2fsecret.txt", "%252e%252e%252foutside%252fsecret.txt", "....//outside/secret.txt",
    "a/../../outside/secret.txt",
    "{folder}/outside/secret.txt", "link.jsonl", "link-to-folder.jsonl", "hop.jsonl/secret.txt", "fifo.jsonl",
    "folder.jsonl",
    "a%00.jsonl", ".jsonl", "..", ".", "/", "%00", "*.jsonl", "secret.txt", "file:///etc/hostname",
    "..%c0%afsecret.jsonl", "%ff.jsonl",
]  # fmt: skip


def test_d02_no_file_outside_is_ever_sent(viewer: Viewer) -> None:
    (viewer.folder / "outside" / "secret.jsonl").write_text(f'{{"n":"{viewer.canary.text}"}}\n', encoding="utf-8")
    things = [viewer.logs / name for name in ("link.jsonl", "link-to-folder.jsonl", "hop.jsonl", "fifo.jsonl")]
    things[0].symlink_to(viewer.canary.path)
    things[1].symlink_to(viewer.canary.path.parent)
    things[2].symlink_to("../outside")
    os.mkfifo(things[3])
    (viewer.logs / "folder.jsonl").mkdir()
    for name in OUTSIDE:
        name = name.format(folder=viewer.folder)
        for path in ("/history?files=", "/history?files=a.jsonl,", "/web/", "/docs/", "/raw/", "/"):
            answer = viewer.get(path + name)  # the oracle sees to it that the canary is not in there
            assert answer.status in (200, 400, 404)
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE) as sock:
            sock.sendall(
                f"GET /stream?files={name} HTTP/1.1\r\nHost: {viewer.host}\r\nConnection: close\r\n\r\n".encode()
            )
            seen = b""
            while b'"live"' not in seen and (piece := sock.recv(65536)):
                seen += piece
            assert not viewer.canary.is_in(seen)
    assert not {thing.name for thing in things} & {file["name"] for file in viewer.get("/files").json["files"]}
    for thing in things:
        thing.unlink()
    (viewer.logs / "folder.jsonl").rmdir()


@pytest.mark.parametrize(
    "token",
    ["x", "%00", "../x:1:1:1", "..%2Fx:1:1:1", "a.jsonl:0:0:0", "a.jsonl:ffffffffffffffff:ffffffffffffffff:ffffffff",
     "a.jsonl:-1:1:1", ";" * 1000, "a.jsonl:1:1:1;" * 900, "%ff:1:1:1", "%0d%0aX:1:1:1", "\u0661:1:1:1", "9" * 5000],
    ids=lambda token: ascii(token)[:40],
)  # fmt: skip
def test_d17_a_token_that_is_none_is_told_about_or_ignored(viewer: Viewer, log: Path, token: str) -> None:
    append(log, 1, 2)
    answer = viewer.get(f"/history?limit=5&files={log.name}&before={quote(token, safe='%')}")
    assert answer.status in (200, 400)
    with viewer.stream(f"?files={log.name}", {"Last-Event-ID": token.encode("utf-8").decode("latin-1")}) as stream:
        assert stream.live().numbers in ([1, 2], [])


@pytest.mark.parametrize("question", [
    "/history?limit=-1", "/history?limit=%F0%9F%99%82", "/stream?history=1e3", "/stream?history=" + "9" * 400,
    "/history?filter=" + "(" * 1500,
    "/filter?q=" + "not%20" * 300, "/filter?q=a~(a%2B)%2B", "/filter?q=a~" + "(" * 90, "/filter?q=%ff%00",
    "/filter?q=a%3E1e999", "/filter?q=a~[",
    "/filter?q=" + "a%3D1," * 150, "/filter?q=" + "x" * 1999, "/history?filter=a~^(a|b)*$",
    "/filter?q=%F0%9F%99%82%3D%F0%9F%99%82",
    "/web//etc/passwd", "//etc/passwd", "/web/%00", "/web/%ff.js", "/web/" + "a" * 5000 + ".js",
    "/docs/../README.md", "/readme/", "/README",
    "/web/app.js/", "/web/app.js%00.css", "/web/.", "/web/..", "/?" + "x" * 20_000, "/web/..%2f..%2fpyproject.toml",
    "/stream/x", "/%2e%2e/",
])  # fmt: skip
def test_d02_every_strange_question_gets_a_plain_answer_soon(viewer: Viewer, question: str) -> None:
    answer = viewer.get(question)
    assert answer.status in (200, 400, 404)
    assert answer.is_soon
    assert b"root:" not in answer.body
    if answer.status != 200:
        assert set(answer.json) <= {"error", "at"}


# ---- D04 to D13: files that change under the reader ------------------------------------------------------------------


def test_d04_truncation_loses_and_doubles_nothing(viewer: Viewer, log: Path) -> None:
    append(log, 1, 2, 3)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(3)  # what nobody has seen before it is cut away, nobody can show
        expected = [1, 2, 3]
        for turn in range(5):
            os.truncate(log, 0)
            append(log, 10 * turn + 4, 10 * turn + 5)
            expected += [10 * turn + 4, 10 * turn + 5]
            stream.records(len(expected))
        stream.has_come(*expected)
        assert "truncated" in stream.notices


def test_d04_a_file_rewritten_longer_or_as_long_is_read_anew(viewer: Viewer, log: Path) -> None:
    append(log, 10, 11)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(2)
        log.write_bytes(record(20) + record(21))  # as long as before
        stream.records(4)
        log.write_bytes(record(30) + record(31) + record(32))
        stream.records(7)
        stream.has_come(10, 11, 20, 21, 30, 31, 32)


def test_d04_truncation_in_the_middle_of_a_record(viewer: Viewer, log: Path) -> None:
    append(log, 1, record(2)[:20])
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(1)
        os.truncate(log, 0)
        append(log, 3)
        stream.has_come(1, 3)


def test_d05_rotation_by_rename_loses_and_doubles_nothing(viewer: Viewer, log: Path) -> None:
    append(log, 0)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(1)
        expected = [0]
        for turn in range(10):
            renamed = log.with_name(f"{log.name}.{turn + 1}")
            log.rename(renamed)
            append(renamed, 3 * turn + 1)
            append(log, 3 * turn + 2, 3 * turn + 3)
            expected += [3 * turn + 1, 3 * turn + 2, 3 * turn + 3]
            threading.Event().wait(0.02)
        stream.has_come(*expected)


@pytest.mark.parametrize("how", ["delete", "replace", "shift", "copy"])
def test_d05_other_ways_to_begin_a_new_file(viewer: Viewer, log: Path, how: str) -> None:
    append(log, 1, 2)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, 3)
        stream.records(3)
        if how == "delete":
            log.unlink()
            append(log, 4)
        elif how == "replace":
            new = log.with_suffix(".new")
            append(new, 4)
            new.replace(log)
        elif how == "shift":  # as logrotate does it: .1 becomes .2, the log becomes .1
            for turn in range(3):
                log.with_name(f"{log.name}.1").exists() and log.with_name(f"{log.name}.1").rename(f"{log}.2{turn}")
                log.rename(f"{log}.1")
                append(log, 4 + turn)
                stream.records(4 + turn)
        else:  # copytruncate
            log.with_name(f"{log.name}.1").write_bytes(log.read_bytes())
            os.truncate(log, 0)
            append(log, 4)
        stream.has_come(*([1, 2, 3, 4] + ([5, 6] if how == "shift" else [])))


def test_d05_the_same_inode_under_the_same_name_again(viewer: Viewer, log: Path) -> None:
    append(log, 1)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        aside = log.with_name("aside.txt")
        log.rename(aside)
        append(aside, 2)
        aside.rename(log)
        append(log, 3)
        stream.has_come(1, 2, 3)


@pytest.mark.parametrize("cut", [1, 10, 47, -2, -1])
def test_d07_half_a_record_waits_for_its_other_half(viewer: Viewer, log: Path, cut: int) -> None:
    line = '{"n":7,"text":"naïve 🙂"}\n'.encode()
    whole = b" " * 30 + line
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, whole[:cut])
        beats = stream.text.count(": heartbeat")
        stream.until(lambda: stream.text.count(": heartbeat") > beats + 2)
        assert stream.envelopes == []
        append(log, whole[cut:])
        stream.has_come(7)


def test_d07_a_record_that_comes_byte_by_byte(viewer: Viewer, log: Path) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        for byte in record(1) + record(2)[:-1]:
            append(log, bytes([byte]))
        stream.has_come(1)
        append(log, b"\n")
        stream.has_come(1, 2)


ODD_LINES = [
    ('{"n":1,"s":"a\u2028b\u2029c\x85d"}', None), ("x\x0by\x0cz", "not JSON"), ("plain", "not JSON"), ("[1]",
    "not JSON"), ("null", "not JSON"),
    ('{"n":NaN}', "not JSON"), ('{"n":Infinity}', "not JSON"), ('{"n":1}{"n":2}', "not JSON"), ("{", "not JSON"),
    ('{"n":1,}', "not JSON"),
    ("\ufeff{}", "not JSON"), ('{"a":"\\ud800"}', None), ('{"a":1e999}', None), ('{"a":' + "9" * 5000 + "}", None),
    ("\x00", "not JSON"),
    ('{"__proto__":{"n":1},"constructor":1}', None), ("{}", None), ('{"n":' + "[" * 5000 + "]" * 5000 + "}",
    "not JSON"), ('{"":""}', None),
    ('{"a":"\\u0000"}', None), ('{"a":"' + "x" * 100_000 + '"}', None), ("<html>", "not JSON"), ("data: x",
    "not JSON"), (": c", "not JSON"),
]  # fmt: skip


def test_d09_only_lf_separates_and_each_line_is_one_event(viewer: Viewer, log: Path) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, *(line.encode() + b"\n" for line, _ in ODD_LINES))
        live = stream.records(len(ODD_LINES))
    with viewer.stream(f"?files={log.name}") as stream:
        assert stream.records(len(ODD_LINES)) == live
    for (line, flaw), envelope in zip(ODD_LINES, live, strict=True):
        assert envelope.get("flaw") == flaw, line[:50]
        if flaw is not None:
            assert envelope["raw"] == line


BAD_BYTES = [
    b'{"n":"\xff"}',
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\xfe\xff{}",
    "latin é".encode("latin-1"),
]


def test_d10_invalid_utf8_is_marked_and_the_stream_goes_on(viewer: Viewer, log: Path) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        for n, data in enumerate(BAD_BYTES):
            append(log, data + b"\n", n)
        found = stream.records(2 * len(BAD_BYTES))
    assert all("\ufffd" in envelope["raw"] and envelope["flaw"] == "not UTF-8" for envelope in found[::2])
    assert [envelope["record"]["n"] for envelope in found[1::2]] == list(range(len(BAD_BYTES)))
    assert viewer.get(f"/history?files={log.name}").json["events"] == found


FORGERIES = [
    "x\revent: forged\rdata: y",
    "\r",
    "\r\rdata: forged\r\r",
    "x\r\rid: 1\rretry: 1",
    '{"n":1,"a":"\\r\\ndata: x"}',
    '{\r"n"\r:\r1}',
]


def test_d11_cr_forges_no_event(viewer: Viewer, log: Path) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, *(text.encode() + b"\n" for text in FORGERIES), b'{"n":2}\r\n', 3)
        blank = sum(not text.strip() for text in FORGERIES)
        found = stream.records(len(FORGERIES) + 2 - blank)
        assert {kind for kind, _, _ in stream.events} == {"message", "notice"}
        assert "\r" not in stream.text
    raws = [envelope["raw"] for envelope in found if "raw" in envelope]
    # One CR at the end belongs to a line end of Windows.
    assert raws == [text.removesuffix("\r") for text in FORGERIES if text.strip() and not text.startswith("{")]
    assert [envelope["record"]["n"] for envelope in found if "record" in envelope] == [1, 1, 2, 3]


def giant(viewer: Viewer, log: Path, megabytes: int, limit: int) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        viewer.forget_memory_peak()
        before = viewer.memory()
        for _ in range(megabytes):
            append(log, b"x" * 1_000_000)
        append(log, b"\n", 1)
        cut, good = stream.records(2, seconds=2)
        assert cut["flaw"] == f"too long: {megabytes}000000 bytes"
        assert len(cut["raw"]) < 100_000
        assert good["record"]["n"] == 1
    with viewer.stream(f"?files={log.name}") as later:
        assert later.records(2) == [cut, good]
    assert viewer.memory("VmHWM") - before <= limit


def test_d13_a_giant_line_is_cut_and_the_next_one_arrives(viewer: Viewer, log: Path) -> None:
    giant(viewer, log, 10, 64 * 1024 * 1024)


@pytest.mark.hard
def test_d13_a_line_of_fifty_megabytes(viewer: Viewer, log: Path) -> None:
    giant(viewer, log, 50, 64 * 1024 * 1024)


# ---- D14, D17, D26, D29, D30: clients that come and go ---------------------------------------------------------------


def leave(port: int, path: str, how: str, headers: str = "") -> None:
    sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n".encode())
    if how != "unread":
        assert b" 200 " in sock.recv(4096)
    if how == "reset":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    sock.close()


@pytest.mark.parametrize("how", ["close", "reset", "unread"])
def test_d14_streams_of_clients_that_left_hold_nothing(start: Start, tmp_path: Path, how: str) -> None:
    # With a heartbeat of 15 s, as it is by default: who waits for the next one to notice has lost.
    viewer = watch(start, tmp_path, "--heartbeat", 15)
    for _ in range(300 if how == "reset" else 30):  # more than there are threads
        leave(viewer.port, "/stream", how)
    viewer.check()


@pytest.mark.parametrize("path", ["/events", "/mcp"])
def test_d14_the_servers_own_streams_hold_nothing_either(server: Peer, path: str) -> None:
    headers = ""
    if path == "/mcp":
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        begun = server.post("/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
        session = begun.headers["mcp-session-id"]
        headers = f"Mcp-Session-Id: {session}\r\nAccept: text/event-stream\r\nLast-Event-ID: s1-{{}}\r\n"
    for turn in range(300):
        leave(server.port, path, "reset", headers.format(turn))
    server.check_alive()
    leave(server.port, path, "close", headers.format("9" * 5000))
    leave(server.port, path, "close", headers.format("\u00b2"))


def test_d14_a_listener_that_leaves_in_the_stateless_era_holds_nothing(server: Peer) -> None:
    name = "io.modelcontextprotocol/"
    meta = {f"{name}protocolVersion": "2026-07-28", f"{name}clientCapabilities": {}}
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: {len(body)}\r\n"
    head += "Content-Type: application/json\r\n"
    head += "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
    head += "Mcp-Method: subscriptions/listen\r\n\r\n"
    for _ in range(300):
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
            sock.sendall(head.encode() + body)
            assert b" 200 " in sock.recv(4096)
    server.check_alive()
    server.check_resources()
    server.new_records()
    server.answered.clear()


def test_d14_a_slow_reader_holds_up_nobody(start: Start, tmp_path: Path) -> None:
    viewer = watch(start, tmp_path)
    log = viewer.logs / "a.jsonl"
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", viewer.port))
        slow.sendall(f"GET /stream HTTP/1.1\r\nHost: {viewer.host}\r\n\r\n".encode())
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(viewer.stream()) for _ in range(10)]
            for stream in streams:
                stream.live()
            for n in range(300):
                append(log, record(n, 9000))
            for stream in streams:
                assert [envelope["record"]["n"] for envelope in stream.records(300)] == list(range(300))
        viewer.check_alive()


def test_d17_a_stream_is_resumed_from_any_event(viewer: Viewer, log: Path) -> None:
    append(log, *range(20))
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(20)
        ids = [id for kind, _, id in stream.events if kind == "message"]
    append(log, *range(20, 120))
    for k in (0, 7, 19):
        with viewer.stream(f"?files={log.name}", {"Last-Event-ID": ids[k]}) as stream:
            stream.live().records(119 - k)
            stream.has_come(*range(k + 1, 120))
            assert stream.notices == ["live"]


def test_d17_after_a_truncation_a_gap_is_told(viewer: Viewer, log: Path) -> None:
    append(log, *range(10))
    with viewer.stream(f"?files={log.name}") as stream:
        stream.records(10)
        id = stream.events[5][2]
        os.truncate(log, 0)
        append(log, 50, 51)
        stream.records(12)
    with viewer.stream(f"?files={log.name}", {"Last-Event-ID": id}) as stream:
        stream.live()
        assert stream.numbers == [50, 51]
        assert "gap" in stream.notices


def test_d17_across_a_restart_with_two_files_and_a_rotation(start: Start, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    one, two = tmp_path / "logs" / "one.jsonl", tmp_path / "logs" / "two.jsonl"
    append(one, *range(0, 20, 2))
    append(two, *range(1, 20, 2))
    first = watch(start, tmp_path)
    with first.stream() as stream:
        stream.records(20)
        assert stream.numbers == list(range(20))
        id = [id for kind, _, id in stream.events if kind == "message"][9]
    first.running.stop()
    one.rename(f"{one}.1")
    append(one, *range(20, 70))
    append(two, *range(70, 120))
    second = watch(start, tmp_path)
    with second.stream(headers={"Last-Event-ID": id}) as stream:
        stream.live().records(110)
        assert sorted(stream.numbers) == list(range(10, 120))
        for name in ("one.jsonl", "two.jsonl"):
            own = [e["record"]["n"] for e in stream.envelopes if e["file"] == name]
            assert own == sorted(own)


def writers(folder: Path, count: int, sizes: list[int], kill: bool) -> None:
    """Processes that append to one log, one of them killed in the middle; then all lines are looked at."""
    program = (
        "import sys; from pathlib import Path; from playground.logbook import Logbook\n"
        "book = Logbook(Path(sys.argv[1]), 'shared')\n"
        f"for n in range({count}):\n"
        f"    book.write('test', {{'who': sys.argv[2], 'n': n, 'pad': 'x' * {sizes}[n % {len(sizes)}]}})\n"
        "    n == 50 and print('under way', flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(folder)]
    started = [subprocess.Popen([*command, str(who)], cwd=ROOT, stdout=subprocess.PIPE, text=True) for who in range(4)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "under way\n"
    if kill:
        started[0].send_signal(signal.SIGKILL)
    codes = [process.wait(120) for process in started]
    for process in started:
        assert process.stdout is not None
        process.stdout.close()
    assert codes[1:] == [0, 0, 0]
    files = sorted(folder.glob("shared.jsonl.*"), key=lambda path: int(path.suffix[1:]))  # at 256 MB it is renamed
    lines = b"".join(path.read_bytes() for path in [*files, folder / "shared.jsonl"]).split(b"\n")
    assert lines.pop() == b""
    bad, records = 0, []
    for line in lines:
        try:
            records.append(strict(line))
        except ValueError:
            bad += 1
    assert bad <= (1 if kill else 0)
    for who in range(4):
        own = [r["data"]["n"] for r in records if r["data"]["who"] == str(who)]
        assert own == list(range(len(own)))
        assert len(own) == count or (kill and who == 0)


def test_d21_several_processes_append_to_one_log(tmp_path: Path) -> None:
    writers(tmp_path, 150, [200, 9000, 200_000], kill=True)


@pytest.mark.hard
@pytest.mark.parametrize("size", [200, 9000, 200_000])
def test_d21_four_processes_of_two_thousand_records_each(tmp_path: Path, size: int) -> None:
    writers(tmp_path, 2000 if size < 100_000 else 500, [size], kill=True)


@pytest.mark.parametrize("state", ["absent", "empty", "replaced", "absent parent"])
def test_d26_a_file_made_later_appears_by_itself(start: Start, tmp_path: Path, state: str) -> None:
    logs = tmp_path / "deep" / "logs" if state == "absent parent" else tmp_path / "logs"
    if state in ("empty", "replaced"):
        logs.mkdir(parents=True)
    viewer = Viewer(
        start("log_viewer.py", "--port", 0, "--logs", logs, "--heartbeat", HEARTBEAT), tmp_path, Canary(tmp_path / "c")
    )
    with viewer.stream() as stream:
        stream.live()
        if state == "replaced":
            logs.rename(tmp_path / "old")
        logs.mkdir(parents=True, exist_ok=True)
        append(logs / "chat.jsonl", 1)
        began = time.monotonic()
        stream.records(1)
        assert time.monotonic() - began < 2
        stream.has_come(1)


def test_d26_no_name_of_a_file_stops_the_following(viewer: Viewer, log: Path) -> None:
    names = [b"\xff\xfe.jsonl", b"a\nb.jsonl", b"a,b;c:d.jsonl", b" .jsonl", b"%2e.jsonl", b"a\rb.jsonl",
    b"\xe2\x80\xae.jsonl",
             b"x" * 249 + b".jsonl", b"\xff.jsonl.1", b"-.jsonl",
             b'".jsonl', b"\\.jsonl", b"\xed\xa0\x80.jsonl"]  # fmt: skip
    paths = [os.fsencode(viewer.logs) + b"/" + name for name in names]
    with viewer.stream() as stream:
        stream.live()
        for path in paths:
            with open(path, "wb") as file:
                file.write(b'{"strange":true}\n')
        append(log, 1)
        stream.until(lambda: any(e["file"] == log.name for e in stream.envelopes))
        stream.until(lambda: sum("strange" in e.get("record", {}) for e in stream.envelopes) >= 9)
    for file in viewer.get("/files").json["files"]:
        file["name"].encode("utf-8")
    for path in paths:
        os.unlink(path)
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, 2)
        stream.has_come(1, 2)


def test_d29_nothing_may_hold_the_stream_back(viewer: Viewer) -> None:
    first_bytes = []
    for _ in range(3):  # the machine may be busy at one moment
        with viewer.stream() as stream:
            stream.until(lambda: stream.text)
            first_bytes.append(stream.first_byte)
    assert min(first_bytes) < 0.5
    with viewer.stream() as stream:
        stream.until(lambda: stream.text)
        headers = {name.lower(): value for name, value in stream.answer.getheaders()}
        assert headers["content-type"].replace(" ", "") == "text/event-stream;charset=utf-8"
        assert headers["cache-control"] in ("no-store", "no-cache")
        assert headers["x-accel-buffering"] == "no"
        assert "content-length" not in headers
        assert "content-encoding" not in headers
        assert re.search(r"^retry: \d+$", stream.text, re.MULTILINE)
        assert re.search(r"^:", stream.text, re.MULTILINE)
        stream.until(lambda: stream.text.count(": heartbeat") > 2)


@pytest.mark.parametrize("gzip", ["gzip", "gzip, br", "*"])
def test_d29_no_coding_is_used_although_it_is_offered(viewer: Viewer, gzip: str) -> None:
    with viewer.stream(headers={"Accept-Encoding": gzip, "Accept": "text/event-stream", "TE": "trailers"}) as stream:
        stream.live()


@pytest.mark.parametrize(
    ("history", "shown"), [("", 500), ("&history=0", 0), ("&history=1", 1), ("&history=10000", 700)]
)
def test_d30_the_newest_records_come_first_then_live_ones(viewer: Viewer, log: Path, history: str, shown: int) -> None:
    append(log, *range(700), record(700)[:30])  # the last one is still being written
    eventually(lambda: len(viewer.get(f"/history?limit=1000&files={log.name}").json["events"]) == 700, "all is seen")
    with viewer.stream(f"?files={log.name}{history}") as stream:
        stream.live()
        assert stream.numbers == list(range(700 - shown, 700))
        append(log, record(700)[30:], 701)
        stream.has_come(*range(700 - shown, 702))


def test_d30_none_is_lost_or_doubled_while_it_is_written(viewer: Viewer, log: Path) -> None:
    over = threading.Event()

    def write() -> None:
        n = 0
        while not over.is_set():
            append(log, n)
            n += 1
            over.wait(0.0005)
        append(log, b'{"n":-1}\n')

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(viewer.stream(f"?files={log.name}&history=10000")).live() for _ in range(10)]
            over.set()
            for stream in streams:
                stream.until(lambda stream=stream: -1 in stream.numbers)  # type: ignore[misc]
                assert stream.numbers == [*range(len(stream.numbers) - 1), -1]
    finally:
        over.set()
        writer.join()


# ---- D23: secrets ----------------------------------------------------------------------------------------------------


def test_d23_a_secret_reaches_no_log_no_page_and_no_error(start: Start, tmp_path: Path) -> None:
    from tests.cases.conftest import serve

    secret, header = f"sk-{secrets.token_hex(20)}", secrets.token_hex(20)
    keys = {"OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": f"{secret}-a", "MY_TOKEN": f'{secret}"\\é'}
    peer = serve(lambda *a: start(*a, **keys), tmp_path / "keys")
    hidden = {"Content-Type": "application/json", "Authorization": f"Bearer {header}", "Cookie": f"a={header}",
    "X-Api-Key": header,
              "Proxy-Authorization": header, "Mcp-Api-Key": header, "Mcp-Param-Password": header}  # fmt: skip
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    for path in (f"/rpc?key={header}", "/mcp", f"/nothing?{header}", "/events/x"):
        peer.send("POST", path, ping, hidden)
        peer.send("POST", path, b"{", hidden | {"Host": "evil.example"})
    answered = peer.tool("write_file", filename="a.txt", text=f"one {secret} two")
    assert not answered["isError"]
    for name in (secret, f"../{secret}", f"{secret}.txt"):
        peer.tool("read_file", filename=name)
    for message in (
        secret,
        f'{{"{secret}":',
        f'{{"jsonrpc":"2.0","id":"{secret}","method":"{secret}"}}',
        f'["{secret}"]',
    ):
        peer.send("POST", "/rpc", message.encode(), {"Content-Type": "application/json"})
    escaped = "".join(f"\\u{ord(char):04x}" for char in secret)
    peer.send(
        "POST",
        "/rpc",
        f'{{"jsonrpc":"2.0","id":1,"method":"{escaped}"}}'.encode(),
        {"Content-Type": "application/json"},
    )
    text = peer.log.read_text(encoding="utf-8")
    viewer = Viewer(start("log_viewer.py", "--port", 0, "--logs", peer.logs, **keys), tmp_path, Canary(tmp_path / "c"))
    with viewer.stream() as stream:
        stream.live()
        shown = stream.text
    for place in (text, shown, peer.running.text, viewer.running.text):
        assert secret not in place
        assert header not in place
        assert escaped not in place
    assert [strict(line) for line in text.splitlines()]
    assert '"redacted":true' in text


# ---- What a browser needs of HTTP ------------------------------------------------------------------------------------


def test_d16_a_page_and_the_readme_load_beside_many_streams(viewer: Viewer) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            stack.enter_context(viewer.stream()).live()
        for path in ("/dashboard", "/readme", "/web/app.js"):
            answer = viewer.get(path)
            assert (answer.status, answer.is_soon) == (200, True)


def test_d20_many_records_at_once_arrive_in_order(viewer: Viewer, log: Path) -> None:
    with viewer.stream(f"?files={log.name}") as stream:
        stream.live()
        append(log, b"".join(map(record, range(12_000))))  # more than the viewer keeps
        stream.records(12_000)
        assert stream.numbers == list(range(12_000))


def test_d25_the_readme_page_runs_nothing_and_loads_nothing_from_elsewhere(viewer: Viewer) -> None:
    page = viewer.get("/readme").body.decode()
    assert Scripts(page).found == []
    for source in re.findall(r"""<(?:img|script|link)\b[^>]*\b(?:src|href)=["']([^"']*)""", page):
        assert not source.startswith(("http", "//", "data:"))
