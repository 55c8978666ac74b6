"""The server's session in memory, in every revision; whatever it says is judged by the published schema."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_core import messages, revisions
from mcp_core.catalogue import Catalogue, Change
from mcp_core.effects import Ask, Completed, HangUp, Log, Progress, Steps, ToolError
from mcp_core.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    Failure,
    Message,
    Notification,
    ProtocolError,
    Request,
    Result,
)
from mcp_core.runs import Outgoing
from mcp_core.sealing import Seal
from mcp_core.serving import Session
from tests.conformance.wire import complaint

LATEST, HANDSHAKE, REVISIONS = revisions.LATEST, revisions.HANDSHAKE, revisions.REVISIONS
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {"listChanged": True}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ANA = {"action": "accept", "content": {"name": "Ana"}}
SAID = {"role": "assistant", "content": {"type": "text", "text": "short"}, "model": "m"}


class Sum(TypedDict):
    total: int


class Gate:
    """Where a tool stops in the middle of a step, until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.opened.wait(20)


def shop(gate: Gate | None = None, trace: list[str] | None = None) -> Catalogue:
    catalogue = Catalogue("shop", "1.0", instructions="Add for sums.")
    tool, done = catalogue.tool, trace if trace is not None else []

    @tool()
    def add(a: int, b: int) -> Sum:
        return {"total": a + b}

    @tool()
    def work() -> Steps[str]:
        try:
            yield Progress(0, 2, "begun")
            yield Log("debug", "half")
            yield Log("warning", {"left": 1}, "shop")
            yield Progress(1, 2)
            return "done"
        finally:
            done.append("cleaned up")

    @tool()
    def greet(again: bool = False) -> Steps[str]:
        try:
            answer = yield Ask.form("name", "Your name?", NAME)
            if again:
                answer = yield Ask.form("second", "And hers?", NAME)
            if answer is None:
                return "Hello, whoever you are."
            return f"Hello, {answer['content']['name']}." if answer["action"] == "accept" else "Hello."
        finally:
            done.append("cleaned up")

    @tool()
    def many() -> Steps[str]:
        name, where, said = yield [Ask.form("name", "Name?", NAME), Ask.roots("where"), Ask.model("sum", "Sum up.", 9)]
        text = [
            name["content"]["name"] if name else "-",
            str(len(where["roots"])) if where else "-",
            said["content"]["text"] if said else "-",
        ]
        return " ".join(text)

    @tool()
    def patient() -> Steps[str]:
        """Asks again when the client gave no answer, and gives up the second time."""
        try:
            answer = yield Ask.form("name", "Your name?", NAME)
        except ToolError as first:
            try:
                answer = yield Ask.form("name", "Really, your name?", NAME)
            except ToolError as second:
                raise ToolError(f"{first} And again: {second}") from None
        return str(answer["content"]["name"])

    @tool()
    def sign_in() -> Steps[str]:
        answer = yield Ask.url("login", "Sign in.", "https://example.com/", "e1")
        yield Completed("e1")
        return str(answer and answer["action"])

    @tool(needs={"sampling": {}})
    def think() -> str:
        return "thought"

    @tool()
    def refuse() -> str:
        raise ToolError("It is closed; come tomorrow.")

    @tool()
    def protest() -> str:
        raise ProtocolError(INVALID_PARAMS, "Not like this.", {"a": 1})

    @tool()
    def crash(when: str) -> Steps[str]:
        if when == "at once":
            raise OSError("secret path")
        yield Progress(1)
        if when == "in the middle":
            raise RuntimeError("secret path")
        if when == "by recursion":
            return loop()
        if when == "by stopping":
            raise StopIteration
        if when == "by junk":
            yield "junk"  # type: ignore[misc]
        if when == "by nothing":
            yield None  # type: ignore[misc]
        if when == "by mixed junk":
            yield [Ask.roots("where"), 5]  # type: ignore[list-item]
        if when == "by a level":
            yield Log("loud", "x")
        if when == "by a value":
            return float("nan")  # type: ignore[return-value]
        if when == "by an object":
            return object()  # type: ignore[return-value]
        if when == "by a form":
            yield Ask.form(
                "name", "Name?", {"type": "object", "properties": {"name": {"type": "string", "pattern": "("}}}
            )
        return ""

    @tool()
    def messy(how: str) -> Steps[str]:
        try:
            yield Ask.form("name", "Your name?", NAME)
        finally:
            if how == "raises":
                raise OSError("disk full")
            yield Progress(9)
        return ""

    @tool()
    def pause(step: str = "") -> Steps[str]:
        yield Progress(1)
        assert gate is not None
        gate.wait()
        if step == "raise":
            raise OSError("late")
        if step == "ask":
            yield Ask.form("name", "Your name?", NAME)
        if step == "yield":
            yield Progress(2)
        return "late"

    @tool()
    def leave() -> Steps[str]:
        yield HangUp(500)
        return "back"

    @catalogue.resource("shop://hours", name="hours")
    def hours() -> Steps[str]:
        answer = yield Ask.roots("where")
        return str(answer)

    @catalogue.prompt()
    def haggle(price: str) -> Steps[str]:
        answer = yield Ask.form("name", "Who?", NAME)
        return f"{price} {answer and answer['content']['name']}"

    return catalogue


def loop() -> str:
    return loop()


