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
from mcp_core.runs import Outgoing
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

    def answers(self, count: int) -> list[int]:
        """The ids of the next answers; what is said besides is passed over."""
        found: list[int] = []
        while len(found) < count:
            found += [heard["id"]] if "id" in (heard := self.hear()) else []
        return found

    def close_input(self) -> None:
        self._in.close()

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


def test_answers_that_wait_for_others_do_not_wait_for_a_slow_call(tmp_path: Path) -> None:
    stage = Stage()
    talk = Talk(stage, tmp_path)
    talk.say(tool("quick", 1), tool("quick", 2), tool("slow", 3))
    assert talk.answers(2) == [1, 2]
    talk.say(tool("slow", 4), tool("quick", 5))
    assert talk.answers(1) == [5]
    stage.may_go_on.set()
    assert sorted(talk.answers(2)) == [3, 4]
    talk.end()


def test_what_came_together_is_written_down_before_any_of_it_is_done_and_answered_in_few_pieces(
    tmp_path: Path,
) -> None:
    stage, pieces = Stage(), list[bytes]()

    class Target(io.BytesIO):
        def write(self, data: Any) -> int:
            pieces.append(data)
            ids = [json.loads(line)["id"] for line in data.splitlines()]
            sent = [record["data"]["message"]["id"] for record in records(tmp_path, "rpc_response")]
            assert sent[-len(ids) :] == ids, "in the log before it leaves"
            return len(data)

    lines = [json.dumps(tool("quick", number)).encode() for number in range(40)]
    source = io.BytesIO(b"\n".join(lines) + b"\r\n\n  \n")
    pipe.serve(stage.session(), stage.catalogue, logbook(tmp_path), source, Target())
    assert [len(piece.splitlines()) for piece in pieces] == [16, 16, 8]
    events = [record["event"] for record in records(tmp_path)]
    assert events[:80] == ["rpc_request", "tool_call_request"] * 40


def test_a_client_that_writes_much_and_reads_late_is_heard_to_the_end(tmp_path: Path) -> None:
    talk = Talk(Stage(), tmp_path)
    talk.say(*(tool("quick", number) for number in range(5000)))  # the answers are more than the pipe holds
    assert sorted(talk.answers(5000)) == list(range(5000))
    talk.end()


def test_a_line_without_end_and_one_that_is_too_long(tmp_path: Path) -> None:
    long = b'{"a": "' + b"x" * (5 * 1024 * 1024) + b'"}\n'
    last = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    target, stage = io.BytesIO(), Stage()
    pipe.serve(stage.session(), stage.catalogue, logbook(tmp_path), io.BytesIO(long + last), target)
    refused, answered = map(json.loads, target.getvalue().splitlines())
    assert "longer than" in refused["error"]["message"]
    assert answered == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(("revision", "ids"), [("2025-03-26", [1, None, 2]), ("2025-06-18", [None])])
def test_an_array_of_messages_is_for_one_revision_only(tmp_path: Path, revision: str, ids: list[Any]) -> None:
    stage, target = Stage(), io.BytesIO()
    line = json.dumps([tool("quick", 1), {"no": "message"}, tool("quick", 2)]).encode()
    pipe.serve(stage.session(revision), stage.catalogue, logbook(tmp_path), io.BytesIO(line), target)
    assert [json.loads(answer)["id"] for answer in target.getvalue().splitlines()] == ids


def test_a_bug_of_ours_is_in_the_log_and_the_pipe_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, target = Stage(), io.BytesIO()
    session = stage.session()

    def burst(_: Any) -> Any:
        yield Outgoing(None, 1 // 0)

    monkeypatch.setattr(session, "_note", burst)
    said = [{"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "id": 1, "method": "ping"}]
    source = io.BytesIO(b"\n".join(json.dumps(message).encode() for message in said))
    pipe.serve(session, stage.catalogue, logbook(tmp_path), source, target)
    assert json.loads(target.getvalue())["id"] == 1
    assert "ZeroDivisionError" in records(tmp_path, "server_fault")[0]["data"]["traceback"]


def test_more_slow_calls_than_threads_are_all_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "MOST_AT_WORK", 2)
    stage = Stage()
    talk = Talk(stage, tmp_path)
    talk.say(*(tool("slow", number) for number in range(6)))
    assert stage.has_begun.wait(10)
    talk.close_input()
    stage.may_go_on.set()
    assert sorted(talk.answers(6)) == list(range(6))
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
