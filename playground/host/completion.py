"""What the word that is being typed may become: commands, what they take, and the resources of servers.

In:   the chat, what was typed so far.
Out:  pairs of a text and what it is.
Here nobody knows how they are shown.
"""

from collections.abc import Iterable, Iterator

from playground.host.commands import COMMANDS, MODES, Chat
from playground.host.providers import KNOWN


def complete(chat: Chat, typed: str) -> Iterator[tuple[str, str]]:
    """What the last word of `typed` may become, and what that is."""
    word, space, rest = typed.partition(" ")
    if typed.startswith("/") and not space:
        yield from ((name, str(command.__doc__)) for name, command in COMMANDS.items() if name.startswith(word))
    elif typed.startswith("/"):
        last = rest.rpartition(" ")[2]
        yield from ((name, "") for name in _arguments(chat, word) if name.startswith(last))
    elif typed.startswith("@"):
        for resource in chat.router.resources():
            if resource.name.startswith(typed[1:]) or resource.full.startswith(typed[1:]):
                yield f"@{resource.name}", resource.full


def _arguments(chat: Chat, command: str) -> Iterable[str]:
    match command:
        case "/load" | "/save":
            return chat.shelf.names()
        case "/prompt":
            return [prompt.name for prompt in chat.router.prompts()]
        case "/provider":
            return KNOWN
        case "/approve":
            return MODES
        case "/tools":
            return [member.name for member in chat.router.members]
    return ()
