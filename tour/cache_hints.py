"""Cache hints: how long, and for whom, an answer may be kept (2026-07-28).

Notice: `ttlMs` is a time in milliseconds, 0 meaning "stale at once"; `cacheScope` says whether others may be given the
same answer (`public`) or only who asked (`private`). Lists, reads and discovery must have both; no other result has.
"""

from stage import Talk, tour


def play(talk: Talk) -> None:
    talk.call("write_file", {"filename": "a.txt", "text": "a"})
    answers = {
        "tools/list": talk.result("tools/list"),
        "prompts/list": talk.result("prompts/list"),
        "resources/list": talk.result("resources/list"),
        "resources/templates/list": talk.result("resources/templates/list"),
        "resources/read": talk.result("resources/read", {"uri": "playground://files/a.txt"}),
    }
    call = talk.call("list_files")
    assert "ttlMs" not in call
    if not talk.is_stateless:
        talk.notice("The handshake era has no such hints; a client may keep a list until list_changed says otherwise.")
        assert all("ttlMs" not in result and "cacheScope" not in result for result in answers.values())
        return
    for method, result in {"server/discover": talk.server, **answers}.items():
        assert result["ttlMs"] >= 0, method
        assert result["cacheScope"] in ("public", "private"), method
    talk.notice("The tools are the same for everyone and rarely change: public, a minute. The files are not: 0.")
    assert answers["tools/list"]["cacheScope"] == "public"
    assert answers["resources/list"]["ttlMs"] == 0


tour(play)
