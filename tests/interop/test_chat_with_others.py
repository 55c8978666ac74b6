"""The chat with two servers of others beside our own, both of the protocol's own project, started through npm's Node.

Their tools have names that ours have too; one server is killed in the middle of the conversation.
"""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

from chat_with_tools import begun, choose, connect
from playground.chat_flags import parse
from playground.host.calls import text_block
from playground.scripted_model import ScriptedModel
from playground.scripted_model.talk import Answer, Call, Prompt
from playground.settings import load
from tests.chats import environment, servers
from tests.interop.peers import package

FILESYSTEM = "@modelcontextprotocol/server-filesystem/dist/index.js"
EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js"
Rounds = list[tuple[Call, ...]]


def entry(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def test_three_servers_with_clashing_names_in_one_conversation_and_one_of_them_killed(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    (theirs / "a.txt").write_text("theirs", encoding="utf-8")
    (ours / "a.txt").write_text("ours", encoding="utf-8")
    their_file, our_file = json.dumps({"path": str(theirs / "a.txt")}), '{"filename":"a.txt"}'
    read_both = (Call("files__read_file", our_file), Call("fs__read_file", their_file))
    plan: Rounds = [
        (*read_both, Call("everything__echo", '{"message":"hi"}'), Call("read_file", our_file)),
        read_both,
        read_both,
    ]
    rounds = iter(plan)

    def play(prompt: Prompt) -> Answer:
        return Answer("Done.") if prompt.question.rounds else Answer("", next(rounds), "tool_calls")

    settings = environment(tmp_path, MCP_FILES=str(ours))
    chosen = load(environ=settings, root=tmp_path)
    from playground.host.servers import ours as our_entry

    pipe = our_entry(chosen).instead
    assert pipe is not None
    file = servers(
        tmp_path,
        files={**entry(list(pipe.command)), "trust": True},
        fs=entry(package("reference", FILESYSTEM, str(theirs))),
        everything=entry(package("reference", EVERYTHING)),
    )
    with ScriptedModel(play=play) as model:
        settings["OPENAI_BASE_URL"] = model.start("openai")
        chosen = load(environ=settings, root=tmp_path)
        options = parse(["--provider", "openai", "--model", "scripted", "--servers", str(file), "--approve", "always"])
        with begun(options, chosen, io.StringIO(), io.StringIO()) as host:
            connect(host)
            choose(host)
            assert [bool(member.problem) for member in host.router.members] == [False, False, False]
            names = [tool.name for tool in host.router.tools()]
            assert {"files__read_file", "fs__read_file", "files__write_file", "fs__write_file"} <= set(names)

            def told() -> list[tuple[str, bool]]:
                host.ask([text_block("Read.")])
                results = host.conversation.turns[-1].steps[0].results
                return [("".join(block.get("text", "") for block in it.content), it.is_error) for it in results]

            mine, other, echo, unclear = told()
            assert (json.loads(mine[0])["content"], other[0], mine[1], other[1]) == ("ours", "theirs", False, False)
            assert "hi" in echo[0]
            assert unclear[1]  # two servers have a read_file
            assert "There is no tool named 'read_file'" in unclear[0]
            transport: Any = host.router.members[1].connection.transport  # type: ignore[union-attr]
            os.killpg(transport._running._process.pid, signal.SIGKILL)
            mine, other = told()
            assert json.loads(mine[0])["content"] == "ours"
            mine, other = told()  # it was started again, at the latest now
            assert (other[0], other[1]) == ("theirs", False)
        assert model.refused == []
