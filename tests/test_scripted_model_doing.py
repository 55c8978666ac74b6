"""How the steps of a question are put together: side by side where they can be, and not at all after a failure."""

from playground.scripted_model.doing import carry_out
from playground.scripted_model.steps import Step
from playground.scripted_model.toolbox import Toolbox
from tests.scripted_files import TOOLS, Disk, Talk


def batch(*steps: Step) -> list[str]:
    return [call.name.removeprefix("files__") for call in next(carry_out(steps, Toolbox(TOOLS)))]


def test_steps_that_do_not_touch_each_other_run_side_by_side() -> None:
    assert batch(Step("read", "a"), Step("count", "b", keyword="x")) == ["read_file", "search_file"]
    assert batch(Step("write", "a"), Step("write", "b")) == ["write_file", "write_file"]
    assert batch(Step("read", "a"), Step("read", "a")) == ["read_file", "read_file"]


def test_steps_that_depend_on_each_other_wait() -> None:
    assert batch(Step("write", "a"), Step("count", "a", keyword="x")) == ["write_file"]
    assert batch(Step("write", "a"), Step("list")) == ["write_file"]
    assert batch(Step("delete", "*"), Step("read", "a")) == ["list_files"]
    assert batch(Step("list"), Step("read", "#1")) == ["list_files"]
    assert batch(Step("count", "a", keyword="x"), Step("write", "b", uses_result=True)) == ["search_file"]


def test_steps_of_different_length_stay_in_order() -> None:
    talk = Talk(Disk({"a.txt": "x", "b.txt": "x"}))
    assert talk.ask("read a.txt and replace x by y in b.txt") == "a.txt says:\nx\nI replaced x by y 1 time in b.txt."


def test_after_a_failed_change_later_steps_on_that_file_are_left_out() -> None:
    talk = Talk(Disk({"b.txt": "x"}), told=lambda call: "Error: full" if "write" in call.name else None)
    said = talk.ask("create a.txt with 'x', count x in it, and read b.txt")
    assert said == "I could not write a.txt: full\nSo I left out the step after it: count x in a.txt.\nb.txt says:\nx"


def test_a_failed_reading_spoils_nothing() -> None:
    said = Talk(Disk({"b.txt": "x"})).ask("read a.txt, read b.txt, count x in a.txt")
    assert said.count("I could not") == 2
    assert "b.txt says" in said


def test_conditions_are_looked_up() -> None:
    talk = Talk(Disk({"a.txt": "x"}))
    assert (
        talk.ask("create a.txt with 'y' unless it exists")
        == "There is already a file named a.txt, so there was nothing to do."
    )
    assert talk.ask("if b.txt exists, delete it") == "There is no file named b.txt, so there was nothing to do."
    assert talk.ask("if a.txt exists, delete it") == "I deleted a.txt."


def test_a_place_in_a_list_is_found_or_the_last_one_taken() -> None:
    talk = Talk(Disk({"a.txt": "1", "b.txt": "2"}))
    assert talk.ask("list the files, then read the second one").endswith("b.txt says:\n2")
    assert talk.ask("list the files, then read the third one").endswith("b.txt says:\n2")
    assert Talk().ask("list the files, then read the first one").startswith("There are no files.")
