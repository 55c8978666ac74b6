"""The official Python SDK 1.x as a client of ours: uses what there is, and prints what it saw as one line of JSON.

python client_python_1.py http URL | stdio COMMAND ARGUMENT ...        runs in the environment of the peer python-1
"""

# mypy: ignore-errors
# The SDK of this version is not in the environment that types are checked in.

import asyncio
import json
import sys

from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client

SAW = {"asked": [], "progress": 0, "logged": []}


async def fill(context, params):
    SAW["asked"].append(params.message)
    return types.ElicitResult(action="accept", content={"sure": True})


async def think(context, params):
    block = types.TextContent(type="text", text="A short text.")
    return types.CreateMessageResult(role="assistant", content=block, model="person")


async def count(progress, total, message):
    SAW["progress"] += 1


async def use(read, write):
    changed, updated = asyncio.Event(), asyncio.Event()

    async def hear(message):
        note = getattr(message, "root", None)
        if isinstance(note, types.ResourceListChangedNotification):
            changed.set()
        if isinstance(note, types.ResourceUpdatedNotification):
            updated.set()

    functions = {"elicitation_callback": fill, "sampling_callback": think, "message_handler": hear}
    async with ClientSession(read, write, **functions) as session:
        SAW["revision"] = (await session.initialize()).protocolVersion

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments, progress_callback=count)
            return result.content[0].text if result.isError else result.structuredContent

        SAW["tools"] = sorted(tool.name for tool in (await session.list_tools()).tools)
        SAW["written"] = await call("write_file", filename="one.txt", text="one TODO\n")
        await asyncio.wait_for(changed.wait(), 10)
        await session.subscribe_resource("playground://files/one.txt")
        await call("append_line", filename="one.txt", line="two TODO €")
        await asyncio.wait_for(updated.wait(), 10)
        SAW["content"] = (await call("read_file", filename="one.txt"))["content"]
        SAW["total"] = (await call("search_all", keyword="TODO"))["total"]
        SAW["summary"] = (await call("summarize_file", filename="one.txt"))["summary"]
        SAW["resource"] = (await session.read_resource("playground://files/one.txt")).contents[0].text
        SAW["prompts"] = sorted(prompt.name for prompt in (await session.list_prompts()).prompts)
        SAW["prompt"] = len((await session.get_prompt("review_file", {"filename": "one.txt"})).messages)
        reference = types.PromptReference(type="ref/prompt", name="review_file")
        completed = await session.complete(reference, {"name": "style", "value": "b"})
        SAW["completion"] = completed.completion.values
        changed.clear()
        SAW["deleted"] = (await call("delete_file", filename="one.txt"))["deleted"]
        await asyncio.wait_for(changed.wait(), 10)  # what comes later than the end of its session breaks this SDK
        try:
            await session.call_tool("dance", {})
        except McpError as error:
            SAW["refusal"] = error.error.code
        await session.send_ping()


async def main():
    way, *where = sys.argv[1:]
    if way == "http":
        async with streamable_http_client(where[0]) as (read, write, _):
            await use(read, write)
    else:
        async with stdio_client(StdioServerParameters(command=where[0], args=where[1:])) as (read, write):
            await use(read, write)
    print(json.dumps(SAW))


asyncio.run(main())
