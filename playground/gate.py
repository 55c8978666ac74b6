"""What is checked before a request's body is read: who asks, from where, and with what.

In: a request's method, path and headers. Out: None, or a ``Refusal`` with a status and one sentence.
Refuses to know: JSON-RPC beyond one error object, sessions, tools, and which web framework stands behind.

*Theory of operation.* A server on this machine is reachable by every page that this machine's browser shows.
Three doors have to be shut, and one header shuts each. *DNS rebinding*: a page at ``evil.example`` lets its
name point to 127.0.0.1 and is then "same origin" with us; but the browser still says ``Host: evil.example``,
so only our own names are let in. *Cross-site requests*: a page may send to us without reading the answer;
the browser then adds ``Origin``, so only origins on this machine are let in, and programs, which send none.
*Simple requests*: what an HTML form can send needs no permission, but a form can't send ``application/json``.
No answer ever carries a CORS header, so no page elsewhere reads one (MCP 2025-11-25, transports, security
warning; CVE-2025-49596 is what happens without).

``check`` is pure. ``serve`` calls it as soon as the headers are there, and says so in the environment of the request,
where no header can (PASSED is none of the names that WSGI makes of headers). ``Gate`` stands around any WSGI
application; where nobody has called ``check`` by the same rules, as behind a test client or another server, it does.
And it puts the security headers on every response.
"""

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from mcp_core.messages import INVALID_REQUEST

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["API_HEADERS", "DECIDING", "MAX_BODY", "PASSED", "Gate", "NotAHost", "Refusal", "Rules", "check"]

# Room for 1 MiB of any text a tool may write, as ASCII-escaped JSON and with an envelope.
MAX_BODY = 4 * 1024 * 1024

API_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

# A variable of WSGI's environment: the rules by which this request may go on.
PASSED = "playground.passed"

DECIDING = ("host", "origin", "sec-fetch-site", "sec-fetch-mode", "content-encoding", "content-type", "content-length")
# As WSGI calls them.
_VARIABLES = {
    name.upper().replace("-", "_")
    if name in ("content-type", "content-length")
    else f"HTTP_{name.upper().replace('-', '_')}": name
    for name in DECIDING
}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
# RFC 3986 section 3.2.2, generously: what is a host at all, ours or not.
_HOST = re.compile(r"(\[[0-9a-z:.%]+\]|[\w.~!$&'()*+,;=%-]+)(?::([0-9]*))?", re.I | re.A)
_NAMES = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::([0-9]{1,5}))?", re.I | re.A)
_ORIGIN = re.compile(r"https?://(.+)", re.I | re.A)
_JSON = re.compile(r'application/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)?', re.I | re.A)
_DIGITS = re.compile(r"[0-9]{1,18}")


class NotAHost(ValueError):
    """A sentence for the user: what was given as an allowed host is none."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes no further: an HTTP status, one sentence, headers that belong to the status."""

    status: int
    sentence: str
    headers: tuple[tuple[str, str], ...] = ()
    code: int = INVALID_REQUEST


@dataclass(frozen=True, slots=True)
class Rules:
    """What a server lets in.

    ``routes``: a path and the methods it takes; a path that ends in "/" stands for all below it.
    ``hosts``: names besides the loopback ones, lower case, "name" for any port or "name:port".
    ``rpc``: the paths whose refusals are JSON-RPC error objects.
    """

    port: int
    routes: Mapping[str, tuple[str, ...]]
    hosts: frozenset[str] = frozenset()
    max_body: int = MAX_BODY
    rpc: frozenset[str] = frozenset({"/mcp", "/rpc"})


def check(method: str, path: str, headers: Mapping[str, str], rules: Rules) -> Refusal | None:
    """Say why a request must not go on, or None. Header names are lower case; repeats are joined by commas.

    >>> check("GET", "/healthz", {"host": "evil.example:5000"}, Rules(5000, {"/healthz": ("GET",)})).status
    403
    """
    return (
        _check_host(headers.get("host"), rules)
        or _check_origin(headers, rules)
        or _check_route(method, path, rules)
        or (_check_content(headers) if method == "POST" else None)
        or _check_length(headers.get("content-length"), rules)
    )


def _check_host(host: str | None, rules: Rules) -> Refusal | None:
    # RFC 9112 section 3.2: absent, repeated (a comma) or malformed is 400.
    if host is None or not (parts := _HOST.fullmatch(host)):
        return Refusal(400, "The request needs exactly one Host header that names a host, such as localhost.")
    name, port = parts[1].lower(), parts[2] or "80"
    ours = name in _LOOPBACK and port == str(rules.port)
    if ours or name in rules.hosts or f"{name}:{port}" in rules.hosts:
        return None
    return Refusal(
        403,
        f"This server answers to localhost, 127.0.0.1 and [::1] on port {rules.port}, not to {_quoted(host)}."
        " The option --allow-host NAME allows another name.",
    )


def _check_origin(headers: Mapping[str, str], rules: Rules) -> Refusal | None:
    origin = headers.get("origin")
    if origin is None:
        # A page elsewhere may fetch a script or an image from us without an Origin; browsers say so here.
        # Following a link is fine: nothing changes by it, and the page it came from cannot read the answer.
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return Refusal(403, "A page of another site asked for this; only pages of this machine may.")
        return None
    inner = _ORIGIN.fullmatch(origin)
    parts = inner and _NAMES.fullmatch(inner[1])
    if parts and ((name := parts[1].lower()) in _LOOPBACK or name in {h.partition(":")[0] for h in rules.hosts}):
        return None
    return Refusal(403, f"Pages of the origin {_quoted(origin)} may not use this server.")


