"""playground/host/member.py: one server, its lists and how long they are good."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_core.calling import Asked
from mcp_core.messages import Notification
from playground.host.member import Member
from playground.host.servers import Entry
from playground.logbook import Logbook
from playground.wire.connecting import Way, way
from playground.wire.transports import NotMCP, NotReachable, TravelError
from tests.chats import odd, records, tool
from tests.conftest import Start
from tests.impostors import Impostor

OURS = ("list_files", "read_file", "write_file")


class World:
    """A member, and what its server asks and tells."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[tuple[str, Notification]] = []
        self.news = threading.Condition()
        self.members: list[Member] = []

    def tell(self, server: str, note: Notification) -> None:
        with self.news:
            self.told.append((server, note))
            self.news.notify_all()

    def heard(self, method: str) -> bool:
        with self.news:
            return self.news.wait_for(lambda: any(note.method == method for _, note in self.told), timeout=10)

    def member(self, entry: Entry, ask: Callable[[str, Asked], Any] = lambda server, asked: None) -> Member:
        made = Member(entry, Logbook(self.folder / "logs", "mcp-client-chat"), {}, ask, self.tell, lambda: "a" * 32)
        self.members.append(made)
        made.open()
        return made


@pytest.fixture
def world(tmp_path: Path) -> Any:
    made = World(tmp_path)
    yield made
    for member in made.members:
        member.close()


def ours(start: Start, world: World) -> Entry:
    url = start("server.py", "--port", 0, "--logs", world.folder / "logs", "--files", world.folder / "files").url
    return Entry("files", Way("http", url=f"{url}/mcp"), trusted=True)


def pipe(world: World) -> Way:
    import sys

    from tests.conftest import ROOT

    files = ["--files", str(world.folder / "files"), "--logs", str(world.folder / "logs")]
    return Way("stdio", (sys.executable, str(ROOT / "server.py"), "--stdio", *files))


def names(member: Member, method: str = "tools/list") -> list[str]:
    return [entry["name"] for entry in member.listed(method)]


def test_a_server_is_reached_over_http_and_listed(start: Start, world: World) -> None:
    member = world.member(ours(start, world))
    assert (member.is_open, member.via, member.problem, member.remark) == (True, "http", "", "")
    assert set(OURS) <= set(names(member))
    assert "review_file" in names(member, "prompts/list")


def test_where_nobody_answers_the_other_way_is_taken_and_said_in_one_line(world: World, free_port: int) -> None:
    entry = Entry("files", Way("http", url=f"http://127.0.0.1:{free_port}/mcp"), instead=pipe(world))
    member = world.member(entry)
    assert member.via == "stdio"
    assert member.remark.startswith(f"Nothing answers at http://127.0.0.1:{free_port}/mcp, so 'files' was started")
    assert set(OURS) <= set(names(member))


def test_something_else_on_the_port_is_no_reason_to_go_without(world: World) -> None:
    def page(seen: Any) -> bytes:
        return b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"

    with Impostor(page) as other:
        member = world.member(Entry("files", Way("http", url=other.url), instead=pipe(world)))
    assert member.remark.startswith(f"What answers at {other.url} is no MCP server (HTTP 403), so")
    assert member.via == "stdio"


def test_what_cannot_be_opened_has_a_problem(world: World, free_port: int) -> None:
    nobody = Way("http", url=f"http://127.0.0.1:{free_port}/mcp")
    no_program = Way("stdio", ("no-such-program-here",))
    for entry, kind in [
        (Entry("a", nobody), NotReachable),
        (Entry("b", no_program), NotReachable),
        (Entry("c", nobody, instead=no_program), NotReachable),
        (Entry("d", Way("http", url="http://[broken/mcp")), TravelError),
        (Entry("e", None, problem="The entry is wrong."), ValueError),
    ]:
        member = world.member(entry)
        assert not member.is_open
        assert member.problem
        assert isinstance(member.error, kind), entry.name
        assert member.listed("tools/list") == []
        assert member.via == ""


def test_a_page_instead_of_a_server_is_not_mcp(world: World) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
    with Impostor(lambda seen: answer) as other:
        assert isinstance(world.member(Entry("x", Way("http", url=other.url))).error, NotMCP)


def test_a_list_is_asked_for_once_in_the_handshake_era_until_it_changes(world: World, tmp_path: Path) -> None:
    plan = odd(tmp_path, [tool("old"), tool("add")], behave={"add": "change"})
    member = world.member(Entry("odd", way(plan)))
    assert names(member) == names(member) == ["old", "add"]
    assert len(records(tmp_path / "logs", "client_request")) == 3  # the probe, initialize, one tools/list
    assert member.connection is not None
    member.connection.call_tool("add", {})
    assert world.heard("notifications/tools/list_changed")
    assert names(member) == ["old", "add", "newcomer"]


