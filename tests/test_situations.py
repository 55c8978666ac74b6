"""Each situation, told as a short conversation whose last message is in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcp_core.revisions import SUBSCRIPTION_KEY
from playground.telling.moment import Moment
from playground.telling.said import said
from playground.telling.situations import PARTS, part_of, situation
from playground.telling.tell import texts
from tests.talks import NEW, OLD, Log

Json = dict[str, Any]
TOOLS = {"tools": [{"name": "read_file"}]}
CALL = {"name": "read_file", "arguments": {}}


def of(records: list[Json], *, is_whole: bool = True) -> str:
    return situation(Moment(said(records[-1]), tuple(map(said, records[:-1])), is_whole))


def old() -> Log:
    return Log(OLD).hello()


def new() -> Log:
    return Log(NEW).hello()


def calling(log: Log, **params: Any) -> Log:
    log.ask("tools/call", {**CALL, **params})
    return log


def after(log: Log, *steps: Callable[[Log], object]) -> Log:
    for step in steps:
        step(log)
    return log


def listed(log: Log, cursor: str | None = None) -> Log:
    log.ask("tools/list")
    log.get({**TOOLS, **({"nextCursor": cursor} if cursor else {})})
    return log


FORM = {"mode": "form", "message": "Sure?", "requestedSchema": {}}
LISTEN = {"method": "GET", "path": "/mcp", "headers": {"Mcp-Session-Id": "s"}}
NAMED = {"method": "POST", "path": "/mcp", "headers": {"Mcp-Session-Id": "s"}}


def heard(log: Log, http: Json, exchange: str = "c1/client/raw-1", **data: Any) -> list[Json]:
    """HTTP without a message from the server, as the tap writes it down."""
    return log.put(event="tap_http", dir="in", peer="server", data={"http": http, **data}, exchange=exchange)


def sent(log: Log, http: Json, exchange: str = "c1/client/raw-1") -> Log:
    """HTTP without a message from the client."""
    log.put(event="tap_http", dir="out", peer="server", data={"http": http}, exchange=exchange)
    return log


def cut(log: Log, by: str, exchange: str) -> list[Json]:
    return log.put(event="tap_cut", data={"by": by}, exchange=exchange)


ASKS = {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}, "requestState": "s"}

STORIES: dict[str, Callable[[], list[Json]]] = {
    # requests of the client
    "initialize-first": lambda: Log().ask("initialize", {"protocolVersion": OLD}),
    "initialize-after-a-probe": lambda: after(
        Log(NEW), lambda t: t.ask("server/discover"), lambda t: t.fail(-32601)
    ).ask("initialize", {"protocolVersion": OLD}),
    "task-asked-after": lambda: old().ask("tasks/get", {"taskId": "t"}),
    "initialize-because-the-session-is-gone": lambda: after(
        old(), lambda t: t.ask("ping", http=NAMED), lambda t: t.fail(-32600, status=404)
    ).ask("initialize", {"protocolVersion": OLD}),
    "initialize-again": lambda: old().ask("initialize", {"protocolVersion": OLD}),
    "again-in-a-revision-both-know": lambda: after(
        Log(NEW), lambda t: t.ask("tools/list"), lambda t: t.fail(-32022)
    ).ask("tools/list"),
    "again-with-the-right-headers": lambda: after(calling(listed(new())), lambda t: t.fail(-32020)).ask(
        "tools/call", CALL
    ),
    "again-with-the-capability": lambda: after(calling(new()), lambda t: t.fail(-32021)).ask("tools/call", CALL),
    "discover-first": lambda: Log(NEW).ask("server/discover"),
    "discover-again": lambda: new().ask("server/discover"),
    "again-with-answers": lambda: after(calling(new()), lambda t: t.get(ASKS)).ask(
        "tools/call", {**CALL, "inputResponses": {"a": {"roots": []}}, "requestState": "s"}
    ),
    "again-with-state": lambda: after(calling(new()), lambda t: t.get(ASKS)).ask(
        "tools/call", {**CALL, "requestState": "s"}
    ),
    "same-id-twice": lambda: calling(old()).ask("tools/list", id=2),
    "unknown-method": lambda: old().ask("tools/dance"),
    "word-of-another-revision": lambda: new().ask("ping"),
    "plain-rpc": lambda: Log().ask("tools/list", http={"method": "POST", "path": "/rpc"}),
    "without-a-session": lambda: Log().ask("tools/list"),
    "before-ready": lambda: after(Log(OLD), lambda t: t.ask("initialize"), lambda t: t.get({})).ask("tools/list"),
    "ping-before-ready": lambda: after(Log(OLD), lambda t: t.ask("initialize")).ask("ping"),
    "ping-while-waiting": lambda: calling(old()).ask("ping"),
    "ping-while-idle": lambda: old().ask("ping"),
    "list-first": lambda: old().ask("tools/list"),
    "list-next-page": lambda: listed(old(), "next").ask("tools/list", {"cursor": "next"}),
    "list-with-a-cursor-nobody-gave": lambda: listed(old(), "next").ask("tools/list", {"cursor": "mine"}),
    "list-after-a-change": lambda: after(listed(old()), lambda t: t.news("notifications/tools/list_changed")).ask(
        "tools/list"
    ),
    "list-for-the-headers": lambda: after(calling(new()), lambda t: t.fail(-32020, status=400)).ask("tools/list"),
    "list-again": lambda: listed(old()).ask("tools/list"),
    "incomplete": lambda: old().ask("tools/call", {"name": 5}),
    "call-corrected": lambda: after(calling(listed(old())), lambda t: t.get({"isError": True})).ask("tools/call", CALL),
    "call-with-a-token": lambda: old().ask("tools/call", {**CALL, "_meta": {"progressToken": 7}}),
    "call-from-the-list": lambda: listed(old()).ask("tools/call", CALL),
    "call-unlisted": lambda: old().ask("tools/call", CALL),
    "read-after-news": lambda: after(old(), lambda t: t.news("notifications/resources/updated", {"uri": "a:b"})).ask(
        "resources/read", {"uri": "a:b"}
    ),
    "read-from-the-list": lambda: after(
        old(), lambda t: t.ask("resources/list"), lambda t: t.get({"resources": []})
    ).ask("resources/read", {"uri": "a:b"}),
    "read-unlisted": lambda: old().ask("resources/read", {"uri": "a:b"}),
    "prompt": lambda: old().ask("prompts/get", {"name": "p"}),
    "completion": lambda: old().ask("completion/complete"),
    "set-level": lambda: old().ask("logging/setLevel", {"level": "info"}),
    "subscribe": lambda: old().ask("resources/subscribe", {"uri": "a:b"}),
    "unsubscribe": lambda: old().ask("resources/unsubscribe", {"uri": "a:b"}),
    "listen": lambda: new().ask("subscriptions/listen"),
    "listen-again": lambda: after(new(), lambda t: t.ask("subscriptions/listen"), lambda t: t.get()).ask(
        "subscriptions/listen"
    ),
    # notifications of the client
    "initialized": lambda: old().records,
    "cancel-open": lambda: calling(old()).tell("notifications/cancelled", {"requestId": 2}),
    "cancel-too-late": lambda: after(calling(old()), lambda t: t.get()).tell(
        "notifications/cancelled", {"requestId": 2}
    ),
    "cancel-nothing": lambda: old().tell("notifications/cancelled", {"requestId": "x"}),
    "cancel-by-message-over-http": lambda: after(new(), lambda t: t.ask("subscriptions/listen")).tell(
        "notifications/cancelled", {"requestId": 2}
    ),
    "cancel-a-subscription": lambda: after(Log(NEW, "stdio").hello(), lambda t: t.ask("subscriptions/listen")).tell(
        "notifications/cancelled", {"requestId": 2}
    ),
    "roots-changed": lambda: old().tell("notifications/roots/list_changed"),
    "progress-of-the-client": lambda: old().tell("notifications/progress", {"progressToken": 1}),
    "unknown-notification": lambda: old().tell("notifications/own"),
    # answers of the client
    "user-accepts": lambda: after(calling(old()), lambda t: t.asked("elicitation/create", FORM)).reply(
        {"result": {"action": "accept"}}
    ),
    "user-declines": lambda: after(calling(old()), lambda t: t.asked("elicitation/create", FORM)).reply(
        {"result": {"action": "decline"}}
    ),
    "user-cancels": lambda: after(calling(old()), lambda t: t.asked("elicitation/create", FORM)).reply(
        {"result": {"action": "cancel"}}
    ),
    "sampled": lambda: after(calling(old()), lambda t: t.asked("sampling/createMessage")).reply(
        {"result": {"role": "x"}}
    ),
    "roots": lambda: after(calling(old()), lambda t: t.asked("roots/list")).reply({"result": {"roots": []}}),
    "pong": lambda: after(old(), lambda t: t.asked("ping")).reply({"result": {}}),
    "answered-otherwise": lambda: after(old(), lambda t: t.asked("x/y")).reply({"result": {}}),
    "client-refuses": lambda: after(old(), lambda t: t.asked("roots/list")).reply({"error": {"code": -32601}}),
    "answer-to-nothing": lambda: old().reply({"result": {}}, id="s9"),
    # results of the server
    "agreed": lambda: after(Log(), lambda t: t.ask("initialize", {"protocolVersion": OLD})).get(
        {"protocolVersion": OLD}
    ),
    "agreed-on-another": lambda: after(Log(), lambda t: t.ask("initialize", {"protocolVersion": "2099-01-01"})).get(
        {"protocolVersion": OLD}
    ),
    "discovered": lambda: new().records,
    "input-required": lambda: calling(new()).get(ASKS),
    "listed-with-more": lambda: listed(old(), "next").records,
    "listed-last-page": lambda: after(listed(old(), "next"), lambda t: t.ask("tools/list", {"cursor": "next"})).get(
        TOOLS
    ),
    "listed": lambda: listed(old()).records,
    "task-begun": lambda: calling(old(), task={"ttl": 9}).get({"task": {"taskId": "t", "status": "working"}}),
    "task-told": lambda: after(old(), lambda t: t.ask("tasks/get", {"taskId": "t"})).get({"status": "working"}),
    "task-news": lambda: old().news("notifications/tasks/status", {"taskId": "t", "status": "working"}),
    "tool-not-named": lambda: after(old(), lambda t: t.ask("tools/call")).get({"isError": True}),
    "tool-unknown": lambda: after(listed(old()), lambda t: t.ask("tools/call", {"name": "dance"})).get(
        {"isError": True}
    ),
    "tool-failed": lambda: calling(old()).get({"isError": True}),
    "done-after-answers": lambda: calling(new(), inputResponses={}).get({"content": []}),
    "done": lambda: calling(old()).get({"content": []}),
    "read": lambda: after(old(), lambda t: t.ask("resources/read", {"uri": "a:b"})).get({"contents": []}),
    "prompt-filled": lambda: after(old(), lambda t: t.ask("prompts/get", {"name": "p"})).get({"messages": []}),
    "completed": lambda: after(old(), lambda t: t.ask("completion/complete")).get({"completion": {}}),
    "listened": lambda: after(new(), lambda t: t.ask("subscriptions/listen")).get({"resultType": "complete"}),
    "agreed-to": lambda: after(old(), lambda t: t.ask("logging/setLevel")).get(),
    "answer-after-cancel": lambda: after(
        calling(old()), lambda t: t.tell("notifications/cancelled", {"requestId": 2})
    ).get({"content": []}),
    "done-otherwise": lambda: after(old(), lambda t: t.ask("x/y")).get({"z": 1}),
    # errors of the server
    "refused-unreadable": lambda: old().fail(-32700),
    "refused-probe": lambda: after(Log(NEW), lambda t: t.ask("server/discover")).fail(-32601),
    "refused-session-gone": lambda: after(old(), lambda t: t.ask("tools/call", CALL, http=NAMED)).fail(
        -32001, status=404
    ),
    "refused-no-session": lambda: after(Log(OLD), lambda t: t.ask("tools/list")).fail(-32600, status=400),
    "refused-no-message": lambda: after(Log(NEW), lambda t: t.ask("tools/list")).fail(-32600, status=400),
    "refused-url-first": lambda: calling(old()).fail(-32042),
    "refused-version": lambda: calling(new()).fail(-32022, status=400),
    "refused-headers": lambda: calling(new()).fail(-32020, status=400),
    "refused-capability": lambda: calling(new()).fail(-32021, status=400),
    "refused-no-resource": lambda: after(new(), lambda t: t.ask("resources/read", {"uri": "a:b"})).fail(-32602),
    "refused-word-of-another-revision": lambda: after(new(), lambda t: t.ask("ping")).fail(-32601),
    "refused-method": lambda: after(old(), lambda t: t.ask("x/y")).fail(-32601),
    "refused-state": lambda: calling(new(), requestState="x").fail(-32602),
    "refused-cursor": lambda: after(old(), lambda t: t.ask("tools/list", {"cursor": "x"})).fail(-32602),
    "refused-incomplete": lambda: after(old(), lambda t: t.ask("resources/read")).fail(-32602),
    "refused-no-tool": lambda: calling(old()).fail(-32602),
    "refused-params": lambda: after(old(), lambda t: t.ask("prompts/get", {"name": "p"})).fail(-32602),
    "refused-fault": lambda: calling(old()).fail(-32603),
    "refused-by-its-own-code": lambda: calling(old()).fail(-1),
    # notifications of the server
    "progress-because-of-a-token": lambda: calling(old(), _meta={"progressToken": 7}).news(
        "notifications/progress", {"progressToken": 7}
    ),
    "progress-after-cancel": lambda: after(
        calling(old(), _meta={"progressToken": 7}), lambda t: t.tell("notifications/cancelled", {"requestId": 2})
    ).news("notifications/progress", {"progressToken": 7}),
    "progress-nobody-asked-for": lambda: calling(old()).news("notifications/progress", {"progressToken": 7}),
    "log-because-of-the-request": lambda: calling(new(), _meta={"io.modelcontextprotocol/logLevel": "info"}).news(
        "notifications/message"
    ),
    "log-because-of-the-level": lambda: after(old(), lambda t: t.ask("logging/setLevel"), lambda t: t.get()).news(
        "notifications/message"
    ),
    "log-nobody-wanted": lambda: calling(new()).news("notifications/message"),
    "log-unasked": lambda: calling(old()).news("notifications/message"),
    "subscribed": lambda: after(new(), lambda t: t.ask("subscriptions/listen")).news(
        "notifications/subscriptions/acknowledged", {"_meta": {SUBSCRIPTION_KEY: 2}}
    ),
    "news-of-a-resource": lambda: after(
        old(), lambda t: t.ask("resources/subscribe", {"uri": "a:b"}), lambda t: t.get()
    ).news("notifications/resources/updated", {"uri": "a:b"}),
    "news-nobody-asked-for": lambda: old().news("notifications/resources/updated", {"uri": "a:b"}),
    "news-for-a-subscription": lambda: after(new(), lambda t: t.ask("subscriptions/listen")).news(
        "notifications/tools/list_changed", {"_meta": {SUBSCRIPTION_KEY: 2}}
    ),
    "news-during-a-call": lambda: calling(old()).news("notifications/tools/list_changed"),
    "news-after-a-call": lambda: after(calling(old()), lambda t: t.get(), lambda t: t.ask("ping")).news(
        "notifications/tools/list_changed"
    ),
    "news-of-a-list": lambda: old().news("notifications/tools/list_changed"),
    "question-closed": lambda: old().news("notifications/elicitation/complete", {"elicitationId": "e"}),
    "canceled-by-the-server": lambda: old().news("notifications/cancelled", {"requestId": "s1"}),
    # requests of the server
    "ping-of-the-server": lambda: old().asked("ping"),
    "question-with-a-form": lambda: calling(old()).asked("elicitation/create", FORM),
    "question-with-a-page": lambda: calling(old()).asked("elicitation/create", {"mode": "url"}),
    "question-for-the-model": lambda: calling(old()).asked("sampling/createMessage"),
    "question-for-the-folders-first": lambda: old().asked("roots/list"),
    "question-for-the-folders-anew": lambda: after(
        old(), lambda t: t.asked("roots/list"), lambda t: t.tell("notifications/roots/list_changed")
    ).asked("roots/list", id="s2"),
    "question-for-the-folders": lambda: after(
        calling(old()), lambda t: t.asked("roots/list"), lambda t: t.reply({"result": {}})
    ).asked("roots/list", id="s2"),
    "question-out-of-the-blue": lambda: old().asked("sampling/createMessage"),
    "question-in-the-wrong-era": lambda: calling(new()).asked("roots/list"),
    # HTTP alone, and what is no message
    "accepted": lambda: old().http("client_accepted", {"status": 202}, "c1/client/n1"),
    "accepted-answer": lambda: after(
        calling(old()), lambda t: t.asked("roots/list"), lambda t: t.reply({"result": {}})
    ).http("client_accepted", {"status": 202}, "c1/server/s1"),
    "accepted-question": lambda: after(old(), lambda t: t.ask("ping")).http(
        "client_accepted", {"status": 202}, "c1/client/2"
    ),
    "bare-status": lambda: old().http("client_accepted", {"status": 418}),
    "refused-by-the-tap": lambda: Log().put(event="tap_refused", peer="client", data={"http": {"status": 403}}),
    "looking-for-keys": lambda: sent(old(), {"method": "GET", "path": "/.well-known/x"}).records,
    "told-about-keys": lambda: sent(old(), {"method": "GET", "path": "/.well-known/x"}).put(
        event="tap_unreadable", dir="in", peer="server", data={"raw": "{}"}, exchange="c1/client/raw-1"
    ),
    "asked-by-http": lambda: sent(old(), {"method": "OPTIONS", "path": "/mcp"}).records,
    "posting-place": lambda: heard(sent(Log(), LISTEN), {"status": 200}, sse={"event": "endpoint"}, data="/x"),
    "primed": lambda: heard(calling(old()), {"status": 200}, "c1/client/2", sse={"id": "1"}),
    "listening-begins": lambda: heard(sent(old(), LISTEN), {"status": 200}),
    "listening-declined": lambda: heard(sent(old(), LISTEN), {"status": 405}),
    "session-forgotten": lambda: heard(sent(old(), {"method": "DELETE"}), {"status": 204}),
    "session-kept": lambda: heard(sent(old(), {"method": "DELETE"}), {"status": 405}),
    "key-wanted": lambda: heard(calling(old()), {"status": 401}, "c1/client/2"),
    "place-refused": lambda: heard(calling(old()), {"status": 403}, "c1/client/2"),
    "session-unknown": lambda: heard(sent(old(), LISTEN), {"status": 404}),
    "cut-a-subscription": lambda: cut(after(new(), lambda t: t.ask("subscriptions/listen")), "client", "c1/client/2"),
    "cut-listening": lambda: cut(sent(old(), LISTEN), "client", "c1/client/raw-1"),
    "cut-cancels": lambda: cut(calling(new()), "client", "c1/client/2"),
    "cut-a-call": lambda: cut(calling(old()), "client", "c1/client/2"),
    "cut": lambda: cut(calling(old()), "server", "c1/client/2"),
    "nobody-there": lambda: Log().put(event="tap_unreachable", data={"reason": "no"}),
    "said-for-people": lambda: Log().put(event="server_stderr", peer="server", data={"line": "hello"}),
    "session-ended": lambda: old().http("client_session_end", {"method": "DELETE", "status": 204}),
    "listening": lambda: old().http("client_listen", {"method": "GET"}),
    "listening-resumed": lambda: old().http("client_listen", {"method": "GET", "headers": {"Last-Event-ID": "3"}}),
    "batch": lambda: old().say("client", [{"jsonrpc": "2.0", "method": "x"}]),
    "unparsed-of-the-client": lambda: old().put(dir="out", peer="server", data={"raw": "{"}),
    "unparsed-of-the-server": lambda: old().put(dir="in", peer="server", data={"raw": "<html>"}),
    # the model and its user
    "model-is-asked": lambda: Log().put(event="chat_request", dir="out", peer="llm", data={"message": {}}),
    "model-is-asked-again": lambda: Log().put(
        event="chat_followup_request", dir="out", peer="llm", data={"message": {}}
    ),
    "model-wants-tools": lambda: Log().put(
        event="chat_response", dir="in", peer="llm", data={"message": {"choices": [{"message": {"tool_calls": [1]}}]}}
    ),
    "model-answers": lambda: Log().put(event="chat_response", dir="in", peer="llm", data={"message": {"choices": []}}),
    "user-speaks": lambda: Log().put(event="chat_question", dir="in", peer="user", data={}),
    "user-is-told": lambda: Log().put(event="chat_answer", dir="out", peer="user", data={}),
    "event": lambda: Log().put(event="server_start", data={}),
}


@pytest.mark.parametrize("name", STORIES)
def test_the_last_message_is_in_this_situation(name: str) -> None:
    assert of(STORIES[name]()) == name


def test_every_situation_has_a_story_and_a_text_and_no_text_is_left_over() -> None:
    named = {name for rows in PARTS.values() for name, _ in rows}
    assert named == set(STORIES) == set(texts()["situation"])


def test_every_part_of_the_table_takes_whatever_comes() -> None:
    assert all(rows[-1][1](Moment(said({}))) or rows[-1][0] == "question-for-the-folders" for rows in PARTS.values())
    assert set(PARTS) <= set(texts()["part"])


def test_what_lies_before_the_window_is_not_called_missing() -> None:
    log = Log(OLD)
    assert of(log.ask("tools/call", CALL), is_whole=False) == "call-unlisted"
    assert of(log.records, is_whole=True) == "without-a-session"


def test_who_speaks_decides_where_is_looked() -> None:
    assert part_of(said(old().records[-1])) == "client notification"
    assert part_of(said({"event": "server_start"})) == "event"
    strange = {"dir": "in", "peer": "nobody", "data": {"message": {"id": 1, "method": "ping"}}}
    assert of([strange]) == "event"
