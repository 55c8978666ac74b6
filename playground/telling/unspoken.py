"""Why now, of what is no message of MCP: HTTP by itself, hang-ups, a model and its user, mere bytes.

In:   a Moment.
Out:  tables like those of situations.py, in the same order of surprise.
Here nobody knows the texts.
"""

from playground.telling.clues import (
    Test,
    always,
    answers,
    both,
    calls,
    event,
    is_about_something,
    no,
    sent_by,
    stateless,
)
from playground.telling.http_clues import (
    cut_by,
    http_answers,
    http_method,
    is_empty_event,
    is_for_keys,
    is_resuming,
    names_session,
    sse_event,
    status,
    status_of,
)

Row = tuple[str, Test]

HTTP: tuple[Row, ...] = (
    ("refused-by-the-tap", event("tap_refused")),
    ("looking-for-keys", both(is_for_keys, no(sent_by("server")))),
    ("told-about-keys", is_for_keys),
    ("session-ended", http_method("DELETE")),
    ("listening-resumed", both(http_method("GET"), is_resuming)),
    ("listening", http_method("GET")),
    ("asked-by-http", no(sent_by("server"))),
    ("posting-place", sse_event("endpoint")),
    ("primed", is_empty_event),
    ("accepted-answer", both(status(202), status_of("answer"))),
    ("accepted-question", both(status(202), status_of("request"))),
    ("accepted", status(202)),
    ("listening-begins", both(http_answers("GET"), status(200))),
    ("listening-declined", both(http_answers("GET"), status(405))),
    ("session-forgotten", both(http_answers("DELETE"), status(200, 202, 204))),
    ("session-kept", both(http_answers("DELETE"), status(405))),
    ("key-wanted", status(401)),
    ("place-refused", status(403)),
    ("session-unknown", both(status(404), names_session)),
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

OTHERS: tuple[Row, ...] = (
    ("cut-a-subscription", both(cut_by("client"), answers("subscriptions/listen"))),
    ("cut-listening", both(cut_by("client"), http_answers("GET"))),
    ("cut-cancels", both(cut_by("client"), is_about_something, stateless)),
    ("cut-a-call", both(cut_by("client"), is_about_something)),
    ("cut", event("tap_cut")),
    ("nobody-there", event("tap_unreachable")),
    ("said-for-people", event("server_stderr")),
    ("event", always),
)

UNPARSED: tuple[Row, ...] = (
    ("looking-for-keys", both(is_for_keys, no(sent_by("server")))),
    ("told-about-keys", is_for_keys),
    ("unparsed-of-the-client", lambda moment: moment.now.sender == "client"),
    ("unparsed-of-the-server", always),
)
