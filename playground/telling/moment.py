"""A message and what was said before it.

In:   what was said in one conversation, oldest first; the last is the message in question.
Out:  a Moment: what the message answers or is about, the revision it speaks, and questions about the past.
Here nobody knows what a situation is called; situations.py and duties.py ask.

Theory of operation
    The past is a list and nothing is kept about it: each question walks backward over a few hundred records, which
    costs less than to keep every fact that some rule might want. Whether the list begins where the conversation began
    is known (`is_whole`), so that no rule says "for the first time" about what merely lies before the window.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from mcp_core import revisions
from mcp_core.revisions import LATEST_HANDSHAKE, SUBSCRIPTION_KEY, VERSION_KEY
from playground.telling.said import OTHER, Said, key_of, text_of

LISTS = {  # the method, and the notification that makes its answer old
    "tools/list": "notifications/tools/list_changed",
    "prompts/list": "notifications/prompts/list_changed",
    "resources/list": "notifications/resources/list_changed",
    "resources/templates/list": "notifications/resources/list_changed",
}


@dataclass(frozen=True)
class Moment:
    """`now` is explained; `past` is what its writer saw before, in this conversation."""

    now: Said
    past: Sequence[Said] = ()
    is_whole: bool = True

    # ---- The era ----

    @cached_property
    def revision(self) -> str:
        """The revision that counts for this message: its own word, else its session's."""
        request = self.request
        for said in (self.now, *([request] if request else [])):
            own = text_of(said.meta.get(VERSION_KEY)) or said.header("MCP-Protocol-Version")
            if own in revisions.REVISIONS:
                return own
        if self.now.method == "initialize" or (request and request.method == "initialize"):
            agreed = self.now.result.get("protocolVersion") or self.now.params.get("protocolVersion")
            return agreed if agreed in revisions.HANDSHAKE else LATEST_HANDSHAKE
        if self.now.method == "server/discover" or SUBSCRIPTION_KEY in self.now.meta:
            return revisions.LATEST
        return self._of_session()

    def _of_session(self) -> str:
        for said in reversed(self.past):
            named = said.result.get("protocolVersion") or said.meta.get(VERSION_KEY)
            if named in revisions.REVISIONS:
                return str(named)
        return LATEST_HANDSHAKE

    @property
    def is_stateless(self) -> bool:
        return revisions.is_stateless(self.revision)

    # ---- What it belongs to ----

    @cached_property
    def request(self) -> Said | None:
        """The request that this answers, or that this notification is about."""
        now = self.now
        other = OTHER.get(now.sender, "")
        if now.is_answer:
            return self._asked_by(other, now.id)
        if now.method == "notifications/progress":
            token = key_of(now.params.get("progressToken"))
            return self.before(
                lambda said: (
                    said.kind == "request"
                    and said.sender == other
                    and key_of(said.meta.get("progressToken")) == token is not None
                )
            )
        if now.method == "notifications/cancelled":
            id = key_of(now.params.get("requestId"))
            own = self._asked_by(now.sender, id)
            return own or (self._asked_by("client", id) if now.sender == "server" else None)  # a listen, on a pipe
        if subscription := key_of(now.meta.get(SUBSCRIPTION_KEY)):
            return self._asked_by("client", subscription)
        if now.kind == "request":
            return self._around() if now.sender == "server" else None
        if now.sender == "client" or now.kind in ("batch", "model"):
            return None
        return self._sharing(now.exchange)  # a bare status, what is no message, news on the stream of a call

    def _sharing(self, exchange: str) -> Said | None:
        """What the client sent in an exchange."""
        return self.before(lambda said: said.exchange == exchange != "" and said.sender == "client")

    def _asked_by(self, sender: str, id: str | None) -> Said | None:
        asked = [said for said in self.past if said.kind == "request" and said.sender == sender]
        same = [said for said in asked if said.exchange == self.now.exchange != ""]
        fitting = [said for said in same or asked if said.id == id]
        if not fitting and id is None:  # an error for what could not be read has no id (JSON-RPC 2.0, section 5)
            fitting = same
        return fitting[-1] if fitting else None

    def _around(self) -> Said | None:
        """The client's request for whose sake the server asks: the one whose stream it uses, or the only open one."""
        if self.now.stream:
            found = self._sharing(self.now.stream)
            return found if found is not None and found.kind == "request" else None
        return self.open_requests[0] if len(self.open_requests) == 1 else None

    @cached_property
    def open_requests(self) -> list[Said]:
        """The client's requests that have no answer yet; a subscription is open by its nature and does not count."""
        ended = {key_of(said.params.get("requestId")) for said in self.past if said.method == "notifications/cancelled"}
        asked = [said for said in self.past if said.kind == "request" and said.sender == "client"]
        asked = [said for said in asked if said.method != "subscriptions/listen" and said.id not in ended]
        return [said for said in asked if not self.answer_to(said)]

    @cached_property
    def ears(self) -> Said | None:
        """The GET on whose stream it came."""
        name = self.now.stream or self.now.exchange
        return self.before(
            lambda said: said.exchange == name != "" and said.kind == "http" and said.http.get("method") == "GET"
        )

    # ---- Questions about the past ----

    def before(self, test: Callable[[Said], bool]) -> Said | None:
        """The newest thing said before that passes."""
        return next((said for said in reversed(self.past) if test(said)), None)

    def since(self, mark: Said | None) -> Iterator[Said]:
        """What was said after something (all, if it is None)."""
        start = next((at for at, said in enumerate(self.past) if said is mark), -1)
        yield from self.past[start + 1 :]

    def asked(self, method: str) -> Said | None:
        """The newest request before with this method, whoever asked."""
        return self.before(lambda said: said.kind == "request" and said.method == method)

    def told(self, method: str) -> Said | None:
        """The newest notification before with this method."""
        return self.before(lambda said: said.kind == "notification" and said.method == method)

    def answer_to(self, request: Said | None) -> Said | None:
        """The answer to a request, if it came before."""
        if request is None:
            return None
        for said in self.since(request):
            is_same = said.exchange == request.exchange != "" or (said.id is not None and said.id == request.id)
            if said.is_answer and said.sender == OTHER.get(request.sender) and is_same:
                return said
        return None

    @cached_property
    def like(self) -> Said | None:
        """The newest request before that asked for the same thing: method, and name or uri."""
        now = self.now
        names = ("name", "uri")
        return self.before(
            lambda said: (
                said.kind == "request"
                and said.method == now.method
                and said.sender == now.sender
                and all(said.params.get(name) == now.params.get(name) for name in names)
            )
        )

    @cached_property
    def like_answer(self) -> Said | None:
        """What came back to that."""
        return self.answer_to(self.like)

    @property
    def is_ready(self) -> bool:
        """Whether the handshake is over, or none is needed."""
        begun = self.asked("initialize")
        return (
            self.is_stateless
            or (begun is None and not self.is_whole)
            or self.told("notifications/initialized") is not None
        )
