"""A connection from its first word to its last, against servers that are decent, old, forgetful, hostile or gone."""

from __future__ import annotations

import contextlib
import json
import shlex
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mcp_core.calling import MAX_ROUNDS, Asked, Noted
from playground.logbook import Logbook
from playground.wire import connection as module
from playground.wire import repeating
from playground.wire.connection import BadResult, Connection, Declined, Refused
from playground.wire.http import Http
from playground.wire.pipe import Pipe
from playground.wire.recorder import Recorder
from playground.wire.transports import Busy, NotMCP, NotReachable, TimedOut, TravelError, Unauthorized
from tests.impostors import STREAM, Answer, Impostor, Seen, error, event, http, polite, result, script

ME = {"name": "me", "version": "1"}
ABLE: dict[str, Any] = {"roots": {}, "elicitation": {}}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}
Json = dict[str, Any]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeating, "FIRST_PAUSE", 0.01)


def http_to(server: Impostor, folder: Path) -> Http:
    return Http(server.url, Recorder(Logbook(folder / "logs", "mcp-client-chat"), via="http", server="x"))


@contextlib.contextmanager
def connected(
    server: Impostor | list[str], folder: Path, *, mode: str = "auto", opened: bool = True, **more: Any
) -> Iterator[Connection]:
    recorder = Recorder(Logbook(folder / "logs", "mcp-client-chat"), via="stdio", server="x")
    transport = http_to(server, folder) if isinstance(server, Impostor) else Pipe(server, recorder)
    connection = Connection(transport, ME, ABLE, mode=mode, **{"patience": 10, **more})
    try:
        if opened:
            connection.open()
        yield connection
    finally:
        connection.close()


def warnings(folder: Path) -> str:
    lines = (folder / "logs" / "mcp-client-chat.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return "\n".join(record["data"].get("reason", "") for record in records if record["event"] == "client_warning")


def modern(seen: Seen) -> bytes:
    """What a decent server of the stateless era answers."""
    method = seen.message.get("method")
    if method == "server/discover":
        return result(seen, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
    if method == "tools/list":
        return result(seen, {"tools": [TOOL]})
    return error(seen, -32601, status="404 Not Found") if "id" in seen.message else http("202 Accepted", kind="")


def told(answers: Mapping[str, Callable[[Seen], Answer]], other: Callable[[Seen], Answer]) -> Callable[[Seen], Answer]:
    """A server that answers some methods in its own way, and the rest like another."""
    return lambda seen: answers.get(seen.message.get("method", ""), other)(seen)


def in_turn(*answers: Callable[[Seen], Answer]) -> Callable[[Seen], Answer]:
    left = list(answers)
    return lambda seen: (left.pop(0) if len(left) > 1 else left[0])(seen)


# ---- Opening ---------------------------------------------------------------------------------------------------------


def test_a_server_of_the_stateless_era_is_discovered(tmp_path: Path) -> None:
    with Impostor(modern) as server, connected(server, tmp_path) as connection:
        assert connection.revision == "2026-07-28"
        assert connection.capabilities == {"tools": {}}
        assert server.methods == ["server/discover"]
        assert server.seen[0].message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] == ME


@pytest.mark.parametrize(
    "answer",
    [
        lambda seen: error(seen, -32601),
        lambda seen: error(seen, -32600, status="400 Bad Request"),
        lambda seen: http("404 Not Found", b"<html>", "text/html"),
        lambda seen: http("500 Oops", b"<html>", "text/html"),
        lambda seen: http(body=b"<html>", kind="text/html"),
        lambda seen: result(seen, {}),
        lambda seen: result(seen, {"supportedVersions": ["2099-01-01"]}),
        lambda seen: http(body=b'{"jsonrpc":"2.0","id":77,"result":{}}'),
        lambda seen: b"",
    ],
)
def test_whatever_an_old_server_says_to_the_probe_it_is_greeted_in_the_old_way(
    tmp_path: Path, answer: Callable[[Seen], bytes]
) -> None:
    with Impostor(told({"server/discover": answer}, polite)) as server, connected(server, tmp_path) as connection:
        assert connection.revision == "2025-11-25"
        assert server.methods[:3] == ["server/discover", "initialize", "notifications/initialized"]


def test_silence_is_an_answer_to_the_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBE", 0.3)
    code = "ask()\npolite()\nwhile True: good(ask(), {})\n"
    with connected(shlex.split(script(tmp_path, code)), tmp_path) as connection:
        assert connection.revision == "2025-11-25"


def test_a_server_that_dies_of_the_probe_is_started_again(tmp_path: Path) -> None:
    code = "m = ask()\nif m['method'] == 'server/discover': sys.exit(1)\n"
    code += "good(m, {'protocolVersion': '2025-06-18', 'capabilities': {}})\nwhile True: ask()\n"
    with connected(shlex.split(script(tmp_path, code)), tmp_path) as connection:
        assert connection.revision == "2025-06-18"


def test_a_revision_that_is_refused_is_asked_for_once_more(tmp_path: Path) -> None:
    refuse = lambda seen: error(seen, -32022, status="400 Bad Request", data={"supported": ["2026-07-28"]})  # noqa: E731
    answers = {"server/discover": in_turn(refuse, modern)}
    with Impostor(told(answers, modern)) as server, connected(server, tmp_path) as connection:
        assert connection.revision == "2026-07-28"
    with Impostor(refuse) as stubborn, pytest.raises(TravelError, match="none of which is left"):
        Connection(http_to(stubborn, tmp_path), ME).open()


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (lambda seen: http("401 Unauthorized", b"{}", WWW_Authenticate="Bearer"), Unauthorized),
        (lambda seen: http("404 Not Found", b"<html>", "text/html"), NotMCP),
        (lambda seen: error(seen, -32000, "go away"), TravelError),
        (lambda seen: result(seen, {"protocolVersion": "1999-01-01"}), TravelError),
    ],
)
def test_a_server_that_lets_nobody_in_is_said_to(tmp_path: Path, answer: Callable[[Seen], bytes], failure: Any) -> None:
    with Impostor(answer) as server, pytest.raises(failure), connected(server, tmp_path):
        pass


