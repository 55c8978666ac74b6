"""bench/peers.py: which commands start a peer, and what is said of one that isn't there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import equipment
import pytest

from bench import peers
from bench.processes import Unavailable


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(peers, "HOME", tmp_path)
    monkeypatch.setattr(equipment, "node", lambda: Path("/tools/bin/node"))
    monkeypatch.setattr(equipment, "uv", lambda: Path("/tools/uv"))
    return tmp_path


def installed(monkeypatch: pytest.MonkeyPatch, *, code: int = 0) -> list[list[str]]:
    """Installations that only note how they were asked for."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, code, "", "no network\n")

    monkeypatch.setattr(subprocess, "run", run)
    return ran


def test_each_peer_is_installed_in_an_exact_version_and_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = installed(monkeypatch)
    assert peers.make() == 0
    assert {path.name for path in home.iterdir()} == {*peers.PYTHON, *peers.NPM}
    pinned = [package for packages in (peers.PYTHON | peers.NPM).values() for package in packages]
    assert all(any(package in command for command in ran) for package in pinned)
    assert all(package[1:].count("==") + package[1:].count("@") == 1 for package in pinned)
    assert "The peers are ready." in capsys.readouterr().out
    ran.clear()
    assert (peers.make(), ran) == (0, [])


def test_another_version_is_installed_anew(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = installed(monkeypatch)
    peers.make()
    (home / "frontail" / "old").touch()
    monkeypatch.setitem(peers.NPM, "frontail", ("frontail@5.0.0",))
    with pytest.raises(Unavailable, match="not installed; `make bench-peers`"):
        peers.package("frontail", "frontail/bin/frontail")
    ran.clear()
    assert peers.make() == 0
    assert ["frontail@5.0.0" in command for command in ran] == [True]
    assert not (home / "frontail" / "old").exists()


def test_what_cannot_be_installed_leaves_nothing_and_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch, code=1)
    assert peers.make() == 1
    assert list(home.iterdir()) == []
    said = capsys.readouterr().out
    assert "failed: no network" in said
    assert f"Not installed: {', '.join((*peers.PYTHON, *peers.NPM))}" in said


def test_an_installation_that_hangs_is_given_up(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hang(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert peers.make() == 1
    assert "failed: it was not done after 600 s" in capsys.readouterr().out


def test_without_the_tools_it_says_how_to_get_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(equipment, "node", lambda: None)
    assert peers.make() == 1
    assert "`make bench-peers` sets them up" in capsys.readouterr().out


def test_what_the_system_lacks_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch)
    monkeypatch.setattr(peers, "DEBIAN", ("no-such-program",))
    peers.make()
    assert "On Debian: apt-get install no-such-program" in capsys.readouterr().out
    with pytest.raises(Unavailable, match="no-such-program is not on the PATH"):
        peers.program("no-such-program")
    assert peers.program("sh").endswith("/sh")


def test_a_program_runs_in_the_environment_of_its_peer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)
    peers.make()
    python, program, folder = peers.python("python-sdk", "python_sdk.py", "files")
    assert (Path(python), folder) == (equipment.environment(home / "python-sdk")[1], "files")
    assert Path(program).is_file()
    node, beside, _ = peers.node("typescript-1", "typescript_1.mjs", "files")
    assert (node, Path(beside)) == ("/tools/bin/node", home / "typescript-1" / "typescript_1.mjs")
    assert Path(beside).is_file()
    assert peers.package("frontail", "a/b.js", "--x")[1:] == [str(home / "frontail/node_modules/a/b.js"), "--x"]


def test_only_what_is_there_has_a_version(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equipment, "chromium", lambda: None)
    monkeypatch.setattr(equipment, "answer", lambda path, _: "jq-1.7\nmore\n" if path == "jq" else None)
    assert peers.versions() == {"jq": "jq-1.7"}
    (home / "frontail").mkdir()
    (home / "frontail" / peers.PINS).write_text("frontail@4.9.2\nas of 2026-11-28\n")
    assert peers.versions() == {"frontail": "frontail@4.9.2", "jq": "jq-1.7"}
