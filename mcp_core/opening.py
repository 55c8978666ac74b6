"""How a client finds out which revision to speak, before anything else is said.

In:   a calling.Session, and the answer to each opening message.
Out:  the next message to send, or None once the conversation may begin; ValueError where it can't.
Here nobody knows how long an answer may take: a caller that waited in vain says so with a Failed of code None.

Theory of operation
    `initialize` belongs to the handshake era, server/discover to the stateless one. "auto" tries server/discover first.
    A server that answers with an error, whatever its code, is taken to be of the handshake era (2026-07-28,
    versioning, Backward Compatibility): old servers refuse what they don't know in many ways. The one exception is
    -32022, which says that the server knows the question and which revisions it has; there the newest common one wins.
"""

from mcp_core import revisions
from mcp_core.calling import Done, Failed, Object, Session
from mcp_core.messages import UNSUPPORTED_VERSION, Message, Request


class Opening:
    """The first words of one connection; `mode` is a revision, or "auto".

    >>> opening = Opening(Session({"name": "me", "version": "1.0"}), "auto")
    >>> opening.first().method
    'server/discover'
    >>> opening.next(Failed(1, -32601, "There is no such method.")).method
    'initialize'
    >>> opening.next(Done(2, {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}})).method
    'notifications/initialized'
    >>> opening.session.revision
    '2025-06-18'
    """

    def __init__(self, session: Session, mode: str = "auto") -> None:
        self.session, self.mode = session, mode
        self.server: Object = {}  # the result of initialize or server/discover
        self._tried: list[str] = []

    def first(self) -> Request:
        """The first request.

        >>> Opening(Session({"name": "me", "version": "1.0"}), "2025-11-25").first().method
        'initialize'
        """
        if self.mode in revisions.HANDSHAKE:
            return self._initialize(self.mode)
        return self._discover(revisions.LATEST if self.mode == "auto" else self.mode)

    def next(self, event: Done | Failed) -> Message | None:
        """What to send after the answer to the last opening message; None: nothing, the conversation may begin.

        >>> opening = Opening(Session({"name": "me", "version": "1.0"}), "2026-07-28")
        >>> _ = opening.first()
        >>> print(opening.next(Done(1, {"supportedVersions": ["2026-07-28"], "capabilities": {}})))
        None
        """
        if isinstance(event, Failed):
            return self._after_refusal(event)
        if self.session.revision is None:
            return self._after_initialize(event.result)
        offered = event.result.get("supportedVersions")
        common = [v for v in revisions.STATELESS if isinstance(offered, list) and v in offered]
        if common:
            self.session.revision, self.server = common[-1], event.result
            return None
        if self.mode == "auto":  # an answer that discovers nothing we can use
            return self._initialize(revisions.LATEST_HANDSHAKE)
        raise ValueError(f"The server offers the revisions {offered}, and {self.mode} is not among them.")

    def _after_initialize(self, result: Object) -> Message:
        version = result.get("protocolVersion")
        if version not in revisions.HANDSHAKE:  # the client must then leave (lifecycle, Version Negotiation)
            raise ValueError(f"The server wants to speak revision {version!r}, which this client does not know.")
        self.session.revision, self.server = version, result
        return self.session.notify("notifications/initialized")

    def _after_refusal(self, event: Failed) -> Request:
        offered = event.data.get("supported") if isinstance(event.data, dict) else None
        if event.code == UNSUPPORTED_VERSION and isinstance(offered, list):
            wanted = revisions.REVISIONS if self.mode == "auto" else (self.mode,)
            # Twice, because a server may refuse one request and yet offer its very revision.
            common = [v for v in wanted if v in offered and self._tried.count(v) < 2]
            if not common:
                raise ValueError(f"The server offers the revisions {offered}, none of which is left to try.")
            newest = common[-1]
            return self._discover(newest) if newest in revisions.STATELESS else self._initialize(newest)
        if self.mode != "auto" or self.session.revision is None:
            code = "no answer" if event.code is None else f"code {event.code}"
            raise ValueError(f"The server refused to begin: {event.message} ({code})")
        return self._initialize(revisions.LATEST_HANDSHAKE)

    def _discover(self, revision: str) -> Request:
        self._tried.append(revision)
        self.session.revision = revision
        return self.session.request("server/discover")

    def _initialize(self, revision: str) -> Request:
        self._tried.append(revision)
        self.session.revision = None  # an `initialize` is introduced by its params, not by `_meta`
        able, info = self.session.capabilities, self.session.info
        return self.session.request(
            "initialize", {"protocolVersion": revision, "capabilities": able, "clientInfo": info}
        )
