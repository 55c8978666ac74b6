"""Records of a conversation, as a client would write them down, for the tests of what is said about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, VERSION_KEY
from playground.telling.tell import tell
from playground.viewer.folder import Folder
from playground.viewer.moments import scene

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


def untold(logs: Path) -> list[str]:
    """The messages in a folder of logs for which there is nothing to say: why now, what next, what never."""
    faults, folder = [], Folder(logs)
    for log in sorted(logs.glob("*.jsonl")):
        at = 0
        for line in log.read_bytes().splitlines(keepends=True):
            record, here, at = json.loads(line), at, at + len(line)
            if record.get("dir") is None and "http" not in record["data"]:
                continue  # a note of the program about itself
            found = scene(folder, log.name, here)
            told = tell(found.records, is_whole=found.is_whole)
            is_told = told.situation != "event" and all((told.why, told.next, told.never, told.spec, told.twin))
            if not is_told and record.get("peer") not in ("llm", "user"):
                faults.append(f"{log.name} at {here}: {told.situation}: {line[:200]!r}")
    return faults