def test_a_pinned_revision_is_not_probed_for(tmp_path: Path) -> None:
    with Impostor(polite) as server, connected(server, tmp_path, mode="2025-03-26") as connection:
        assert connection.revision == "2025-03-26"
        assert server.methods[0] == "initialize"
    with Impostor(polite) as old, pytest.raises(TravelError), connected(old, tmp_path, mode="2026-07-28"):
        pass
    assert set(old.methods) == {"server/discover"}


def test_a_connection_that_is_not_open_has_no_revision_and_no_capabilities(tmp_path: Path) -> None:
    with Impostor(polite) as server, connected(server, tmp_path, opened=False) as connection:
        assert (connection.revision, connection.capabilities) == ("", {})


# ---- Trying again ----------------------------------------------------------------------------------------------------


def gone(seen: Seen) -> bytes:
    return error(seen, -32600, status="404 Not Found")


def test_a_forgotten_session_is_begun_anew_and_told_again_what_to_watch(tmp_path: Path) -> None:
    empty = lambda seen: result(seen, {})  # noqa: E731
    answers = {"resources/subscribe": empty, "logging/setLevel": empty, "tools/call": in_turn(gone, empty)}
    with Impostor(told(answers, polite)) as server, connected(server, tmp_path, mode="2025-11-25") as connection:
        connection.request("resources/subscribe", {"uri": "test://a"})
        connection.request("logging/setLevel", {"level": "info"})
        assert connection.call_tool("t", {}) == {}
        asked = [method for method in server.methods if not method.startswith(("GET", "notifications"))]
        again = ["initialize", "resources/subscribe", "logging/setLevel", "tools/call"]
        assert asked == [*again[:3], "tools/call", *again]
        begun = [seen for seen in server.seen if seen.message.get("method") == "initialize"]
        assert "mcp-session-id" not in begun[1].headers


