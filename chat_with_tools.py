"""Chapter 3. A host: a language model, the servers it may use, and you, who decide.

    uv run python chat_with_tools.py                            with Ollama, if it runs; else it offers:
    uv run python chat_with_tools.py --provider scripted        no model, no key, no network: rules that play a model
    uv run python chat_with_tools.py --once "Which files are there?"

The model never talks to a server. It reads descriptions of tools, and writes wishes; this program carries each wish to
the server that has the tool, brings the result back, and asks the model again, until it answers without a wish. That
loop is section 3, and it is all there is to an agent. Around it stands what makes it bearable: section 1 connects to
servers, section 2 finds a model, section 4 asks you before anything is changed, section 5 talks with you.

The loop itself is a generator (playground/host/loop.py): it says what to do next, and here it is done. So it can be
read, and tested, without a model, a server or a terminal. Everything is written to logs/mcp-client-chat.jsonl, the
bodies to and from the model too, under one trace per question that the servers' logs share (playground/host/story.py).

Left out on purpose: searching for the right tools among hundreds, memory beyond one conversation, agents that start
agents, and authorization of remote servers (a header in servers.json must do).
"""

import os
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from playground import settings
from playground.chat_flags import parse
from playground.host import doctor
from playground.host.approval import Approval, Question, Reply, noted
from playground.host.budget import for_window
from playground.host.calls import Block, compact, strict_json
from playground.host.choosing import Choice
from playground.host.commands import Chat, Leave, run
from playground.host.completion import complete
from playground.host.conversation import Conversation
from playground.host.inquiries import Inquiries
from playground.host.keyboard import Keyboard, Lines, is_terminal
from playground.host.loop import Capped, Interrupted, Limits, Say, Step, Stopped, Think, Use, Warn, drive, turn
from playground.host.mentions import named, with_contents
from playground.host.providers import Provider
from playground.host.router import Router, RouterError
from playground.host.saved import Shelf
from playground.host.screen import Screen
from playground.host.servers import wanted
from playground.host.story import Story
from playground.logbook import Logbook
from playground.settings import Settings, SettingsError

COMPONENT = "mcp-client-chat"

# ---- 1. Connect: which servers, and what they may ask of us ----------------------------------------------------------


def connect(chat: "Talk") -> None:
    """Says hello to every server at once. One that fails is left out, with a word about it; the others work."""
    chat.router.open()
    tools = chat.router.tools()
    for member in chat.router.members:
        if member.remark and not member.problem:
            chat.screen.note(member.remark)
        if member.problem:
            chat.screen.warn(str(doctor.of_server(member)))
    servers = ", ".join(member.name for member in chat.router.members if member.is_open)
    chat.screen.note(f"{len(tools)} tools, of {servers}." if servers else "No server, so no tools.")


# ---- 2. Choose a model -----------------------------------------------------------------------------------------------


def choose(chat: "Talk") -> None:
    """Looks at the model before it is asked; offers the scripted one if Ollama isn't there. Leave: there is none."""
    while True:
        chat.checkup = doctor.of_model(chat.provider)
        if (fatal := chat.checkup.fatal) and chat.person is None:
            raise NoModel(f"{fatal} Or without any model: --provider scripted")
        for finding in chat.checkup.findings:
            chat.screen.warn(str(finding))
        if not fatal:
            break
        assert chat.person is not None
        offers = {"s": "use the scripted model", "r": "try again", "q": "leave"}
        match chat.person.choose("What now?", offers):
            case "s":
                chat.provider = chat.choice.provider("scripted")
            case "q":
                raise Leave
    tools = chat.router.tools()
    if small := doctor.of_window(chat.checkup, tools, chat.provider):
        chat.screen.warn(str(small))
    for change in chat.provider.offer(tools).changes:
        if change.startswith("Only the first"):  # /tools shows the others
            chat.screen.warn(change)
    is_scripted = chat.provider.kind == "scripted"
    chat.screen.note(chat.model + (": a set of rules, not a language model." if is_scripted else "."))
    chat.story.begins(chat.provider, chat.router.members)
    threading.Thread(target=chat.provider.prepare, daemon=True).start()  # while you type


def start_scripted() -> str:
    """The scripted model, in this process, on a port of its own; it speaks like Ollama, so all else is as usual."""
    from playground.scripted_model import ScriptedModel

    return ScriptedModel(pace=0.01).start("ollama")


class NoModel(Exception):
    """There is no model to talk to; one sentence that says why and what to do."""


# ---- 3. The loop: think, use, say ------------------------------------------------------------------------------------


