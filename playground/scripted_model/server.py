"""The scripted model as a real HTTP server on a loopback port.

Goes in: HTTP requests of a provider's clients. Comes out: that provider's responses. Refuses to know: how
answers are found (`Model.answer`) and how a provider's JSON looks (a dialect).

Everything above it is the real path: sockets, statuses, event streams, broken connections. It serves
127.0.0.1 only, answers no page of another origin, and keeps a record of each request (without keys) for
whoever started it.
"""

import contextlib
import http.server
import json
import socket
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from playground.scripted_model.dialects import Stamp
from playground.scripted_model.dialects.openai_like import frame
from playground.scripted_model.service import Recorded, Service
from playground.scripted_model.strict import Refused, parsed
from playground.scripted_model.talk import Answer, Prompt

MOST_BYTES: Final = 32 * 1024 * 1024


_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


_FAULT_ERRORS: Final = {
    "rate-limit": Refused("Rate limit reached for requests. Please try again in 20s.", kind="rate"),
    "refused-key": Refused("Incorrect API key provided.", kind="auth"),
    "overloaded": Refused("The server is overloaded or not ready yet.", kind="overloaded"),
    "server-error": Refused("The server had an error while processing your request.", kind="server"),
    "context-exceeded": Refused(
        "The prompt is too long for the context window of this model.", kind="context", param="messages"
    ),
    "error-with-200": Refused("The server had an error while processing your request.", kind="server"),
    "error-in-stream": Refused("The server had an error while processing your request.", kind="server"),
}