class Client:
    """A client and a session in one memory. What the session gives out must be valid, belong together, and end."""

    def __init__(
        self, revision: str, able: dict[str, Any] | None = None, catalogue: Catalogue | None = None, **more: Any
    ) -> None:
        self.revision, self.able = revision, EVERYTHING if able is None else able
        options = {"seal": Seal(b"secret", lambda: 0.0), "can_push": True, **more}
        self.session = Session(catalogue or shop(), **options)
        self.requests: dict[Any, Request] = {}
        self.ids = itertools.count(100)
        if revision in HANDSHAKE:
            about = {"name": "me", "version": "1"}
            params = {"protocolVersion": revision, "capabilities": self.able, "clientInfo": about}
            (out,) = self.send(Request("hello", "initialize", params))
            assert isinstance(out.message, Result)
            assert self.send(Notification("notifications/initialized")) == []

    def request(self, method: str, params: dict[str, Any] | None = None, id: Any = None, **meta: Any) -> Request:
        if self.revision not in HANDSHAKE:
            own = {revisions.VERSION_KEY: self.revision, revisions.CLIENT_CAPABILITIES_KEY: self.able}
            meta = own | meta
        params = {**(params or {}), **({"_meta": meta} if meta else {})}
        return Request(next(self.ids) if id is None else id, method, params)

    def deliver(self, outgoing: Iterator[Outgoing]) -> Iterator[Outgoing]:
        for out in outgoing:
            self.judge(out)
            yield out

    def begin(self, message: Message, headers: dict[str, str] | None = None) -> Iterator[Outgoing]:
        if isinstance(message, Request):
            self.requests.setdefault(message.id, message)
        return self.deliver(self.session.receive(message, headers))

    def send(self, message: Message, headers: dict[str, str] | None = None) -> list[Outgoing]:
        return list(self.begin(message, headers))

    def ask(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> list[Outgoing]:
        return self.send(self.request(method, params, **more))

    def call(self, name: str, arguments: dict[str, Any] | None = None, **more: Any) -> list[Outgoing]:
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}}, **more)

    def judge(self, out: Outgoing) -> None:
        if out.message is None:
            return
        text = messages.encode(out.message)
        assert messages.decode(text) == out.message
        said = messages.as_json(out.message)
        about = said
        if isinstance(out.message, Result | Failure):
            assert out.message.id == out.about
            about = messages.as_json(self.requests[out.about])
        assert complaint(said, about, "client", self.revision) is None, text


def answer_of(outgoing: list[Outgoing]) -> Any:
    """The one answer, which comes last."""
    assert [isinstance(out.message, Result | Failure) for out in outgoing] == [False] * (len(outgoing) - 1) + [True]
    message = outgoing[-1].message
    return message.result if isinstance(message, Result) else message


def text_of(outgoing: list[Outgoing]) -> str:
    result = answer_of(outgoing)
    return str(result["content"][0]["text"])


def asked(outgoing: list[Outgoing]) -> list[Request]:
    found = [out.message for out in outgoing if isinstance(out.message, Request)]
    assert len(found) == len(outgoing)
    return found


@pytest.fixture(params=REVISIONS)
def client(request: pytest.FixtureRequest) -> Client:
    return Client(request.param)


@pytest.fixture(params=HANDSHAKE[2:])
def shaken(request: pytest.FixtureRequest) -> Client:
    """A client of a revision that asks by requests of the server."""
    return Client(request.param)


# ---- The handshake ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_handshake_opens_the_session_in_the_revision_that_was_asked_for(revision: str) -> None:
    session = Session(shop(), can_push=True)
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}
    (out,) = session.receive(Request(0, "initialize", params))
    assert isinstance(out.message, Result)
    assert (out.about, out.message.id, out.message.result["protocolVersion"]) == (0, 0, revision)
    assert [session.is_open, session.takes_batches] == [False, False]
    assert list(session.receive(Notification("notifications/initialized"))) == []
    assert [session.is_open] == [True]
    assert session.takes_batches is (revision == "2025-03-26")


def test_what_is_declared_works_and_what_is_not_declared_is_not_found(client: Client) -> None:
    if client.revision in HANDSHAKE:
        result = answer_of(client.ask("initialize", {"protocolVersion": client.revision}))
    else:
        result = answer_of(client.ask("server/discover"))
    lists = {"tools": "tools/list", "resources": "resources/list", "prompts": "prompts/list"}
    for kind, method in lists.items():
        assert kind in result["capabilities"]
        assert answer_of(client.ask(method))[kind]
    assert "completions" not in result["capabilities"]
    ref = {"ref": {"type": "ref/prompt", "name": "haggle"}, "argument": {"name": "price", "value": ""}}
    assert answer_of(client.ask("completion/complete", ref)).code == METHOD_NOT_FOUND


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_the_handshake_era_answers_a_ping_with_exactly_nothing_also_before_the_handshake(revision: str) -> None:
    assert answer_of(Client(revision).ask("ping")) == {}
    assert [out.message for out in Session(shop()).receive(Request("", "ping"))] == [Result("", {})]


def test_one_session_carries_both_eras_side_by_side() -> None:
    old = Client("2025-06-18")
    new = Client(LATEST)
    new.session = old.session
    assert "resultType" not in answer_of(old.ask("tools/list"))
    assert answer_of(new.ask("tools/list"))["resultType"] == "complete"
    assert answer_of(new.ask("server/discover"))["supportedVersions"] == [LATEST]
    assert answer_of(old.ask("tools/list"))["tools"]
    assert old.session.memory.revision == "2025-06-18"


@pytest.mark.parametrize("id", ["1", 1, 0, "", -1, "x" * 4000, '"😀', "\ud800", 2**70])
def test_an_answer_carries_exactly_the_id_of_its_request(client: Client, id: Any) -> None:
    for method in ("tools/list", "tools/dance"):
        (out,) = client.ask(method, id=id)
        assert isinstance(out.message, Result | Failure)
        assert (out.message.id, type(out.message.id)) == (id, type(id))


