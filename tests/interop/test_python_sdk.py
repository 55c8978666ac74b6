"""The official Python SDK's client, unmodified, against server.py: an outside judge of every tool, in both eras."""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client import ClientRequestContext

ROOT = Path(__file__).resolve().parent.parent.parent
ERA = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}


@pytest.fixture(scope="module")
def http(start_module: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("interop")
    running = start_module("server.py", "--port", "0", "--files", folder / "files", "--logs", folder / "logs")
    return str(running.url) + "/mcp"


def pipe(folder: Path) -> Any:
    folders = ["--files", str(folder / "files"), "--logs", str(folder / "logs")]
    command = [str(ROOT / "server.py"), "--stdio", *folders]
    return stdio_client(StdioServerParameters(command=sys.executable, args=command))


class Person:
    """Who sits at the client: says yes, and answers for the model."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.progress: list[tuple[float, float | None]] = []

    async def fill(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult(action="accept", content={"sure": True})

    async def think(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        block = types.TextContent(type="text", text="A short text.")
        return types.CreateMessageResult(role="assistant", content=block, model="person", stop_reason="endTurn")

    async def watch(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total))


async def use_everything(target: Any, mode: str, name: str) -> None:
    person = Person()
    async with Client(
        target, mode=mode, elicitation_callback=person.fill, sampling_callback=person.think
    ) as client:  # fmt: skip
        assert client.protocol_version == ERA[mode]

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments, progress_callback=person.watch)
            assert not result.is_error, result
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
            return result.structured_content

        listed = [tool.name for tool in (await client.list_tools()).tools]
        # The SDK itself checks each structured result against the tool's outputSchema.
        assert await call("write_file", filename=name, text="one TODO\n") == {"message": f"Wrote 9 bytes to {name}"}
        assert await call("append_line", filename=name, line="two TODO €") == {"length": 22}
        assert name in (await call("list_files"))["files"]
        assert await call("read_file", filename=name) == {"content": "one TODO\ntwo TODO €\n"}
        assert await call("search_file", filename=name, keyword="TODO") == {"count": 2}
        assert {"name": name, "count": 2} in (await call("search_all", keyword="TODO"))["files"]
        assert person.progress, "progress arrives before the result"
        assert person.progress[-1][0] == person.progress[-1][1]
        assert await call("summarize_file", filename=name) == {"summary": "A short text."}
        assert await call("delete_file", filename=name) == {"deleted": True}
        assert person.asked == [f"Delete the file {name}?"]
        used = {"write_file", "append_line", "list_files", "read_file", "search_file", "search_all"}
        assert set(listed) == used | {"summarize_file", "delete_file"}, "every tool there is has been called"

        failed = await client.call_tool("read_file", {"filename": "../secret"})
        assert failed.is_error
        with pytest.raises(MCPError) as refused:
            await client.call_tool("dance", {})
        assert refused.value.error.code == -32602


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_every_tool_works_over_http(http: str, mode: str) -> None:
    asyncio.run(use_everything(http, mode, f"{mode}.txt"))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_works_through_a_pipe(tmp_path: Path, mode: str) -> None:
    asyncio.run(use_everything(pipe(tmp_path), mode, "pipe.txt"))
