"""playground/tapping/pipe.py: a process before another, and neither end can tell."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from playground.logbook import Logbook
from playground.tapping import pipe
from playground.tapping.story import Story
from tests.conftest import ROOT, clean_environment
from tests.taps import Record, frames, records

COPY = "import os\nwhile piece := os.read(0, 65536):\n    os.write(1, piece)\n"


class Piped:
    """`python -m playground.tap -- python -c CODE`, with pipes at all three of its ends."""

    def __init__(self, logs: Path, code: str, *options: str) -> None:
        command = [
            sys.executable,
            "-m",
            "playground.tap",
            "--logs",
            str(logs),
            *options,
            "--",
            sys.executable,
            "-c",
            code,
        ]
        ends = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(), stdin=ends, stdout=ends, stderr=ends, bufsize=0
        )
        self.log = logs / "mcp-tap.jsonl"

    @property
    def ends(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def says(self, count: int) -> bytes:
        """So many bytes of its stdout."""
        got = b""
        while len(got) < count and (piece := self.ends[1].read(count - len(got))):
            got += piece
        return got

    @property
    def records(self) -> list[Record]:
        return records(self.log)


@contextlib.contextmanager
def piped(logs: Path, code: str, *options: str) -> Iterator[Piped]:
    one = Piped(logs, code, *options)
    try:
        yield one
    finally:
        one.process.kill()
        for end in one.ends:
            with contextlib.suppress(OSError):
                end.close()
        one.process.wait()


def test_every_byte_crosses_and_every_line_is_written_down(logs: Path) -> None:
    lines = [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc": "2.0",\t"id":1,"result":{}}',
        b"junk",
        b"\xff\x00",
    ]
    sent = lines[0] + b"\r\n" + lines[1] + b"\n\n  \n" + lines[2] + b"\n" + lines[3] + b"\n" + b"half a line"
    with piped(logs, COPY) as tap:
        got, said = tap.process.communicate(sent, timeout=20)
        assert (got, said, tap.process.returncode) == (sent, b"", 0)
    for sender in ("client", "server"):
        for dir in ("in", "out"):
            assert frames(tap.records, sender, dir) == [*lines, b"half a line"]
    assert {r.get("via") for r in tap.records} == {"stdio"}
    assert (tap.records[0]["event"], tap.records[-1]["event"]) == ("tap_start", "tap_exit")


def test_half_a_line_goes_on_at_once(logs: Path) -> None:
    with piped(logs, COPY) as tap:
        stdin, _, _ = tap.ends
        stdin.write(b'{"half')
        assert tap.says(6) == b'{"half'
        stdin.write(b'"}\n')
        assert tap.says(3) == b'"}\n'
        stdin.close()
        assert tap.process.wait(20) == 0


def test_much_crosses_in_both_directions_at_once(logs: Path) -> None:
    line = b'{"a":"' + b"x" * 1_000_000 + b'"}\n'
    with piped(logs, COPY) as tap:
        got, _ = tap.process.communicate(line * 5, timeout=30)
        assert got == line * 5
    assert frames(tap.records, "server") == [line[:-1]] * 5


def test_what_the_server_says_beside_goes_on_and_is_written_down(logs: Path) -> None:
    with piped(logs, "import sys; sys.stderr.write('one\\ntwo'); sys.exit(7)") as tap:
        got, said = tap.process.communicate(timeout=20)
        assert (got, said, tap.process.returncode) == (b"", b"one\ntwo", 7)
    spoken = [r["data"]["line"] for r in tap.records if r["event"] == "server_stderr"]
    assert spoken == ["one", "two"]
    assert tap.records[-1]["data"]["code"] == 7


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1"])
def test_signals_reach_the_server(logs: Path, name: str) -> None:
    number = getattr(signal, name)
    code = f"signal.signal({int(number)}, lambda *_: sys.exit(9))\nprint('ready', flush=True)\nsignal.pause()"
    with piped(logs, "import signal, sys\n" + code) as tap:
        assert tap.says(6) == b"ready\n"
        tap.process.send_signal(number)
        assert tap.process.wait(20) == 9


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_server_that_a_signal_ends_ends_the_tap_in_the_same_way(logs: Path, name: str) -> None:
    number = getattr(signal, name)
    with piped(logs, f"import os; os.kill(os.getpid(), {int(number)})") as tap:
        assert tap.process.wait(20) == -number
    assert tap.records[-1]["data"]["code"] == -number


def test_a_server_that_ends_does_not_wait_for_its_client(logs: Path) -> None:
    with piped(logs, "print('{}')") as tap:
        assert tap.process.wait(20) == 0
        assert tap.ends[1].read() == b"{}\n"


def test_a_server_that_closes_its_stdin_closes_the_clients(logs: Path) -> None:
    with piped(logs, "import os, time\nos.close(0)\nprint('closed', flush=True)\ntime.sleep(60)") as tap:
        stdin, _, _ = tap.ends
        assert tap.says(7) == b"closed\n"
        with pytest.raises(BrokenPipeError):
            stdin.writelines(itertools.repeat(b"x" * 1000))
        tap.process.terminate()
        assert tap.process.wait(20) == -signal.SIGTERM


def test_a_client_that_reads_no_more_is_noticed_by_the_server(logs: Path) -> None:
    code = "import os, sys\ntry:\n    while True: os.write(1, b'x' * 9 + b'\\n')\nexcept BrokenPipeError: sys.exit(3)"
    with piped(logs, code) as tap:
        stdout = tap.ends[1]
        tap.says(5)
        stdout.close()
        assert tap.process.wait(20) == 3


def test_a_child_of_the_server_that_holds_the_pipe_does_not_hold_the_tap(logs: Path) -> None:
    code = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'input()'])\nprint('bye')"
    with piped(logs, code) as tap:
        assert tap.says(4) == b"bye\n"
        assert tap.process.wait(20) == 0


def test_what_can_not_be_started_is_one_sentence(logs: Path, tmp_path: Path) -> None:
    story = Story(Logbook(logs, "mcp-tap"), "stdio")
    with pytest.raises(pipe.CannotStart, match="'no-such-program' can't be started: No such file") as missing:
        pipe.run(["no-such-program"], "no-such-program", story)
    with pytest.raises(pipe.CannotStart, match="Permission denied") as refused:
        pipe.run([str(tmp_path)], "x", story)
    assert (missing.value.exit_code, refused.value.exit_code) == (127, 126)


def test_ctrl_c_at_a_terminal_is_not_handed_on_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not pipe._has_terminal()  # a test has none
    reading, writing = os.pipe()
    with open(reading), open(writing, "w"):
        monkeypatch.setattr("os.open", lambda *_: os.dup(reading))
        assert not pipe._has_terminal()  # no terminal either
        monkeypatch.setattr("os.tcgetpgrp", lambda _: os.getpgrp())
        assert pipe._has_terminal()


def test_a_crlf_is_the_end_of_a_line_and_a_cr_elsewhere_is_not(logs: Path) -> None:
    with piped(logs, COPY) as tap:
        tap.process.communicate(b"a\rb\r\n", timeout=20)
    assert frames(tap.records, "client") == [b"a\rb"]


def test_exchanges_are_named_by_the_process(logs: Path) -> None:
    with piped(logs, 'import os; input(); print(\'{"jsonrpc":"2.0","id":1,"result":{}}\')') as tap:
        tap.process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=20)
    (name,) = {r["exchange"] for r in tap.records if "exchange" in r}
    assert re.fullmatch(r"pipe-\d+/client/1", name)
    assert name.split("-")[1].split("/")[0] == str(tap.records[0]["data"]["server_pid"])