def test_two_threads_that_find_the_session_gone_begin_one_new(tmp_path: Path) -> None:
    both = threading.Barrier(2)

    def refuse(seen: Seen) -> bytes:
        both.wait(10)
        return gone(seen)

    listed = lambda seen: result(seen, {"tools": []})  # noqa: E731
    with Impostor(told({"tools/list": in_turn(refuse, refuse, listed)}, polite)) as server:
        with connected(server, tmp_path, mode="2025-11-25") as connection:
            threads = [threading.Thread(target=connection.list_all, args=["tools/list"]) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(20)
        assert server.methods.count("initialize") == 2


def test_what_is_safe_is_tried_again_and_what_is_not_is_not(tmp_path: Path) -> None:
    hang_up = lambda seen: b""  # noqa: E731
    answers = {"tools/list": in_turn(hang_up, hang_up, polite), "tools/call": hang_up}
    with Impostor(told(answers, polite)) as server, connected(server, tmp_path, mode="2025-11-25") as connection:
        assert connection.list_all("tools/list") == [TOOL]
        with pytest.raises(TravelError, match="hung up"):
            connection.call_tool("t", {})
        assert (server.methods.count("tools/list"), server.methods.count("tools/call")) == (3, 1)
    assert "Trying again." in warnings(tmp_path)


def test_a_busy_server_is_asked_again_after_the_pause_it_wants(tmp_path: Path) -> None:
    busy = lambda seen: http("503 Unavailable", b"", Retry_After="0")  # noqa: E731
    answers = {"tools/list": in_turn(busy, busy, modern), "tools/call": busy}
    with Impostor(told(answers, modern)) as server, connected(server, tmp_path) as connection:
        assert connection.list_all("tools/list") == [TOOL]
        with pytest.raises(Busy):
            connection.call_tool("t", {})


def test_a_server_that_is_gone_for_good_is_given_up(tmp_path: Path) -> None:
    with Impostor(modern) as server, connected(server, tmp_path) as connection:
        server._socket.shutdown(socket.SHUT_RDWR)
        with pytest.raises(NotReachable):
            connection.request("tools/call", {"name": "t"})


def test_a_server_that_crashed_is_started_again_for_the_next_request(tmp_path: Path) -> None:
    code = "polite()\nm = ask()\nif m['method'] == 'tools/call': sys.exit(9)\ngood(m, {'tools': []})\n"
    with connected(shlex.split(script(tmp_path, code)), tmp_path, mode="2025-11-25") as connection:
        with pytest.raises(TravelError, match="exit code 9"):
            connection.call_tool("t", {})
        assert connection.list_all("tools/list") == []


# ---- Asking ----------------------------------------------------------------------------------------------------------


def test_an_answer_that_never_comes_is_no_answer(tmp_path: Path) -> None:
    other = {"tools/call": lambda seen: http(body=b'{"jsonrpc":"2.0","id":"other","result":{}}')}
    with (
        Impostor(told(other, polite)) as server,
        connected(server, tmp_path, mode="2025-11-25") as connection,
        pytest.raises(TravelError, match="without answering tools/call"),
    ):
        connection.call_tool("t", {})


@pytest.mark.parametrize(("mode", "decent"), [("2025-11-25", polite), ("2026-07-28", modern)])
def test_a_request_that_takes_too_long_is_canceled_in_the_way_of_the_era(
    tmp_path: Path, mode: str, decent: Callable[[Seen], bytes]
) -> None:
    over = threading.Event()

    def slow(seen: Seen) -> Iterable[bytes]:
        yield STREAM
        while not over.wait(0.02):
            yield b": still here\n\n"

    with Impostor(told({"tools/call": slow}, decent)) as server, connected(server, tmp_path, mode=mode) as connection:
        with pytest.raises(TimedOut):
            connection.request("tools/call", {"name": "t"}, patience=0.2)
        assert server.left.wait(5), "the stream is closed"
        over.set()
        canceled = [seen.message for seen in server.seen if seen.message.get("method") == "notifications/cancelled"]
        called = next(seen.message for seen in server.seen if seen.message.get("method") == "tools/call")
        expected = [called["id"]] if mode == "2025-11-25" else []
        assert [note["params"]["requestId"] for note in canceled] == expected


def test_who_says_stop_has_the_request_given_up_and_the_server_told(tmp_path: Path) -> None:
    stop, over = threading.Event(), threading.Event()

    def slow(seen: Seen) -> Iterable[bytes]:
        stop.set()
        over.wait(20)
        yield b""

    answers = {"tools/call": slow}
    with Impostor(told(answers, polite)) as server, connected(server, tmp_path, mode="2025-11-25") as connection:
        with pytest.raises(TimedOut):
            connection.request("tools/call", {"name": "t"}, stop=stop)
        over.set()
        note = next(seen.message for seen in server.seen if seen.message.get("method") == "notifications/cancelled")
        assert note["params"]["reason"] == module.STOPPED


def test_over_a_pipe_a_request_is_canceled_by_a_message_in_both_eras(tmp_path: Path) -> None:
    code = "m = ask()\ngood(m, {'supportedVersions': ['2026-07-28'], 'capabilities': {}, 'resultType': 'complete'})\n"
    code += "m = ask()\nnote = ask()\nm = ask()\ngood(m, {'note': note, 'resultType': 'complete'})\nask()\n"
    with connected(shlex.split(script(tmp_path, code)), tmp_path) as connection:
        with pytest.raises(TimedOut):
            connection.request("tools/call", {"name": "t"}, patience=0.2)
        note = connection.request("prompts/get")["note"]
        assert note["method"] == "notifications/cancelled"


def test_progress_puts_the_deadline_off(tmp_path: Path) -> None:
    def working(seen: Seen) -> Iterable[bytes]:
        yield STREAM
        token = seen.message["params"]["_meta"]["progressToken"]
        for done in range(6):
            threading.Event().wait(0.4)
            params = {"progressToken": token, "progress": done}
            yield event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        yield event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {"content": []}})

    heard: list[Noted] = []
    with (
        Impostor(told({"tools/call": working}, polite)) as server,
        connected(server, tmp_path, mode="2025-11-25", patience=2.0, note=heard.append) as connection,
    ):
        assert connection.call_tool("t", {}, with_progress=True) == {"content": []}
    assert len(heard) == 6


