"""Judges every message in a log by the published schema, with the wire types of the official package mcp-types.

In:   the records of a log, as a server or a client wrote it.
Out:  a sentence for each message that its writer sent and its revision does not allow.
Here nobody knows what was being said. The types are made from the schema of each era, so this finds what is missing or
of the wrong kind; a field that came with a later revision of the same era passes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pydantic
from mcp_types import jsonrpc, methods

from mcp_core import revisions

Object = dict[str, Any]


@dataclass
class Judge:
    """Reads the records of one log in their order; remembers which request an answer belongs to, and the revision."""

    seen: int = 0  # messages judged
    faults: list[str] = field(default_factory=list)
    asked: dict[str, Object] = field(default_factory=dict)  # exchange -> the request
    agreed: dict[Any, str] = field(default_factory=dict)  # session, None without one -> its revision

    def read(self, record: Mapping[str, Any]) -> None:
        message, way = record["data"].get("message"), record.get("dir")
        if not isinstance(message, dict) or way is None or record.get("peer") not in ("client", "server"):
            return
        if "method" in message and "id" in message:
            self.asked[record.get("exchange", "")] = message
        request = message if "method" in message else self.asked.get(record.get("exchange", ""), {})
        if request.get("method") == "initialize" and "result" in message:
            self.agreed[record.get("session")] = message["result"]["protocolVersion"]
        if way == "out":
            self.seen += 1
            revision = self.revision(record, request)
            if (fault := complaint(message, request, record["peer"], revision)) is not None:
                self.faults.append(f"{request.get('method')} in {revision}: {fault}: {json.dumps(message)[:300]}")

    def revision(self, record: Mapping[str, Any], request: Object) -> str:
        """What the request says it is; else what its session agreed on; else the newest that has sessions."""
        meta = request.get("params", {}).get("_meta", {})
        agreed = self.agreed.get(record.get("session"), revisions.LATEST_HANDSHAKE)
        stated = meta.get(revisions.VERSION_KEY, revisions.LATEST if revisions.SUBSCRIPTION_KEY in meta else agreed)
        return stated if stated in revisions.REVISIONS else revisions.LATEST


def complaint(message: Object, request: Object, to: str, revision: str) -> str | None:
    """What is wrong with a message that was sent to a client or a server; `request` is what it answers, or itself."""
    method, params = request.get("method", ""), message.get("params")
    sender = "server" if to == "client" else "client"
    judge: Callable[[], object]
    if "error" in message:
        judge = partial(jsonrpc.JSONRPCError.model_validate, message)
    elif "result" in message:
        judge = partial(getattr(methods, f"parse_{sender}_result"), method, revision, message["result"])
    else:
        kind = "request" if "id" in message else "notification"
        judge = partial(getattr(methods, f"parse_{sender}_{kind}"), method, revision, params)
    try:
        judge()
    except KeyError:
        return "this revision does not have it"
    except pydantic.ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:3])
    return None


def judged(log: Path | Iterable[Mapping[str, Any]]) -> Judge:
    """The judgment on a whole log: a file of JSON lines, or its records."""
    judge = Judge()
    records = map(json.loads, log.read_text("utf-8").splitlines()) if isinstance(log, Path) else log
    for record in records:
        judge.read(record)
    return judge
