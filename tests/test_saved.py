"""Conversations in files."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from playground.host import saved
from playground.host.calls import Call, Result, text_block
from playground.host.conversation import Conversation, Said
from playground.host.saved import FORMAT, SavedError, Shelf

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def talk() -> Conversation:
    calls = (
        Call.received("a", "files__read", '{"filename": "ä.txt"}', {"extra": 1}),
        Call.received(None, "files__read", '{"cut'),
    )
    conversation = Conversation("be short").ask([text_block("look \u2028 at \ud800 this"), IMAGE])
    conversation = conversation.say(Said("", calls, {"blocks": [{"type": "thinking"}]}, "anthropic"))
    results = [Result("a", (text_block("x"), IMAGE)), Result.of_text("call_1", "no", is_error=True)]
    conversation = conversation.give(results).say(Said("It says x."))
    return conversation.ask("and?").settle()


def test_a_conversation_comes_back_as_it_was(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "new" / "folder")
    path = shelf.save("first", talk(), {"provider": "ollama", "model": "m"})
    loaded = shelf.load("first")
    assert loaded.conversation == talk()
    assert loaded.head["provider"] == "ollama"
    assert set(loaded.head) == {"saved", "provider", "model"}
    assert shelf.names() == ["first"]
    lines = path.read_bytes().split(b"\n")
    assert all(json.loads(line) for line in lines[:-1])
    assert path.read_bytes().isascii()


def test_an_open_turn_is_saved_settled(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    open_turn = Conversation().ask("hi").say(Said("", (Call.received("a", "read", ""),)))
    shelf.save("open", open_turn)
    assert shelf.load("open").conversation == open_turn.settle()
    shelf.save("empty", Conversation())
    assert shelf.load("empty").conversation == Conversation()


def test_others_may_not_read_it(tmp_path: Path) -> None:
    path = Shelf(tmp_path).save("mine", talk())
    # Windows has no such permissions; there the folder's own decide.
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or sys.platform == "win32"


def test_saving_over_a_file_replaces_it_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(tmp_path)
    shelf.save("one", talk())

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SavedError, match=r"'one' can't be saved in .*No space left"):
        shelf.save("one", Conversation())
    assert shelf.load("one").conversation == talk()
    assert os.listdir(tmp_path) == ["one.jsonl"]


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "x" * 81, "a b", "ä", "a\n"])
def test_a_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    for act in (Shelf(tmp_path).load, lambda name: Shelf(tmp_path).save(name, talk())):
        with pytest.raises(SavedError, match="A name is made of"):
            act(name)
    assert os.listdir(tmp_path) == []


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "none")
    with pytest.raises(SavedError, match="no saved conversation 'x'; there are: none yet"):
        shelf.load("x")
    shelf.save("b", talk())
    (tmp_path / "none" / "no name.jsonl").touch()
    with pytest.raises(SavedError, match=r"there are: b\."):
        shelf.load("x")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(SavedError, match="can't be read"):
        Shelf(tmp_path).load("folder")


def test_a_huge_file_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(tmp_path)
    shelf.save("big", talk())
    monkeypatch.setattr(saved, "MAX_BYTES", 100)
    with pytest.raises(SavedError, match="was not loaded"):
        shelf.load("big")


USER = {"user": [{"type": "text", "text": "hi"}]}
CALL: dict[str, Any] = {"id": "a", "name": "read", "text": "{}", "received_id": None, "extras": {}}


def said(text: Any = "", *calls: Any, **more: Any) -> dict[str, Any]:
    return {"assistant": {"text": text, "calls": list(calls), "extras": {}, "origin": "", "by_host": False, **more}}


def results(*rows: Any) -> dict[str, Any]:
    return {"results": list(rows)}


RESULT = {"call_id": "a", "content": [{"type": "text", "text": "x"}], "is_error": False}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([said("hi")], "line 2 doesn't fit: a conversation begins with the user"),
        ([USER, USER, said("x")], "Only the last turn"),
        ([USER, results(RESULT)], "'results' can't stand here"),
        ([USER, said("", CALL), results(RESULT), results(RESULT)], "'results' can't stand here"),
        ([USER, said("", CALL), results({**RESULT, "call_id": "b"})], "line 4 doesn't fit: Results must answer"),
        ([USER, said("", CALL), said("x")], "Only the last step"),
        ([USER, said("", CALL, CALL)], "an id of its own"),
        ([USER, said("")], "needs text or a call"),
        ([USER, {"assistant": {}}], "line 3 doesn't fit"),
        ([USER, {"assistant": 5}], "line 3 doesn't fit"),
        ([USER, {"system": "x"}], "'system' can't stand here"),
        ([{**USER, "assistant": {}}], "exactly one of"),
        ([{"user": []}], "A question can't be empty"),
        ([{"user": "hi"}], "an array was expected"),
        ([{"user": ["hi"]}], "an object was expected"),
        ([{"user": [{"type": "text"}]}], "a content block needs a type"),
        ([USER, said(5)], "a text was expected, not 5"),
        (
            [USER, said("", CALL), results(RESULT), said("x"), USER, said("", CALL), results(RESULT), said("x")],
            "Two calls of a conversation have one id",
        ),
    ],
)
def test_a_forged_file_is_refused_with_one_sentence(tmp_path: Path, rows: list[Any], reason: str) -> None:
    head = {"format": FORMAT, "system": "", "lines": len(rows)}
    text = "".join(json.dumps(row) + "\n" for row in [head, *rows])
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(SavedError, match="is no saved conversation") as caught:
        Shelf(tmp_path).load("x")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its last line is cut off"),
        (b"{}", "its last line is cut off"),
        (b"{}\n", "its first line doesn't say"),
        (b"\n", "line 1 is no JSON"),
        (b"[1]\n", "line 1 is no object"),
        (b"\xff\n", "line 1 is no JSON"),
        (b'{"format":NaN}\n', "NaN is no JSON"),
        (b'{"a":1,"a":2}\n', "stands twice"),
        (b"[" * 100_000 + b"\n", "line 1 is no JSON"),
        (json.dumps({"format": FORMAT, "lines": 3, "system": ""}).encode() + b"\n", "should have 3 lines"),
        (json.dumps({"format": FORMAT, "lines": 0, "system": None}).encode() + b"\n", "a text was expected"),
    ],
)
def test_a_damaged_file_is_refused_with_one_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    with pytest.raises(SavedError, match="is no saved conversation") as caught:
        Shelf(tmp_path).load("x")
    assert reason in str(caught.value)


def test_a_cut_file_is_noticed_at_every_byte(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    path = shelf.save("x", talk())
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(SavedError):
            shelf.load("x")
