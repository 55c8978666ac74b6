"""Content blocks for a model to read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.host.providers.content import Medium, all_text, as_text, clean, medium

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/PNG; x=y"}


def blob(**more: Any) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": "a:b", "blob": "aGVsbG8=", "mimeType": "application/pdf", **more}}


def test_pictures_and_documents_are_found_in_blocks_and_resources() -> None:
    assert medium(IMAGE) == Medium("image/png", "aGVsbG8=")
    assert medium(blob()) == Medium("application/pdf", "aGVsbG8=")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "x"},
        {"type": "image"},
        {"type": "image", "data": "", "mimeType": "image/png"},
        {"type": "image", "data": "no base64!", "mimeType": "image/png"},
        {"type": "image", "data": "aGVsbG8=", "mimeType": 5},
        {"type": "resource", "resource": "x"},
        {"type": "resource"},
    ],
)
def test_what_has_no_sound_data_is_no_medium(block: dict[str, Any]) -> None:
    assert medium(block) is None


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "text", "text": "hello"}, "hello"),
        ({"type": "resource", "resource": {"uri": "file:///a", "text": "hello"}}, "[Resource file:///a]\nhello"),
        (blob(), "[Resource a:b: application/pdf, 6 bytes; it can't be shown to you]"),
        (
            {"type": "resource_link", "uri": "a:b", "name": "n", "mimeType": "text/plain", "size": 3},
            "[Link to a resource: a:b, n, text/plain]",
        ),
        (IMAGE, "[Image: image/PNG; x=y, 6 bytes; it can't be shown to you]"),
        ({"type": "audio", "mimeType": "audio/wav"}, "[Audio: audio/wav, no data; it can't be shown to you]"),
        ({"type": "image"}, "[Image: unknown type, no data; it can't be shown to you]"),
        ({"type": "resource", "resource": 5}, '{"type":"resource","resource":5}'),
        ({"type": "hologram", "é": 1}, '{"type":"hologram","é":1}'),
    ],
)
def test_every_block_has_a_text(block: dict[str, Any], text: str) -> None:
    assert as_text(block) == text


def test_texts_stand_below_each_other() -> None:
    assert all_text([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]) == "a\nb"


@given(st.dictionaries(st.text(), st.lists(st.text() | st.none())))
def test_what_is_clean_stays_and_the_rest_can_be_sent(value: Any) -> None:
    assert clean(value) == value


def test_half_characters_are_replaced_and_pairs_are_joined() -> None:
    assert clean(["\ud83d\ude00", "a\ud800", ("\udc00",), {"\ud800": 1}]) == [
        "\U0001f600",
        "a\ufffd",
        ["\ufffd"],
        {"\ufffd": 1},
    ]
