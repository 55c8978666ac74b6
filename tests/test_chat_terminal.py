"""chat_with_tools.py at a pseudo-terminal: the real program, with somebody who presses keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.chats import eventually, odd, ran, servers, tool
from tests.conftest import unused_port
from tests.terminals import CTRL_C, CTRL_D, CTRL_U, ENTER, ESCAPE, PROMPT, Terminal

QUESTION = r"\[s\] stop"


def seated(folder: Path, *arguments: object, **settings: str) -> Terminal:
    return Terminal(folder, "--provider", "scripted", *arguments, **settings)


def test_an_answer_is_streamed_and_the_end_of_input_leaves(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.see("so 'files' was started for this chat, through a pipe.")
        terminal.see("a set of rules, not a language model")
        terminal.ask("/model slow")
        terminal.ask("Which files are there?")
        terminal.see("→ files__list_files {}")
        begun = terminal.see("There are")
        assert "no files." not in begun  # the rest comes later
        terminal.see("no files")
        terminal.see(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.wait() == 0
        body = terminal.records("chat_request")[0]["data"]["message"]
        assert body["stream"] is True


def test_each_choice_of_an_approval(tmp_path: Path) -> None:
    files = tmp_path / "mcp_files"
    with seated(tmp_path) as terminal:
        terminal.ask("Create a.txt with one")  # yes
        shown = terminal.see(QUESTION)
        assert "The model wants to run files__write_file, of the server 'files', with" in shown
        assert '"filename": "a.txt"' in shown
        assert "Its server says of it: destructive" in shown
        terminal.press("y")
        terminal.see("Wrote 3 bytes to a.txt")
        terminal.ask("Create b.txt with two")  # no
        terminal.see(QUESTION)
        terminal.press("n")
        terminal.see("declined")
        terminal.ask("Create c.txt with three")  # other arguments
        terminal.see(QUESTION)
        terminal.press("e")
        terminal.see("Arguments:")
        terminal.press(f'{CTRL_U}{{"filename": "d.txt"}}{ENTER}')
        terminal.see("That doesn't fit: 'text' is missing.")
        terminal.see("Arguments:")
        terminal.press(f'{CTRL_U}{{"filename": "d.txt", "text": "other"}}{ENTER}')
        terminal.see("Wrote 5 bytes to d.txt")
        terminal.ask("Create e.txt with five")  # always
        terminal.see(QUESTION)
        terminal.press("a")
        terminal.see("Wrote 4 bytes to e.txt")
        terminal.ask("Create f.txt with six")
        terminal.see("Wrote 3 bytes to f.txt")  # unasked
        terminal.ask("Delete f.txt, then list the files")  # stop
        terminal.see(QUESTION)
        terminal.press("s")
        terminal.see("Stopped. What was done so far stays in the conversation.")
        terminal.ask("/quit")
        assert terminal.wait() == 0
    assert sorted(path.name for path in files.iterdir()) == ["a.txt", "d.txt", "e.txt", "f.txt"]
    assert [record["data"]["why"] for record in terminal.records("chat_approval")] == [
        "the user said yes", "the user said no", "the user edited the arguments",
        "the user allowed this tool for the session", "the user allowed this tool for the session",
        "the user stopped the turn",
    ]  # fmt: skip
    assert '"other"' in str(terminal.records("chat_followup_request")[2]["data"]["message"]).replace("'", '"')


def test_the_servers_question_about_an_approved_call_is_not_asked_twice(tmp_path: Path) -> None:
    files = tmp_path / "mcp_files"
    files.mkdir()
    (files / "a.txt").write_text("x", encoding="utf-8")
    with seated(tmp_path) as terminal:
        terminal.ask("Delete a.txt")
        terminal.see(QUESTION)
        terminal.press("y")
        terminal.see("files asks: Delete the file a.txt\\? You have just said yes to it.")
        terminal.see(PROMPT)
        (question,) = terminal.records("server_question")
    assert question["data"]["by"] == "approval"
    assert not (files / "a.txt").exists()


def test_ctrl_c_during_a_model_call_stops_the_turn(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.ask("/model stall")
        terminal.ask("Hello?")
        terminal.recorded("chat_request")
        terminal.interrupt()
        terminal.see("Stopped. What was done so far stays in the conversation.")
        terminal.ask("/model scripted")
        terminal.ask("Which files are there?")
        terminal.see("There are no files")
        terminal.see(PROMPT)
        terminal.press(CTRL_C)  # at the prompt
        assert terminal.wait() == 130


def test_ctrl_c_during_a_tool_call_cancels_it_and_keeps_the_history_valid(tmp_path: Path) -> None:
    plan = odd(tmp_path, [tool("list_files")], behave={"list_files": "hang"})
    with seated(tmp_path, "--servers", servers(tmp_path, odd=plan), "--approve", "always") as terminal:
        terminal.ask("List the files")
        eventually(lambda: ran(tmp_path) == [("list_files", {})])
        terminal.interrupt()
        terminal.see("Stopped. What was done so far stays")
        eventually(lambda: [name for name, _ in ran(tmp_path)] == ["list_files", "cancelled"])
        terminal.ask("Hello")
        terminal.see(PROMPT)
        sent = terminal.recorded("chat_request", 2)[1]["data"]["message"]["messages"]
        assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "user"]
        assert "Cancelled: the user stopped this turn" in sent[2]["content"]
        terminal.signal()  # another program's SIGINT, at the prompt
        assert terminal.wait() in (0, 130)


@pytest.mark.hard
def test_ctrl_c_twice_quickly_leaves(tmp_path: Path) -> None:
    plan = odd(tmp_path, [tool("list_files")], behave={"list_files": "hang"})
    with seated(tmp_path, "--servers", servers(tmp_path, odd=plan), "--approve", "always") as terminal:
        terminal.ask("List the files")
        eventually(lambda: ran(tmp_path) == [("list_files", {})])
        terminal.signal()
        terminal.recorded("chat_stopped")
        terminal.signal()
        assert terminal.wait() == 130


def test_ctrl_c_at_a_question_stops_the_turn_and_clears_a_line_at_the_prompt(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.ask("Create a.txt with one")
        terminal.see(QUESTION)
        terminal.press(CTRL_C)
        terminal.see("Stopped. What was done so far stays")
        terminal.see(PROMPT)
        terminal.press(f"never asked{CTRL_C}Which files are there?{ENTER}")
        terminal.see("There are no files")
        terminal.see(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.wait() == 0
    asked = [record["data"]["content"][0]["text"] for record in terminal.records("chat_question")]
    assert asked == ["Create a.txt with one", "Which files are there?"]


@pytest.mark.hard
def test_the_end_of_input_is_a_no_to_a_question(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.ask("Create a.txt with one")
        terminal.see(QUESTION)
        terminal.press(CTRL_D)
        terminal.see("declined")
        terminal.see(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.wait() == 0
    assert not (tmp_path / "mcp_files" / "a.txt").exists()


def test_what_is_typed_ahead_answers_no_question(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.ask("/model slow")
        terminal.ask("Create a.txt with one")
        terminal.recorded("chat_request")
        terminal.press("yyyy")
        terminal.see(QUESTION)
        terminal.press("n")
        terminal.see("declined")
    assert not (tmp_path / "mcp_files" / "a.txt").exists()


@pytest.mark.hard
def test_a_paste_of_several_lines_is_one_question_also_after_a_resize(tmp_path: Path) -> None:
    with seated(tmp_path, "--approve", "always") as terminal:
        terminal.see(PROMPT)
        terminal.resize(20, 50)
        terminal.press(f"{ESCAPE}[200~Which files\nare there?{ESCAPE}[201~")
        terminal.see("are there")
        terminal.resize(50, 140)
        terminal.press(ENTER)
        terminal.see("There are no files")
        (question,) = terminal.records("chat_question")
    assert question["data"]["content"][0]["text"] == "Which files\nare there?"


def test_a_conversation_is_saved_and_taken_up_by_another_process(tmp_path: Path) -> None:
    with seated(tmp_path) as terminal:
        terminal.ask("Which files are there?")
        terminal.see("There are no files")
        terminal.ask("/save monday")
        terminal.see("Saved as")
        terminal.ask("/quit")
        assert terminal.wait() == 0
    with seated(tmp_path) as terminal:
        terminal.ask("/load monday")
        terminal.see("Loaded 1 turns of")
        terminal.ask("/history")
        terminal.see("model: There are no files.")
        terminal.ask("Hello")
        terminal.see(PROMPT)
        sent = terminal.recorded("chat_request", 2)[1]["data"]["message"]["messages"]
        assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "user"]


def test_where_ollama_is_not_running_one_key_brings_the_scripted_model(tmp_path: Path) -> None:
    settings = {"OLLAMA_BASE_URL": f"http://127.0.0.1:{unused_port()}/v1"}
    with Terminal(tmp_path, **settings) as terminal:
        terminal.see("Ollama is not running: nothing answers at .* Try: ollama serve")
        terminal.see(r"\[q\] leave")
        terminal.press("s")
        terminal.see("a set of rules, not a language model")
        terminal.ask("Which files are there?")
        terminal.see("There are no files")
    with Terminal(tmp_path, **settings) as terminal:
        terminal.see(r"\[q\] leave")
        terminal.press("q")
        assert terminal.wait() == 0


@pytest.mark.hard
def test_the_cap_comes_with_a_choice(tmp_path: Path) -> None:
    with seated(tmp_path, "--model", "endless-loop", "--max-rounds", "2") as terminal:
        terminal.ask("List the files")
        terminal.see("2 rounds of tool calls, and no answer yet.")
        terminal.see(r"\[a\] answer from what there is")
        terminal.press("c")
        terminal.see("4 rounds of tool calls, and no answer yet.")
        terminal.see(r"\[a\] answer")
        terminal.press("s")
        terminal.see("Stopped: the limit of 4 rounds of tool calls is reached.")


def test_hostile_text_moves_nothing(tmp_path: Path) -> None:
    hostile = "\x1b[2Jgone\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b]8;;http://x\x07link\x07\x9b1m\u202eevil\rover"
    entries = [tool("list_files", description=hostile), tool(f"write_{hostile}")]
    result: Any = {"content": [{"type": "text", "text": hostile}]}
    plan = odd(tmp_path, entries, results={"list_files": result})
    with seated(tmp_path, "--servers", servers(tmp_path, odd=plan)) as terminal:
        terminal.ask("/tools")
        terminal.see("write_")
        terminal.ask("List the files")
        shown = terminal.see(QUESTION)
        assert "which you have not marked as trusted" in shown
        terminal.press("y")
        terminal.see("gone")
        terminal.ask("/model hostile-text")
        terminal.ask("Hello")
        terminal.see("over.{1,6}written")
        terminal.see(PROMPT)
    raw = terminal.raw.decode("utf-8", "replace")
    for forbidden in ("\x1b[2J", "\x1b]0;title", "\x1b]52", "\x1b]8;;", "\x9b", "\u202e", "\rover"):
        assert forbidden not in raw, forbidden.encode()


@pytest.mark.parametrize("key", ["y", "n"])
def test_a_form_of_a_server_is_filled_in_at_the_terminal(tmp_path: Path, key: str) -> None:
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    ask = {"message": "Who are you?", "requestedSchema": form}
    plan = odd(tmp_path, [tool("list_files")], behave={"list_files": "elicitation/create"}, ask=ask)
    with seated(tmp_path, "--servers", servers(tmp_path, odd=plan), "--approve", "always") as terminal:
        terminal.ask("List the files")
        terminal.see("The server 'odd' asks: Who are you\\?")
        terminal.see(r"\[c\] cancel")
        terminal.press(key)
        if key == "y":
            terminal.see("name:")
            terminal.press(f"Ana{ENTER}")
        terminal.see(PROMPT)
        (question,) = terminal.recorded("server_question")
    content = {"action": "accept", "content": {"name": "Ana"}} if key == "y" else {"action": "decline"}
    assert question["data"]["reply"] == content
