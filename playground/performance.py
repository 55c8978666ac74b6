"""The scenes of chapter 1 on a terminal: in one conversation, or in two that are compared; then files of the tour.

In:   the user's options, the scenes by their names, and how a conversation is begun.
Out:  everything printed and logged; whether all went as the scenes say.
Here nobody knows what a scene says, nor what a revision has.
"""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from secrets import token_hex
from typing import Any, Protocol, TypeVar

from mcp_core.revisions import LATEST, LATEST_HANDSHAKE, STATELESS
from playground.addresses import secrets_in, shown
from playground.carriers import Pipe, Post
from playground.columns import Comparison
from playground.dialog import Dialog
from playground.logbook import Logbook, source_of
from playground.narrator import Narrator
from playground.settings import load
from playground.terminal import Terminal
from playground.touring import run

BOTH = (LATEST_HANDSHAKE, LATEST)


class Speaker(Protocol):
    """What a scene speaks through: a conversation with one server."""

    trace: str
    surprises: int
    is_plain: bool
    dialog: Dialog


S = TypeVar("S", bound=Speaker)
Scenes = Mapping[str, Callable[[S], None]]
Begin = Callable[[Post | Pipe, Narrator, str, float], AbstractContextManager[S]]


def perform(options: Namespace, terminal: Terminal, scenes: Scenes[S], begin: Begin[S]) -> int:
    """Plays what the user wants; gives the exit code. Raises Trouble."""
    wanted = options.scene or ([] if options.body is not None else list(scenes))
    names, surprises = [name for name in wanted if name in scenes], 0
    if names or options.body is not None:
        surprises = _converse(options, terminal, scenes, names, begin)
    for name in wanted:
        surprises += name not in scenes and run(name, options) != 0
    return 1 if surprises else 0


def _converse(options: Namespace, terminal: Terminal, scenes: Scenes[S], names: list[str], begin: Begin[S]) -> int:
    settings = load({"MCP_LOGS": options.logs})
    url = options.url or f"http://127.0.0.1:{settings.mcp_port}/mcp"
    terminal.line(f"Revision {options.revision}, {options.stdio or shown(url)}", "faint")
    pair = Comparison(terminal, BOTH) if options.revision == "both" else None
    papers: Iterable[tuple[str, Terminal]] = zip(BOTH, pair.sheets, strict=True) if pair else []
    book = Logbook(settings.mcp_logs, "mcp-client-simple", secrets=[*settings.secrets(), *secrets_in(url)])
    with closing(book), ExitStack() as stack:
        if pair:
            stack.callback(pair.show)  # last of all: how the sessions ended
        speakers: list[Any] = []
        for revision, paper in papers or [(options.revision, terminal)]:
            wire = Post(url) if options.stdio is None else Pipe(options.stdio)
            teller = _narrator(options, paper, book, wire.via, can_ask=pair is None)
            speakers.append(stack.enter_context(begin(wire, teller, revision, options.timeout)))
        # Where there are sessions one must be open before anything else is asked; auto must first find that out.
        if names and "handshake" not in names and options.revision not in STATELESS and not speakers[0].is_plain:
            names.insert(0, "handshake")
        for name in names:
            terminal.rule(name)
            terminal.paragraph(scenes[name].__doc__ or "", "faint")
            for speaker in speakers:
                speaker.trace = token_hex(16)
                scenes[name](speaker)
            if pair:
                pair.show()
        for speaker in speakers if options.body is not None else ():
            speaker.dialog.raw(options.body, source_of(sys._getframe()))
    terminal.line()
    terminal.paragraph(f"Every message is in {book.path}; python log_viewer.py shows them.", "faint")
    return sum(speaker.surprises for speaker in speakers)


def _narrator(options: Namespace, terminal: Terminal, book: Logbook, via: str, *, can_ask: bool) -> Narrator:
    # A sheet is seen when its scene is over, so nobody can be asked what stands on it.
    user = sys.stdin if can_ask and sys.stdin.isatty() else None
    step = sys.stdin if options.step else None
    return Narrator(terminal, book, via, explains=options.explain, step=step, pace=options.pace, user=user)
