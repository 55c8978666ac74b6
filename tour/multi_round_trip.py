"""Multi round-trip requests: how a server that remembers nothing asks a question (2026-07-28).

Notice: the result says `input_required`, and holds the questions and a `requestState`. The client calls again, with
the same arguments, the answers and that state. The state is sealed: it fits this one call, for ten minutes, unchanged.
In the handshake era the same tool, the same lines of code, asks by a request of the server's own.
"""

from typing import Any

from stage import Talk, tour

YES = {"action": "accept", "content": {"sure": True}}


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "old.txt", "text": "old"})
    call: dict[str, Any] = {"name": "delete_file", "arguments": {"filename": "old.txt"}}
    if not talk.is_stateless:
        assert talk.call("delete_file", call["arguments"])["structuredContent"] == {"deleted": True}
        return

    asked = talk.result("tools/call", call)
    state = asked["requestState"]
    assert (asked["resultType"], list(asked["inputRequests"])) == ("input_required", ["sure"])
    assert asked["inputRequests"]["sure"]["method"] == "elicitation/create"

    answers = {"inputResponses": {"sure": YES}}
    tampered = talk.ask("tools/call", {**call, **answers, "requestState": state[:-2] + "x="})
    elsewhere = {"name": "delete_file", "arguments": {"filename": "new.txt"}}
    moved = talk.ask("tools/call", {**elsewhere, **answers, "requestState": state})
    talk.notice("A state that was changed, and one that was given for another call: both are refused with -32602.")
    assert tampered["error"]["code"] == moved["error"]["code"] == -32602

    again = talk.result("tools/call", {**call, "inputResponses": {}, "requestState": state})
    talk.notice("An answer is missing: the server asks again, and is not angry.")
    assert again["resultType"] == "input_required"

    done = talk.result("tools/call", {**call, **answers, "requestState": again["requestState"]})
    assert done["structuredContent"] == {"deleted": True}


tour(play, able={"elicitation": {}}, replies={"elicitation/create": lambda params: YES})