def _check_route(method: str, path: str, rules: Rules) -> Refusal | None:
    methods = rules.routes.get(path) or next(
        (taken for start, taken in rules.routes.items() if start[1:].endswith("/") and path.startswith(start)),
        None,
    )
    if methods is None:
        # OPTIONS asks for a grant that is never given, wherever it asks.
        if method == "OPTIONS":
            return Refusal(405, "No other site is granted anything here.", (("Allow", "GET, POST"),))
        return Refusal(404, f"There is nothing at {_quoted(path)}; there is {', '.join(rules.routes)}.")
    if method not in methods:
        allowed = ", ".join(methods)
        sentence = f"{_quoted(path)} takes {allowed}, not {_quoted(method)}."
        return Refusal(405, sentence, (("Allow", allowed),))
    return None


def _check_content(headers: Mapping[str, str]) -> Refusal | None:
    if not _JSON.fullmatch(headers.get("content-type", "")):
        return Refusal(415, "The body must be sent as Content-Type: application/json, in UTF-8.")
    if headers.get("content-encoding", "identity").lower() != "identity":
        return Refusal(415, "The body must be sent as it is, without Content-Encoding.")
    return None


def _check_length(length: str | None, rules: Rules) -> Refusal | None:
    if not length:
        return None
    # RFC 9112 section 6.3: anything but one number is an error that cannot be recovered from.
    if not length.isdigit() or not length.isascii():
        return Refusal(400, "The Content-Length must be one number of bytes.")
    if not _DIGITS.fullmatch(length) or int(length) > rules.max_body:
        return Refusal(413, f"The body is too large; the limit is {rules.max_body} bytes.")
    return None


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= 60 else text[:57] + "...")


class Gate:
    """A WSGI application that lets the one behind it see only requests that may go on.

    ``headers`` replaces or adds to ``API_HEADERS`` on every response that doesn't set them itself.
    ``on_refusal(refusal, environ)`` is told of each refusal, for the log.
    """

    def __init__(
        self,
        app: "WSGIApplication",
        *,
        port: int,
        routes: Mapping[str, Iterable[str]],
        allow_hosts: Iterable[str] = (),
        max_body: int = MAX_BODY,
        headers: Mapping[str, str] | None = None,
        on_refusal: Callable[[Refusal, "WSGIEnvironment"], None] | None = None,
    ) -> None:
        self._app = app
        taken = {path: tuple(methods) for path, methods in routes.items()}
        self.rules = Rules(port, taken, frozenset(_host_of(name) for name in allow_hosts), max_body)
        self._headers = [(name.lower(), (name, value)) for name, value in {**API_HEADERS, **(headers or {})}.items()]
        self.on_refusal = on_refusal or (lambda refusal, environ: None)

    def refuse(self, method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
        """Check a request whose body has not been read."""
        return check(method, path, headers, self.rules)

    def answer(self, refusal: Refusal, path: str | None) -> tuple[str, list[tuple[str, str]], bytes]:
        """Return status line, headers and body of a refusal; None for a path that could not be read."""
        value: dict[str, Any] = {"error": refusal.sentence}
        if path in self.rules.rpc or (path is None and not self.rules.rpc.isdisjoint(self.rules.routes)):
            error = {"code": refusal.code, "message": refusal.sentence}
            value = {"jsonrpc": "2.0", "id": None, "error": error}
        body = json.dumps(value).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *refusal.headers]
        return f"{refusal.status} {HTTPStatus(refusal.status).phrase}", self._secured(headers), body

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        refusal = None
        if environ.get(PASSED) is not self.rules:
            refusal = self.refuse(method, path, _headers_of(environ)) or self._count(environ)
        if refusal:
            self.on_refusal(refusal, environ)
            status, headers, body = self.answer(refusal, path)
            start_response(status, headers)
            return [] if method == "HEAD" else [body]

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
            return start_response(status, self._secured(headers), *exc_info)

        # An offer to speak another protocol may be ignored (RFC 9110 section 7.8); a framework that takes one up
        # would look for a websocket behind this path.
        environ.pop("HTTP_UPGRADE", None)
        return self._app(environ, start)

    def _count(self, environ: "WSGIEnvironment") -> Refusal | None:
        """Hold a body that came without its length (chunked) against the limit."""
        if environ.get("CONTENT_LENGTH") or not environ.get("wsgi.input_terminated"):
            return None
        body = environ["wsgi.input"].read(self.rules.max_body + 1)
        environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
        return _check_length(environ["CONTENT_LENGTH"], self.rules)

    def _secured(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        named = [(name.lower(), (name, value)) for name, value in headers]
        present = {name for name, _ in named}
        kept = [pair for name, pair in named if not name.startswith("access-control-")]
        return kept + [pair for name, pair in self._headers if name not in present]


def _host_of(name: str) -> str:
    name = f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name
    if not _NAMES.fullmatch(name):
        raise NotAHost(f"{_quoted(name)} is not a host name; give a name such as my-laptop, or name:port.")
    return name.lower()


def _headers_of(environ: "WSGIEnvironment") -> dict[str, str]:
    return {name: environ[key] for key, name in _VARIABLES.items() if key in environ}
