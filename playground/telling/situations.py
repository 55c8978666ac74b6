"""Why now: the table of situations. The first whose test passes is the one that the message is in.

In:   a Moment.
Out:  the name of a situation; why.toml has its text.
Here nobody knows the texts, or what has to follow (duties.py does).

The order matters and is the order of surprise: what is wrong comes before what is special, what is special before what
is usual. The last row of each part always passes, so no message is left without a situation.
"""

from mcp_core import messages
from mcp_core.revisions import LOG_LEVEL_KEY
from playground.telling.clues import (
    Test,
    action,
    after_error,
    always,
    answers,
    asked_before,
    asked_with,
    asks_with_open_id,
    both,
    called_before,
    calls,
    code,
    event,
    follows_cursor,
    has_cursor,
    has_open_request,
    has_token,
    http_method,
    is_about_something,
    is_agreed,
    is_answered,
    is_before_ready,
    is_corrected,
    is_for_headers,
    is_known,
    is_list,
    is_of_revision,
    is_old_word,
    is_plain_rpc,
    is_resuming,
    is_stale,
    is_without_session,
    lacks_session,
    method,
    mode,
    no,
    open_meta,
    result_has,
    status,
    status_of,
    was_canceled,
    was_listed,
    was_lost,
    was_not_discovered,
    was_updated,
)
from playground.telling.moment import LISTS, Moment
from playground.telling.said import Said

Row = tuple[str, Test]

QUESTIONS = ("elicitation/create", "sampling/createMessage", "roots/list")


def situation(moment: Moment) -> str:
    """The name of the situation that a message is in."""
    return next(name for name, test in PARTS[part_of(moment.now)] if test(moment))


def part_of(now: Said) -> str:
    """The part of the table in which a message is looked up, and of why.toml in which its defaults stand."""
    name = now.kind if now.kind in PARTS else f"{now.sender} {now.kind}"
    return name if name in PARTS else "event"  # a log may name a speaker that MCP does not have


CLIENT_REQUEST: tuple[Row, ...] = (
    ("same-id-twice", asks_with_open_id),
    ("unknown-method", no(is_known)),
    ("word-of-another-revision", no(is_of_revision)),
    ("initialize-after-a-probe", both(method("initialize"), was_not_discovered)),
    ("initialize-because-the-session-is-gone", both(method("initialize"), was_lost)),
    ("initialize-again", both(method("initialize"), asked_before("initialize"))),
    ("initialize-first", method("initialize")),
    ("again-in-a-revision-both-know", after_error(messages.UNSUPPORTED_VERSION)),
    ("again-with-the-right-headers", after_error(messages.HEADER_MISMATCH)),
    ("again-with-the-capability", after_error(messages.MISSING_CAPABILITY)),
    ("discover-again", both(method("server/discover"), asked_before("server/discover"))),
    ("discover-first", method("server/discover")),
    ("again-with-answers", lambda moment: "inputResponses" in moment.now.params),
    ("again-with-state", lambda moment: "requestState" in moment.now.params),
    ("plain-rpc", is_plain_rpc),
    ("without-a-session", is_without_session),
    ("ping-before-ready", both(method("ping"), is_before_ready)),
    ("ping-while-waiting", both(method("ping"), has_open_request)),
    ("ping-while-idle", method("ping")),
    ("before-ready", is_before_ready),
    ("list-next-page", both(is_list, follows_cursor)),
    ("list-with-a-cursor-nobody-gave", both(is_list, has_cursor)),
    ("list-for-the-headers", both(is_list, is_for_headers)),
    ("list-after-a-change", both(is_list, is_stale)),
    ("list-again", lambda moment: moment.now.method in LISTS and moment.asked(moment.now.method) is not None),
    ("list-first", is_list),
    ("call-corrected", both(method("tools/call"), is_corrected)),
    ("call-with-a-token", both(method("tools/call"), has_token)),
    ("call-from-the-list", both(method("tools/call"), was_listed("tools/list"))),
    ("call-unlisted", method("tools/call")),
    ("read-after-news", both(method("resources/read"), was_updated)),
    ("read-from-the-list", both(method("resources/read"), was_listed("resources/list"))),
    ("read-unlisted", method("resources/read")),
    ("prompt", method("prompts/get")),
    ("completion", method("completion/complete")),
    ("set-level", method("logging/setLevel")),
    ("subscribe", method("resources/subscribe")),
    ("unsubscribe", method("resources/unsubscribe")),
    ("listen-again", both(method("subscriptions/listen"), asked_before("subscriptions/listen"))),
    ("listen", always),
)

CLIENT_NOTIFICATION: tuple[Row, ...] = (
    ("unknown-notification", no(is_known)),
    ("word-of-another-revision", no(is_of_revision)),
    ("initialized", method("notifications/initialized")),
    ("cancel-a-subscription", both(method("notifications/cancelled"), answers("subscriptions/listen"))),
    ("cancel-too-late", both(method("notifications/cancelled"), is_answered)),
    ("cancel-open", both(method("notifications/cancelled"), is_about_something)),
    ("cancel-nothing", method("notifications/cancelled")),
    ("roots-changed", method("notifications/roots/list_changed")),
    ("progress-of-the-client", always),
)

CLIENT_RESULT: tuple[Row, ...] = (
    ("answer-to-nothing", no(is_about_something)),
    ("user-accepts", action("accept")),
    ("user-declines", action("decline")),
    ("user-cancels", action("cancel")),
    ("sampled", answers("sampling/createMessage")),
    ("roots", answers("roots/list")),
    ("pong", always),
)

CLIENT_ERROR: tuple[Row, ...] = (("answer-to-nothing", no(is_about_something)), ("client-refuses", always))

