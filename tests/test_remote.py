"""Limits, cancelling and failing, the same for all providers; tried with the one that speaks OpenAI's format."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playground.host.conversation import Conversation, Said
from playground.host.loop import Answer, Interrupted
from playground.host.providers.failure import Failure
from playground.host.providers.line import Exchange
from playground.host.providers.openai_like import OpenAILike
from playground.host.tools import Tool
from tests.impostors import STREAM, Impostor, Seen, http

HISTORY = Conversation().ask("hi")
GOOD = http(body=json.dumps({"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}).encode())


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def asking(url: str, **more: Any) -> OpenAILike:
    more = {"total": 20.0, **more}
    return OpenAILike("ollama", "Ollama", "m", url.removesuffix("/mcp") + "/v1", more.pop("key", ""), **more)


def failed(server: Impostor, stream: Any = None, **more: Any) -> Failure:
    with pytest.raises(Failure) as caught:
        asking(server.url, **more).complete(HISTORY, (), stream=stream)
    return caught.value


def show(kind: str, piece: str) -> None:
    pass


def test_an_answer_has_the_bodies_as_they_were_and_the_wire_sees_both() -> None:
    seen: list[tuple[str, int | None]] = []
    with Impostor(lambda _: GOOD) as server:
        provider = asking(server.url, key="sk-1")
        answer = provider.complete(HISTORY, (), wire=lambda what, exchange: seen.append((what, exchange.status)))
    assert answer.said == Said("hello", origin="ollama")
    assert answer.request == server.seen[0].body
    assert b'"hello"' in answer.response
    assert [what for what, _ in seen] == ["sent", "received"]
    assert seen[1][1] == 200
    assert server.seen[0].headers["authorization"] == "Bearer sk-1"
    assert server.seen[0].path == "/v1/chat/completions"


def test_an_offer_is_worked_out_once_for_the_same_tools() -> None:
    provider = asking("http://127.0.0.1:1/mcp")
    first = provider.offer([Tool("a")])
    assert provider.offer((Tool("a"),)) is first
    assert [one.alias for one in provider.offer([Tool("a"), Tool("b")]).tools] == ["a", "b"]


def test_the_connection_is_used_again_after_a_good_answer_and_never_after_a_bad_one() -> None:
    body = GOOD.replace(b"Connection: close\r\n", b"")
    with Impostor(lambda _: body) as server:
        provider = asking(server.url)
        for _ in range(3):
            provider.complete(HISTORY, ())
        line = provider._ready
        provider.complete(HISTORY, ())
        assert provider._ready == line
        provider.close()
        provider.close()
        provider.complete(HISTORY, ())
        assert provider._ready != line
        provider.close()
    with pytest.raises(Failure, match="Nothing answers"):
        asking("http://127.0.0.1:1").complete(HISTORY, ())


def test_only_a_history_that_waits_for_the_model_is_sent() -> None:
    with pytest.raises(ValueError, match="waits for the model"):
        asking("http://127.0.0.1:1").complete(Conversation(), ())


def test_a_missing_key_is_noticed_before_anything_is_sent() -> None:
    provider = asking("http://127.0.0.1:1", key_setting="OPENAI_API_KEY")
    with pytest.raises(Failure, match="set OPENAI_API_KEY") as caught:
        provider.complete(HISTORY, ())
    assert caught.value.kind == "no_key"


@pytest.mark.parametrize("key", ["sk-ä", "sk\n1"])
def test_a_key_that_no_header_can_hold_is_said_to_be_one(key: str) -> None:
    with pytest.raises(Failure, match="copy it anew") as caught:
        asking("http://127.0.0.1:1", key=key).complete(HISTORY, ())
    assert caught.value.kind == "bad_key"


@pytest.mark.parametrize(
    ("scheme", "reply", "sentence"),
    [
        ("https:", b"HTTP/1.1 400 Bad Request\r\n\r\n", "write http:// instead of https://"),
        ("http:", b"\x15\x03\x01\x00\x02\x02F", "write https:// instead of http://"),
    ],
)
def test_http_and_https_mixed_up_is_told_apart_from_nobody_there(scheme: str, reply: bytes, sentence: str) -> None:
    with Impostor(lambda seen: reply) as server:
        with pytest.raises(Failure, match=sentence) as caught:
            asking(server.url.replace("http:", scheme)).complete(HISTORY, ())
        assert caught.value.kind == "unsafe"


def test_an_address_without_a_scheme_is_a_wrong_address() -> None:
    with pytest.raises(Failure) as caught:
        OpenAILike("openai", "OpenAI", "m", "127.0.0.1:1/v1", "").complete(HISTORY, ())
    assert caught.value.kind == "wrong_address"


def drip(seen: Seen) -> Iterator[bytes]:
    """One byte after the other, for ever."""
    for byte in STREAM + b":" * 10_000:
        time.sleep(0.05)
        yield bytes([byte])


@pytest.mark.parametrize("stream", [None, show])
def test_a_server_that_sends_a_byte_now_and_then_runs_into_the_limit_for_the_whole(stream: Any) -> None:
    with Impostor(drip) as server:
        begin = time.monotonic()
        assert failed(server, stream, total=0.5).kind == "timeout"
        assert time.monotonic() - begin < 5
        assert server.left.wait(10)


def stalled(after: bytes, begun: threading.Event) -> Callable[[Seen], Iterator[bytes]]:
    """A server that says something and then nothing, until its client has gone."""

    def answer(seen: Seen) -> Iterator[bytes]:
        yield after
        begun.set()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            time.sleep(0.02)
            yield b": still here\n\n" if after else b"H"

    return answer


def test_a_silent_server_is_a_timeout() -> None:
    def silent(seen: Seen) -> Iterator[bytes]:
        yield STREAM
        server.is_over.wait(20)

    with Impostor(silent) as server:
        assert failed(server, show, total=0.3).kind == "timeout"


@pytest.mark.parametrize("after", [b"", STREAM + chunk("hel")])
def test_cancelling_ends_the_request_wherever_it_is(after: bytes) -> None:
    begun = threading.Event()
    cancel = threading.Event()
    with Impostor(stalled(after, begun)) as server:
        provider = asking(server.url)
        outcome: list[Any] = []

        def ask() -> None:
            try:
                provider.complete(HISTORY, (), stream=show, cancel=cancel)
            except BaseException as error:
                outcome.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        assert begun.wait(10)
        cancel.set()
        thread.join(10)
        assert isinstance(outcome[0], Interrupted)
        assert server.left.wait(10), "the connection went on"


def test_an_interrupt_in_mid_stream_closes_the_connection_and_the_next_question_works() -> None:
    begun = threading.Event()
    answers: list[Any] = [stalled(STREAM + chunk("hel"), begun)]

    def stop(kind: str, piece: str) -> None:
        raise KeyboardInterrupt

    with Impostor(lambda seen: answers.pop()(seen) if answers else GOOD) as server:
        provider = asking(server.url)
        with pytest.raises(KeyboardInterrupt):
            provider.complete(HISTORY, (), stream=stop)
        assert server.left.wait(10)
        assert provider.complete(HISTORY, ()).said.text == "hello"


def test_what_was_received_before_the_end_is_shown_to_the_wire() -> None:
    got: list[bytes] = []

    def wire(what: str, exchange: Exchange) -> None:
        if what == "received":
            got.append(exchange.response)

    with Impostor(lambda seen: [STREAM, chunk("hel")]) as server, pytest.raises(Failure) as caught:
        asking(server.url).complete(HISTORY, (), stream=show, wire=wire)
    assert caught.value.kind == "cut"
    assert got == [chunk("hel")]
    assert bytes(caught.value.exchange.received) == got[0]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (http("404 Not Found", b'{"error":{"message":"model \'m\' not found"}}'), "model_missing"),
        (http("302 Found", location="http://127.0.0.1:1/"), "wrong_address"),
        (http(body=b"<!doctype html>", kind="text/html"), "malformed"),
        (http(body=b""), "malformed"),
        (http(body=b"[]"), "malformed"),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{", "cut"),
        (b"not HTTP at all\r\n\r\n", "cut"),
        (b"", "cut"),
    ],
)
def test_what_is_no_answer_is_explained(answer: bytes, kind: str) -> None:
    with Impostor(lambda seen: answer) as server:
        assert failed(server).kind == kind


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ([STREAM], "cut"),
        ([STREAM, chunk("hel")], "cut"),
        ([STREAM, b"data: {broken\n\n"], "malformed"),
        ([STREAM, chunk("hel"), b'data: {"cho'], "cut"),
        ([STREAM, chunk("x"), b'data: {"error":{"message":"Overloaded"}}\n\n'], "overloaded"),
        ([http(body=b"<p>", kind="text/html")], "malformed"),
    ],
)
def test_what_is_no_stream_is_explained(answer: list[bytes], kind: str) -> None:
    with Impostor(lambda seen: answer) as server:
        assert failed(server, show).kind == kind


def test_a_server_that_does_not_stream_is_understood_all_the_same() -> None:
    with Impostor(lambda seen: GOOD) as server:
        answer: Answer = asking(server.url).complete(HISTORY, (), stream=show)
    assert answer.said.text == "hello"


def test_our_own_mistakes_are_not_hidden() -> None:
    class Broken(OpenAILike):
        def ask(self, *_: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Broken("ollama", "Ollama", "m", "http://127.0.0.1:1/v1", "").complete(HISTORY, ())


def test_two_threads_take_turns() -> None:
    with Impostor(lambda seen: GOOD) as server:
        provider = asking(server.url)
        answers: list[Answer] = []
        threads = [threading.Thread(target=lambda: answers.append(provider.complete(HISTORY, ()))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert len(answers) == 4
