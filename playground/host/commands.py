"""The commands of the chat: what begins with a slash is for the host, not for the model.

In:   a line that the user typed, and the chat as it is.
Out:  the chat changed, and words about it; or blocks that are to be asked (/prompt); or the wish to leave.
Here nobody reads a key or drives a turn.
"""

import difflib
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from playground.host import doctor, menu
from playground.host.approval import Approval, claims, is_read_only
from playground.host.budget import tokens
from playground.host.calls import Block
from playground.host.choosing import Choice
from playground.host.conversation import Conversation
from playground.host.doctor import Checkup
from playground.host.providers import Provider
from playground.host.providers.content import all_text
from playground.host.router import Router, RouterError
from playground.host.saved import SavedError, Shelf
from playground.host.screen import Screen
from playground.host.story import Story
from playground.terminal import one_line


@dataclass
class Chat:
    """One chat: all that its user can look at and change."""

    screen: Screen
    story: Story
    router: Router
    choice: Choice
    provider: Provider
    approval: Approval
    shelf: Shelf
    conversation: Conversation = field(default_factory=Conversation)
    checkup: Checkup = field(default_factory=Checkup)
    ask_line: Callable[[str], str] | None = None  # a line from the user, where there is one

    @property
    def model(self) -> str:
        """Who answers, in a line."""
        label = self.provider.label
        return f"{label[0].upper()}{label[1:]}, model {self.provider.model}, at {self.provider.base_url}"


class Leave(Exception):
    """The user wants to go."""


Blocks = list[Block]
Command = Callable[[Chat, str], Blocks | None]


