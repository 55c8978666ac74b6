"""A conversation between other people's programs, in which nearly everything happens that can, for the tap to hear.

In:   what the official Python SDK can connect to, and its mode.
Out:  a conversation that has been held.
Here nobody knows that anybody listens. What a server does not offer is left out, what it refuses is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client import ClientRequestContext

# The reference server's tools, then those of the servers in this folder.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("echo", {"message": "naïve €"}),
    ("echo", {}),
    ("get-sum", {"a": 1, "b": 2}),
    ("get-structured-content", {"location": "New York"}),
    ("get-tiny-image", {}),
    ("get-resource-links", {}),
    ("get-annotated-message", {"messageType": "error"}),
    ("trigger-long-running-operation", {"duration": 0.05, "steps": 3}),
    ("trigger-sampling-request", {"prompt": "x"}),
    ("trigger-elicitation-request", {}),
    ("trigger-url-elicitation", {"url": "https://example.com/"}),
    ("trigger-url-elicitation", {"url": "https://example.com/", "errorPath": True}),
    ("get-roots-list", {}),
    ("toggle-simulated-logging", {}),
    ("toggle-subscriber-updates", {}),
    ("toggle-subscriber-updates", {}),
    ("toggle-simulated-logging", {}),
    ("add", {"a": 1, "b": 2}),
    ("ask", {}),
    ("work", {}),
    ("grow", {}),
)


async def _fill(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": "Ana", "check": True, "size": "m"})


async def _think(
    context: ClientRequestContext, params: types.CreateMessageRequestParams
) -> types.CreateMessageResult:  # fmt: skip
    block = types.TextContent(type="text", text="A short text.")
    return types.CreateMessageResult(role="assistant", content=block, model="person", stop_reason="endTurn")


async def _open(context: ClientRequestContext) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root.model_validate({"uri": "file:///tmp", "name": "tmp"})])


async def _hear(_: Any) -> None:
    return None


async def _watch(progress: float, total: float | None, message: str | None) -> None:
    return None


@contextlib.contextmanager
def _may_be_refused() -> Iterator[None]:
    with contextlib.suppress(MCPError):
        yield


async def converse(target: Any, mode: str) -> str:
    """Does all of it; the revision that was spoken."""
    hear: Any = _hear
    async with Client(
        target, mode=mode, elicitation_callback=_fill, sampling_callback=_think, list_roots_callback=_open,
        logging_callback=hear, message_handler=hear,
    ) as client:  # fmt: skip
        await _discover(client)
        if client.protocol_version < "2026":
            await _subscribe(client)
        offered = {tool.name for tool in (await client.list_tools()).tools}
        for name, arguments in CALLS:
            if name in offered:
                with _may_be_refused():
                    await client.call_tool(name, arguments, progress_callback=_watch)
        with _may_be_refused():
            await client.call_tool("dance", {})
        if "trigger-long-running-operation" in offered:
            await _give_up(client)
        await _use_prompts(client)
        await client.list_tools()
        return str(client.protocol_version)


async def _discover(client: Client) -> None:
    for ask in (client.list_tools, client.list_resource_templates, client.list_prompts):
        with _may_be_refused():
            await ask()
    with _may_be_refused():
        for resource in (await client.list_resources()).resources[:1]:
            await client.read_resource(resource.uri)
    with pytest.raises(MCPError):
        await client.read_resource("demo://none")


async def _subscribe(client: Client) -> None:
    """What only the handshake era has."""
    resources = (await client.list_resources()).resources
    with _may_be_refused():
        await client.set_logging_level("debug")
    with _may_be_refused():
        await client.subscribe_resource(str(resources[0].uri))
    with _may_be_refused():
        await client.unsubscribe_resource(str(resources[0].uri))
    with _may_be_refused():
        await client.subscribe_resource(str(resources[0].uri))
    await client.send_ping()
    await client.send_roots_list_changed()


async def _give_up(client: Client) -> None:
    """Cancels a call after it has begun."""
    begun = asyncio.Event()

    async def watch(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    arguments = {"duration": 0.6, "steps": 6}
    call = asyncio.create_task(
        client.call_tool("trigger-long-running-operation", arguments, progress_callback=watch)
    )  # fmt: skip
    await asyncio.wait_for(begun.wait(), 20)
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call


async def _use_prompts(client: Client) -> None:
    with _may_be_refused():
        for prompt in (await client.list_prompts()).prompts:
            with _may_be_refused():
                await client.get_prompt(prompt.name, {each.name: "x" for each in prompt.arguments or []})
    with pytest.raises(MCPError):
        await client.get_prompt("none")
    with _may_be_refused():
        reference = types.PromptReference(type="ref/prompt", name="completable-prompt")
        await client.complete(reference, {"name": "department", "value": "E"})


async def listen(target: Any) -> None:
    """Subscribes in the stateless era, makes news, hears it, and reads what is new."""
    async with Client(target, mode="2026-07-28") as client:
        async with client.listen(tools_list_changed=True) as news:
            await client.list_tools()
            await client.call_tool("grow", {})
            async for _ in news:
                break
            await client.list_tools()
        await client.list_tools()
