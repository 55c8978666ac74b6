"""playground/host/router.py: many servers, one list of tools, each call back to its server."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playground.host.calls import Call, Result
from playground.host.doctor import of_server
from playground.host.loop import Interrupted
from playground.host.router import Router, RouterError
from playground.host.running import Question
from playground.host.servers import Entry, ours
from playground.host.tools import Job, Tool, find
from playground.logbook import Logbook
from playground.settings import load
from playground.wire.connecting import Way, way
from tests.chats import eventually, job, odd, ran, records, tool

Json = dict[str, Any]
Open = Callable[..., Router]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens a router: `opened(odd=entry, files=None)`; None is our own server, through a pipe."""
    routers = []

    def open(entries: dict[str, Any], **more: Any) -> Router:
        log = Logbook(tmp_path / "logs", "mcp-client-chat")
        made = Router([_entry(name, entry) for name, entry in entries.items()], log, trace=lambda: "b" * 32, **more)
        routers.append(made)
        made.open()
        return made

    def _entry(name: str, entry: Any) -> Entry:
        if entry is None:
            places = {"MCP_FILES": str(tmp_path / "files"), "MCP_LOGS": str(tmp_path / "logs")}
            return Entry(name, ours(load(environ=places, root=tmp_path)).instead, trusted=True)
        return entry if isinstance(entry, Entry) else Entry(name, way(entry))

    yield open
    for router in routers:
        router.close()


def named(router: Router, name: str) -> Tool:
    found = find(name, router.tools())
    assert found is not None
    return found


def run(router: Router, *wanted: tuple[str, Json]) -> list[Result]:
    return router.run([job(named(router, name), given, f"c{n}") for n, (name, given) in enumerate(wanted)])


def text(result: Result) -> str:
    return "\n".join(block["text"] for block in result.content)


def test_tools_of_all_servers_stand_in_a_stable_order_under_names_of_their_own(opened: Open, tmp_path: Path) -> None:
    zoo = odd(tmp_path, [tool("read_file"), tool("beta"), tool("alpha")], name="zoo")
    router = opened({"zoo": zoo, "files": None})
    names = [entry.name for entry in router.tools()]
    assert names[:3] == ["zoo__alpha", "zoo__beta", "zoo__read_file"]
    assert names[3:] == sorted(names[3:])
    assert "files__read_file" in names
    assert names == [entry.name for entry in router.tools()]
    assert router.tools() is router.tools()  # so that what is worked out of them is worked out once


def test_a_call_goes_back_to_its_own_server(opened: Open, tmp_path: Path) -> None:
    router = opened({"zoo": odd(tmp_path, [tool("read_file")], name="zoo"), "files": None})
    zoo, files = run(router, ("zoo__read_file", {"a": 1}), ("files__read_file", {"filename": "none.txt"}))
    assert text(zoo) == 'read_file did {"a": 1}'
    assert ran(tmp_path, "zoo") == [("read_file", {"a": 1})]
    assert files.is_error
    assert "There is no file named 'none.txt'" in text(files)


def test_a_name_without_its_prefix_is_routed_where_it_is_the_only_one(opened: Open, tmp_path: Path) -> None:
    router = opened({"zoo": odd(tmp_path, [tool("read_file")], name="zoo"), "files": None})
    assert named(router, "list_files").name == "files__list_files"
    assert find("read_file", router.tools()) is None


def test_names_that_meet_all_the_same_get_a_number(opened: Open, tmp_path: Path) -> None:
    router = opened(
        {
            "a": odd(tmp_path, [tool("b__c")], name="first"),
            "a__b": odd(tmp_path, [tool("c"), tool("c_2")], name="second"),
        }
    )
    assert [entry.name for entry in router.tools()] == ["a__b__c", "a__b__c_2", "a__b__c_2_2"]
    run(router, ("a__b__c_2", {}))
    assert ran(tmp_path, "second") == [("c", {})]


