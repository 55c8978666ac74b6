"""chat_with_tools.py: the whole host, with the scripted model in every dialect, and our server on both transports.

Most of these run the chapter in this process, because the SDKs take a second to load; those at the end run the script.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import chat_with_tools
from chat_with_tools import Talk, begun, choose, connect, handle, main
from playground import chat_flags
from playground.host.approval import Question, Reply
from playground.host.calls import text_block
from playground.host.commands import Leave, run
from playground.host.doctor import Checkup
from playground.host.tools import Tool
from playground.scripted_model import DIALECTS, ScriptedModel
from playground.scripted_model.gallery import GALLERY
from playground.settings import load
from tests.chats import TUTORIAL, chat, odd, ran, records, servers, tool
from tests.conftest import ROOT, Start, unused_port

Ask = Callable[..., Any]
KIND = {"ollama": "ollama", "ollama-old": "ollama", "openai": "openai", "anthropic": "anthropic"}


@dataclass
class Ended:
    code: int
    out: str
    notes: str

    @property
    def line(self) -> str:
        """The one line on stderr."""
        (line,) = self.notes.splitlines()
        return line


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for files and logs, and no setting but those that a test makes."""
    for name in ("PROVIDER", "OLLAMA_BASE_URL", "OLLAMA_MODEL", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MCP_FILES", str(tmp_path / "files"))
    monkeypatch.setenv("MCP_LOGS", str(tmp_path / "logs"))
    monkeypatch.setenv("MCP_PORT", str(unused_port()))
    monkeypatch.setattr("playground.host.servers.PROJECT_ROOT", ROOT)
    return tmp_path


@pytest.fixture
def ask(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs main: `ask("--once", "Hello")`; `typed` is its standard input."""

    def run(*arguments: object, typed: str = "") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return run


def scripted(ask: Ask, *arguments: object, **more: Any) -> Any:
    return ask("--provider", "scripted", *arguments, **more)


# ---- The tutorial's question ----


def check_story(place: Path, via: str) -> None:
    """The tutorial's question left its whole story, in both logs, under one trace."""
    story = records(place / "logs")
    start = next(record for record in story if record["event"] == "chat_start")
    assert start["data"]["servers"][0]["via"] == via
    trace = next(record["trace"] for record in story if record["event"] == "chat_question")
    turn = [record["event"] for record in story if record.get("trace") == trace]
    for event, count in {
        "tools_mapped_for_llm": 1, "chat_request": 1, "chat_response": 1, "chat_followup_request": 2,
        "chat_followup_response": 2, "llm_answer": 3, "llm_tool_call": 2, "chat_approval": 2, "llm_tool_result": 2,
        "chat_answer": 1,
    }.items():  # fmt: skip
        assert turn.count(event) == count, event
    served = records(place / "logs", "tool_call_success", component="mcp-server")
    assert [record["trace"] for record in served] == [trace, trace]
    asked = [record for record in story if record.get("trace") == trace and record["event"] == "client_request"]
    assert [record["data"]["message"]["params"]["name"] for record in asked] == ["write_file", "search_file"]
    exchanges = {record["exchange"] for record in asked}
    assert exchanges <= {
        record.get("exchange") for record in records(place / "logs", "rpc_request", component="mcp-server")
    }


@pytest.mark.parametrize("stream", [[], ["--no-stream"]], ids=["streamed", "whole"])
@pytest.mark.parametrize("via", ["http", "stdio"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_tutorials_question_ends_right_with_every_dialect(
    ask: Ask, place: Path, start: Start, monkeypatch: pytest.MonkeyPatch, dialect: str, via: str, stream: list[str]
) -> None:
    if via == "http":
        url = start("server.py", "--port", 0, "--logs", place / "logs", "--files", place / "files").url
        monkeypatch.setenv("MCP_PORT", url.rpartition(":")[2])
    kind = KIND[dialect]
    with ScriptedModel() as model:
        monkeypatch.setenv(f"{kind.upper()}_BASE_URL", model.start(dialect))
        monkeypatch.setenv(f"{kind.upper()}_API_KEY", "key-123456789")
        ended = ask("--provider", kind, "--model", "scripted", "--approve", "always", "--once", TUTORIAL, *stream)
        assert model.refused == []
        bodies = [request.body for request in model.requests if request.body and "messages" in request.body]
    assert ended.code == 0
    assert "1 time" in ended.out
    (file,) = (place / "files").glob("*.txt")
    assert file.name == "notes.txt"
    assert "TODO" in file.read_text("utf-8")
    assert len(bodies) == 3
    assert [body.get("stream", False) for body in bodies] == [not stream] * 3
    check_story(place, via)
    assert "key-123456789" not in (place / "logs" / "mcp-client-chat.jsonl").read_text("utf-8")


def says(*words: str) -> Callable[[str, Path], bool]:
    return lambda answer, files: all(word.lower() in answer.lower() for word in words)


def holds(name: str, text: str) -> Callable[[str, Path], bool]:
    return lambda answer, files: text in (files / name).read_text("utf-8")


def lacks(name: str) -> Callable[[str, Path], bool]:
    return lambda answer, files: not (files / name).exists()


# Each begins with notes.txt ("TODO: one\nTODO: two\ndone\n") and old.txt ("nothing here\n").
WORDINGS: list[tuple[str, Callable[[str, Path], bool]]] = [
    ("Create a file named a.txt with the text hello", holds("a.txt", "hello")),
    ("Please make a new file called b.md that says 'good morning'.", holds("b.md", "good morning")),
    ('Write "three words here" to c.txt', holds("c.txt", "three words here")),
    ("Save the text buy milk in list.txt", holds("list.txt", "buy milk")),
    ("Could you create d.txt containing TODO: sleep?", holds("d.txt", "TODO: sleep")),
    ("Put the line 'abc' into e.txt", holds("e.txt", "abc")),
    ("append 'TODO: three' to notes.txt", holds("notes.txt", "TODO: three")),
    ("Add a line saying buy milk to notes.txt", holds("notes.txt", "buy milk")),
    ("add TODO: four at the end of notes.txt", holds("notes.txt", "TODO: four")),
    ("Read notes.txt", says("TODO: two")),
    ("show me the contents of notes.txt", says("TODO: one")),
    ("What is in old.txt?", says("nothing here")),
    ("what does old.txt say", says("nothing here")),
    ("Print old.txt please", says("nothing here")),
    ("List the files", says("notes.txt", "old.txt")),
    ("Which files are there?", says("notes.txt", "old.txt")),
    ("what files do you have", says("notes.txt")),
    ("Show all files.", says("old.txt")),
    ("How many TODOs are in notes.txt?", says("2")),
    ("count the word done in notes.txt", says("1")),
    ("Count TODO in notes.txt", says("2")),
    ("how often does 'TODO' occur in notes.txt?", says("2")),
    ("Search for TODO in all files", says("2", "notes.txt")),
    ("Find TODO in notes.txt", says("2")),
    ("In which files does the word nothing appear?", says("old.txt")),
    ("Delete old.txt", lacks("old.txt")),
    ("please remove the file old.txt", lacks("old.txt")),
    ("Get rid of old.txt", lacks("old.txt")),
    ("Create x.txt with one TODO line, then read it", says("TODO")),
    ("Write TODO to y.txt, append TODO to it and count the TODOs in y.txt", says("2")),
    ("Delete old.txt and then list the files", lacks("old.txt")),
    ("Count the TODOs in notes.txt and write the number to n.txt", says("2")),
    ("Hello!", says("")),
    ("Thank you", says("")),
]


@pytest.mark.parametrize("via", ["http", pytest.param("stdio", marks=pytest.mark.hard)])
def test_thirty_wordings_of_file_tasks(
    place: Path, start: Start, monkeypatch: pytest.MonkeyPatch, via: str, talk: Callable[..., Talk]
) -> None:
    files = place / "files"
    if via == "http":
        url = start("server.py", "--port", 0, "--logs", place / "logs", "--files", files).url
        monkeypatch.setenv("MCP_PORT", url.rpartition(":")[2])
    host = talk("--approve", "always")
    assert host.router.members[0].via == via
    failed = []
    for wording, is_right in WORDINGS:
        for old in files.glob("*"):
            old.unlink()
        (files / "notes.txt").write_text("TODO: one\nTODO: two\ndone\n", encoding="utf-8")
        (files / "old.txt").write_text("nothing here\n", encoding="utf-8")
        run(host, "/clear")
        answered = host.ask([text_block(wording)])
        answer = host.conversation.turns[-1].steps[-1].said.text
        if not (answered and is_right(answer, files)):
            failed.append((wording, answer))
    assert failed == []


# ---- The gallery ----


@pytest.fixture
def talk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Talk]]:
    """A chat in this process, connected, with the scripted model."""
    begun_ones: list[Any] = []

    def begin(*arguments: object) -> Talk:
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        options = chat_flags.parse(["--provider", "scripted", *map(str, arguments)])
        context = begun(options, load({}), io.StringIO(), io.StringIO())
        host = context.__enter__()
        begun_ones.append(context)
        connect(host)
        choose(host)
        return host

    yield begin
    for context in begun_ones:
        context.__exit__(None, None, None)


# What the host says of each; of the last it says nothing, for it copes.
DIAGNOSED = {
    "call_as_text": "call-as-text call-as-json call-as-json-block call-as-tag",
    "unknown_tool": "unknown-tool misspelt-tool empty-name null-name",
    "wrong_arguments": "wrong-types wrong-argument-names null-arguments empty-arguments missing-arguments",
    "invalid_json": "invalid-arguments trailing-arguments",
    "cut_json": "cut-arguments",
    "double_encoded": "double-encoded-arguments",
    "not_object": "null-text-arguments list-arguments number-arguments",
    "repeated_call": "endless-loop",
    "many_calls": "five-calls",
    "call_id": "duplicate-ids missing-ids null-ids empty-ids",
    "empty_answer": "empty-answer silent-afterwards",
    "result_ignored": "result-ignored",
    "cut_answer": "cut-answer",
    "trimmed": "context-overflow",
    "rate_limited": "rate-limit",
    "key_refused": "refused-key",
    "overloaded": "overloaded",
    "server_error": "server-error error-with-200",
    "no_tools": "no-tool-support",
    "too_long": "context-exceeded",
    "cut": "error-in-stream cut-stream",
    "no_choice": "empty-choices missing-choices",
    "malformed": "html",
    "timeout": "stall",
    "": "object-arguments text-and-call wrong-finish thinks-aloud hostile-text slow deletes-instead",
}
DIAGNOSES = {name: kind for kind, names in DIAGNOSED.items() for name in names.split()}


def test_every_misbehaving_model_is_looked_at() -> None:
    assert set(GALLERY) == set(DIAGNOSES)


@pytest.mark.hard
def test_every_misbehaving_model_ends_in_its_diagnosis_a_valid_history_and_a_usable_prompt(
    talk: Callable[..., Talk], place: Path
) -> None:
    host = talk("--approve", "always")
    notes = place / "files" / "notes.txt"
    for name, expected in DIAGNOSES.items():
        before = len(records(place / "logs"))
        notes.write_text("TODO\nTODO\n", encoding="utf-8")
        run(host, f"/model {name}")
        host.provider.total = 1.0 if name == "stall" else 60.0  # type: ignore[attr-defined]
        host.ask([text_block("Count the TODOs in notes.txt")])
        found = [record["data"].get("kind") for record in records(place / "logs")[before:]]
        assert expected in found if expected else set(found) <= {None}, name
        assert host.conversation.state == "idle", name
        run(host, "/model scripted")
        assert host.ask([text_block("List the files")]), name  # the strict model takes the history
        run(host, "/clear")


def test_an_endless_loop_ends_at_the_cap(talk: Callable[..., Talk]) -> None:
    host = talk("--max-rounds", 3)
    run(host, "/model endless-loop")
    assert not host.ask([text_block("List the files")])
    (turn,) = host.conversation.turns
    assert sum(len(step.said.calls) for step in turn.steps) == 3
    assert turn.steps[-1].said.text == "(Stopped: the limit of 3 rounds of tool calls is reached.)"


# ---- Flags, exit codes, streams ----


def test_once_prints_the_answer_alone(ask: Ask) -> None:
    ended = scripted(ask, "--once", "Which files are there?")
    assert (ended.code, ended.out, ended.notes) == (0, "There are no files.\n", "")


def test_once_reads_a_long_question_from_standard_input(ask: Ask, place: Path) -> None:
    ended = scripted(ask, "--approve", "always", "--once", "-", typed='Write "a\nb" to a.txt')
    assert ended.code == 0
    assert (place / "files" / "a.txt").read_text("utf-8").startswith("a\nb")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--model", "rate-limit"], "limits the rate of requests: wait 20 s"),
        (["--model", "empty-answer"], "The model returned nothing. Ask again"),
        (["--model", "endless-loop"], "Stopped: the limit of 10 rounds of tool calls is reached."),
        (
            ["--model", "nobody"],
            "The scripted model plays no 'nobody'. Try: uv run python -m playground.scr",
        ),
        (["--servers", "/nowhere.json"], "/nowhere.json can't be read"),
    ],
)
def test_without_an_answer_once_says_why_in_one_line(ask: Ask, arguments: list[str], line: str) -> None:
    ended = scripted(ask, *arguments, "--once", "List the files")
    assert (ended.code, ended.out) == (1, "")
    assert line in ended.line


