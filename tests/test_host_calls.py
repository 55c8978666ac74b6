"""Calls as models write them, results as tools give them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.host.calls import Call, Result, read_arguments


@pytest.mark.parametrize("raw", [None, ""])
def test_nothing_at_all_means_no_arguments(raw: Any) -> None:
    assert read_arguments(raw) == ("", {}, None)


@pytest.mark.parametrize("raw", ['{"a": 1}', {"a": 1}])
def test_an_object_is_taken_as_text_or_as_a_value(raw: Any) -> None:
    text, value, complaint = read_arguments(raw)
    assert (json.loads(text), value, complaint) == ({"a": 1}, {"a": 1}, None)
    assert text == (raw if isinstance(raw, str) else '{"a":1}')


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        ("null", "not_object", "are null"),
        ("[]", "not_object", "an array"),
        ("5", "not_object", "a number"),
        ("true", "not_object", "a boolean"),
        ('"text"', "not_object", "a string"),
        ([], "not_object", "an array"),
        (5, "not_object", "a number"),
        (False, "not_object", "a boolean"),
        ('"{\\"a\\": 1}"', "double_encoded", "encoded twice"),
        ('{"filename": "a.txt"', "cut_json", "stop in the middle"),
        ('{"filename": "a.t', "cut_json", "stop in the middle"),
        ("{", "cut_json", "stop in the middle"),
        (" ", "cut_json", "stop in the middle"),
        ("filename=a.txt", "invalid_json", "character 1"),
        ('{"a": 1} and more', "invalid_json", "Extra data at character"),
        ("```json\n{}\n```", "invalid_json", "not valid JSON"),
        ("{'a': 1}", "invalid_json", "not valid JSON"),
        ('{"a": NaN}', "invalid_json", "NaN"),
        ({"a": float("inf")}, "invalid_json", "Infinity"),
        ('{"a": 1e999}', "invalid_json", "too large"),
        ('{"a": 1, "a": 2}', "invalid_json", "twice"),
        ("[" * 100_000, "invalid_json", "not valid JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "invalid_json", "not valid JSON"),
    ],
)
def test_what_is_not_one_object_is_a_complaint_and_never_empty_arguments(raw: Any, kind: str, words: str) -> None:
    text, value, complaint = read_arguments(raw)
    assert value is None
    assert complaint is not None
    assert complaint.kind == kind
    assert words in complaint.sentence
    assert "not run" in complaint.sentence
    assert isinstance(raw, str) is (text == raw)


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_reading_arguments_never_fails(raw: Any) -> None:
    _, value, complaint = read_arguments(raw)
    assert (value is None) != (complaint is None)


def test_fractions_are_numbers() -> None:
    assert read_arguments('{"a": 1.5}')[1] == {"a": 1.5}


def test_a_call_that_cannot_be_run_is_echoed_as_an_object() -> None:
    assert Call.received("a", "read", '{"a"').echo() == {"invalid_arguments": '{"a"'}
    assert Call.received("a", "read", '{"a":1}').echo() == {"a": 1}


def test_a_call_has_arguments_or_a_complaint_and_a_result_has_content() -> None:
    with pytest.raises(ValueError, match="either arguments or a complaint"):
        Call("a", "read", "", None)
    with pytest.raises(ValueError, match="at least one content block"):
        Result("a", ())
    assert texts(Result.of_text("a", "x")) == ["x"]


def test_names_and_ids_of_a_wrong_type_become_text() -> None:
    call = Call.received(12, None, None, {"index": 0})
    assert (call.id, call.name, call.extras) == ("12", "", {"index": 0})


def texts(result: Result) -> list[str]:
    return [block["text"] for block in result.content]


def test_a_result_keeps_its_blocks_and_its_error_mark() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]
    result = Result.received("a", {"content": blocks, "isError": True})
    assert (list(result.content), result.is_error) == (blocks, True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"structuredContent": {"é": 1}}, '{"é":1}'),
        ({"content": [], "structuredContent": {"n": 1}}, '{"n":1}'),
        ({"content": [{"type": "text", "text": ""}], "structuredContent": [1]}, "[1]"),
        ({}, "(The tool returned no content.)"),
        ({"content": "plain"}, "(The tool returned no content.)"),
        ({"content": ["plain"]}, "plain"),
        ({"content": [{"type": "text", "text": 5}]}, '{"type":"text","text":5}'),
        ({"content": [{"kind": "x"}]}, '{"kind":"x"}'),
    ],
)
def test_a_result_always_has_something_to_read(given: dict[str, Any], text: str) -> None:
    assert texts(Result.received("a", given)) == [text]


def test_a_long_result_is_cut_with_a_mark_that_says_how_much_is_left_out() -> None:
    long = Result("a", ({"type": "text", "text": "x" * 8}, {"type": "text", "text": "y" * 8}))
    short, left_out = long.shortened(10)
    assert left_out == 6
    assert texts(short) == ["x" * 8, "yy\n[Cut here: 8 characters in all, the last 6 left out.]"]
    assert long.shortened(16) == (long, 0)


def test_a_medium_stays_whole_or_goes_whole() -> None:
    image = {"type": "image", "data": "A" * 1000, "mimeType": "image/png"}
    kept = Result("a", (image,))
    assert kept.shortened(100) == (kept, 0)
    short, left_out = kept.shortened(10)
    assert left_out > 1000
    assert texts(short)[0].startswith("[image of 1,0")
