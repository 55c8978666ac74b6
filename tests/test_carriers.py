"""playground/carriers.py: bytes there and back, over HTTP and through a pipe, within the limit."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.carriers import Frame, Late, Pipe, Post, Trouble, Unanswered
from tests.impostors import STREAM, Answer, Impostor, Seen, event, http, script


def posted(url: str, body: bytes = b"{}", limit: float = 10) -> list[Frame]:
    wire = Post(url)
    try:
        return list(wire.send(body, {"X-Test": "1"}, limit))
    finally:
        wire.close()


def test_a_post_carries_exactly_these_bytes_and_headers() -> None:
    with Impostor(lambda seen: http("201 Created", b"hello", "text/plain", Allow="POST", Server="s")) as server:
        frames = posted(server.url, b"\xff\x00 not json")
    expected = {"status": 201, "headers": {"Content-Type": "text/plain", "Allow": "POST"}}
    assert frames == [Frame("201 Created", b"hello", expected)]
    assert server.seen[0].body == b"\xff\x00 not json"
    assert set(server.seen[0].headers) == {"host", "x-test", "content-length", "accept-encoding", "user-agent"}
    assert server.seen[0].headers["accept-encoding"] == "identity"


def test_a_stream_begins_with_its_head_and_gives_one_frame_an_event() -> None:
    def answer(seen: Seen) -> Answer:
        return [
            STREAM,
            b": hi\n\nid: 1\ndata: \n\n",
            event({"a": 1})[:9],
            event({"a": 1})[9:],
            b"data: x\r\ndata: y\r\n\r\n",
        ]

    with Impostor(answer) as server:
        frames = posted(server.url)
    assert [(f.title, f.body, f.event_id) for f in frames] == [
        ("200 OK", b"", None),
        ("event without data, id 1", b"", "1"),
        ("event 1", b'{"a": 1}', "1"),
        ("event 2", b"x\ny", "1"),
    ]
    assert frames[1].http == frames[0].http == {"status": 200, "headers": {"Content-Type": "text/event-stream"}}


def test_chunks_are_put_together() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with Impostor(lambda seen: [head, b"2\r\nab\r\n", b"1\r\nc\r\n0\r\n\r\n"]) as server:
        assert posted(server.url)[0].body == b"abc"


def test_a_connection_serves_several_messages() -> None:
    def answer(seen: Seen) -> Answer:
        return http(body=b"one").replace(b"Connection: close\r\n", b"")

    with Impostor(answer) as server:
        wire = Post(server.url)
        assert [f.body for _ in range(2) for f in wire.send(b"", {}, 10)] == [b"one", b"one"]
        wire.close()


def test_a_body_without_end_is_read_no_further_than_a_message_may_be() -> None:
    def answer(seen: Seen) -> Answer:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"x" * 1_000_000

    with Impostor(answer) as server:
        assert 4 * 1024 * 1024 < len(posted(server.url)[0].body) < 6 * 1024 * 1024
        assert server.left.wait(5)


def test_a_delete_gives_the_status() -> None:
    with Impostor(lambda seen: http("405 Method Not Allowed")) as server:
        wire = Post(server.url)
        assert wire.delete({}, 10).title == "405 Method Not Allowed"
        wire.close()
    assert server.methods == ["DELETE"]


def test_a_password_in_the_address_is_not_told() -> None:
    with pytest.raises(Trouble) as trouble:
        posted("http://me:secret@127.0.0.1:1/mcp")
    assert "secret" not in str(trouble.value)


def test_a_header_that_can_not_be_sent_is_named() -> None:
    wire = Post("http://127.0.0.1:1/mcp")
    with pytest.raises(Trouble, match="can't be sent"):
        list(wire.send(b"", {"X": "a\r\nb"}, 1))
    wire.close()


def test_the_complaint_fits_the_status() -> None:
    wire = Post("http://127.0.0.1:5000/mcp")
    html = Frame("200 OK", b"<html>", {"status": 200, "headers": {"Content-Type": "text/html"}})
    assert "answered 200 OK with text/html and no JSON-RPC message: this is not the MCP server. " in wire.complaint(
        html, "x"
    )
    refused = Frame("404 Not Found", b"", {"status": 404, "headers": {}})
    assert "no Content-Type" in wire.complaint(refused, "x")
    assert "or it refuses without saying why" in wire.complaint(refused, "x")
    assert "wants authorization" in wire.complaint(Frame("401 Unauthorized", b"", {"status": 401, "headers": {}}), "x")
    assert wire.heard() == []
    wire.close()


@pytest.mark.parametrize(
    "url", ["mcp.example", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:port/", "http://[::1/"]
)
def test_a_wrong_address_is_named(url: str) -> None:
    with pytest.raises(Trouble, match="is no address"):
        Post(url)


def test_the_port_may_be_left_out() -> None:
    wire = Post("http://localhost")
    assert wire.path == "/"
    assert "http://localhost answered" in wire.complaint(Frame("200 OK", b""), "x")
    wire.close()


def test_nothing_listening_is_named(free_port: int) -> None:
    with pytest.raises(Trouble, match=f"Nothing answers at http://127.0.0.1:{free_port}: start the server"):
        posted(f"http://127.0.0.1:{free_port}/mcp")


@pytest.mark.parametrize(
    "beginning", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", STREAM]
)
@pytest.mark.parametrize("more", [b"", b"x"])
def test_silence_and_trickle_end_at_the_limit(beginning: bytes, more: bytes) -> None:
    def answer(seen: Seen) -> Iterator[bytes]:
        yield beginning
        while not server.is_over.wait(0.02):
            yield more

    with Impostor(answer) as server, pytest.raises(Late, match=r"within 0.2 s"):
        posted(server.url, limit=0.2)


@pytest.mark.parametrize("reply", [b"", b"SSH-2.0-x\r\n", http(body=b"x" * 99)[:-50]])
def test_a_cut_answer_is_named(reply: bytes) -> None:
    with (
        Impostor(lambda seen: reply) as server,
        pytest.raises(Unanswered, match="broke before the answer was complete"),
    ):
        posted(server.url)


def test_an_event_without_end_is_named() -> None:
    with (
        Impostor(lambda seen: STREAM + b"data: " + b"x" * 9_000_000) as server,
        pytest.raises(Unanswered, match="longer than"),
    ):
        posted(server.url)


def test_who_stops_listening_closes_the_connection() -> None:
    def answer(seen: Seen) -> Iterator[bytes]:
        yield STREAM
        while not server.is_over.wait(0.01):
            yield b": still here\n\n"

    with Impostor(answer) as server:
        wire = Post(server.url)
        frames = wire.send(b"", {}, 10)
        next(frames)
        frames.close()
        assert server.left.wait(5)
        wire.close()


# ---- stdio ---------------------------------------------------------------------------------------------------


def through(command: str, *bodies: bytes, limit: float = 10) -> list[bytes]:
    wire = Pipe(command)
    try:
        frames = [frame for body in bodies for frame in itertools.islice(wire.send(body, {}, limit), 1)]
        return [frame.body for frame in frames]
    finally:
        wire.close()


def test_a_line_goes_in_and_lines_come_out(tmp_path: Path) -> None:
    command = script(tmp_path, "say(ask())\nprint()\nsay(ask())")
    assert through(command, b'{"a":1}', b'{"b":2}\n') == [b'{"a": 1}', b'{"b": 2}']


def test_the_carriage_return_of_a_windows_server_is_not_part_of_the_message(tmp_path: Path) -> None:
    assert through(script(tmp_path, "ask(); sys.stdout.buffer.write(b'{}\\r\\n')"), b"{}") == [b"{}"]


def test_what_wants_no_answer_waits_for_none(tmp_path: Path) -> None:
    wire = Pipe(script(tmp_path, "ask()"))
    assert list(wire.send(b"{}", {}, 10, wants=False)) == []
    wire.close()
    wire.close()


def test_a_dead_process_is_told_with_code_and_last_words_and_can_be_started_again(tmp_path: Path) -> None:
    wire = Pipe(script(tmp_path, "ask(); print('bad luck', file=sys.stderr); sys.exit(7)"))
    for _ in range(2):
        with pytest.raises(Unanswered, match=r"ended \(exit code 7\) before it answered. Its last words: bad luck"):
            list(wire.send(b"{}", {}, 10))
    wire.close()


def test_a_process_that_reads_nothing_is_no_hindrance(tmp_path: Path) -> None:
    wire = Pipe(script(tmp_path, "sys.stdin.close(); print('{}', flush=True)"))
    assert next(wire.send(b"{}", {}, 10)).body == b"{}"
    with pytest.raises(Unanswered):
        list(wire.send(b"{}", {}, 10))
    wire.close()


def test_a_closed_stdout_is_told_even_if_the_process_lives(tmp_path: Path) -> None:
    with pytest.raises(Unanswered, match="closed its stdout before it answered"):
        through(script(tmp_path, "import os; ask(); os.close(1); ask()"), b"{}")


def test_silence_ends_at_the_limit(tmp_path: Path) -> None:
    with pytest.raises(Late, match=r"within 0.2 s"):
        through(script(tmp_path, "ask(); ask()"), b"{}", limit=0.2)


def test_a_grandchild_that_holds_the_pipes_does_not_hold_us(tmp_path: Path) -> None:
    sleeper = f"import subprocess; subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(20)'])"
    began = time.monotonic()
    assert through(script(tmp_path, f"{sleeper}\nsay(ask())"), b"{}") == [b"{}"]
    assert time.monotonic() - began < 10


def test_a_process_that_ignores_everything_is_killed(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); say(ask()); time.sleep(60)"
    began = time.monotonic()
    assert through(script(tmp_path, code), b"{}") == [b"{}"]
    assert time.monotonic() - began < 15


def test_the_complaint_quotes_the_line(tmp_path: Path) -> None:
    complaint = Pipe("python x.py").complaint(Frame("stdout", b"Listening\x1b[2J"), "not JSON")
    assert "'python x.py' wrote to its stdout what is no MCP message: Listening\\u001b[2J" in complaint
    assert json.dumps(complaint).isascii()


@pytest.mark.parametrize("command", ["", "no-such-program", "'", shlex.quote("/")])
def test_a_command_that_can_not_be_started_is_named(command: str) -> None:
    with pytest.raises(Trouble, match="can't be started"):
        through(command, b"{}")
