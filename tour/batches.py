"""Batches: several messages in one array. Revision 2025-03-26 had them, and no other.

Notice: the answers come in any order, each with its id; notifications in the array get none. Whoever is told 2025-03-26
must take batches; 2025-06-18 took them out again, and there the same array is one invalid request.
"""

import json

from stage import Talk, tour


def play(talk: Talk) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody"}},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "list_files", "arguments": {}}},
        {"jsonrpc": "2.0", "id": "c", "method": "tools/dance"},
    ]
    answers = talk.dialog.raw(json.dumps(batch).encode(), "tour/batches.py")
    if talk.revision == "2025-03-26":
        by_id = {answer["id"]: answer for answer in answers}
        talk.notice("Three answers to four messages, over HTTP in one stream.")
        assert sorted(by_id) == ["a", "b", "c"]
        assert by_id["a"]["result"] == {}
        assert by_id["c"]["error"]["code"] == -32601
    else:
        talk.notice("One error, without an id: this revision knows no arrays, so it never asked what was in it.")
        (answer,) = answers
        assert answer["error"]["code"] == -32600


tour(play, revisions=("2025-03-26", "2025-06-18"))
