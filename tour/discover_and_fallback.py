"""Finding a common revision: server/discover, and how a client falls back to the handshake.

Notice: a client that knows both eras asks `server/discover` first. A server of 2026-07-28 answers it; an older one
says -32601, or nothing at all, and then the client sends `initialize`. Neither is an error to anyone.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    if not talk.is_stateless:
        answer = talk.ask("server/discover")
        talk.notice("So answers a server that only knows the handshake (ours does, in a session of that era): "
                    "-32601. To the client this is the sign to begin with initialize.")  # fmt: skip
        assert answer["error"]["code"] == -32601
        about = {
            "protocolVersion": "2099-01-01",
            "capabilities": {},
            "clientInfo": {"name": "tomorrow", "version": "1"},
        }
        chosen = talk.result("initialize", about)["protocolVersion"]
        talk.notice("Asked for a revision from the future, the server offers its newest; the client may leave.")
        assert chosen == "2025-11-25"
        return

    assert "2026-07-28" in talk.server["supportedVersions"]
    unknown = {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    error = talk.ask("server/discover", meta=unknown)["error"]
    talk.notice("-32022: the revision is unknown, and `supported` says which are not. The client picks the newest it "
                "shares, and asks once more.")  # fmt: skip
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}
    assert talk.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]["code"] == -32601
    talk.notice("initialize, with the `_meta` of 2026-07-28: that revision has no such word.")


tour(play)
