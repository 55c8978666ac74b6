"""A tap: stands between any MCP client and any server, changes nothing, and writes down all that crosses.

    python -m playground.tap --listen 5001 --to http://127.0.0.1:5000/mcp
    python -m playground.tap -- npx some-server

In:   over HTTP a port to listen on and the server's address; over stdio the server's command. There the tap is itself
      the command that a client's configuration names.
Out:  every byte, at the other end; logs/mcp-tap.jsonl, which the dashboard shows as it shows our own logs.
Refuses to know: whether what crosses is valid. Both ends may be anybody's, and wrong: that is what one wants to see.

*What is in the log.* The tap is a server to the client and a client to the server, so a message leaves two records: it
came (`dir` in, `peer` who sent it), and it left for the other (`dir` out, `peer` who gets it). Drawn they are the line
client - tap - server; one that only came tells that it could not be passed on. `exchange` is named as both ends would
name it: a message of a playground program has the same one in all logs (but for a strange client's `initialize`, whose
session only its answer names); what they give none has one that only the tap knows, with `raw` in it. `data.stream` is
the exchange of the request on whose stream something came that belongs to no or another one, such as a question of the
server's. `ms` is the time from the request's passing to the answer's, `data.message` and `data.raw` are as logbook.py
has them, so that every frame can be had back byte for byte; `data.http` on the record that came is what came, on the
one that left what was sent on.

    tap_request tap_response tap_notification   a message (`data.reason` if it breaks a rule of JSON-RPC)
    tap_batch                                   an array of messages; each then has its own records
    tap_unreadable                              what is no message, or longer than 4 MiB (`data.bytes`)
    tap_http                                    HTTP without a message: GET, DELETE, 202, an event with only an id
    tap_cut                                     a hang-up before the answer was complete, and by whom
    tap_refused tap_unreachable                 what the tap itself answered: Host or Origin of strangers; nobody there
    server_stderr tap_exit                      what a server's process prints for people, and how it ended
    tap_start                                   where it stands

*What is not passed on as it came.* Over HTTP Host names the target instead of the tap, and so does Origin if it named
the tap; what concerns one hop only (`Upgrade`, what `Connection` names) stays here. Everything else goes on as it is:
names, order and spelling of headers, chunks, compression, events, comments. Keys travel and are never written down:
headers such as Authorization, and what is named like a key in an address, a form or an authorization server's answer.
"""

import argparse
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from playground import settings
from playground.addresses import secrets_in
from playground.logbook import Logbook
from playground.redaction import without_keys
from playground.tapping import pipe
from playground.tapping.story import Story
from playground.tapping.target import BadAddress, Target

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a tap until it is stopped or the server it started has ended; the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    own, command = (given[: (at := given.index("--"))], given[at + 1 :]) if "--" in given else (given, [])
    parser = arguments()
    args = parser.parse_args(own)
    if bool(command) == (args.to is not None):
        parser.error("give either --to and an address, or -- and the command of a server")
    try:
        where = settings.load({"MCP_LOGS": args.logs})
        if command:
            return _tap_pipe(command, where.mcp_logs, where.secrets())
        return _tap_http(args, where.mcp_logs, [*where.secrets(), *secrets_in(args.to)])
    except pipe.CannotStart as problem:
        return _complain(str(problem), problem.exit_code)
    except (settings.SettingsError, BadAddress) as problem:
        return _complain(str(problem))


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m playground.tap",
        description="Stands between an MCP client and a server, changes nothing, and logs all that crosses.",
        epilog="For a server on stdio, in the client's configuration: python -m playground.tap [--logs DIR] -- COMMAND",
    )
    parser.add_argument("--listen", default="5001", metavar="PORT", help="where clients come in (default 5001)")
    parser.add_argument("--to", metavar="URL", help="the server, such as http://127.0.0.1:5000/mcp")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a further name in Host and Origin"
    )
    parser.add_argument("--logs", help="the folder of the logs (MCP_LOGS; default logs)")
    return parser


def _tap_http(args: argparse.Namespace, logs: Path, secrets: Sequence[str]) -> int:
    from playground import serve  # an HTTP server's worth of imports, which a pipe need not wait for
    from playground.tapping.door import Door

    target = Target(args.to)
    if not (args.listen.isascii() and args.listen.isdigit() and int(args.listen) <= 65535):
        return _complain(f"--listen must be a port from 0 (any free one) to 65535, not {args.listen[:40]!a}.")
    if int(args.listen) == target.port and target.host in ("localhost", "127.0.0.1", "::1", args.host):
        return _complain("--to is the address of the tap itself; give it the server's, and the client the tap's.")
    try:
        listener = serve.listen(args.host, int(args.listen), option="--listen")
    except serve.CannotListen as problem:
        return _complain(str(problem))
    if listener.warning:
        print(listener.warning, file=sys.stderr)
    log = Logbook(logs, "mcp-tap", secrets=secrets)
    log.write("tap_start", {"via": "http", "url": listener.url, "to": target.url}, via="http")
    door = Door(listener, target, Story(log, "http"), allow_hosts=args.allow_host)
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: door.close())
    print(f"The tap is {listener.url}{target.path}, and passes everything on to {target.url}; Ctrl-C ends it.")
    print(f"Log in {log.path}", flush=True)
    door.run()
    log.close()
    return 0


def _tap_pipe(command: Sequence[str], logs: Path, secrets: Sequence[str]) -> int:
    shown, keys = _without_keys(command)
    log = Logbook(logs, "mcp-tap", secrets=[*secrets, *keys])
    code = pipe.run(command, shown, Story(log, "stdio"))
    log.close()
    if code < 0:  # the client shall see the same end that it would have seen without us
        with contextlib.suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _without_keys(command: Sequence[str]) -> tuple[str, list[str]]:
    """A command as the log shows it, and the values in it that are named like keys.

    >>> _without_keys(["serve", "--api-key", "s3", "--port=1", "--token=t"])
    ('serve --api-key *** --port=1 --token=***', ['s3', 't'])
    """
    words, keys, is_key = [], [], False
    for word in command:
        name, equals, value = word.partition("=")
        is_named = without_keys({name: ""})[1]
        if is_key:
            keys.append(word)
            words.append("***")
        elif is_named and equals:
            keys.append(value)
            words.append(f"{name}=***")
        else:
            words.append(shlex.quote(word))
        is_key = not is_key and is_named and not equals and name.startswith("-")
    return " ".join(words), keys


def _complain(sentence: str, exit_code: int = 1) -> int:
    print(sentence, file=sys.stderr)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
