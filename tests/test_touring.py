"""playground/touring.py: the files of the tour are found by what is in the folder, and run with the user's options."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from playground import touring

OPTIONS = Namespace(url=None, stdio=None, logs=None, step=False, explain=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(touring, "FOLDER", tmp_path)
    (tmp_path / "stage.py").write_text('"""What the others stand on."""\n')
    (tmp_path / "b.py").write_text('"""The second.\n\nNotice: nothing.\n"""\nimport sys; sys.exit(3)\n')
    notes = "import pathlib, sys\npathlib.Path(__file__).with_suffix('.txt').write_text(repr(sys.argv[1:]))\n"
    (tmp_path / "a.py").write_text(notes)
    return tmp_path


def test_each_file_has_a_name_and_a_line() -> None:
    assert touring.tours() == {"tour/a": "", "tour/b": "The second."}


@pytest.mark.parametrize("name", ["tour/b", "b"])
def test_the_exit_code_comes_back(name: str) -> None:
    assert touring.run(name, OPTIONS) == 3


def test_the_options_go_along(folder: Path) -> None:
    assert touring.run("a", OPTIONS) == 0
    assert (folder / "a.txt").read_text() == "[]"
    touring.run("a", Namespace(url="http://x/", stdio=None, logs="l", step=True, explain=True))
    assert (folder / "a.txt").read_text() == repr(["--url", "http://x/", "--logs", "l", "--step", "--explain"])