@pytest.mark.parametrize(
    "note",
    [
        Notification("notifications/initialized"),
        Notification("notifications/roots/list_changed"),
        Notification("notifications/dance", {"a": 1}),
        Notification("tools/list"),
        Notification("tools/call", {"name": "crash", "arguments": {"when": "at once"}}),
        Notification("notifications/cancelled"),
        Notification("notifications/cancelled", {"requestId": 12345}),
        Notification("notifications/cancelled", {"requestId": None}),
        Notification("notifications/cancelled", {"requestId": [1]}),
        Notification("notifications/cancelled", {"requestId": True}),
    ],
)
def test_a_notification_is_never_answered(client: Client, note: Notification) -> None:
    assert client.send(note) == []


@pytest.mark.parametrize("message", [Result(1, {}), Result("ask-1", ANA), Failure(1, -1, ""), Failure(None, -1, "")])
def test_an_answer_to_nothing_that_was_asked_is_ignored(client: Client, message: Message) -> None:
    assert client.send(message) == []


# ---- Results ---------------------------------------------------------------------------------------------------------


def test_every_result_has_the_fields_of_its_revision(client: Client) -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        result = answer_of(client.ask(method))
        if client.revision == LATEST:
            assert result["resultType"] == "complete"
            assert result["_meta"] == {revisions.SERVER_INFO_KEY: {"name": "shop", "version": "1.0"}}
            assert result["ttlMs"] >= 0
        else:
            assert not {"resultType", "ttlMs", "cacheScope", "_meta"} & set(result)
    result = answer_of(client.call("add", {"a": 1, "b": 2}))
    assert ("structuredContent" in result) is (client.revision >= "2025-06-18")
    assert result["content"] == [{"type": "text", "text": '{"total":3}'}]


@given(st.integers(1, 14), st.sampled_from(REVISIONS))
def test_a_list_is_complete_at_every_page_size(size: int, revision: str) -> None:
    client = Client(revision, page_size=size)
    names: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        result = answer_of(client.ask("tools/list", cursor))
        names += [tool["name"] for tool in result["tools"]]
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}
    assert names == list(shop().tools)


@pytest.mark.parametrize("cursor", ["", "bad", 5, []])
def test_a_cursor_that_is_none_is_an_error(client: Client, cursor: Any) -> None:
    assert answer_of(client.ask("tools/list", {"cursor": cursor})).code == INVALID_PARAMS


# ---- Progress and logs -----------------------------------------------------------------------------------------------


def notes(outgoing: list[Outgoing]) -> list[dict[str, Any]]:
    return [out.message.params for out in outgoing if isinstance(out.message, Notification)]


@pytest.mark.parametrize("token", ["p", 0])
def test_progress_comes_before_the_result_and_only_with_a_token(client: Client, token: Any) -> None:
    outgoing = client.call("work", progressToken=token)
    progress = [note for note in notes(outgoing) if "progress" in note]
    assert [(note["progressToken"], note["progress"]) for note in progress] == [(token, 0), (token, 1)]
    assert ("message" in progress[0]) is (client.revision >= "2025-03-26")
    assert text_of(outgoing) == "done"
    assert len({out.about for out in outgoing}) == 1
    assert [note for note in notes(client.call("work")) if "progress" in note] == []


def test_log_lines_come_as_the_client_asked_for_them(client: Client) -> None:
    def levels(**meta: Any) -> list[str]:
        return [note["level"] for note in notes(client.call("work", **meta)) if "level" in note]

    if client.revision == LATEST:
        assert levels() == []
        assert levels(**{revisions.LOG_LEVEL_KEY: "debug"}) == ["debug", "warning"]
        assert levels(**{revisions.LOG_LEVEL_KEY: "notice"}) == ["warning"]
        assert levels(**{revisions.LOG_LEVEL_KEY: "error"}) == []
    else:
        assert levels() == ["warning"]
        for level, heard in (("debug", ["debug", "warning"]), ("error", []), ("warning", ["warning"])):
            assert answer_of(client.ask("logging/setLevel", {"level": level})) == {}
            assert levels() == heard


def test_a_client_that_takes_only_json_hears_only_the_answer() -> None:
    client = Client("2025-11-25")
    request = client.request("tools/call", {"name": "work"}, progressToken=1)
    assert len(client.send(request, {"accept": "application/json"})) == 1
    request = client.request("tools/call", {"name": "greet"})
    assert text_of(client.send(request, {"accept": "application/json"})) == "Hello, whoever you are."


@pytest.mark.parametrize("revision", REVISIONS)
def test_where_nothing_can_be_pushed_there_is_only_the_answer(revision: str) -> None:
    client = Client(revision, can_push=False)
    meta: dict[str, Any] = {revisions.LOG_LEVEL_KEY: "debug"} if revision == LATEST else {}
    assert len(client.call("work", progressToken=1, **meta)) == 1
    if revision in HANDSHAKE:
        assert answer_of(client.ask("logging/setLevel", {"level": "info"})).code == METHOD_NOT_FOUND
        assert text_of(client.call("greet")) == "Hello, whoever you are."
    else:
        assert answer_of(client.ask("subscriptions/listen", {"notifications": {}})).code == METHOD_NOT_FOUND


