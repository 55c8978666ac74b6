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
    asked_incompletely,
    asked_with,
    asks_with_open_id,
    both,
    called_before,
    code,
    follows_cursor,
    has_cursor,
    has_failed,
    has_open_request,
    has_open_requests,
    has_token,
    is_about_something,
    is_agreed,
    is_answered,
    is_before_ready,
    is_corrected,
    is_for_headers,
    is_incomplete,
    is_known,
    is_list,
    is_news_of_folders,
    is_of_revision,
    is_old_word,
    is_stale,
    is_subscribed,
    is_task,
    is_unlisted,
    is_without_session,
    method,
    mode,
    no,
    open_meta,
    result_has,
    stateless,
    was_canceled,
    was_listed,
    was_not_discovered,
    was_updated,
)
from playground.telling.http_clues import (
    is_plain_rpc,
    lacks_session,
    names_session,
    status,
    stdio,
    was_lost,
)
from playground.telling.moment import LISTS, Moment
from playground.telling.said import Said
from playground.telling.unspoken import HTTP, MODEL, OTHERS, UNPARSED

Row = tuple[str, Test]

QUESTIONS = ("elicitation/create", "sampling/createMessage", "roots/list")
TASKS = ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update")


def situation(moment: Moment) -> str:
    """The name of the situation that a message is in."""
    return next(name for name, test in PARTS[part_of(moment.now)] if test(moment))


def part_of(now: Said) -> str:
    """The part of the table in which a message is looked up, and of why.toml in which its defaults stand."""
    name = now.kind if now.kind in PARTS else f"{now.sender} {now.kind}"
    return name if name in PARTS else "event"  # a log may name a speaker that MCP does not have


CLIENT_REQUEST: tuple[Row, ...] = (
    ("same-id-twice", asks_with_open_id),
    ("task-asked-after", is_task),
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
    ("incomplete", is_incomplete),
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
    ("task-news", is_task),
    ("unknown-notification", no(is_known)),
    ("word-of-another-revision", no(is_of_revision)),
    ("initialized", method("notifications/initialized")),
    ("cancel-by-message-over-http", both(method("notifications/cancelled"), stateless, no(stdio))),
    ("cancel-a-subscription", both(method("notifications/cancelled"), answers("subscriptions/listen"))),
    ("cancel-too-late", both(method("notifications/cancelled"), is_answered)),
    ("cancel-open", both(method("notifications/cancelled"), is_about_something)),
    ("cancel-nothing", method("notifications/cancelled")),
    ("roots-changed", method("notifications/roots/list_changed")),
    ("progress-of-the-client", always),
)

CLIENT_RESULT: tuple[Row, ...] = (
    ("answer-to-nothing", no(is_about_something)),
    ("task-begun", result_has("task")),
    ("task-told", answers(*TASKS)),
    ("user-accepts", action("accept")),
    ("user-declines", action("decline")),
    ("user-cancels", action("cancel")),
    ("sampled", answers("sampling/createMessage")),
    ("roots", answers("roots/list")),
    ("pong", answers("ping")),
    ("answered-otherwise", always),
)

CLIENT_ERROR: tuple[Row, ...] = (("answer-to-nothing", no(is_about_something)), ("client-refuses", always))

SERVER_RESULT: tuple[Row, ...] = (
    ("answer-to-nothing", no(is_about_something)),
    ("answer-after-cancel", was_canceled),
    ("agreed", both(answers("initialize"), is_agreed)),
    ("agreed-on-another", answers("initialize")),
    ("discovered", answers("server/discover")),
    ("input-required", lambda moment: moment.now.result.get("resultType") == "input_required"),
    ("task-begun", lambda moment: "task" in moment.now.result or moment.now.result.get("resultType") == "task"),
    ("task-told", answers(*TASKS)),
    ("listed-with-more", result_has("nextCursor")),
    ("listed-last-page", both(answers(*LISTS), asked_with("cursor"))),
    ("listed", answers(*LISTS)),
    ("tool-not-named", both(answers("tools/call"), has_failed, asked_incompletely)),
    ("tool-unknown", both(answers("tools/call"), has_failed, is_unlisted)),
    ("tool-failed", both(answers("tools/call"), has_failed)),
    ("done-after-answers", asked_with("inputResponses")),
    ("done", answers("tools/call")),
    ("read", answers("resources/read")),
    ("prompt-filled", answers("prompts/get")),
    ("completed", answers("completion/complete")),
    ("listened", answers("subscriptions/listen")),
    ("pong", answers("ping")),
    ("agreed-to", answers("logging/setLevel", "resources/subscribe", "resources/unsubscribe")),
    ("done-otherwise", always),
)

