"""Roots: the folders a client works in, for a server that asks.

Notice: they are a hint and no fence; a server that must stay in them has to see to that itself. `notifications/roots/
list_changed` tells a server of the handshake era that there are others now; in 2026-07-28 roots are deprecated, and it
asks again whenever it wants to know.
"""

from typing import Any

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Ask, Steps

folders = ["file:///home/ana/project"]
desk = Catalogue("a server that asks where", "1.0")


@desk.tool()
def where() -> Steps[str]:
    """Says where the client works."""
    answer = yield Ask.roots("where")
    return ", ".join(root["uri"] for root in answer["roots"]) if answer else "This client does not say."


def our_roots(params: dict[str, Any]) -> dict[str, Any]:
    return {"roots": [{"uri": uri, "name": uri.rpartition("/")[2]} for uri in folders]}


def play(talk: Talk) -> None:
    assert talk.call("where")["content"][0]["text"] == folders[0]
    folders.append("file:///home/ana/notes")
    if not talk.is_stateless:
        talk.tell("notifications/roots/list_changed")
        talk.notice("Only that they changed; the server asks for the new ones when it needs them.")
    assert talk.call("where")["content"][0]["text"] == ", ".join(folders)
    folders.pop()


tour(play, able={"roots": {"listChanged": True}}, replies={"roots/list": our_roots}, catalogue=desk)