def test_every_message_carries_a_span_of_its_own_in_one_trace(tmp_path: Path) -> None:
    with Impostor(polite) as server:
        with connected(server, tmp_path, mode="2025-11-25", trace=lambda: "a" * 32) as connection:
            connection.list_all("tools/list")
        spans = [seen.message["params"]["_meta"]["traceparent"] for seen in server.seen if seen.method == "POST"]
    assert len(set(spans)) == len(spans) == 3
    assert all(span.startswith(f"00-{'a' * 32}-") for span in spans)


# ---- Lists and tools -------------------------------------------------------------------------------------------------


def test_every_page_is_fetched_and_a_circle_is_left(tmp_path: Path) -> None:
    pages = {None: ("a", ""), "": ("b", "x"), "x": ("c", "")}

    def listed(seen: Seen) -> bytes:
        name, cursor = pages[seen.message.get("params", {}).get("cursor")]
        return result(seen, {"resources": [{"uri": name}, "odd"], "nextCursor": cursor})

    odd = {"resources/list": listed, "prompts/list": lambda seen: result(seen, {"prompts": "odd"})}
    with Impostor(told(odd, polite)) as server, connected(server, tmp_path, mode="2025-11-25") as connection:
        assert [entry["uri"] for entry in connection.list_all("resources/list")] == ["a", "b", "c"]
        assert connection.list_all("prompts/list") == []


def test_pages_without_end_are_left_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAGES", 5)
    count = iter(range(1000))
    endless = {"prompts/list": lambda seen: result(seen, {"prompts": [{}], "nextCursor": str(next(count))})}
    with Impostor(told(endless, polite)) as server, connected(server, tmp_path, mode="2025-11-25") as connection:
        assert len(connection.list_all("prompts/list")) == 5


def test_a_header_that_does_not_fit_is_made_anew_from_a_new_list_once(tmp_path: Path) -> None:
    region = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    new = lambda seen: result(seen, {"tools": [{"name": "t", "inputSchema": region}]})  # noqa: E731

    def call(seen: Seen) -> bytes:
        if "mcp-param-region" not in seen.headers:
            return error(seen, -32020, status="400 Bad Request")
        return result(seen, {"content": []})

    answers = {"tools/list": in_turn(modern, new), "tools/call": call}
    with Impostor(told(answers, modern)) as server, connected(server, tmp_path) as connection:
        assert connection.call_tool("t", {"region": "eu"}) == {"content": []}
        assert server.methods[1:] == ["tools/list", "tools/call", "tools/list", "tools/call"]
        with pytest.raises(Refused) as refused:
            connection.call_tool("t", {})
        assert refused.value.code == -32020


def test_tools_are_listed_again_when_they_are_said_to_have_changed(tmp_path: Path) -> None:
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}

    def call(seen: Seen) -> list[bytes]:
        return [STREAM, event(changed), event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {}})]

    with Impostor(told({"tools/call": call}, modern)) as server, connected(server, tmp_path) as connection:
        connection.call_tool("t", {})
        connection.call_tool("t", {})
        assert server.methods == ["server/discover", *["tools/list", "tools/call"] * 2]


def test_a_refusal_is_handed_on(tmp_path: Path) -> None:
    refuse = {"tools/call": lambda seen: error(seen, -32602, "There is no such tool.", data={"x": 1})}
    with Impostor(told(refuse, modern)) as server, connected(server, tmp_path) as connection:
        with pytest.raises(Refused, match="There is no such tool") as refused:
            connection.call_tool("nosuch", {})
        assert (refused.value.code, refused.value.data) == (-32602, {"x": 1})


