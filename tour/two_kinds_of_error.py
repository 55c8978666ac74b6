"""Errors: those for the program (`error`, with a code) and those for the model (`isError`, with a sentence).

Notice: what a model can mend (a wrong argument, a file that isn't there) is a *result* with isError, which the host
hands to the model. What only a programmer can mend (no such method, no such tool, no JSON) is an *error*.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    missing = talk.call("read_file", {"filename": "none.txt"})
    wrong_type = talk.call("read_file", {"filename": 5})
    for result in (missing, wrong_type):
        assert result["isError"] is True
        assert result["content"][0]["text"].endswith(".")
    talk.notice("Two results. Their sentences say what to do next, for a model reads them.")

    assert talk.ask("tools/dance")["error"]["code"] == -32601
    assert talk.ask("tools/call", {"name": "no_such_tool"})["error"]["code"] == -32602
    assert talk.ask("tools/call", {"name": 5})["error"]["code"] == -32602
    (answer,) = talk.dialog.raw(b'{"jsonrpc":"2.0","id":99,"method"', "tour/two_kinds_of_error.py")
    talk.notice("-32601 no such method, -32602 wrong params, -32700 no JSON: and then the id is unknown, hence null.")
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    (answer,) = talk.dialog.raw(b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', "tour/two_kinds_of_error.py")
    assert answer["error"]["code"] == -32600


tour(play, ways=("http", "stdio"))