SERVER_RESULT: tuple[Row, ...] = (
    ("answer-to-nothing", no(is_about_something)),
    ("answer-after-cancel", was_canceled),
    ("agreed", both(answers("initialize"), is_agreed)),
    ("agreed-on-another", answers("initialize")),
    ("discovered", answers("server/discover")),
    ("input-required", lambda moment: moment.now.result.get("resultType") == "input_required"),
    ("listed-with-more", result_has("nextCursor")),
    ("listed-last-page", both(answers(*LISTS), asked_with("cursor"))),
    ("listed", answers(*LISTS)),
    ("tool-failed", both(answers("tools/call"), lambda moment: moment.now.result.get("isError") is True)),
    ("done-after-answers", asked_with("inputResponses")),
    ("done", answers("tools/call")),
    ("read", answers("resources/read")),
    ("prompt-filled", answers("prompts/get")),
    ("completed", answers("completion/complete")),
    ("listened", answers("subscriptions/listen")),
    ("pong", answers("ping")),
    ("agreed-to", lambda moment: not moment.now.result),
    ("done-otherwise", always),
)

SERVER_ERROR: tuple[Row, ...] = (
    ("refused-unreadable", code(messages.PARSE_ERROR)),
    ("refused-probe", both(answers("server/discover"), no(code(messages.UNSUPPORTED_VERSION)))),
    ("refused-session-gone", both(status(404), code(messages.INVALID_REQUEST))),
    ("refused-url-first", code(messages.URL_ELICITATION_REQUIRED)),
    ("refused-version", code(messages.UNSUPPORTED_VERSION)),
    ("refused-headers", code(messages.HEADER_MISMATCH)),
    ("refused-capability", code(messages.MISSING_CAPABILITY)),
    ("refused-no-resource", code(messages.RESOURCE_NOT_FOUND)),
    ("refused-no-resource", both(answers("resources/read"), code(messages.INVALID_PARAMS))),
    ("refused-word-of-another-revision", both(code(messages.METHOD_NOT_FOUND), is_old_word)),
    ("refused-method", code(messages.METHOD_NOT_FOUND)),
    ("refused-state", both(code(messages.INVALID_PARAMS), asked_with("requestState"))),
    ("refused-cursor", both(code(messages.INVALID_PARAMS), asked_with("cursor"))),
    ("refused-no-tool", both(code(messages.INVALID_PARAMS), answers("tools/call"))),
    ("refused-params", code(messages.INVALID_PARAMS)),
    ("refused-no-session", both(code(messages.INVALID_REQUEST), lacks_session)),
    ("refused-no-message", code(messages.INVALID_REQUEST)),
    ("refused-fault", code(messages.INTERNAL_ERROR)),
    ("refused-by-its-own-code", always),
)

SERVER_NOTIFICATION: tuple[Row, ...] = (
    ("unknown-notification", no(is_known)),
    ("progress-because-of-a-token", both(method("notifications/progress"), is_about_something)),
    ("progress-nobody-asked-for", method("notifications/progress")),
    ("log-because-of-the-request", both(method("notifications/message"), open_meta(LOG_LEVEL_KEY))),
    ("log-because-of-the-level", both(method("notifications/message"), asked_before("logging/setLevel"))),
    ("log-unasked", method("notifications/message")),
    ("subscribed", method("notifications/subscriptions/acknowledged")),
    ("news-of-a-resource", method("notifications/resources/updated")),
    ("news-for-a-subscription", both(method(*LISTS.values()), is_about_something)),
    ("news-after-a-call", both(method(*LISTS.values()), called_before)),
    ("news-of-a-list", method(*LISTS.values())),
    ("question-closed", method("notifications/elicitation/complete")),
    ("canceled-by-the-server", always),
)

SERVER_REQUEST: tuple[Row, ...] = (
    ("unknown-method", no(is_known)),
    ("question-in-the-wrong-era", no(is_of_revision)),
    ("ping-of-the-server", method("ping")),
    ("question-out-of-the-blue", both(method(*QUESTIONS), no(is_about_something))),
    ("question-with-a-form", both(method("elicitation/create"), mode("form"))),
    ("question-with-a-page", method("elicitation/create")),
    ("question-for-the-model", method("sampling/createMessage")),
    ("question-for-the-folders", always),
)

HTTP: tuple[Row, ...] = (
    ("session-ended", http_method("DELETE")),
    ("listening-resumed", both(http_method("GET"), is_resuming)),
    ("listening", http_method("GET")),
    ("accepted-answer", both(status(202), status_of("answer"))),
    ("accepted", status(202)),
    ("bare-status", always),
)

MODEL: tuple[Row, ...] = (
    ("model-is-asked-again", event("chat_followup_request")),
    ("model-is-asked", event("chat_request")),
    ("model-wants-tools", both(event("chat_response", "chat_followup_response"), calls)),
    ("model-answers", event("chat_response", "chat_followup_response")),
    ("user-speaks", lambda moment: moment.now.sender == "user"),
    ("user-is-told", always),
)

OTHERS: tuple[Row, ...] = (("event", always),)

PARTS: dict[str, tuple[Row, ...]] = {
    "client request": CLIENT_REQUEST,
    "client notification": CLIENT_NOTIFICATION,
    "client result": CLIENT_RESULT,
    "client error": CLIENT_ERROR,
    "server result": SERVER_RESULT,
    "server error": SERVER_ERROR,
    "server notification": SERVER_NOTIFICATION,
    "server request": SERVER_REQUEST,
    "http": HTTP,
    "model": MODEL,
    "batch": (("batch", always),),
    "unparsed": (
        ("unparsed-of-the-client", lambda moment: moment.now.sender == "client"),
        ("unparsed-of-the-server", always),
    ),
    "event": OTHERS,
}
