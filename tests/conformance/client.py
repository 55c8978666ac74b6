"""The client that the official conformance suite examines: each scenario's errand, on playground.wire as it is.

In:   the address of the suite's server as the only argument; the scenario and what else it needs in the environment
      (MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT).
Out:  exit code 0 if the errand was done; else a sentence.
Here nobody knows the protocol. What the suite looks at (headers, ids, defaults, resumed streams) is done by the product
without being asked, so that most errands are no more than a call.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_core import forms
from mcp_core.calling import Asked
from playground.logbook import Logbook
from playground.wire.connecting import connect
from playground.wire.connection import BadResult, Connection, Refused
from playground.wire.transports import TravelError

Object = dict[str, Any]
Errand = Callable[[Connection, Object], None]

INFO = {"name": "mcp-playground-errands", "version": "1.0.0"}
ABLE: Object = {"elicitation": {}, "sampling": {}, "roots": {"listChanged": False}}
YES = {"boolean": True, "string": "yes", "integer": 1, "number": 1.0}


def answer(asked: Asked) -> Object | None:
    """Says yes to every form: with its defaults, and where there is none and one must say something, with a yes."""
    if asked.method != "elicitation/create":
        return None
    schema = asked.params.get("requestedSchema", {})
    needed = {line.name: YES[line.kind] for line in forms.fields(schema) if line.is_required and line.default is None}
    content, complaints = forms.fill(schema, needed)
    return {"action": "decline"} if complaints else {"action": "accept", "content": content}


# ---- The errands -----------------------------------------------------------------------------------------------------


def list_tools(connection: Connection, context: Object) -> None:
    connection.list_all("tools/list")


def add(connection: Connection, context: Object) -> None:
    connection.list_all("tools/list")
    connection.call_tool("add_numbers", {"a": 5, "b": 3})


def call(*names: str) -> Errand:
    """Calls tools that take no arguments."""

    def errand(connection: Connection, context: Object) -> None:
        connection.list_all("tools/list")
        for name in names:
            connection.call_tool(name, {})

    return errand


def use_everything(connection: Connection, context: Object) -> None:
    """Lists, and uses the first of each kind."""
    for tool in connection.list_all("tools/list")[:1]:
        connection.call_tool(tool["name"], {})
    for resource in connection.list_all("resources/list")[:1]:
        connection.request("resources/read", {"uri": resource["uri"]})
    for prompt in connection.list_all("prompts/list")[:1]:
        connection.request("prompts/get", {"name": prompt["name"]})


def call_as_told(connection: Connection, context: Object) -> None:
    """Calls what the suite lists."""
    connection.list_all("tools/list")
    for wanted in context["toolCalls"]:
        connection.call_tool(wanted["name"], wanted["arguments"])


def call_the_usable(connection: Connection, context: Object) -> None:
    """Calls every tool that was not left out."""
    for tool in connection.list_all("tools/list"):
        properties = tool["inputSchema"].get("properties", {})
        connection.call_tool(tool["name"], dict.fromkeys(properties, "value"))


def echo_schema(connection: Connection, context: Object) -> None:
    """Sends a tool's schema back as it came."""
    tools = {tool["name"]: tool for tool in connection.list_all("tools/list")}
    connection.call_tool("json_schema_echo", {"schema": tools["json_schema_2020_12_tool"]["inputSchema"]})


ERRANDS: dict[str, Errand] = {
    "initialize": list_tools,
    "tools_call": add,
    "elicitation-sep1034-client-defaults": call("test_client_elicitation_defaults"),
    "sse-retry": call("test_reconnection"),
    "request-metadata": list_tools,
    "sep-2322-client-request-state": call(
        "test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"
    ),
    "http-standard-headers": use_everything,
    "http-custom-headers": call_as_told,
    "http-invalid-tool-headers": call_the_usable,
    "json-schema-ref-no-deref": list_tools,
    "json-schema-2020-12-preservation": echo_schema,
}


def main() -> int:
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    log = Logbook(Path(os.environ.get("MCP_LOGS", "logs")), f"mcp-client-{scenario.replace('/', '-')}")
    # An errand that is not known is one with authorization: the client says that it has none.
    errand = ERRANDS.get(scenario, list_tools)
    try:
        connection = connect(scenario, {"url": sys.argv[1]}, log, INFO, ABLE, answer=answer, patience=20)
        try:
            errand(connection, context)
        finally:
            connection.close()
    except (TravelError, Refused, BadResult) as error:
        print(f"{scenario}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
