"""Structured output: a result for a program beside the one for a model.

Notice: `outputSchema` promises a shape, `structuredContent` keeps it, and `content` says the same as text, for clients
that don't look. A client checks the promise. Both fields exist since 2025-06-18; before, only the text was there.
"""

import json

from stage import Talk, tour

from mcp_core import schemas


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "a.txt", "text": "TODO TODO"})
    tools = {tool["name"]: tool for tool in talk.result("tools/list")["tools"]}
    result = talk.call("search_all", {"keyword": "TODO"})
    value = json.loads(result["content"][0]["text"])
    assert value == {"files": [{"name": "a.txt", "count": 2}], "total": 2}

    if talk.revision < "2025-06-18":
        talk.notice("This revision has only the text. That it is JSON is a courtesy of this server.")
        assert "outputSchema" not in tools["search_all"]
        assert "structuredContent" not in result
        return
    assert result["structuredContent"] == value
    complaints = schemas.checker(tools["search_all"]["outputSchema"])
    assert complaints(value) == []
    assert complaints({"total": "two"}) != []
    talk.notice("Checked against the schema that tools/list gave us. A result that fails would be the server's fault.")


tour(play, revisions=("2025-03-26", "2025-11-25", "2026-07-28"))
