"""Pagination: long lists come in pages, and a cursor says where the next one begins.

Notice: a cursor means something to the server alone; a client returns it unread. Only its absence ends the list: an
empty text is a cursor too. The size of a page is the server's choice.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    names, pages, cursor = [], 0, None
    while True:
        result = talk.result("tools/list", {} if cursor is None else {"cursor": cursor})
        names += [tool["name"] for tool in result["tools"]]
        pages += 1
        cursor = result.get("nextCursor")
        if cursor is None:
            break
    talk.notice(f"{len(names)} tools on {pages} pages. All four lists work like this one.")
    assert len(names) == len(set(names)) == 8
    assert pages == 3

    answer = talk.ask("tools/list", {"cursor": "made up"})
    talk.notice("A cursor that the server did not give out is an invalid param.")
    assert answer["error"]["code"] == -32602


tour(play, page_size=3)
