"""Blocks of content, judged by the published schema."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import methods

from mcp_core import content

BLOCKS = [
    content.text("hello"),
    content.text(""),
    content.image(b"\x89PNG"),
    content.image(b"", "image/webp"),
    content.audio(b"RIFF"),
    content.audio(b"ID3", "audio/mpeg"),
    content.link("a:b", "b"),
    content.link("a:b", "b", mimeType="text/plain", size=3, title="B", description="The file."),
    content.embedded("a:b", "text"),
    content.embedded("a:b", "text", "text/plain"),
    content.embedded("a:b", b"\x00", "application/octet-stream"),
]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_block_is_one_of_the_published_kinds(block: dict[str, Any], revision: str) -> None:
    ended = {"resultType": "complete"} if revision == "2026-07-28" else {}
    methods.parse_server_result("tools/call", revision, {"content": [block], **ended})
    part = content.message("user", block)
    methods.parse_server_result("prompts/get", revision, {"messages": [part], **ended})


@given(st.binary(max_size=50))
def test_bytes_come_back_from_what_was_made_of_them(data: bytes) -> None:
    assert base64.b64decode(content.image(data)["data"], validate=True) == data
    assert base64.b64decode(content.audio(data)["data"], validate=True) == data
    assert base64.b64decode(content.contents("a:b", data)["blob"], validate=True) == data


def test_contents_are_text_or_bytes_and_say_their_type_only_if_it_is_known() -> None:
    assert content.contents("a:b", "x") == {"uri": "a:b", "text": "x"}
    assert content.contents("a:b", b"x", "t/s") == {"uri": "a:b", "mimeType": "t/s", "blob": "eA=="}


def test_a_message_takes_a_text_or_a_block() -> None:
    assert content.message("assistant", "x") == content.message("assistant", content.text("x"))
