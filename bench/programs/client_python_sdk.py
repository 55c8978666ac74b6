"""The official Python SDK's client: client_python_sdk.py URL CALLS prints the seconds that calls took, and of CPU."""

import asyncio
import sys
import time

from mcp import Client


async def main(url: str, calls: int) -> None:
    async with Client(url) as client:
        for count in (calls // 10, calls):
            began, busy = time.perf_counter(), time.process_time()
            for _ in range(count):
                result = await client.call_tool("read_file", {"filename": "notes.txt"})
            took, own = time.perf_counter() - began, time.process_time() - busy
        assert result.structured_content is not None, result
    print(took, own)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
