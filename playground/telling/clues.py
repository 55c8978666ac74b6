"""What the rules ask about a moment.

In:   a Moment (or, of most, first what to look for).
Out:  yes or no.
Here nobody knows what follows from the answer; situations.py and duties.py are tables of these.
"""

from collections.abc import Callable

from mcp_core import messages, revisions
from playground.telling.moment import LISTS, Moment
from playground.telling.said import Said, key_of, members, text_of

Test = Callable[[Moment], bool]


def always(moment: Moment) -> bool:
    return True


def method(*names: str) -> Test:
    """Whether it is one of these."""
    return lambda moment: moment.now.method in names


def answers(*names: str) -> Test:
    """Whether it answers one of these."""
    return lambda moment: moment.request is not None and moment.request.method in names


def both(*tests: Test) -> Test:
    return lambda moment: all(test(moment) for test in tests)


def no(test: Test) -> Test:
    return lambda moment: not test(moment)


def after_error(*codes: int) -> Test:
    """Whether the same thing was asked before and refused with one of these codes."""
    return lambda moment: (found := moment.like_answer) is not None and found.code in codes


def code(*codes: int) -> Test:
    return lambda moment: moment.now.code in codes


def asked_before(name: str) -> Test:
    return lambda moment: moment.asked(name) is not None


def has_failed(moment: Moment) -> bool:
    return moment.now.result.get("isError") is True


def sent_by(who: str) -> Test:
    return lambda moment: moment.now.sender == who


def result_has(name: str) -> Test:
    return lambda moment: name in moment.now.result


def is_known(moment: Moment) -> bool:
    return revisions.word(moment.now.method, revisions.LATEST) is not None or any(
        revisions.word(moment.now.method, revision) is not None for revision in revisions.HANDSHAKE
    )


def is_of_revision(moment: Moment) -> bool:
    now, word = moment.now, revisions.word(moment.now.method, moment.revision)
    is_said = word is not None and word.by in (now.sender, "both")
    # In the stateless era a server asks inside a result, never by a request of its own.
    return is_said and not (moment.is_stateless and now.kind == "request" and now.sender == "server")


def asks_with_open_id(moment: Moment) -> bool:
    now = moment.now
    twin = moment.before(
        # Without a session, two connections may belong to two clients that both count from 1.
        lambda said: (said.kind, said.sender, said.id, said.connection) == ("request", "client", now.id, now.connection)
    )
    return now.id is not None and twin is not None and moment.answer_to(twin) is None


def is_task(moment: Moment) -> bool:
    """Whether it is about tasks: experimental in 2025-11-25, since then an extension, and in no table of ours."""
    return moment.now.method.startswith(("tasks/", "notifications/tasks"))


def is_without_session(moment: Moment) -> bool:
    is_begun = moment.asked("initialize") is not None or not moment.is_whole
    return not moment.is_stateless and not is_begun and moment.now.method != "initialize"


def is_before_ready(moment: Moment) -> bool:
    return not moment.is_ready


def was_not_discovered(moment: Moment) -> bool:
    probe = moment.asked("server/discover")
    answer = moment.answer_to(probe)
    return probe is not None and (answer is None or answer.kind == "error")


def has_open_request(moment: Moment) -> bool:
    asked = [said for said in moment.past if said.kind == "request" and said.sender == moment.now.sender]
    return any(moment.answer_to(said) is None for said in asked)


# What a request must say, by method.
NEEDS = {
    "tools/call": "name", "prompts/get": "name", "resources/read": "uri", "resources/subscribe": "uri",
    "resources/unsubscribe": "uri",
}  # fmt: skip


def _is_incomplete(asked: Said) -> bool:
    need = NEEDS.get(asked.method)
    return need is not None and not text_of(asked.params.get(need))


def is_incomplete(moment: Moment) -> bool:
    """Whether it does not say what is to be called, read or filled."""
    return _is_incomplete(moment.now)


def asked_incompletely(moment: Moment) -> bool:
    return moment.request is not None and _is_incomplete(moment.request)


# Lists, and what is called from them.


def is_list(moment: Moment) -> bool:
    return moment.now.method in LISTS