def test_only_2025_11_25_sends_a_client_away_and_has_it_come_back(client: Client) -> None:
    outgoing = client.call("leave")
    away = [out.come_back for out in outgoing[:-1]]
    assert away == ([500] if client.revision == "2025-11-25" else [])
    assert outgoing[-1].message is not None
    assert text_of(outgoing[-1:]) == "back"


# ---- What tools do wrong ---------------------------------------------------------------------------------------------


def test_what_a_tool_tells_the_model_is_a_result(client: Client) -> None:
    result = answer_of(client.call("refuse"))
    assert (result["isError"], result["content"][0]["text"]) == (True, "It is closed; come tomorrow.")


def test_a_list_that_cannot_be_made_is_an_error_that_says_why(client: Client) -> None:
    catalogue = Catalogue("shop", "1.0")

    def listing() -> list[dict[str, Any]]:
        raise ToolError("The folder is gone.")

    @catalogue.template("shop://items/{id}", name="item", listing=listing)
    def item(id: str) -> str:
        return id

    (out,) = Client(client.revision, catalogue=catalogue).ask("resources/list")
    assert isinstance(out.message, Failure)
    assert (out.message.code, out.message.message, out.fault) == (INTERNAL_ERROR, "The folder is gone.", None)


def test_what_a_tool_tells_the_peers_program_is_an_error(client: Client) -> None:
    failure = answer_of(client.call("protest"))
    assert (failure.code, failure.message, failure.data) == (INVALID_PARAMS, "Not like this.", {"a": 1})


FAULTS = ["at once", "in the middle", "by recursion", "by stopping", "by junk", "by nothing", "by mixed junk"]


@pytest.mark.parametrize("when", [*FAULTS, "by a level", "by a value", "by an object"])
def test_a_bug_of_a_tool_is_one_internal_error_without_details(client: Client, when: str) -> None:
    outgoing = client.call("crash", {"when": when})
    failure = answer_of(outgoing)
    assert failure.code == INTERNAL_ERROR
    assert "secret" not in failure.message
    assert isinstance(outgoing[-1].fault, Exception)  # for the log
    assert text_of(client.call("add", {"a": 1, "b": 1})) == '{"total":2}'


def test_what_a_tool_yields_by_mistake_is_found_at_the_line_that_yields_it() -> None:
    fault = Client("2025-11-25").call("crash", {"when": "by junk"})[-1].fault
    assert isinstance(fault, TypeError)
    assert "'junk'" in str(fault)
    frame = fault.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    assert frame is not None
    assert frame.tb_frame.f_code.co_name == "crash"


def test_a_form_that_is_no_schema_is_an_internal_error_once_it_comes_back(client: Client) -> None:
    outgoing = client.call("crash", {"when": "by a form"})
    if client.revision < "2025-06-18":
        assert text_of(outgoing) == ""  # such a client can't be asked
        return
    if client.revision == LATEST:
        outgoing = client.send(repeated(client, outgoing, {"name": ANA}))
    else:
        outgoing = client.send(Result(asked(outgoing)[0].id, ANA))
    assert answer_of(outgoing).code == INTERNAL_ERROR
    assert isinstance(outgoing[-1].fault, ValueError)


def test_a_tool_that_needs_what_its_client_cannot_do_says_so_in_the_way_of_the_era(client: Client) -> None:
    assert text_of(client.call("think")) == "thought"
    poor = Client(client.revision, {})
    answer = answer_of(poor.call("think"))
    if client.revision == LATEST:
        assert (answer.code, answer.data) == (MISSING_CAPABILITY, {"requiredCapabilities": {"sampling": {}}})
    else:
        assert answer["isError"] is True


# ---- Questions in the handshake era ----------------------------------------------------------------------------------


def test_a_question_becomes_a_request_and_its_answer_wakes_the_tool(shaken: Client) -> None:
    outgoing = shaken.call("greet", id="g")
    (question,) = asked(outgoing)
    assert (question.method, outgoing[0].about) == ("elicitation/create", "g")
    assert ("mode" in question.params) is (shaken.revision >= "2025-11-25")
    (out,) = shaken.send(Result(question.id, ANA))
    assert (out.about, text_of([out])) == ("g", "Hello, Ana.")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_user_may_say_no(shaken: Client, action: str) -> None:
    (question,) = asked(shaken.call("greet"))
    assert text_of(shaken.send(Result(question.id, {"action": action}))) == "Hello."


def test_an_errand_at_an_address_is_asked_for_and_its_end_is_told() -> None:
    client = Client("2025-11-25")
    (question,) = asked(client.call("sign_in"))
    assert question.params["elicitationId"] == "e1"
    told, answer = client.send(Result(question.id, {"action": "accept"}))
    assert told.message == Notification("notifications/elicitation/complete", {"elicitationId": "e1"})
    assert text_of([answer]) == "accept"
    client = Client(LATEST)
    outgoing = client.call("sign_in")
    assert "elicitationId" not in answer_of(outgoing)["inputRequests"]["login"]["params"]
    assert text_of(client.send(repeated(client, outgoing, {"login": {"action": "accept"}}))) == "accept"


def test_a_tool_may_ask_more_than_once(shaken: Client) -> None:
    (first,) = asked(shaken.call("greet", {"again": True}))
    (second,) = asked(shaken.send(Result(first.id, ANA)))
    assert first.id != second.id
    answer = {"action": "accept", "content": {"name": "Eva"}}
    assert text_of(shaken.send(Result(second.id, answer))) == "Hello, Eva."


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_several_questions_may_be_answered_in_any_order(order: tuple[int, ...]) -> None:
    client = Client("2025-11-25")
    questions = asked(client.call("many"))
    assert [question.method for question in questions] == ["elicitation/create", "roots/list", "sampling/createMessage"]
    answers: list[dict[str, Any]] = [ANA, {"roots": [{"uri": "file:///a"}]}, SAID]
    outgoing = [client.send(Result(questions[place].id, answers[place])) for place in order]
    assert outgoing[:2] == [[], []]
    assert text_of(outgoing[2]) == "Ana 1 short"


