"""langchain-mcp-adapters: client_langchain.py URL CALLS prints the seconds that calls in a session took, and of CPU."""

import asyncio
import sys
import time

from langchain_mcp_adapters.client import MultiServerMCPClient  # type: ignore[import-not-found]
from langchain_mcp_adapters.tools import load_mcp_tools  # type: ignore[import-not-found]


async def main(url: str, calls: int) -> None:
    client = MultiServerMCPClient({"ours": {"transport": "streamable_http", "url": url}})
    async with client.session("ours") as session:
        tool = next(tool for tool in await load_mcp_tools(session) if tool.name == "read_file")
        for count in (calls // 10, calls):
            began, busy = time.perf_counter(), time.process_time()
            for _ in range(count):
                await tool.ainvoke({"filename": "notes.txt"})
            took, own = time.perf_counter() - began, time.process_time() - busy
    print(took, own)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
