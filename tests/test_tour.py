"""Every file of the tour and every scene of client.py runs as its user runs it, and together they show every word.

SHOWN says which of them shows which word of the protocol: each in every revision era that has the word. A test of its
own sees to it that no word is missing there, so a word that is added needs somebody who shows it.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_core import revisions, words
from mcp_core.revisions import WORDS, Word
from playground.explainer import explain, explanations
from playground.touring import FOLDER, tours
from tests.conformance.wire import judged
from tests.conftest import clean_environment
from tests.talks import untold

ROOT = Path(__file__).resolve().parent.parent
Json = dict[str, Any]

SHOWN = {
    "initialize": "handshake",
    "notifications/initialized": "handshake",
    "server/discover": "handshake",
    "tools/list": "discovery",
    "tools/call": "write-and-search",
    "ping": "tour/ping",
    "resources/list": "tour/resources",
    "resources/read": "tour/resources",
    "resources/templates/list": "tour/templates",
    "resources/subscribe": "tour/subscriptions",
    "resources/unsubscribe": "tour/subscriptions",
    "notifications/resources/updated": "tour/subscriptions",
    "subscriptions/listen": "tour/subscriptions",
    "notifications/subscriptions/acknowledged": "tour/subscriptions",
    "notifications/tools/list_changed": "tour/list_changed",
    "notifications/prompts/list_changed": "tour/list_changed",
    "notifications/resources/list_changed": "tour/list_changed",
    "prompts/list": "tour/prompts",
    "prompts/get": "tour/prompts",
    "completion/complete": "tour/completion",
    "logging/setLevel": "tour/log_levels",
    "notifications/message": "tour/log_levels",
    "sampling/createMessage": "tour/sampling",
    "roots/list": "tour/roots",
    "notifications/roots/list_changed": "tour/roots",
    "elicitation/create": "ask",
    "notifications/elicitation/complete": "tour/elicitation_url",
    "notifications/progress": "progress",
    "notifications/cancelled": "tour/cancel",
}
SCENES = ("handshake", "discovery", "write-and-search", "tool-error", "protocol-error", "progress", "cancel", "ask")
# What these send is wrong on purpose; all else must be as the published schema has it.
WRONG_ON_PURPOSE = {
    "protocol-error", "tour/ping", "tour/two_kinds_of_error", "tour/discover_and_fallback",
}  # fmt: skip


@dataclass(frozen=True)
class Spoken:
    """A message in a log: the era it belongs to, the method it answers, and its record."""

    message: Json
    is_stateless: bool
    answers: str | None
    record: Json

    def methods(self) -> Iterator[str]:
        """What it says; questions inside a result count too (2026-07-28, Multi Round-Trip Requests)."""
        yield str(self.message.get("method"))
        asked = self.message.get("result", {}).get("inputRequests", {})
        yield from (question["method"] for question in asked.values())


def spoken(logs: Path) -> Iterator[Spoken]:
    """All messages in the client's log."""
    asked: dict[str, Json] = {}
    for line in (logs / "mcp-client-simple.jsonl").read_text("ascii").splitlines():
        record = json.loads(line)
        message = record["data"].get("message")
        if not record.get("dir") or not isinstance(message, dict):
            continue
        request = asked.setdefault(record["exchange"], message)
        meta = message.get("params", {}).get("_meta", {})
        first = request.get("params", {}).get("_meta", {})
        stateless = revisions.VERSION_KEY in {**meta, **first} or revisions.SUBSCRIPTION_KEY in meta
        answers = request.get("method") if "method" not in message else None
        yield Spoken(message, stateless, answers, record)


def shows(logs: Path, word: Word) -> set[bool]:
    """The eras in which a word was said, as whether they are stateless."""
    return {said.is_stateless for said in spoken(logs) if word.method in said.methods()}


def eras(word: Word) -> set[bool]:
    """The eras that have a word."""
    return {revisions.is_stateless(r) for r in revisions.REVISIONS if revisions.word(word.method, r) is not None}


def unexplained(logs: Path) -> list[str]:
    """What in the logs has no explanation: a word of the protocol, an answer to one, an error, an event."""
    known = {word.method for word in WORDS}
    faults = []
    for said in spoken(logs):
        kinds = {paragraph.kind for paragraph in explain(said.message, answers=said.answers)}
        is_ours = said.message.get("method", said.answers) in known or "error" in said.message
        if is_ours and not kinds & {"method", "answer", "code"}:
            faults.append(json.dumps(said.message)[:200])
    for log in logs.glob("*.jsonl"):
        events = {json.loads(line)["event"] for line in log.read_text("ascii").splitlines()}
        faults += [f"the event {event}" for event in events - set(explanations()["event"])]
    return faults


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd, env=clean_environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


def check(name: str, logs: Path) -> None:
    """What holds for the logs of each run: it shows its words, nothing is unexplained, everything is by the schema."""
    missing = [w.method for w in WORDS if SHOWN[w.method] == name and not eras(w) <= shows(logs, w)]
    assert missing == []
    assert unexplained(logs) == []
    assert untold(logs) == []
    for log in ("mcp-server", "mcp-client-simple"):
        if log == "mcp-server" or name not in WRONG_ON_PURPOSE:
            judge = judged(logs / f"{log}.jsonl")
            assert judge.faults == []
            assert judge.seen > 0
    events = [json.loads(line)["event"] for line in (logs / "mcp-server.jsonl").read_text("ascii").splitlines()]
    assert not {"server_fault", "log_gap"} & set(events)