def test_a_question_that_the_revision_or_the_client_does_not_know_is_not_put() -> None:
    assert text_of(Client("2025-03-26").call("greet")) == "Hello, whoever you are."
    assert text_of(Client("2025-11-25", {}).call("many")) == "- - -"
    assert text_of(Client("2025-11-25", {"elicitation": {}}).call("sign_in")) == "None"
    client = Client("2025-11-25", {"roots": {}})
    (question,) = asked(client.call("many"))
    assert question.method == "roots/list"
    assert text_of(client.send(Result(question.id, {"roots": []}))) == "- 0 -"


def test_nothing_is_asked_before_the_handshake_is_complete() -> None:
    session = Session(shop(), can_push=True)
    params = {"protocolVersion": "2025-11-25", "capabilities": EVERYTHING}
    list(session.receive(Request(1, "initialize", params)))
    (out,) = session.receive(Request(2, "tools/call", {"name": "greet"}))
    assert text_of([out]) == "Hello, whoever you are."


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Result("", {"action": "accept", "content": {}}), "'name' is missing"),
        (Result("", {"action": "maybe"}), "accept, decline or cancel"),
        (Result("", {}), "accept, decline or cancel"),
        (Failure("", -1, "User rejected."), "answered the question with error -1: User rejected."),
    ],
)
def test_an_answer_that_is_none_is_told_to_the_tool(shaken: Client, answer: Result | Failure, told: str) -> None:
    (question,) = asked(shaken.call("greet"))
    given = type(answer)(question.id, *[getattr(answer, name) for name in answer.__slots__ if name != "id"])
    result = answer_of(shaken.send(given))
    assert result["isError"] is True
    assert told in result["content"][0]["text"]


def test_a_tool_may_ask_again_after_an_answer_that_was_none(shaken: Client) -> None:
    (first,) = asked(shaken.call("patient"))
    (second,) = asked(shaken.send(Failure(first.id, -1, "No.")))
    assert text_of(shaken.send(Result(second.id, ANA))) == "Ana"  # and the first complaint is forgotten
    (first,) = asked(shaken.call("patient"))
    (second,) = asked(shaken.send(Result(first.id, {"action": "accept", "content": {}})))
    assert "And again: The client answered" in text_of(shaken.send(Failure(second.id, -1, "No.")))


def test_a_question_that_nobody_answers_in_time_is_given_up_and_the_client_is_told(shaken: Client) -> None:
    (question,) = asked(shaken.call("greet", id="g"))
    note, out = shaken.deliver(shaken.session.give_up(question.id))
    assert isinstance(note.message, Notification)
    assert (note.message.method, note.message.params["requestId"], note.about) == (
        "notifications/cancelled",
        question.id,
        "g",
    )
    assert "did not answer the question in time" in text_of([out])
    assert shaken.send(Result(question.id, ANA)) == []  # too late
    assert list(shaken.session.give_up(question.id)) == []


def test_giving_up_one_of_several_questions_waits_for_the_others() -> None:
    client = Client("2025-11-25")
    questions = asked(client.call("many"))
    (note,) = client.deliver(client.session.give_up(questions[1].id))
    assert isinstance(note.message, Notification)
    assert client.send(Result(questions[0].id, ANA)) == []
    assert "in time" in text_of(client.send(Result(questions[2].id, SAID)))


def test_a_question_is_answered_once(shaken: Client) -> None:
    (question,) = asked(shaken.call("greet"))
    assert len(shaken.send(Result(question.id, ANA))) == 1
    assert shaken.send(Result(question.id, ANA)) == []
    assert shaken.send(Failure(question.id, -1, "")) == []


@pytest.mark.parametrize("method", ["resources/read", "prompts/get"])
def test_resources_and_prompts_may_ask_too(shaken: Client, method: str) -> None:
    params = {"uri": "shop://hours"} if method == "resources/read" else {"name": "haggle", "arguments": {"price": "5"}}
    (question,) = asked(shaken.ask(method, params))
    answer = {"roots": []} if method == "resources/read" else ANA
    assert answer_of(shaken.send(Result(question.id, answer)))
    (question,) = asked(shaken.ask(method, params))
    failure = answer_of(shaken.send(Failure(question.id, -1, "No.")))
    assert isinstance(failure, Failure)
    assert failure.code in (INVALID_PARAMS, messages.RESOURCE_NOT_FOUND)


# ---- Questions in the stateless era ----------------------------------------------------------------------------------


def repeated(client: Client, outgoing: list[Outgoing], answers: Any, **changes: Any) -> Request:
    """The call again, as a client makes it: a new id, the answers, the state."""
    result, first = answer_of(outgoing), client.requests[outgoing[-1].about]
    assert result["resultType"] == "input_required"
    added = {"inputResponses": answers, "requestState": result["requestState"], **changes}
    params = {name: value for name, value in first.params.items() if name not in ("_meta", *added)}
    return client.request(first.method, {**params, **{k: v for k, v in added.items() if v is not None}})


