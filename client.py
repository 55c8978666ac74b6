"""Chapter 1. The words of MCP, said by hand: no SDK, no model, every message visible.

In:   an MCP server, by URL (HTTP) or by the command that starts it (stdio), and the scenes you want to see.
Out:  each message as it travels, on the terminal and in logs/mcp-client-simple.jsonl, with what to notice.
The JSON is written out as literals on purpose: what you read in section 1 is what goes over the wire.

    python server.py                                     # in another terminal
    python client.py                                     # begins with the handshake, as most of the world does
    python client.py --revision 2026-07-28 --explain     # without a handshake, and every word explained
    python client.py --stdio "python server.py --stdio"  # the same messages through a pipe
    python client.py --raw '{"jsonrpc":"2.0","id":1'     # anything at all, also what is wrong

Comments cite the specification by page and heading: modelcontextprotocol.io/specification/2025-11-25, or
2026-07-28 where they say so. What carries the bytes is playground/carriers.py, what pairs answers with questions
playground/dialog.py, what prints and logs playground/narrator.py.

Left out on purpose: a model (chapter 3 has one), the standalone GET stream, resuming a broken stream, the server's
questions to the user, Mcp-Param-* headers, batches, authorization.
"""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from mcp_core.headers import NAMED_BY, encode_value
from mcp_core.messages import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from mcp_core.revisions import HANDSHAKE, LATEST, LATEST_HANDSHAKE, REVISIONS, STATELESS, VERSION_KEY
from playground.carriers import Late, Pipe, Post, Trouble, Unanswered
from playground.dialog import Dialog, SessionGone
from playground.logbook import Logbook, source_of
from playground.narrator import Narrator
from playground.settings import SettingsError, load
from playground.terminal import Terminal, one_line

Json = dict[str, Any]

# ---- 1. What we say: one scene per feature -------------------------------------------------------------------

WE = {"name": "mcp-client-simple", "version": "0.1.0"}

# The messages below are laid out as one would write JSON.
# fmt: off


def handshake(to: "Client") -> None:
    """initialize: agree on a revision, and learn what the other side can do"""
    answer = to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "initialize", "params": {
        "protocolVersion": to.revision,  # a wish; the server may name another (lifecycle, Version Negotiation)
        "capabilities": {},  # what we could do for the server: nothing yet
        "clientInfo": WE,
        "_meta": to.meta(),
    }})
    to.agree(answer)
    to.notice(f"The session now speaks {to.revision}. `capabilities` names the families of methods this server has; "
              "no others may be used. Over HTTP, Mcp-Session-Id may name the session: we repeat it from now on.")
    # Only after this may work begin (lifecycle, Initialization).
    to.tell({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"_meta": to.meta()}})
    to.notice("A notification has no id, so nobody answers it. HTTP acknowledges it with 202 and an empty body.")


def discover(to: "Client", limit: float | None = None) -> Json:
    """server/discover: the same knowledge without a session (2026-07-28, Discovery)"""
    answer = to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "server/discover", "params": {
        "_meta": to.meta(),
    }}, limit=limit, expect=("result", "error"))
    if "result" in answer:
        to.notice("No handshake, no session: each request says in `_meta` who asks and in which revision, and over "
                  "HTTP MCP-Protocol-Version and Mcp-Method repeat it. The server need not remember us.")
    return answer


def discovery(to: "Client") -> None:
    """tools/list: what a model will know about each tool, page by page"""
    names: list[str] = []
    page: Json = {}
    for _ in range(100):  # a server may be wrong about where its list ends
        result = to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/list", "params": {
            **page, "_meta": to.meta(),
        }}).get("result", {})
        tools = result.get("tools")
        names += [str(tool.get("name")) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        # Even "" is a cursor; only its absence ends the list (pagination, Implementation Guidelines).
        if (cursor := result.get("nextCursor")) is None:
            break
        page = {"cursor": cursor}
    to.notice(f"{len(names)} tools: {one_line(', '.join(names), 300)}. Name, description and inputSchema are all that "
              "a model ever learns about a tool: its manual. A nextCursor would mean that the list goes on.")


def write_and_search(to: "Client") -> None:
    """tools/call, twice: write a file, then count a word in it"""
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "write_file",
        "arguments": {"filename": "demo.txt", "text": "hello MCP\nTODO: read the log\nbye\n"},
        "_meta": to.meta(),
    }})
    to.notice("One result, said twice: `content` is text for a model, `structuredContent` is JSON for a program.")
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "search_file",
        "arguments": {"filename": "demo.txt", "keyword": "TODO"},
        "_meta": to.meta(),
    }})
    to.notice("The answer carries the id of its question: that, and not the order, is what pairs the two.")


