"""Completion: what could stand in a prompt's blank, while the user is still typing.

Notice: it is asked for at every key stroke, so it must be quick, and it is only advice. Since 2025-06-18 `context` can
name the arguments that are filled in already, since one may depend on the other.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    for name in ("notes.txt", "novel.txt", "todo.txt"):
        talk.call("write_file", {"filename": name, "text": ""})

    def suggestions(argument: str, typed: str) -> list[str]:
        params = {
            "ref": {"type": "ref/prompt", "name": "review_file"},
            "argument": {"name": argument, "value": typed},
            "context": {"arguments": {"style": "brief"}},
        }
        completion = talk.result("completion/complete", params)["completion"]
        assert (completion["total"], completion["hasMore"]) == (len(completion["values"]), False)
        return list(completion["values"])

    assert suggestions("filename", "no") == ["notes.txt", "novel.txt"]
    assert suggestions("filename", "nov") == ["novel.txt"]
    talk.notice("One key more, one suggestion less.")
    assert suggestions("style", "") == ["brief", "friendly", "thorough"]
    assert suggestions("no such argument", "x") == []

    ref = {"type": "ref/prompt", "name": "no_such_prompt"}
    answer = talk.ask("completion/complete", {"ref": ref, "argument": {"name": "x", "value": ""}})
    assert answer["error"]["code"] == -32602


tour(play)
