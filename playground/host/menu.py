"""Prompts of servers: what a user picks from a menu, and what is asked of the model then.

In:   a prompt as it is listed, what the user typed behind its name; the messages that the server makes of it.
Out:  the prompt's arguments; the conversation with what comes before the question, and the question itself.
Here nobody asks a server (router.py) or a model.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from playground.host.calls import Block, as_block
from playground.host.conversation import Conversation, Said
from playground.host.providers.content import all_text
from playground.host.router import Listed


def parameters(prompt: Listed) -> list[tuple[str, bool]]:
    """The names of a prompt's arguments, and whether each is needed."""
    found = prompt.entry.get("arguments")
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return [(str(row.get("name")), row.get("required") is True) for row in rows]


def filled(prompt: Listed, given: Iterable[str], ask: Callable[[str], str] | None) -> dict[str, str]:
    """The arguments by name: key=value, or values in the prompt's order. What is needed and missing is asked for.

    ValueError where it is missing and there is nobody to ask.
    """
    wanted = parameters(prompt)
    names = [name for name, _ in wanted]
    found: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        free = [name for name in names if name not in found]
        if equals and key in names:
            found[key] = value
        elif free:
            found[free[0]] = text
        else:
            raise ValueError(f"The prompt '{prompt.name}' takes no more than {len(names)} arguments.")
    for name in [name for name, needed in wanted if needed and name not in found]:
        if ask is None:
            raise ValueError(f"The prompt '{prompt.name}' needs {name}=…")
        found[name] = ask(f"{name}:")
    return found


def asked(conversation: Conversation, messages: Sequence[Mapping[str, Any]]) -> tuple[Conversation, list[Block]]:
    """The conversation with all that comes before the user's last words, and those, which are the question."""
    waiting: list[Block] = []
    for message in messages:
        content = message.get("content")
        blocks = [as_block(block) for block in (content if isinstance(content, list) else [content])]
        if message.get("role") != "assistant":
            waiting += blocks
        elif waiting:
            conversation, waiting = conversation.ask(waiting).say(Said(all_text(blocks))), []
    return conversation, waiting
