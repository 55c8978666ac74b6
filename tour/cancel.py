"""Cancellation: a call that takes too long is given up, and the server stops working on it.

Notice: in the handshake era, and through a pipe in any, a notification names the id of the call; no answer to that call
will come. Over HTTP in 2026-07-28 one closes the stream, and that says it all. `initialize` can't be cancelled.
"""

import time

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Progress, Steps

counter = Catalogue("a patient counter", "1.0")
reached = {"now": 0, "stopped": False}


@counter.tool()
def count(to: int) -> Steps[str]:
    """Counts, a hundred numbers a second."""
    try:
        for number in range(to):
            reached.update(now=number, stopped=False)
            time.sleep(0.01)
            yield Progress(number, to)  # at a yield, a tool that was cancelled ends
        return "Done."
    finally:
        reached["stopped"] = True


@counter.tool()
def how_far() -> str:
    """Says how far the last count came, once it has stopped."""
    while not reached["stopped"]:
        time.sleep(0.01)
    return str(reached["now"])


def play(talk: Talk) -> None:
    arguments = {"to": 100_000}  # a quarter of an hour
    news = talk.stream("tools/call", {"name": "count", "arguments": arguments}, meta={"progressToken": 1})
    assert next(news)["method"] == "notifications/progress"
    talk.give_up(news)
    far = int(talk.call("how_far")["content"][0]["text"])
    talk.notice(f"It stopped at {far}. What a tool has done by then stays done: cancelling undoes nothing.")
    assert far < 1000


tour(play, catalogue=counter, ways=("http", "stdio"))
