"""Progress: how far a call has come, for those who ask to be told.

Notice: the client makes up a `progressToken` and puts it into `_meta`; every notification repeats it. `progress` only
grows; `total` may be missing; `message`, for a human, exists since 2025-03-26. The answer always comes last.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        talk.call("write_file", {"filename": name, "text": "TODO"})

    *news, answer = talk.stream(
        "tools/call", {"name": "search_all", "arguments": {"keyword": "TODO"}}, meta={"progressToken": "search-1"}
    )
    talk.notice("Three notifications and the answer, in one stream of events.")
    assert [note["method"] for note in news] == ["notifications/progress"] * 3
    assert [note["params"]["progress"] for note in news] == [1, 2, 3]
    assert all(note["params"]["progressToken"] == "search-1" for note in news)
    assert all(note["params"]["total"] == 3 for note in news)
    has_messages = talk.revision >= "2025-03-26"
    assert ("message" in news[0]["params"]) == has_messages
    assert "result" in answer

    (answer,) = talk.stream("tools/call", {"name": "search_all", "arguments": {"keyword": "TODO"}})
    talk.notice("Without a token there is no progress, and over HTTP not even a stream: plain JSON is enough.")
    assert "result" in answer


tour(play, revisions=("2024-11-05", "2025-11-25", "2026-07-28"))