def tool_error(to: "Client") -> None:
    """a call that fails inside the tool: isError, which the model can read"""
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "read_file",
        "arguments": {"filename": "no-such-file.txt"},
        "_meta": to.meta(),
    }}, expect=("isError",))
    to.notice("A `result`, although it failed: for the protocol all went well. The sentence in `content` is meant for "
              "the model, which can try something else (server/tools, Error Handling).")


def protocol_error(to: "Client") -> None:
    """requests that are wrong themselves: an unknown method, an unknown tool"""
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/dance", "params": {
        "_meta": to.meta(),
    }}, expect=("error",))
    to.notice("An `error` instead of a `result`: -32601, there is no such method. Over HTTP, 2026-07-28 says it with "
              "status 404 too; in older revisions the message itself traveled well, so the status is 200.")
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "no_such_tool",
        "arguments": {},
        "_meta": to.meta(),
    }}, expect=("error", "isError"))
    to.notice("The method exists, the tool does not: by the specification -32602, Invalid params. That is for the "
              "program; some servers send isError instead, so that the model hears of it.")


def progress(to: "Client") -> None:
    """news while a call runs: a progressToken, and the notifications that repeat it"""
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "search_all",
        "arguments": {"keyword": "TODO"},
        "_meta": to.meta(progressToken="search-1"),
    }})
    to.notice("Who sends no progressToken gets no progress. Over HTTP the news makes the server choose a stream of "
              "events, with the answer as its last. On /rpc, plain JSON-RPC, only the answer comes.")


# fmt: on


def opening(to: "Client") -> None:
    """the beginning: initialize, or in 2026-07-28 server/discover"""
    if to.revision in HANDSHAKE:
        return handshake(to)
    is_auto, to.revision, answer = to.revision == "auto", LATEST, {}
    try:
        answer = discover(to, min(to.limit, 5) if is_auto else None)
    except Unanswered as trouble:  # an older server may be silent, or say what is no message
        if not is_auto:
            raise
        to.notice(str(trouble))
    offered, code = versions_in(answer), answer.get("error", {}).get("code")
    if LATEST in offered and "result" in answer:
        return None
    if not is_auto:
        raise Trouble(f"This server does not speak {LATEST}; --revision auto finds out what it does speak.")
    if code in (
        HEADER_MISMATCH,
        MISSING_CAPABILITY,
    ):  # no older server knows these: the old way would be wrong
        raise Trouble(f"The server speaks {LATEST}, but refused server/discover with {code}.")
    # Any other error, whatever its code, means an older server (2026-07-28, stdio, Backward Compatibility); one
    # that did name its revisions is taken at its word.
    common = [revision for revision in HANDSHAKE if revision in offered] if offered else [LATEST_HANDSHAKE]
    if not common:
        raise Trouble(f"The server speaks only {one_line(', '.join(offered))}, and this client does not.")
    to.revision = common[-1]
    to.notice(f"That is not how a server of {LATEST} answers: we fall back to the handshake, with {to.revision}.")
    return handshake(to)


def versions_in(answer: Json) -> list[str]:
    """The revisions that a server names, in its discovery or in its refusal to speak ours (-32022)."""
    found, error = answer.get("result", {}).get("supportedVersions"), answer.get("error", {})
    if error.get("code") == UNSUPPORTED_VERSION and isinstance(error.get("data"), dict):
        found = error["data"].get("supported")
    return [version for version in found if isinstance(version, str)] if isinstance(found, list) else []


SCENES: dict[str, Callable[["Client"], None]] = {
    "handshake": opening,
    "discovery": discovery,
    "write-and-search": write_and_search,
    "tool-error": tool_error,
    "protocol-error": protocol_error,
    "progress": progress,
}

# ---- 2. A conversation: who we are, what was agreed upon -----------------------------------------------------