class Server(http.server.ThreadingHTTPServer):
    """Listens on 127.0.0.1. A broken connection is part of the play, so it leaves no traceback."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, service: Service) -> None:
        self.service = service
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class _Broken(Exception):
    """The connection is to be cut now."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scripted-model"
    sys_version = ""
    timeout = 120
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve("GET")

    def do_HEAD(self) -> None:
        self._serve("HEAD")

    def do_POST(self) -> None:
        self._serve("POST")

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = lambda self: self._serve(self.command)

    @property
    def service(self) -> Service:
        return self.server.service

    def _serve(self, method: str) -> None:
        self._body: Any = None
        self._path = urlsplit(self.path).path
        try:
            self._answer(method)
        except Refused as refused:
            status, body = self.service.dialect.error(refused)
            self._note(status, refused.message)
            self._send(status, body)
        except (_Broken, ConnectionError, TimeoutError):
            self._cut()

    def _cut(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):  # the other end may have been faster
            self.connection.shutdown(socket.SHUT_RDWR)

    def _note(self, status: int, refusal: str = "") -> None:
        secret = ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization")
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in secret}
        self.service.record(Recorded(self.command, self._path, headers, self._body, status, refusal))

    # ---- Routes ---------------------------------------------------------------------------------------------

    def _answer(self, method: str) -> None:
        dialect = self.service.dialect
        self._gate()
        if method in ("GET", "HEAD"):
            found = dialect.get(self._path, self.service.listing)
            if found is None and self._path == dialect.chat:
                raise Refused(f"Not allowed to {method} on {self._path}.", kind="method")
        elif method == "POST":
            raw = self._read()
            if self._path != dialect.chat and not self._path.startswith(("/api/", f"{dialect.chat}/")):
                return self._not_found(method)
            self._authorize_and_parse(raw)
            if self._path == dialect.chat:
                return self._chat(dialect.read(self._body, self.service.listing))
            found = dialect.post(self._path, self._body, self.service.listing)
        else:
            raise Refused(f"Not allowed to {method} on {self._path}.", kind="method")
        if found is None:
            return self._not_found(method)
        self._note(200)
        return self._send(200, found)

    def _gate(self) -> None:
        """Loopback names only, and no pages of other origins."""
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        origin = self.headers.get("Origin")
        if host not in _LOOPBACK or (origin is not None and urlsplit(origin).hostname not in _LOOPBACK):
            self.close_connection = True
            raise Refused("This model answers only programs on its own machine.", kind="forbidden")

    def _authorize_and_parse(self, raw: bytes) -> None:
        dialect = self.service.dialect
        dialect.authorize({name.lower(): value for name, value in self.headers.items()}, self.service.key)
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(
                (f"Unsupported content type: '{kind}'. This API method only accepts 'application/json' requests."),
                kind="media",
            )
        self._body = parsed(raw)

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise Refused("A request needs a Content-Length; chunked bodies are not taken.", kind="length")
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit():
            self.close_connection = True
            raise Refused("The Content-Length is no number.")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            raise Refused(f"Request exceeds the maximum size of {MOST_BYTES} bytes.", kind="too_large")
        return self.rfile.read(int(length))

    def _not_found(self, method: str) -> None:
        self._note(404, "no such path")
        if self.service.dialect.name.startswith("ollama"):
            return self._send(404, "404 page not found")
        refused = Refused(f"Invalid URL ({method} {self._path})", kind="not_found")
        return self._send(404, self.service.dialect.error(refused)[1])

    # ---- Answers --------------------------------------------------------------------------------------------

    def _chat(self, prompt: Prompt) -> None:
        service = self.service
        answer = service.answer(prompt).limited(prompt.max_tokens)
        stamp = Stamp(int(service.clock()), prompt)
        if answer.fault == "no-tool-support" and prompt.tools:
            raise Refused(f"registry.ollama.ai/library/{prompt.model} does not support tools", kind="invalid")
        if answer.fault in ("rate-limit", "refused-key", "overloaded", "server-error", "context-exceeded"):
            raise _FAULT_ERRORS[answer.fault]
        if answer.fault == "error-in-stream" and not prompt.is_streamed:
            raise _FAULT_ERRORS[answer.fault]
        self._note(200)
        if answer.fault == "stall":
            service.stopping.wait()
            raise _Broken
        if answer.raw is not None:
            return self._send(200, answer.raw, "text/event-stream" if prompt.is_streamed else "application/json")
        if answer.fault == "html":
            return self._send(200, "<!doctype html><title>Something else</title><p>Not a model.", "text/html")
        if answer.fault == "error-with-200":
            return self._send(200, service.dialect.error(_FAULT_ERRORS[answer.fault])[1])
        if prompt.is_streamed:
            return self._stream(answer, stamp)
        self._pause(answer, many=4)
        body = service.dialect.whole(answer, stamp)
        if answer.fault == "empty-choices":
            body["content" if service.dialect.name == "anthropic" else "choices"] = []
        elif answer.fault == "missing-choices":
            body = {}
        return self._send(200, body, is_cut=answer.fault == "cut-stream")

    def _stream(self, answer: Answer, stamp: Stamp) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if stamp.prompt.is_streamed else "application/json")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self._ids()
        self.end_headers()
        for one in self._frames(answer, stamp):
            self._pause(answer)
            data = one.encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]:
        dialect = self.service.dialect
        frames = list(dialect.frames(answer, stamp))
        if answer.fault == "empty-choices" and dialect.name != "anthropic":
            frames = [
                frame(
                    {
                        "id": "chatcmpl-0",
                        "object": "chat.completion.chunk",
                        "created": 0,
                        "model": stamp.prompt.model,
                        "choices": [],
                    }
                ),
                frames[-1],
            ]
        elif answer.fault in ("empty-choices", "missing-choices"):
            frames = [frames[0], *frames[-2:]] if dialect.name == "anthropic" else [frame({}), frames[-1]]
        half = max(1, len(frames) // 2)
        if answer.fault == "error-in-stream":
            yield from [*frames[:half], dialect.broken_frame(_FAULT_ERRORS[answer.fault], stamp)]
            return
        if answer.fault == "cut-stream":
            yield from frames[:half]
            raise _Broken
        yield from frames

    def _pause(self, answer: Answer, many: int = 1) -> None:
        seconds = (answer.pause or self.service.pace) * many
        if seconds and self.service.stopping.wait(seconds):
            raise _Broken

    def _send(self, status: int, body: Any, kind: str = "", *, is_cut: bool = False) -> None:
        data = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))).encode()
        self.send_response(status, HTTPStatus(status).phrase if status != 529 else "Overloaded")
        default = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
        self.send_header("Content-Type", kind or default)
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", "20")
        self._ids()
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if is_cut else data)
        if is_cut:
            self.wfile.flush()
            raise _Broken

    def _ids(self) -> None:
        names = {"openai": "x-request-id", "anthropic": "request-id"}
        if self.service.dialect.name in names:
            self.send_header(names[self.service.dialect.name], "req_scripted")
