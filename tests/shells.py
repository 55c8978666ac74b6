"""What the tests of the server's shells share: a small catalogue whose tools wait, report, ask and fail on demand."""

import json
import threading
from pathlib import Path
from typing import Any

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Ask, HangUp, Log, Progress, Steps, ToolError
from mcp_core.messages import Notification, Request
from mcp_core.sealing import Seal
from mcp_core.serving import Session
from playground.logbook import Logbook

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Stage:
    """A catalogue, and the events by which a test tells its tools when to go on."""

    def __init__(self) -> None:
        self.may_go_on, self.has_begun, self.was_closed = threading.Event(), threading.Event(), threading.Event()
        self.catalogue = Catalogue("stage", "1.0")
        self._offer()

    def session(self, revision: str | None = "2025-11-25", **capabilities: Any) -> Session:
        """A session after its handshake; None: one that has not had any."""
        session = Session(self.catalogue, seal=Seal(b"secret", now=lambda: 0.0), can_push=True)
        if revision is not None:
            hello = {
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": {"name": "t", "version": "1"},
            }
            list(session.receive(Request("hello", "initialize", hello)))
            list(session.receive(Notification("notifications/initialized")))
        return session

    def _offer(self) -> None:
        tool = self.catalogue.tool

        @tool()
        def quick() -> str:
            """Answers at once."""
            return "done"

        @tool()
        def slow() -> Steps[str]:
            """Reports, waits to be told, and reports again."""
            try:
                self.has_begun.set()
                yield Progress(1, 2)
                self.may_go_on.wait(10)
                yield Log("info", "half")
                yield Progress(2, 2)
            finally:
                self.was_closed.set()
            return "done"

        @tool()
        def ask() -> Steps[str]:
            """Asks the user for a name."""
            answer = yield Ask.form("name", "Your name?", FORM)
            return "nobody" if answer is None else str(answer.get("content", {}).get("name", answer["action"]))

        @tool()
        def away() -> Steps[str]:
            """Sends the client away, and answers when it may go on."""
            yield HangUp(20)
            self.may_go_on.wait(10)
            return "welcome back"

        @tool()
        def fail() -> str:
            """Fails in a way that a model may read of."""
            raise ToolError("That did not work; try quick.")

        @tool()
        def no_json(what: str = "result") -> Steps[dict[str, float]]:
            """Gives what JSON can't hold: as its result, in its progress, or in a question."""
            if what == "progress":
                yield Progress(float("nan"))
            if what == "question":
                yield Ask.form("name", "Your name?", {**FORM, "x": float("inf")})
            return {"value": float("nan") if what == "result" else 1.0}

        @tool()
        def burst() -> str:
            """Has a bug."""
            raise RuntimeError("a secret detail")


def call(name: str, id: Any = 1, **meta: Any) -> Request:
    """A tools/call request."""
    return Request(id, "tools/call", {"name": name, **({"_meta": meta} if meta else {})})


def records(folder: Path, *events: str) -> list[Any]:
    """What the server's log holds of these events."""
    lines = (folder / "mcp-server.jsonl").read_text("utf-8").splitlines()
    return [record for record in map(json.loads, lines) if not events or record["event"] in events]


def logbook(folder: Path) -> Logbook:
    return Logbook(folder, "mcp-server")
