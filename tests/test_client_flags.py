"""playground/client_flags.py: what the user of chapter 1 may say. More of it is in test_client.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.carriers import Trouble
from playground.client_flags import parse

SCENES, TOURS = ("ping", "cancel"), ("tour/cancel", "tour/roots")


def test_nothing_said_means_the_handshake_and_every_scene() -> None:
    options = parse([], SCENES, TOURS)
    assert (options.revision, options.scene, options.body, options.timeout) == ("2025-11-25", [], None, 30)


def test_a_scene_wins_over_a_file_of_the_tour_with_its_name() -> None:
    options = parse(["--scene", "cancel", "--scene", "roots", "--scene", "tour/cancel"], SCENES, TOURS)
    assert options.scene == ["cancel", "tour/roots", "tour/cancel"]


@pytest.mark.parametrize(
    "arguments",
    [["--scene", "dance"], ["--timeout", "0"], ["--pace", "86401"], ["--step", "--raw", "-"], ["--revision", "1999"]],
)
def test_what_makes_no_sense_ends_with_a_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        parse(arguments, SCENES, TOURS)
    assert refused.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_body_is_a_text_or_what_is_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"\xff")
    assert parse(["--raw", "{}"], SCENES, TOURS).body == b"{}"
    assert parse(["--raw", f"@{tmp_path}/body"], SCENES, TOURS).body == b"\xff"
    with pytest.raises(Trouble, match="can't be read"):
        parse(["--raw", "@/no/such/file"], SCENES, TOURS)