def run(chat: Chat, line: str) -> Blocks | None:
    """Carries out a command; blocks are a question for the model. Raises Leave, Interrupted, EOFError."""
    word, _, rest = line.strip().partition(" ")
    chat.story.command(line.strip())
    command = COMMANDS.get(word)
    if command is None:
        close = difflib.get_close_matches(word, COMMANDS, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        chat.screen.note(f"There is no command {one_line(word)}.{hint} /help lists them.", "bad")
        return None
    try:
        return command(chat, rest.strip())
    except (SavedError, RouterError, ValueError) as error:
        chat.screen.note(str(error), "bad")
        return None


# ---- Looking ---------------------------------------------------------------------------------------------------------


def _help(chat: Chat, rest: str) -> None:
    """this list"""
    width = max(len(_usage(name)) for name in COMMANDS)
    for name, command in COMMANDS.items():
        chat.screen.text(f"  {_usage(name):{width}}  {command.__doc__}")
    chat.screen.text("  @NAME in a question attaches a server's resource. Alt-Enter begins a new line. Ctrl-C stops a")
    chat.screen.text("  turn; on an empty line it leaves, and so does Ctrl-D. All else is a question for the model.")


def _tools(chat: Chat, rest: str) -> None:
    """the tools on offer, as the model sees them, and whether they run unasked"""
    tools = [tool for tool in chat.router.tools() if not rest or tool.server == rest]
    changes = chat.provider.offer(tools).changes
    for tool in tools:
        runs = "runs unasked" if is_read_only(tool) else "asks first"
        shown = f"  {one_line(tool.name)}  ({', '.join(claims(tool))}; {runs})  {one_line(tool.description, 200)}"
        chat.screen.text(shown)
    for change in changes:
        chat.screen.note(f"  {change}")
    if not tools:
        chat.screen.note(f"There are no tools{f' on {one_line(rest)}' if rest else ''}; /servers says why.")


def _servers(chat: Chat, rest: str) -> None:
    """the servers: where they are, what they speak, what is wrong"""
    for member in chat.router.members:
        at = member.entry.way.shown if member.entry.way else ""
        trust = "trusted" if member.entry.trusted else "not trusted"
        if member.connection is not None:
            about = f"{member.via}, revision {member.connection.revision}, {trust}"
            chat.screen.text(f"  {one_line(member.name)}  {one_line(at, 200)}  ({about})")
        if member.problem:
            chat.screen.note(f"  {doctor.of_server(member)}", "bad")


def _history(chat: Chat, rest: str) -> None:
    """the conversation so far"""
    if chat.conversation.system:
        chat.screen.text(f"  system: {one_line(chat.conversation.system, 500)}")
    for turn in chat.conversation.turns:
        chat.screen.text(f"  you: {one_line(all_text(turn.question), 500)}")
        for step in turn.steps:
            for call in step.said.calls:
                chat.screen.text(f"    → {one_line(call.name)} {one_line(call.text, 200)}")
            for result in step.results:
                chat.screen.text(f"      {one_line(all_text(result.content), 200)}")
            if step.said.text.strip():
                chat.screen.text(f"  {'host' if step.said.by_host else 'model'}: {one_line(step.said.text, 500)}")
    window = f" of {chat.checkup.window:,}" if chat.checkup.window else ""
    chat.screen.note(f"{len(chat.conversation.turns)} turns, about {tokens(chat.conversation):,}{window} tokens.")


# ---- Changing --------------------------------------------------------------------------------------------------------


def _clear(chat: Chat, rest: str) -> None:
    """forget the conversation; the system prompt stays"""
    chat.conversation = chat.conversation.cleared()
    chat.screen.note("The conversation is empty.")


def _system(chat: Chat, rest: str) -> None:
    """show or set the system prompt; - takes it away"""
    if rest:
        chat.conversation = chat.conversation.with_system("" if rest == "-" else rest)
    chat.screen.note(f"System prompt: {chat.conversation.system or '(none)'}")


def _model(chat: Chat, rest: str) -> None:
    """show or choose the model"""
    if rest:
        _change(chat, chat.choice.provider(chat.provider.kind, rest))
    chat.screen.note(f"{chat.model}.")


def _provider(chat: Chat, rest: str) -> None:
    """show or choose the provider: ollama, openai, anthropic or scripted, and perhaps its model"""
    kind, _, model = rest.partition(" ")
    if kind:
        _change(chat, chat.choice.provider(kind, model.strip()))
    chat.screen.note(f"{chat.model}.")


def _change(chat: Chat, to: Provider) -> None:
    """The model that answers from now on, unless there is no use in asking it."""
    checkup = doctor.of_model(to)
    for finding in checkup.findings:
        chat.screen.warn(str(finding))
    if checkup.fatal:
        to.close()
        return
    chat.provider.close()
    chat.provider, chat.checkup = to, checkup
    chat.story.begins(to, chat.router.members)


def _save(chat: Chat, rest: str) -> None:
    """keep the conversation under a name"""
    about = {"provider": chat.provider.kind, "model": chat.provider.model}
    path = chat.shelf.save(rest, chat.conversation, about)
    chat.screen.note(f"Saved as {path}.")


def _load(chat: Chat, rest: str) -> None:
    """take up a saved conversation"""
    found = chat.shelf.load(rest)
    chat.conversation = found.conversation
    when, model = (one_line(str(found.head.get(key, "?"))) for key in ("saved", "model"))
    chat.screen.note(f"Loaded {len(found.conversation.turns)} turns of {when}, with {model}.")


def _refresh(chat: Chat, rest: str) -> None:
    """ask all servers anew for what they offer, also those that failed"""
    chat.router.refresh()
    tools = chat.router.tools()
    chat.screen.note(f"{len(tools)} tools of {sum(member.is_open for member in chat.router.members)} servers.")
    _servers(chat, "")


MODES = {
    "ask": "Tools that change things ask first.",
    "always": "Every tool runs unasked, also those that change things.",
    "never": "Only tools that read run.",
}


def _approve(chat: Chat, rest: str) -> None:
    """show or choose what runs: ask, always, never; forget takes back what was allowed"""
    if rest == "forget":
        chat.approval.forget()
    elif rest in MODES:
        chat.approval.mode = rest  # type: ignore[assignment]
    elif rest:
        raise ValueError(f"/approve takes {', '.join(MODES)} or forget.")
    allowed = f" Allowed in this session: {', '.join(chat.approval.allowed)}." if chat.approval.allowed else ""
    chat.screen.note(f"{MODES[chat.approval.mode]}{allowed}")


# ---- Prompts ---------------------------------------------------------------------------------------------------------


def _prompt(chat: Chat, rest: str) -> Blocks | None:
    """list the servers' prompts, or ask one: /prompt NAME key=value …"""
    prompts = chat.router.prompts()
    if not rest:
        for prompt in prompts:
            wanted = " ".join(name if needed else f"[{name}]" for name, needed in menu.parameters(prompt))
            about = one_line(str(prompt.entry.get("description", "")), 200)
            chat.screen.text(f"  {one_line(prompt.name)} {one_line(wanted)}  {about}")
        if not prompts:
            chat.screen.note("No server has prompts.")
        return None
    try:
        name, *given = shlex.split(rest)
    except ValueError as error:
        raise ValueError(f"The arguments can't be read: {error}.") from None
    found = [prompt for prompt in prompts if name in (prompt.name, prompt.full)]
    if len(found) != 1:
        which = "more than one server has" if found else "there is no"
        raise ValueError(f"{which.capitalize()} prompt {one_line(name)}; /prompt lists them, as server:name too.")
    messages = chat.router.prompt(found[0], menu.filled(found[0], given, chat.ask_line))
    chat.conversation, waiting = menu.asked(chat.conversation, messages)
    if not waiting:
        chat.screen.note("The prompt asks nothing; what it says stands in the conversation now.")
    return waiting or None


def _quit(chat: Chat, rest: str) -> None:
    """leave; so does Ctrl-D"""
    raise Leave


COMMANDS: dict[str, Command] = {
    "/help": _help,
    "/tools": _tools,
    "/servers": _servers,
    "/history": _history,
    "/clear": _clear,
    "/system": _system,
    "/model": _model,
    "/provider": _provider,
    "/save": _save,
    "/load": _load,
    "/refresh": _refresh,
    "/approve": _approve,
    "/prompt": _prompt,
    "/quit": _quit,
}
_TAKES = {
    "/tools": "[SERVER]",
    "/system": "[TEXT]",
    "/model": "[NAME]",
    "/provider": "[NAME [MODEL]]",
    "/save": "NAME",
    "/load": "NAME",
    "/approve": "[ask|always|never|forget]",
    "/prompt": "[NAME key=value …]",
}


def _usage(name: str) -> str:
    return f"{name} {_TAKES.get(name, '')}".rstrip()
