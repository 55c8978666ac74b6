"""What the rules ask about how something traveled: HTTP's methods and status, events of a stream, sessions, hang-ups.

In:   a Moment (or, of most, first what to look for).
Out:  yes or no.
Here nobody knows what follows from the answer, or what a message says.
"""

from mcp_core import messages
from mcp_core.revisions import VERSION_KEY
from playground.telling.clues import Test
from playground.telling.moment import Moment
from playground.telling.said import Said, text_of


def is_plain_rpc(moment: Moment) -> bool:
    return moment.now.http.get("path") == "/rpc"


def was_lost(moment: Moment) -> bool:
    def is_loss(said: Said) -> bool:  # in the stateless era an unknown method is 404, too
        return said.status == 404 and said.sender == "server" and said.code != messages.METHOD_NOT_FOUND

    return moment.before(is_loss) is not None and moment.asked("initialize") is not None


def names_session(moment: Moment) -> bool:
    """Whether what is answered had named a session."""
    return moment.request is not None and moment.request.header("Mcp-Session-Id") != ""


def status(*numbers: int) -> Test:
    return lambda moment: moment.now.status in numbers


def http_method(*names: str) -> Test:
    return lambda moment: moment.now.http.get("method") in names


def http_answers(*names: str) -> Test:
    """Whether HTTP answers one of these of its own methods, sent without a message."""
    return lambda moment: (
        moment.request is not None and moment.request.kind == "http" and moment.request.http.get("method") in names
    )


def is_for_keys(moment: Moment) -> bool:
    """Whether it belongs to the search for, or the talk with, an authorization server."""
    asked = moment.request if moment.now.sender == "server" else moment.now
    path = text_of(asked.http.get("path")) if asked is not None and asked.kind in ("http", "unparsed") else ""
    return "/.well-known/" in path or path.endswith(("/token", "/register", "/authorize", "/revoke"))


def sse_event(name: str) -> Test:
    return lambda moment: moment.now.sse.get("event") == name


def is_empty_event(moment: Moment) -> bool:
    return "id" in moment.now.sse or "retry" in moment.now.sse


def cut_by(who: str) -> Test:
    return lambda moment: moment.now.event == "tap_cut" and moment.now.data.get("by") == who


def stdio(moment: Moment) -> bool:
    return moment.now.via == "stdio"


def is_resuming(moment: Moment) -> bool:
    return moment.now.header("Last-Event-ID") != ""


def status_of(kind: str) -> Test:
    return lambda moment: (
        moment.request is not None and (moment.request.kind == kind or (kind == "answer" and moment.request.is_answer))
    )


def lacks_session(moment: Moment) -> bool:
    asked = moment.request
    is_old = asked is not None and VERSION_KEY not in asked.meta and asked.header("Mcp-Session-Id") == ""
    return is_old and asked is not None and asked.method != "initialize" and bool(asked.http) and asked.id is not None
