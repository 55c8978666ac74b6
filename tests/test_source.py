"""playground/viewer/source.py: the function around a line, and no other file in the world."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.viewer.source import LONGEST, NoSource, source

ROOT = Path(__file__).resolve().parent.parent

CODE = '''"""A module."""

X = 1


@decorated
def f(a):
    """It says {mark}."""

    def inner():
        return a

    return inner


class C:
    y = 2
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "playground").mkdir()
    (tmp_path / "playground" / "a.py").write_text(CODE)
    (tmp_path / "server.py").write_text("x = (\n" + "# line\n" * 400 + ")\n")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.py").write_text("key = 1\n")
    (tmp_path / ".env").write_text("KEY=1\n")
    (tmp_path / "playground" / "link.py").symlink_to(tmp_path / "secret" / "s.py")
    (tmp_path / "playground" / "broken.py").write_text("def f(:\n    pass\n")
    (tmp_path / "playground" / "binary.py").write_bytes(b"\xff\xfe")
    return tmp_path


def text(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(part for _, part in pieces) for pieces in lines]


@pytest.mark.parametrize(
    ("line", "name", "first", "last"), [(7, "f", 6, 13), (11, "inner", 10, 11), (6, "f", 6, 13), (17, "C", 16, 17)]
)
def test_the_innermost_function_around_the_line_is_shown(
    project: Path, line: int, name: str, first: int, last: int
) -> None:
    found = source(f"playground/a.py:{line} C.{name}", project)
    assert (found.path, found.name, found.first, found.line) == ("playground/a.py", name, first, line)
    assert text(found.lines) == CODE.splitlines()[first - 1 : last]


def test_a_line_in_no_function_is_shown_with_its_neighbors(project: Path) -> None:
    found = source("server.py:200", project)
    assert (found.name, found.first, len(found.lines)) == ("", 188, 25)
    assert source("playground/broken.py:1", project).name == ""
    assert source("playground/a.py:3", project).first == 1


def test_a_long_function_is_shown_around_the_line(project: Path) -> None:
    body = "def f():\n" + "    x = 1\n" * 300
    (project / "client.py").write_text(body)
    found = source("client.py:200 f", project)
    assert len(found.lines) == LONGEST
    assert found.first < 200 < found.first + LONGEST
    assert source("client.py:300 f", project).first == 260


@pytest.mark.parametrize(
    "src",
    [
        "../server.py:1",
        "/etc/passwd:1",
        "/etc/x.py:1",
        "secret/s.py:1",
        "playground/link.py:1",
        ".env:1",
        ".env.py:1",
        "",
        "playground/../secret/s.py:1",
        "playground//a.py:1",
        "playground/a.py",
        "playground/a.py:x",
        "server.txt:1",
        "playground\\a.py:1",
        "playground/a.py\x00:1",
        "C:/x.py:1",
        ".venv/lib/a.py:1",
        "~/a.py:1",
        "server.py:1\n../x.py:1/",
    ],
)
def test_nothing_else_is_ever_read(project: Path, src: str) -> None:
    with pytest.raises(NoSource, match="names no Python file"):
        source(src, project)


@pytest.mark.parametrize(
    ("src", "why"),
    [
        ("playground/gone.py:1", "not there"),
        ("playground/binary.py:1", "not there"),
        ("playground/a.py:0", "no line 0"),
        ("playground/a.py:99", "no line 99"),
    ],
)
def test_what_has_changed_since_is_said(project: Path, src: str, why: str) -> None:
    with pytest.raises(NoSource, match=why):
        source(src, project)


def test_the_pieces_are_the_highlighters(project: Path) -> None:
    assert ("k", "def") in source("playground/a.py:7", project).lines[1]


def test_this_project_is_read(project: Path) -> None:
    assert source("mcp_core/messages.py:1", ROOT).path == "mcp_core/messages.py"
