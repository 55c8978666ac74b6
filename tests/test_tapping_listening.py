"""playground/tapping/listening.py: what is overheard of a request and its response."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from playground.logbook import Logbook
from playground.tapping.heads import Head
from playground.tapping.listening import Overheard
from playground.tapping.story import Story
from tests.taps import PING, PONG, Record, frames, records

GET = Head(b"GET /mcp HTTP/1.1", (b"Host: a", b"Mcp-Session-Id: s"))
POST = Head(b"POST /mcp?api_key=k1&x=2 HTTP/1.1", (b"Host: a", b"Content-Type: application/json", b"X-Api-Key: k2"))
JSON = Head(b"HTTP/1.1 200 OK", (b"Content-Type: application/json",))
STREAM = Head(b"HTTP/1.1 200 OK", (b"Content-Type: text/event-stream; charset=utf-8",))


class Ear:
    """A story with its log, and requests that are overheard."""

    def __init__(self, logs: Path) -> None:
        self.log = Logbook(logs, "mcp-tap")
        self.story = Story(self.log, "http")

    def hears(self, request: Head, body: bytes = b"", *, reached: bool = True) -> Overheard:
        heard = Overheard(self.story, request, request if reached else None, "http-1")
        heard.asked(body, True)
        return heard

    @property
    def records(self) -> list[Record]:
        return records(self.log.path)

    @property
    def came(self) -> list[Record]:
        return [record for record in self.records if record.get("dir") == "in"]


@pytest.fixture
def ear(logs: Path) -> Ear:
    return Ear(logs)


def test_pieces_make_one_frame_and_the_frame_has_its_http(ear: Ear) -> None:
    heard = Overheard(ear.story, POST, POST, "http-1")
    heard.asked(PING[:5], False)
    assert ear.records == []
    heard.asked(PING[5:], True)
    heard.answers(JSON, JSON)
    heard.answered(PONG[:5], False)
    heard.answered(PONG[5:], True)
    heard.cut("client")  # after the end it is no cut
    asked, answered = ear.came
    assert asked["data"]["http"]["method"] == "POST"
    assert asked["data"]["http"]["path"] == "/mcp"
    assert answered["data"]["http"] == {"status": 200, "headers": {"Content-Type": "application/json"}}
    assert (frames(ear.records, "client"), frames(ear.records, "server", "out")) == ([PING], [PONG])
    assert heard.id == 1
    assert len(ear.records) == 4


def test_keys_in_headers_and_addresses_are_left_out(ear: Ear) -> None:
    ear.hears(POST, PING)
    text = json.dumps(ear.records)
    assert "k1" not in text
    assert "k2" not in text
    assert ear.came[0]["data"]["http"]["query"] == {"x": "2"}
    assert ear.came[0]["redacted"]


@pytest.mark.parametrize("kind", [b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x"])
def test_a_form_is_not_kept(ear: Ear, kind: bytes) -> None:
    ear.hears(POST.replacing("content-type", kind.decode()), b"client_secret=k3")
    assert ear.came[0]["data"]["bytes"] == 16
    assert "k3" not in json.dumps(ear.records)


def test_an_answer_without_a_body_is_http_alone(ear: Ear) -> None:
    heard = ear.hears(POST, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    accepted = Head(b"HTTP/1.1 202 Accepted", ())
    heard.answers(accepted, accepted)
    heard.answered(b"", True)
    assert [r["event"] for r in ear.came] == ["tap_notification", "tap_http"]
    assert ear.came[1]["data"]["http"]["status"] == 202


def test_the_answer_to_initialize_opens_the_session(ear: Ear) -> None:
    heard = ear.hears(POST, PING)
    opening = Head(b"HTTP/1.1 200 OK", (b"mcp-session-id: s",))
    heard.answers(opening, opening)
    heard.answered(PONG, True)
    asked, answered = ear.came
    assert (asked.get("session"), answered["session"]) == (None, "s")
    assert asked["exchange"] == answered["exchange"]


def test_a_listening_stream_is_in_the_log_before_it_says_anything(ear: Ear) -> None:
    heard = ear.hears(GET)
    heard.answers(STREAM, STREAM)
    assert [(r["event"], r["session"]) for r in ear.came] == [("tap_http", "s")] * 2
    heard.answered(b'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n', False)
    assert ear.came[-1]["event"] == "tap_notification"


def test_the_first_revisions_stream_names_where_to_post(ear: Ear) -> None:
    stream = ear.hears(Head(b"GET /sse HTTP/1.1", (b"Host: a",)))
    stream.answers(STREAM, STREAM)
    stream.answered(b"event: endpoint\ndata: http://[\n\nevent: endpoint\ndata: messages?id=5\n\n", False)
    ear.hears(Head(b"POST /messages?id=5 HTTP/1.1", (b"Host: a",)), PING)
    stream.answered(b"data: " + PONG + b"\n\nevent: endpoint\ndata: /bare\n\n", False)
    found = [r for r in ear.came if r["event"] in ("tap_request", "tap_response")]
    assert len({r["exchange"] for r in found}) == 1
    assert "ms" in found[1]


@pytest.mark.parametrize(
    ("body", "event"), [(b"Accepted", "tap_http"), (PONG, "tap_response"), (b" {", "tap_unreadable")]
)
def test_a_text_for_people_is_no_broken_message(ear: Ear, body: bytes, event: str) -> None:
    heard = ear.hears(POST, PING)
    plain = Head(b"HTTP/1.1 202 Accepted", (b"Content-Type: text/plain",))
    heard.answers(plain, plain)
    heard.answered(body, True)
    assert ear.came[1]["event"] == event
    assert ear.came[1]["data"].get("body") == ("Accepted" if event == "tap_http" else None)


def test_a_packed_body_is_unpacked_for_the_log(ear: Ear) -> None:
    packed = Head(b"HTTP/1.1 200 OK", (b"Content-Encoding: gzip",))
    for body in (gzip.compress(PONG), b"no gzip", gzip.compress(b"")):
        heard = ear.hears(POST, PING)
        heard.answers(packed, packed)
        heard.answered(body, True)
    good, bad, empty = [r for r in ear.came if r["peer"] == "server"]
    assert good["data"]["message"] == json.loads(PONG)
    assert good["data"]["encoding"] == "gzip"
    assert (bad["event"], bad["data"]["raw"]) == ("tap_unreadable", "no gzip")
    assert bad["data"]["reason"].endswith("broken (Error -3 while decompressing data: incorrect header check).")
    assert empty["event"] == "tap_http"


def test_a_cut_says_how_far_it_came(ear: Ear) -> None:
    heard = ear.hears(POST, PING)
    heard.cut("server")
    heard.answers(JSON, JSON)
    heard.answered(PONG[:3], False)
    heard.cut("client")
    first, second = [r["data"] for r in ear.records if r["event"] == "tap_cut"]
    assert first == {"by": "server", "method": "POST", "status": None}
    assert second == {"by": "client", "method": "POST", "status": 200, "beginning": '{"j', "bytes": 3}


def test_what_could_not_be_passed_on_is_answered_by_the_tap(ear: Ear) -> None:
    heard = ear.hears(POST, PING, reached=False)
    heard.failed("tap_unreachable", "nobody there", target="http://a/")
    heard.cut("client")
    (came, failed) = ear.records
    assert (came["dir"], failed["data"]) == ("in", {"reason": "nobody there", "target": "http://a/"})
    assert came["exchange"] == failed["exchange"]
