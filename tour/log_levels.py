"""Log messages of a server, from the level on that a client wants to hear.

Notice: in the handshake era `logging/setLevel` holds for the whole session. In 2026-07-28 (where this is deprecated)
each request says in `_meta` what it wants to hear, and who says nothing hears nothing.
"""

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Log, Steps

oven = Catalogue("an oven", "1.0")


@oven.tool()
def bake() -> Steps[str]:
    """Bakes a cake, and talks about it."""
    yield Log("debug", "The lamp is on.", logger="oven")
    yield Log("info", {"degrees": 180}, logger="oven")
    yield Log("warning", "It gets dark.", logger="oven")
    return "A cake."


def heard(talk: Talk, level: str) -> list[str]:
    if talk.is_stateless:
        talk.call("bake", meta={"io.modelcontextprotocol/logLevel": level})
    else:
        assert talk.result("logging/setLevel", {"level": level}) == {}
        talk.call("bake")
    notes = [note["params"] for note in talk.dialog.heard if note["method"] == "notifications/message"]
    talk.dialog.heard.clear()
    return [note["level"] for note in notes]


def play(talk: Talk) -> None:
    assert heard(talk, "warning") == ["warning"]
    assert heard(talk, "debug") == ["debug", "info", "warning"]
    talk.notice("The eight levels are those of syslog (RFC 5424); `data` may be any JSON value.")
    if talk.is_stateless:
        talk.call("bake")
        assert talk.dialog.heard == []
        talk.notice("The same call without a logLevel: silence.")


tour(play, catalogue=oven)
