"""The scripted model as a program."""

import re
import socket
import threading
from pathlib import Path

import pytest

from playground.scripted_model import __main__ as program
from tests.scripted_files import send, user


def test_it_serves_until_it_is_stopped(capfd: pytest.CaptureFixture[str]) -> None:
    stop, ready = threading.Event(), threading.Event()
    asked, ended = list[str](), list[int]()
    flags = ["--port", "0", "--dialect", "openai", "--model", "mine", "--key", "k", "--context", "5000", "--pace", "0"]

    def started(base: str) -> None:
        asked.append(base)
        ready.set()

    thread = threading.Thread(target=lambda: ended.append(program.main(flags, stop, started)))
    thread.start()
    assert ready.wait(10)
    reply = send(
        asked[0], "/v1/chat/completions", {"model": "mine", "messages": [user("hi")]}, Authorization="Bearer k"
    )
    stop.set()
    thread.join(10)
    assert (reply.status, ended) == (200, [0])
    printed = capfd.readouterr().out
    assert "not a language model" in printed
    assert re.search(r"http://127.0.0.1:\d+/v1", printed)
    assert "scripted, mine" in printed


def test_ctrl_c_ends_it_quietly(capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            raise KeyboardInterrupt

    assert program.main(["--port", "0"], Interrupted()) == 0
    assert capsys.readouterr().err == ""


def test_the_list_shows_scenarios_and_the_gallery(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert "tutorial " in printed
    assert "endless-loop " in printed


def test_what_can_not_be_done_is_said_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert program.main(["--port", str(taken.getsockname()[1])]) == 1
    assert program.main(["--port", "99999"]) == 1
    bad = tmp_path / "bad.txt"
    bad.write_text("say: x")
    assert program.main(["--scenario", str(bad)]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 3
    assert "choose another with --port" in errors[0]
    assert f"{bad}:1:" in errors[2]
