"""playground/editing.py: the editor gets the message, and what it leaves is what is sent."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from playground.editing import NotEdited, edited

BODY = b'{"jsonrpc":"2.0","id":1}'


def editor(folder: Path, code: str) -> dict[str, str]:
    """The environment with an editor that is this code: `text` is the file's, `keep(bytes)` saves."""
    script = folder / "editor.py"
    head = "import sys\npath = sys.argv[1]\ntext = open(path, 'rb').read()\n"
    script.write_text(head + "def keep(data): open(path, 'wb').write(data)\n" + code)
    return {"EDITOR": shlex.join([sys.executable, str(script)])}


def test_what_the_editor_leaves_is_sent_as_it_is(tmp_path: Path) -> None:
    assert edited(BODY, editor(tmp_path, "keep(text.replace(b'1', b'nonsense'))")) == (
        b'{\n  "jsonrpc": "2.0",\n  "id": nonsense\n}'
    )
    assert edited(BODY, editor(tmp_path, r"keep(b'\xff{\r\n')")) == b"\xff{"
    assert edited(BODY, editor(tmp_path, "keep(b'')")) == b""


def test_a_message_that_nobody_changed_stays_to_the_byte(tmp_path: Path) -> None:
    assert edited(BODY, editor(tmp_path, "")) == BODY
    assert edited(b"\xffno json", editor(tmp_path, "")) == b"\xffno json"


def test_for_a_pipe_it_stays_in_one_line(tmp_path: Path) -> None:
    command = editor(tmp_path, "keep(text + str(text.count(b'\\n')).encode())")
    assert edited(BODY, command, one_line_only=True) == BODY + b"\n1"


@pytest.mark.parametrize(
    ("command", "said"),
    [("no-such-editor -w", "can't be started"), ("'unclosed", "can't be started"), ("", "ended with 3")],
)
def test_an_editor_that_fails_is_named(tmp_path: Path, command: str, said: str) -> None:
    environ = {"VISUAL": command} if command else editor(tmp_path, "sys.exit(3)")
    with pytest.raises(NotEdited, match=said):
        edited(BODY, environ)


def test_the_file_is_gone_afterwards(tmp_path: Path) -> None:
    kept = tmp_path / "path"
    edited(BODY, editor(tmp_path, f"open({str(kept)!r}, 'w').write(path)"))
    assert not Path(kept.read_text()).exists()
