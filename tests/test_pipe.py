"""The server at the end of a pipe, in memory: what is answered at once, what by a worker, and how it ends."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from mcp_core.catalogue import Change
from playground.server import pipe
from tests.shells import Stage, logbook, records

ROOT = Path(__file__).resolve().parent.parent


class Talk:
    """A pipe with the server in a thread, and the test at its other end."""

    def __init__(self, stage: Stage, folder: Path, **capabilities: Any) -> None:
        there, self._in = (os.fdopen(fd, mode) for fd, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
        self._out, back = (os.fdopen(fd, mode) for fd, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
        self._ends: list[BinaryIO] = [there, self._in, self._out, back]  # type: ignore[list-item]
        session = stage.session(elicitation={}, **capabilities)
        args = (session, stage.catalogue, logbook(folder), there, back)
        self.thread = threading.Thread(target=pipe.serve, args=args)
        self.thread.start()

    def say(self, *lines: Any) -> None:
        for line in lines:
            self._in.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self._in.flush()

    def hear(self) -> Any:
        return json.loads(self._out.readline())

    def end(self) -> None:
        self._in.close()
        self.thread.join(20)
        assert not self.thread.is_alive()
        for end in self._ends:
            end.close()


def tool(name: str, id: int, **meta: Any) -> dict[str, Any]:
    params = {"name": name, "_meta": meta} if meta else {"name": name}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def test_a_slow_call_holds_up_nobody_and_can_be_cancelled(tmp_path: Path) -> None:
    stage = Stage()
    talk = Talk(stage, tmp_path)
    talk.say(tool("slow", 1, progressToken="p"))
    assert talk.hear()["method"] == "notifications/progress"
    talk.say(tool("quick", 2))
    assert talk.hear()["id"] == 2
    talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    talk.say({"jsonrpc": "2.0", "id": 3, "method": "ping"})
    assert talk.hear()["id"] == 3, "by now the cancellation has been read"
    stage.may_go_on.set()
    assert stage.was_closed.wait(10)
    talk.end()
    assert records(tmp_path, "rpc_cancelled")


def test_a_question_and_its_answer_travel_through_the_same_pipe(tmp_path: Path) -> None:
    talk = Talk(Stage(), tmp_path)
    talk.say(tool("ask", 1))
    question = talk.hear()
    assert question["method"] == "elicitation/create"
    reply = {"action": "accept", "content": {"name": "Ana"}}
    talk.say({"jsonrpc": "2.0", "id": question["id"], "result": reply})
    assert talk.hear()["result"]["content"][0]["text"] == "Ana"
    talk.end()


def test_a_change_is_told_to_who_is_there(tmp_path: Path) -> None:
    stage = Stage()
    talk = Talk(stage, tmp_path)
    talk.say({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert talk.hear()["id"] == 1
    stage.catalogue.announce(Change("tools"))
    assert talk.hear()["method"] == "notifications/tools/list_changed"
    talk.end()


@pytest.mark.parametrize("flaw", [b"{", b"[]", b"\xff", b'{"jsonrpc":"2.0"}', b"[1]"])
def test_a_line_that_is_no_message_is_refused_and_the_pipe_goes_on(tmp_path: Path, flaw: bytes) -> None:
    talk = Talk(Stage(), tmp_path)
    talk.say(flaw, b"", b"   ", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert talk.hear()["error"]["code"] in (-32700, -32600)
    assert talk.hear()["id"] == 1
    talk.end()


def test_a_client_that_no_longer_reads_is_no_error(tmp_path: Path) -> None:
    stage = Stage()
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as target:
        source = io.BytesIO(json.dumps(tool("quick", 1)).encode() + b"\n")
        pipe.serve(stage.session(), stage.catalogue, logbook(tmp_path), source, target)
        with pytest.raises(BrokenPipeError):
            target.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), target.fileno())


def test_calls_still_running_when_the_client_leaves_get_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe, "LAST_WORDS", 0.05)
    stage = Stage()
    talk = Talk(stage, tmp_path)
    talk.say(tool("slow", 1))
    assert stage.has_begun.wait(10)
    talk.end()
    stage.may_go_on.set()
    assert stage.was_closed.wait(10)


def test_what_anybody_prints_goes_to_stderr() -> None:
    code = (
        "import os; from playground.server.pipe import own_stdio; source, target = own_stdio(); print('stray');"
        "os.write(1, b'deeper stray'); target.write(b'{}'); target.flush()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout == b"{}"
    assert b"stray" in done.stderr
    assert b"deeper stray" in done.stderr
