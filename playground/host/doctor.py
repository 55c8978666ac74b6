"""What is wrong, in plain words, and the one command that mends it: before the first question and after a failure.

In:   a provider, a server's failure to open, a provider's failure to answer.
Out:  Findings: a stable `kind`, a sentence, a command; and how many tokens the model reads.
Here nobody mends anything, or asks the user.

Theory of operation
    Ollama is the default, and it is where most goes wrong: it isn't started, the model isn't pulled, the model can't
    call tools, or its window is so small that the tool definitions are cut off in silence. Its own interface, beside
    the one that is used for chatting, tells all of that, so it is asked (https://docs.ollama.com/api). How much a model
    reads depends on how it was loaded, and only /api/ps knows, once it is loaded; before that its Modelfile's num_ctx
    counts, else Ollama's default. The interface for chatting takes no num_ctx, so the host keeps to what there is.

    Of a server that can't be opened we know the error. What answers instead is looked at once more where that helps: a
    404 at our own address may only mean that the path is wrong.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from playground.host import budget
from playground.host.member import Member
from playground.host.providers import Provider
from playground.host.providers.line import is_loopback
from playground.host.tools import Tool
from playground.wire.transports import NotMCP, NotReachable, Unauthorized

PATIENCE = 3.0  # seconds for a question to Ollama's own interface
OLLAMAS_WINDOW = 4096  # tokens, where neither the model nor the user says otherwise
WINDOWS = {"https://api.openai.com/v1": 128_000, "https://api.anthropic.com": 200_000}
LEAST_ROOM = 1000  # tokens of history below which a chat is no pleasure
PYTHON = "uv run python"


@dataclass(frozen=True, slots=True)
class Finding:
    """`is_fatal`: there is no use in asking the model before this is mended."""

    kind: str
    sentence: str
    command: str = ""
    is_fatal: bool = False

    def __str__(self) -> str:
        return f"{self.sentence} Try: {self.command}" if self.command else self.sentence


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found, and the model's window in tokens; None where nobody can tell. `is_sure`: as it is loaded now."""

    findings: tuple[Finding, ...] = ()
    window: int | None = None
    is_sure: bool = True

    @property
    def fatal(self) -> Finding | None:
        return next((finding for finding in self.findings if finding.is_fatal), None)


# ---- Before a question: the model ------------------------------------------------------------------------------------


def of_model(provider: Provider) -> Checkup:
    """Looks at the model before it is asked. Never raises."""
    if provider.kind not in ("ollama", "scripted"):
        return Checkup(window=WINDOWS.get(provider.base_url))
    root = provider.base_url.removesuffix("/v1")
    try:
        status, told = _ask(f"{root}/api/show", {"model": provider.model})
    except _Nobody:
        return Checkup((_not_running(provider),))
    except _Unclear:
        return Checkup()
    if status == 404 and "not found" in str(told.get("error", "")):
        return Checkup((_not_pulled(provider, root),))
    if status != 200:  # something that speaks Ollama's format for chatting, and not its own
        return Checkup()
    findings: tuple[Finding, ...] = ()
    able = told.get("capabilities")
    if isinstance(able, list) and "tools" not in able:
        findings = (_no_tools(provider),)
    window, is_sure = _window(root, provider.model, told)
    return Checkup(findings, window, is_sure)


def of_window(checkup: Checkup, tools: tuple[Tool, ...], provider: Provider) -> Finding | None:
    """A word about a window that tools and history don't fit into."""
    if checkup.window is None or (room := budget.for_window(checkup.window, tools)) >= LEAST_ROOM:
        return None
    told = f"'{provider.model}' reads {checkup.window:,} tokens at a time, and with {len(tools)} tools on offer "
    told += f"only {room:,} of them are left for the conversation: it will be cut, and the model will seem to forget."
    enough = 1 << max(13, (checkup.window - room + 4 * LEAST_ROOM).bit_length())
    command = f"OLLAMA_CONTEXT_LENGTH={enough} ollama serve" if provider.kind == "ollama" else ""
    return Finding("small_window", told, command)


def _window(root: str, model: str, shown: Mapping[str, Any]) -> tuple[int | None, bool]:
    info = shown.get("model_info")
    info = info if isinstance(info, dict) else {}
    trained = next((size for name, size in info.items() if name.endswith(".context_length") and _is_size(size)), None)
    if info.get("general.architecture") == "scripted":  # rules read all that they say they read
        return trained, True
    try:
        _, told = _ask(f"{root}/api/ps")
    except (_Nobody, _Unclear):
        told = {}
    loaded = told.get("models")
    for one in loaded if isinstance(loaded, list) else []:
        is_it = isinstance(one, dict) and _untagged(one.get("name")) == _untagged(model)
        if is_it and _is_size(size := one.get("context_length")):
            return size, True
    if found := re.search(r"^num_ctx\s+(\d+)", str(shown.get("parameters", "")), re.MULTILINE):
        return int(found[1]), False
    return min(trained or OLLAMAS_WINDOW, OLLAMAS_WINDOW), False


def _not_running(provider: Provider) -> Finding:
    told = f"Ollama is not running: nothing answers at {provider.base_url}."
    return Finding("not_running", told, "ollama serve", is_fatal=True)


