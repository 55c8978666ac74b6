"""Each operation: which tools it uses, and what it says about the results."""

import pytest

from tests.scripted_files import TOOLS, Disk, Talk

FILES = {"a.txt": "one TODO\ntwo\n", "b.txt": "TODO TODO", "c.txt": ""}


@pytest.mark.parametrize(
    ("text", "said", "names"),
    [
        ("write 'x' to d.txt", "Done: Wrote 1 bytes to d.txt.", ["write_file"]),
        ("append 'x' to b.txt", "I added a line to b.txt, which has 12 bytes now.", ["append_line"]),
        ("put 'x' at the top of a.txt", "I put a line at the top of a.txt.", ["read_file", "write_file"]),
        ("read a.txt", "a.txt says:\none TODO\ntwo", ["read_file"]),
        ("read c.txt", "c.txt is empty.", ["read_file"]),
        ("show the last line of a.txt", "The last line of a.txt:\ntwo", ["read_file"]),
        ("show the first 2 lines of a.txt", "The first 2 lines of a.txt:\none TODO\ntwo", ["read_file"]),
        (
            "read all files",
            "a.txt says:\none TODO\ntwo\nb.txt says:\nTODO TODO\nc.txt is empty.",
            ["list_files"] + ["read_file"] * 3,
        ),
        ("list files", "There are 3 files: a.txt, b.txt, c.txt.", ["list_files"]),
        ("how many files are there", "There are 3 files.", ["list_files"]),
        ("count TODOs in b.txt", "TODO occurs 2 times in b.txt.", ["search_file"]),
        ("how many lines contain TODO in a.txt", "In a.txt, 1 line contains TODO.", ["read_file"]),
        ("count all TODOs everywhere", "TODO occurs 3 times in 2 files: a.txt (1), b.txt (2).", ["search_all"]),
        ("which files contain bread?", "No file contains bread: it occurs 0 times.", ["search_all"]),
        ("does a.txt contain bread?", "No: bread occurs 0 times in a.txt.", ["search_file"]),
        ("is there a TODO in a.txt?", "Yes: TODO occurs 1 time in a.txt.", ["search_file"]),
        ("show lines with TODO in a.txt", "1 line with TODO:\na.txt:1: one TODO", ["read_file"]),
        (
            "show all lines with TODO",
            "2 lines with TODO:\na.txt:1: one TODO\nb.txt:1: TODO TODO",
            ["list_files"] + ["read_file"] * 3,
        ),
        ("show lines with bread in a.txt", "No line in a.txt contains bread.", ["read_file"]),
        ("show lines with bread", "No line in any file contains bread.", ["list_files"] + ["read_file"] * 3),
        ("how many words are in a.txt", "a.txt has 3 words.", ["read_file"]),
        ("how many paragraphs are in a.txt", "a.txt has 1 paragraph.", ["read_file"]),
        (
            "how many words are in all files",
            "a.txt has 3 words.\nb.txt has 2 words.\nc.txt has 0 words.",
            ["list_files"] + ["read_file"] * 3,
        ),
        ("does a.txt exist?", "Yes, there is a file named a.txt.", ["list_files"]),
        ("does z.txt exist?", "No, there is no file named z.txt.", ["list_files"]),
        ("delete a.txt", "I deleted a.txt.", ["delete_file"]),
        ("delete z.txt", "Nothing was deleted: there was no file named z.txt.", ["delete_file"]),
        ("copy a.txt to d.txt", "I copied a.txt to d.txt.", ["read_file", "write_file"]),
        ("rename a.txt to d.txt", "I renamed a.txt to d.txt.", ["read_file", "write_file", "delete_file"]),
        (
            "merge a.txt, b.txt and c.txt into d.txt",
            "I put a.txt and b.txt and c.txt together in d.txt.",
            ["read_file"] * 3 + ["write_file"],
        ),
        ("compare a.txt and b.txt", "a.txt and b.txt are different.", ["read_file"] * 2),
        ("replace TODO by DONE in b.txt", "I replaced TODO by DONE 2 times in b.txt.", ["read_file", "write_file"]),
        ("replace bread by DONE in b.txt", "bread doesn't occur in b.txt, so I changed nothing.", ["read_file"]),
        ("remove the word TODO from a.txt", "I removed TODO from a.txt.", ["read_file", "write_file"]),
        ("remove the line 'bread' from a.txt", "bread doesn't occur in a.txt, so I changed nothing.", ["read_file"]),
        ("create a file", "What should the file be called?", []),
        ("write to a.txt", "What should I write into a.txt?", []),
        ("copy a.txt", "Which file do you mean?", []),
    ],
)
def test_an_operation_uses_its_tools_and_tells_the_truth(text: str, said: str, names: list[str]) -> None:
    talk = Talk(Disk(FILES))
    assert talk.ask(text) == said
    assert talk.names == names


def test_without_files_there_is_nothing_to_show() -> None:
    for text in ("read all files", "list files", "delete all files", "how many words are in all files"):
        assert Talk().ask(text) == "There are no files."


def test_without_special_tools_plain_ones_do() -> None:
    plain = tuple(tool for tool in TOOLS if tool.name.rpartition("__")[2] in ("read_file", "write_file", "list_files"))
    talk = Talk(Disk({"b.txt": "TODO"}), plain)
    assert talk.ask("append 'TODO' to b.txt, then count TODOs").endswith("TODO occurs 2 times in b.txt.")
    assert talk.disk["b.txt"] == "TODO\nTODO\n"
    assert talk.ask("does b.txt contain TODO?") == "TODO occurs 2 times in b.txt."
    assert talk.ask("which files contain TODO?") == "TODO occurs 2 times in 1 file: b.txt (2)."
    assert talk.ask("delete all files") == "None of the tools I was offered can delete files."
    assert talk.disk


def test_deleting_everything_says_what_did_not_work() -> None:
    talk = Talk(Disk(FILES), told=lambda call: "Error: locked" if call.parsed == {"filename": "b.txt"} else None)
    assert talk.ask("delete all files") == "I deleted a.txt.\nI could not delete b.txt: locked\nI deleted c.txt."


def test_results_without_a_message_or_a_number() -> None:
    talk = Talk(told=lambda call: "done")
    assert talk.ask("write 'x' to a.txt") == "I wrote a.txt."
    assert talk.ask("append 'x' to a.txt") == "I added a line to a.txt."
    assert talk.ask("count TODOs in a.txt") == "I could not count TODO in a.txt: the result held no number."


def test_without_a_result_nothing_is_written() -> None:
    talk = Talk(Disk(FILES))
    said = talk.ask("count TODOs in z.txt and write the number to b.txt")
    assert said.endswith("I have no whole result to write into b.txt, so I left it as it is.")
    torn = Talk(Disk(FILES), told=lambda call: '{"content": "x' if "read" in call.name else None)
    assert "no whole result" in torn.ask("read a.txt and write its content to b.txt")
    assert talk.disk == torn.disk == FILES


def test_a_part_of_a_file_is_never_written_back() -> None:
    talk = Talk(Disk(FILES), told=lambda call: "x\n[Cut here: 9 characters left out.]" if "read" in call.name else None)
    for text in (
        "rename a.txt to d.txt",
        "copy a.txt to d.txt",
        "replace one by two in a.txt",
        "put 'x' at the top of a.txt",
    ):
        assert "only a part of a.txt" in talk.ask(text)
    assert talk.disk == FILES
