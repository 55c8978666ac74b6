"""playground/host/doctor.py: what is wrong, in plain words, with one command."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playground.host import doctor
from playground.host.doctor import Checkup, Finding, after, of_model, of_server, of_window
from playground.host.member import Member
from playground.host.providers import Provider, provider
from playground.host.providers.failure import SENTENCES
from playground.host.servers import Entry
from playground.host.tools import Tool
from playground.logbook import Logbook
from playground.scripted_model import ScriptedModel
from playground.wire.connecting import Way
from playground.wire.transports import NotMCP, NotReachable, TravelError, Unauthorized
from tests.conftest import Start
from tests.impostors import Impostor, Seen

Json = dict[str, Any]


def reply(status: int, value: Any, kind: str = "application/json") -> bytes:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.fixture
def ollama() -> Iterator[Callable[..., Provider]]:
    """A fake of Ollama's own interface: path -> (status, value)."""
    running = []

    def begin(answers: Json, model: str = "granite3.3") -> Provider:
        def answer(seen: Seen) -> bytes:
            status, value = answers.get(seen.path, (404, b"404 page not found"))
            return reply(status, value)

        impostor = Impostor(answer)
        running.append(impostor)
        return provider("ollama", model=model, base_url=impostor.url.replace("/mcp", "/v1"))

    yield begin
    for impostor in running:
        impostor.__exit__()


def show(**more: Any) -> tuple[int, Json]:
    info = {"general.architecture": "granite", "granite.context_length": 131_072}
    return 200, {"capabilities": ["completion", "tools"], "model_info": info, **more}


def kinds(checkup: Checkup) -> list[str]:
    return [finding.kind for finding in checkup.findings]


# ---- The model ----


@pytest.mark.parametrize("scheme", ["http:", "https:"])
def test_who_hangs_up_or_speaks_no_tls_is_running_all_the_same(scheme: str) -> None:
    with Impostor(lambda seen: b"") as server:
        assert of_model(provider("ollama", base_url=server.url.replace("http:", scheme))).fatal is None


def test_ollama_that_is_not_running(free_port: int) -> None:
    checkup = of_model(provider("ollama", base_url=f"http://127.0.0.1:{free_port}/v1"))
    assert checkup.fatal is not None
    assert str(checkup.fatal) == (
        f"Ollama is not running: nothing answers at http://127.0.0.1:{free_port}/v1. Try: ollama serve"
    )


def test_a_model_that_is_not_pulled(ollama: Callable[..., Provider]) -> None:
    missing = 404, {"error": "model 'x' not found"}
    names = 200, {"models": [{"name": "qwen3:4b"}, {"name": "granite3.3:latest"}]}
    checkup = of_model(ollama({"/api/show": missing, "/api/tags": names}, model="x"))
    told = "The model 'x' is not pulled. There are: qwen3:4b, granite3.3:latest. Try: ollama pull x"
    assert str(checkup.fatal) == told
    checkup = of_model(ollama({"/api/show": missing, "/api/tags": (200, {"models": None})}, model="x"))
    assert str(checkup.fatal) == "The model 'x' is not pulled. Try: ollama pull x"


def test_a_model_without_tools(ollama: Callable[..., Provider]) -> None:
    checkup = of_model(ollama({"/api/show": show(capabilities=["completion"])}))
    assert kinds(checkup) == ["no_tools"]
    assert checkup.fatal is None
    assert checkup.findings[0].command == "ollama pull granite3.3"


@pytest.mark.parametrize(
    ("shown", "loaded", "window", "is_sure"),
    [
        (show(), [{"name": "granite3.3:latest", "context_length": 8192}], 8192, True),
        (show(), [{"name": "other", "context_length": 8192}, 5], 4096, False),
        (show(), None, 4096, False),
        (show(parameters="stop x\nnum_ctx   16384"), [], 16384, False),
        (show(model_info={"a.context_length": 2048}), [], 2048, False),
        (show(model_info=None), [{"name": "granite3.3", "context_length": "x"}], 4096, False),
    ],
)
def test_the_window_is_what_ollama_really_reads(
    ollama: Callable[..., Provider], shown: Any, loaded: Any, window: int, is_sure: bool
) -> None:
    checkup = of_model(ollama({"/api/show": shown, "/api/ps": (200, {"models": loaded})}))
    assert (checkup.window, checkup.is_sure, kinds(checkup)) == (window, is_sure, [])


def test_what_speaks_ollamas_format_only_for_chatting_is_left_alone(ollama: Callable[..., Provider]) -> None:
    assert of_model(ollama({})) == Checkup()
    assert of_model(ollama({"/api/show": (200, b"[]")})).findings == ()
    assert of_model(ollama({"/api/show": (500, {"error": "broken"})})) == Checkup()
    assert of_model(provider("ollama", base_url="http://[broken/v1")) == Checkup()


def test_a_server_that_answers_nothing_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PATIENCE", 0.2)

    def silent(seen: Seen) -> Iterator[bytes]:
        other.is_over.wait(10)
        yield b""

    with Impostor(silent) as other:
        assert of_model(provider("ollama", base_url=other.url.replace("/mcp", "/v1"))) == Checkup()


def test_the_scripted_model_is_asked_too() -> None:
    with ScriptedModel() as model:
        base = model.start("ollama")
        fine = of_model(provider("scripted", base_url=base))
        assert (fine.findings, fine.window, fine.is_sure) == ((), 32_768, True)
        assert of_model(provider("scripted", base_url=base, model="context-overflow")).window == 256
        assert kinds(of_model(provider("scripted", base_url=base, model="no-tool-support"))) == ["no_tools"]
        unknown = of_model(provider("scripted", base_url=base, model="nobody")).fatal
        assert unknown is not None
        assert "plays no 'nobody'" in unknown.sentence
        assert unknown.command == "uv run python -m playground.scripted_model --list"


