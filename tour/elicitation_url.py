"""Elicitation by URL: what must not pass through the client, such as a password, goes to a web page.

Notice: `accept` only means that the user agreed to open the page. That they are done there, a server of 2025-11-25 may
say with `notifications/elicitation/complete`. A tool that can do nothing before may also refuse with -32042 and the
list of pages; that code existed in 2025-11-25 alone.
"""

from typing import Any

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Ask, Completed, Steps
from mcp_core.messages import URL_ELICITATION_REQUIRED, ProtocolError

PAGE = {"message": "Please sign in.", "url": "http://127.0.0.1:9/sign-in"}
bank = Catalogue("a bank", "1.0")


@bank.tool()
def balance() -> Steps[str]:
    """Says how much there is."""
    yield Ask.url("sign-in", PAGE["message"], PAGE["url"], "sign-in-1")
    yield Completed("sign-in-1")  # a real bank would wait here for its own page
    return "12 coins"


@bank.tool()
def transfer() -> str:
    """Sends coins."""
    pages = [{"mode": "url", **PAGE, "elicitationId": "sign-in-2"}]
    raise ProtocolError(URL_ELICITATION_REQUIRED, "Sign in first.", {"elicitations": pages})


def our_user(params: dict[str, Any]) -> dict[str, Any]:
    assert (params["mode"], params["url"]) == ("url", PAGE["url"])  # a client shows the address, and asks before
    return {"action": "accept"}


def play(talk: Talk) -> None:
    assert talk.call("balance")["content"][0]["text"] == "12 coins"
    if not talk.is_stateless:
        assert talk.heard("notifications/elicitation/complete") == {"elicitationId": "sign-in-1"}
        error = talk.ask("tools/call", {"name": "transfer"})["error"]
        talk.notice("-32042: nothing was done. The client opens the pages, and makes the call again.")
        assert error["data"]["elicitations"][0]["elicitationId"] == "sign-in-2"


tour(play, able={"elicitation": {"url": {}}}, replies={"elicitation/create": our_user}, catalogue=bank)
