"""Ping: are you there? Either side may ask; 2026-07-28 did away with it.

Notice: the answer is an empty object and nothing else. That it came is all it says. Ours answers a server's ping too,
and so must every client of the handshake era.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    answer = talk.ask("ping")
    if talk.is_stateless:
        talk.notice("-32601, over HTTP with status 404: a request that needs no session needs no sign of life either.")
        assert answer["error"]["code"] == -32601
    else:
        talk.notice("Exactly {}. A side that waits in vain for it may take the connection for dead.")
        assert answer["result"] == {}


tour(play)
