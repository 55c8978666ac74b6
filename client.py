"""Chapter 1. The words of MCP, said by hand: no SDK, no model, every message visible.

In:   an MCP server, by URL (HTTP) or by the command that starts it (stdio), and the scenes you want to see.
Out:  each message as it travels, on the terminal and in logs/mcp-client-simple.jsonl, with what to notice.
The JSON is written out as literals on purpose: what you read in section 1 is what goes over the wire.

    python server.py                                     # in another terminal
    python client.py                                     # begins with the handshake, as most of the world does
    python client.py --revision 2026-07-28 --explain     # without a handshake, and every word explained
    python client.py --revision both                     # each scene in both ways, with the differences marked
    python client.py --stdio "python server.py --stdio"  # the same messages through a pipe
    python client.py --step                              # one message at a time; e edits it before it is sent
    python client.py --raw '{"jsonrpc":"2.0","id":1'     # anything at all, also what is wrong

Comments cite the specification by page and heading: modelcontextprotocol.io/specification/2025-11-25, or
2026-07-28 where they say so. What carries the bytes is playground/carriers.py, what pairs answers with questions
playground/dialog.py, what prints and logs playground/narrator.py, what plays one scene after another
playground/performance.py.

Left out on purpose: a model (chapter 3 has one), and all that tour/ shows, a file for each feature: resources, prompts,
subscriptions, resumed streams and two dozen more (--list names them). Authorization is left out altogether.
"""

import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from secrets import token_hex
from typing import Any

from mcp_core.headers import NAMED_BY, encode_value
from mcp_core.messages import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from mcp_core.revisions import HANDSHAKE, LATEST, LATEST_HANDSHAKE, STATELESS, VERSION_KEY
from playground.carriers import Late, Pipe, Post, Trouble, Unanswered
from playground.client_flags import parse
from playground.dialog import Dialog, SessionGone, members
from playground.logbook import source_of
from playground.narrator import Narrator
from playground.performance import perform
from playground.settings import SettingsError
from playground.terminal import Terminal, one_line
from playground.touring import tours

Json = dict[str, Any]

# ---- 1. What we say: one scene per feature -------------------------------------------------------------------

WE = {"name": "mcp-client-simple", "version": "0.1.0"}

# The messages below are laid out as one would write JSON.
# fmt: off


def handshake(to: "Client") -> None:
    """initialize: agree on a revision, and learn what the other side can do"""
    answer = to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "initialize", "params": {
        "protocolVersion": to.revision,  # a wish; the server may name another (lifecycle, Version Negotiation)
        "capabilities": to.able,  # what the server may ask of us; {} is nothing
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


def write(to: "Client", filename: str) -> None:
    """A file of three lines, for the scenes that need one."""
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "write_file",
        "arguments": {"filename": filename, "text": "hello MCP\nTODO: read the log\nbye\n"},
        "_meta": to.meta(),
    }})


def write_and_search(to: "Client") -> None:
    """tools/call, twice: write a file, then count a word in it"""
    write(to, "demo.txt")
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
    write(to, "demo.txt")
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "search_all",
        "arguments": {"keyword": "TODO"},
        "_meta": to.meta(progressToken="search-1"),
    }})
    to.notice("Who sends no progressToken gets no progress. Over HTTP the news makes the server choose a stream of "
              "events, with the answer as its last. On /rpc, plain JSON-RPC, only the answer comes.")


def cancel(to: "Client") -> None:
    """a long call given up: notifications/cancelled, or over HTTP in 2026-07-28 the closed stream"""
    if to.is_plain:
        return to.notice("On /rpc nothing but the answer can be sent, so there is no call that could be given up.")
    if to.revision in STATELESS:  # to listen for changes is a call that never ends by itself
        to.give_up({"jsonrpc": "2.0", "id": to.new_id(), "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": True},
            "_meta": to.meta(),
        }})
        return to.notice("Over HTTP we just close the stream, and the server stops: that is the whole cancellation "
                         "(2026-07-28, Cancellation). Through a pipe, which stays open, a notification says it.")
    write(to, "demo.txt")
    to.give_up({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "summarize_file",  # waits for a summary by our own model, and we let it wait
        "arguments": {"filename": "demo.txt"},
        "_meta": to.meta(),
    }})
    return to.notice("requestId is the id of the call; no answer to it will come. A closed stream would not have been "
                     "enough: in this era the server works on, and the client may come back (Cancellation).")


def ask_the_user(to: "Client") -> None:
    """a tool that asks first: a question in mid-call; in 2026-07-28 a result that asks, and the call again"""
    write(to, "trash.txt")
    result = to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "delete_file",
        "arguments": {"filename": "trash.txt"},
        "_meta": to.meta(),
    }}, expect=("result", "input_required")).get("result", {})
    if result.get("resultType") != "input_required":
        return to.notice("If the server asked, its question was a request of its own, on the stream of our call, and "
                         "our answer a message of its own. Before 2025-06-18, and on /rpc, nobody could be asked.")
    to.notice("This is no answer yet. The server has forgotten us and keeps nothing: what it must know stands in "
              "requestState, sealed. So we make the same call again, and bring both with us.")
    questions = members(result.get("inputRequests"))
    state = {"requestState": result["requestState"]} if "requestState" in result else {}
    to.ask({"jsonrpc": "2.0", "id": to.new_id(), "method": "tools/call", "params": {
        "name": "delete_file",
        "arguments": {"filename": "trash.txt"},
        "inputResponses": {key: reply(to, members(question)) for key, question in questions.items()},
        **state,  # to the byte, and unread (2026-07-28, Multi Round-Trip Requests)
        "_meta": to.meta(),
    }})
    return to.notice("A new id, the same arguments. The tool ran again from its top and found its answer there.")


