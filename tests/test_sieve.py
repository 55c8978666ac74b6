"""playground/viewer/sieve.py: what it lets pass is what the filter lets pass, whatever stands in the lines."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.viewer import filters
from playground.viewer.history import backward, sifted
from playground.viewer.records import Entry
from playground.viewer.sieve import shape_of, sieve
from playground.viewer.tail import CHUNK, Line

NAMES = st.sampled_from(["level", "data", "message", "data.message", "a", "0", "é", "raw", "flaw"])
TEXTS = st.sampled_from(["ERROR", "INFO", "5", "true", 'a"b', "back\\slash", "é", "\ud800", "", "not JSON"])
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=True) | TEXTS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))
RECORDS = st.builds(json.dumps, st.dictionaries(NAMES, VALUES, max_size=5), ensure_ascii=st.booleans())
ODD = st.sampled_from(
    [
        b"",
        b"  ",
        b"{}\r",
        b'{"level":"ERROR"} {"level":"INFO"}',
        b'{"level":"ERROR","level":"INFO"}',
        b'{"\\u006cevel":"ERR\\u004fR"}',
        b'{"level":"ERROR","x":"\xff"}',
        b'{"level":"ERROR","x":"\\ud800"}',
        b'{"level":"ERROR","x":1e999}',
        b'{"level":"ERROR","x":"\\x"}',
        b'{"level":"ERROR","x":01}',
        b'{"level":"ERROR","x":NaN}',
        b'{"level":"tools\\/call"}',
        b'{"level" : "tools/call"}',
        b'{"level":"\\u212a \xe2\x84\xaa"}',
        b'{"level":"\\u212A","a":1E3}',
        b'{"level":',
        b'"ERROR"}',
        b'["level","ERROR"]',
        b'{"data":' + b"[" * 2000 + b"]" * 2000 + b"}",
    ]
)
LINES = st.lists(ODD | RECORDS.map(lambda text: text.encode("utf-8", "surrogatepass")), max_size=8)
WORDS = ["ERROR", "5", "true", "JSON", "tools/call", 'a"b', "back\\slash", "é", ""]
KEYS = st.lists(st.sampled_from(["level", "data", "message", "a", "0", "é", "raw", "flaw"]), min_size=1, max_size=5)
TERMS = st.one_of(
    st.tuples(st.sampled_from(["=", "!=", "~"]), KEYS.map(".".join), st.sampled_from(WORDS)),
    st.tuples(st.sampled_from(["<", ">"]), KEYS.map(".".join), st.floats(-9, 9)),
    st.tuples(st.just("text"), st.sampled_from([*WORDS, "error", "json", "k", "1000", "inf", "leve", ""])),
)
TREES = st.recursive(
    TERMS.map(list),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner).map(list) | inner.map(lambda t: ["not", t]),
    max_leaves=4,
)


def subject(line: bytes) -> dict[str, Any]:
    return Entry("", 0, Line(0, line, len(line), len(line))).subject


@given(LINES, TREES)
def test_a_sieve_and_the_whole_records_agree(lines: list[bytes], tree: list[Any]) -> None:
    test, chunk = filters.compile(tree), b"".join(line + b"\n" for line in lines)
    wanted = [line for line in lines if test(subject(line))]
    found = sieve(test)(chunk) if chunk else []
    assert [line for _, line in found] == wanted
    assert all(chunk[at : at + len(line) + 1] == line + b"\n" for at, line in found)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("level", {"level": None}),
        ("data.id", {"data": {"id": None}, "data.id": None}),
        ("content.0.text", {"content": None, "content.0": {"text": None}, "content.0.text": None}),
    ],
)
def test_a_shape_names_every_way_to_read_a_key(key: str, shape: Any) -> None:
    assert shape_of(["=", key, "x"]) == shape


def test_what_is_read_whole_for_one_key_stays_whole_for_another() -> None:
    assert shape_of(["and", ["=", "data", "x"], ["=", "data.id", "7"]]) == {"data": None, "data.id": None}
    assert shape_of(["or", ["=", "data.id", "7"], ["=", "data", "x"]]) == {"data": None, "data.id": None}


def test_a_word_that_may_be_anywhere_has_no_shape() -> None:
    assert shape_of(["and", ["=", "level", "ERROR"], ["text", "demo"]]) is None
    assert shape_of(["not", ["=", "größe", "7"]]) is None


def test_a_key_of_many_names_makes_no_large_shape() -> None:
    assert shape_of(["=", "a.b.c.d.e.f", "7"]) is None


def test_a_file_is_sifted_from_its_end_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    long = b'{"level":"ERROR","x":"%b"}' % (b"y" * (CHUNK + 10))
    lines = [b'{"level":"%b","n":%d}' % (b"ERROR" if n % 7 == 0 else b"INFO", n) for n in range(30_000)]
    lines[20_000:20_001] = [long]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    test = filters.compile(["=", "level", "ERROR"])
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = path.stat().st_size
        found = list(sifted(descriptor, size, sieve(test)))
        assert found == [line for line in backward(descriptor, size) if test(subject(line.data))]
        assert len(found) > 4000
    finally:
        os.close(descriptor)
