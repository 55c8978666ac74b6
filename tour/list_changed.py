"""list_changed: to be told that there are other tools, prompts or resources than before.

Notice: the notification is empty; the client lists again if it cares. In the handshake era it comes unasked, to whoever
listens; in 2026-07-28 only on a `subscriptions/listen` stream, and only the kinds one asked for.
"""

from stage import Talk, tour

from mcp_core.catalogue import Catalogue, Change

KINDS = ("tools", "prompts", "resources")
shop = Catalogue("a shop that changes", "1.0")


@shop.tool()
def restock() -> str:
    """Adds a tool for a new article."""
    shop.tool(name="buy_pears")(lambda: "Here you are.")
    for kind in KINDS:  # who changes a catalogue says so
        shop.announce(Change(kind))
    return "There are pears now."


@shop.prompt()
def haggle() -> str:
    return "Try to get it cheaper."


@shop.resource("shop://hours", name="hours")
def hours() -> str:
    return "9 to 5"


def play(talk: Talk) -> None:
    if talk.is_stateless:
        news = talk.stream("subscriptions/listen", {"notifications": {f"{kind}ListChanged": True for kind in KINDS}})
        assert len(next(news)["params"]["notifications"]) == 3
    else:
        news = talk.listen()
    talk.call("restock")
    for kind in KINDS:
        talk.heard(f"notifications/{kind}/list_changed", news)
    talk.notice("Three notifications, none of which says what changed. So we ask.")
    assert "buy_pears" in [tool["name"] for tool in talk.result("tools/list")["tools"]]


tour(play, catalogue=shop)