def last_cursor(moment: Moment) -> str | None:
    same = moment.before(lambda said: said.is_answer and "nextCursor" in said.result)
    return key_of(same.result["nextCursor"]) if same else None


def has_cursor(moment: Moment) -> bool:
    return "cursor" in moment.now.params


def follows_cursor(moment: Moment) -> bool:
    return has_cursor(moment) and key_of(moment.now.params["cursor"]) == last_cursor(moment)


def is_stale(moment: Moment) -> bool:
    earlier, news = moment.asked(moment.now.method), LISTS.get(moment.now.method)
    return earlier is not None and news is not None and any(said.method == news for said in moment.since(earlier))


def is_for_headers(moment: Moment) -> bool:
    newest = moment.before(lambda said: said.is_answer)
    return newest is not None and newest.code == messages.HEADER_MISMATCH


def was_listed(name: str) -> Test:
    return lambda moment: moment.answer_to(moment.asked(name)) is not None


def is_unlisted(moment: Moment) -> bool:
    """Whether a tool was called that no list of this conversation has."""
    pages = [said.result["tools"] for said in moment.past if isinstance(said.result.get("tools"), list)]
    names = [members(tool).get("name") for page in pages for tool in page]
    return bool(names) and moment.request is not None and moment.request.params.get("name") not in names


def is_subscribed(moment: Moment) -> bool:
    """Whether the client asked for news of this resource, or may have before what is kept."""
    uri = moment.now.params.get("uri")
    asked = moment.before(lambda said: said.method == "resources/subscribe" and said.params.get("uri") == uri)
    return asked is not None or moment.is_stateless or not moment.is_whole


def is_news_of_folders(moment: Moment) -> bool:
    asked = moment.asked("roots/list")
    news = (said.method == "notifications/roots/list_changed" for said in moment.since(asked))
    return asked is not None and any(news)


def is_corrected(moment: Moment) -> bool:
    found = moment.like_answer
    return found is not None and found.result.get("isError") is True


def has_token(moment: Moment) -> bool:
    return key_of(moment.now.meta.get("progressToken")) is not None


def was_updated(moment: Moment) -> bool:
    uri = moment.now.params.get("uri")
    news = moment.told("notifications/resources/updated")
    return news is not None and news.params.get("uri") == uri


# What belongs to another message.


def is_about_something(moment: Moment) -> bool:
    return moment.request is not None


def is_answered(moment: Moment) -> bool:
    return moment.answer_to(moment.request) is not None


def was_canceled(moment: Moment) -> bool:
    asked = moment.request.id if moment.request else None
    called_off = moment.told("notifications/cancelled")
    return called_off is not None and asked is not None and key_of(called_off.params.get("requestId")) == asked


def asked_with(name: str) -> Test:
    return lambda moment: moment.request is not None and name in moment.request.params


def open_meta(name: str) -> Test:
    """Whether the request that it belongs to has this in its `_meta`; any request, where nothing says which it is."""

    def test(moment: Moment) -> bool:
        if moment.request is not None:
            return name in moment.request.meta
        return moment.before(lambda said: said.kind == "request" and name in said.meta) is not None

    return test


def is_agreed(moment: Moment) -> bool:
    asked = moment.request.params.get("protocolVersion") if moment.request else None
    return moment.now.result.get("protocolVersion") == asked


def action(name: str) -> Test:
    return lambda moment: moment.now.result.get("action") == name


def mode(name: str) -> Test:
    return lambda moment: moment.now.params.get("mode", "form") == name


def stateless(moment: Moment) -> bool:
    return moment.is_stateless


def called_before(moment: Moment) -> bool:
    return moment.before(lambda said: said.kind == "request" and said.method == "tools/call") is not None


def event(*names: str) -> Test:
    return lambda moment: moment.now.event in names


def calls(moment: Moment) -> bool:
    """Whether a model's answer, in any provider's words, wishes for a tool."""
    return "tool_calls" in str(moment.now.message) or "tool_use" in str(moment.now.message)


def is_old_word(moment: Moment) -> bool:
    known = {word.method for word in revisions.WORDS}
    asked = moment.request
    return asked is not None and asked.method in known and revisions.word(asked.method, moment.revision) is None


def has_open_requests(moment: Moment) -> bool:
    return bool(moment.open_requests)
