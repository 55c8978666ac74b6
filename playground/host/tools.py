"""A tool as the host knows it, and how a name that a model wrote is understood.

In:   the tools of all servers, a name.
Out:  the one tool that is meant, or a sentence for the model that lists what there is.
Here nobody knows servers or providers; the names that a provider accepts are made in providers/.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.host.calls import Call


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the model sees it, and what the host knows about it."""

    name: str  # unique over all servers, usually server__tool
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    server: str = ""
    original: str = ""  # its name on its server
    definition: Mapping[str, Any] = field(default_factory=dict)  # as the server listed it, annotations and all
    trusted: bool = False  # whether the user trusts what this server says about its tools


@dataclass(frozen=True, slots=True)
class Job:
    """A call that can be run: its tool exists, and its arguments are an object (perhaps edited by the user)."""

    call: Call
    tool: Tool
    arguments: Mapping[str, Any]


def find(name: str, tools: Iterable[Tool]) -> Tool | None:
    """The tool of this name; a name without prefix will do where exactly one tool has it."""
    tools = tuple(tools)
    short = [tool for tool in tools if name and name in (tool.original, tool.name.rpartition("__")[2])]
    exact = next((tool for tool in tools if tool.name == name), None)
    return exact or (short[0] if len(short) == 1 else None)


def unknown(name: str, tools: Sequence[Tool]) -> str:
    """What the model is told about a name that no tool has."""
    names = [tool.name for tool in tools]
    if not names:
        return "There are no tools here. Answer without calling one."
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5) if len(name) < 200 else []
    hint = f" Did you mean '{close[0]}'?" if close else ""
    listed = ", ".join(names[:50]) + (f" and {len(names) - 50} more" if len(names) > 50 else "")
    named = f"There is no tool named '{name[:200]}'." if name else "The call has no tool name."
    return f"{named}{hint} The tools are: {listed}."