def test_a_question_is_the_result_and_the_answer_comes_with_the_call_again() -> None:
    client, trace = Client(LATEST), list[str]()
    client.session = Session(shop(trace=trace), seal=Seal(b"secret", lambda: 0.0))
    outgoing = client.call("greet")
    (question,) = answer_of(outgoing)["inputRequests"].items()
    assert question == (
        "name",
        {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": "Your name?", "requestedSchema": NAME},
        },
    )
    assert trace == ["cleaned up"]  # nothing is left behind that waits
    assert text_of(client.send(repeated(client, outgoing, {"name": ANA}))) == "Hello, Ana."


def test_answers_gather_over_the_rounds_and_any_server_with_the_secret_can_go_on() -> None:
    client = Client(LATEST)
    first = client.call("greet", {"again": True})
    client.session = Client(LATEST).session  # another process, say
    second = client.send(repeated(client, first, {"name": ANA}))
    assert list(answer_of(second)["inputRequests"]) == ["second"]
    eva = {"action": "accept", "content": {"name": "Eva"}}
    assert text_of(client.send(repeated(client, second, {"second": eva}))) == "Hello, Eva."


def test_several_questions_travel_in_one_result_and_only_those_left_open_come_again() -> None:
    client = Client(LATEST)
    outgoing = client.call("many")
    assert list(answer_of(outgoing)["inputRequests"]) == ["name", "where", "sum"]
    outgoing = client.send(repeated(client, outgoing, {"sum": SAID, "name": {"action": "maybe"}, "unknown": 5}))
    assert list(answer_of(outgoing)["inputRequests"]) == ["name", "where"]
    outgoing = client.send(repeated(client, outgoing, {"name": ANA, "where": {"roots": []}}))
    assert text_of(outgoing) == "Ana 0 short"


@pytest.mark.parametrize(
    "answers", [None, {}, {"other": ANA}, {"name": {"action": "accept"}}, {"name": 5}, {"name": None}]
)
def test_a_missing_or_wrong_answer_is_asked_for_again(answers: Any) -> None:
    client = Client(LATEST)
    outgoing = client.send(repeated(client, client.call("greet"), answers))
    assert list(answer_of(outgoing)["inputRequests"]) == ["name"]


@pytest.mark.parametrize(
    "changes",
    [
        {"requestState": ""},
        {"requestState": "x"},
        {"requestState": 5},
        {"requestState": "v1.a.\ud800"},
        {"inputResponses": []},
        {"inputResponses": "x"},
        {"arguments": {"again": True}},
        {"name": "patient"},
    ],
)
def test_a_repeated_call_that_is_not_the_same_call_is_refused(changes: dict[str, Any]) -> None:
    client = Client(LATEST)
    outgoing = client.call("greet")
    assert answer_of(client.send(repeated(client, outgoing, {"name": ANA}, **changes))).code == INVALID_PARAMS


def test_an_answer_may_come_with_the_very_first_call() -> None:
    client = Client(LATEST)
    assert text_of(client.ask("tools/call", {"name": "greet", "inputResponses": {"name": ANA}})) == "Hello, Ana."


def test_only_what_the_request_itself_declares_is_asked() -> None:
    client = Client(LATEST, {"roots": {}})
    assert text_of(client.call("greet")) == "Hello, whoever you are."
    assert list(answer_of(client.call("many"))["inputRequests"]) == ["where"]


def test_without_a_seal_no_questions_are_asked() -> None:
    assert text_of(Client(LATEST, seal=None).call("greet")) == "Hello, whoever you are."


@pytest.mark.parametrize(("method", "key"), [("resources/read", "where"), ("prompts/get", "name")])
def test_resources_and_prompts_may_ask_by_their_result(method: str, key: str) -> None:
    client = Client(LATEST)
    params = {"uri": "shop://hours"} if method == "resources/read" else {"name": "haggle", "arguments": {"price": "5"}}
    outgoing = client.ask(method, params)
    assert list(answer_of(outgoing)["inputRequests"]) == [key]
    result = answer_of(client.send(repeated(client, outgoing, {key: {"roots": []} if key == "where" else ANA})))
    assert result["resultType"] == "complete"


# ---- Cancelling ------------------------------------------------------------------------------------------------------


def cancelled(client: Client, id: Any) -> list[Outgoing]:
    return client.send(Notification("notifications/cancelled", {"requestId": id, "reason": "too slow"}))


def test_a_sleeping_tool_is_cancelled_at_once_and_cleans_up() -> None:
    trace: list[str] = []
    client = Client("2025-11-25", catalogue=shop(trace=trace))
    (question,) = asked(client.call("greet", id="g"))
    assert cancelled(client, "G") == []
    assert trace == []
    assert cancelled(client, "g") == [Outgoing(None, "g")]
    assert trace == ["cleaned up"]
    assert client.send(Result(question.id, ANA)) == []
    assert list(client.session.give_up(question.id)) == []
    assert cancelled(client, "g") == []
    assert len(asked(client.call("greet", id="g"))) == 1  # the id is free again


def test_a_tool_between_two_steps_is_cancelled_at_the_next(client: Client) -> None:
    steps = client.begin(client.request("tools/call", {"name": "work"}, id="w", progressToken=1))
    assert isinstance(next(steps).message, Notification)
    assert cancelled(client, "w") == []
    assert list(steps) == [Outgoing(None, "w")]