def test_the_great_providers_windows_are_known_and_others_are_not() -> None:
    assert of_model(provider("anthropic")).window == 200_000
    assert of_model(provider("openai")).window == 128_000
    assert of_model(provider("openai", base_url="http://127.0.0.1:1/v1")) == Checkup()


def test_a_window_too_small_for_the_tools_is_said_with_a_command() -> None:
    tools = tuple(Tool(f"t{n}", "x" * 300) for n in range(30))
    model = provider("ollama")
    small = of_window(Checkup(window=4096), tools, model)
    assert small is not None
    assert "reads 4,096 tokens at a time, and with 30 tools on offer only 0 of them are left" in small.sentence
    assert small.command == "OLLAMA_CONTEXT_LENGTH=8192 ollama serve"
    assert of_window(Checkup(window=65_536), tools, model) is None
    assert of_window(Checkup(), tools, model) is None
    scripted = of_window(Checkup(window=256), (), provider("scripted"))
    assert scripted is not None
    assert scripted.command == ""


# ---- Servers ----


def failed(url: str, error: Exception, command: tuple[str, ...] = ()) -> Finding:
    way = Way("stdio", command) if command else Way("http", url=url)
    log = Logbook.__new__(Logbook)
    member = Member(Entry("it", way), log, {}, lambda *a: None, lambda *a: None, str)
    member.problem, member.error = str(error), error
    return of_server(member)


NEAR, FAR = "http://127.0.0.1:1/mcp", "https://example.org/mcp"


@pytest.mark.parametrize(
    ("finding", "kind", "words", "command"),
    [
        (failed(NEAR, NotReachable("gone")), "server_down", f"nothing answers at {NEAR}", "uv run python server.py"),
        (failed(FAR, NotReachable("gone")), "server_down", f"nothing answers at {FAR}", ""),
        (failed("", NotReachable("The server 'x' can't be started."), ("x",)), "not_started", "can't be started", ""),
        (failed(FAR, Unauthorized("It wants authorization.")), "unauthorized", "wants authorization", ""),
        (failed(FAR, NotMCP("It is a page.", 200)), "stranger", "this is not an MCP server. It is a page.", ""),
        (
            failed(NEAR, NotMCP("It is a page.", 403)),
            "stranger",
            "this is not an MCP server",
            "uv run python server.py --port 5001",
        ),
        (
            failed(NEAR, TravelError("The server offers the revisions ['2099-01-01'], none of which is left to try.")),
            "wrong_era",
            "no revision of MCP in common",
            f"uv run python client.py --url {NEAR} --revision auto",
        ),
        (failed("", TravelError("It wants to speak revision 'x'."), ("x",)), "wrong_era", "in common", ""),
        (failed(FAR, TravelError("It hung up.")), "server_failed", "It hung up.", ""),
    ],
)
def test_a_server_that_fails(finding: Finding, kind: str, words: str, command: str) -> None:
    assert (finding.kind, finding.command) == (kind, command)
    assert words in finding.sentence
    assert finding.sentence.startswith("The server 'it' is left out: ")


def test_an_entry_that_is_wrong() -> None:
    log = Logbook.__new__(Logbook)
    member = Member(Entry("it", None, problem="No url."), log, {}, lambda *a: None, lambda *a: None, str)
    assert str(of_server(member)) == "The server 'it' is left out: No url."


def test_a_wrong_path_names_the_right_one(start: Start) -> None:
    url = start("server.py", "--port", 0).url
    finding = failed(f"{url}/", NotMCP("no", 404))
    assert finding.kind == "wrong_path"
    assert f"there is no MCP at {url}/ (HTTP 404), but there is at {url}/mcp." in finding.sentence
    assert finding.command == f"uv run python client.py --url {url}/mcp"


def test_another_path_that_is_no_mcp_either_is_not_named() -> None:
    with Impostor(lambda seen: reply(200, b"<html>", "text/html")) as page:
        assert failed(page.url.replace("/mcp", "/"), NotMCP("It is a page.", 200)).kind == "stranger"


def test_on_a_mac_port_5000_is_airplay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "AirPlay" in failed("http://127.0.0.1:5000/mcp", NotMCP("It is a page.", 403)).sentence


# ---- After a failure ----


@pytest.mark.parametrize(
    ("kind", "of", "command"),
    [
        ("not_running", "ollama", "ollama serve"),
        ("model_missing", "ollama", "ollama pull granite3.3"),
        ("not_running", "openai", "uv run python chat_with_tools.py --provider scripted"),
        ("no_key", "openai", "echo 'OPENAI_API_KEY=…' >> .env"),
        ("key_refused", "anthropic", "echo 'ANTHROPIC_API_KEY=…' >> .env"),
        ("model_missing", "anthropic", "/model NAME"),
        ("model_missing", "scripted", "uv run python -m playground.scripted_model --list"),
        ("proxy", "openai", "NO_PROXY=api.openai.com uv run python chat_with_tools.py"),
        ("too_long", "openai", "/clear"),
        ("too_long", "ollama", "OLLAMA_CONTEXT_LENGTH=16384 ollama serve"),
        ("rate_limited", "openai", ""),
    ],
)
def test_the_command_after_a_failure(kind: str, of: str, command: str) -> None:
    assert after(kind, provider(of)) == command


def test_every_command_is_for_a_failure_that_there_is() -> None:
    assert {kind for _, kind in doctor._COMMANDS} <= set(SENTENCES)


def test_a_scripted_model_has_no_key_to_set() -> None:
    assert after("key_refused", provider("scripted")) == ""
