"""Chapter 4: the log viewer. What was written down, as a story in the browser.

    uv run python log_viewer.py            then open http://127.0.0.1:5050/dashboard

The other chapters write what they do into logs/*.jsonl, a JSON object a line. This one never takes part in
the traffic: it follows those files and tells the browser, so last week's log replays like a live one, and a
viewer that crashes disturbs nobody.

The browser asks once for a page, once for the explanations, and then holds one event stream (Server-Sent
Events) for as long as the tab is open: first the history, then each record as it is written. Each event
names the place in the files behind it; a browser that reconnects says where it was, and misses nothing,
even across a restart of this script.

About one record it can ask more: why it was sent just then (/explain, by the rules of playground/telling) and
which code did it (/source). And there is one way out: the console's page hands an order to /relay, and it is
sent to the one server that --server names, which must be on this machine.

The machinery is in playground/viewer: tail.py (what was seen of a file becomes lines), hub.py (each file is
read once, for all browsers), history.py, filters.py, stream.py (what one browser gets), moments.py (the
conversation around a record), source.py, relay.py (the way out), book.py (the README).

Left out on purpose: any way to change or delete a log, users and passwords (it serves this machine only),
and metrics.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
import webbrowser
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_core.messages import ProtocolError, parse
from playground import serve
from playground.gate import Gate, NotAHost
from playground.logbook import Logbook
from playground.settings import PROJECT_ROOT, Settings, SettingsError, load
from playground.telling.tell import tell
from playground.terminal import forgiving
from playground.viewer import book, diagrams, filters, moments, places, relay
from playground.viewer.folder import Folder, is_log
from playground.viewer.history import last
from playground.viewer.hub import Hub
from playground.viewer.places import Bookmark
from playground.viewer.source import NoSource, source
from playground.viewer.stream import Test, stream

if TYPE_CHECKING:  # elsewhere it is imported where it is used: it takes longer than all the rest of the start
    from flask import Flask, Response

HISTORY, HISTORY_LIMIT = 500, 10_000  # records
SERVER = "http://127.0.0.1:5000/mcp"

READ = ("GET", "HEAD")
PAGES = ("/", "/dashboard", "/console", "/web/", "/docs/", "/diagrams/", "/readme", "/readme.css", "/raw/README.md")
BOOKS = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/GALLERY.md")  # what the README leads to
DATA = ("/files", "/stream", "/history", "/filter", "/explanations", "/source", "/presets")
ROUTES = {
    **dict.fromkeys((*PAGES, *DATA, *(f"/{name}" for name in BOOKS)), READ),
    "/explain": (*READ, "POST"),
    "/relay": ("POST",),
}

# No script but ours, no frame around us, nothing from another machine.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'; object-src 'none'",
}

# By our own table: what the system thinks of .js differs from machine to machine, and browsers insist.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
PICTURES = (".png", ".svg", ".webp")


# ---- 1. The stream: history first, then live ---------------------------------------------------------------


class BadQuestion(Exception):
    """A query we can't answer: a sentence for whoever asked, and where in the filter it went wrong."""

    def __init__(self, sentence: str, at: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.at = sentence, at


def wanted_files() -> set[str] | None:
    """The names in ?files=, or None for all, also those made later."""
    from flask import request

    given = request.args.get("files", "")
    names = {name for name in given.split(",") if name}
    return {log_named(name) for name in names} or None


def wanted_records() -> Test | None:
    """The test that ?filter= asks for, or None if all records pass."""
    from flask import request

    text = request.args.get("filter", "")
    try:
        return filters.compile(filters.parse(text)) if text.strip() else None
    except filters.FilterError as error:
        raise BadQuestion(error.sentence, error.at) from None


def wanted_number(name: str, default: int) -> int:
    from flask import request

    text = request.args.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) or int(text) > HISTORY_LIMIT:
        raise BadQuestion(f"{name} is a number of records, at most {HISTORY_LIMIT}.")
    return int(text)


