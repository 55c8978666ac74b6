"""What every file of the tour stands on: a server of its own, and one conversation with it in each era.

In:   a function that plays one feature, and what it needs.
Out:  its messages on the terminal and in logs/mcp-client-simple.jsonl; exit code 0, or a sentence and 1.
Here nobody knows what is played.

    python tour/ping.py                                  # starts a server, plays, and ends it
    python tour/ping.py --url http://127.0.0.1:5000/mcp  # or talks to one that runs

A file that brings a catalogue of its own is started a second time, as its own server, on the same shell as server.py.
"""

import argparse
import linecache
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # in place of this folder, so that the names of these files hide nobody's modules

from playground.carriers import Pipe, Post, Trouble  # noqa: E402 - found only now
from playground.logbook import Logbook  # noqa: E402
from playground.narrator import Narrator  # noqa: E402
from playground.settings import Settings, load  # noqa: E402
from playground.talk import News, Replies, Talk  # noqa: E402
from playground.terminal import Terminal  # noqa: E402

if TYPE_CHECKING:
    from mcp_core.catalogue import Catalogue

__all__ = ["News", "Replies", "Talk", "tour"]

BOTH = ("2025-11-25", "2026-07-28")


def tour(
    play: Callable[[Talk], None],
    *,
    revisions: tuple[str, ...] = BOTH,
    ways: tuple[str, ...] = ("http",),
    able: dict[str, Any] | None = None,
    replies: Replies | None = None,
    catalogue: "Catalogue | None" = None,
    page_size: int = 100,
) -> None:
    """Plays it in each of the revisions over each of the ways ("http", "stdio"); ends the process if it goes wrong.

    `able`: the capabilities we declare; `replies`: what we answer to which question; `catalogue`: what the server
    offers, in place of server.py's files.
    """
    if catalogue is not None and sys.argv[1:2] == ["--serve"]:
        sys.exit(_serve(catalogue, sys.argv[2], sys.argv[3], page_size))
    options, terminal = _options(), Terminal(sys.stdout, os.environ)
    where = load({"MCP_LOGS": options.logs})
    given = {"http": options.url, "stdio": options.stdio}
    if catalogue is not None and any(given.values()):
        terminal.paragraph("This file brings a server of its own, with what it shows; --url and --stdio don't count.")
    elif any(given.values()):
        if not any(given[way] for way in ways):
            terminal.paragraph(f"This file is about {' and '.join(ways)}: there is nothing to see the other way.")
            sys.exit(0)
        ways = tuple(way for way in ways if given[way])
    book = Logbook(where.mcp_logs, "mcp-client-simple", secrets=where.secrets())
    try:
        for way in ways:
            with _server(way, given[way] if catalogue is None else None, where, catalogue, page_size) as address:
                for revision in revisions:
                    terminal.rule(f"{Path(sys.argv[0]).stem} in {revision} over {way}")
                    wire = Post(address) if way == "http" else Pipe(address)
                    teller = Narrator(
                        terminal, book, way, explains=options.explain, step=sys.stdin if options.step else None
                    )
                    with Talk(wire, teller, revision, able or {}, replies or {}) as talk:
                        play(talk)
    except (AssertionError, Trouble) as error:
        terminal.paragraph(_not_so(error) if isinstance(error, AssertionError) else str(error), "bad")
        sys.exit(1)
    except (EOFError, KeyboardInterrupt):  # Ctrl-D at --step; Ctrl-C
        sys.exit(130)
    terminal.line(f"\nAll as it should be. Every message is in {book.path}", "good")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="One feature of MCP, played against a server of its own.")
    parser.add_argument("--url", help="a server that runs already, in place of one of our own")
    parser.add_argument("--stdio", metavar="COMMAND", help="a command that starts a server to be spoken to by pipe")
    parser.add_argument("--logs", metavar="FOLDER", help="where to write the logs (logs)")
    parser.add_argument("--step", action="store_true", help="wait for Enter before each message; e edits it")
    parser.add_argument("--explain", action="store_true", help="explain each word when it first appears")
    return parser.parse_args()


@contextmanager
def _server(
    way: str, given: str | None, where: Settings, catalogue: "Catalogue | None", page_size: int
) -> Iterator[str]:
    """The address (or, for a pipe, the command) of the server to talk to; ends it afterwards if it is ours."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="tour-", ignore_cleanup_errors=True) as files:
        if catalogue is not None:
            words = [sys.executable, str(Path(sys.argv[0]).resolve()), "--serve", way, str(where.mcp_logs)]
        else:
            words = [sys.executable, str(ROOT / "server.py"), "--files", files, "--logs", str(where.mcp_logs)]
            words += ["--page-size", str(page_size), *(["--stdio"] if way == "stdio" else ["--port", "0"])]
        if way == "stdio":
            yield subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
            return
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert process.stdout is not None
        try:
            found = (re.search(r"http://\S+/mcp", line) for line in process.stdout)
            yield next((match[0] for match in found if match), "no address")
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def _serve(catalogue: "Catalogue", way: str, logs: str, page_size: int) -> int:
    import server

    log = Logbook(Path(logs), "mcp-server")
    if way == "stdio":
        return server.serve_pipe(catalogue, log, page_size)
    return server.serve_http(catalogue, log, load({"MCP_HOST": "127.0.0.1", "MCP_PORT": 0}), [], page_size)


def _not_so(error: AssertionError) -> str:
    """The sentence about an assert that failed: the server is not as the specification, or this file, would have it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    with suppress(AttributeError):
        assert trace is not None
        file = trace.tb_frame.f_code.co_filename
        line = linecache.getline(file, trace.tb_lineno).strip().removeprefix("assert ")
        return f"{Path(file).name}:{trace.tb_lineno}: this should hold, and does not: {line}"
    return str(error)
