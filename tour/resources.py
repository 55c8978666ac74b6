"""Resources: what a host may show or attach, without any model asking for it.

Notice: a resource has an address (`uri`); the list names it, and only `resources/read` brings its contents, as `text`
or, for what is no text, as `blob` in base64. What can't be found is told by another code in each era.
"""

from stage import Talk, tour

URI = "playground://files/hello.txt"


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "hello.txt", "text": "hello MCP\n"})

    listed = talk.result("resources/list")["resources"]
    talk.notice("The list is for a menu: address, name, kind and size, and no contents.")
    entry = next(one for one in listed if one["uri"] == URI)
    assert (entry["name"], entry["mimeType"], entry["size"]) == ("hello.txt", "text/plain", 10)

    (contents,) = talk.result("resources/read", {"uri": URI})["contents"]
    talk.notice("`contents` is a list: one address may stand for several things, such as a folder's files.")
    assert contents == {"uri": URI, "mimeType": "text/plain", "text": "hello MCP\n"}

    error = talk.ask("resources/read", {"uri": "playground://files/none.txt"})["error"]
    talk.notice("The data of the error repeats the address. Until 2025-11-25 this had a code of its own, -32002; "
                "2026-07-28 counts it among the invalid params, -32602. A client takes both.")  # fmt: skip
    assert error["code"] == (-32602 if talk.is_stateless else -32002)
    assert error["data"] == {"uri": "playground://files/none.txt"}


tour(play)
