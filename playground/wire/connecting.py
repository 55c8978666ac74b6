"""From an entry of servers.json to an open connection: the right transport, and the old one where there is no other.

In:   an entry (`command` with `args`, `env`, `cwd`; or `url` with `headers`; and perhaps `type`), and who we are.
Out:  a Connection that has said hello; ValueError for an entry that can't be used, TravelError for a server that can't.
Here nobody knows where entries are kept, or what is asked later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp_core import revisions
from playground.logbook import Logbook
from playground.wire.connection import Connection
from playground.wire.recorder import Recorder
from playground.wire.transports import NotMCP, Transport, TravelError

Object = dict[str, Any]

# What is written as `type`, here and there, for the three ways there are.
TYPES = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
DEPRECATED = "HTTP+SSE, the transport of 2024-11-05, which is deprecated since 2025-03-26"


@dataclass(frozen=True, slots=True)
class Way:
    """How a server is reached. `kind` is stdio, http or sse."""

    kind: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold keys
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def shown(self) -> str:
        """Where it leads, for people."""
        return self.url or " ".join(self.command)


def way(entry: Mapping[str, Any]) -> Way:
    """Reads an entry. Raises ValueError with a sentence about what is wrong with it.

    >>> way({"command": "uvx", "args": ["mcp-server-time"]}).command
    ('uvx', 'mcp-server-time')
    >>> way({"url": "http://127.0.0.1:5000/mcp"}).kind
    'http'
    """
    command, url, stated = entry.get("command"), entry.get("url"), entry.get("type")
    if stated is not None and stated not in TYPES:
        raise ValueError(f"the type {stated!r} is none of stdio, http and sse")
    if (command is None) == (url is None):
        raise ValueError("it needs either a command to start or a url to ask" + (", not both" if url else ""))
    kind = TYPES[stated] if stated is not None else "http" if url is not None else "stdio"
    if (kind == "stdio") != (command is not None):
        raise ValueError(f"the type {stated!r} does not go with {'a command' if url is None else 'a url'}")
    if command is not None:
        args, cwd = entry.get("args", []), entry.get("cwd")
        if not isinstance(command, str) or not command.strip():
            raise ValueError("its command is not the name of a program")
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise ValueError("its args are not a list of texts")
        if cwd is not None and not isinstance(cwd, str):
            raise ValueError("its cwd is not the path of a folder")
        return Way(kind, (command, *args), _texts(entry, "env"), cwd)
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        raise ValueError("its url does not begin with http:// or https://")
    return Way(kind, url=url, headers=_texts(entry, "headers"))


def connect(
    name: str,
    entry: Way | Mapping[str, Any],
    log: Logbook,
    info: Object,
    capabilities: Object | None = None,
    *,
    mode: str = "auto",
    **functions: Any,
) -> Connection:
    """Opens a connection to the server that the user calls `name`. `functions` are Connection's: answer, note …

    Raises ValueError or TravelError.
    """
    there = entry if isinstance(entry, Way) else way(entry)
    recorder = Recorder(log, via="stdio" if there.kind == "stdio" else "http", server=name)

    def opened(transport: Transport, mode: str = mode) -> Connection:
        return _opened(Connection(transport, info, capabilities, mode=mode, **functions))

    if there.kind == "stdio":
        return opened(_pipe(there, recorder))
    if there.kind == "http":
        try:
            return opened(_http(there, recorder))
        except NotMCP as error:
            # Such an address may be the event stream of an old server, for which a POST is a wrong method (2025-03-26
            # and later, transports, Backwards Compatibility).
            if error.status not in (400, 404, 405) or mode in revisions.STATELESS:
                raise
            not_mcp = error
    # Nothing that speaks 2026-07-28 has the old transport, so there is no point in probing for it.
    mode = revisions.LATEST_HANDSHAKE if mode == "auto" else mode
    try:
        connection = opened(_old_sse(there, recorder), mode)
    except TravelError:
        if there.kind == "http":
            raise not_mcp from None
        raise
    recorder.warn(f"{name!r} is reached by {DEPRECATED}.")
    return connection


def _opened(connection: Connection) -> Connection:
    try:
        connection.open()
    except BaseException:
        connection.close()
        raise
    return connection


# Each imports what it needs when it is needed: requests takes longer than all the rest together.


def _pipe(there: Way, recorder: Recorder) -> Transport:
    from playground.wire.pipe import Pipe

    cwd = Path(there.cwd).expanduser() if there.cwd is not None else None
    return Pipe(there.command, recorder, env=there.env, cwd=cwd)


def _http(there: Way, recorder: Recorder) -> Transport:
    from playground.wire.http import Http

    return Http(there.url, recorder, headers=there.headers)


def _old_sse(there: Way, recorder: Recorder) -> Transport:
    from playground.wire.old_sse import OldSse

    return OldSse(there.url, recorder, headers=there.headers)


def _texts(entry: Mapping[str, Any], key: str) -> Mapping[str, str]:
    found = entry.get(key, {})
    if not isinstance(found, Mapping) or not all(isinstance(value, str) for value in found.values()):
        raise ValueError(f"its {key} are not an object of texts")
    return dict(found)