SERVER_ERROR: tuple[Row, ...] = (
    ("refused-unreadable", code(messages.PARSE_ERROR)),
    ("refused-probe", both(answers("server/discover"), no(code(messages.UNSUPPORTED_VERSION)))),
    ("refused-session-gone", both(status(404), names_session, no(code(messages.METHOD_NOT_FOUND)))),
    ("refused-url-first", code(messages.URL_ELICITATION_REQUIRED)),
    ("refused-version", code(messages.UNSUPPORTED_VERSION)),
    ("refused-headers", code(messages.HEADER_MISMATCH)),
    ("refused-capability", code(messages.MISSING_CAPABILITY)),
    ("refused-no-resource", code(messages.RESOURCE_NOT_FOUND)),
    ("refused-incomplete", both(code(messages.INVALID_PARAMS), asked_incompletely)),
    ("refused-no-resource", both(answers("resources/read"), code(messages.INVALID_PARAMS))),
    ("refused-word-of-another-revision", both(code(messages.METHOD_NOT_FOUND), is_old_word)),
    ("refused-method", code(messages.METHOD_NOT_FOUND)),
    ("refused-state", both(code(messages.INVALID_PARAMS), asked_with("requestState"))),
    ("refused-cursor", both(code(messages.INVALID_PARAMS), asked_with("cursor"))),
    ("refused-no-tool", both(code(messages.INVALID_PARAMS), answers("tools/call"))),
    ("refused-params", code(messages.INVALID_PARAMS)),
    ("refused-no-session", both(code(messages.INVALID_REQUEST, -32000), lacks_session, no(status(404)))),
    ("refused-no-message", code(messages.INVALID_REQUEST)),
    ("refused-fault", code(messages.INTERNAL_ERROR)),
    ("refused-by-its-own-code", always),
)

SERVER_NOTIFICATION: tuple[Row, ...] = (
    ("task-news", is_task),
    ("unknown-notification", no(is_known)),
    ("progress-after-cancel", both(method("notifications/progress"), was_canceled)),
    ("progress-because-of-a-token", both(method("notifications/progress"), is_about_something)),
    ("progress-nobody-asked-for", method("notifications/progress")),
    ("log-because-of-the-request", both(method("notifications/message"), open_meta(LOG_LEVEL_KEY))),
    ("log-nobody-wanted", both(method("notifications/message"), stateless)),
    ("log-because-of-the-level", both(method("notifications/message"), asked_before("logging/setLevel"))),
    ("log-unasked", method("notifications/message")),
    ("subscribed", method("notifications/subscriptions/acknowledged")),
    ("news-of-a-resource", both(method("notifications/resources/updated"), is_subscribed)),
    ("news-nobody-asked-for", method("notifications/resources/updated")),
    ("news-for-a-subscription", both(method(*LISTS.values()), answers("subscriptions/listen"))),
    ("news-during-a-call", both(method(*LISTS.values()), answers("tools/call"))),
    ("news-after-a-call", both(method(*LISTS.values()), called_before)),
    ("news-of-a-list", method(*LISTS.values())),
    ("question-closed", method("notifications/elicitation/complete")),
    ("canceled-by-the-server", always),
)

SERVER_REQUEST: tuple[Row, ...] = (
    ("task-asked-after", is_task),
    ("unknown-method", no(is_known)),
    ("question-in-the-wrong-era", no(is_of_revision)),
    ("ping-of-the-server", method("ping")),
    ("question-for-the-folders-anew", both(method("roots/list"), is_news_of_folders)),
    ("question-for-the-folders-first", both(method("roots/list"), no(asked_before("roots/list")))),
    ("question-out-of-the-blue", both(method(*QUESTIONS), no(is_about_something), no(has_open_requests))),
    ("question-with-a-form", both(method("elicitation/create"), mode("form"))),
    ("question-with-a-page", method("elicitation/create")),
    ("question-for-the-model", method("sampling/createMessage")),
    ("question-for-the-folders", always),
)

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
    "unparsed": UNPARSED,
    "event": OTHERS,
}