class Talk(Chat):
    """One chat, and how each step of a turn is done. The steps come from playground/host/loop.py."""

    person: Keyboard | None
    options: Namespace
    has_answer = is_stopping = False  # of the turn

    def ask(self, question: list[Block]) -> bool:
        """One turn: a question, rounds of tools, an answer. Whatever happens, the conversation stays whole."""
        self.story.question(question)
        self.screen.begins(question[0].get("text", ""))
        self.has_answer = self.is_stopping = False
        before = self.conversation
        try:
            steps = turn(before.ask(question), self.router.tools, self.limits(), self.router.check)
            self.conversation = drive(steps, self.do)
        except KeyboardInterrupt:  # in the one moment when no step was being done
            self.conversation = before
            raise
        except Exception as error:
            self.conversation = before
            self.story.crashed(error)
            self.screen.stopped("crash", f"This host has a fault, which the log describes: {type(error).__name__}.")
        self.screen.ends(provider=self.provider.kind, model=self.provider.model, trace=self.story.trace)
        return self.has_answer

    def do(self, step: Step) -> Any:
        """Does what a step says, and gives back what came of it."""
        match step:
            case Think(history, tools, round):
                return self.think(history, tools, round)
            case Use(jobs, round):
                return self.use(jobs, round)
            case Warn(diagnosis):
                self.story.noticed(diagnosis)
                self.screen.diagnosed(diagnosis)
            case Capped(rounds):
                return self.ask_how_to_go_on(rounds)
            case Say(text, by_host):
                self.story.told(text, by_host)
                self.screen.says(text, by_host)
                self.has_answer = not by_host
            case Stopped(kind, sentence):
                self.is_stopping = kind == "interrupted"
                self.story.stopped(kind, sentence)
                self.screen.stopped(kind, sentence, doctor.after(kind, self.provider))
        return None

    def think(self, history: Conversation, tools: tuple[Any, ...], round: int) -> Any:
        """The model reads the conversation and the tools' descriptions, and answers with text, wishes or both."""
        self.story.offers(self.provider.offer(tools))
        self.screen.thinks(self.provider.model)
        stream = None if self.options.no_stream else self.screen.piece
        answer = self.provider.complete(history, tools, stream=stream, wire=self.story.wire(round))
        self.story.answered(answer, round)
        return answer

    def use(self, jobs: tuple[Any, ...], round: int) -> list[Any]:
        """You decide, the servers work, side by side, and each result goes back under the id of its wish."""
        self.story.called(jobs, round)
        review = self.approval.review(jobs)
        self.story.reviewed(review, round)
        self.story.resulted(review.refused, round)
        self.screen.results(jobs, review.refused)
        if review.stopped:
            raise Interrupted(review.refused)
        self.screen.runs(review.jobs)
        try:
            results = [noted(job, it) for job, it in zip(review.jobs, self.router.run(review.jobs), strict=True)]
        except Interrupted as stop:
            self.story.resulted(stop.results, round, self.router.timings)
            raise Interrupted([*stop.results, *review.refused]) from None
        try:
            self.story.resulted(results, round, self.router.timings)
            self.screen.results(review.jobs, results)
        except KeyboardInterrupt:  # what has happened must not count as cancelled
            raise Interrupted([*results, *review.refused]) from None
        return [*results, *review.refused]

    def limits(self) -> Limits:
        """How long a turn may become: in rounds, and in tokens, where the model's window is known."""
        if not self.checkup.is_sure:  # by now it may be loaded, and then Ollama knows
            self.checkup = doctor.of_model(self.provider)
        window = self.checkup.window
        budget = None if window is None else for_window(window, self.router.tools())
        return Limits(self.options.max_rounds, budget=budget)

    # ---- 4. Ask the user ---------------------------------------------------------------------------------------------

    def ask_to_run(self, question: Question) -> Reply:
        """May this call run? Shown in full, for the texts in it are a model's and a server's."""
        assert self.person is not None
        self.screen.approvable(question)
        choices = {"y": "yes", "n": "no", "a": "always in this session", "e": "edit", "s": "stop"}
        match self.person.choose("Run it?", choices):
            case "y":
                return Reply("yes")
            case "a":
                return Reply("always")
            case "e":
                return Reply("edit", self.ask_for_arguments(question))
            case "s":
                return Reply("stop")
            case _:
                return Reply("no")

    def ask_for_arguments(self, question: Question) -> dict[str, Any]:
        """Other arguments than the model's. What does not fit the tool is asked for again."""
        assert self.person is not None
        text = compact(dict(question.arguments))
        while True:
            text = self.person.line("Arguments:", text)
            try:
                arguments = strict_json(text)
                fault = self.router.check(question.tool, arguments) if isinstance(arguments, dict) else "no object."
            except (ValueError, RecursionError) as error:
                fault = f"no JSON: {error}."
            if not fault:
                return dict(arguments)
            self.screen.warn(f"That doesn't fit: {fault}")

    def ask_how_to_go_on(self, rounds: int) -> str:
        """The model has called tools for so many rounds without an answer."""
        if self.person is None:
            return "stop"
        self.screen.warn(f"{rounds} rounds of tool calls, and no answer yet.")
        choices = {"c": "continue", "s": "stop", "a": "answer from what there is"}
        with suppress(EOFError):
            return {"c": "continue", "a": "summarize"}.get(self.person.choose("What now?", choices), "stop")
        return "stop"


