"""Events and frames as JSON text, before they have a time and a number."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from mcp_core import messages
from playground.entries import Entry, Writer
from playground.redaction import Redactor

SECRET = 'sk-canary"0123456789'


class Sheet(Writer):
    """Keeps what it is given."""

    def __init__(self, *secrets: str) -> None:
        super().__init__('"c"', Redactor(secrets))
        self.entries: list[Entry] = []

    def take(self, entry: Entry) -> None:
        self.entries.append(entry)

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(f"{{{head}{known}{rest}}}") for head, known, rest in self.entries]


def test_an_event_has_what_is_known_of_it_in_a_fixed_order() -> None:
    sheet = Sheet()
    place = {"dir": "in", "peer": "client", "via": "http", "session": "s", "trace": "t", "exchange": "e"}
    sheet.write("rpc_request", {"a": 1}, level="DEBUG", **place, ms=1.23456, src="server.py:1 f")
    [record] = sheet.records()
    assert list(record) == ["level", "component", "event", "data", *place, "ms", "src"]
    assert (record["level"], record["data"], record["ms"], record["exchange"]) == ("DEBUG", {"a": 1}, 1.235, "e")
    sheet.write("e", {})
    assert list(sheet.records()[1]) == ["level", "component", "event", "data"]


def test_our_own_text_is_embedded_as_it_stands_and_others_are_compared() -> None:
    sheet, text = Sheet(), messages.encode(messages.Result(1, {"text": "naïve"}))
    sheet.frame("rpc_response", text, None, own=True)
    assert f'"data":{{"message":{text}}}' in sheet.entries[0][0]
    sheet.frame("rpc_request", text.encode(), json.loads(text), http={"status": 200}, reason="none")
    assert sheet.records()[1]["data"] == {"message": json.loads(text), "http": {"status": 200}, "reason": "none"}
    sheet.frame("rpc_request", '{"a": 1}', {"a": 1}, http={"status": 200})
    assert list(sheet.records()[2]["data"]) == ["message", "http", "raw"]


@pytest.mark.parametrize("text", [b"{'a': 1}", "", b""])
def test_what_did_not_parse_is_raw_alone(text: str | bytes) -> None:
    sheet = Sheet()
    sheet.frame("rpc_parse_error", text, None)
    assert sheet.records()[0]["data"] == {"raw": text if isinstance(text, str) else text.decode()}


def test_a_secret_is_masked_wherever_it_stands() -> None:
    sheet = Sheet(SECRET)
    sheet.write("e", {"a": f"<{SECRET}>"})
    sheet.frame("e", b"\xff" + SECRET.encode(), None)
    sheet.write("e", {}, session=SECRET, exchange="x")
    sheet.frame("e", "{}", {}, http={"headers": {"Authorization": "Bearer x", "Accept": "a"}})
    sheet.write("e", {"a": "harmless"})
    first, second, third, fourth, last = sheet.records()
    assert first["data"] == {"a": "<***>"}
    assert base64.b64decode(second["data"]["raw_base64"]) == b"\xff***"
    assert (third["session"], third["exchange"]) == ("***", "x")
    assert fourth["data"]["http"] == {"headers": {"Accept": "a"}}
    assert [record.get("redacted") for record in (first, second, third, fourth, last)] == [True] * 4 + [None]