@pytest.mark.parametrize("step", ["", "yield", "ask", "raise"])
@pytest.mark.parametrize("revision", ["2025-11-25", LATEST])
def test_a_tool_that_is_cancelled_while_it_runs_says_nothing_more(revision: str, step: str) -> None:
    gate = Gate()
    client = Client(revision, catalogue=shop(gate))
    request = client.request("tools/call", {"name": "pause", "arguments": {"step": step}}, id="p", progressToken=1)
    outgoing: list[Outgoing] = []
    thread = threading.Thread(target=lambda: outgoing.extend(client.begin(request)))
    thread.start()
    assert gate.reached.wait(20)
    assert cancelled(client, "p") == []
    gate.opened.set()
    thread.join(20)
    assert [out.message for out in outgoing[1:]] == [None]
    assert outgoing[-1].about == "p"
    assert isinstance(outgoing[-1].fault, OSError) is (step == "raise")  # a bug is logged all the same
    assert list(client.session.give_up("ask-1")) == []


def test_a_request_that_is_cancelled_before_its_first_step_never_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    trace: list[str] = []
    client = Client("2025-11-25", catalogue=shop(trace=trace))
    advance = Session._advance

    def cancel_first(session: Session, run: Any) -> Iterator[Outgoing]:
        assert list(session.cancel(run.id)) == []
        return advance(session, run)

    monkeypatch.setattr(Session, "_advance", cancel_first)
    assert client.call("work", id="w") == [Outgoing(None, "w")]
    assert trace == []


def test_a_request_that_is_cancelled_in_the_moment_it_falls_asleep_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client("2025-11-25")

    def cancel_meanwhile(id: Any) -> Iterator[str]:
        for _ in range(10):
            list(client.session.cancel(id))
            yield "1"

    client.session._ids = cancel_meanwhile("g")  # type: ignore[assignment]
    assert client.call("greet", id="g") == [Outgoing(None, "g")]


def test_initialize_cannot_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Session._advance

    def cancel_first(session: Session, run: Any) -> Iterator[Outgoing]:
        assert list(session.cancel(run.id)) == []
        return advance(session, run)

    monkeypatch.setattr(Session, "_advance", cancel_first)
    (out,) = Session(shop()).receive(Request("i", "initialize", {"protocolVersion": "2025-11-25"}))
    assert isinstance(out.message, Result)


@pytest.mark.parametrize("how", ["raises", "yields"])
def test_a_tool_that_fails_while_it_is_cancelled_breaks_nothing(how: str) -> None:
    client = Client("2025-11-25")
    asked(client.call("messy", {"how": how}, id="m"))
    (out,) = cancelled(client, "m")
    assert (out.message, out.about) == (None, "m")
    assert isinstance(out.fault, OSError if how == "raises" else RuntimeError)


@pytest.mark.parametrize("how", ["raises", "yields"])
def test_a_tool_that_fails_while_its_call_is_put_off_still_asks(how: str) -> None:
    outgoing = Client(LATEST).call("messy", {"how": how})
    assert answer_of(outgoing)["resultType"] == "input_required"
    assert isinstance(outgoing[-1].fault, Exception)


def test_a_stream_that_breaks_cancels_only_in_the_stateless_era() -> None:
    for revision in ("2025-11-25", LATEST):
        client = Client(revision)
        steps = client.begin(client.request("tools/call", {"name": "work"}, id="w", progressToken=1))
        next(steps)
        assert list(client.session.reader_gone("w")) == []
        rest = list(steps)
        assert (rest[-1].message is None) is (revision == LATEST)
    assert list(client.session.reader_gone("w")) == []


# ---- Many at once ----------------------------------------------------------------------------------------------------


def test_an_id_may_not_be_used_twice_while_its_request_is_being_answered(shaken: Client) -> None:
    (question,) = asked(shaken.call("greet", id="g"))
    failure = answer_of(shaken.ask("tools/list", id="g"))
    assert failure.code == INVALID_REQUEST
    assert "'g' is still being answered" in failure.message
    shaken.requests["g"] = shaken.request("tools/call", {"name": "greet"}, id="g")
    assert text_of(shaken.send(Result(question.id, ANA))) == "Hello, Ana."
    assert "tools" in answer_of(shaken.send(shaken.request("tools/list", id="other")))


def test_ids_of_different_types_are_different_ids(shaken: Client) -> None:
    (one,), (two,) = asked(shaken.call("greet", id=1)), asked(shaken.call("greet", id="1"))
    (out,) = shaken.send(Result(two.id, ANA))
    assert out.about == "1"
    (out,) = shaken.send(Result(one.id, ANA))
    assert out.about == 1


