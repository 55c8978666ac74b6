"""playground/dialog.py: the answer with our id ends the waiting, and nothing else does."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playground.carriers import Frame, Late, Pipe, Post, Unanswered
from playground.dialog import Dialog, SessionGone, object_in
from playground.logbook import Logbook
from playground.narrator import Narrator
from playground.terminal import Terminal
from tests.impostors import STREAM, Answer, Impostor, Seen, error, event, http, polite, records, result, script

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


def dialog(wire: Post | Pipe, logs: Path, out: io.StringIO, limit: float = 5) -> Dialog:
    teller = Narrator(Terminal(out, {}, 80), Logbook(logs, "mcp-client-simple"), wire.via)
    return Dialog(
        wire,
        teller,
        limit,
        lambda message: {"Content-Type": "application/json", "Mcp-Method": str(message.get("method"))},
    )


def ask(
    server: Impostor, logs: Path, out: io.StringIO, message: dict[str, Any] = PING, session: str | None = None
) -> Any:
    wire = Post(server.url)
    talk = dialog(wire, logs, out)
    talk.session = session
    try:
        return talk.exchange("client_request", message, "here")
    finally:
        wire.close()


def test_a_message_is_sent_compact_and_its_answer_comes_back_whole(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: result(seen, {"é": 1})) as server:
        assert ask(server, logs, out, {**PING, "params": {"é": 1}}) == {"jsonrpc": "2.0", "id": 1, "result": {"é": 1}}
    assert server.seen[0].body == b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\\u00e9":1}}'
    assert server.seen[0].headers["mcp-method"] == "ping"


@pytest.mark.parametrize("id", [None, 1])
def test_an_error_is_an_answer_even_without_an_id(logs: Path, out: io.StringIO, id: object) -> None:
    body = {"jsonrpc": "2.0", "id": id, "error": {"code": -32700, "message": "m"}}
    with Impostor(lambda seen: http("400 Bad Request", json.dumps(body).encode())) as server:
        assert ask(server, logs, out)["error"]["code"] == -32700


@pytest.mark.parametrize("id", ["1", 2])
def test_another_id_is_no_answer(logs: Path, out: io.StringIO, id: object) -> None:
    body = {"jsonrpc": "2.0", "id": id, "result": {}}
    with (
        Impostor(lambda seen: http(body=json.dumps(body).encode())) as server,
        pytest.raises(Unanswered, match="before it had"),
    ):
        ask(server, logs, out)
    assert f"Nothing that we asked has the id {id}." in out.getvalue()


def test_a_404_in_a_session_means_that_it_is_gone(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: error(seen, -32600, status="404 Not Found")) as server:
        assert ask(server, logs, out)["error"]["code"] == -32600  # no session, so it is just an answer
        with pytest.raises(SessionGone):
            ask(server, logs, out, session="s")


@pytest.mark.parametrize("status", ["302 Found", "400 Bad Request", "503 Service Unavailable"])
def test_a_bare_refusal_is_told_by_its_status(logs: Path, out: io.StringIO, status: str) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for message in (PING, note):
        with Impostor(lambda seen: http(status, kind="")) as server, pytest.raises(Unanswered, match=status):
            ask(server, logs, out, message)


def test_a_notification_gives_nothing(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: http("202 Accepted", kind="")) as server:
        assert ask(server, logs, out, {"jsonrpc": "2.0", "method": "x"}) == {}
    assert [r["event"] for r in records(logs)] == ["client_request", "client_accepted"]


def test_a_notification_that_is_answered_gets_a_warning(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: error(seen, -32601)) as server:
        assert ask(server, logs, out, {"jsonrpc": "2.0", "method": "x"}) == {}
    assert "Nothing that we asked has the id None." in out.getvalue()


def test_the_answer_to_initialize_names_the_session_and_delete_ends_it(logs: Path, out: io.StringIO) -> None:
    with Impostor(polite) as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        talk.end_session(1)  # there is none yet
        talk.exchange("client_request", {**PING, "method": "initialize", "params": {"protocolVersion": "1"}}, "here")
        assert talk.session == "s-1"
        talk.end_session(1)
        talk.end_session(1)
        wire.close()
    assert server.methods == ["initialize", "DELETE"]
    assert "content-type" not in server.seen[1].headers
    assert talk.session is None


def test_other_answers_name_no_session(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: result(seen, {}, Mcp_Session_Id="evil")) as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        talk.exchange("client_request", PING, "here")
        wire.close()
    assert talk.session is None


def test_a_delete_without_an_answer_is_only_logged(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: b"") as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        talk.session = "s"
        talk.end_session(1)
        wire.close()
    assert [r["event"] for r in records(logs)] == ["client_warning"]


@pytest.mark.parametrize("may_answer", [True, False])
def test_the_servers_questions_are_answered_where_the_revision_has_them(
    logs: Path, out: io.StringIO, tmp_path: Path, may_answer: bool
) -> None:
    asks = "m = ask()\nsay({'jsonrpc':'2.0','id':'a','method':'ping'})\nsay({'jsonrpc':'2.0','id':'b','method':'no'})\n"
    collects = "got = [ask(), ask()]\n" if may_answer else "got = []\n"
    wire = Pipe(script(tmp_path, asks + collects + "good(m, {'got': got})"))
    talk = dialog(wire, logs, out)
    talk.may_answer = may_answer
    got = talk.exchange("client_request", PING, "here")["result"]["got"]
    wire.close()
    if may_answer:
        assert got[0] == {"jsonrpc": "2.0", "id": "a", "result": {}}
        assert got[1]["error"] == {"code": -32601, "message": "This client has no method no."}
    else:
        assert "may send no request" in out.getvalue()


def test_an_answer_of_ours_to_a_forgotten_session_ends_nothing(logs: Path, out: io.StringIO) -> None:
    def answer(seen: Seen) -> Answer:
        if "method" not in seen.message:
            return http("404 Not Found", kind="")
        return [
            STREAM + event({"jsonrpc": "2.0", "id": 5, "method": "ping"}),
            event({"jsonrpc": "2.0", "id": 1, "result": {}}),
        ]

    with Impostor(answer) as server:
        assert ask(server, logs, out, session="s")["result"] == {}


def test_stderr_is_told_after_the_answer(logs: Path, out: io.StringIO, tmp_path: Path) -> None:
    wire = Pipe(
        script(tmp_path, "m = ask(); print('careful', file=sys.stderr, flush=True); time.sleep(0.2); good(m, {})")
    )
    dialog(wire, logs, out).exchange("client_request", PING, "here")
    wire.close()
    assert out.getvalue().rstrip().endswith("stderr: careful")


class Scripted(Pipe):
    """A pipe that gives these lines, without any process."""

    def __init__(self, *lines: bytes) -> None:
        self.lines, self.asked = lines, 0

    def send(self, body: bytes, headers: Any, limit: float, wants: bool = True) -> Any:
        return self._give(wants)

    def _give(self, wants: bool) -> Iterator[Frame]:
        for line in self.lines if wants else ():
            self.asked += 1
            yield Frame("stdout", line)
        if wants:
            raise Late("too late")

    def heard(self) -> list[str]:
        return []


@pytest.mark.parametrize(
    ("body", "lines", "asked"),
    [
        (b"{", [b"x", b"y"], 1),  # junk is an answer too
        (b"[]", [b'{"method":"a"}', b'{"id":null,"error":{}}', b"z"], 2),
        (b'{"id":1,"method":"m"}', [b'{"id":1,"result":{}}', b"z"], 1),
        (b'{"method":"m"}', [b"z"], 0),
        (b'{"id":1,"result":{}}', [b"z"], 0),
    ],
)
def test_raw_through_a_pipe_takes_one_answer_if_one_is_due(
    logs: Path, out: io.StringIO, body: bytes, lines: list[bytes], asked: int
) -> None:
    wire = Scripted(*lines)
    dialog(wire, logs, out).raw(body, "here")
    assert wire.asked == asked
    assert [r["event"] for r in records(logs)] == ["client_request"] + ["client_response"] * asked


def test_raw_over_http_shows_all_that_comes(logs: Path, out: io.StringIO) -> None:
    with Impostor(lambda seen: [STREAM, event({"a": 1}), event({"b": 2})]) as server:
        wire = Post(server.url)
        dialog(wire, logs, out).raw(b"!", "here")
        wire.close()
    assert '  {"a": 1}\n' in out.getvalue()
    assert '  {"b": 2}\n' in out.getvalue()


def test_only_an_object_is_a_message() -> None:
    assert object_in(b'{"a":1}') == {"a": 1}
    assert [object_in(body) for body in (b"[]", b"1", b"", b"\xff", b'{"a":1,"a":2}')] == [{}] * 5


def test_each_message_of_a_stream_is_given_as_it_comes_and_the_answer_last(logs: Path, out: io.StringIO) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/progress"}
    done = {"jsonrpc": "2.0", "id": 1, "result": {}}
    with Impostor(lambda seen: [STREAM, event(note), event(done), event(note)]) as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        assert list(talk.stream("client_request", PING, "here")) == [note, done]
        assert talk.heard == [note]
        wire.close()


def test_who_closes_a_stream_at_a_question_leaves_it_unanswered(logs: Path, out: io.StringIO) -> None:
    asked = {"jsonrpc": "2.0", "id": "q", "method": "ping"}
    with Impostor(lambda seen: [STREAM, event(asked)]) as server:
        wire = Post(server.url)
        stream = dialog(wire, logs, out).stream("client_request", PING, "here")
        assert next(stream) == asked
        stream.close()
        wire.close()
    assert server.methods == ["ping"]


@pytest.mark.parametrize("resume", [False, True])
def test_the_stream_of_a_get_may_be_taken_up_where_one_broke(logs: Path, out: io.StringIO, resume: bool) -> None:
    late = {"jsonrpc": "2.0", "id": 1, "result": {"late": True}}

    def answer(seen: Seen) -> Answer:
        return [STREAM, event(late)] if seen.method == "GET" else [STREAM, b"id: s-1\ndata:\n\n"]

    with Impostor(answer) as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        with pytest.raises(Unanswered):
            talk.exchange("client_request", PING, "here")
        assert list(talk.listen("here", resume=resume)) == [{}, late]
        wire.close()
    assert server.seen[1].headers.get("last-event-id") == ("s-1" if resume else None)
    assert server.seen[1].headers["accept"] == "text/event-stream"
    first, *_, last = (record["exchange"] for record in records(logs))
    assert (first == last) is resume


def test_to_listen_at_a_pipe_is_to_read_its_lines(logs: Path, out: io.StringIO, tmp_path: Path) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message"}
    wire = Pipe(script(tmp_path, f"m = ask(); good(m, {{}}); say({note!r}); ask()"))
    talk = dialog(wire, logs, out)
    talk.exchange("client_request", PING, "here")
    news = talk.listen("here")
    assert [next(news), next(news)] == [{}, note]
    news.close()
    wire.close()
    assert talk.heard == [note]


@pytest.mark.parametrize(
    ("edited", "wants"), [(b'{"id":7,"method":"ping"}', True), (b'{"method":"x"}', False), (b"nonsense", True)]
)
def test_what_was_edited_is_sent_and_its_own_id_is_waited_for(
    logs: Path, out: io.StringIO, monkeypatch: pytest.MonkeyPatch, edited: bytes, wants: bool
) -> None:
    def answer(seen: Seen) -> bytes:
        if not wants:
            return http("202 Accepted", kind="")
        return result(seen, {}) if seen.body.startswith(b"{") else http(body=b'{"jsonrpc":"2.0","id":null,' + ERROR)

    with Impostor(answer) as server:
        wire = Post(server.url)
        talk = dialog(wire, logs, out)
        monkeypatch.setattr(talk.teller, "shows", lambda sent, body: edited)
        assert bool(talk.exchange("client_request", PING, "here")) is wants
        wire.close()
    assert server.seen[0].body == edited


ERROR = b'"error":{"code":-32700,"message":"no"}}'


def test_raw_gives_what_came_and_reads_a_pipe_for_as_many_answers_as_one_says(logs: Path, out: io.StringIO) -> None:
    wire = Scripted(b'{"method":"a"}', b'{"id":1}', b"junk", b'{"id":3}')
    assert dialog(wire, logs, out).raw(b"[1,2]", "here", answers=2) == [{"method": "a"}, {"id": 1}]
    assert wire.asked == 3