def add_stream_routes(app: Flask, hub: Hub, *, history: int, heartbeat: float) -> None:
    from flask import Response, request

    @app.get("/stream")
    def stream_of_records() -> Response:
        # Whoever reads such a stream again sends the header (HTML, Server-sent events); `after` is for your own hand.
        token = request.headers.get("Last-Event-ID") or request.args.get("after", "")
        body = stream(
            hub,
            names=wanted_files(),
            test=wanted_records(),
            history=wanted_number("history", history),
            token=token,
            heartbeat=heartbeat,
            on_gone=request.environ.get("playground.on_gone", lambda leave: None),
        )
        headers = {
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
        }  # nobody in between may hold it back
        return Response(body, content_type="text/event-stream; charset=utf-8", headers=headers)

    @app.get("/history")
    def newest_records() -> Response:
        names, test = wanted_files(), wanted_records()
        _, here, seen = hub.join()
        before = places.read(request.args.get("before", ""))
        if before is None:
            raise BadQuestion("before is the id of an event of the stream.")
        here = {name: spot for name, spot in here.items() if names is None or name in names}
        entries, begin = last(hub.folder, before.within(here), wanted_number("limit", history), test)
        events = b",".join(entry.envelope for entry in entries)
        return Response(
            b'{"events":[%b],"before":%b}' % (events, json.dumps(Bookmark(begin, seen, here).token).encode()),
            content_type="application/json",
        )


# ---- 2. Single questions -----------------------------------------------------------------------------------


def add_question_routes(app: Flask, hub: Hub) -> None:
    from flask import request

    @app.get("/files")
    def files() -> Mapping[str, Any]:
        return {
            "files": [
                {
                    "name": file.name,
                    "bytes": file.size,
                    "modified": datetime.fromtimestamp(file.modified / 1e9, UTC).isoformat(),
                }
                for file in hub.folder.logs()
            ]
        }

    @app.get("/filter")
    def tree_of_filter() -> Mapping[str, Any]:
        try:
            return {"tree": filters.parse(request.args.get("q", ""))}
        except filters.FilterError as error:
            raise BadQuestion(error.sentence, error.at) from None

    @app.get("/explanations")
    def explanations() -> Mapping[str, Any]:
        path = PROJECT_ROOT / "playground" / "explanations.toml"
        return tomllib.loads(path.read_text(encoding="utf-8"))


# ---- 3. More about one record, and the way out -------------------------------------------------------------


def add_record_routes(app: Flask, hub: Hub, root: Path) -> None:
    from flask import request

    @app.get("/explain")
    def why_now() -> Mapping[str, Any]:
        at = request.args.get("at", "")
        if not re.fullmatch(r"[0-9]{1,15}", at, re.ASCII):
            raise BadQuestion("at is where the record begins in its file, in bytes.")
        scene = moments.scene(hub.folder, log_named(request.args.get("file", "")), int(at))
        return asdict(tell(scene.records, is_whole=scene.is_whole))

    @app.post("/explain")
    def why_now_in_these() -> Mapping[str, Any]:
        """The same for records that stand in no log here: those of a file that was dropped on the page."""
        records = body_of_request().get("records")
        if not isinstance(records, list) or not records or not all(isinstance(one, dict) for one in records):
            raise BadQuestion("records is a list of records, oldest first; the last is explained.")
        scene = moments.gathered(records[::-1], is_whole=len(records) <= moments.MOST)
        return asdict(tell(scene.records, is_whole=scene.is_whole))

    @app.get("/source")
    def code_behind() -> Mapping[str, Any]:
        return asdict(source(request.args.get("src", ""), root))

    @app.errorhandler(moments.NotFound)
    @app.errorhandler(NoSource)
    def not_there(error: Exception) -> tuple[dict[str, str], int]:
        return {"error": str(error)}, 404


