"""Resource templates: one entry for a whole family of addresses, and help with filling it in.

Notice: the template is a URI with a hole in it (RFC 6570). `completion/complete`, with the template as its `ref`, turns
what the user has typed so far into what could stand there.
"""

from stage import Talk, tour

TEMPLATE = "playground://files/{name}"


def play(talk: Talk) -> None:
    for name in ("apple.txt", "apricot.txt", "banana.txt"):
        talk.call("write_file", {"filename": name, "text": name})

    (template,) = talk.result("resources/templates/list")["resourceTemplates"]
    talk.notice("`uriTemplate` in place of `uri`: the client fills in {name}, percent-encoded, and reads that address.")
    assert template["uriTemplate"] == TEMPLATE

    ref = {"type": "ref/resource", "uri": TEMPLATE}
    completion = talk.result("completion/complete", {"ref": ref, "argument": {"name": "name", "value": "ap"}})
    talk.notice("At most 100 values; `total` and `hasMore` would say that there are more.")
    assert completion["completion"]["values"] == ["apple.txt", "apricot.txt"]

    read = talk.result("resources/read", {"uri": TEMPLATE.replace("{name}", "apricot.txt")})
    assert read["contents"][0]["text"] == "apricot.txt"


tour(play)
