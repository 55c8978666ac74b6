"""playground/host/commands.py: what begins with a slash."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from playground.host.approval import Approval, Reply
from playground.host.choosing import Choice
from playground.host.commands import COMMANDS, Chat, Leave, run
from playground.host.conversation import Conversation, Said
from playground.host.doctor import Checkup
from playground.host.router import Router
from playground.host.saved import Shelf
from playground.host.screen import Screen
from playground.host.servers import Entry
from playground.host.story import Story
from playground.host.tools import Tool
from playground.logbook import Logbook
from playground.scripted_model import ScriptedModel
from playground.settings import load
from playground.wire.connecting import way
from tests.chats import job, odd, records, tool
from tests.conftest import unused_port

READING = {"readOnlyHint": True}


@dataclass
class Table:
    """A chat, and what it printed since one looked."""

    chat: Chat
    out: io.StringIO
    asked: Any = None

    def __call__(self, line: str) -> str:
        self.out.seek(0)
        self.out.truncate()
        self.asked = run(self.chat, line)
        return self.out.getvalue()


Set = Callable[..., Table]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Set]:
    """Lays a table: `table(odd=entry)`."""
    ended: list[Any] = []

    def lay(ask_line: Any = None, **entries: Any) -> Table:
        model = ScriptedModel()
        log = Logbook(tmp_path / "logs", "mcp-client-chat")
        story, out = Story(log), io.StringIO()
        listed = [entry if isinstance(entry, Entry) else Entry(name, way(entry)) for name, entry in entries.items()]
        router = Router(listed, log, trace=lambda: story.trace)
        router.open()
        environ = {"OLLAMA_BASE_URL": f"http://127.0.0.1:{unused_port()}/v1"}
        choice = Choice(load(environ=environ, root=tmp_path), lambda: model.start("ollama"))
        screen = Screen(out, out, is_terminal=False)
        approval = Approval(ask=lambda question: Reply("always"))
        shelf = Shelf(tmp_path / "saved")
        chat = Chat(screen, story, router, choice, choice.provider("scripted"), approval, shelf, ask_line=ask_line)
        ended.extend([router.close, model.stop])
        return Table(chat, out)

    yield lay
    for end in ended:
        end()


def talked(chat: Chat) -> None:
    chat.conversation = Conversation("Be brief.").ask("Hello?").say(Said("Hello \x1b!"))


def test_help_lists_every_command_with_what_it_does(table: Set) -> None:
    shown = table()("/help")
    for name, command in COMMANDS.items():
        assert name in shown
        assert str(command.__doc__) in shown
    assert "/load NAME" in shown


def test_an_unknown_command_is_no_question(table: Set) -> None:
    laid = table()
    assert laid("/hlep") == "There is no command /hlep. Did you mean /help? /help lists them.\n"
    assert laid("/\x1bzzzz") == "There is no command /\\u001bzzzz. /help lists them.\n"
    assert not laid.asked


def test_tools_say_whether_they_run_unasked(table: Set, tmp_path: Path) -> None:
    entries = [tool("look", annotations=READING), tool("a.b")]
    mine = Entry("mine", way(odd(tmp_path, entries, name="mine")), trusted=True)
    laid = table(mine=mine, other=odd(tmp_path, [tool("look", annotations=READING)], name="other"))
    shown = laid("/tools")
    assert "mine__look  (read-only; runs unasked)  Does look." in shown
    assert "other__look  (read-only; asks first)" in shown
    assert "'mine__a.b' is called 'mine__a_b_" in shown
    assert "mine__look" not in laid("/tools other")
    assert "There are no tools on nowhere; /servers says why." in laid("/tools nowhere")
    assert "There are no tools; /servers says why." in table()("/tools")


def test_servers_say_where_they_are_and_what_is_wrong(table: Set, tmp_path: Path) -> None:
    bad = Entry("bad", None, problem="The entry 'bad' can't be used.")
    shown = table(bad=bad, odd=odd(tmp_path, []))("/servers")
    assert "The server 'bad' is left out: The entry 'bad' can't be used." in shown
    assert "(stdio, revision 2025-06-18, not trusted)" in shown


def test_history_shows_who_said_what_escaped(table: Set) -> None:
    from playground.host.calls import Call, Result

    laid = table()
    laid.chat.conversation = (
        Conversation("Be brief.")
        .ask("Look.")
        .say(Said("", (Call.received("c1", "files__read", '{"a":1}'),)))
        .give([Result.of_text("c1", "found\x1b")])
        .say(Said("Here."))
        .ask("More?")
        .settle()
    )
    laid.chat.checkup = Checkup(window=4096)
    shown = laid("/history")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[:5] == [
        "system: Be brief.", "you: Look.", '→ files__read {"a":1}', "found\\u001b", "model: Here.",
    ]  # fmt: skip
    assert lines[6] == "host: (This turn was stopped before the answer.)"
    assert "2 turns, about" in lines[7]
    assert "of 4,096 tokens" in lines[7]
    assert table()("/history").startswith("0 turns")


def test_clear_forgets_all_but_the_system_prompt(table: Set) -> None:
    laid = table()
    talked(laid.chat)
    laid("/clear")
    assert laid.chat.conversation == Conversation("Be brief.")


def test_the_system_prompt_is_shown_set_and_taken_away(table: Set) -> None:
    laid = table()
    assert laid("/system") == "System prompt: (none)\n"
    assert laid("/system Speak  like a pirate.") == "System prompt: Speak  like a pirate.\n"
    assert laid.chat.conversation.system == "Speak  like a pirate."
    laid("/system -")
    assert laid.chat.conversation.system == ""


def test_a_model_is_shown_and_chosen_unless_there_is_none(table: Set, tmp_path: Path) -> None:
    laid = table()
    assert laid("/model").startswith("The scripted model, model scripted, at http://127.0.0.1:")
    assert "model endless-loop, at" in laid("/model endless-loop")
    shown = laid("/model nobody")
    assert "plays no 'nobody'" in shown
    assert laid.chat.provider.model == "endless-loop"
    assert [record["data"]["model"] for record in records(tmp_path / "logs", "chat_start")] == ["endless-loop"]


def test_a_provider_is_chosen_unless_it_is_not_there(table: Set) -> None:
    laid = table()
    assert "Ollama is not running" in laid("/provider ollama")
    assert laid.chat.provider.kind == "scripted"
    assert "Anthropic, model claude-x, at https://api.anthropic.com." in laid("/provider anthropic claude-x")
    assert laid.chat.checkup.window == 200_000
    assert "There is no provider 'gemini'" in laid("/provider gemini")
    assert "Anthropic" in laid("/provider")


def test_a_conversation_is_saved_and_taken_up_again(table: Set) -> None:
    laid = table()
    talked(laid.chat)
    saved = laid.chat.conversation
    assert "Saved as" in laid("/save first")
    laid("/clear")
    assert "Loaded 1 turns of 2" in laid("/load first")
    assert laid.chat.conversation == saved
    assert "There is no saved conversation 'second'" in laid("/load second")
    assert "A name is made of letters" in laid("/save ../evil")
    assert "A name is made of letters" in laid("/save")


def test_a_refresh_asks_all_servers_anew(table: Set, tmp_path: Path) -> None:
    laid = table(late={"command": "no-such-program"})
    late = laid.chat.router.members[0]
    assert laid("/refresh").startswith("0 tools of 0 servers.")
    late.entry = Entry("late", way(odd(tmp_path, [tool("one")])))
    assert laid("/refresh").startswith("1 tools of 1 servers.")


def test_what_runs_is_shown_and_chosen(table: Set) -> None:
    laid = table()
    assert laid("/approve") == "Tools that change things ask first.\n"
    laid.chat.approval.review([job(Tool("files__write"))])
    assert laid("/approve").endswith("Allowed in this session: files__write.\n")
    assert laid("/approve forget") == "Tools that change things ask first.\n"
    assert laid("/approve always").startswith("Every tool runs unasked")
    assert laid.chat.approval.mode == "always"
    assert "/approve takes ask, always, never or forget." in laid("/approve perhaps")


NEEDED = [{"name": "file", "required": True}, {"name": "s"}]
MENU: dict[str, Any] = {
    "prompts/list": {
        "prompts": [
            {
                "name": "review",
                "description": "Reviews\x1b.",
                "arguments": [{"name": "file", "required": True}, {"name": "s"}],
            }
        ]
    },
    "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "Please review."}}]},
}


def menu(tmp_path: Path, name: str = "odd", **answers: Any) -> Any:
    return odd(tmp_path, [], name=name, capabilities={"prompts": {}}, answers={**MENU, **answers})


def test_prompts_are_listed_and_become_questions(table: Set, tmp_path: Path) -> None:
    laid = table(odd=menu(tmp_path))
    assert laid("/prompt") == "  review file [s]  Reviews\\u001b.\n"
    assert not laid.asked
    assert laid('/prompt review "a b.txt"') == ""
    assert laid.asked == [{"type": "text", "text": "Please review."}]
    sent = records(tmp_path / "logs", "client_request")[-1]["data"]["message"]["params"]
    assert sent["arguments"] == {"file": "a b.txt"}


def test_what_a_prompt_needs_is_asked_for(table: Set, tmp_path: Path) -> None:
    assert "needs file=" in table(odd=menu(tmp_path))("/prompt review")
    asked: list[str] = []

    def ask_line(prompt: str) -> str:
        asked.append(prompt)
        return "a.txt"

    laid = table(ask_line, odd=menu(tmp_path))
    laid("/prompt review")
    assert (asked, laid.asked is not None) == (["file:"], True)


def test_a_prompt_that_cannot_be_asked_is_a_sentence(table: Set, tmp_path: Path) -> None:
    nothing: Any = {"messages": []}
    laid = table(a=menu(tmp_path, "a"), b=menu(tmp_path, "b", **{"prompts/get": nothing}))
    assert "More than one server has prompt review" in laid("/prompt review x")
    assert "There is no prompt nothing" in laid("/prompt nothing")
    assert "The arguments can't be read" in laid('/prompt a:review "open')
    assert "The prompt asks nothing" in laid("/prompt b:review x")
    assert not laid.asked
    assert table()("/prompt") == "No server has prompts.\n"


def test_a_server_that_refuses_a_prompt_is_a_sentence(table: Set, tmp_path: Path) -> None:
    entry = odd(tmp_path, [], capabilities={"prompts": {}}, answers={"prompts/list": MENU["prompts/list"]})
    assert "did not answer prompts/get" in table(odd=entry)("/prompt review x")


def test_quit_leaves_and_every_command_is_logged(table: Set, tmp_path: Path) -> None:
    laid = table()
    laid("/approve")
    with pytest.raises(Leave):
        laid("/quit")
    lines = [record["data"]["line"] for record in records(tmp_path / "logs", "chat_command")]
    assert lines == ["/approve", "/quit"]