def together(*work: Callable[[], Any]) -> list[Any]:
    """Runs functions in threads that start at the same moment; gives what they return."""
    start = threading.Barrier(len(work))
    found: list[Any] = [None] * len(work)

    def run(place: int) -> None:
        start.wait(20)
        found[place] = work[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


def test_answers_from_many_threads_each_wake_their_own_tool() -> None:
    client = Client("2025-11-25")
    waiting = {f"g{n}": asked(client.call("greet", id=f"g{n}"))[0] for n in range(30)}
    order = list(waiting.items())
    random.Random(7).shuffle(order)

    def answer(id: str, question: Request) -> list[Outgoing]:
        return client.send(Result(question.id, {"action": "accept", "content": {"name": id}}))

    found = together(*[partial(answer, id, question) for id, question in order])
    assert [(text_of(outgoing), outgoing[-1].about) for outgoing in found] == [(f"Hello, {id}.", id) for id, _ in order]


def test_of_several_answers_that_come_at_once_exactly_one_wakes_the_tool() -> None:
    client = Client("2025-11-25")
    for _ in range(30):
        questions = asked(client.call("many"))
        answers: list[dict[str, Any]] = [ANA, {"roots": []}, SAID]
        pairs = list(zip(questions, answers, strict=True))
        found = together(*[partial(client.send, Result(question.id, answer)) for question, answer in pairs])
        assert sorted(map(len, found)) == [0, 0, 1]
        assert text_of(max(found, key=len)) == "Ana 0 short"


def test_of_all_who_would_end_a_sleeping_tool_at_once_exactly_one_does() -> None:
    client = Client("2025-11-25")
    for turn in range(30):
        (question,) = asked(client.call("greet", id=turn))
        found = together(
            partial(client.send, Result(question.id, ANA)),
            partial(cancelled, client, turn),
            partial(lambda id: list(client.session.give_up(id)), question.id),
        )
        ends = [out for outgoing in found for out in outgoing if not isinstance(out.message, Notification)]
        assert [out.about for out in ends] == [turn]


def test_many_calls_run_at_the_same_time() -> None:
    gates = [Gate() for _ in range(4)]
    catalogue = Catalogue("shop", "1.0")

    @catalogue.tool()
    def pause(n: int) -> str:
        gates[n].wait()
        return str(n)

    client = Client("2025-11-25", catalogue=catalogue)
    found: dict[int, str] = {}

    def call(n: int) -> None:
        found[n] = text_of(client.call("pause", {"n": n}))

    threads = [threading.Thread(target=call, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for gate in gates:
        assert gate.reached.wait(20)  # all are under way before the first ends
    for gate, thread in reversed(list(zip(gates, threads, strict=True))):
        gate.opened.set()
        thread.join(20)
    assert found == {n: str(n) for n in range(4)}


# ---- Changes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_client_of_the_handshake_era_hears_of_changes_once_it_is_ready(revision: str) -> None:
    client = Client(revision)
    (out,) = client.deliver(client.session.announce(Change("tools")))
    assert out == Outgoing(Notification("notifications/tools/list_changed"), None)
    changed = Change("resources", "shop://hours")
    assert list(client.session.announce(changed)) == []
    assert answer_of(client.ask("resources/subscribe", {"uri": "shop://hours"})) == {}
    (out,) = client.deliver(client.session.announce(changed))
    assert out == Outgoing(Notification("notifications/resources/updated", {"uri": "shop://hours"}), None)
    assert list(client.session.announce(Change("resources", "shop://other"))) == []
    assert answer_of(client.ask("resources/unsubscribe", {"uri": "shop://hours"})) == {}
    assert list(client.session.announce(changed)) == []
    assert list(Session(shop(), can_push=True).announce(Change("tools"))) == []


@pytest.mark.parametrize("id", [9, "9", 0, ""])
def test_a_listener_hears_what_it_asked_for_and_nothing_else(id: Any) -> None:
    client = Client(LATEST)
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["shop://hours"], "unknown": True}
    (first,) = client.ask("subscriptions/listen", {"notifications": wanted}, id=id)
    assert isinstance(first.message, Notification)
    assert first.message.method == "notifications/subscriptions/acknowledged"
    heard = [first]
    for change in (
        Change("prompts"),
        Change("tools"),
        Change("resources"),
        Change("resources", "shop://hours"),
        Change("resources", "shop://other"),
    ):
        heard += client.deliver(client.session.announce(change))
    assert [out.message.method for out in heard if isinstance(out.message, Notification)] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]
    for out in heard:
        assert isinstance(out.message, Notification)
        subscription = out.message.params["_meta"][revisions.SUBSCRIPTION_KEY]
        assert (subscription, type(subscription), out.about) == (id, type(id), id)
    assert first.message.params["notifications"] == {
        "toolsListChanged": True,
        "resourceSubscriptions": ["shop://hours"],
    }


def test_listeners_are_independent_and_end_gracefully_with_the_session() -> None:
    client = Client(LATEST)
    client.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=1)
    client.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=2)
    client.ask("subscriptions/listen", {"notifications": {}}, id=3)
    assert [out.about for out in client.session.announce(Change("tools"))] == [1, 2]
    assert cancelled(client, 1) == [Outgoing(None, 1)]
    assert [out.about for out in client.session.announce(Change("tools"))] == [2]
    ended = list(client.deliver(client.session.close()))
    assert [out.about for out in ended] == [2, 3]
    for out in ended:
        assert isinstance(out.message, Result)
        assert out.message.result["_meta"][revisions.SUBSCRIPTION_KEY] == out.about
        assert out.message.result["resultType"] == "complete"
    assert list(client.session.announce(Change("tools"))) == []
    assert list(client.session.close()) == []


def test_a_listener_whose_stream_breaks_is_forgotten() -> None:
    client = Client(LATEST)
    client.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=1)
    assert list(client.session.reader_gone(1)) == [Outgoing(None, 1)]
    assert list(client.session.announce(Change("tools"))) == []


def test_a_pipe_that_carries_both_eras_tells_each_in_its_way() -> None:
    old, new = Client("2025-11-25"), Client(LATEST)
    new.session = old.session
    new.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=1)
    assert [out.about for out in old.session.announce(Change("tools"))] == [None, 1]


# ---- For the log -----------------------------------------------------------------------------------------------------


def test_the_function_that_answers_a_request_can_be_named() -> None:
    catalogue = shop()
    session = Session(catalogue)

    def named(method: str, **params: Any) -> str | None:
        return getattr(session.handler_of(Request(1, method, params)), "__name__", None)

    assert named("tools/call", name="add") == "add"
    assert named("prompts/get", name="haggle") == "haggle"
    assert named("tools/call", name="nosuch") == "call_tool"
    assert named("tools/call", name=["add"]) == "call_tool"
    assert named("tools/list", name="add") == "list_tools"
    assert named("tools/dance") is None
