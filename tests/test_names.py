"""The rule for file names: a pure function, so it says the same on every system."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.server.names import LONGEST_NAME, flaw_of, shown

WORDS = """notes.txt README a.tar.gz -rf ~ %2e%2e naïve.txt €.txt 日本.txt a&b $(touch) concert.txt com10.txt nulls
aux-1 a..b com 🙂.md it's.txt [1].txt console.log x=1;y"""
ALLOWED = [*WORDS.split(), "two words.txt", "x" * LONGEST_NAME]

REFUSED = {
    "": "empty",
    "..": "starts with a dot",
    ".": "starts with a dot",
    ".env": "starts with a dot",
    ".mcp-0123456789abcdef.tmp": "starts with a dot",
    "../x": "separator",
    "./ok.txt": "separator",
    "a/b": "separator",
    "/etc/hostname": "separator",
    "..\\x": "separator",
    "C:\\x": "separator",
    "....//x": "separator",
    "~/x": "separator",
    "%2e%2e/x": "separator",
    "file:///etc/hostname": "separator",
    "C:x": "one of <",
    "a.txt:stream": "one of <",
    "a.txt::$DATA": "one of <",
    "what?": "one of <",
    "*": "one of <",
    "a|b": "one of <",
    'say "hi"': "one of <",
    "<b>": "one of <",
    "a\0b": "control",
    "\0": "control",
    "a\nb": "control",
    "a.txt\n": "control",
    "a\x7f": "control",
    "a\x85": "control",
    "a\u2028b": "control",
    "gpj\u202e.exe": "direction",
    "a\u200f": "direction",
    "a.": "space",
    "a ": "space",
    " a": "space",
    "a\u00a0": "space",
    "\u3000a": "space",
    "e\u0301.txt": "NFC",
    "\u212b": "NFC",
    "\ud800": "Unicode",
    "a\udcff.txt": "Unicode",
    "x" * 256: "255 bytes",
    "é" * 128: "255 bytes",
    "x" * 5000: "255 bytes",
}
DEVICES = """CON con PRN AUX aux NUL COM0 com1 COM9 LPT1 lpt9 COM¹ lpt² COM³ CONIN$ conout$ CLOCK$"""


@pytest.mark.parametrize("name", ALLOWED)
def test_an_ordinary_name_is_allowed(name: str) -> None:
    assert flaw_of(name) is None


@pytest.mark.parametrize(("name", "reason"), REFUSED.items(), ids=ascii)
def test_a_dangerous_name_is_refused_for_its_reason(name: str, reason: str) -> None:
    assert reason in (flaw_of(name) or "")


@pytest.mark.parametrize("device", DEVICES.split())
@pytest.mark.parametrize("ending", ["", ".txt", ".tar.gz", " .txt"])
def test_a_device_name_of_windows_is_refused_with_any_ending(device: str, ending: str) -> None:
    assert flaw_of(device + ending) == "it is a device name on Windows"


@given(st.text(max_size=300))
def test_what_is_allowed_can_be_one_component_on_every_system(name: str) -> None:
    if flaw_of(name) is None:
        assert 0 < len(name.encode()) <= LONGEST_NAME
        assert not set(name) & set('/\\\0:*?"<>|')
        assert name == name.strip() == unicodedata.normalize("NFC", name)
        assert name[0] != "."
        assert name[-1] != "."
        assert all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in name)


@given(st.text(alphabet=st.characters(), max_size=400))
def test_a_name_is_shown_printable_and_short(name: str) -> None:
    assert shown(name).isprintable()
    assert len(shown(name)) <= 60 * 10 + 2