def test_odd_definitions_are_made_usable(opened: Open, tmp_path: Path) -> None:
    strange = {"name": "x", "description": 5, "inputSchema": "none"}
    entry = opened({"odd": odd(tmp_path, [strange])}).tools()[0]
    assert (entry.description, entry.schema, entry.definition["description"]) == ("", {"type": "object"}, 5)


def test_one_server_that_fails_does_not_stop_the_others(opened: Open, tmp_path: Path, free_port: int) -> None:
    nobody = {"url": f"http://127.0.0.1:{free_port}/mcp"}
    bad = Entry("bad", None, problem="The entry 'bad' can't be used.")
    router = opened({"gone": nobody, "bad": bad, "odd": odd(tmp_path, [tool("one")])})
    assert [entry.name for entry in router.tools()] == ["odd__one"]
    assert [bool(member.problem) for member in router.members] == [True, True, False]


def test_a_refresh_tries_failed_servers_again(opened: Open, tmp_path: Path) -> None:
    router = opened({"late": {"command": "no-such-program"}, "odd": odd(tmp_path, [tool("one")])})
    late = router.members[0]
    late.entry = replace(late.entry, way=way(odd(tmp_path, [tool("two")], name="late")))
    router.refresh()
    assert [entry.name for entry in router.tools()] == ["late__two", "odd__one"]


def test_results_stand_in_the_order_of_the_calls_which_run_side_by_side(opened: Open, tmp_path: Path) -> None:
    ask = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
    plan = odd(tmp_path, [tool("slow"), tool("fast")], behave={"slow": "elicitation/create"}, ask=ask)
    fast_ran = threading.Event()

    def answer(question: Question) -> Json:  # the slow one waits for this, and this for the fast one
        eventually(lambda: ("fast", {}) in ran(tmp_path))
        fast_ran.set()
        return {"action": "accept", "content": {}}

    router = opened({"odd": plan}, capabilities={"elicitation": {"form": {}}}, answer=answer)
    slow, fast = run(router, ("slow", {}), ("fast", {}))
    assert fast_ran.is_set()
    assert (slow.call_id, fast.call_id) == ("c0", "c1")
    assert '"action": "accept"' in text(slow)
    assert set(router.timings) == {"c0", "c1"}


