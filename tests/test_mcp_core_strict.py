"""Strict JSON: what RFC 8259 allows comes in unchanged, and everything else is refused with a reason."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_core import strict
from mcp_core.strict import MAX_BYTES, MAX_DEPTH, MAX_DIGITS, MAX_VALUES, NotJSON

REFUSED: list[tuple[str | bytes, str]] = [
    # nothing, half of something, too much of it
    ("", "Expecting value"),
    (b"", "Expecting value"),
    (" \t\r\n", "Expecting value"),
    ("{", "property name"),
    ("[", "Expecting value"),
    ('{"a"', "delimiter"),
    ('{"a":', "Expecting value"),
    ('{"a":1', "delimiter"),
    ("[1", "delimiter"),
    ('"a', "Unterminated string"),
    ("{} {}", "Extra data"),
    ("1 2", "Extra data"),
    ("[]]", "Extra data"),
    ("null;", "Extra data"),
    ("{}\x00", "Extra data"),
    ("\x00{}", "Expecting value"),
    # words that are none of the three
    ("nul", "Expecting value"),
    ("nulL", "Expecting value"),
    ("NULL", "Expecting value"),
    ("True", "Expecting value"),
    ("undefined", "Expecting value"),
    ("NaN", "NaN is not a JSON number"),
    ("Infinity", "Infinity is not"),
    ("-Infinity", "-Infinity is not"),
    ('{"a": NaN}', "NaN is not a JSON number"),
    ("[[Infinity]]", "Infinity is not"),
    ("nan", "Expecting value"),
    ("inf", "Expecting value"),
    # other dialects
    ("{'a': 1}", "property name"),
    ("{a: 1}", "property name"),
    ('{"a": 1,}', "property name"),
    ("[1,]", "Expecting value"),
    ("[,1]", "Expecting value"),
    ("[1,,2]", "Expecting value"),
    ("[1 2]", "delimiter"),
    ('{"a" 1}', "delimiter"),
    ('{"a": 1 "b": 2}', "delimiter"),
    ('{"a", 1}', "delimiter"),
    ("{1: 2}", "property name"),
    ("{null: 2}", "property name"),
    ("// no\n1", "Expecting value"),
    ("/* no */ 1", "Expecting value"),
    ("# no\n1", "Expecting value"),
    ("`a`", "Expecting value"),
    # numbers
    ("01", "Extra data"),
    ("-01", "Extra data"),
    ("+1", "Expecting value"),
    ("1.", "Extra data"),
    (".5", "Expecting value"),
    ("-", "Expecting value"),
    ("--1", "Expecting value"),
    ("1e", "Extra data"),
    ("1e+", "Extra data"),
    ("0x10", "Extra data"),
    ("1_000", "Extra data"),
    ("\u0661", "Expecting value"),  # ARABIC-INDIC DIGIT ONE
    ("1e999", "too large for a double"),
    ("-1e999", "too large for a double"),
    ('{"a": [1e400]}', "too large for a double"),
    ("9" * 400 + ".0", "too large for a double"),
    ("9" * (MAX_DIGITS + 1), "digits"),
    ("-" + "9" * MAX_DIGITS, "digits"),
    ('{"id": ' + "9" * 5000 + "}", "digits"),
    # strings
    ('"\x00"', "Invalid control character"),
    ('"\x1f"', "Invalid control character"),
    ('"a\nb"', "Invalid control character"),
    ('"a\tb"', "Invalid control character"),
    ('"\\x41"', "Invalid \\escape"),
    ('"\\u12"', "Invalid \\uXXXX escape"),
    ('"\\u12g4"', "Invalid \\uXXXX escape"),
    ('"\\u 123"', "Invalid \\uXXXX escape"),
    ('"\\u+123"', "Invalid \\uXXXX escape"),
    ('"\\', "Unterminated string"),
    # white space that is none
    ("\u00a01", "Expecting value"),
    ("\u20281", "Expecting value"),
    ("\x0b1", "Expecting value"),
    ("\x0c1", "Expecting value"),
    ("1\u0085", "Extra data"),
    # members
    ('{"a":1,"a":1}', 'two members named "a"'),
    ('{"a":1,"b":2,"a":3}', 'two members named "a"'),
    ('{"x":{"a":1,"a":2}}', 'two members named "a"'),
    ('[{"a":1,"a":2}]', 'two members named "a"'),
    ('{"id":1,"\\u0069d":2}', 'two members named "id"'),
    ('{"\\u00e9":1,"é":2}', "two members named"),
    ('{"":1,"":2}', 'two members named ""'),
    ('{"' + "k" * 500 + '":1,"' + "k" * 500 + '":2}', 'named "' + "k" * 40 + '"'),
    # depth
    ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper"),
    ("[" * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1), "nested deeper"),
    ("[" * MAX_DEPTH + "{}" + "]" * MAX_DEPTH, "nested deeper"),
    ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "nested deeper"),
    ('{"params":' + "[" * 20_000 + "]" * 20_000 + "}", "nested deeper"),
    ("[" * 20_000 + "]" * 20_000, "nested deeper"),
    ('{"a":' * 20_000 + "1" + "}" * 20_000, "nested deeper"),
    ("[" * 100_000, "nested deeper"),
    # bytes
    (b"\xff", "byte 0 is not UTF-8"),
    (b'"\xc3\x28"', "byte 1 is not UTF-8"),
    (b'"\xed\xa0\x80"', "is not UTF-8"),  # a surrogate, encoded as if it were a character
    (b'"\xc0\xaf"', "is not UTF-8"),  # an overlong slash
    (b'"\xf4\x90\x80\x80"', "is not UTF-8"),  # beyond U+10FFFF
    (b'{"a":1', "delimiter"),
    ('{"a":1}'.encode("utf-16"), "is not UTF-8"),
    ('{"a":1}'.encode("utf-16-le"), "property name"),
    ('{"a":1}'.encode("utf-16-be"), "Expecting value"),
    ('{"a":1}'.encode("utf-32"), "is not UTF-8"),
    (b"\xef\xbb\xbf{}", "byte-order mark"),
    ("\ufeff{}", "byte-order mark"),
    (" \ufeff{}", "Expecting value"),
    # number of values
    ("[" + "0," * MAX_VALUES + "0]", "values"),
    ("[" + "[]," * (MAX_VALUES // 2 + 1) + "[]]", "values"),
    ('["",' + "{}," * MAX_VALUES + '"\\"]', "values"),
    # size
    (b'"' + b"a" * MAX_BYTES + b'"', "longer than"),
    ('"' + "a" * MAX_BYTES + '"', "longer than"),
]

ACCEPTED: list[tuple[str | bytes, Any]] = [
    ("null", None),
    ("true", True),
    ("false", False),
    ("0", 0),
    ("-0", 0),
    ("-1", -1),
    ("1.5", 1.5),
    ("1.0", 1.0),
    ("1e3", 1000.0),
    ("1E+3", 1000.0),
    ("1e-999", 0.0),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("9007199254740993", 9007199254740993),  # 2**53 + 1, which a double can't hold
    ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)),
    ('""', ""),
    ('"a"', "a"),
    ('"é€😀"', "é€😀"),
    ('"\\u00e9\\ud83d\\ude00"', "é😀"),
    ('"\\ud800"', "\ud800"),  # RFC 8259 section 8.2: allowed by the grammar; what it does later is tested there
    ('"\\ude00\\ud83d"', "\ude00\ud83d"),
    ('"\\u0000"', "\0"),
    ('"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'),
    ('"\u2028\u2029\u0085\x7f"', "\u2028\u2029\u0085\x7f"),
    ('"\ufeff"', "\ufeff"),
    ("[]", []),
    ("{}", {}),
    (" \t\r\n [ 1 , 2 ] \n", [1, 2]),
    ('{"a":{"a":{"a":1}}}', {"a": {"a": {"a": 1}}}),
    ('[{"a":1},{"a":2}]', [{"a": 1}, {"a": 2}]),
    ('{"a":1,"A":2,"a ":3}', {"a": 1, "A": 2, "a ": 3}),
    ('{"__proto__":1,"__class__":2}', {"__proto__": 1, "__class__": 2}),
    (b'{"a":"\xc3\xa9"}', {"a": "é"}),
    ('"' + "[{" * 1000 + '"', "[{" * 1000),  # brackets in a text are not depth
    ("[" + "[]," * 1000 + "[]]", [[]] * 1001),  # nor is breadth
    ('"' + ',[{\\"\\\\' * MAX_VALUES + '"', ',[{"\\' * MAX_VALUES),  # nor are commas in a text values
    ("[" + "0," * (MAX_VALUES - 1) + "0]", [0] * MAX_VALUES),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_not_strict_json_is_refused_with_a_reason(text: str | bytes, reason: str) -> None:
    with pytest.raises(NotJSON) as refused:
        strict.loads(text)
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 150
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("text", "value"), ACCEPTED)
def test_what_rfc_8259_allows_comes_in_unchanged(text: str | bytes, value: Any) -> None:
    found = strict.loads(text)
    assert (found, type(found)) == (value, type(value))


def test_minus_zero_keeps_its_sign_where_it_is_a_fraction() -> None:
    assert math.copysign(1, strict.loads("-0.0")) == -1.0


@pytest.mark.parametrize("core", ["[]", "{}", "[1]", '{"a":null}'])
def test_the_deepest_nesting_that_is_allowed_is_allowed(core: str) -> None:
    around = MAX_DEPTH - 1
    value = strict.loads("[" * around + core + "]" * around)
    for _ in range(around):
        (value,) = value
    assert value == json.loads(core)


def test_a_message_of_exactly_the_limit_is_read() -> None:
    assert len(strict.loads(b'"' + b"a" * (MAX_BYTES - 2) + b'"')) == MAX_BYTES - 2


def test_a_number_with_millions_of_digits_takes_no_time() -> None:
    assert strict.loads("0." + "1" * 1_000_000) == pytest.approx(1 / 9)


def test_the_complaint_about_a_doubled_name_holds_no_raw_text_of_the_sender() -> None:
    with pytest.raises(NotJSON) as refused:
        strict.loads('{"\\ud800\\u001b":1,"\\ud800\\u001b":2}')
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {"a": [math.nan]}])
def test_what_has_no_json_is_never_written(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        strict.dumps(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
@example("\u2028\x85\x7f\ud800")
@example({"\ud800": -0.0})
def test_what_is_written_is_one_ascii_line_and_reads_back_the_same(value: Any) -> None:
    text = strict.dumps(value)
    assert text.isascii()
    assert text.isprintable()
    assert repr(strict.loads(text)) == repr(value)
    assert repr(strict.loads(text.encode())) == repr(value)


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_a_value_or_a_refusal(data: bytes) -> None:
    try:
        value = strict.loads(data)
    except NotJSON:
        return
    assert repr(json.loads(data)) == repr(value)


@pytest.mark.parametrize("has_machine", [True, False])
def test_an_encoder_is_json_itself_with_or_without_the_machine_in_c(
    has_machine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_machine:
        monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    encode = strict.encoder(default=str)
    value: Any = {"a": [1, 2.5, 1e16, -0.0, None, True, "é\x7f\u2028\ud800"], "b": {}, "c": [], "d": {1}, "e": 10**30}
    assert encode(value) == json.dumps(value, separators=(",", ":"), default=str)
    assert encode("é") == '"\\u00e9"'
    with pytest.raises(ValueError, match="JSON compliant"):
        encode([math.nan])
    value["a"].append(value)
    with pytest.raises((RecursionError, ValueError)):
        encode(value)
