"""Starting, stopping and asking a scripted model from a program."""

import socket
from typing import Any

import pytest

from playground.scripted_model import DIALECTS, Recorded, ScriptedModel
from playground.scripted_model.scenarios import ScenarioError
from playground.scripted_model.talk import Answer
from tests.scripted_files import OPENAI_TOOLS, TUTORIAL, send, user

PATH = "/v1/chat/completions"


def ask(base: str, model: str = "scripted", text: str = "hello", **headers: str) -> Any:
    return send(base, PATH, {"model": model, "messages": [user(text)]}, **headers)


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_the_base_url_is_what_clients_of_that_dialect_take(dialect: str) -> None:
    with ScriptedModel() as model:
        base = model.start(dialect)
        assert base == model.base_url
        assert base.startswith("http://127.0.0.1:")
        assert base.endswith("/v1") == (dialect != "anthropic")
    assert model.base_url == ""


def test_it_stops_twice_and_starts_again() -> None:
    model = ScriptedModel()
    model.stop()
    assert (model.requests, model.wait_for(1, 0.01)) == ([], False)
    first = model.start()
    ask(first)
    model.stop()
    model.stop()
    assert len(model.requests) == 1
    with pytest.raises(ConnectionError):
        ask(first)
    assert ask(model.start("openai")).status == 200
    assert len(model.requests) == 1
    model.stop()


def test_what_can_not_be_started_says_why() -> None:
    with ScriptedModel() as model, socket.socket() as taken:
        with pytest.raises(ValueError, match="no dialect 'klingon'"):
            model.start("klingon")
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match=r"in use|permitted"):
            model.start(port=taken.getsockname()[1])
        model.start()
        with pytest.raises(RuntimeError, match="running already"):
            model.start()
    with pytest.raises(ScenarioError):
        ScriptedModel(scenario="no-such-scenario")


def test_requests_are_recorded_without_keys() -> None:
    with ScriptedModel(key="secret") as model:
        base = model.start("openai")
        ask(base, Authorization="Bearer secret", X_Client="me")
        ask(base, Authorization="Bearer wrong")
        assert model.wait_for(2)
        assert not model.wait_for(3, 0.01)
        good, bad = model.requests
        assert model.refused == [bad]
    assert isinstance(good, Recorded)
    assert (good.method, good.path, good.status, good.refusal) == ("POST", PATH, 200, "")
    assert good.body["messages"] == [user("hello")]
    assert good.headers["x-client"] == "me"
    assert "authorization" not in good.headers
    assert "secret" not in repr(model.requests)
    assert bad.status == 401
    assert bad.refusal.startswith("Incorrect API key")


def test_names_windows_scenarios_and_own_answers() -> None:
    with ScriptedModel(names=["granite3.3"], window=99, scenario="interview") as model:
        base = model.start()
        said = ask(base, "granite3.3:latest", "who talks to the server?").json["choices"][0]["message"]["content"]
        assert said.startswith("The client does.")
        window = send(base, "/api/show", {"model": "granite3.3"}).json["model_info"]["scripted.context_length"]
        assert window == 99
        assert {"scripted", "granite3.3", "tutorial", "endless-loop"} <= set(model.models)
    with ScriptedModel(play=lambda prompt: Answer(f"{len(prompt.questions)}!")) as model:
        assert ask(model.start()).json["choices"][0]["message"]["content"] == "1!"


def test_a_scenario_is_also_a_model() -> None:
    with ScriptedModel() as model:
        body = {"model": "tutorial", "messages": [user(TUTORIAL)], "tools": OPENAI_TOOLS}
        message = send(model.start(), PATH, body).json["choices"][0]["message"]
    assert message["content"] == "First I write the file notes.txt."
    assert message["tool_calls"][0]["function"]["name"] == "files__write_file"