class Client:
    """One conversation with one server, over HTTP or stdio: the same messages either way."""

    def __init__(self, wire: Post | Pipe, teller: Narrator, revision: str, limit: float) -> None:
        self.revision, self.limit, self.teller, self.notice = revision, limit, teller, teller.notice
        self.agreed: str | None = None  # the revision, once both sides have said so
        self.trace = token_hex(16)  # a new one for each scene
        self.surprises = self._count = 0
        self.dialog = Dialog(wire, teller, limit, self._headers)
        self.is_plain = isinstance(wire, Post) and wire.path.rstrip("/").endswith("/rpc")

    def new_id(self) -> int:
        """An id that none of our requests had before, and never null (basic, Requests)."""
        self._count += 1
        return self._count

    def meta(self, **more: Any) -> Json:
        """The `_meta` of one message: a trace, for both logs; in 2026-07-28 also who asks, each time anew."""
        meta = {**more, "traceparent": f"00-{self.trace}-{token_hex(8)}-01"}
        if self.revision in STATELESS:  # the first two are required (2026-07-28, basic, _meta)
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision
            meta["io.modelcontextprotocol/clientCapabilities"] = {}
            meta["io.modelcontextprotocol/clientInfo"] = WE
        return meta

    def agree(self, answer: Json) -> None:
        """Takes the revision that the server chose, or leaves if we don't speak it (Version Negotiation)."""
        chosen = answer.get("result", {}).get("protocolVersion")
        if "error" in answer:
            raise Trouble(f"The server refused initialize: {one_line(answer['error']['message'], 200)}")
        if chosen not in HANDSHAKE:
            raise Trouble(
                f"The server answered initialize with revision {one_line(str(chosen))}, but what this client can "
                f"speak after a handshake is {', '.join(HANDSHAKE)}."
            )
        if chosen != self.revision:
            self.teller.warns(f"We asked for {self.revision}, and the server chose {chosen}.")
        self.revision = self.agreed = chosen

    def ask(self, message: Json, *, expect: tuple[str, ...] = ("result",), limit: float | None = None) -> Json:
        """Sends a request and gives the whole answer; `expect` is the kind of answer the scene wants to show."""
        source = source_of(sys._getframe(1))
        self.dialog.may_answer = self.revision in HANDSHAKE  # 2026-07-28 has no requests from server to client
        try:
            answer = self.dialog.exchange("client_request", message, source, limit)
        except SessionGone:  # the answer to that is a new initialize (transports, Session Management)
            self.notice("404: the server has forgotten our session. We begin a new one, and ask again.")
            self.dialog.session = self.agreed = None
            handshake(self)
            answer = self.dialog.exchange("client_request", message, source, limit)
        except Late:
            self._give_up(message)
            raise
        if (kind := kind_of(answer)) not in expect:
            self.surprises += 1
            self.teller.warns(f"This scene is about {' or '.join(expect)}, but the server answered with {kind}.")
        return answer

    def tell(self, message: Json) -> None:
        """Sends a notification."""
        self.dialog.exchange("client_notification", message, source_of(sys._getframe(1)))

    def _give_up(self, message: Json) -> None:
        # An unanswered request SHOULD be cancelled (lifecycle, Timeouts), but initialize must not be, and an older
        # server would not understand it about server/discover. Over HTTP in 2026-07-28 the closed stream says it.
        is_first = message["method"] in ("initialize", "server/discover")
        if not is_first and not (self.revision in STATELESS and self.teller.via == "http"):
            params = {"requestId": message["id"], "reason": "no answer in time", "_meta": self.meta()}
            never_mind = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            with suppress(Trouble, SessionGone):
                self.dialog.exchange("client_notification", never_mind, source_of(sys._getframe()), 1)

    def _headers(self, message: Json) -> dict[str, str]:
        if self.is_plain:  # plain JSON-RPC: no session, and none of MCP's headers
            return {"Content-Type": "application/json", "Accept": "application/json"}
        revision = self.revision if self.revision in STATELESS else self.agreed
        return headers_for(message, revision, self.dialog.session)


def kind_of(answer: Json) -> str:
    """error, isError or result; or the resultType of 2026-07-28, if that says the matter is not over."""
    if "error" in answer:
        return "error"
    result = answer["result"]
    if result.get("resultType", "complete") != "complete":  # absent counts as complete (2026-07-28, ResultType)
        return one_line(str(result["resultType"]))
    return "isError" if result.get("isError") is True else "result"


# ---- 3. What HTTP needs to know beside the message -----------------------------------------------------------


def headers_for(message: Json, revision: str | None, session: str | None) -> dict[str, str]:
    """The headers that go with a message; `revision` and `session` are None until they are agreed upon."""
    headers = {"Content-Type": "application/json"}
    # Both MUST be there: the server chooses (transports, Sending Messages to the Server).
    headers["Accept"] = "application/json, text/event-stream"
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(params, dict) and isinstance(meta, dict) and isinstance(version := meta.get(VERSION_KEY), str):
        # They mirror the body, so that what stands between need not read it (2026-07-28, Request Metadata).
        headers["MCP-Protocol-Version"] = version
        headers["Mcp-Method"] = str(message.get("method"))
        if isinstance(name := params.get(NAMED_BY.get(headers["Mcp-Method"], "")), str):
            headers["Mcp-Name"] = encode_value(name)  # a name need not be ASCII, a header must
        return headers
    if revision is not None and revision >= "2025-06-18":  # transports, Protocol Version Header
        headers["MCP-Protocol-Version"] = revision
    if session is not None:  # transports, Session Management
        headers["Mcp-Session-Id"] = session
    return headers


