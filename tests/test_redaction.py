"""A known secret is masked in every form it may take in a log."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground import anyjson
from playground.redaction import MASK, Redactor, without_keys

SECRET = 'sk-"canary\\1234/é+='


def masked(value: Any, secret: str = SECRET) -> Any:
    redactor = Redactor([secret])
    text = anyjson.encode(value)
    assert redactor.finds(text)
    result = redactor.mask(text)
    assert not redactor.finds(result)
    return json.loads(result)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": f"x {SECRET} y"}, {"a": f"x {MASK} y"}),
        ({SECRET: 1, "b": 2}, {MASK: 1, "b": 2}),
        ({"a": [json.dumps({"k": SECRET}, ensure_ascii=True)]}, {"a": ['{"k": "***"}']}),
        ({"a": json.dumps(json.dumps({"k": SECRET}))}, {"a": '"{\\"k\\": \\"***\\"}"'}),
        ([quote(SECRET, safe="")], [MASK]),
        ([SECRET.encode().hex(), f"X{SECRET.encode().hex().upper()}X"], [MASK, f"X{MASK}X"]),
    ],
)
def test_a_secret_is_masked_where_it_stands(value: Any, expected: Any) -> None:
    assert masked(value) == expected


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_in_base64_is_masked_at_every_alignment(before: str, encode: Any) -> None:
    secret = "sk-canary-0123456789~~??>>"
    text = encode(f"{before}{secret} and more".encode()).decode()
    result = masked({"blob": text}, secret)["blob"]
    assert MASK in result
    assert len(result) < len(text) - len(secret)  # at most a character at each end is left


def test_a_secret_written_with_needless_escapes_is_masked() -> None:
    secret = "canary-0123456789"
    raw = '{"key":"\\u0063anary\\u002d0123456789"}'
    assert masked({"raw": raw, "id": 7}, secret) == {"raw": MASK, "id": 7}
    assert masked({"raw": json.dumps(raw)}, secret) == {"raw": MASK}


def test_a_number_that_is_the_secret_is_masked_and_the_text_stays_json() -> None:
    assert masked({"pin": 123456789, "n": 1}, "12345678") == {"pin": MASK, "n": 1}


def test_a_secret_that_looks_like_json_cannot_tear_it() -> None:
    assert masked({"a": [True, False], "b": "true,false"}, "true,false") == {"masked": MASK}


def test_what_can_not_be_taken_apart_is_masked_whole() -> None:
    redactor = Redactor(["canary-0123456789"])
    assert json.loads(redactor.mask("[" * 100_000 + "canary-0123456789")) == {"masked": MASK}


def test_short_values_are_no_secrets() -> None:
    assert not Redactor(["ollama", ""]).finds('"ollama"')


def test_a_longer_secret_is_masked_before_one_that_it_holds() -> None:
    redactor = Redactor(["canary-1234", "canary-1234-5678"])
    assert redactor.mask('"canary-1234-5678"') == f'"{MASK}"'


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("write", [repr, ascii, lambda text: json.dumps(repr(text))])
def test_a_secret_in_the_quotes_of_a_sentence_is_masked(write: Any) -> None:
    secret = "canary-0123456789\"\\'é="
    assert masked({"error": f"The name {write(secret)} is not allowed"}, secret)["error"].count(MASK) == 1


@pytest.mark.parametrize("kept", [16, 17, 30, 39])
@pytest.mark.parametrize("write", [str, lambda text: quote(text, safe=""), in_base64])
def test_what_is_left_of_a_secret_that_was_cut_is_masked(kept: int, write: Any) -> None:
    secret = "sk-canary/0123456789abcdefghij+klmnopqrst"
    cut = write(secret)[:kept]
    assert masked({"a": f"x {cut}… y"}, secret)["a"] in (f"x {MASK}… y", f"x {MASK}{cut[-1]}… y")
    assert not Redactor([secret]).finds(anyjson.encode(secret[:15]))


def test_bytes_are_masked() -> None:
    assert Redactor([SECRET]).mask_bytes(b"\xff" + SECRET.encode() + b"\xfe") == b"\xff***\xfe"


def test_key_headers_are_left_out() -> None:
    headers = {
        "Authorization": "1",
        "proxy-authorization": "2",
        "X-Api-Key": "3",
        "api-key": "4",
        "Cookie": "5",
        "Set-Cookie": "6",
        "x-goog-api-key": "7",
        "X-Auth-Token": "8",
        "Mcp-Session-Id": "s",
    }
    assert without_keys({"status": 200, "headers": headers}) == (
        {"status": 200, "headers": {"Mcp-Session-Id": "s"}},
        True,
    )
    assert without_keys({"method": "POST"}) == ({"method": "POST"}, False)


@given(
    st.recursive(
        st.text(max_size=5) | st.sampled_from([SECRET, json.dumps(SECRET), f"<{SECRET}>"]) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    )
)
def test_no_form_of_a_secret_survives(value: Any) -> None:
    redactor = Redactor([SECRET])
    text = anyjson.encode(value)
    if redactor.finds(text):
        text = redactor.mask(text)
    assert not redactor.finds(text)
    assert SECRET not in text
    json.loads(text)
