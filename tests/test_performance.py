"""playground/performance.py: who speaks when, with one conversation and with two. What is said is in test_client.py."""

from __future__ import annotations

import io
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from playground import performance
from playground.carriers import Pipe, Post
from playground.narrator import Narrator
from playground.terminal import Terminal


class Speaker:
    """A conversation that only notes what it is asked to do."""

    def __init__(self, wire: Post | Pipe, teller: Narrator, revision: str, limit: float) -> None:
        self.revision, self.teller, self.limit, self.trace, self.surprises = revision, teller, limit, "", 0
        self.is_plain = isinstance(wire, Post) and wire.path == "/rpc"
        self.dialog: Any = self
        self.played: list[str] = []
        EVERYONE.append(self)

    def __enter__(self) -> Speaker:
        return self

    def __exit__(self, *_: object) -> None:
        self.played.append("end")
        self.teller.terminal.line("the end")

    def raw(self, body: bytes, source: str) -> None:
        self.played.append(body.decode())


EVERYONE: list[Speaker] = []


def handshake(to: Speaker) -> None:
    """begin"""
    to.played.append("handshake")


def odd(to: Speaker) -> None:
    """a surprise"""
    to.played.append("odd")
    to.surprises += 1
    to.teller.terminal.line("how odd")


def play(logs: Path, **wanted: Any) -> tuple[int, list[Speaker], str]:
    EVERYONE.clear()
    options: dict[str, Any] = {
        "scene": [],
        "body": None,
        "url": "http://127.0.0.1:9/mcp",
        "stdio": None,
        "revision": "2025-11-25",
    }
    more = {"logs": str(logs), "timeout": 3.0, "explain": False, "step": False, "pace": 0.0}
    out = io.StringIO()
    scenes = {"handshake": handshake, "odd": odd}
    code = performance.perform(Namespace(**{**options, **more, **wanted}), Terminal(out, {}, 80), scenes, Speaker)
    return code, list(EVERYONE), out.getvalue()


def test_without_a_wish_every_scene_is_played_and_a_surprise_is_exit_code_1(logs: Path) -> None:
    code, (speaker,), out = play(logs)
    assert (code, speaker.played) == (1, ["handshake", "odd", "end"])
    assert "──── odd" in out
    assert len(speaker.trace) == 32


@pytest.mark.parametrize(
    ("wanted", "played"),
    [
        ({"scene": ["odd"]}, ["handshake", "odd", "end"]),
        ({"scene": ["odd"], "revision": "auto"}, ["handshake", "odd", "end"]),
        ({"scene": ["odd"], "revision": "2026-07-28"}, ["odd", "end"]),
        ({"scene": ["odd"], "url": "http://127.0.0.1:9/rpc"}, ["odd", "end"]),
        ({"body": b"{}"}, ["{}", "end"]),
        ({"scene": ["handshake"], "body": b"{}"}, ["handshake", "{}", "end"]),
        ({"scene": ["handshake"], "stdio": "x", "url": None}, ["handshake", "end"]),
    ],
)
def test_a_session_is_begun_where_one_is_needed(logs: Path, wanted: dict[str, Any], played: list[str]) -> None:
    _, (speaker,), _ = play(logs, **wanted)
    assert speaker.played == played


def test_two_speakers_play_each_scene_and_their_ends_are_shown_too(logs: Path) -> None:
    code, (old, new), out = play(logs, revision="both", scene=["odd"])
    assert (code, old.revision, new.revision) == (1, "2025-11-25", "2026-07-28")
    assert old.played == new.played == ["handshake", "odd", "end"]
    assert out.count("how odd") == out.count("the end") == 2


def test_files_of_the_tour_come_after_the_scenes(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(name: str, options: Namespace) -> int:
        ran.append(name)
        return len(ran) - 1

    monkeypatch.setattr(performance, "run", run)
    assert play(logs, scene=["tour/a"])[:2] == (0, [])
    assert play(logs, scene=["tour/b", "handshake"])[0] == 1
    assert ran == ["tour/a", "tour/b"]
    assert EVERYONE[0].played == ["handshake", "end"]
