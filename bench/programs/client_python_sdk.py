"""The official Python SDK's client: client_python_sdk.py URL CALLS prints the seconds that so many calls took."""

import asyncio
import sys
import time

from mcp import Client


async def main(url: str, calls: int) -> None:
    async with Client(url) as client:
        for count in (calls // 10, calls):
            began = time.perf_counter()
            for _ in range(count):
                result = await client.call_tool("read_file", {"filename": "notes.txt"})
            took = time.perf_counter() - began
        assert result.structured_content is not None, result
    print(took)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
