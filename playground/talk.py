"""A conversation in which one names only methods and params; what surrounds them is the same each time.

In:   a carrier, a narrator, a revision, what the client can do, and what it answers when it is asked.
Out:  answers, results, notifications; Trouble where the other side can't be heard or says no.
Here nobody knows what a method is for. Chapter 1 writes all of this out by hand; the files of the tour use this, so
that each is about its one feature.
"""

import itertools
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from secrets import token_hex
from typing import Any

from mcp_core import headers, revisions
from mcp_core.messages import Notification, ProtocolError, Request, read
from playground.carriers import Pipe, Post, Trouble
from playground.dialog import Dialog, SessionGone, members
from playground.logbook import source_of
from playground.narrator import Narrator

Json = dict[str, Any]
News = Generator[Json, None, None]
Replies = Mapping[str, Callable[[Json], Json | None]]  # method of the server's question -> params -> result, or None

ME = {"name": "mcp-client-simple", "version": "0.1.0"}


class Talk:
    """One conversation with one server, over HTTP or stdio, in one revision. Use it as a context manager."""

    def __init__(
        self, wire: Post | Pipe, teller: Narrator, revision: str, able: Json, replies: Replies, limit: float = 10
    ) -> None:
        self.revision, self.able, self.via, self.notice = revision, able, wire.via, teller.notice
        self.is_stateless = revisions.is_stateless(revision)
        self.server: Json = {}  # what it said of itself: the result of initialize or server/discover
        self.dialog = Dialog(wire, teller, limit, self._headers, self._reply)
        self.dialog.may_answer = not self.is_stateless
        self.trace = token_hex(16)
        self.last_id = 0  # of our requests
        self._replies = {"ping": lambda params: {}, **replies}
        self._ids = itertools.count(1)
        self._open: list[News] = []
        self._other_headers: dict[str, str | None] = {}

    def __enter__(self) -> "Talk":
        """Says hello in the way of the era."""
        if self.is_stateless:
            self.server = self.result("server/discover")
        else:
            about = {"protocolVersion": self.revision, "capabilities": self.able, "clientInfo": ME}
            self.server = self.result("initialize", about)
            self.tell("notifications/initialized")
        return self

    def __exit__(self, *_: object) -> None:
        for news in self._open:
            news.close()
        with closing(self.dialog.wire):
            self.dialog.end_session(2)

    # ---- Asking and telling ------------------------------------------------------------------------------------------

    def ask(
        self,
        method: str,
        params: Json | None = None,
        *,
        meta: Json | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Json:
        """The whole answer to a request, its result or its error. `headers` replace ours; None leaves one out."""
        self._other_headers = dict(headers or {})
        try:
            return self.dialog.exchange("client_request", self._request(method, params, meta), _place())
        finally:
            self._other_headers = {}

    def result(self, method: str, params: Json | None = None, *, meta: Json | None = None) -> Json:
        """The result of a request. Raises Trouble if it is an error."""
        answer = self.ask(method, params, meta=meta)
        if "error" in answer:
            raise Trouble(f"The server refused {method}: {answer['error']['message']} ({answer['error']['code']})")
        return members(answer.get("result"))

    def call(self, tool: str, arguments: Json | None = None, *, meta: Json | None = None) -> Json:
        """The result of a tool. What it asks is answered, in either era; in the stateless one by calling again."""
        params = {"name": tool, "arguments": arguments or {}}
        result = self.result("tools/call", params, meta=meta)
        for _ in range(10):
            if result.get("resultType") != "input_required":
                return result
            again = {key: self._reply(question) for key, question in result.get("inputRequests", {}).items()}
            state = {"requestState": result["requestState"]} if "requestState" in result else {}
            result = self.result("tools/call", {**params, "inputResponses": again, **state}, meta=meta)
        raise Trouble(f"The tool {tool} asked ten times and still has no answer.")

    def tell(self, method: str, params: Json | None = None) -> None:
        """A notification; nobody answers it."""
        message = {"jsonrpc": "2.0", "method": method, "params": self._introduced(params, None)}
        self.dialog.exchange("client_notification", message, _place())

    # ---- Listening ---------------------------------------------------------------------------------------------------

    def stream(self, method: str, params: Json | None = None, *, meta: Json | None = None) -> News:
        """A request whose answers are taken one by one, with next(). It is sent at the first."""
        news = self.dialog.stream("client_request", self._request(method, params, meta), _place())
        self._open.append(news)
        return news

    def listen(self, *, resume: bool = False) -> News:
        """What comes without having been asked for: over HTTP from the stream of a GET. Is open when this returns.

        `resume` takes up the stream that broke last.
        """
        news = self.dialog.listen(_place(), resume=resume)
        self._open.append(news)
        next(news)
        return news

    def heard(self, method: str, news: News | None = None) -> Json:
        """The params of the next notification of this kind: one that has come already, or the next of `news`."""
        while True:
            for note in self.dialog.heard:
                if note["method"] == method:
                    self.dialog.heard.remove(note)
                    return members(note.get("params"))
            if news is None or next(news, None) is None:
                raise Trouble(f"There should have been a {method}, and none came.")

    def give_up(self, news: News, id: int | None = None) -> None:
        """Cancels the request behind a stream: by closing it where that says so, else by a notification."""
        if self.via == "stdio" or not self.is_stateless:
            self.tell("notifications/cancelled", {"requestId": id or self.last_id, "reason": "We have seen enough."})
        news.close()

    # ---- What surrounds a message ------------------------------------------------------------------------------------

    def _request(self, method: str, params: Json | None, meta: Json | None) -> Json:
        self.last_id = next(self._ids)
        return {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": self._introduced(params, meta)}

    def _introduced(self, params: Json | None, meta: Json | None) -> Json:
        own: Json = {"traceparent": f"00-{self.trace}-{token_hex(8)}-01"}
        if self.is_stateless:
            own[revisions.VERSION_KEY] = self.revision
            own[revisions.CLIENT_CAPABILITIES_KEY] = self.able
            own[revisions.CLIENT_INFO_KEY] = ME
        return {**(params or {}), "_meta": {**own, **(meta or {})}}

    def _headers(self, message: Json) -> dict[str, str]:
        found = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if not self.is_stateless and self.server and self.revision >= "2025-06-18":
            found["MCP-Protocol-Version"] = self.revision
        if self.dialog.session is not None:
            found["Mcp-Session-Id"] = self.dialog.session
        with suppress(ProtocolError):
            if isinstance(sent := read(message), Request | Notification):
                found |= headers.for_request(sent)
        chosen = {**found, **self._other_headers}
        return {name: value for name, value in chosen.items() if value is not None}

    def _reply(self, question: Json) -> Json | None:
        known = self._replies.get(str(question.get("method")))
        return known(members(question.get("params"))) if known is not None else None


def _place() -> str:
    """The line that called into this file, for the log."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return source_of(frame)


__all__ = ["ME", "News", "Replies", "SessionGone", "Talk"]