def test_in_the_stateless_era_a_member_listens_and_keeps_a_list_for_its_time(
    start: Start, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = world.member(ours(start, world))
    clock = [1000.0]
    monkeypatch.setattr("playground.host.member.time.monotonic", lambda: clock[0])
    names(member), names(member)

    def lists() -> int:
        sent = records(world.folder / "logs", "client_request")
        return sum(record["data"]["message"]["method"] == "tools/list" for record in sent)

    assert lists() == 1
    clock[0] += 59
    names(member)
    assert lists() == 1
    clock[0] += 2  # the server vouches for it for a minute
    names(member)
    assert lists() == 2
    assert world.heard("notifications/subscriptions/acknowledged")
    assert member.connection is not None
    member.connection.call_tool("write_file", {"filename": "a.txt", "text": "x"})
    assert world.heard("notifications/resources/list_changed")
    assert names(member, "resources/list") == ["a.txt"]


def test_a_server_that_does_not_let_itself_be_listened_to_is_asked_once(world: World, tmp_path: Path) -> None:
    member = world.member(Entry("files", pipe(world)))
    connection = member.connection
    assert connection is not None
    real = connection.request
    tried = []

    def request(method: str, *arguments: Any, **more: Any) -> Any:
        if method == "subscriptions/listen":
            from mcp_core.calling import Failed
            from playground.wire.connection import Refused

            tried.append(method)
            raise Refused(Failed(1, -32601, "no"))
        return real(method, *arguments, **more)

    connection.request = request  # type: ignore[method-assign]
    names(member)
    assert member._listener is not None
    member._listener.join(10)
    names(member)
    member.forget()
    names(member)
    assert tried == ["subscriptions/listen"]
    assert "offers no news of changes" in str(records(tmp_path / "logs", "client_warning"))


def test_a_list_that_cannot_be_had_keeps_the_old_one_and_says_why(world: World, tmp_path: Path) -> None:
    member = world.member(Entry("odd", way(odd(tmp_path, [tool("one")]))))
    assert names(member) == ["one"]
    connection = member.connection
    assert connection is not None

    def broken(method: str) -> Any:
        raise TravelError("The wire is cut.")

    member._lists["tools/list"] = (member._lists["tools/list"][0], 0.0)  # its time is over
    connection.list_all = broken  # type: ignore[method-assign]
    assert names(member) == ["one"]
    assert member.problem == "The wire is cut."
    del connection.list_all
    member.forget()
    assert names(member) == ["one"]
    assert member.problem == ""


def test_a_server_that_was_started_again_is_listed_again(world: World, tmp_path: Path) -> None:
    entry = odd(tmp_path, [tool("end"), tool("stay")], behave={"end": "die"})
    member = world.member(Entry("odd", way(entry)))
    names(member)
    first = member.connection
    assert first is not None
    with pytest.raises(TravelError):
        first.call_tool("end", {})
    assert first.call_tool("stay", {})["content"]  # which starts it
    assert names(member) == ["end", "stay"]
    sent = [record["data"]["message"]["method"] for record in records(tmp_path / "logs", "client_request")]
    assert sent.count("tools/list") == 2


def test_roots_are_what_the_user_wrote(world: World, tmp_path: Path) -> None:
    entry = Entry("odd", way(odd(tmp_path, [])), roots=(tmp_path,))
    member = world.member(entry, ask=lambda server, asked: {"asked": server})
    root = {"uri": tmp_path.as_uri(), "name": tmp_path.name}
    assert member._answer(Asked("roots/list", {}, "q")) == {"roots": [root]}
    assert member._answer(Asked("elicitation/create", {}, "q")) == {"asked": "odd"}
    assert member._capabilities == {"roots": {}}


def test_a_slow_server_takes_part_once_it_has_answered_and_not_after_the_end(world: World, tmp_path: Path) -> None:
    entry = Entry("odd", way(odd(tmp_path, [tool("one")])))
    slow = world.member(Entry("none", None, problem="It is wrong."))
    slow.entry, made = entry, slow._connect
    seen: list[str] = []

    def late(way: Any) -> Any:
        seen.append(slow.problem)
        return made(way)

    slow._connect = late  # type: ignore[method-assign]
    slow.open()
    assert seen == ["It has not answered yet; it takes part as soon as it does."]
    assert (slow.problem, names(slow)) == ("", ["one"])
    slow.close()
    slow.connection = None
    slow.open()
    assert not slow.is_open
