"""bench/calls_stdio.py: the client's end of the pipe, against servers that answer in their own ways."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench import calls_stdio, peers
from bench.calls_stdio import Pipe
from bench.processes import Unavailable, running

CALL = {"name": "read_file", "arguments": {"filename": "notes.txt"}}
SERVER = """
import json, sys, time
notes, text, kept = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), "%s", []
for line in sys.stdin:
    message = json.loads(line)
    kept.append(message)
    if "id" not in message:
        continue
    if message["method"] == "what came?":
        text = kept
    answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": text}})
    for piece in (notes + "\\n" + answer[:7], answer[7:] + "\\n" + notes, "\\n"):
        sys.stdout.write(piece)
        sys.stdout.flush()
"""


@contextmanager
def pipe(text: str = "a line of notes") -> Iterator[Pipe]:
    with running([sys.executable, "-c", SERVER % text]) as (process, _):
        yield Pipe(process, CALL)


def test_calls_one_by_one_take_their_own_answers_only() -> None:
    with pipe() as one:
        took = one.one_by_one(5)
    assert len(took) == 5
    assert min(took) > 0


@pytest.mark.parametrize(("calls", "window"), [(1, 32), (32, 32), (100, 32), (7, 3)])
def test_with_many_in_flight_all_are_answered_and_none_is_left(calls: int, window: int) -> None:
    with pipe() as one:
        assert one.in_flight(calls, window) > 0
        assert len(one.one_by_one(2)) == 2


def test_no_two_calls_have_the_same_id() -> None:
    with running([sys.executable, "-c", SERVER % "a line of notes"]) as (process, _):
        one = Pipe(process, CALL)
        one.one_by_one(3)
        one.in_flight(10, 4)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "what came?"}\n')
        answer = next(line for line in process.stdout if b'"id": 1,' in line)
    came = json.loads(answer)["result"]["content"]
    ids = [message["id"] for message in came if message["method"] == "tools/call"]
    assert len(ids) == len(set(ids)) == 14
    assert [message["method"] for message in came[:2]] == ["initialize", "notifications/initialized"]


def test_a_wrong_answer_and_a_server_that_ends_are_unavailable() -> None:
    with pytest.raises(Unavailable, match="not the text of the file"), pipe("something else"):
        pass
    ends = "import sys; sys.stdin.readline(); sys.exit('no folder')"
    with (
        pytest.raises(Unavailable, match="closed the pipe; its last words: no folder"),
        running([sys.executable, "-c", ends]) as (process, _),
    ):
        Pipe(process, CALL)


@pytest.mark.parametrize("name", calls_stdio.NAMES)
def test_each_server_is_asked_for_the_same_text(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for way in ("python", "node", "package"):
        monkeypatch.setattr(peers, way, lambda *arguments: [*arguments])
    command, call = calls_stdio._command(name, tmp_path)
    text = (tmp_path / "files" / "notes.txt").read_text()
    assert len(text) == 800
    if name == "server-everything":
        assert call["arguments"] == {"message": text}
    else:
        assert str(tmp_path / "files") in command
        assert call["arguments"] in (
            {"filename": "notes.txt"},
            {"path": str((tmp_path / "files" / "notes.txt").resolve())},
        )
