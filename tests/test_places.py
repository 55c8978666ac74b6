"""Places become tokens and come back; a token from anywhere else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.viewer import places
from playground.viewer.places import Bookmark, Known, Spot, fingerprint

NUMBERS = st.integers(0, 2**63)
SPOTS = st.builds(Spot, NUMBERS, NUMBERS, st.integers(0, 2**32 - 1))
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(st.dictionaries(NAMES, SPOTS, max_size=5))
def test_a_token_says_it_all(where: dict[str, Spot]) -> None:
    token = Bookmark(where).token
    assert places.read(token) == Known(where)
    assert token.isascii()
    assert token.isprintable()
    assert " " not in token


@given(st.dictionaries(NAMES, st.tuples(SPOTS, SPOTS), max_size=30), st.integers(1, 2**60), st.integers(0, 600))
def test_a_token_with_too_little_room_names_what_is_not_read_and_never_lies(
    where: dict[str, tuple[Spot, Spot]], seen: int, room: int
) -> None:
    ends = {name: end for name, (_, end) in where.items()}
    begun = {name: begin for name, (begin, _) in where.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "ENOUGH", room)
        patch.setattr(places, "MOST", 2 * room)
        place = Bookmark(begun, seen, ends)
        for name in list(where)[::2]:
            place.move(name, ends[name])
            begun[name] = ends[name]
        token = place.token
    known = places.read(token)
    assert known is not None
    assert len(token) <= 3 * room + 20
    for name, spot in begun.items():
        told = known.of(name, ends[name], seen - 1)
        assert told is None or (told.inode, told.at) == (spot.inode, spot.at)
        assert known.of(name, ends[name], seen) == known.places.get(name)


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "~",
        "~1;",
        "a.jsonl:1:2:3;~1",
        "a.jsonl:1:2",
        "a.jsonl:1:2:3:4",
        "a.jsonl:1:2:g",
        "a.jsonl:-1:2:3",
        ";",
        "a:1:2:3;",
        ":1:2:3",
        "a" * 70_000,
        "a.jsonl:" + "f" * 17 + ":1:1",
        "a.jsonl:1:2:3\n",
    ],
)
def test_what_is_no_token_is_refused(token: str) -> None:
    assert places.read(token) is None


def test_a_fingerprint_is_of_the_last_line_and_never_zero() -> None:
    assert fingerprint(b"one\ntwo\n") == fingerprint(b"two\n") != fingerprint(b"one\n")
    assert fingerprint(b"x" * 100 + b"\n") == fingerprint(b"x" * 63 + b"\n")
    assert fingerprint(b"") != 0


def test_a_spot_fits_the_bytes_before_it() -> None:
    assert Spot(1, 8, fingerprint(b"two\n")).fits(b"one\ntwo\n")
    assert not Spot(1, 8, fingerprint(b"two\n")).fits(b"one\nsix\n")
    assert Spot(1, 0).fits(b"")