def test_a_result_that_breaks_its_promise_is_bad(tmp_path: Path) -> None:
    tool = {**TOOL, "outputSchema": {"type": "object", "required": ["n"]}}
    answers = {
        "tools/list": lambda seen: result(seen, {"tools": [tool]}),
        "tools/call": lambda seen: result(seen, {"structuredContent": {}, "content": []}),
    }
    with (
        Impostor(told(answers, modern)) as server,
        connected(server, tmp_path) as connection,
        pytest.raises(BadResult, match="'n' is missing"),
    ):
        connection.call_tool("t", {})


# ---- Being asked -----------------------------------------------------------------------------------------------------


def asking(seen: Seen) -> bytes:
    """A tool of the stateless era that asks for roots until it has them."""
    params = seen.message["params"]
    if "k" in params.get("inputResponses", {}):
        return result(seen, {"content": [], "_meta": {"answers": params["inputResponses"]}})
    required = {"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}, "requestState": "s"}
    return result(seen, required)


def test_a_result_that_asks_is_answered_by_the_request_again(tmp_path: Path) -> None:
    roots: Json = {"roots": []}
    with Impostor(told({"tools/call": asking}, modern)) as server:
        with connected(server, tmp_path, answer=lambda asked: roots) as connection:
            assert connection.call_tool("t", {})["_meta"]["answers"] == {"k": roots}
        calls = [seen.message for seen in server.seen if seen.message.get("method") == "tools/call"]
    assert calls[0]["id"] != calls[1]["id"]
    assert calls[1]["params"]["requestState"] == "s"


def test_a_server_that_never_has_enough_is_left(tmp_path: Path) -> None:
    required = {"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}}
    answers = {"tools/call": lambda seen: result(seen, required)}
    with (
        Impostor(told(answers, modern)) as server,
        connected(server, tmp_path, answer=lambda asked: {"roots": []}) as connection,
    ):
        with pytest.raises(Refused, match=f"asked {MAX_ROUNDS} times"):
            connection.call_tool("t", {})
        assert server.methods.count("tools/call") == MAX_ROUNDS + 1


def test_a_state_without_questions_means_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)  # type: ignore[attr-defined]
    later = lambda seen: result(seen, {"resultType": "input_required", "requestState": "s"})  # noqa: E731
    done = lambda seen: result(seen, {"content": [], "state": seen.message["params"]["requestState"]})  # noqa: E731
    answers = {"tools/call": in_turn(later, done)}
    with Impostor(told(answers, modern)) as server, connected(server, tmp_path) as connection:
        assert connection.call_tool("t", {})["state"] == "s"


def test_a_no_in_the_stateless_era_gives_the_request_up(tmp_path: Path) -> None:
    def no(asked: Asked) -> Json:
        raise Declined("The user said no.")

    with Impostor(told({"tools/call": asking}, modern)) as server:
        with connected(server, tmp_path, answer=no) as connection, pytest.raises(Declined):
            connection.call_tool("t", {})
        with connected(server, tmp_path) as connection:
            with pytest.raises(Refused, match="does not offer") as refused:
                connection.call_tool("t", {})
            assert refused.value.code is None


def test_a_question_on_the_stream_of_a_call_is_answered_by_a_message_of_its_own(tmp_path: Path) -> None:
    answered = threading.Event()

    def call(seen: Seen) -> Iterable[bytes]:
        yield STREAM + event({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
        answered.wait(10)
        yield event({"jsonrpc": "2.0", "id": seen.message["id"], "result": {"content": []}})

    def other(seen: Seen) -> bytes:
        if "result" in seen.message:
            answered.set()
        return polite(seen)

    with Impostor(told({"tools/call": call}, other)) as server:
        with connected(server, tmp_path, mode="2025-11-25", answer=lambda asked: {"roots": []}) as connection:
            connection.call_tool("t", {})
        answers = [seen.message for seen in server.seen if "result" in seen.message]
    assert answers == [{"jsonrpc": "2.0", "id": "q", "result": {"roots": []}}]


def test_a_ping_of_the_server_is_answered_and_an_unknown_question_is_refused(tmp_path: Path) -> None:
    code = "polite()\nsay({'jsonrpc': '2.0', 'id': 1, 'method': 'ping'})\n"
    code += "say({'jsonrpc': '2.0', 'id': 2, 'method': 'server/dance'})\ncame = [ask(), ask(), ask()]\n"
    code += "got = sorted((m for m in came if 'method' not in m), key=lambda m: m['id'])\n"
    code += "good(next(m for m in came if 'method' in m), {'got': got})\nask()\n"
    with connected(shlex.split(script(tmp_path, code)), tmp_path, mode="2025-11-25") as connection:
        got = connection.request("prompts/get")["got"]
    assert got[0] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (got[1]["id"], got[1]["error"]["code"]) == (2, -32601)