def add_console_routes(app: Flask, way: relay.Relay) -> None:
    from flask import Response

    @app.get("/presets")
    def presets() -> Mapping[str, Any]:
        path = PROJECT_ROOT / "playground" / "viewer" / "presets.toml"
        return {"server": way.server, "path": way.path, **tomllib.loads(path.read_text(encoding="utf-8"))}

    @app.post("/relay")
    def to_the_server() -> Response:
        """Each line of the answer is one thing that happened, and comes when it happens."""
        try:
            order = relay.order(body_of_request())
        except relay.BadOrder as error:
            raise BadQuestion(str(error)) from None

        def lines() -> Iterator[str]:
            for told in way.send(order):
                yield json.dumps(told) + "\n"

        return Response(lines(), content_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


def log_named(name: str) -> str:
    if not is_log(name):
        raise BadQuestion(f"{name[:60]!a} is not the name of a log; /files lists them.")
    return name


def body_of_request() -> dict[str, Any]:
    from flask import request

    try:
        value = parse(request.get_data())
    except ProtocolError as error:
        raise BadQuestion(str(error)) from None
    if not isinstance(value, dict):
        raise BadQuestion("The body is a JSON object.")
    return value


# ---- 4. The pages ------------------------------------------------------------------------------------------


def add_page_routes(app: Flask, root: Path) -> None:
    web = root / "web"

    @app.get("/")
    def basic_view() -> Response:
        return file_of(web, "index.html")

    @app.get("/dashboard")
    def dashboard() -> Response:
        return file_of(web, "dashboard.html")

    @app.get("/console")
    def console() -> Response:
        return file_of(web, "console.html")

    @app.get("/web/<path:name>")
    def part_of_page(name: str) -> Response:
        return file_of(web, name)

    @app.get("/docs/<path:name>")
    def picture_of_readme(name: str) -> Response:
        return file_of(root / "docs", name, PICTURES)


def add_readme_routes(app: Flask, root: Path) -> None:
    from flask import Response

    @app.get("/diagrams/<name>.svg")
    def diagram_of_readme(name: str) -> Response:
        text = (root / "README.md").read_text(encoding="utf-8", errors="replace")
        svg = book.diagram(text, name)
        if svg is None:
            raise FileNotFoundError(None, None, f"{name[:60]}.svg")
        return Response(svg, content_type=TYPES[".svg"], headers={"Content-Security-Policy": diagrams.POLICY})

    @app.get("/readme.css")
    def style_of_readme() -> Response:
        return Response(book.stylesheet(), content_type=TYPES[".css"])

    @app.get("/raw/README.md")
    def raw_readme() -> Response:
        return Response((root / "README.md").read_bytes(), content_type="text/markdown; charset=utf-8")

    def book_of(name: str = "README.md") -> Response:
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        try:
            return Response(book.page(text), content_type=TYPES[".html"])
        except Exception:  # whatever fails there, the text itself can be read
            return Response(text, content_type="text/plain; charset=utf-8")

    app.add_url_rule("/readme", "readme", book_of)
    for name in BOOKS:
        app.add_url_rule(f"/{name}", name.replace(".", "_"), book_of, defaults={"name": name})


def file_of(folder: Path, name: str, kinds: tuple[str, ...] = tuple(TYPES)) -> Response:
    """A file below a folder (werkzeug's safe_join keeps it there), revalidated at each use."""
    from flask import send_from_directory

    kind = Path(name).suffix.lower()
    response = send_from_directory(folder, name if kind in kinds else "", max_age=0)
    response.content_type = TYPES[kind]
    return response


# ---- 5. The application and its start ----------------------------------------------------------------------


def create_app(
    hub: Hub, way: relay.Relay, *, root: Path = PROJECT_ROOT, history: int = HISTORY, heartbeat: float = 15.0
) -> Flask:
    """The routes around a hub that follows already, and the way out. Behind a gate, which sets the security headers."""
    from flask import Flask
    from werkzeug.exceptions import HTTPException

    app = Flask("log_viewer", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.merge_slashes = False  # the answer to a second slash would be a redirection, in HTML
    add_stream_routes(app, hub, history=history, heartbeat=heartbeat)
    add_question_routes(app, hub)
    add_record_routes(app, hub, root)
    add_console_routes(app, way)
    add_page_routes(app, root)
    add_readme_routes(app, root)

    @app.errorhandler(BadQuestion)
    def bad_question(error: BadQuestion) -> tuple[dict[str, Any], int]:
        return {"error": error.sentence, **({} if error.at is None else {"at": error.at})}, 400

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[dict[str, str], int]:
        return {"error": f"{error.name}: {error.description}"}, error.code or 500

    @app.errorhandler(FileNotFoundError)
    def absent(error: FileNotFoundError) -> tuple[dict[str, str], int]:
        return {"error": f"{Path(error.filename or '').name or 'The file'} is not there."}, 404

    return app


def main(argv: list[str] | None = None) -> int:
    """Serves until Ctrl-C. Returns the exit code."""
    options = parsed(argv)
    try:
        settings = load({"VIEWER_HOST": options.host, "VIEWER_PORT": options.port, "MCP_LOGS": options.logs})
        listener = serve.listen(settings.viewer_host, settings.viewer_port)
        with listener.socket:
            return run(listener, settings, options)
    except (SettingsError, serve.CannotListen, NotAHost, relay.BadOrder) as error:
        print(f"log_viewer.py: {error}", file=sys.stderr)
        return 1


def run(listener: serve.Listener, settings: Settings, options: argparse.Namespace) -> int:
    print(f"Logs in {settings.mcp_logs}", file=forgiving(sys.stdout), flush=True)
    hub = Hub(Folder(settings.mcp_logs))
    logs, secrets = settings.mcp_logs, settings.secrets()
    way = relay.Relay(options.server, lambda: Logbook(logs, "mcp-viewer", secrets=secrets))
    app = create_app(hub, way, history=options.history, heartbeat=options.heartbeat)
    gate = Gate(app, port=listener.port, routes=ROUTES, allow_hosts=options.allow_host, headers=HEADERS)
    hub.start()
    try:
        server = serve.Server(gate, listener)
        if listener.warning:
            print(listener.warning, file=sys.stderr)
        print(f"Dashboard: {listener.url}/dashboard  (Ctrl-C ends it)", flush=True)
        if options.open:
            webbrowser.open(f"{listener.url}/dashboard")
        return server.run()
    finally:
        hub.close()


def parsed(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="log_viewer.py", description="Shows the logs in a browser.", allow_abbrev=False
    )
    parser.add_argument("--host", help="where to listen (127.0.0.1); anything wider is reachable by others")
    parser.add_argument("--port", help="which port (5050; 0 is any free one)")
    parser.add_argument("--logs", help="the folder of the logs (logs)")
    parser.add_argument("--history", type=records, default=HISTORY, metavar="N", help=f"records at first ({HISTORY})")
    parser.add_argument(
        "--heartbeat", type=seconds, default=15.0, metavar="S", help="seconds between signs of life (15)"
    )
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a further name to answer to")
    parser.add_argument("--server", default=SERVER, metavar="URL", help=f"where the console sends to ({SERVER})")
    parser.add_argument("--open", action="store_true", help="open the dashboard in the browser")
    return parser.parse_args(argv)


def records(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6 or int(text) > HISTORY_LIMIT:
        raise argparse.ArgumentTypeError(f"a number of records from 0 to {HISTORY_LIMIT} is needed, not {text[:20]!a}")
    return int(text)


def seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text, re.ASCII) or float(text) < 0.05:
        raise argparse.ArgumentTypeError(f"a number of seconds from 0.05 to 9999 is needed, not {text[:20]!a}")
    return float(text)


if __name__ == "__main__":
    sys.exit(main())
