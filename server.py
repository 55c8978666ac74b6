"""Chapter 2: an MCP server, from the tools it offers down to the bytes.

    uv run python server.py              over HTTP, on http://127.0.0.1:5000/mcp
    uv run python server.py --stdio      the same server at the end of a pipe

Read it in this order. Section 1 is what every MCP server is about: functions that a model may call, with names,
descriptions and types. Nothing in it knows the protocol. Section 2 shows how a message reaches them over HTTP and
section 3 over a pipe; both do the same four things: read a text, let `mcp_core` turn it into a message, hand that to a
session, send what the session gives out. `mcp_core/words.py` is what happens in between, one function per method.

Left out on purpose: authorization (the specification's chapter on OAuth; this server answers to its own machine only),
HTTPS, the HTTP+SSE transport of 2024-11-05, and tasks. The checks before a body is read are in playground/gate.py, the
wall around the files in playground/server/sandbox.py, sessions and streams in playground/server/streams.py.
"""

import argparse
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from mcp_core import messages
from mcp_core.admission import is_stateless
from mcp_core.catalogue import Catalogue, NotFound, expand
from mcp_core.effects import Ask, Progress, Steps, ToolError
from mcp_core.messages import INTERNAL_ERROR, INVALID_REQUEST, Message, ProtocolError, Request
from mcp_core.sealing import Seal
from mcp_core.serving import Session
from playground import settings
from playground.logbook import Logbook
from playground.server.sandbox import Sandbox, SandboxError
from playground.server.watching import Watching
from playground.terminal import forgiving

if TYPE_CHECKING:
    import flask

# ---- 1. What we offer ------------------------------------------------------------------------------------------------
# A tool is a typed function. Its name, docstring and annotations are all that a model will ever know of it, so they say
# what it does and what comes back. The hints (read_only, destructive …) tell a host when to ask its user first.

FileName = Annotated[str, "The name of one file in the folder, such as 'notes.txt'; not a path."]
FILES = "playground://files/{name}"


class Files(TypedDict):
    files: list[str]


class Text(TypedDict):
    content: str


class Written(TypedDict):
    message: str


class Length(TypedDict):
    length: Annotated[int, "The file's new size in bytes."]


class Deleted(TypedDict):
    deleted: bool


class Count(TypedDict):
    count: int


class Hits(TypedDict):
    files: Annotated[list[dict[str, Any]], "The files that hold the keyword, each with its name and count."]
    total: int


class Summary(TypedDict):
    summary: str


def file_tools(sandbox: Sandbox) -> Catalogue:
    """Everything this server offers, over one folder of text files."""
    catalogue = Catalogue(
        "mcp-playground",
        "0.1.0",
        title="MCP Playground: text files",
        instructions="Text files in one flat folder. list_files shows their names; every other tool takes one of them.",
    )
    tool = catalogue.tool

    @tool(title="List files", read_only=True, open_world=False)
    def list_files() -> Files:
        """Lists the names of all files."""
        return {"files": sandbox.names()}

    @tool(title="Read a file", read_only=True, open_world=False)
    def read_file(filename: FileName) -> Text:
        """Returns the text of a file."""
        return {"content": sandbox.read(filename)}

    @tool(title="Write a file", destructive=True, idempotent=True, open_world=False)
    def write_file(filename: FileName, text: Annotated[str, "The whole new text."]) -> Written:
        """Makes a file, or replaces all of its text; the last writer wins. The file changes whole or not at all."""
        return {"message": f"Wrote {sandbox.write(filename, text)} bytes to {filename}"}

    @tool(title="Append a line", destructive=False, idempotent=False, open_world=False)
    def append_line(filename: FileName, line: Annotated[str, "One line, without its line end."]) -> Length:
        """Adds one line at the end of a file, which is made if it does not exist."""
        return {"length": sandbox.append_line(filename, line)}

    @tool(title="Delete a file", destructive=True, idempotent=True, open_world=False)
    def delete_file(filename: FileName) -> Steps[Deleted]:
        """Deletes a file. Where the user can be asked, asks first; `deleted` is false if the user said no."""
        sandbox.entry(filename)  # what isn't there needs no question
        sure = {"type": "boolean", "title": "Delete it", "description": "This can't be undone.", "default": False}
        form = {"type": "object", "properties": {"sure": sure}, "required": ["sure"]}
        answer = yield Ask.form("sure", f"Delete the file {filename}?", form)
        if answer is not None and not (answer["action"] == "accept" and answer["content"]["sure"]):
            return {"deleted": False}
        return {"deleted": sandbox.delete(filename)}

    @tool(title="Count a word in a file", read_only=True, open_world=False)
    def search_file(filename: FileName, keyword: str) -> Count:
        """Counts a keyword in a file: occurrences that don't overlap, case-sensitive, also across line ends."""
        return {"count": sandbox.count(filename, keyword)}

    @tool(title="Count a word in all files", read_only=True, open_world=False)
    def search_all(keyword: str) -> Steps[Hits]:
        """Counts a keyword in every file, as search_file does, and reports how far it is. Skips what is no text."""
        sandbox.check_keyword(keyword)
        names, hits, total = sandbox.names(), [], 0
        for done, name in enumerate(names, start=1):
            try:
                count = sandbox.count(name, keyword)
            except SandboxError:  # not text, too large, or gone since it was listed
                count = 0
            if count:
                hits.append({"name": name, "count": count})
                total += count
            yield Progress(done, len(names), name)
        return {"files": hits, "total": total}

    @tool(title="Summarize a file", read_only=True, open_world=True)
    def summarize_file(filename: FileName) -> Steps[Summary]:
        """Has the client's own model summarize a file in three sentences. Needs a client that offers sampling."""
        prompt = f"Summarize this text in at most three sentences:\n\n{sandbox.read(filename)}"
        answer = yield Ask.model("summary", prompt, max_tokens=300)
        if answer is None:
            raise ToolError(
                "This client offers no sampling, so no model can be asked; use read_file and read it yourself."
            )
        blocks = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
        return {"summary": "\n".join(block["text"] for block in blocks if block.get("type") == "text")}

    offer_resources(catalogue, sandbox)
    offer_prompts(catalogue, sandbox)
    return catalogue


