"""Sampling: a server that borrows the client's model.

Notice: the server has no model and no key; the client decides whether, which, and what of the answer to give back. In
the handshake era the question is a request of the server's own, in mid-call; in 2026-07-28 (where it is deprecated) it
stands in a result that says `input_required`, and the call is made again with the answer.
"""

from typing import Any

from stage import Talk, tour


def our_model(params: dict[str, Any]) -> dict[str, Any]:
    """A host would ask its user first, and then its model; ours is a small one."""
    text = params["messages"][0]["content"]["text"]
    assert "hello MCP" in text
    assert params["maxTokens"] == 300
    words = {"type": "text", "text": "A greeting."}
    return {"role": "assistant", "content": words, "model": "a-small-model", "stopReason": "endTurn"}


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "hello.txt", "text": "hello MCP\n"})
    result = talk.call("summarize_file", {"filename": "hello.txt"})
    talk.notice("The model's words came back inside the tool's result. The server never learned whose they are.")
    assert result["structuredContent"] == {"summary": "A greeting."}

    talk.able = {}  # what a client can do it says at the handshake, or in 2026-07-28 with every request anew
    if talk.is_stateless:
        result = talk.call("summarize_file", {"filename": "hello.txt"})
        talk.notice("The same call, without `sampling` among our capabilities: this server does without, and says so.")
        assert result["isError"]
    talk.able = {"sampling": {}}


tour(play, able={"sampling": {}}, replies={"sampling/createMessage": our_model})
