"""Scenario files: what they may say, how they play, and what is wrong with a bad one."""

import json
from pathlib import Path

import pytest

from playground.scripted_model.scenarios import FOLDER, ScenarioError, load, parse
from playground.scripted_model.talk import Call, Prompt, Question
from tests.scripted_files import TOOLS, TUTORIAL, Disk, Talk

TRICK = """
# a comment
about: Two rules.

user: write * into *
think: a file
say: I write
  in two lines.
call: write_file filename={2} text="{1}\\n"
call: files__list_files
wait
say: {0} gave {result}

user: /count (\\w+) in (\\S+)/
call: search_file {"filename": "{2}", "keyword": "{1}"}
wait
call: nobody a=1 b=true c='x y' d= e={1}
wait
say: It was {result.count}, {result.nothing} and {9}

user: more
call: list_files

user: raw
raw: {"choices": 5}

user: broken
say: x
fault: cut-stream

user: like *
gallery: cut-arguments
"""


def test_a_scenario_plays_round_by_round() -> None:
    talk = Talk(play=parse(TRICK).play)
    said = talk.ask("write hello into a.txt")
    assert talk.disk == {"a.txt": "hello\n"}
    assert said == 'write hello into a.txt gave {"files": ["a.txt"]}'
    assert talk.questions[0].rounds[0].text == "I write\nin two lines."


def test_arguments_are_texts_numbers_and_objects() -> None:
    talk = Talk(Disk({"a.txt": "TODO"}), play=parse(TRICK).play)
    said = talk.ask("Count TODO in a.txt")
    assert talk.calls == [
        Call.of("files__search_file", {"filename": "a.txt", "keyword": "TODO"}),
        Call.of("nobody", {"a": 1, "b": True, "c": "x y", "d": "", "e": "TODO"}),
    ]
    assert said == "It was {result.count}, {result.nothing} and {9}"


def test_fields_of_results_fill_holes() -> None:
    scenario = parse("user: *\ncall: search_file filename=a.txt keyword=TODO\nwait\nsay: {result.count}!")
    assert Talk(Disk({"a.txt": "TODO TODO"}), play=scenario.play).ask("go") == "2!"


def test_what_is_not_written_comes_from_the_rules() -> None:
    scenario = parse(TRICK)
    assert "1 file: a.txt" in Talk(Disk({"a.txt": "x"}), play=scenario.play).ask("list the files")
    assert Talk(Disk({"a.txt": "x"}), play=scenario.play).ask("more") == '{"files": ["a.txt"]}'
    assert scenario.play(Prompt("m", (Question("more"),))).calls[0].name == "list_files"


def test_raw_faults_thoughts_and_the_gallery() -> None:
    scenario = parse(TRICK)
    assert scenario.play(Prompt("m", (Question("raw"),))).raw == '{"choices": 5}'
    assert scenario.play(Prompt("m", (Question("broken"),))).fault == "cut-stream"
    assert scenario.play(Prompt("m", (Question("write a into b"),))).thinking == "a file"
    (call,) = scenario.play(Prompt("m", (Question("like this"),), TOOLS)).calls
    assert not str(call.arguments).endswith("}") or call.arguments == "{"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no 'user:' line"),
        ("say: x", "x:1: 'say' stands before the first 'user:'"),
        ("user: a\nsya: x", "x:2: a line starts with one of"),
        ("user: /(/", "no regular expression"),
        ("user: a\nwait", "no 'call:' stands before"),
        ("user: a\ncall:", "needs the name of a tool"),
        ("user: a\ncall: f x y", "no argument"),
        ("user: a\ngallery: nobody", "not in the gallery"),
        ("user: a\nfault: nothing", "not in the list of faults"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words.replace("(", r"\(")):
        parse(text, path="x")


def test_a_file_is_loaded_by_name_or_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("\ufeffabout: Mine.\nuser: *\nsay: hi", encoding="utf-8")
    assert (load(str(path)).name, load(str(path)).about) == ("mine", "Mine.")
    for bad in ("nobody", str(tmp_path / "x.txt"), str(tmp_path)):
        with pytest.raises(ScenarioError, match="shipped with the playground are: bad-day, interview"):
            load(bad)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_the_shipped_ones_can_be_read(name: str) -> None:
    assert load(name).about.endswith(".")


def test_the_shipped_ones_play() -> None:
    assert "I counted 1 TODO in notes.txt" in Talk(play=load("tutorial").play).ask(TUTORIAL)
    talk = Talk(Disk({"a.txt": "TODO"}), play=load("two-at-once").play)
    assert json.dumps({"files": [{"name": "a.txt", "count": 1}], "total": 1}) in talk.ask("go")
    assert talk.names == ["list_files", "search_all"]
    assert "a.txt" in Talk(Disk({"a.txt": ""}), play=load("learns-from-errors").play).ask("go")
    assert Talk(play=load("interview").play).ask("What is a tool?").startswith("A function")
    assert "a.txt" in Talk(Disk({"a.txt": ""}), play=load("bad-day").play).ask("one: list the files")
    assert Talk(play=load("bad-day").play).ask("three") == ""