def offer_resources(catalogue: Catalogue, sandbox: Sandbox) -> None:
    """Each file as a resource: what a host may show or attach without any model asking for it."""

    def listing() -> Iterator[dict[str, Any]]:
        import mimetypes  # reads the system's tables, which only who looks at a resource need wait for

        for entry in sandbox.entries():
            kind = mimetypes.guess_type(entry.name)[0] or "text/plain"
            uri = expand(FILES, name=entry.name)
            yield {"uri": uri, "name": entry.name, "mimeType": kind, "size": entry.bytes}

    def names(typed: str, _: dict[str, str]) -> list[str]:
        return [name for name in sandbox.names() if name.startswith(typed)]

    @catalogue.template(FILES, name="file", title="A file", listing=listing, complete={"name": names})
    def file(name: str) -> list[dict[str, Any]]:
        """One file of the folder: its text, or its bytes if they are no text."""
        import mimetypes

        from mcp_core.content import contents

        try:
            data = sandbox.read_bytes(name)
        except SandboxError as error:
            raise NotFound(str(error)) from None
        kind = mimetypes.guess_type(name)[0]
        try:
            return [contents(expand(FILES, name=name), data.decode("utf-8"), kind or "text/plain")]
        except UnicodeDecodeError:
            return [contents(expand(FILES, name=name), data, kind or "application/octet-stream")]


def offer_prompts(catalogue: Catalogue, sandbox: Sandbox) -> None:
    """Texts that a user picks from a menu; their arguments complete while the user types."""

    def names(typed: str, _: dict[str, str]) -> list[str]:
        return [name for name in sandbox.names() if name.startswith(typed)]

    def styles(typed: str, _: dict[str, str]) -> list[str]:
        return [style for style in ("brief", "friendly", "thorough") if style.startswith(typed)]

    @catalogue.prompt(title="Review a file", complete={"filename": names, "style": styles})
    def review_file(filename: FileName, style: Annotated[str, "brief, friendly or thorough"] = "brief") -> str:
        """Asks for a review of one file."""
        return f"Please write a {style} review of the file {filename}:\n\n{sandbox.read(filename)}"

    @catalogue.prompt(title="Report on open TODOs", complete={"keyword": lambda typed, _: ["TODO", "FIXME"]})
    def todo_report(keyword: Annotated[str, "What marks an open task."] = "TODO") -> str:
        """Asks for a report on all lines that are marked as open tasks."""
        return f"Use search_all to find the files that hold {keyword!r}, read them, and list what is still to be done."


# ---- 2. How HTTP reaches us ------------------------------------------------------------------------------------------
# Streamable HTTP (basic/transports): every message of the client is a POST of its own to one address. The answer is
# JSON, or a stream of server-sent events when the server has more to say than the answer.

ROUTES = {"/mcp": ("POST", "GET", "DELETE"), "/rpc": ("POST",), "/events": ("GET",), "/healthz": ("GET",)}


