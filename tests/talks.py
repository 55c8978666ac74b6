"""Records of a conversation, as a client would write them down, for the tests of what is said about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, VERSION_KEY
from playground.telling.said import said
from playground.telling.tell import Telling, tell
from playground.viewer.moments import WINDOW, gathered

Json = dict[str, Any]
JSON = {"Content-Type": "application/json"}
STREAM = {"Content-Type": "text/event-stream"}


class Log:
    """Grows by a record at a time; each method gives the whole log up to then."""

    def __init__(self, revision: str = "2025-11-25", via: str = "http") -> None:
        self.records: list[Json] = []
        self.revision, self.via = revision, via
        self.is_stateless = revision >= "2026"
        self.count = 0

    def say(self, sender: str, message: Any, *, http: Json | None = None, about: int | str | None = None) -> list[Json]:
        """A message as the client saw it; `about` is the id of the request whose exchange it belongs to."""
        ours = sender == "client"
        key = about if about is not None else message.get("id") if isinstance(message, dict) else None
        data: Json = {"message": message} | ({"http": http} if http is not None else {})
        return self.put(
            dir="out" if ours else "in", peer="server", data=data, exchange=f"c1/client/{key}", event="client_request"
        )

    def put(self, **record: Any) -> list[Json]:
        self.records.append({"component": "mcp-client-simple", "pid": 1, "via": self.via, **record})
        return self.records

    def ask(self, method: str, params: Json | None = None, *, http: Json | None = None, id: Any = None) -> list[Json]:
        """The client asks; the id counts up."""
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count if id is None else id, "method": method, "params": params or {}}
        if self.is_stateless and method != "initialize":
            own = {VERSION_KEY: self.revision, CLIENT_CAPABILITIES_KEY: {}}
            message["params"] = {**(params or {}), "_meta": {**own, **(params or {}).get("_meta", {})}}
        return self.say("client", message, http=http or {"method": "POST", "path": "/mcp", "headers": JSON})

    def get(self, result: Json | None = None, *, http: Json | None = None, id: Any = None) -> list[Json]:
        """The server answers the last request."""
        id = self.count if id is None else id
        http = http or {"status": 200, "headers": JSON}
        return self.say("server", {"jsonrpc": "2.0", "id": id, "result": result or {}}, http=http)

    def fail(self, code: int, *, status: int = 200, id: Any = None) -> list[Json]:
        """The server refuses the last request."""
        id = self.count if id is None else id
        error = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "No."}}
        return self.say("server", error, http={"status": status, "headers": JSON})

    def tell(self, method: str, params: Json | None = None) -> list[Json]:
        """A notification of the client."""
        return self.say("client", {"jsonrpc": "2.0", "method": method, "params": params or {}}, about=f"n{self.count}")

    def news(self, method: str, params: Json | None = None, *, http: Json | None = None) -> list[Json]:
        """A notification of the server, in the middle of the last request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        return self.say("server", message, http=http or {"status": 200, "headers": STREAM}, about=self.count)

    def asked(self, method: str, params: Json | None = None, id: str = "s1") -> list[Json]:
        """A request of the server."""
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
        return self.put(dir="in", peer="server", data={"message": message}, exchange=f"c1/server/{id}")

    def reply(self, outcome: Json, id: str = "s1") -> list[Json]:
        """The client's answer to that."""
        message = {"jsonrpc": "2.0", "id": id, **outcome}
        return self.put(dir="out", peer="server", data={"message": message}, exchange=f"c1/server/{id}")

    def http(self, event: str, http: Json, exchange: str = "c1/client/raw-1") -> list[Json]:
        """HTTP without a message."""
        return self.put(event=event, data={"http": http}, exchange=exchange)

    def hello(self) -> Log:
        """The beginning, in the way of the era."""
        if self.is_stateless:
            self.ask("server/discover")
            self.get({"resultType": "complete", "supportedVersions": [self.revision]})
            return self
        self.ask("initialize", {"protocolVersion": self.revision, "capabilities": {}})
        self.get({"protocolVersion": self.revision, "capabilities": {}})
        self.tell("notifications/initialized")
        return self


OLD, NEW = "2025-11-25", "2026-07-28"


# What is said when nothing better is known; a message that gets no more than this counts as not explained.
GENERAL = {"event", "bare-status", "done-otherwise", "answered-otherwise", "unparsed-of-the-server"}
# What stands in a sentence when the message or its conversation does not say it.
BLANKS = ("`a request`", "`it`", "id ?", " ? ", "token ?", "(no revision)", "`None`", "(id None)", "``")


def untold(logs: Path) -> list[str]:
    """The messages in a folder of logs that are not wholly explained: who, why now, next, never, the fields."""
    return lacking(tellings(logs))


Told = tuple[str, int, Json, Telling]


def lacking(told: Iterable[Told]) -> list[str]:
    """The same of tellings."""
    return [
        f"{name} at line {number}: {telling.situation} lacks {lacks}: {str(record)[:200]}"
        for name, number, record, telling in told
        if (lacks := list(_lacks(record, telling)))
    ]


def tellings(logs: Path) -> Iterator[Told]:
    """What is told of each record: the name of its log, its line, itself. A program's notes are none."""
    for log in sorted(logs.glob("*.jsonl")):
        before: list[Json] = []
        for number, line in enumerate(log.read_bytes().splitlines(), 1):
            record = json.loads(line)
            before.append(record)
            if record.get("dir") is not None or "http" in record["data"] or record["event"] == "tap_cut":
                found = gathered(
                    before[: -WINDOW - 1 : -1], is_whole=True
                )  # as the viewer does, but each line is read once
                yield log.name, number, record, tell(found.records, is_whole=found.is_whole)


def _lacks(record: Json, told: Telling) -> Iterator[str]:
    if record.get("peer") in ("llm", "user") or (record.get("dir") is None and "http" not in record["data"]):
        return
    now, known = said(record), {(text.kind, text.name) for text in told.paragraphs}
    if now.sender not in ("client", "server") and now.event != "tap_refused":
        yield "who"
    if told.situation in GENERAL:
        yield "a situation of its own"
    yield from (name for name in ("why", "next", "never", "spec", "twin") if not getattr(told, name))
    yield from (f"what {blank} is" for blank in BLANKS if blank in told.why + told.next + told.never)
    yield from (f"the field {name}" for name in now.message if ("field", name) not in known)
    if now.is_answer and now.code is None and told.situation != "answer-to-nothing":
        yield from () if "answer" in {kind for kind, _ in known} else ("what it answers",)
    if now.code is not None and ("code", str(now.code)) not in known and told.situation != "refused-by-its-own-code":
        yield f"the code {now.code}"
    if now.method and ("method", now.method) not in known and not told.situation.startswith("unknown-"):
        yield f"the method {now.method}"