def reply(to: "Client", question: Json) -> Json | None:
    """What we answer when the server asks, in either era; None: we know no such question."""
    if question.get("method") == "ping":  # which must be answered, with exactly this (utilities/ping)
        return {}
    if question.get("method") != "elicitation/create":
        return None
    params = members(question.get("params"))
    if not to.teller.agrees(one_line(str(params.get("message")), 300)):
        return {"action": "decline"}
    fields = members(members(params.get("requestedSchema")).get("properties"))
    return {"action": "accept", "content": {
        name: True if members(field).get("type") == "boolean" else members(field).get("default", "")
        for name, field in fields.items()
    }}


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
    if code in (HEADER_MISMATCH, MISSING_CAPABILITY):  # no older server knows these: the old way would be wrong
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
    "cancel": cancel,
    "ask": ask_the_user,
}
NEEDS = {"cancel": "sampling", "ask": "elicitation"}  # the capability without which a scene has nothing to show

# ---- 2. A conversation: who we are, what was agreed upon -----------------------------------------------------


class Client:
    """One conversation with one server, over HTTP or stdio: the same messages either way."""

    def __init__(self, wire: Post | Pipe, teller: Narrator, revision: str, limit: float, able: Json) -> None:
        self.revision, self.limit, self.teller, self.notice = revision, limit, teller, teller.notice
        self.able = able  # what the server may ask of us
        self.agreed: str | None = None  # the revision, once both sides have said so
        self.trace = token_hex(16)  # a new one for each scene
        self.surprises = self._count = 0
        self.dialog = Dialog(wire, teller, limit, self._headers, partial(reply, self))
        self.is_plain = isinstance(wire, Post) and wire.path.rstrip("/").endswith("/rpc")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Ends the session, as a client SHOULD (transports, Session Management), and the connection."""
        if isinstance(error, Trouble):
            self.teller.logs("client_warning", {"text": str(error)}, level="ERROR")
        with closing(self.dialog.wire):
            self.dialog.end_session(1 if error else min(self.limit, 5), quiet=error is not None)

    def new_id(self) -> int:
        """An id that none of our requests had before, and never null (basic, Requests)."""
        self._count += 1
        return self._count

    def meta(self, **more: Any) -> Json:
        """The `_meta` of one message: a trace, for both logs; in 2026-07-28 also who asks, each time anew."""
        meta = {**more, "traceparent": f"00-{self.trace}-{token_hex(8)}-01"}
        if self.revision in STATELESS:  # the first two are required (2026-07-28, basic, _meta)
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision
            meta["io.modelcontextprotocol/clientCapabilities"] = self.able
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
            self._never_mind(message, "no answer in time")
            raise
        if (kind := kind_of(answer)) not in expect:
            self.surprises += 1
            self.teller.warns(f"This scene is about {' or '.join(expect)}, but the server answered with {kind}.")
        return answer

    def tell(self, message: Json) -> None:
        """Sends a notification."""
        self.dialog.exchange("client_notification", message, source_of(sys._getframe(1)))

    def give_up(self, message: Json) -> None:
        """Sends a request, and at the first sign that the server is at work on it, gives it up."""
        self.dialog.may_answer = self.revision in HANDSHAKE
        with closing(self.dialog.stream("client_request", message, source_of(sys._getframe(1)))) as came:
            if "method" in next(came, {}):
                self._never_mind(message, "we have seen enough")
                return
        self.surprises += 1
        self.teller.warns("The server answered before the call could be given up.")

    def _never_mind(self, message: Json, reason: str) -> None:
        # An unanswered request SHOULD be cancelled (lifecycle, Timeouts), but initialize must not be, and an older
        # server would not understand it about server/discover. Over HTTP in 2026-07-28 the closed stream says it.
        is_first = message["method"] in ("initialize", "server/discover")
        if not is_first and not (self.revision in STATELESS and self.teller.via == "http"):
            params = {"requestId": message["id"], "reason": reason, "_meta": self.meta()}
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
    result = answer.get("result")
    if not isinstance(result, dict):  # a message that was edited until it asked nothing
        return "nothing"
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
    try:
        options = parse(argv, SCENES, tours())
        if options.list:
            for name, line in ({name: scene.__doc__ for name, scene in SCENES.items()} | tours()).items():
                print(f"{name:32}{line}")
            return 0
        able: Json = {NEEDS[name]: {} for name in options.scene or NEEDS if name in NEEDS}
        begin = partial(Client, able=able)
        return perform(options, Terminal(sys.stdout, os.environ), SCENES, begin)
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


if __name__ == "__main__":
    sys.exit(main())
