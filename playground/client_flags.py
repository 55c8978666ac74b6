"""The command line of chapter 1: what its user wants to see, of which server, and how.

In:   the arguments, the names of the chapter's own scenes and of the tour's files.
Out:  a namespace of options, checked; `body` holds the bytes that --raw means, `scene` full names.
Here nobody knows what a scene does.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcp_core.revisions import LATEST_HANDSHAKE, REVISIONS
from playground.carriers import Trouble


def parse(argv: Sequence[str] | None, scenes: Iterable[str], tours: Iterable[str]) -> argparse.Namespace:
    """The options. Ends the process where they make no sense; raises Trouble where a file can't be read."""
    parser = argparse.ArgumentParser(description="See the words of MCP, one scene after another.", allow_abbrev=False)
    add = parser.add_argument
    tours = list(tours)
    names = {name.rpartition("/")[2]: name for name in tours} | {name: name for name in [*tours, *scenes]}
    revisions = [*REVISIONS, "auto", "both"]
    add("--url", help="the server (http://127.0.0.1:5000/mcp); /rpc is plain JSON-RPC without a session")
    add("--stdio", metavar="COMMAND", help="start a server with this command and speak through its pipes")
    add("--revision", default=LATEST_HANDSHAKE, choices=revisions, help="the MCP to speak (%(default)s)")
    add("--logs", metavar="FOLDER", help="where to write mcp-client-simple.jsonl (logs)")
    add("--scene", action="append", choices=names, metavar="NAME", help="only this one; may be repeated")
    add("--list", action="store_true", help="name the scenes, and the files of the tour, and end")
    add("--step", action="store_true", help="wait for Enter before each message; e edits it in $EDITOR")
    add("--explain", action="store_true", help="explain each method, header, field and code, once")
    add("--raw", metavar="JSON|@FILE|-", help="send this text, valid or not; with --scene, after the scenes")
    add("--pace", type=float, default=0.0, metavar="SECONDS", help="wait so long between two messages")
    add("--timeout", type=float, default=30.0, metavar="SECONDS", help="the limit for one answer (%(default)g)")
    options = parser.parse_args(argv)
    if not (0 < options.timeout <= 86400 and 0 <= options.pace <= 86400):
        parser.error("--timeout must be more than 0, --pace at least 0, both at most a day")
    if options.step and (options.raw == "-" or options.revision == "both"):
        parser.error("--step asks on standard input, one message at a time; it goes with neither --raw - nor both")
    options.scene = [names[name] for name in options.scene or ()]
    options.body = _body(options.raw)
    return options


def _body(raw: str | None) -> bytes | None:
    if raw is None or raw == "-":
        return None if raw is None else sys.stdin.buffer.read()
    try:
        return Path(raw[1:]).read_bytes() if raw.startswith("@") else os.fsencode(raw)
    except OSError as error:
        raise Trouble(f"{raw[1:]} can't be read ({error.strerror}); --raw @FILE sends what is in a file.") from None
