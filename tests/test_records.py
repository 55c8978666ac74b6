"""A line becomes an envelope that every browser can parse, and nothing in it is rewritten."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playground.viewer.places import Spot, fingerprint
from playground.viewer.records import Entry, key_of
from playground.viewer.tail import Line

TS = "2026-11-29T21:20:21.123456+00:00"


def entry(data: bytes, size: int | None = None) -> Entry:
    size = len(data) if size is None else size
    return Entry("a.jsonl", 7, Line(10, data, size, 10 + size + 1))


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1}',
        b'{"a": 1.00, "a": 2}',
        '{"a":"\u2028\u0085é"}'.encode(),
        b'{"a":"\\ud800"}',
        b'{"a":123456789012345678901234567890, "b":1e999}',
        b'{"a":"<script>"}',
        b'{"a":1e999,"b":' + b"9" * 400 + b"}",
    ],
)
def test_a_record_travels_as_it_stands(data: bytes) -> None:
    text = entry(data).envelope
    assert text == b'{"file":"a.jsonl","at":10,"record":' + data + b"}"
    assert isinstance(json.loads(text)["record"], dict)


def test_no_cr_leaves() -> None:
    assert entry(b'{"a":1,\r"b":2}\r').envelope.endswith(b'"record":{"a":1, "b":2}}')
    forged = entry(b"x\revent: forged\rdata: y").envelope
    assert b"\r" not in forged
    assert json.loads(forged) == {
        "file": "a.jsonl",
        "at": 10,
        "raw": "x\revent: forged\rdata: y",
        "flaw": "not JSON",
    }


@pytest.mark.parametrize(
    ("data", "flaw", "raw"),
    [
        (b"plain", "not JSON", "plain"),
        (b"plain\r", "not JSON", "plain"),
        (b"[1]", "not JSON", "[1]"),
        (b"5", "not JSON", "5"),
        (b'{"a":NaN}', "not JSON", '{"a":NaN}'),
        (b'{"a":1', "not JSON", '{"a":1'),
        (b'{"a":1}{"b":2}', "not JSON", '{"a":1}{"b":2}'),
        (b'{"a":"\xff"}', "not UTF-8", '{"a":"\ufffd"}'),
        (b"\xff\xfe", "not UTF-8", "\ufffd\ufffd"),
        (b'{"a":"\x01"}', "not JSON", '{"a":"\x01"}'),
    ],
)
def test_a_flawed_line_is_shown_and_flagged(data: bytes, flaw: str, raw: str) -> None:
    assert json.loads(entry(data).envelope) == {"file": "a.jsonl", "at": 10, "raw": raw, "flaw": flaw}


def test_a_line_nested_too_deeply_is_flagged() -> None:
    assert entry(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}").value == "not JSON"


def test_a_number_of_any_length_is_one() -> None:
    value = entry(b'{"a":' + b"9" * 5000 + b"}").value
    assert value == {"a": float("inf")}


def test_a_cut_line_tells_its_true_size() -> None:
    cut = entry(b'{"a":"xxx', size=52_428_800)
    assert json.loads(cut.envelope)["flaw"] == "too long: 52428800 bytes"
    assert cut.spot == Spot(7, 10 + 52_428_801, 0)


def test_filters_look_at_the_record_or_at_what_is_shown() -> None:
    assert entry(b'{"a":1}').subject == {"a": 1}
    assert entry(b"plain").subject == {"raw": "plain", "flaw": "not JSON"}


def test_a_spot_is_behind_the_line() -> None:
    assert entry(b"abc").spot == Spot(7, 14, fingerprint(b"abc\n"))
    unfinished = Entry("a.jsonl", 7, Line(0, b"abc", 3, 3))
    assert unfinished.spot == Spot(7, 3, fingerprint(b"abc"))


def test_blank_lines_are_nothing_to_show() -> None:
    assert [entry(data).is_blank for data in (b"", b" \r", b"x")] == [True, True, False]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (f'{{"ts":"{TS}","data":{{"mono":9}},"mono":5,"src":"x"}}', (TS, 5)),
        (f'{{"ts":"{TS}","mono":5}}', (TS, 5)),
        (f'{{"ts":"{TS}"}}', (TS, 0)),
        (f'{{"ts":"{TS}","mono":"x"}}', (TS, 0)),
        ('{"a":1, "ts":"2026"}', ("2026", 0)),
        ('{"ts":"2026","mono":7}', ("2026", 7)),
        ('{"ts":5}', ("before", 3)),
        ("{}", ("before", 3)),
        ("plain", ("before", 3)),
        ("\udcff", ("before", 3)),
    ],
)
def test_a_line_sorts_by_time_then_by_mono(data: str, key: tuple[str, int]) -> None:
    assert key_of(data.encode("utf-8", "surrogateescape"), ("before", 3)) == key


def test_an_entry_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.viewer import records

    calls: list[bytes] = []
    decode = records._decode

    def counted(data: bytes) -> Any:
        calls.append(data)
        return decode(data)

    monkeypatch.setattr(records, "_decode", counted)
    one = entry(b'{"a":1}')
    assert (one.value, one.subject, one.envelope) == ({"a": 1}, {"a": 1}, one.envelope)
    assert len(calls) == 1
