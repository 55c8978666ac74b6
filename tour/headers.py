"""The headers of HTTP: what they repeat of the message, and what happens when they lie.

Notice: in 2026-07-28 MCP-Protocol-Version, Mcp-Method and Mcp-Name mirror the body, so that what stands between client
and server can route a request without reading it. A mirror that may lie is worth nothing, so the server compares. In
the handshake era there is only the version, since 2025-06-18.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    if not talk.is_stateless:
        answer = talk.ask("tools/list", headers={"MCP-Protocol-Version": "1999-01-01"})
        talk.notice("A revision that nobody knows: 400. A client that sends no such header is still let in.")
        assert "error" in answer
        assert "result" in talk.ask("tools/list", headers={"MCP-Protocol-Version": None})
        return

    call = {"name": "list_files", "arguments": {}}
    assert "result" in talk.ask("tools/call", call)
    for wrong in (
        {"Mcp-Method": "tools/list"},  # says another word than the body
        {"Mcp-Name": "delete_file"},  # another tool: a firewall would have let it pass, or not
        {"Mcp-Name": None},  # missing
        {"MCP-Protocol-Version": "2025-11-25"},
    ):
        answer = talk.ask("tools/call", call, headers=wrong)
        assert answer["error"]["code"] == -32020
    talk.notice("-32020, HeaderMismatch, with status 400: the message was not even looked at.")

    talk.call("write_file", {"filename": "naïve.txt", "text": "ü"})
    assert "result" in talk.ask("resources/read", {"uri": "playground://files/naïve.txt"})
    talk.notice("A header must be ASCII and a name need not be: then it travels as =?base64?…?=.")


tour(play)
