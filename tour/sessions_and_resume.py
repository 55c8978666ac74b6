"""Sessions over HTTP, and streams that break and are taken up again: the handshake era's memory.

Notice: the answer to `initialize` names the session in a header; every later request repeats it. Events have ids: who
lost a stream comes back with GET and `Last-Event-ID`, and hears the rest. 2026-07-28 has nothing of this.
"""

import contextlib

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import HangUp, Steps
from playground.carriers import Trouble
from playground.dialog import SessionGone

slow = Catalogue("a slow server", "1.0")


@slow.tool()
def ponder() -> Steps[str]:
    """Takes its time; sends its client away meanwhile."""
    yield HangUp(retry_ms=100)
    return "Forty-two."


def play(talk: Talk) -> None:
    session = talk.dialog.session
    assert talk.ask("ping", headers={"Mcp-Session-Id": None})["error"]["code"] == -32600
    with contextlib.suppress(SessionGone):
        raise AssertionError(talk.ask("ping", headers={"Mcp-Session-Id": "nobody"}))
    talk.notice("Without the session's id: 400. With one that nobody knows, or no longer: 404, and one begins anew.")

    talk.listen()
    with contextlib.suppress(Trouble):
        raise AssertionError(talk.listen())
    talk.notice("The GET's stream is for what no request asked for. There is one; a second is refused with 409.")

    with contextlib.suppress(Trouble):
        raise AssertionError(list(talk.stream("tools/call", {"name": "ponder"})))
    talk.notice("The stream ended before the answer. Its first event had an id: from there we take it up again.")
    answer = next(talk.listen(resume=True))
    assert answer["result"]["content"][0]["text"] == "Forty-two."

    talk.dialog.end_session(2)
    error = talk.ask("ping", headers={"Mcp-Session-Id": session})["error"]
    talk.notice("DELETE has ended the session. The server would have forgotten it anyway, after half an hour.")
    assert error["code"] == -32600


tour(play, revisions=("2025-11-25",), catalogue=slow)