# ---- Each by itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tours())
def test_every_file_of_the_tour_plays_by_itself(name: str, tmp_path: Path, logs: Path) -> None:
    done = run(FOLDER / f"{name.removeprefix('tour/')}.py", "--logs", logs, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr
    assert "All as it should be." in done.stdout
    assert "  Notice:" in done.stdout
    assert "Warning:" not in done.stdout
    check(name, logs)


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_plays_in_both_eras(name: str, tmp_path: Path, logs: Path, files: Path) -> None:
    command = f'"{sys.executable}" "{ROOT / "server.py"}" --stdio --files "{files}" --logs "{logs}"'
    arguments = ["--revision", "both", "--scene", name, "--stdio", command, "--logs", logs]
    done = run(ROOT / "client.py", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr
    check(name, logs)


# ---- All together ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.method)
def test_every_word_has_its_function_its_explanation_and_somebody_who_shows_it(word: Word) -> None:
    if word.is_request and word.by in ("client", "both"):
        assert word.method in words.HANDLERS
    assert explanations()["method"][word.method]["text"]
    assert SHOWN[word.method] in (*SCENES, *tours())


def test_the_table_here_names_no_word_that_is_none_and_no_scene_that_is_none() -> None:
    assert set(SHOWN) == {word.method for word in WORDS}
    listed = run(ROOT / "client.py", "--list", cwd=ROOT).stdout.splitlines()
    assert [line.split()[0] for line in listed] == [*SCENES, *tours()]
    assert all(len(line.split()) > 3 for line in listed)


@pytest.mark.parametrize("name", tours())
def test_a_file_of_the_tour_is_short_and_says_what_to_notice(name: str) -> None:
    source = (FOLDER / f"{name.removeprefix('tour/')}.py").read_text("utf-8")
    assert 20 <= len(source.splitlines()) <= 50
    docs = ast.get_docstring(ast.parse(source)) or ""
    first, empty, notice = docs.split("\n", 2)
    assert (empty, first[-1]) == ("", ".")
    assert notice.startswith("Notice: ")
    assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source)))


def test_the_readme_lists_every_file_of_the_tour() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = [line.split("`")[1] for line in readme.splitlines() if line.startswith("| `tour/")]
    assert sorted(listed) == [f"{name}.py" for name in tours()]


# ---- The stage -------------------------------------------------------------------------------------------------------


@pytest.fixture
def scene(tmp_path: Path) -> Any:
    """Runs a file that stands in for one of the tour."""

    def play(body: str, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "improvised.py"
        head = f"import sys\nsys.path.insert(1, {str(FOLDER)!r})\nfrom stage import tour\ndef play(talk):\n    {body}\n"
        wanted = ", ".join([f"{name}={value}" for name, value in more.items()])
        file.write_text(f"{head}tour(play, {wanted})\n", encoding="utf-8")
        return run(file, "--logs", tmp_path / "logs", *arguments, cwd=tmp_path)

    return play


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("assert talk.revision == 'x'", "improvised.py:5: this should hold, and does not: talk.revision == 'x'"),
        ("talk.result('tools/dance')", "The server refused tools/dance"),
        ("talk.heard('notifications/message')", "There should have been a notifications/message, and none came."),
    ],
)
def test_what_is_not_as_it_should_be_is_one_sentence_and_exit_code_1(scene: Any, body: str, said: str) -> None:
    done = scene(body)
    assert (done.returncode, done.stderr) == (1, "")
    assert said in " ".join(done.stdout.split())


def test_the_end_of_the_input_ends_a_file_that_is_played_step_by_step(scene: Any) -> None:
    done = scene("pass", "--step")
    assert (done.returncode, done.stderr) == (130, "")
    assert "Enter sends it" in done.stdout


def test_a_server_that_runs_already_can_be_asked(tmp_path: Path, start: Any, free_port: int, files: Path) -> None:
    running = start("server.py", "--port", free_port, "--files", files, "--logs", tmp_path / "server-logs")
    done = run(FOLDER / "resources.py", "--url", f"{running.url}/mcp", "--logs", tmp_path, "--explain", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (files / "hello.txt").exists()
    assert "resources/read: " in done.stdout


def test_a_file_about_http_has_nothing_to_say_through_a_pipe(tmp_path: Path) -> None:
    done = run(FOLDER / "headers.py", "--stdio", "no-such-server", "--logs", tmp_path, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "This file is about http" in done.stdout


def test_a_file_with_a_server_of_its_own_says_so(tmp_path: Path) -> None:
    done = run(FOLDER / "param_headers.py", "--url", "http://127.0.0.1:9/mcp", "--logs", tmp_path, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "brings a server of its own" in done.stdout


def test_client_py_runs_a_file_of_the_tour_by_either_name(tmp_path: Path, logs: Path) -> None:
    done = run(ROOT / "client.py", "--scene", "tour/ping", "--scene", "pagination", "--logs", logs, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("All as it should be.") == 2


# ---- The checks can fail ---------------------------------------------------------------------------------------------


def test_a_word_that_nobody_said_and_a_message_without_an_explanation_are_found(logs: Path) -> None:
    def record(message: Mapping[str, Any], event: str = "client_request") -> str:
        return json.dumps({"event": event, "dir": "out", "exchange": "e", "data": {"message": message}}) + "\n"

    note = {"method": "notifications/progress", "params": {"_meta": {revisions.VERSION_KEY: revisions.LATEST}}}
    log = logs / "mcp-client-simple.jsonl"
    log.write_text(record(note) + record({"error": {"code": -1}}, "client_dream"), encoding="ascii")
    progress = next(word for word in WORDS if word.method == "notifications/progress")
    assert (shows(logs, progress), eras(progress)) == ({True}, {True, False})
    assert len(unexplained(logs)) == 2
