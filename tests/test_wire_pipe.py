"""Stdio from the client's side: servers that are decent, that die, that print, that flood, that will not go."""

from __future__ import annotations

import json
import os
import queue
import shlex
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mcp_core.messages import Message, Notification, Request, Result
from playground.logbook import Logbook
from playground.wire import pipe as module
from playground.wire.pipe import Pipe
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, NotReachable, TimedOut, TravelError
from tests.impostors import script

ECHO = "while True:\n    m = ask()\n    if 'id' in m: good(m, {'got': m['method']})\n"
GO_ON = "import threading\nthreading.Event().wait(60)\n"


def soon(seconds: float = 20) -> Deadline:
    return Deadline(seconds, seconds)


def pipe_to(folder: Path, code: str, **more: Any) -> Pipe:
    command = shlex.split(script(folder, code))
    return Pipe(command, Recorder(Logbook(folder / "logs", "mcp-client-chat"), via="stdio", server="x"), **more)


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "logs" / "mcp-client-chat.jsonl").read_text("utf-8").splitlines()]


def warnings(folder: Path) -> list[str]:
    return [record["data"].get("reason", "") for record in records(folder) if record["event"] == "client_warning"]


def process_of(way: Pipe) -> Any:
    assert way._running is not None
    return way._running._process


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_AT_THE_END", 0.2)


def test_messages_go_out_and_come_back_a_line_each(tmp_path: Path) -> None:
    way = pipe_to(tmp_path, ECHO)
    way.open(print)
    way.open(print)  # it runs already
    way.greeted("2025-11-25")
    assert list(way.send(Notification("notifications/initialized"), soon())) == []
    assert list(way.send(Request(1, "tools/list"), soon())) == [Result(1, {"got": "tools/list"})]
    process = process_of(way)
    way.close()
    way.close()
    assert process.returncode == 0, "closing its stdin was enough"
    assert warnings(tmp_path) == []


