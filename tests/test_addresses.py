"""What an address may give away."""

import pytest

from playground.addresses import secrets_in, shown


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("http://127.0.0.1:5000/mcp", ()),
        ("http://ann@host/v1", ()),
        ("http://ann:open-sesame@host/v1", ("open-sesame",)),
        ("http://ann:p%40ss@[::1]:80/v1", ("p%40ss", "p@ss")),
        ("https://host/sse?api_key=abc&x=1", ("abc",)),
        ("https://host/sse?Access-Token=a+b", ("a+b", "a b")),
        ("https://host/?sig=1&signed=2", ("1",)),
        ("https://host/?token=", ()),
        ("http://[::1/half", ()),
        ("ann:open-sesame@host", ()),
        ("not an address", ()),
        ("", ()),
    ],
)
def test_passwords_and_tokens_are_found_and_nothing_else(address: str, secrets: tuple[str, ...]) -> None:
    assert secrets_in(address) == secrets


def test_an_address_is_shown_without_them() -> None:
    assert shown("http://ann:open-sesame@host/?token=abc") == "http://ann:***@host/?token=***"
    assert shown("http://host/") == "http://host/"
