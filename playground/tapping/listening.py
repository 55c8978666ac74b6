"""One HTTP request and its response, as they are overheard.

In:   the two heads, and what the bodies carry, in pieces as they pass.
Out:  the story's records. A record is written before the last byte of its text is passed on.
Here nobody knows sockets. Nothing said here can change what is passed on.
"""

import contextlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from playground.tapping.bodies import Events, Kept, Undecodable, undone
from playground.tapping.heads import Head
from playground.tapping.story import Crossing, Story, Talk

__all__ = ["Overheard"]

_PROSE = ("", "text/plain", "text/html")  # for people: "Accepted", a page that says 404
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Overheard:
    """A request and its response. `sent` is the request's head as it went on; None if the target can't be reached."""

    def __init__(self, story: Story, request: Head, sent: Head | None, connection: str) -> None:
        self.method, self._target = request.request
        session = request.get("mcp-session-id")
        self._story = story
        self._talk: Talk = story.talk(connection, session, self._target)
        if self.method != "POST":
            self._talk.begin()
        left = self._request_shown(sent) if sent is not None else None
        self._asked = Crossing("client", self._request_shown(request), left, sent is not None)
        self._request, self._request_body = request, Kept()
        self._answered = Crossing("server")
        self._answer: Head | None = None
        self._answer_body = Kept()
        self._events: Events | None = None
        self._has_asked = self._has_answered = False

    # ---- The request -------------------------------------------------------------------------------------------------

    def asked(self, piece: bytes, is_over: bool) -> None:
        """A piece of the request's body, maybe its last."""
        self._request_body.add(piece)
        if is_over and not self._has_asked:
            self._has_asked = True
            self._body(self._request_body, self._request, self._asked)

    @property
    def id(self) -> Any:
        """The JSON-RPC id of what was asked, if it could be read."""
        return self._talk.id

    # ---- The response ------------------------------------------------------------------------------------------------

    def answers(self, came: Head, left: Head) -> None:
        """The head of the response."""
        self._answer = came
        if self._talk.session is None:  # the answer to an initialize opens a session
            self._talk.session = came.get("mcp-session-id")
        self._answered = Crossing("server", self._answer_shown(came), self._answer_shown(left))
        if (came.get("content-type") or "").partition(";")[0].strip().lower() == "text/event-stream":
            self._events = Events(came.get("content-encoding"))
            if self.method == "GET":  # it may be silent for hours
                self._talk.http(self._answered)

    def answered(self, piece: bytes, is_over: bool) -> None:
        """A piece of the response's body, maybe its last."""
        self._has_answered = self._has_answered or is_over
        if self._events is None:
            self._answer_body.add(piece)
            if is_over and self._answer is not None:
                self._body(self._answer_body, self._answer, self._answered)
            return
        for heard in self._events.take(piece):
            if heard.event == "endpoint":
                self._will_post_to(heard.data.decode("latin-1"))
            self._talk.event(heard, self._answered)

    def cut(self, by: str) -> None:
        """One of the ends hung up before the response was complete; what was heard of it is kept."""
        if self._has_answered:
            return
        status = self._answer.status if self._answer is not None else None
        about: dict[str, Any] = {"method": self.method, "status": status}
        unfinished = self._answer_body if self._has_asked else self._request_body
        if unfinished.size:
            about |= {"beginning": unfinished.data[:2000].decode("utf-8", "replace"), "bytes": unfinished.size}
        self._talk.note("tap_cut", by=by, **about)

    def failed(self, event: str, reason: str, **data: Any) -> None:
        """The response is the tap's own."""
        self._has_answered = True
        self._talk.note(event, reason=reason, **data)

    def _will_post_to(self, address: str) -> None:
        with contextlib.suppress(ValueError):  # a stranger's idea of an address
            place = urlsplit(urljoin(self._target, address))
            self._story.will_post_to(f"{place.path}?{place.query}" if place.query else place.path, self._talk.scope)

    # ---- What is written of it ---------------------------------------------------------------------------------------

    def _body(self, kept: Kept, head: Head, crossing: Crossing) -> None:
        kind = (head.get("content-type") or "").partition(";")[0].strip().lower()
        coding = head.get("content-encoding")
        more = {}
        if kept.size and kind in _FORMS:  # how an authorization server is asked, with keys in it; MCP has no forms
            self._talk.http(crossing, bytes=kept.size, left_out="the form")
            return
        if coding and kept.is_whole:
            packed, kept = kept, Kept()
            try:
                kept.add(undone(packed.data, coding))
            except Undecodable as reason:
                self._talk.unreadable(packed.data, f"It was passed on as it came; {reason}.", crossing)
                return
            more = {"encoding": coding}
        if not kept.size:
            self._talk.http(crossing)
        elif crossing.sender == "server" and kind in _PROSE and (prose := _prose(kept)) is not None:
            self._talk.http(crossing, body=prose)
        else:
            self._talk.text(kept, crossing, **more)

    def _request_shown(self, head: Head) -> Mapping[str, Any]:
        path, _, query = self._target.partition("?")
        shown: dict[str, Any] = {"method": self.method, "path": path}
        if query:  # name by name, so that one that holds a key is left out as a header would be
            shown["query"] = dict(parse_qsl(query, keep_blank_values=True))
        return {**shown, "headers": head.shown()}

    def _answer_shown(self, head: Head) -> Mapping[str, Any]:
        return {"status": head.status, "headers": head.shown()}


def _prose(kept: Kept) -> str | None:
    """A text that does not even look like a message."""
    if not kept.is_whole or kept.data.lstrip().startswith((b"{", b"[")):
        return None
    try:
        return kept.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