def test_two_threads_get_their_own_answers(tmp_path: Path) -> None:
    code = "first, second = ask(), ask()\ngood(second, {'n': 2})\ngood(first, {'n': 1})\n" + ECHO
    way = pipe_to(tmp_path, code)
    way.open(print)
    got: dict[int, Any] = {}

    def ask(id: int) -> None:
        got[id] = list(way.send(Request(id, "tools/call"), soon()))

    threads = [threading.Thread(target=ask, args=[id]) for id in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    way.close()
    assert {id: messages[0].id for id, messages in got.items()} == {1: 1, 2: 2}


def test_what_nobody_asked_for_is_passed_on_and_batches_are_taken_apart(tmp_path: Path) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    news: queue.Queue[Message] = queue.Queue()
    way = pipe_to(tmp_path, f"say([{note}, {note}])\n" + ECHO)
    way.open(news.put)
    assert [news.get(timeout=20), news.get(timeout=20)] == [Notification("notifications/message")] * 2
    way.close()


def test_a_program_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    recorder = Recorder(Logbook(tmp_path / "logs", "mcp-client-chat"), via="stdio", server="x")
    for command in (["/nowhere/at/all"], ["no-such-program-at-all"], []):
        way = Pipe(command, recorder)
        with pytest.raises(NotReachable, match="can't be started"):
            way.open(print)
        assert not way.is_open
    with pytest.raises(NotReachable, match="is not running"):
        list(Pipe(["x"], recorder).send(Request(1, "ping"), soon()))


def test_our_keys_are_not_handed_on_and_the_entrys_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    code = "import os\nm = ask()\ngood(m, {'keys': [os.environ.get('OPENAI_API_KEY'), os.environ.get('THEIRS')],"
    way = pipe_to(tmp_path, code + " 'cwd': os.getcwd()})\n" + ECHO, env={"THEIRS": "t"}, cwd=tmp_path)
    way.open(print)
    (answer,) = way.send(Request(1, "x"), soon())
    way.close()
    assert answer == Result(1, {"keys": [None, "t"], "cwd": str(tmp_path)})


def test_a_server_that_crashes_is_found_out_at_once_and_started_again(tmp_path: Path) -> None:
    code = "m = ask()\nif m['method'] == 'crash':\n    print('oh no', file=sys.stderr)\n    sys.exit(3)\ngood(m, {})\n"
    way = pipe_to(tmp_path, code + ECHO)
    way.open(print)
    with pytest.raises(TravelError, match=r"before it answered crash \(exit code 3; its last words: 'oh no'\)"):
        list(way.send(Request(1, "crash"), soon()))
    assert not way.is_open
    with pytest.raises(NotReachable, match="no longer running"):
        list(way.send(Request(2, "ping"), soon()))
    way.open(print)
    assert list(way.send(Request(3, "ping"), soon())) == [Result(3, {})]
    way.close()
    assert any("has ended (exit code 3" in reason for reason in warnings(tmp_path))
    assert [r["data"]["line"] for r in records(tmp_path) if r["event"] == "server_stderr"] == ["oh no"]


def test_what_is_no_message_on_stdout_is_shown_and_skipped(tmp_path: Path) -> None:
    code = "print('Starting up…')\nprint()\nprint('{\"hello\": 1}')\nsys.stdout.buffer.write(b'\\xff\\n')\n"
    way = pipe_to(tmp_path, code + ECHO)
    way.open(print)
    assert len(list(way.send(Request(1, "ping"), soon()))) == 1
    way.close()
    assert len([reason for reason in warnings(tmp_path) if "is no message" in reason]) == 3


def test_a_flood_on_stderr_holds_nobody_up(tmp_path: Path) -> None:
    code = "sys.stderr.write('x' * 200_000 + '\\n' + 'line\\n' * 5_000)\nsys.stderr.flush()\n"
    way = pipe_to(tmp_path, code + ECHO)
    way.open(print)
    assert len(list(way.send(Request(1, "ping"), soon()))) == 1
    way.close()


def test_a_silent_server_costs_the_limit(tmp_path: Path, short: None) -> None:
    way = pipe_to(tmp_path, GO_ON)
    way.open(print)
    with pytest.raises(TimedOut, match=r"did not answer in 0\.1 s"):
        list(way.send(Request(1, "ping"), soon(0.1)))
    way.close()


def test_a_server_that_does_not_read_holds_nobody_up(tmp_path: Path, short: None) -> None:
    way = pipe_to(tmp_path, GO_ON)
    way.open(print)
    process = process_of(way)
    for id in range(3):  # more than a pipe can hold
        with pytest.raises(TimedOut):
            list(way.send(Request(id, "tools/call", {"text": "x" * 500_000}), soon(0.1)))
    way.close()
    assert process.returncode == -signal.SIGTERM


def test_a_server_that_ignores_the_end_of_stdin_is_terminated_and_then_killed(tmp_path: Path, short: None) -> None:
    stubborn = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nm = ask()\ngood(m, {})\n" + GO_ON
    for code, number in ((("m = ask()\ngood(m, {})\n" + GO_ON), signal.SIGTERM), (stubborn, signal.SIGKILL)):
        way = pipe_to(tmp_path, code)
        way.open(print)
        list(way.send(Request(1, "x"), soon()))
        process = process_of(way)
        way.close()
        assert process.returncode == -number


def test_a_launcher_takes_what_it_launched_with_it(tmp_path: Path, short: None) -> None:
    child = "import subprocess\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    way = pipe_to(tmp_path, child + "m = ask()\ngood(m, {'pid': p.pid})\n" + GO_ON)
    way.open(print)
    (answer,) = way.send(Request(1, "x"), soon())
    assert isinstance(answer, Result)
    way.close()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(answer.result["pid"], 0)
            status = Path(f"/proc/{answer.result['pid']}/stat")
            if status.exists() and status.read_text().split()[2] == "Z":  # ended, and nobody has asked for its code
                break
        except ProcessLookupError:
            break
    else:
        pytest.fail("the child is still there")


def test_a_child_that_holds_the_output_open_does_not_hold_us(tmp_path: Path, short: None) -> None:
    child = "import subprocess\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])\n"
    way = pipe_to(tmp_path, child + "m = ask()\ngood(m, {})\nsys.exit(0)\n")
    way.open(print)
    list(way.send(Request(1, "x"), soon()))
    process_of(way).wait(20)
    assert not way.is_open
    began = time.monotonic()
    way.close()
    assert time.monotonic() - began < 4


def test_a_server_that_closes_its_output_and_goes_on_is_over(tmp_path: Path, short: None) -> None:
    way = pipe_to(tmp_path, "m = ask()\nimport os\nos.close(1)\n" + GO_ON)
    way.open(print)
    with pytest.raises(TravelError, match="it closed its output"):
        list(way.send(Request(1, "x"), soon()))
    way.close()


def test_where_there_are_no_process_groups_the_process_is_killed(
    tmp_path: Path, short: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = pipe_to(tmp_path, "m = ask()\ngood(m, {})\n" + GO_ON)
    way.open(print)
    list(way.send(Request(1, "x"), soon()))
    process = process_of(way)
    monkeypatch.delattr(os, "killpg")
    way.close()
    assert process.returncode == -signal.SIGKILL
