"""A stdio MCP server that is what a test wants: any tools, any results, and a count of what was really run.

    python odd_server.py PLAN.json

In:   a plan: {"tools": [...], "page": N, "results": {name: result}, "behave": {name: word}, "calls": FILE, …}.
Out:  answers as JSON lines; each call that was run is a line in FILE.
It shares no code with the project, and speaks revision 2025-06-18 alone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Odd:
    def __init__(self, plan: Json) -> None:
        self.plan = plan
        self.lock = threading.Lock()
        self.replies: dict[str, Json] = {}
        self.arrived = threading.Condition(self.lock)
        self.cancelled: set[Any] = set()

    def say(self, message: Json) -> None:
        with self.lock:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "method" not in message:
                with self.arrived:
                    self.replies[message["id"]] = message
                    self.arrived.notify_all()
            elif message["method"] == "notifications/cancelled":
                self.note("cancelled", message["params"])
                with self.arrived:
                    self.cancelled.add(message["params"]["requestId"])
                    self.arrived.notify_all()
            elif "id" in message:
                threading.Thread(target=self.answer, args=[message], daemon=True).start()

    def answer(self, message: Json) -> None:
        params = message.get("params", {})
        match message["method"]:
            case "initialize":
                able = {"tools": {"listChanged": True}, **self.plan.get("capabilities", {})}
                info = {"name": "odd", "version": "1"}
                self.result(message, {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": info})
            case "tools/list":
                self.result(message, self.page(params))
            case "tools/call":
                self.call(message, params)
            case method if method in self.plan.get("answers", {}):
                self.result(message, self.plan["answers"][method])
            case _:
                self.say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})

    def result(self, message: Json, result: Json) -> None:
        self.say({"id": message["id"], "result": result})

    def page(self, params: Json) -> Json:
        tools, size = self.plan["tools"], self.plan.get("page") or len(self.plan["tools"]) or 1
        start = int(params.get("cursor", 0))
        more = {"nextCursor": str(start + size)} if start + size < len(tools) else {}
        return {"tools": tools[start : start + size], **more}

    def note(self, name: str, arguments: Any) -> None:
        if "calls" in self.plan:
            with Path(self.plan["calls"]).open("a", encoding="utf-8") as file:
                file.write(json.dumps([name, arguments]) + "\n")

    def call(self, message: Json, params: Json) -> None:
        name, arguments = params["name"], params.get("arguments", {})
        self.note(name, arguments)
        word = self.plan.get("behave", {}).get(name, "")
        default = {"content": [{"type": "text", "text": f"{name} did {json.dumps(arguments)}"}]}
        result = self.plan.get("results", {}).get(name, default)
        if word == "die":
            os._exit(3)
        elif word == "hang":  # until it is cancelled
            with self.arrived:
                self.arrived.wait_for(lambda: message["id"] in self.cancelled, timeout=60)
            return
        elif word == "huge":
            result = {"content": [{"type": "text", "text": "x" * self.plan.get("huge", 5_000_000)}]}
        elif word == "change":
            self.plan["tools"].append({"name": "newcomer", "inputSchema": {"type": "object"}})
            self.say({"method": "notifications/tools/list_changed"})
        elif word in ("elicitation/create", "sampling/createMessage"):
            result = {"content": [{"type": "text", "text": json.dumps(self.ask(word, self.plan["ask"]))}]}
        elif word == "progress":
            token = params["_meta"]["progressToken"]
            self.say(
                {"method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "total": 2}}
            )
        self.result(message, result)

    def ask(self, method: str, params: Json) -> Json:
        self.say({"id": "q1", "method": method, "params": params})
        with self.arrived:
            self.arrived.wait_for(lambda: "q1" in self.replies, timeout=60)
            reply = self.replies.pop("q1", {})
        return reply.get("result") or {"error": reply.get("error")}


if __name__ == "__main__":
    Odd(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).run()