def test_ollama_that_is_not_running_is_one_line_with_both_ways_out(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", f"http://127.0.0.1:{free_port}/v1")
    ended = ask("--once", "Hello")
    assert ended.code == 1
    assert "Try: ollama serve Or without any model: --provider scripted" in ended.line


def test_a_missing_key_is_one_line(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    ended = ask("--provider", "openai", "--once", "Hello")
    assert ended.code == 1
    assert "OpenAI needs a key: set OPENAI_API_KEY in the environment or in .env." in ended.line


def test_an_unknown_provider_in_the_environment_is_one_line(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER", "gemini")
    assert "There is no provider 'gemini'" in ask("--once", "Hello").line


def test_a_machine_gets_json(ask: Ask) -> None:
    ended = scripted(ask, "--json", "--approve", "always", "--once", TUTORIAL)
    told = json.loads(ended.out)
    assert "1 time" in told["answer"]
    assert [call["tool"] for call in told["calls"]] == ["write_file", "search_file"]
    assert (told["question"], told["provider"], told["model"]) == (TUTORIAL, "scripted", "scripted")
    assert re.fullmatch("[0-9a-f]{32}", told["trace"])
    ended = scripted(ask, "--json", "--model", "cut-stream", typed="One\nTwo\n")
    assert [json.loads(line)["error"]["kind"] for line in ended.out.splitlines()] == ["cut", "cut"]
    assert ended.code == 1


def test_a_pipe_is_a_row_of_questions_and_commands(ask: Ask, place: Path) -> None:
    typed = "/approve always\nCreate a.txt with hi\n\n@a.txt what is in this file?\n/history\n/quit\nnever asked\n"
    ended = scripted(ask, typed=typed)
    assert ended.code == 0
    assert (place / "files" / "a.txt").exists()
    assert "you: @a.txt what is in this file?" in ended.out
    assert "Attached files:a.txt." in ended.notes
    assert "never asked" not in ended.out
    body = records(place / "logs", "chat_request")[1]["data"]["message"]
    assert "hi" in body["messages"][-1]["content"]


def test_the_end_of_input_is_no_failure(ask: Ask) -> None:
    assert scripted(ask).code == 0


def test_where_nobody_sits_nothing_is_changed_unless_it_is_allowed(ask: Ask, place: Path) -> None:
    ended = scripted(ask, "--once", "Create a.txt with hi")
    assert not (place / "files" / "a.txt").exists()
    assert "declined" in ended.out
    scripted(ask, "--approve", "never", "--once", "Create a.txt with hi")
    assert not (place / "files" / "a.txt").exists()
    whys = [record["data"]["why"] for record in records(place / "logs", "chat_approval")]
    assert whys == ["there is nobody to ask", "nothing that changes is allowed in this session"]


def test_system_prompt_temperature_and_rounds_reach_the_model(ask: Ask, place: Path) -> None:
    scripted(ask, "--system", " Be brief. ", "--temperature", "0.5", "--no-stream", "--once", "Hello")
    body = records(place / "logs", "chat_request")[0]["data"]["message"]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["temperature"] == 0.5
    assert "stream" not in body


def test_a_prompt_of_a_server_is_asked(ask: Ask, place: Path) -> None:
    (place / "files").mkdir()
    (place / "files" / "a.txt").write_text("x", encoding="utf-8")
    assert scripted(ask, "--once", "/prompt review_file a.txt").code == 0
    (question,) = records(place / "logs", "chat_question")
    assert "Please write a brief review of the file a.txt" in question["data"]["content"][0]["text"]


def test_a_resource_that_cannot_be_read_is_a_line(ask: Ask, place: Path) -> None:
    answers = {"resources/list": {"resources": [{"uri": "odd://1", "name": "one"}]}}
    file = servers(place, odd=odd(place, [], capabilities={"resources": {}}, answers=answers))
    ended = scripted(ask, "--servers", file, typed="Look at @one\n")
    assert "! The server 'odd' did not answer resources/read" in ended.notes
    assert ended.code == 1


def test_a_server_that_fails_is_left_out_and_named(ask: Ask, place: Path) -> None:
    file = servers(place, gone={"command": "no-such-program"}, odd=odd(place, [tool("x")]))
    ended = scripted(ask, "--servers", file, typed="/tools\n")
    assert "! The server 'gone' is left out: The server 'no-such-program' can't be started" in ended.notes
    assert "1 tools, of odd." in ended.notes
    ended = scripted(ask, "--servers", servers(place), typed="Hello\n")
    assert "No server, so no tools." in ended.notes
    assert ended.code == 0


def test_keys_of_servers_never_reach_the_log(ask: Ask, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "tok-123456789")
    entry = {**odd(place, [tool("x")]), "env": {"TOKEN": "${MY_TOKEN}"}}
    entry["args"] = [*entry["args"], "tok-123456789"]
    scripted(ask, "--servers", servers(place, odd=entry), "--once", "Hello")
    assert "tok-123456789" not in (place / "logs" / "mcp-client-chat.jsonl").read_text("utf-8")


# ---- Steps that only a person, or bad luck, brings about ----


class Person:
    """Presses and types what it is told to."""

    def __init__(self, *typed: Any) -> None:
        self.typed = list(typed)

    def _next(self, *_: Any) -> Any:
        typed = self.typed.pop(0)
        if isinstance(typed, BaseException):
            raise typed
        return typed

    choose = line = question = _next


def seated(host: Talk, *typed: Any) -> Talk:
    person: Any = Person(*typed)
    host.person = person
    return host


def test_the_users_word_on_a_call(talk: Callable[..., Talk], place: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    host = talk("--servers", servers(place, odd=odd(place, [tool("count", inputSchema=schema)])))
    (count,) = host.router.tools()
    question = Question(count, {"n": 1}, (), False)
    for key, choice in {"y": "yes", "n": "no", "a": "always", "s": "stop"}.items():
        assert seated(host, key).ask_to_run(question) == Reply(choice)  # type: ignore[arg-type]
    edited = seated(host, "e", "{", "[]", '{"n": "x"}', '{"n": 2}').ask_to_run(question)
    assert edited == Reply("edit", {"n": 2})


@pytest.mark.parametrize(
    ("typed", "choice"), [("c", "continue"), ("s", "stop"), ("a", "summarize"), (EOFError(), "stop")]
)
def test_the_users_word_at_the_cap(talk: Callable[..., Talk], typed: Any, choice: str) -> None:
    assert seated(talk(), typed).ask_how_to_go_on(10) == choice


def test_the_scripted_model_is_offered_on_one_key(talk: Callable[..., Talk], free_port: int) -> None:
    host = talk()
    host.provider = host.choice.provider("ollama")
    host.provider.base_url = f"http://127.0.0.1:{free_port}/v1"
    with pytest.raises(Leave):
        choose(seated(host, "r", "q"))
    choose(seated(host, "s"))
    assert host.provider.kind == "scripted"


def test_a_small_window_is_said_before_the_first_question(talk: Callable[..., Talk]) -> None:
    host = talk("--model", "context-overflow")
    assert "reads 256 tokens at a time" in host.screen._notes.file.getvalue()  # type: ignore[attr-defined]


def test_a_window_that_is_not_sure_is_looked_at_again(talk: Callable[..., Talk]) -> None:
    host = talk()
    host.checkup = Checkup(window=4096, is_sure=False)
    host.limits()
    assert host.checkup.window == 32_768
    host.checkup = Checkup()
    assert host.limits().budget is None


def test_stop_ends_the_turn_and_nothing_of_the_round_runs(talk: Callable[..., Talk], place: Path) -> None:
    host = talk("--servers", servers(place, odd=odd(place, [tool("a"), tool("b")])))
    host.approval._ask = lambda question: Reply("stop")
    run(host, "/model five-calls")
    assert not host.ask([text_block("Do it")])
    assert ran(place) == []
    assert host.conversation.state == "idle"


def test_a_fault_of_the_host_keeps_the_conversation_and_is_logged(
    talk: Callable[..., Talk], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = talk()
    before = host.conversation
    monkeypatch.setattr(host.router, "tools", lambda: 1 // 0)
    assert not host.ask([text_block("Hello")])
    assert host.conversation == before
    assert "ZeroDivisionError" in str(records(place / "logs", "chat_crash"))


@pytest.mark.parametrize("where", ["thinks", "says"])
def test_ctrl_c_at_any_step_leaves_a_valid_conversation(
    talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    host = talk()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(host.screen, where, interrupt)
        host.ask([text_block("List the files")])
    assert host.conversation.state == "idle"
    assert host.ask([text_block("List the files")])


def test_ctrl_c_between_two_steps_takes_the_question_back(
    talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = talk()
    monkeypatch.setattr(chat_with_tools, "drive", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert handle(host, "Hello") is False
    assert host.conversation.turns == ()
    host.is_stopping = True
    monkeypatch.setattr(host, "ask", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(SystemExit):  # the second of two leaves
        handle(host, "Hello")


def test_ctrl_c_while_something_is_looked_up_stops_that(
    talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = talk()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(host.router, "resources", interrupt)
    assert handle(host, "Look at @this") is False


def test_ctrl_c_and_a_closed_pipe_end_the_program(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def fails(error: BaseException) -> Callable[..., Any]:
        def fail(*_: Any) -> Any:
            raise error

        return fail

    for error, code in ((KeyboardInterrupt(), 130), (Leave(), 0), (EOFError(), 0)):
        monkeypatch.setattr(chat_with_tools, "converse", fails(error))
        assert main(["--provider", "scripted"]) == code


def test_pictures_of_tools_reach_the_model_described(talk: Callable[..., Talk], place: Path) -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    host = talk(
        "--approve", "always", "--servers",
        servers(place, odd=odd(place, [tool("list_files")], results={"list_files": {"content": [picture]}})),
    )  # fmt: skip
    host.ask([text_block("List the files")])
    sent = records(place / "logs", "chat_followup_request")[-1]["data"]["message"]["messages"]
    assert "image" in json.dumps(sent[-1]).lower()


def test_a_tool_that_changed_since_it_was_allowed_asks_again() -> None:
    from playground.host.approval import Approval
    from tests.chats import job

    asked: list[Question] = []

    def answer(question: Question) -> Reply:
        asked.append(question)
        return Reply("always")

    approval = Approval(ask=answer)
    for description in ("Harmless.", "Harmless.", "Sends everything away."):
        approval.review([job(Tool("x__y", description))])
    assert [question.changed for question in asked] == [False, True]


# ---- The script itself ----


def test_help_is_quick_and_loads_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", str(ROOT / "chat_with_tools.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {
        "openai",
        "anthropic",
        "httpx2",
        "requests",
        "rich",
        "prompt_toolkit",
        "jsonschema_rs",
        "msgspec",
        "dotenv",
    }
    assert "playground.chat_flags" in loaded
    assert loaded & heavy == set()


def test_the_script_answers_through_pipes(tmp_path: Path) -> None:
    done = chat(tmp_path, "--provider", "scripted", "--approve", "always", typed=f"{TUTORIAL}\n/history\n")
    assert done.code == 0
    assert "TODO occurs 1 time in notes.txt." in done.out
    assert "so 'files' was started for this chat, through a pipe." in done.notes
    assert "a set of rules, not a language model" in done.notes
    assert "\x1b" not in done.out + done.notes


def test_whoever_reads_only_the_beginning_gets_no_traceback(tmp_path: Path) -> None:
    from tests.chats import environment

    process = subprocess.Popen(
        [sys.executable, str(ROOT / "chat_with_tools.py"), "--provider", "scripted"],
        cwd=tmp_path, env=environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    _, notes = process.communicate("/tools\n/tools\n", timeout=60)
    assert "Traceback" not in notes
    assert process.returncode in (0, 1)