def _not_pulled(provider: Provider, root: str) -> Finding:
    try:
        _, told = _ask(f"{root}/api/tags")
        models = told.get("models")
        names = [str(one.get("name")) for one in models if isinstance(one, dict)] if isinstance(models, list) else []
    except (_Nobody, _Unclear):
        names = []
    there = f" There are: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}." if names else ""
    if provider.kind == "scripted":
        command = f"{PYTHON} -m playground.scripted_model --list"
        return Finding("model_missing", f"The scripted model plays no '{provider.model}'.", command, is_fatal=True)
    told_so = f"The model '{provider.model}' is not pulled.{there}"
    return Finding("model_missing", told_so, f"ollama pull {provider.model}", is_fatal=True)


def _no_tools(provider: Provider) -> Finding:
    told = f"The model '{provider.model}' can't call tools, says {provider.label}: it can only talk."
    return Finding("no_tools", told, "ollama pull granite3.3" if provider.kind == "ollama" else "")


# ---- Before a question: servers --------------------------------------------------------------------------------------


def of_server(member: Member) -> Finding:
    """Why a server can't be used, and what to do."""
    way, error = member.entry.way, member.error
    name = f"The server '{member.name}' is left out"
    if way is None:
        return Finding("bad_entry", f"{name}: {member.problem}", "")
    if error is None:
        return Finding("slow_start", f"The server '{member.name}': {member.problem}")
    if isinstance(error, NotReachable):
        if way.kind == "stdio":
            return Finding("not_started", f"{name}: {error}")
        ours = is_loopback(way.url)
        return Finding("server_down", f"{name}: nothing answers at {way.url}.", f"{PYTHON} server.py" if ours else "")
    if isinstance(error, Unauthorized):
        return Finding("unauthorized", f"{name}: {error}")
    if isinstance(error, NotMCP):
        return _of_stranger(name, way.url, error)
    if "revision" in str(error):
        told = f"{name}: client and server have no revision of MCP in common. {error}"
        command = f"{PYTHON} client.py --url {way.url} --revision auto" if way.url else ""
        return Finding("wrong_era", told, command)
    return Finding("server_failed", f"{name}: {error}")


def _of_stranger(name: str, url: str, error: NotMCP) -> Finding:
    """Something answers that is no MCP server: perhaps one that has its MCP under another path."""
    parts = urlsplit(url)
    right = urlunsplit(parts._replace(path="/mcp", query="", fragment=""))
    if is_loopback(url) and right != url and _speaks_mcp(right):
        told = f"{name}: there is no MCP at {url} (HTTP {error.status}), but there is at {right}."
        return Finding("wrong_path", told, f"{PYTHON} client.py --url {right}")
    told = f"{name}: this is not an MCP server. {error}"
    if is_loopback(url) and parts.port == 5000 and sys.platform == "darwin":
        told += " On macOS, AirPlay has taken port 5000."
    return Finding("stranger", told, f"{PYTHON} server.py --port 5001" if is_loopback(url) else "")


def _speaks_mcp(url: str) -> bool:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    try:
        _, told = _ask(url, hello)
    except (_Nobody, _Unclear):
        return False
    return told.get("jsonrpc") == "2.0"


# ---- After a failure -------------------------------------------------------------------------------------------------

_COMMANDS = {
    ("ollama", "not_running"): "ollama serve",
    ("ollama", "model_missing"): "ollama pull {model}",
    ("ollama", "no_tools"): "ollama pull granite3.3",
    ("ollama", "too_long"): "OLLAMA_CONTEXT_LENGTH=16384 ollama serve",
    ("scripted", "model_missing"): PYTHON + " -m playground.scripted_model --list",
    ("*", "not_running"): PYTHON + " chat_with_tools.py --provider scripted",
    ("*", "no_key"): "echo '{key}=…' >> .env",
    ("*", "bad_key"): "echo '{key}=…' >> .env",
    ("*", "key_refused"): "echo '{key}=…' >> .env",
    ("*", "model_missing"): "/model NAME",
    ("*", "no_tools"): "/model NAME",
    ("*", "too_long"): "/clear",
    ("*", "proxy"): "NO_PROXY={host} " + PYTHON + " chat_with_tools.py",
    ("*", "wrong_address"): "/provider",
    ("*", "malformed"): "/provider",
}


def after(kind: str, provider: Provider) -> str:
    """The command that mends a failure to answer (see providers/failure.py); "" where only patience does."""
    found = _COMMANDS.get((provider.kind, kind)) or _COMMANDS.get(("*", kind), "")
    if "{key}" in found and provider.kind == "scripted":  # which has none to set
        return ""
    host = urlsplit(provider.base_url).hostname or ""
    return found.format(model=provider.model, key=f"{provider.kind.upper()}_API_KEY", host=host)


# ---- Asking ----------------------------------------------------------------------------------------------------------


class _Nobody(Exception):
    """No connection came about."""


class _Unclear(Exception):
    """No usable answer."""


def _ask(url: str, body: Any = None) -> tuple[int, dict[str, Any]]:
    """The status and the object that comes back; an empty one where none does."""
    import requests
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    with requests.Session() as session:
        session.trust_env = not is_loopback(url)
        method, headers = "GET" if body is None else "POST", {"Accept": "application/json, text/event-stream"}
        try:
            answer = session.request(method, url, json=body, headers=headers, timeout=PATIENCE, allow_redirects=False)
        except requests.ConnectionError as error:
            reason = getattr(error.args[0] if error.args else None, "reason", None)
            raise (_Nobody if isinstance(reason, (NewConnectionError, ConnectTimeoutError)) else _Unclear) from error
        except (requests.RequestException, ValueError) as error:
            raise _Unclear from error
    try:
        told = answer.json()
    except ValueError:
        told = {}
    return answer.status_code, told if isinstance(told, dict) else {}


def _untagged(name: Any) -> str:
    return str(name).removesuffix(":latest")


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