# ---- 4. The command line -------------------------------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    """Plays the scenes. Gives the exit code: 0; 1 for trouble or a surprise; 130 after Ctrl-C."""
    options = _options(argv)
    try:
        if options.list:
            for name, scene in SCENES.items():
                print(f"{name:18}{scene.__doc__}")
            return 0
        return _play(options, Terminal(sys.stdout, os.environ))
    except (Trouble, SettingsError) as trouble:
        Terminal(sys.stderr, os.environ).paragraph(str(trouble), "bad")
        return 1
    except EOFError:  # Ctrl-D at --step
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head` has seen enough; else Python would complain when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _play(options: argparse.Namespace, terminal: Terminal) -> int:
    settings = load({"MCP_LOGS": options.logs})
    url = options.url or f"http://127.0.0.1:{settings.mcp_port}/mcp"
    terminal.line(f"Revision {options.revision}, {options.stdio or url}", "faint")
    body, scenes = _body(options.raw), options.scene or ([] if options.raw is not None else list(SCENES))
    wire = Post(url) if options.stdio is None else Pipe(options.stdio)
    book = Logbook(settings.mcp_logs, "mcp-client-simple", secrets=settings.secrets())
    step = sys.stdin if options.step else None
    teller = Narrator(terminal, book, wire.via, explains=options.explain, step=step, pace=options.pace)
    client = Client(wire, teller, options.revision, options.timeout)
    # Where there are sessions one must be open before anything else is asked; auto must first find that out.
    if scenes and "handshake" not in scenes and options.revision not in STATELESS and not client.is_plain:
        scenes.insert(0, "handshake")
    with closing(book), closing(wire):
        try:
            for name in scenes:
                client.trace = token_hex(16)
                terminal.rule(name)
                terminal.paragraph(SCENES[name].__doc__ or "", "faint")
                SCENES[name](client)
            if body is not None:
                client.dialog.raw(body, source_of(sys._getframe()))
            client.dialog.end_session(min(options.timeout, 5))  # as a client SHOULD (transports, Session Management)
        except Trouble as trouble:
            teller.logs("client_warning", {"text": str(trouble)}, level="ERROR")
            raise
        finally:
            client.dialog.end_session(1, quiet=True)
    terminal.line()
    terminal.paragraph(f"Every message is in {book.path}; python log_viewer.py shows them.", "faint")
    return 1 if client.surprises else 0


def _body(raw: str | None) -> bytes | None:
    if raw is None or raw == "-":
        return None if raw is None else sys.stdin.buffer.read()
    try:
        return Path(raw[1:]).read_bytes() if raw.startswith("@") else os.fsencode(raw)
    except OSError as error:
        raise Trouble(f"{raw[1:]} can't be read ({error.strerror}); --raw @FILE sends what is in a file.") from None


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="See the words of MCP, one scene after another.", allow_abbrev=False)
    add = parser.add_argument
    add("--url", help="the server (http://127.0.0.1:5000/mcp); /rpc is plain JSON-RPC without a session")
    add("--stdio", metavar="COMMAND", help="start a server with this command and speak through its pipes")
    add(
        "--revision",
        default=LATEST_HANDSHAKE,
        choices=[*REVISIONS, "auto"],
        help="the MCP to speak (%(default)s)",
    )
    add("--logs", metavar="FOLDER", help="where to write mcp-client-simple.jsonl (logs)")
    add(
        "--scene",
        action="append",
        choices=list(SCENES),
        metavar="NAME",
        help="only this scene; may be repeated",
    )
    add("--list", action="store_true", help="name the scenes and end")
    add("--step", action="store_true", help="wait for Enter before each message")
    add(
        "--explain",
        action="store_true",
        help="explain each method, header, field and code when it first appears",
    )
    add("--raw", metavar="JSON|@FILE|-", help="send this text, valid or not; with --scene, after the scenes")
    add("--pace", type=float, default=0.0, metavar="SECONDS", help="wait so long between two messages")
    add(
        "--timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="the limit for one answer (%(default)g)",
    )
    return _checked(parser, parser.parse_args(argv))


def _checked(parser: argparse.ArgumentParser, options: argparse.Namespace) -> argparse.Namespace:
    if not (0 < options.timeout <= 86400 and 0 <= options.pace <= 86400):
        parser.error("--timeout must be more than 0, --pace at least 0, both at most a day")
    if options.step and options.raw == "-":
        parser.error("--raw - reads standard input to its end, so --step can't ask there")
    return options


if __name__ == "__main__":
    sys.exit(main())
