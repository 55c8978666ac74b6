"""The official Python SDK 2.x as a server for our client: both eras, and the transport of 2024.

python server_python_2.py stdio | http | sse        over HTTP it prints its address
"""

from __future__ import annotations

import socket
import sys
from typing import Any, TypedDict

import mcp_types as types
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel

server = MCPServer("python-2", version="1.0")


class Sum(TypedDict):
    sum: float


class Who(BaseModel):
    name: str = "Ana"
    size: str


FORM = {
    "type": "object",
    "properties": {"name": {"type": "string", "default": "Ana"}, "size": {"type": "string", "enum": ["s", "m"]}},
    "required": ["size"],
}


@server.tool()
def add(a: float, b: float) -> Sum:
    """Adds."""
    return {"sum": a + b}


@server.tool()
async def ask(ctx: Context[Any, Any]) -> str | types.InputRequiredResult:
    """Asks the user, in the way of the era."""
    if ctx.protocol_version != "2026-07-28":
        answer = await ctx.elicit("Who?", Who)
        assert answer.action == "accept"
        return f"{answer.data.name} wears {answer.data.size}"
    given: Any = (ctx.input_responses or {}).get("who")
    if given is None:
        params = types.ElicitRequestFormParams(message="Who?", requested_schema=FORM)
        return types.InputRequiredResult(input_requests={"who": types.ElicitRequest(params=params)})
    return f"{given.content['name']} wears {given.content['size']}"


@server.tool()
async def work(ctx: Context[Any, Any]) -> str:
    """Reports its progress."""
    for done in (1, 2, 3):
        await ctx.report_progress(done, 3)
    return "worked"


@server.tool()
async def grow(ctx: Context[Any, Any]) -> str:
    """Adds a tool, and says so."""
    server.add_tool(lambda: "new", name="grown", description="New.")
    await ctx.notify_tools_changed()
    if ctx.protocol_version != "2026-07-28":
        await ctx.session.send_tool_list_changed()
    return "grown"


@server.resource("test://note", mime_type="text/plain")
def note() -> str:
    """A note."""
    return "a note"


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Greet {name}."


def main() -> None:
    way = sys.argv[1]
    if way == "stdio":
        server.run("stdio")
        return
    listening = socket.create_server(("127.0.0.1", 0))  # from here on who connects is only kept waiting
    app = server.streamable_http_app() if way == "http" else server.sse_app()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/{'mcp' if way == 'http' else 'sse'}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
