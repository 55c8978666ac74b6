"""Which servers the user wants: servers.json, in the format that most hosts of MCP share.

In:   a file, the environment; or nothing, which means our own server.
Out:  entries in the file's order, each with the way to its server and whether the user trusts it, or with its problem.
Here nobody opens a connection (router.py does).

    {"mcpServers": {
        "files":  {"url": "http://127.0.0.1:5000/mcp", "trust": true},
        "notes":  {"command": "npx", "args": ["-y", "some-server", "./notes"], "env": {"TOKEN": "${NOTES_TOKEN}"}},
        "remote": {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}}}

`trust` means: believe what this server says about its tools, so that those that only read run unasked. `roots` lists
folders that the server may know of; `disabled` leaves an entry out. `${NAME}` is the value of an environment variable
(or of .env), `${NAME:-text}` has a default.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playground.addresses import secrets_in
from playground.host.calls import strict_json
from playground.settings import PROJECT_ROOT, Settings, SettingsError
from playground.wire.connecting import Way, way

FILE = "servers.json"
OURS = "files"  # the name of our own server where the user names none

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SECRET_HEADERS = ("authorization", "cookie", "proxy-authorization")
_SECRET_NAME = re.compile(r"key|token|secret|password|credential", re.IGNORECASE)
_SHORTEST_SECRET = 8  # a shorter one is a placeholder, and masking it would blot out innocent words


@dataclass(frozen=True, slots=True)
class Entry:
    """One server that the user wants. `way` is None exactly when `problem` says what is wrong with the entry.

    `instead` is another way to the same server, for when nobody answers on the first.
    """

    name: str
    way: Way | None
    trusted: bool = False
    roots: tuple[Path, ...] = ()
    problem: str = ""
    instead: Way | None = None


@dataclass(frozen=True, slots=True)
class Servers:
    """All of them, where they are from, and the values in them that must not be seen."""

    entries: tuple[Entry, ...]
    source: str
    secrets: tuple[str, ...] = ()


def wanted(settings: Settings, file: str | None = None) -> Servers:
    """The servers of `file`; else of servers.json in the project's folder; else our own alone. Raises SettingsError."""
    usual = PROJECT_ROOT / FILE
    if file is None and not usual.is_file():
        return Servers((ours(settings),), "our own server")
    return read(usual if file is None else Path(file).expanduser(), settings)


def ours(settings: Settings) -> Entry:
    """server.py: over HTTP where it runs, else started for this chat alone, on the same folder of files."""
    host = f"[{settings.mcp_host}]" if ":" in settings.mcp_host else settings.mcp_host
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    places = ["--files", str(settings.mcp_files), "--logs", str(settings.mcp_logs)]
    pipe = Way("stdio", (sys.executable, str(PROJECT_ROOT / "server.py"), "--stdio", *places))
    return Entry(OURS, Way("http", url=f"http://{host}:{settings.mcp_port}/mcp"), trusted=True, instead=pipe)


def read(path: Path, settings: Settings) -> Servers:
    """The entries of a file. What is wrong with one of them is its own problem; with the file, a SettingsError."""
    try:
        value = strict_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{path} can't be read ({error.strerror}); --servers FILE names another.") from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is no JSON: {error}.") from None
    found = value.get("mcpServers", value.get("servers")) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise SettingsError(f'{path} has no object "mcpServers"; README.md shows one under "Several servers".')
    secrets: list[str] = []
    entries = [
        _entry(name, entry, settings.values, secrets, path.parent)
        for name, entry in found.items()
        if not (isinstance(entry, dict) and entry.get("disabled") is True)
    ]
    return Servers(tuple(entries), str(path), tuple(dict.fromkeys(secrets)))


def _entry(name: str, entry: Any, values: Mapping[str, str], secrets: list[str], folder: Path) -> Entry:
    try:
        if not isinstance(entry, dict):
            raise ValueError("it is no object")
        if not name.strip():
            raise ValueError("it has no name")
        roots = entry.get("roots", [])
        if not isinstance(roots, list) or not all(isinstance(root, str) for root in roots):
            raise ValueError("its roots are not a list of folders")
        there = way(filled(entry, values, secrets))
    except ValueError as error:
        return Entry(name, None, problem=f"The entry {name!r} can't be used: {error}.")
    for given in (there.url, *there.command):
        secrets += [part for part in secrets_in(given) if len(part) >= _SHORTEST_SECRET]
    for header, text in there.headers.items():
        if header.lower() in _SECRET_HEADERS or _SECRET_NAME.search(header):
            # "Bearer abc": the whole of it, and the key alone.
            secrets += [part for part in (text, *text.split()[-1:]) if len(part) >= _SHORTEST_SECRET]
    return Entry(name, there, entry.get("trust") is True, tuple((folder / root).resolve() for root in roots))


def filled(value: Any, values: Mapping[str, str], secrets: list[str]) -> Any:
    """The same value with each ${NAME} replaced; what was put in is added to `secrets`. ValueError for an unknown one.

    >>> filled({"env": ["${A}", "${B:-b}"]}, {"A": "a"}, [])
    {'env': ['a', 'b']}
    """
    if isinstance(value, dict):
        return {key: filled(item, values, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, values, secrets) for item in value]
    if not isinstance(value, str):
        return value

    def put(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        if values.get(name):
            if _SECRET_NAME.search(name) and len(values[name]) >= _SHORTEST_SECRET:
                secrets.append(values[name])
            return values[name]
        if default is None:
            raise ValueError(f"it names ${{{name}}}, which is not set in the environment or .env")
        return default

    return _VARIABLE.sub(put, value)
