"""The HTTP side: what is let in, what comes back, and how an answer breaks."""

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from playground.scripted_model import ScriptedModel
from playground.scripted_model.server import MOST_BYTES
from tests.scripted_files import ANTHROPIC_TOOLS, OPENAI_TOOLS, TUTORIAL, send, user

PATH = "/v1/chat/completions"
HELLO = {"model": "scripted", "messages": [user("hello")]}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:1"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:5"}, 200),
        ({"Origin": "http://127.0.0.1:5050"}, 200),
        ({"Content_Type": "APPLICATION/JSON; charset=utf-8"}, 200),
        ({"Host": "rebind.example"}, 403),
        ({"Origin": "https://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 400),
        ({"Content_Type": ""}, 400),
        ({"Authorization": ""}, 401),
        ({"Content_Length": "x"}, 400),
        ({"Content_Length": str(MOST_BYTES + 1)}, 413),
        ({"Transfer_Encoding": "chunked"}, 411),
    ],
)
def test_who_is_let_in(model: ScriptedModel, headers: dict[str, str], status: int) -> None:
    assert send(model.start("openai"), PATH, HELLO, **headers).status == status


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(model: ScriptedModel, method: str) -> None:
    assert send(model.start("openai"), PATH, method=method).status == 405


def test_head_sends_no_body(model: ScriptedModel) -> None:
    reply = send(model.start("ollama"), "/", method="HEAD")
    assert (reply.status, reply.body) == (200, b"")


def test_answers_carry_what_tools_look_for(model: ScriptedModel) -> None:
    reply = send(model.start("openai"), PATH, {**HELLO, "stream": True})
    assert reply.headers["content-type"] == "text/event-stream"
    assert reply.headers["x-request-id"]
    assert "content-length" not in reply.headers
    assert reply.text.endswith("data: [DONE]\n\n")


def test_one_connection_serves_many_requests(model: ScriptedModel) -> None:
    port = int(model.start("openai").split(":")[2].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer x"}
    for body in (HELLO, {**HELLO, "stream": True}, {**HELLO, "model": "nobody"}, HELLO):
        connection.request("POST", PATH, json.dumps(body), headers)
        assert connection.getresponse().read()
    connection.close()
    assert [one.status for one in model.requests] == [200, 200, 404, 200]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("dialect", ["openai", "ollama-old", "anthropic"])
def test_a_cut_answer_ends_before_its_end(model: ScriptedModel, dialect: str, is_streamed: bool) -> None:
    base = model.start(dialect)
    body = {"model": "cut-stream", "messages": [user("hello")], "stream": is_streamed}
    path = "/v1/messages" if dialect == "anthropic" else PATH
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        send(base, path, body | ({"max_tokens": 500} if dialect == "anthropic" else {}))


@pytest.mark.parametrize(
    ("dialect", "end"), [("openai", '"error"'), ("anthropic", "event: error"), ("ollama", '"content":""')]
)
def test_an_error_in_a_stream_comes_after_some_of_the_answer(model: ScriptedModel, dialect: str, end: str) -> None:
    body: dict[str, Any] = {"model": "error-in-stream", "messages": [user("hello")], "stream": True}
    if dialect == "anthropic":
        reply = send(model.start(dialect), "/v1/messages", {**body, "max_tokens": 500})
    else:
        reply = send(model.start(dialect), PATH, body)
    assert reply.status == 200
    assert "Hello!" in reply.text
    assert end in reply.text.rstrip("\n").split("\n\n")[-1]
    assert "[DONE]" not in reply.text
    assert "message_stop" not in reply.text


def test_a_model_that_never_answers_is_released_by_stopping() -> None:
    model = ScriptedModel()
    base = model.start("openai")
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            send(base, PATH, {**HELLO, "model": "stall"})
        except (http.client.HTTPException, ConnectionError) as error:
            ended.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert model.wait_for(1)
    model.stop()
    waiting.join(10)
    assert len(ended) == 1


def test_a_slow_model_pauses_and_stops_at_once() -> None:
    model = ScriptedModel(pace=30)
    base = model.start("openai")
    ended = threading.Event()

    def wait() -> None:
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            send(base, PATH, {**HELLO, "stream": True})
        ended.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert model.wait_for(1)
    model.stop()
    assert ended.wait(10)
    waiting.join()


def test_a_reader_that_leaves_does_no_harm(model: ScriptedModel) -> None:
    base = model.start("openai")
    port = int(base.split(":")[2].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    body = json.dumps({**HELLO, "model": "slow", "stream": True})
    connection.request("POST", PATH, body, {"Content-Type": "application/json", "Authorization": "Bearer x"})
    connection.getresponse().read(10)
    connection.close()
    assert send(base, PATH, HELLO).status == 200


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ("none", None),
        ("auto", None),
        ("required", "files__list_files"),
        ({"type": "function", "function": {"name": "files__search_all"}}, "files__search_all"),
    ],
)
def test_a_demanded_call_is_made(model: ScriptedModel, choice: Any, name: str | None) -> None:
    reply = send(model.start("openai"), PATH, {**HELLO, "tools": OPENAI_TOOLS, "tool_choice": choice})
    calls = reply.json["choices"][0]["message"].get("tool_calls")
    assert (calls[0]["function"]["name"] if calls else None) == name


def test_parallel_calls_can_be_forbidden(model: ScriptedModel) -> None:
    body = {"model": "scripted", "messages": [user("read a.txt and b.txt")], "tools": OPENAI_TOOLS}
    base = model.start("openai")
    assert len(send(base, PATH, body).json["choices"][0]["message"]["tool_calls"]) == 2
    assert (
        len(send(base, PATH, {**body, "parallel_tool_calls": False}).json["choices"][0]["message"]["tool_calls"]) == 1
    )


@pytest.mark.parametrize("most", [1, 3])
def test_the_limit_of_tokens_cuts_texts_and_calls(model: ScriptedModel, most: int) -> None:
    base = model.start("openai")
    choice = send(base, PATH, {**HELLO, "max_tokens": most}).json["choices"][0]
    assert (len(choice["message"]["content"]), choice["finish_reason"]) == (4 * most, "length")
    choice = send(
        base, PATH, {"model": "scripted", "messages": [user(TUTORIAL)], "tools": OPENAI_TOOLS, "max_tokens": most}
    ).json["choices"][0]
    assert choice["finish_reason"] == "length"
    with pytest.raises(ValueError, match=r"Unterminated|Expecting|delimiter"):
        json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"])


def test_anthropic_cuts_a_call_to_an_empty_object(model: ScriptedModel) -> None:
    body = {"model": "scripted", "max_tokens": 2, "messages": [user(TUTORIAL)], "tools": ANTHROPIC_TOOLS}
    reply = send(model.start("anthropic"), "/v1/messages", body).json
    assert (reply["stop_reason"], reply["content"][0]["input"]) == ("max_tokens", {})


def test_the_same_request_gets_the_same_answer() -> None:
    bodies = []
    for _ in range(2):
        with ScriptedModel(clock=lambda: 7.9) as model:
            base = model.start("openai")
            bodies += [
                send(
                    base,
                    PATH,
                    {"model": "scripted", "messages": [user(TUTORIAL)], "tools": OPENAI_TOOLS, "stream": stream},
                ).body
                for stream in (False, True)
            ]
    assert bodies[:2] == bodies[2:]
    assert b'"created":7,' in bodies[0]