# ---- 5. Talk: questions from the terminal, a pipe, or the command line -----------------------------------------------


def converse(chat: Talk) -> int:
    """Question after question, until the input ends. The exit code: 1 if one of a pipe's had no answer."""
    lines = chat.person or Lines(sys.stdin)
    if chat.person:
        chat.screen.note("Ask something; /help lists the commands, Ctrl-D leaves.")
    missed = 0
    while True:
        try:
            text = lines.question()
            if text.strip():
                missed += handle(chat, text) is False
        except (EOFError, Leave):
            return 1 if missed and not chat.person else 0


def handle(chat: Talk, text: str) -> bool | None:
    """One line: a command, or a question for the model with what it mentions. Whether it was answered; None: no
    question."""
    try:
        if text.startswith("/"):
            question = run(chat, text)
            return None if question is None else chat.ask(question)
        mentioned = named(text, chat.router.resources)
        contents = [block for resource in mentioned for block in chat.router.read(resource)]
        for resource in mentioned:
            chat.screen.note(f"Attached {resource.full}.")
        return chat.ask(with_contents(text, contents))
    except RouterError as error:
        chat.screen.warn(str(error))
    except (Interrupted, KeyboardInterrupt):
        if chat.is_stopping:  # the second Ctrl-C
            raise SystemExit(130) from None
        chat.screen.note("Stopped.")
    return False


@contextmanager
def begun(options: Namespace, chosen: Settings, out: Any, notes: Any) -> Iterator[Talk]:
    """All that a chat consists of, put together; and ended in the end."""
    is_person = is_terminal(sys.stdin, out) and not options.json
    is_quiet = options.once is not None or options.json
    servers = wanted(chosen, options.servers)
    secrets = [*chosen.secrets(), *servers.secrets]
    log = Logbook(chosen.mcp_logs, COMPONENT, secrets=secrets)
    screen = Screen(out, notes, is_terminal=is_person, as_json=options.json, is_quiet=is_quiet, secrets=secrets)
    story = Story(log)
    person = Keyboard(chosen.mcp_logs / "conversations" / ".typed", lambda typed: complete(chat, typed))
    approval = Approval(options.approve, lambda question: chat.ask_to_run(question)) if is_person else None
    approval = approval or Approval(options.approve)
    asked = Inquiries(person if is_person else None, approval, lambda: chat.provider, story, screen.note)
    able, trace = asked.capabilities, lambda: story.trace
    router = Router(servers.entries, log, capabilities=able, answer=asked.answer, hear=screen.hears, trace=trace)
    choice = Choice(chosen, start_scripted, options.temperature)
    provider: Provider = choice.provider(options.provider or "", options.model or "")
    shelf = Shelf(chosen.mcp_logs / "conversations")
    conversation = Conversation(options.system.strip())
    chat = Talk(screen, story, router, choice, provider, approval, shelf, conversation)
    chat.person, chat.options, chat.ask_line = (person if is_person else None), options, person.line
    try:
        yield chat
    finally:
        screen.settle()
        router.close()
        chat.provider.close()
        story.ends()
        log.close()


def main(argv: list[str] | None = None) -> int:
    """Chats. Gives the exit code: 0; 1 for no answer; 130 after Ctrl-C."""
    options = parse(argv)
    try:
        chosen = settings.load({"MCP_LOGS": options.logs})
        with begun(options, chosen, sys.stdout, sys.stderr) as chat:
            connect(chat)
            choose(chat)
            if options.once is None:
                return converse(chat)
            text = sys.stdin.read() if options.once == "-" else options.once
            return 0 if handle(chat, text) else 1
    except (SettingsError, NoModel, ValueError) as trouble:
        print(f"{trouble}", file=sys.stderr)
        return 1
    except Leave:
        return 0
    except EOFError:
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head` has seen enough; else Python would complain when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
