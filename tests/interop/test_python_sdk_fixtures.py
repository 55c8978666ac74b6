"""The official Python SDK's client against the fixtures: logs, forms, the model, several rounds, subscriptions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pydantic
import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning

from tests.conformance.suite import fixture_server

MODES = ["auto", "legacy", "2026-07-28"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with fixture_server(tmp_path_factory.mktemp("fixtures")) as address:
        yield address


class Person:
    """Who sits at the client: fills in forms, answers for the model, keeps what was logged and announced."""

    def __init__(self) -> None:
        self.forms: list[types.ElicitRequestParams] = []
        self.logged: list[Any] = []
        self.told: list[str] = []
        self.news = asyncio.Event()

    async def fill(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.forms.append(params)
        schema: Any = getattr(params, "requested_schema", {})
        values = {"name": "Ana", "color": "blue", "username": "ana", "email": "ana@example.org", "context": "here"}
        content: Any = {key: values.get(key, True) for key in schema["properties"]}
        if "score" in schema["properties"]:
            content = {key: rules["default"] for key, rules in schema["properties"].items()}
        return types.ElicitResult(action="accept", content=content)

    async def think(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        block = types.TextContent(type="text", text="Paris")
        return types.CreateMessageResult(role="assistant", content=block, model="person", stop_reason="endTurn")

    async def roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=pydantic.FileUrl("file:///tmp"))])

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append(params.data)

    async def hear(self, message: Any) -> None:
        self.told.append(getattr(message, "method", ""))
        self.news.set()


@contextlib.asynccontextmanager
async def client_of(url: str, mode: str, person: Person) -> Any:
    async with Client(
        url,
        mode=mode,
        elicitation_callback=person.fill,
        sampling_callback=person.think,
        list_roots_callback=person.roots,
        logging_callback=person.log,
        message_handler=person.hear,
        log_level=None if mode == "legacy" else "info",
    ) as client:
        yield client


async def said(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


async def ask(url: str, mode: str) -> None:
    person = Person()
    async with client_of(url, mode, person) as client:
        if mode == "legacy":
            with pytest.warns(MCPDeprecationWarning):
                await client.set_logging_level("info")
        await said(client, "test_tool_with_logging")
        assert person.logged == ["Tool execution started", "Tool processing data", "Tool execution completed"]
        assert await said(client, "test_sampling", prompt="Capital of France?") == "LLM response: Paris"
        assert "ana@example.org" in await said(client, "test_elicitation", message="Who?")
        assert '"score": 95.5' in await said(client, "test_elicitation_sep1034_defaults")
        assert await said(client, "test_input_required_result_multi_round") == "Ana likes blue."
        assert await said(client, "test_input_required_result_multiple_inputs") == "Paris Ana has 1 roots."
        assert (await said(client, "test_input_required_result_request_state")).startswith("state-ok")
        got = await client.get_prompt("test_input_required_result_prompt")
        assert "here" in got.messages[0].content.text
        assert len(person.forms) == 7


async def listen(url: str, mode: str) -> None:
    person = Person()
    async with client_of(url, mode, person) as client:
        if mode == "legacy":
            await said(client, "test_trigger_tool_change")
            async with asyncio.timeout(10):
                while "notifications/tools/list_changed" not in person.told:
                    await person.news.wait()
                    person.news.clear()
            return
        async with asyncio.timeout(10), client.listen(tools_list_changed=True) as subscription:
            await said(client, "test_trigger_tool_change")
            assert type(await anext(aiter(subscription))).__name__ == "ToolsListChanged"


@pytest.mark.parametrize("mode", MODES)
def test_logs_forms_the_model_and_several_rounds(url: str, mode: str) -> None:
    asyncio.run(ask(url, mode))


@pytest.mark.parametrize("mode", MODES)
def test_a_change_is_heard_by_who_listens(url: str, mode: str, tmp_path: Path) -> None:
    asyncio.run(listen(url, mode))