def test_arguments_are_checked_before_they_travel(opened: Open, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    router = opened({"odd": odd(tmp_path, [tool("count", inputSchema=schema)])})
    count = named(router, "count")
    assert router.check(count, {"n": 1}) is None
    assert router.check(count, {"n": "x"}) == "'n' must be of type integer, and 'x' is not."
    assert router.check(count, {}) == "'n' is missing."


def test_a_schema_that_is_broken_itself_stops_nothing(opened: Open, tmp_path: Path) -> None:
    router = opened({"odd": odd(tmp_path, [tool("x", inputSchema={"type": "object", "properties": {"a": 5}})])})
    assert router.check(named(router, "x"), {"a": 1}) is None


def test_what_a_server_refuses_is_a_result_that_says_so(opened: Open) -> None:
    router = opened({"files": None})
    ghost = replace(named(router, "list_files"), original="ghost")
    (result,) = router.run([job(ghost)])
    assert result.is_error
    assert text(result).startswith("The server refused to run 'ghost' on the server 'files': There is no tool named")
    assert text(result).endswith("(-32602)")


def test_a_server_that_dies_in_the_middle_is_a_result_and_comes_back(opened: Open, tmp_path: Path) -> None:
    plan = odd(tmp_path, [tool("end"), tool("go_on")], behave={"end": "die"})
    router = opened({"odd": plan, "files": None})
    dead, alive = run(router, ("end", {}), ("list_files", {}))
    assert dead.is_error
    assert text(dead).endswith("Whether the tool ran is not known: look before you call it again.")
    assert not alive.is_error
    (again,) = run(router, ("go_on", {}))
    assert text(again) == "go_on did {}"
    assert ran(tmp_path) == [("end", {}), ("go_on", {})]  # and nothing twice


def test_a_tool_of_a_server_that_is_not_there_is_a_result(opened: Open, tmp_path: Path) -> None:
    router = opened({"gone": {"command": "no-such-program"}})
    (result,) = router.run([job(Tool("gone__x", server="gone", original="x"))])
    assert text(result).startswith(
        "'x' on the server 'gone' was not run: The server 'gone' is not connected. The server"
    )
    (result,) = router.run([job(Tool("never__x", server="never", original="x"))])
    assert "The server 'never' is not connected." in text(result)


def test_a_call_that_takes_too_long_is_a_result(opened: Open, tmp_path: Path) -> None:
    router = opened({"odd": odd(tmp_path, [tool("wait")], behave={"wait": "hang"})})
    connection = router.members[0].connection
    assert connection is not None
    connection._patience = 0.3
    (result,) = run(router, ("wait", {}))
    assert "took tools/call and did not answer in 0.3 s" in text(result)
    assert "look before you call it again" in text(result)


def test_a_result_that_breaks_its_promise_comes_with_a_note(opened: Open, tmp_path: Path) -> None:
    promised = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    lie = {"content": [{"type": "text", "text": "here"}], "structuredContent": {"n": "x"}}
    router = opened({"odd": odd(tmp_path, [tool("lie", outputSchema=promised)], results={"lie": lie})})
    (result,) = run(router, ("lie", {}))
    assert text(result).startswith("here\n[The result of lie breaks its outputSchema")


def test_pictures_travel_as_they_are(opened: Open, tmp_path: Path) -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    router = opened({"odd": odd(tmp_path, [tool("draw")], results={"draw": {"content": [picture]}})})
    assert run(router, ("draw", {}))[0].content == (picture,)


def test_a_no_that_the_protocol_cannot_carry_is_a_result(opened: Open, tmp_path: Path) -> None:
    from playground.wire.connection import Declined

    def no(question: Question) -> Json:
        raise Declined("The user said no.")

    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("x", encoding="utf-8")
    router = opened({"files": None}, capabilities={"elicitation": {"form": {}}}, answer=no)
    (result,) = run(router, ("delete_file", {"filename": "a.txt"}))
    assert text(result) == "'delete_file' on the server 'files' was not finished: The user said no."
    assert (tmp_path / "files" / "a.txt").exists()


def test_a_fault_of_the_host_is_a_result_and_is_logged(opened: Open, tmp_path: Path) -> None:
    router = opened({"odd": odd(tmp_path, [tool("x")])})
    connection = router.members[0].connection
    assert connection is not None
    connection.call_tool = lambda *a, **k: 1 // 0  # type: ignore[method-assign, assignment]
    (result,) = run(router, ("x", {}))
    assert text(result) == "'x' on the server 'odd' was not run: the host failed (ZeroDivisionError)."
    assert "ZeroDivisionError" in str(records(tmp_path / "logs", "chat_crash"))


def test_ctrl_c_cancels_what_runs_and_keeps_what_is_there(opened: Open, tmp_path: Path) -> None:
    plan = odd(tmp_path, [tool("wait"), tool("quick")], behave={"wait": "hang"})
    router = opened({"odd": plan})
    jobs = [job(named(router, name), {}, name) for name in ("wait", "quick")]

    def interrupt() -> None:
        eventually(lambda: len(ran(tmp_path)) == 2 and "quick" in router.timings)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(Interrupted) as stopped:
        router.run(jobs)
    assert [result.call_id for result in stopped.value.results] == ["quick"]
    eventually(lambda: ran(tmp_path)[-1][0] == "cancelled")  # the server hears of it


def test_progress_is_heard(opened: Open, tmp_path: Path) -> None:
    heard: list[Any] = []
    router = opened({"odd": odd(tmp_path, [tool("work")], behave={"work": "progress"})}, hear=heard.append)
    run(router, ("work", {}))
    assert [news.note.params["progress"] for news in heard] == [1]


def test_resources_and_prompts_of_all_servers(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("hello", encoding="utf-8")
    answers = {
        "resources/list": {"resources": [{"uri": "odd://1"}, {"name": "no uri"}]},
        "resources/read": {"contents": "nothing"},
        "prompts/list": {"prompts": [{"name": "p"}]},
        "prompts/get": {"messages": None},
    }
    plan = odd(tmp_path, [], capabilities={"resources": {}, "prompts": {}}, answers=answers)
    router = opened({"files": None, "odd": plan})
    mine, other = router.resources()
    assert (mine.full, other.full) == ("files:a.txt", "odd:odd://1")
    (block,) = router.read(mine)
    assert (block["type"], block["resource"]["text"]) == ("resource", "hello")
    assert router.read(other) == []
    prompts = {prompt.full: prompt for prompt in router.prompts()}
    (message,) = router.prompt(prompts["files:review_file"], {"filename": "a.txt"})
    assert "hello" in message["content"]["text"]
    assert router.prompt(prompts["odd:p"], {}) == []


def test_what_cannot_be_read_is_one_sentence(opened: Open, tmp_path: Path) -> None:
    answers = {"resources/list": {"resources": [{"uri": "odd://1", "name": "one"}]}}
    router = opened({"odd": odd(tmp_path, [], capabilities={"resources": {}}, answers=answers)})
    (resource,) = router.resources()
    with pytest.raises(RouterError, match="The server 'odd' did not answer resources/read: no such method"):
        router.read(resource)
    with pytest.raises(RouterError, match="The server 'gone' is not connected"):
        router.read(replace(resource, server="gone"))


def test_ctrl_c_while_a_resource_is_read(opened: Open, tmp_path: Path) -> None:
    answers = {"resources/list": {"resources": [{"uri": "odd://1", "name": "one"}]}}
    router = opened({"odd": odd(tmp_path, [], capabilities={"resources": {}}, answers=answers)})
    connection = router.members[0].connection
    (resource,) = router.resources()
    assert connection is not None

    def waits(*arguments: Any, stop: threading.Event, **more: Any) -> Any:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        stop.wait(10)
        raise RouterError("stopped")

    connection.request = waits  # type: ignore[method-assign, assignment]
    with pytest.raises(Interrupted):
        router.read(resource)


def test_calls_and_their_messages_share_the_trace(opened: Open, tmp_path: Path) -> None:
    router = opened({"files": None})
    run(router, ("list_files", {}))
    (sent,) = [
        r for r in records(tmp_path / "logs", "client_request") if r["data"]["message"]["method"] == "tools/call"
    ]
    assert sent["trace"] == "b" * 32
    served = records(tmp_path / "logs", "tool_call_success", component="mcp-server")
    assert [record["trace"] for record in served] == ["b" * 32]


def test_a_call_of_a_tool_keeps_its_id(opened: Open, tmp_path: Path) -> None:
    router = opened({"odd": odd(tmp_path, [tool("x")])})
    made = Job(Call.received("call_9", "odd__x", "{}"), named(router, "x"), {})
    assert router.run([made])[0].call_id == "call_9"


def test_a_way_has_a_name_for_people() -> None:
    assert Way("stdio", ("a", "b")).shown == "a b"


def test_a_server_that_never_says_hello_is_not_waited_for(opened: Open, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("playground.host.router.OPENING", 0.5)
    silent = {"command": sys.executable, "args": ["-c", "import time; time.sleep(60)"]}
    router = opened({"silent": silent, "odd": odd(tmp_path, [tool("one")])})
    eventually(lambda: router.members[1].is_open)
    assert [entry.name for entry in router.tools()] == ["odd__one"]
    assert of_server(router.members[0]).kind == "slow_start"
