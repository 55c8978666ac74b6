"""Both halves of the protocol plugged together: in memory, over HTTP and through a pipe, in every revision.

The same conversation, word for word, on each way of traveling. In memory the messages still pass as text, so what holds
here holds for the core alone; over HTTP and a pipe the real server.py runs as a process of its own.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_core import messages, revisions
from mcp_core.calling import Asked, Noted
from mcp_core.messages import Message, Request
from mcp_core.sealing import Seal
from mcp_core.serving import Session
from playground.logbook import Logbook
from playground.server.sandbox import Sandbox
from playground.wire.connection import Connection, Refused
from playground.wire.http import Http
from playground.wire.inboxes import Inboxes
from playground.wire.pipe import Pipe
from playground.wire.recorder import Recorder
from playground.wire.transports import Deadline, Unasked
from server import file_tools

ROOT = Path(__file__).resolve().parent.parent
ME = {"name": "both-halves", "version": "1.0"}
ABLE: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}


class Memory:
    """A transport without a wire: the text of each message goes straight into a serving.Session."""

    via = "stdio"

    def __init__(self, folder: Path, recorder: Recorder) -> None:
        self.recorder = recorder
        seal = Seal(b"secret", now=lambda: 0.0)
        self._session = Session(file_tools(Sandbox(folder)), seal=seal, page_size=3, can_push=True)
        self._inboxes = Inboxes()

    def open(self, unasked: Unasked) -> None:
        self._inboxes.unasked = unasked

    def send(self, message: Message, deadline: Deadline, input_schema: Any = None) -> Iterator[Message]:
        if isinstance(message, Request):
            yield from self._inboxes.exchange(message, lambda: self._deliver(message), deadline, "memory")
        else:
            self._deliver(message)

    def _deliver(self, message: Message) -> None:
        for out in self._session.receive(messages.decode(messages.encode(message))):
            if out.message is not None:
                self._inboxes.put(messages.decode(messages.encode(out.message)))

    def greeted(self, revision: str) -> None: ...

    def close(self) -> None: ...


class Talk:
    """One open connection, and what was heard on it."""

    def __init__(self, connect: Callable[..., Connection]) -> None:
        self.heard: list[Noted] = []
        self.asked: list[Asked] = []
        self.news = threading.Condition()
        self.replies: dict[str, Any] = {
            "elicitation/create": {"action": "accept", "content": {"sure": True}},
            "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "short"}, "model": "m"},
        }
        self.connection = connect(answer=self._answer, note=self._note)

    def _answer(self, asked: Asked) -> Any:
        self.asked.append(asked)
        return self.replies.get(asked.method)

    def _note(self, noted: Noted) -> None:
        with self.news:
            self.heard.append(noted)
            self.news.notify_all()

    def hears(self, method: str) -> bool:
        with self.news:
            return self.news.wait_for(lambda: any(noted.note.method == method for noted in self.heard), 10)

    def call(self, name: str, **arguments: Any) -> Any:
        """The value of a tool, from its text: the oldest revisions have no structuredContent."""
        return json.loads(self.connection.call_tool(name, arguments)["content"][0]["text"])


@pytest.fixture(scope="module")
def server_url(start_module: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("http")
    args = ("--files", str(folder / "files"), "--logs", str(folder / "logs"), "--page-size", "3")
    return str(start_module("server.py", "--port", "0", *args).url) + "/mcp"


@pytest.fixture(params=["memory", "http", "pipe"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[*revisions.REVISIONS, "auto"])
def talk(way: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    log = Logbook(tmp_path / "logs", "mcp-client-chat")
    recorder = Recorder(log, via="http" if way == "http" else "stdio", server="files")
    transport: Any
    if way == "memory":
        transport = Memory(tmp_path / "files", recorder)
    elif way == "http":
        transport = Http(request.getfixturevalue("server_url"), recorder)
    else:
        folders = ["--files", str(tmp_path / "files"), "--logs", str(tmp_path / "logs")]
        transport = Pipe([sys.executable, str(ROOT / "server.py"), "--stdio", "--page-size", "3", *folders], recorder)

    def connect(**functions: Any) -> Connection:
        return Connection(transport, ME, ABLE, mode=request.param, patience=20, **functions)

    talk = Talk(connect)
    talk.connection.open()
    yield talk
    talk.connection.close()


def test_one_conversation_is_the_same_on_every_way_and_in_every_revision(talk: Talk, way: str) -> None:
    connection, revision = talk.connection, talk.connection.revision
    is_stateless = revisions.is_stateless(revision)
    name = f"{way}-{revision}.txt"

    tools = {tool["name"]: tool for tool in connection.list_all("tools/list")}
    assert list(tools)[:3] == ["list_files", "read_file", "write_file"], "pages keep the order"
    assert len(tools) == 8, "every page was fetched"
    assert ("outputSchema" in tools["read_file"]) == (revision >= "2025-06-18")

    result = connection.call_tool("write_file", {"filename": name, "text": "one TODO\ntwo TODO\r\n€\n"})
    assert json.loads(result["content"][0]["text"]) == {"message": f"Wrote 23 bytes to {name}"}
    assert ("structuredContent" in result) == (revision >= "2025-06-18")
    assert result.get("resultType") == ("complete" if is_stateless else None)
    assert talk.call("read_file", filename=name) == {"content": "one TODO\ntwo TODO\r\n€\n"}

    wrong = connection.call_tool("read_file", {"filename": 5})
    assert wrong["isError"]
    assert "'filename' must be of type string" in wrong["content"][0]["text"]
    with pytest.raises(Refused, match="There is no tool named 'dance'") as refused:
        connection.call_tool("dance", {})
    assert refused.value.code == messages.INVALID_PARAMS

    connection.call_tool("search_all", {"keyword": "TODO"}, with_progress=True)
    progress = [noted.note.params for noted in talk.heard if noted.note.method == "notifications/progress"]
    assert [part["progress"] for part in progress] == list(range(1, len(progress) + 1))
    assert ("message" in progress[0]) == (revision >= "2025-03-26")

    assert talk.call("summarize_file", filename=name) == {"summary": "short"}
    assert talk.call("delete_file", filename=name) == {"deleted": True}
    asked = [question.method for question in talk.asked]
    assert asked.count("elicitation/create") == (revision >= "2025-06-18"), "only who can be asked is asked"


def test_a_user_who_says_no_keeps_the_file(talk: Talk) -> None:
    if talk.connection.revision < "2025-06-18":
        return  # nobody can be asked there
    talk.call("write_file", filename="keep.txt", text="")
    for reply in ({"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {"sure": False}}):
        talk.replies["elicitation/create"] = reply
        assert talk.call("delete_file", filename="keep.txt") == {"deleted": False}
    assert "keep.txt" in talk.call("list_files")["files"]


def test_resources_and_prompts_come_from_the_same_folder(talk: Talk, way: str) -> None:
    connection, name = talk.connection, f"a b-{way}-{talk.connection.revision}.txt"
    uri = f"playground://files/{name.replace(' ', '%20')}"
    connection.call_tool("write_file", {"filename": name, "text": "hello"})
    listed = {entry["uri"]: entry for entry in connection.list_all("resources/list")}
    assert listed[uri]["size"] == 5
    read = connection.request("resources/read", {"uri": uri})
    assert read["contents"] == [{"uri": uri, "mimeType": "text/plain", "text": "hello"}]
    with pytest.raises(Refused) as refused:
        connection.request("resources/read", {"uri": "playground://files/none.txt"})
    stateless = revisions.is_stateless(connection.revision)
    assert refused.value.code == (messages.INVALID_PARAMS if stateless else messages.RESOURCE_NOT_FOUND)
    assert refused.value.data == {"uri": "playground://files/none.txt"}

    prompts = [prompt["name"] for prompt in connection.list_all("prompts/list")]
    assert prompts == ["review_file", "todo_report"]
    got = connection.request("prompts/get", {"name": "review_file", "arguments": {"filename": name}})
    assert "hello" in got["messages"][0]["content"]["text"]
    ref = {"type": "ref/prompt", "name": "review_file"}
    completed = connection.request(
        "completion/complete", {"ref": ref, "argument": {"name": "filename", "value": "a b"}}
    )
    assert name in completed["completion"]["values"]


@pytest.mark.parametrize("way", ["http", "pipe"], indirect=True)
@pytest.mark.parametrize("talk", ["2025-06-18", "2025-11-25"], indirect=True)
def test_a_subscriber_hears_of_a_change(talk: Talk) -> None:
    talk.call("write_file", filename="watched.txt", text="1")
    talk.connection.request("resources/subscribe", {"uri": "playground://files/watched.txt"})
    talk.call("write_file", filename="watched.txt", text="2")
    assert talk.hears("notifications/resources/updated")


def test_what_was_sent_and_came_is_in_the_log(talk: Talk, tmp_path: Path) -> None:
    talk.connection.request("tools/list")
    records = [json.loads(line) for line in (tmp_path / "logs" / "mcp-client-chat.jsonl").read_text().splitlines()]
    sent = [record for record in records if record["event"] == "client_request"]
    assert all(record["exchange"].startswith("span:") and len(record["trace"]) == 32 for record in sent)
    assert len({record["exchange"] for record in sent}) == len(sent)
    if talk.connection.transport.via == "http" or len(records) > len(sent):
        came = {record["exchange"]: record for record in records if record["event"] == "client_response"}
        assert all(record["exchange"] in came for record in sent)
