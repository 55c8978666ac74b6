"""JSON-RPC's envelope: four messages, and a ProtocolError for everything else, with the id wherever there is one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_core import messages
from mcp_core.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    Failure,
    Message,
    Notification,
    ProtocolError,
    Request,
    Result,
    decode,
    encode,
)

V = '"jsonrpc":"2.0"'

ACCEPTED: list[tuple[str, Message]] = [
    (f'{{{V},"id":1,"method":"ping"}}', Request(1, "ping")),
    (f'{{{V},"id":0,"method":"ping"}}', Request(0, "ping")),
    (f'{{{V},"id":-1,"method":"ping"}}', Request(-1, "ping")),
    (f'{{{V},"id":-0,"method":"ping"}}', Request(0, "ping")),
    (f'{{{V},"id":"1","method":"ping"}}', Request("1", "ping")),
    (f'{{{V},"id":"","method":"ping"}}', Request("", "ping")),
    (f'{{{V},"id":9007199254740993,"method":"ping"}}', Request(9007199254740993, "ping")),
    (f'{{{V},"id":"\\ud800","method":"ping"}}', Request("\ud800", "ping")),
    (f'{{{V},"id":"\\"😀","method":"ping"}}', Request('"😀', "ping")),
    (f'{{{V},"id":1,"method":""}}', Request(1, "")),
    (f'{{{V},"id":1,"method":"rpc.x"}}', Request(1, "rpc.x")),
    (f'{{{V},"id":1,"method":"ping","params":{{}}}}', Request(1, "ping", {})),
    (f'{{{V},"id":1,"method":"ping","params":null}}', Request(1, "ping", {})),
    (f'{{{V},"id":1,"method":"ping","params":{{"a":[1]}}}}', Request(1, "ping", {"a": [1]})),
    (f'{{"method":"ping","extra":5,"id":1,{V}}}', Request(1, "ping")),
    (f'{{{V},"method":"a"}}', Notification("a")),
    (f'{{{V},"method":"a","params":null}}', Notification("a")),
    (f'{{{V},"method":"a","params":{{"id":3}}}}', Notification("a", {"id": 3})),
    (f'{{{V},"method":"a","params":[1,2]}}', Notification("a")),  # by position: JSON-RPC's own example
    (f'{{{V},"id":1,"result":{{}}}}', Result(1, {})),
    (f'{{{V},"id":"s","result":{{"a":null}}}}', Result("s", {"a": None})),
    (f'{{{V},"id":1,"error":{{"code":-32601,"message":"no"}}}}', Failure(1, -32601, "no")),
    (f'{{{V},"id":null,"error":{{"code":-32700,"message":"no"}}}}', Failure(None, -32700, "no")),
    (f'{{{V},"error":{{"code":-32700,"message":"no"}}}}', Failure(None, -32700, "no")),
    (f'{{{V},"id":1,"error":{{"code":0,"message":"","data":[1]}}}}', Failure(1, 0, "", [1])),
    (f'{{{V},"id":1,"error":{{"code":1,"message":"","data":null}}}}', Failure(1, 1, "", None)),
    (f'{{{V},"id":1,"error":{{"code":1,"message":"","data":false,"more":2}}}}', Failure(1, 1, "", False)),
]

# text, code, the id that the answer to it must carry, a word of the reason
REFUSED: list[tuple[str, int, Any, str]] = [
    ("", PARSE_ERROR, None, "not JSON"),
    ("{", PARSE_ERROR, None, "not JSON"),
    (f'{{{V},"id":NaN,"method":"ping"}}', PARSE_ERROR, None, "NaN"),
    (f'{{{V},"id":1,"method":"ping","params":{{"a":Infinity}}}}', PARSE_ERROR, None, "Infinity"),
    (f'{{{V},"id":1,"id":2,"method":"ping"}}', PARSE_ERROR, None, "two members"),
    (f'{{{V},"id":1,"method":"a","\\u006dethod":"b"}}', PARSE_ERROR, None, "two members"),
    (f'{{{V},"id":1,"method":"ping","params":' + "[" * 20_000 + "]" * 20_000 + "}", PARSE_ERROR, None, "nested"),
    (f'{{{V},"id":1,"method":"ping"}} x', PARSE_ERROR, None, "Extra data"),
    ("\ufeff" + f'{{{V},"id":1,"method":"ping"}}', PARSE_ERROR, None, "byte-order mark"),
    ("1", INVALID_REQUEST, None, "an integer"),
    ("1.5", INVALID_REQUEST, None, "a number"),
    ('"tools/list"', INVALID_REQUEST, None, "a string"),
    ("true", INVALID_REQUEST, None, "a boolean"),
    ("null", INVALID_REQUEST, None, "null"),
    ("[]", INVALID_REQUEST, None, "an array"),
    ("[1]", INVALID_REQUEST, None, "an array"),
    (f'[{{{V},"id":1,"method":"ping"}}]', INVALID_REQUEST, None, "an array"),
    ("{}", INVALID_REQUEST, None, "2.0"),
    (f"{{{V}}}", INVALID_REQUEST, None, "has none"),
    (f'{{{V},"id":7}}', INVALID_REQUEST, 7, "has none"),
    # the version, with the id saved
    ('{"id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"jsonrpc":"1.0","id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"jsonrpc":2.0,"id":"x","method":"ping"}', INVALID_REQUEST, "x", "2.0"),
    ('{"jsonrpc":2,"id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"jsonrpc":null,"id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"jsonrpc":["2.0"],"id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"JSONRPC":"2.0","id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    ('{"jsonrpc":"2.0 ","id":7,"method":"ping"}', INVALID_REQUEST, 7, "2.0"),
    # ids that are none
    (f'{{{V},"id":null,"method":"ping"}}', INVALID_REQUEST, None, "null"),
    (f'{{{V},"id":true,"method":"ping"}}', INVALID_REQUEST, None, "a boolean"),
    (f'{{{V},"id":1.5,"method":"ping"}}', INVALID_REQUEST, None, "a number"),
    (f'{{{V},"id":1.0,"method":"ping"}}', INVALID_REQUEST, None, "a number"),
    (f'{{{V},"id":1e0,"method":"ping"}}', INVALID_REQUEST, None, "a number"),
    (f'{{{V},"id":[1],"method":"ping"}}', INVALID_REQUEST, None, "an array"),
    (f'{{{V},"id":{{}},"method":"ping"}}', INVALID_REQUEST, None, "an object"),
    (f'{{{V},"id":null,"result":{{}}}}', INVALID_REQUEST, None, "null"),
    (f'{{{V},"id":false,"error":{{"code":1,"message":"x"}}}}', INVALID_REQUEST, None, "a boolean"),
    (f'{{{V},"id":null,"method":"a","error":{{"code":1,"message":"x"}}}}', INVALID_REQUEST, None, "null"),
    ('{"jsonrpc":"1.0","id":null,"method":"ping"}', INVALID_REQUEST, None, "null"),
    # methods and params
    (f'{{{V},"id":7,"method":5}}', INVALID_REQUEST, 7, "an integer"),
    (f'{{{V},"id":7,"method":null}}', INVALID_REQUEST, 7, "null"),
    (f'{{{V},"id":7,"method":["ping"]}}', INVALID_REQUEST, 7, "an array"),
    (f'{{{V},"method":1,"params":"bar"}}', INVALID_REQUEST, None, "an integer"),
    (f'{{{V},"id":7,"method":"ping","params":"bar"}}', INVALID_REQUEST, 7, "a string"),
    (f'{{{V},"id":7,"method":"ping","params":0}}', INVALID_REQUEST, 7, "an integer"),
    (f'{{{V},"id":7,"method":"ping","params":false}}', INVALID_REQUEST, 7, "a boolean"),
    (f'{{{V},"id":7,"method":"ping","params":[]}}', INVALID_PARAMS, 7, "by name"),
    (f'{{{V},"id":0,"method":"ping","params":[1]}}', INVALID_PARAMS, 0, "by name"),
    (f'{{{V},"id":"","method":"ping","params":[1]}}', INVALID_PARAMS, "", "by name"),
    (f'{{{V},"method":"a","params":"bar"}}', INVALID_REQUEST, None, "a string"),
    # answers
    (f'{{{V},"id":7,"method":"ping","result":{{}}}}', INVALID_REQUEST, 7, "also be an answer"),
    (f'{{{V},"id":7,"method":"ping","error":{{"code":1,"message":""}}}}', INVALID_REQUEST, 7, "also be an answer"),
    (f'{{{V},"id":7,"result":{{}},"error":{{"code":1,"message":""}}}}', INVALID_REQUEST, 7, "both"),
    (f'{{{V},"id":null,"result":{{}},"error":{{"code":1,"message":""}}}}', INVALID_REQUEST, None, "both"),
    (f'{{{V},"result":{{}}}}', INVALID_REQUEST, None, "has none"),
    (f'{{{V},"id":7,"result":null}}', INVALID_REQUEST, 7, "null"),
    (f'{{{V},"id":7,"result":[1]}}', INVALID_REQUEST, 7, "an array"),
    (f'{{{V},"id":7,"result":"ok"}}', INVALID_REQUEST, 7, "a string"),
    (f'{{{V},"id":7,"error":"no"}}', INVALID_REQUEST, 7, "a string"),
    (f'{{{V},"id":7,"error":null}}', INVALID_REQUEST, 7, "null"),
    (f'{{{V},"id":7,"error":{{}}}}', INVALID_REQUEST, 7, "integer code"),
    (f'{{{V},"id":7,"error":{{"code":"1","message":"x"}}}}', INVALID_REQUEST, 7, "integer code"),
    (f'{{{V},"id":7,"error":{{"code":1.5,"message":"x"}}}}', INVALID_REQUEST, 7, "integer code"),
    (f'{{{V},"id":7,"error":{{"code":true,"message":"x"}}}}', INVALID_REQUEST, 7, "integer code"),
    (f'{{{V},"id":7,"error":{{"code":1,"message":5}}}}', INVALID_REQUEST, 7, "a message"),
]


@pytest.mark.parametrize(("text", "message"), ACCEPTED)
def test_a_message_is_read(text: str, message: Message) -> None:
    for data in (text, text.encode(), f"  {text}\r\n"):
        assert decode(data) == message
        assert type(getattr(decode(data), "id", None)) is type(getattr(message, "id", None))


@pytest.mark.parametrize(("text", "code", "id", "reason"), REFUSED)
def test_anything_else_is_refused_with_the_id_it_came_with(text: str, code: int, id: Any, reason: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        decode(text)
    error = refused.value
    assert (error.code, error.id, type(error.id)) == (code, id, type(id))
    assert reason in error.message
    assert error.message.endswith(".")
    assert decode(encode(error.as_failure())) == Failure(id, code, error.message)


def test_the_id_of_a_failure_can_be_given_by_whoever_knows_it() -> None:
    error = ProtocolError(INVALID_PARAMS, "No.", {"uri": "a:b"}, id=1)
    assert error.as_failure() == Failure(1, INVALID_PARAMS, "No.", {"uri": "a:b"})
    assert error.as_failure(0) == Failure(0, INVALID_PARAMS, "No.", {"uri": "a:b"})
    assert error.as_failure("") == Failure("", INVALID_PARAMS, "No.", {"uri": "a:b"})


def test_empty_params_are_left_out_of_what_is_sent() -> None:
    assert encode(Request(1, "ping")) == '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert encode(Notification("a")) == '{"jsonrpc":"2.0","method":"a"}'
    assert encode(Notification("a", {"b": 1})) == '{"jsonrpc":"2.0","method":"a","params":{"b":1}}'


def test_an_error_says_null_where_no_id_could_be_read() -> None:
    assert json.loads(encode(Failure(None, PARSE_ERROR, "x", {"at": 3}))) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": PARSE_ERROR, "message": "x", "data": {"at": 3}},
    }


def test_every_code_has_a_name_of_its_own() -> None:
    named = {value for name, value in vars(messages).items() if name.isupper() and isinstance(value, int)}
    assert named == set(messages.CODES)
    assert len(set(messages.CODES.values())) == len(messages.CODES)


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "a boolean"), (0, "an integer"), (0.5, "a number"), ("", "a string"), ([], "an array")],
)
def test_the_kinds_of_values_are_named_in_plain_words(value: Any, words: str) -> None:
    assert messages.kind_of(value) == words
    assert messages.kind_of({}) == "an object"


# ---- Whatever comes ------------------------------------------------------------------------------------------------

ids = st.text() | st.integers()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(st.text(), values, max_size=4)
all_messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Request, ids, st.text(), objects),
    st.builds(Notification, st.text(), objects),
    st.builds(Result, ids, objects),
    st.builds(Failure, ids | st.none(), st.integers(), st.text(), values),
)


@given(all_messages)
@example(Request("\ud800", "\u2028"))
def test_what_is_encoded_decodes_to_the_same_message(message: Message) -> None:
    text = encode(message)
    assert text.isascii()
    assert "\n" not in text
    assert repr(decode(text)) == repr(message)
    assert repr(decode(text.encode())) == repr(message)


def outcome(read: Callable[[Any], Message], value: Any) -> tuple[Message | None, ProtocolError | None]:
    try:
        return read(value), None
    except ProtocolError as error:
        return None, error


@given(all_messages, st.data())
def test_a_damaged_message_is_still_a_message_or_a_protocol_error(message: Message, data: st.DataObject) -> None:
    damaged = bytearray(encode(message).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        match data.draw(st.sampled_from(["change", "insert", "delete"])):
            case "change":
                damaged[at] = data.draw(st.integers(0, 255))
            case "insert":
                damaged.insert(at, data.draw(st.integers(0, 255)))
            case _:
                del damaged[at]
    found, error = outcome(decode, bytes(damaged))
    if found is not None:
        assert repr(decode(encode(found))) == repr(found)
    if error is not None:
        assert error.code in (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS)
        assert isinstance(decode(encode(error.as_failure())), Failure)


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), values | objects))
def test_an_object_of_the_right_names_is_a_message_or_a_protocol_error_with_its_id(value: dict[str, Any]) -> None:
    value["jsonrpc"] = "2.0"
    found, error = outcome(messages.read, value)
    if error is None:
        assert isinstance(found, Request | Notification | Result | Failure)
    else:
        id = value.get("id")
        assert error.id == (id if messages.is_id(id) else None)