def create_app(catalogue: Catalogue, log: Logbook, *, page_size: int = 100) -> "flask.Flask":
    """The web application around a catalogue; serve it behind playground.gate."""
    import flask

    from playground.server.posts import Answer, HttpLive, Visit
    from playground.server.sessions import Sessions
    from playground.server.streams import HEARTBEAT

    class App(flask.Flask):
        """Without what Flask would look into with each request: whether a view is async, and addresses to build."""

        def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
            return func

        def create_url_adapter(self, request: flask.Request | None) -> Any:
            return self.url_map.bind("", path_info=request.path, default_method=request.method) if request else None

    app, sessions = App("server", static_folder=None), Sessions()
    seal = Seal(os.urandom(32), time.time)
    catalogue.watch(sessions.tell)

    def respond(answer: Answer, session_id: str | None = None) -> flask.Response:
        headers = {} if session_id is None else {"Mcp-Session-Id": session_id}
        if answer.events is not None:
            headers |= {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
            return flask.Response(answer.events, answer.status, headers, content_type="text/event-stream")
        if answer.text is None:  # a notification was accepted: no body, so no Content-Type either
            response = flask.Response("", answer.status, headers)
            del response.headers["Content-Type"]
            return response
        return flask.Response(answer.text, answer.status, headers, content_type="application/json")

    def nothing(status: int) -> flask.Response:
        response = respond(Answer(status))
        if status == 405:  # RFC 9110 section 15.5.6
            response.headers["Allow"] = "POST"
        return response

    def connection() -> str:
        return f"http-{flask.request.environ.get('REMOTE_PORT')}"

    def new_live(*, id: str | None = None) -> HttpLive:
        session = Session(catalogue, seal=seal, page_size=page_size, can_push=True)
        return HttpLive(session, log, connection=connection(), id=id)

    def without_session(message: Message, given: Visit, text: str, status: int) -> flask.Response:
        error = ProtocolError(INVALID_REQUEST, text, id=getattr(message, "id", None))
        delivery = new_live().refuse(given.raw, error, message=message, http=given.http, status=status)
        return respond(Answer(status, delivery.text if isinstance(message, Request) else None))

    @app.post("/mcp")
    def mcp() -> flask.Response:
        given = Visit.of(flask.request.environ)
        id = given.headers.get("mcp-session-id")
        live = sessions.find(id) if id is not None else None
        try:
            value = messages.parse(given.raw)
            if isinstance(value, list) and value and live is not None and live.session.takes_batches:
                return respond(live.post_batch(value, *given))
            message = messages.read(value)
        except ProtocolError as error:
            delivery = (live or new_live()).refuse(given.raw, error, http=given.http)
            return respond(Answer(delivery.status, delivery.text))

        if is_stateless(message, given.headers):  # 2026-07-28: the request says who sends it; nothing outlives it
            live = new_live()
            answer = live.post(message, *given)
            if answer.events is not None:
                answer = Answer(200, events=sessions.listening(live, answer.events))
            return respond(answer)
        if isinstance(message, Request) and message.method == "initialize":  # a session begins
            live = new_live(id=sessions.new_id())
            answer = live.post(message, *given)
            if live.has_begun:
                sessions.add(live)
            return respond(answer, live.id if live.has_begun else None)
        if id is None:
            text = "This message belongs to a session: send the Mcp-Session-Id that the answer to initialize gave you."
            return without_session(message, given, text, 400)
        if live is None:  # 404 is how a client learns that it must begin anew
            return without_session(message, given, "This session has ended; begin again with initialize.", 404)
        return respond(live.post(message, *given))

    @app.get("/mcp")
    def listen() -> flask.Response:
        """The stream for what no request asked for; and the way back to a stream that broke (Last-Event-ID)."""
        version = flask.request.headers.get("MCP-Protocol-Version", "")
        live = sessions.find(flask.request.headers.get("Mcp-Session-Id", ""))
        if is_stateless(Request(0, ""), {"mcp-protocol-version": version} if version else {}):
            return nothing(405)
        if live is None:
            return nothing(404 if "Mcp-Session-Id" in flask.request.headers else 405)
        events = live.resume(flask.request.headers.get("Last-Event-ID"), Visit.of(flask.request.environ).on_gone)
        return respond(Answer(200, events=events)) if events is not None else nothing(409)

    @app.delete("/mcp")
    def end() -> flask.Response:
        id = flask.request.headers.get("Mcp-Session-Id")
        return nothing(405 if id is None else 204 if sessions.end(id) else 404)

    @app.post("/rpc")
    def rpc() -> flask.Response:
        """Plain JSON-RPC without any session: one request, one JSON answer. MCP has no such transport."""
        given = Visit.of(flask.request.environ)
        live = HttpLive(Session(catalogue, page_size=page_size), log, connection=connection())
        try:
            message = messages.decode(given.raw)
        except ProtocolError as error:
            delivery = live.refuse(given.raw, error, http=given.http)
            return respond(Answer(delivery.status, delivery.text))
        return respond(live.post(message, given.raw, None, given.http))

    @app.get("/events")
    def events() -> flask.Response:
        """A heartbeat every few seconds: the smallest possible event stream, to be looked at with curl."""

        has_left, on_gone = threading.Event(), Visit.of(flask.request.environ).on_gone
        if on_gone is not None:
            on_gone(has_left.set)

        def beat() -> Generator[str, None, None]:
            for count in range(1, 1_000_000):
                log.write("sse_heartbeat", {"count": count}, peer="client", via="http")
                yield f"event: heartbeat\ndata: {count}\n\n"
                if has_left.wait(HEARTBEAT):
                    return

        return respond(Answer(200, events=beat()))

    @app.get("/healthz")
    def health() -> dict[str, Any]:
        return {"ok": True, "server": catalogue.info}

    @app.errorhandler(Exception)
    def fault(error: Exception) -> flask.Response:
        """A bug of ours: its story is for the log, one sentence for the client."""
        log.write("server_fault", {"traceback": "".join(traceback.format_exception(error))}, level="ERROR", via="http")
        failure = ProtocolError(INTERNAL_ERROR, "The server failed while it answered; its log says why.").as_failure()
        return respond(Answer(500, messages.encode(failure)))

    return app


# ---- 3. How a pipe reaches us ----------------------------------------------------------------------------------------
# The same messages, one a line, on stdin and stdout (basic/transports, stdio). The client starts us, and we end when it
# closes the pipe.


def serve_pipe(catalogue: Catalogue, log: Logbook, page_size: int) -> int:
    from playground.server import pipe

    source, target = pipe.own_stdio()
    session = Session(catalogue, seal=Seal(os.urandom(32), time.time), page_size=page_size, can_push=True)
    log.write("server_start", {"via": "stdio", **catalogue.info})
    pipe.serve(session, catalogue, log, source, target)
    return 0


def serve_http(catalogue: Catalogue, log: Logbook, where: settings.Settings, allowed: list[str], page_size: int) -> int:
    from playground import serve
    from playground.gate import Gate, NotAHost

    try:
        listener = serve.listen(where.mcp_host, where.mcp_port, option="--port")
        app = create_app(catalogue, log, page_size=page_size)
        gate = Gate(app, port=listener.port, routes=ROUTES, allow_hosts=allowed, on_refusal=refusal_logger(log))
    except (serve.CannotListen, NotAHost) as error:
        return complain(str(error))
    if listener.warning:
        print(listener.warning, file=sys.stderr)
    log.write("server_start", {"via": "http", "url": listener.url, **catalogue.info})
    print(f"MCP server on {listener.url}/mcp (and plain JSON-RPC on /rpc); Ctrl-C ends it.", flush=True)
    return serve.Server(gate, listener).run()


def refusal_logger(log: Logbook) -> Callable[[Any, Any], None]:
    """What the gate turned away is worth a line too: it is the attack that didn't happen, or the typo that did."""

    def note(refusal: Any, environ: Any) -> None:
        method, path = environ.get("REQUEST_METHOD"), environ.get("PATH_INFO")
        about = {"http": {"method": method, "path": path, "status": refusal.status}, "reason": refusal.sentence}
        log.write("http_refused", about, level="WARNING", peer="client", via="http")

    return note


# ---- 4. Starting -----------------------------------------------------------------------------------------------------


def complain(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="An MCP server with text-file tools, over HTTP or a pipe.")
    parser.add_argument("--host", help="address to listen on (MCP_HOST; default 127.0.0.1)")
    parser.add_argument("--port", help="port to listen on, 0 for any free one (MCP_PORT; default 5000)")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a further name in Host and Origin"
    )
    parser.add_argument("--files", help="the folder of the tools (MCP_FILES; default mcp_files)")
    parser.add_argument("--logs", help="the folder of the logs (MCP_LOGS; default logs)")
    parser.add_argument(
        "--page-size", type=int, default=100, metavar="N", help="entries of a list on one page (default 100)"
    )
    parser.add_argument("--stdio", action="store_true", help="speak over stdin and stdout instead of HTTP")
    return parser


def main(argv: list[str] | None = None) -> int:
    args = arguments().parse_args(argv)
    given = {"MCP_HOST": args.host, "MCP_PORT": args.port, "MCP_FILES": args.files, "MCP_LOGS": args.logs}
    try:
        where = settings.load(given)
        sandbox = Sandbox(where.mcp_files)
    except (settings.SettingsError, SandboxError) as error:
        return complain(str(error))
    if args.page_size < 1:
        return complain(f"--page-size must be at least 1, not {args.page_size}.")
    log = Logbook(where.mcp_logs, "mcp-server", secrets=where.secrets())
    catalogue = file_tools(sandbox)
    Watching(sandbox, FILES, catalogue.announce).start()
    if args.stdio:
        return serve_pipe(catalogue, log, args.page_size)
    print(f"Files in {sandbox.path}, log in {log.path}", file=forgiving(sys.stdout), flush=True)
    return serve_http(catalogue, log, where, args.allow_host, args.page_size)


if __name__ == "__main__":
    sys.exit(main())
